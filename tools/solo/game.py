"""One solo game from its first move to its end, with a person or the program at the board."""

import sys
from collections.abc import Iterator

import click

from outflank.engine import IllegalMoveError, NotationError
from outflank.engine.solo import DealerView, SoloMove
from outflank.engine.soloplayer import SoloPlayer
from outflank.tools.cli.warning import warn
from outflank.tools.show.board import say
from outflank.tools.solo.picture import legend
from outflank.tools.solo.report import Report

_STOP_WORDS = frozenset({"stop", "quit", "exit", "q"})
_HELP = (
    "a move is a colour and a square: black d3 or gd3; the square alone does where one colour may go there. "
    "Other words: hint, moves, stop."
)


class Stop(Exception):
    """The player ends the game with the score as it is."""


def watch(game: DealerView, player: SoloPlayer, report: Report) -> None:
    """Let the program play; Ctrl-C stops it with the score as it is."""
    try:
        report.board(game.player_view())
        while not game.is_over:
            move = player.choose(game.player_view())
            report.move(game, move)
            game = game.play(move)
            report.board(game.player_view())
    finally:
        report.result(game)


def play(game: DealerView, report: Report, adviser: SoloPlayer, hints: bool) -> None:
    """Play the moves that come on standard input, one a line; its end stops the game.

    Args:
        game: where to begin.
        report: where it is shown.
        adviser: who is asked for hints.
        hints: whether it is asked before each move.

    Raises: NotationError or IllegalMoveError for a line that is none, unless somebody types at a
        terminal, who gets another try.
    """
    if not report.as_json:
        say(legend())
    try:
        while not game.is_over:
            report.board(game.player_view())
            if hints:
                report.hint(adviser.prospects(game.player_view()))
            move = _next_move(game, report, adviser)
            report.move(game, move)
            game = game.play(move)
        report.board(game.player_view())
    except Stop:
        pass
    finally:
        report.result(game)


def _next_move(game: DealerView, report: Report, adviser: SoloPlayer) -> SoloMove:
    """The next legal move that is typed.

    Raises: Stop at the end of the input or by a word for it.
    """
    for line in _lines():
        word = line.strip().lower()
        if word in _STOP_WORDS:
            raise Stop
        if word == "hint":
            report.hint(adviser.prospects(game.player_view()))
        elif word == "moves":
            say(", ".join(map(str, game.legal_moves())), err=report.as_json)
        elif word in ("help", "?"):
            say(_HELP, err=report.as_json)
        elif word:
            try:
                return game.parse_move(word)
            except (NotationError, IllegalMoveError) as error:
                if not sys.stdin.isatty():
                    raise
                warn(str(error))
    raise Stop


def _lines() -> Iterator[str]:
    """The lines of standard input, each asked for if there is somebody to ask."""
    while True:
        if sys.stdin.isatty():
            click.echo("your move (help shows how): ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line:
            if sys.stdin.isatty():
                click.echo(err=True)  # what follows does not belong behind the question
            return
        yield line
