"""The names of openings: who has played f5d6c3d3c4 has played the Tiger.

A name belongs to a position and to its eight images, so it holds whichever first move was made and in whatever
order the others came. ``book/data/names.txt`` has the lines that lead to them.
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
    """An opening that has a name.

    Attributes:
        names: in English, the most usual name first.
        moves: the line that has given it the name, beginning with f5: ``f5d6c3d3c4``.
        japanese: names in Japanese, of the same position or, in the opening of a game, of the last position that has
            one; may be empty. Openings that differ in these alone are equal.
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
        """How many moves lead to it."""
        return len(self.moves) // 2

    @property
    def in_both_languages(self) -> str:
        """All names: ``Tiger (虎定石)``."""
        return f"{self} ({' / '.join(self.japanese)})" if self.japanese else str(self)

    def __str__(self) -> str:
        """All names in English: ``Bat / Cow Bat / Cambridge``."""
        return " / ".join(self.names)


def opening_at(position: Position) -> Opening | None:
    """The opening whose last position this or an image of it is; None if it has no name of its own.

    Rules by which a move turns one direction have none.
    """
    found = _named(position)
    return found if found and found.names else None


def opening_of(positions: Iterable[Position]) -> Opening | None:
    """The opening that a game has reached, by the last of its positions that has a name; None if none has.

    Its Japanese name is that of the last position with one, which may be another: more of them have names.

    Args:
        positions: of the game, in order.
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
    """Every opening that has a name in English, in the order of the file."""
    return tuple(opening for opening in _openings().values() if opening.names)


def _named(position: Position) -> Opening | None:
    """The opening whose last position this or an image of it is, even if it has a name in Japanese alone."""
    # Most positions have too many discs, and are recognised without turning the board.
    if position.rules.one_direction or position.empties < _fewest_empties():
        return None
    return _openings().get(_key(position))


def _key(position: Position) -> tuple[int, int]:
    """Equal for positions that are images of each other; who is Black does not matter."""
    image, _ = position.canonical()
    return image.own, image.opp


@cache
def _openings() -> dict[tuple[int, int], Opening]:
    """The openings by their last positions."""
    openings: dict[tuple[int, int], Opening] = {}
    above: list[str] = []  # the whole lines that the next one may go on from
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
