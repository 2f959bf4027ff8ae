"""Which games of a file are meant: options that several commands take."""

import re
from dataclasses import dataclass
from typing import Literal

import click

from outflank.engine import Colour
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.dates import year_of
from outflank.tools.cli.options import together

ResultName = Literal["black", "white", "draw", "unknown"]
RESULTS: tuple[ResultName, ...] = ("black", "white", "draw", "unknown")
_RANGE = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


@dataclass(frozen=True, slots=True)
class GameFilter:
    """What a game has to be; None allows everything.

    Attributes:
        player: part of the name of one of the players, in any case.
        years: first and last year.
        result: who won.
        lengths: fewest and most discs played.
    """

    player: str | None = None
    years: range | None = None
    result: ResultName | None = None
    lengths: range | None = None

    def allows(self, game: AnnotatedGame) -> bool:
        """Whether the game is all of this."""
        return (
            (
                self.player is None
                or any(self.player.lower() in name.lower() for name in (game.black, game.white))
            )
            and (self.years is None or year_of(game.date) in self.years)
            and (self.result is None or result_of(game) == self.result)
            and (self.lengths is None or game.discs_played in self.lengths)
        )


def result_of(game: AnnotatedGame) -> ResultName:
    """Who won."""
    outcome = game.outcome
    if outcome is None:
        return "unknown"
    if outcome.winner is None:
        return "draw"
    return "black" if outcome.winner is Colour.BLACK else "white"


def _read_range(ctx: click.Context, option: click.Parameter, text: str | None) -> range | None:
    if text is None:
        return None
    match = _RANGE.fullmatch(text)
    if match is None:
        raise click.BadParameter(f"expected a number or two such as 20-60, got {text!r}", ctx, option)
    first, last = int(match[1]), int(match[2] or match[1])
    if first > last:
        raise click.BadParameter(f"expected the smaller number first, got {text!r}", ctx, option)
    return range(first, last + 1)


filter_options = together(
    click.option("--player", metavar="NAME", help="Only games of players whose name has NAME in it."),
    click.option("--year", callback=_read_range, metavar="Y[-Y]", help="Only games of these years."),
    click.option("--result", type=click.Choice(RESULTS), help="Only games that ended so."),
    click.option(
        "--length", callback=_read_range, metavar="N[-N]", help="Only games with this many discs played."
    ),
)
"""``--player --year --result --length``, each handed to the command under its own name."""
