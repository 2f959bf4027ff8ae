"""Commands that look into the opening book."""

from outflank.protocol.server.gtp.arguments import Arguments, scored, variation
from outflank.protocol.server.movesource import best_line
from outflank.protocol.server.session import Session


def outflank_book(session: Session, arguments: Arguments) -> str:
    """Says which opening book is in use, and what it knows about the position.

    Answer: `book` with its file, its number of positions and its rules, or `none`, and why if a book that was asked
      for can't be used; if it knows the position, a second line
      `score +2 bounds -2 +6 depth 18 prob 95 lines 40 wins 12 draws 8 losses 20`: discs from the side to move, the
      least and the most that they can be, plies and selectivity of the searches, how many lines go on from here, and
      how these end
    """
    told = filter(None, (book.contents(session.rules) for book in session.books))
    books = [f"book {contents}" for contents in told] or ["book none"]
    entry = session.probe(session.position)
    if entry is None:
        return "\n".join(books)
    lines = entry.lines
    known = (
        f"score {entry.score:+d} bounds {entry.lower:+d} {entry.upper:+d} depth {entry.depth} prob {entry.selectivity} "
        f"lines {lines.total} wins {lines.wins} draws {lines.draws} losses {lines.losses}"
    )
    return "\n".join([*books, known])


def outflank_book_moves(session: Session, arguments: Arguments) -> str:
    """Lists the moves that the opening book knows here.

    Answer: lines of vertex and score, the best first, without directions, in discs from the side to move; nothing if
      it knows none
    """
    entry = session.probe(session.position)
    moves = () if entry is None else entry.moves
    return scored((move.move, f"{move.score:+d}") for move in moves)


def outflank_book_line(session: Session, arguments: Arguments) -> str:
    """Gives the line of the opening book that is best for both sides.

    Answer: colours and vertices in turn: `b D3 w C3`; nothing if the book does not know the position
    """
    return variation(session.position, best_line(session.probe, session.position))


def outflank_opening(session: Session, arguments: Arguments) -> str:
    """Names the opening of the game.

    Answer: the names of the last position of the game that has a name, such as `Bat / Cow Bat / Cambridge`; nothing
      if none has
    """
    from outflank.book.names import opening_of_game

    opening = opening_of_game(session.game)
    return "" if opening is None else str(opening)
