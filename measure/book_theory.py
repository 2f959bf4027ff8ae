"""Compares a book with the named openings: ``python -m outflank.measure.book_theory BOOK [PREFIX]``.

Prints the two tables of docs/book.md: the score of each named line that begins with PREFIX (``f5d6``), and for lines
beyond two discs the result of deeper searches, with the move that gives away the most.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from outflank.book import Book
from outflank.book.names import Opening, all_openings
from outflank.engine import Colour, Game, Position, Searcher, limit_for_level

_LEVEL, _END_LEVEL, _LINE_LEVEL = 18, 24, 20
_EVEN = 2  # discs


@dataclass(frozen=True, slots=True)
class NamedLine:
    """A named line; scores are in discs for Black.

    Attributes:
        opening: the opening.
        score: the score of its end, by the book, or by a search at the level that books are grown at.
        known: the number of its moves that lead to positions of the book.
        length: the number of its moves.
    """

    opening: Opening
    score: int
    known: int
    length: int


class Searches:
    """Scores by searches of single positions, with a cache."""

    def __init__(self) -> None:
        self._searcher = Searcher(256)
        self._found: dict[tuple[Position, int], tuple[int, str]] = {}

    def score(self, position: Position, level: int) -> tuple[int, str]:
        """Return the score in discs for Black, and the best move."""
        asked = position, level
        if asked not in self._found:
            self._searcher.clear()
            result = self._searcher.search(position, limit_for_level(level, position.empties))
            score = round(result.score)
            self._found[asked] = score if position.side is Colour.BLACK else -score, str(result.move)
        return self._found[asked]


def judged(book: Book, opening: Opening, searches: Searches) -> NamedLine:
    """Judge a line by the book, or by a search if the book does not have its end."""
    game = Game.from_transcript(opening.moves)
    positions = [turn.before for turn in game.turns] + [game.position]
    known = max(at for at, position in enumerate(positions) if position in book)
    entry = book.probe(game.position)
    if entry is None:
        score, _ = searches.score(game.position, _LEVEL)
    else:
        score = entry.score if game.position.side is Colour.BLACK else -entry.score
    return NamedLine(opening, score, known, len(game.turns))


def blamed(opening: Opening, searches: Searches) -> str:
    """Return the cells of the second table: the end's score at a high level, and the move that gives away the most.

    The search's own move, or an image of it, gives away nothing, regardless of the scores.
    """
    game = Game.from_transcript(opening.moves)
    end, _ = searches.score(game.position, _END_LEVEL)
    positions = [turn.before for turn in game.turns] + [game.position]
    judged = [searches.score(position, _LINE_LEVEL) for position in positions]
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
    searches = Searches()
    with Book.open(path) as book:
        lines = [
            judged(book, opening, searches)
            for opening in sorted(all_openings(), key=lambda opening: opening.moves)
            if opening.moves.startswith(prefix)
        ]
    even = [line for line in lines if abs(line.score) <= _EVEN]
    print(f"{len(even)} of {len(lines)} lines within {_EVEN} discs\n")
    for line in even:
        known = "whole" if line.known == line.length else f"{line.known} of {line.length} moves"
        print(f"| `{line.opening.moves}` | {line.opening} | {line.score:+d} | {known} |", flush=True)
    print()
    for line in lines:
        if line not in even:
            cells = blamed(line.opening, searches)
            print(f"| `{line.opening.moves}` | {line.opening} | {line.score:+d} | {cells} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "f5d6")
