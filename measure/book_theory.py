"""Compares a book with the named openings: ``python -m outflank.measure.book_theory BOOK [PREFIX]``.

Prints the two tables of docs/book.md: the score of each named line that begins with PREFIX (``f5d6``), and for lines
beyond two discs the result of deeper searches, with the move that gives away the most.
"""

import sys
from functools import cache
from pathlib import Path

from outflank.book import Book
from outflank.book.names import Opening, all_openings
from outflank.engine import Colour, Game, Position, Searcher, limit_for_level

_LEVEL, _END_LEVEL, _LINE_LEVEL = 18, 24, 20
_EVEN = 2  # discs


_searcher = cache(lambda: Searcher(256))


@cache
def searched(position: Position, level: int) -> tuple[int, str]:
    """Return the score in discs for Black, and the best move."""
    _searcher().clear()
    result = _searcher().search(position, limit_for_level(level, position.empties))
    score = round(result.score)
    return score if position.side is Colour.BLACK else -score, str(result.move)


def judged(book: Book, opening: Opening) -> tuple[int, str]:
    """Return the score of a line in discs for Black, by the book or a search, and how much of it is in the book."""
    game = Game.from_transcript(opening.moves)
    positions = [turn.before for turn in game.turns] + [game.position]
    known = max(at for at, position in enumerate(positions) if position in book)
    entry = book.probe(game.position)
    if entry is None:
        score, _ = searched(game.position, _LEVEL)
    else:
        score = entry.score if game.position.side is Colour.BLACK else -entry.score
    return score, "whole" if known == len(game.turns) else f"{known} of {len(game.turns)} moves"


def blamed(opening: Opening) -> str:
    """Return the cells of the second table: the end's score at a high level, and the move that gives away the most.

    The search's own move, or an image of it, gives away nothing, regardless of the scores.
    """
    game = Game.from_transcript(opening.moves)
    end, _ = searched(game.position, _END_LEVEL)
    positions = [turn.before for turn in game.turns] + [game.position]
    judged = [searched(position, _LINE_LEVEL) for position in positions]
    losses = []
    for number, turn in enumerate(game.turns):
        (before, better), (after, _) = judged[number : number + 2]
        if turn.before.play(better).canonical()[0] != positions[number + 1].canonical()[0]:
            losses.append(((before - after) * (1 if turn.colour is Colour.BLACK else -1), -number, better))
    lost, number, better = max(losses, default=(0, 0, ""))
    blame = f"{1 - number}. {game.turns[-number].move}, {lost} | {better}" if lost > 0 else " | "
    return f"{end:+d} | {blame}"


def main(path: Path, prefix: str) -> None:
    """Print both tables."""
    with Book.open(path) as book:
        lines = [
            (opening, *judged(book, opening))
            for opening in sorted(all_openings(), key=lambda opening: opening.moves)
            if opening.moves.startswith(prefix)
        ]
    even = [line for line in lines if abs(line[1]) <= _EVEN]
    print(f"{len(even)} of {len(lines)} lines within {_EVEN} discs\n")
    for opening, score, known in even:
        print(f"| `{opening.moves}` | {opening} | {score:+d} | {known} |", flush=True)
    print()
    for opening, score, _ in lines:
        if abs(score) > _EVEN:
            print(f"| `{opening.moves}` | {opening} | {score:+d} | {blamed(opening)} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "f5d6")
