"""The names of openings: f5d6c3d3c4 is the Tiger.

A name belongs to a position and its eight images, so it does not depend on the first move or on the order of moves.
``book/data/names.txt`` has the lines that lead to the positions.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from outflank.engine import Game, Position

NAMES_FILE = Path(__file__).parent / "data" / "names.txt"
_INDENT = 2  # blanks
_LANGUAGES = ("names", "japanese")
_LINE = re.compile(r"(?P<indent> *)(?P<moves>[a-h1-8]+) {2,}(?P<names>[^=]*?) ?(?:= (?P<japanese>\S.*))?")


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening with a name.

    Attributes:
        names: the names in English, the most usual one first.
        moves: the line that the name is given to, beginning with f5: ``f5d6c3d3c4``.
        japanese: the names in Japanese, of the same position or, in the opening of a game, of the last position with a
            Japanese name; may be empty. They are not compared.
    """

    names: tuple[str, ...]
    moves: str
    japanese: tuple[str, ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        """The most usual name."""
        return self.names[0]

    @property
    def plies(self) -> int:
        """The number of moves that lead to it."""
        return len(self.moves) // 2

    @property
    def in_both_languages(self) -> str:
        """All names: ``Tiger (虎定石)``."""
        return f"{self} ({' / '.join(self.japanese)})" if self.japanese else str(self)

    def __str__(self) -> str:
        """All names in English: ``Bat / Cow Bat / Cambridge``."""
        return " / ".join(self.names)


def opening_at(position: Position) -> Opening | None:
    """Return the opening that ends in this position or an image of it; None if it has no English name.

    There are no names under rules by which a move turns one direction.
    """
    found = _named(position)
    return found if found and found.names else None


def opening_of(positions: Iterable[Position]) -> Opening | None:
    """Return the opening of a game: that of its last position with a name; None if no position has a name.

    Its Japanese name is that of the last position with a Japanese name, which may be a different one.
    """
    reached: Opening | None = None
    japanese: tuple[str, ...] = ()
    for position in positions:
        if (found := _named(position)) is not None:
            japanese = found.japanese or japanese
            reached = found if found.names else reached
    return reached and replace(reached, japanese=japanese)


def opening_of_game(game: Game) -> Opening | None:
    """The opening of a game, as ``opening_of`` finds it."""
    return opening_of(game.positions)


def all_openings() -> tuple[Opening, ...]:
    """Return every opening with an English name, in the order of the file."""
    return tuple(opening for opening in _openings().values() if opening.names)


def _named(position: Position) -> Opening | None:
    """Return the opening that ends in this position or an image of it, also one with only a Japanese name."""
    # Most positions have too many discs, and are recognised without turning the board.
    if position.rules.one_direction or position.empties < _fewest_empties():
        return None
    return _openings().get(_key(position))


def _key(position: Position) -> tuple[int, int]:
    """Return a key that is equal for images of a position and for exchanged colours."""
    image, _ = position.canonical()
    return image.own, image.opp


@cache
def _openings() -> dict[tuple[int, int], Opening]:
    openings: dict[tuple[int, int], Opening] = {}
    above: list[str] = []  # the complete lines that the next line may continue
    for line in NAMES_FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            match = _LINE.fullmatch(line)
            assert match is not None, line
            above = above[: len(match["indent"]) // _INDENT]
            above.append("".join([*above[-1:], match["moves"]]))
            english, japanese = (tuple(filter(None, (match[name] or "").split(" / "))) for name in _LANGUAGES)
            opening = Opening(english, above[-1], japanese)
            openings[_key(Game.from_transcript(above[-1]).position)] = opening
    return openings


@cache
def _fewest_empties() -> int:
    return Position.start().empties - max(opening.plies for opening in _openings().values())
