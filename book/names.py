"""The names of openings, such as Tiger for f5d6c3d3c4.

A name belongs to a position and all of its images, so it does not depend on the first move or on the order of the
moves. ``book/data/names.txt`` contains the names and the lines that lead to the positions.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from outflank.engine import Game, IllegalMoveError, NotationError, Position, Rules, Symmetry
from outflank.engine.game import as_position

NAMES_FILE = Path(__file__).parent / "data" / "names.txt"
_INDENT = 2  # the number of blanks for each level of indentation
_MOST_SHOWN = 6  # the maximum number of names in an error message
_SHORTEST_PART = 3  # the minimum number of letters of a text that is searched for within names
_LONGEST_SHOWN = 60  # the maximum number of characters of a text in an error message
_LANGUAGES = ("names", "japanese")
_LINE = re.compile(r"(?P<indent> *)(?P<moves>[a-h1-8]+) {2,}(?P<names>[^=]*?) ?(?:= (?P<japanese>\S.*))?")


@dataclass(frozen=True, slots=True)
class Opening:
    """An opening with a name.

    Attributes:
        names: the names in English, the most usual name first; may be empty if there is a name in Japanese.
        moves: the line of the opening, which begins with f5: ``f5d6c3d3c4``.
        japanese: the names in Japanese; may be empty. An opening from ``opening_of`` may have the Japanese names of an
            earlier or a later position. ``==`` ignores the Japanese names.
    """

    names: tuple[str, ...]
    moves: str
    japanese: tuple[str, ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        """The most usual English name; the first Japanese name if there is no English name."""
        return (self.names or self.japanese)[0]

    @property
    def plies(self) -> int:
        """The number of moves of the opening."""
        return len(self.moves) // 2

    @property
    def in_both_languages(self) -> str:
        """All names: ``Tiger (虎定石)``."""
        japanese = " / ".join(self.japanese)
        return f"{self} ({japanese})" if self.names and japanese else japanese or str(self)

    def __str__(self) -> str:
        """Return all names in English: ``Bat / Cow Bat / Cambridge``."""
        return " / ".join(self.names)


def opening_at(position: Position | Game) -> Opening | None:
    """Return the opening that leads to this position or an image of it; None if no opening with an English name does.

    If `position` is a game, its current position is used. No position has a name under rules by which a move turns
    discs in only one direction.
    """
    found = _named(as_position(position))
    return found if found and found.names else None


def opening_of(positions: Iterable[Position]) -> Opening | None:
    """Return the opening of a game's last position that has an English name; None if no position has an English name.

    The result has the Japanese names of the last position with a Japanese name, which may be another position.
    """
    reached: Opening | None = None
    japanese: tuple[str, ...] = ()
    for position in positions:
        if (found := _named(position)) is not None:
            japanese = found.japanese or japanese
            reached = found if found.names else reached
    return reached and replace(reached, japanese=japanese)


def opening_of_game(game: Game) -> Opening | None:
    """Return the opening of a game; see ``opening_of``."""
    return opening_of(game.positions)


def openings(name: str | None = None) -> tuple[Opening, ...]:
    """Return the openings with an English or Japanese name that equals or contains `name`, in the order of the file.

    Only letters and digits are compared, and case is ignored: ``rosebill`` matches Rose-Bill. A part of a name matches
    only if it has at least three letters, or one Japanese letter. Without `name`, all openings are returned.

    Raises: NotationError if there is no such opening; the message suggests similar names, if there are any.
    """
    if name is None:
        return tuple(_openings().values())
    wanted = _letters(name)
    is_long = len(wanted) >= _SHORTEST_PART or not wanted.isascii()
    found = tuple(
        each
        for each in _openings().values()
        if any(wanted == one or (is_long and wanted in one) for one in _spellings(each))
    )
    if not found:
        raise NotationError(f"no opening is called {name[:_LONGEST_SHOWN]!r}{_resembling(name)}")
    return found


def opening_called(name: str) -> Opening:
    """Return the opening with this name, or else the only opening with a name that contains `name` (see ``openings``).

    If the names of several openings contain `name`, and all these openings continue the shortest one, the shortest one
    is returned.

    Raises: NotationError if there is no such opening, or if several openings are possible.
    """
    wanted, found = _letters(name), openings(name)
    if same := [each for each in found if wanted in _spellings(each)]:
        return same[0]
    shortest = min(found, key=lambda each: each.plies)
    if all(each.moves.startswith(shortest.moves) for each in found):
        return shortest
    names = [one for each in found for one in (*each.names, *each.japanese) if wanted in _letters(one)]
    shown = ", ".join(names[:_MOST_SHOWN]) + (", ..." if len(names) > _MOST_SHOWN else "")
    raise NotationError(f"several openings match {name!r}: {shown}")


def opening_line(name: str, rules: Rules | None = None) -> Game:
    """Return a game with the moves of the opening that ``opening_called`` returns, by default under Othello's rules.

    If the start position under `rules` is an image of Othello's, the moves are images of the moves in the file.

    Raises: NotationError as ``opening_called`` does, and also if the opening can't be played under `rules`.
    """
    opening, rules = opening_called(name), rules or Rules()
    line = Game.from_transcript(opening.moves)
    for symmetry in () if rules.one_direction else Symmetry:
        game = Game(Position.start(rules))
        with suppress(IllegalMoveError):
            for move in line.moves:
                game.play(symmetry.move(move))
            if _key(game.position) == _key(line.position):
                return game
    raise NotationError(
        f"{opening.name} ({opening.moves}) is an opening of Othello that can't be played under the rules {rules}"
    )


def _spellings(opening: Opening) -> tuple[str, ...]:
    """Return the letters of each name of an opening, of all English names together, and of all names together."""
    names = (*opening.names, *opening.japanese, str(opening), opening.in_both_languages)
    return tuple(filter(None, map(_letters, names)))


def _resembling(name: str) -> str:
    # This is imported here, since it is not needed to find the opening of a game.
    from difflib import get_close_matches

    known = dict.fromkeys(one for each in openings() for one in each.names)
    close = get_close_matches(name[:_LONGEST_SHOWN].title(), known)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def _named(position: Position) -> Opening | None:
    """Return the opening that leads to this position or an image of it, even if it has only Japanese names."""
    # Most positions have more discs than any named position, so the slow computation of their keys is skipped.
    if position.rules.one_direction or position.empties < _fewest_empties():
        return None
    return _openings().get(_key(position))


def _key(position: Position) -> tuple[int, int]:
    """Return a key that is the same for all images of a position, and for the position with exchanged colours."""
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
