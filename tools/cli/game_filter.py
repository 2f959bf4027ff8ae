"""Options, shared by several commands, that select games in files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import click

from outflank.engine import Colour, NotationError, OutflankError
from outflank.protocol.formats import FORMATS
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.clocks import year_of
from outflank.tools.cli.command import handing
from outflank.tools.cli.types import read_by

ResultName = Literal["black", "white", "draw", "unknown"]
RESULTS: tuple[ResultName, ...] = ("black", "white", "draw", "unknown")
_RANGE = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


@dataclass(frozen=True, slots=True)
class GameFilter:
    """The conditions that a game must meet; None means no condition.

    Attributes:
        players: a part of one player's name, or parts of both players' names; letter case is ignored. Empty
            for any players.
        years: the range of years.
        result: the result of the game.
        lengths: the range of the number of discs played.
        event: a part of the event's name; letter case is ignored. Empty for any event.
    """

    players: tuple[str, ...] = ()
    years: range | None = None
    result: ResultName | None = None
    lengths: range | None = None
    event: str = ""

    def allows(self, game: AnnotatedGame) -> bool:
        """Return whether the game meets all conditions."""
        return (
            self._has_players(game)
            and (self.years is None or year_of(game.date) in self.years)
            and (self.result is None or result_of(game) == self.result)
            and (self.lengths is None or game.discs_played in self.lengths)
            and self.event.lower() in game.event.lower()
        )

    def __str__(self) -> str:
        """Return the filter as command-line options, such as ``--player Ann --year 1998-2003``; may be empty."""
        words = [f"--player {name}" for name in self.players]
        words += [f"--event {self.event}"] if self.event else []
        words += [f"--year {_words(self.years)}"] if self.years else []
        words += [f"--result {self.result}"] if self.result else []
        words += [f"--length {_words(self.lengths)}"] if self.lengths else []
        return " ".join(words)

    def expect_found(self, count: int, unnamed: bool) -> None:
        """Raise OutflankError if no game was found.

        Args:
            count: the number of games that meet all conditions.
            unnamed: True if some games have numbers in place of players' names.
        """
        if count:
            return
        if self.players and unnamed:
            wanted = " and ".join(map(repr, self.players))
            raise OutflankError(f"no game of {wanted} found: player names are missing (see above)")
        raise OutflankError("no game passes the filters")

    def _has_players(self, game: AnnotatedGame) -> bool:
        names = [(game.black.lower(), game.white.lower()), (game.white.lower(), game.black.lower())]
        return any(
            all(part.lower() in name for part, name in zip(self.players, each, strict=False))
            for each in names
        )


def result_of(game: AnnotatedGame) -> ResultName:
    """Return the result of a game as a value of ``--result``."""
    outcome = game.outcome
    if outcome is None:
        return "unknown"
    if outcome.winner is None:
        return "draw"
    return "black" if outcome.winner is Colour.BLACK else "white"


def _words(numbers: range) -> str:
    return f"{numbers[0]}-{numbers[-1]}"


def _only(texts: Sequence[str]) -> str | None:
    """Return an option's only value. Raises: NotationError if the option was given twice."""
    if len(texts) > 1:
        raise NotationError("can be given only once")
    return texts[0] if texts else None


def _read_players(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) > 2:
        raise NotationError(f"a game has two players, got {len(names)} names")
    return names


def _read_range(texts: Sequence[str]) -> range | None:
    text = _only(texts)
    if text is None:
        return None
    match = _RANGE.fullmatch(text)
    if match is None:
        raise NotationError(f"expected a number or a range such as 20-60, got {text!r}")
    first, last = int(match[1]), int(match[2] or match[1])
    if first > last:
        raise NotationError(f"expected the smaller number first, got {text!r}")
    return range(first, last + 1)


source_option = click.option(
    "--input-format",
    "source",
    type=click.Choice(FORMATS),
    help="Format of the input files.  [default: detected]",
)
player_option = click.option(
    "--player",
    "players",
    multiple=True,
    callback=read_by(_read_players),
    metavar="NAME",
    help="Only games of a player whose name contains NAME; if given twice, only games between two such players.",
)
event_option = click.option(
    "--event",
    multiple=True,
    callback=read_by(_only),
    metavar="NAME",
    help="Only games of an event whose name contains NAME.",
)
year_option = click.option(
    "--year",
    "years",
    multiple=True,
    callback=read_by(_read_range),
    metavar="Y[-Y]",
    help="Only games of these years.",
)
filter_options = handing(
    {"wanted": GameFilter},
    player_option,
    event_option,
    year_option,
    click.option(
        "--result",
        type=click.Choice(RESULTS),
        multiple=True,
        callback=read_by(_only),
        help="Only games with this result.",
    ),
    click.option(
        "--length",
        "lengths",
        multiple=True,
        callback=read_by(_read_range),
        metavar="N[-N]",
        help="Only games with this many moves, not counting passes.",
    ),
)
"""The options ``--player --event --year --result --length``, passed to the command as ``wanted``, a ``GameFilter``."""
