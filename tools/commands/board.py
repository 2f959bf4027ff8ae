"""``outflank board``: shows a position as text or as an image."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click

from outflank.engine import DEFAULT_LEVEL, Game, Limit, Move, Position, Rules, Searcher, limit_for_level
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.storage.files import STDOUT, write_whole
from outflank.tools.cli.command import Command, completed_by
from outflank.tools.cli.options import level_option, printed_output_files_option, rules_option, weights_option
from outflank.tools.cli.positions import as_usage, complete_games, read_game
from outflank.tools.cli.types import COUNT, WholeNumber
from outflank.tools.report.board import board_text, is_coloured, png_of, say
from outflank.tools.report.search import moves_text, score_text
from outflank.tools.runtime.progress import counted

Form = Literal["text", "svg", "png"]
_FORMS: dict[str, Form] = {".txt": "text", ".text": "text", ".svg": "svg", ".png": "png"}
_BEST, _GAME = "best", "game"
_SIZE = 480


@click.command(cls=Command, exclusive=[("--text", "--svg", "--png")])
@click.argument("text", metavar="POSITION", shell_complete=complete_games)
@click.option("--text", "as_text", is_flag=True, help="Print text, in colour on a terminal.")
@click.option("--svg", "as_svg", is_flag=True, help="Write an SVG image.")
@click.option("--png", "as_png", is_flag=True, help="Write a PNG image.")
@printed_output_files_option("Write to FILE; the suffix .svg, .png or .txt selects the format")
@click.option("--last", metavar="MOVE", help="Mark MOVE as the last move.  [default: the last of a game]")
@click.option("--legal/--no-legal", default=True, help="Mark the legal moves.")
@click.option("--scores", is_flag=True, help="Search, and show the scores of all moves on their squares.")
@click.option(
    "--line",
    metavar="MOVES|best|game",
    shell_complete=completed_by(_BEST, _GAME),
    help="Show further moves as numbered discs: MOVES, the best line of a search, or the rest of the game.",
)
@click.option(
    "--ply",
    type=WholeNumber(0, 60),
    metavar="N",
    help="Show the position after N moves of a game, not counting passes.  [default: the last position]",
)
@level_option("Search level for --scores and --line.", default=DEFAULT_LEVEL)
@click.option("--depth", type=COUNT, help="Plies to search.  [default: those of the level]")
@click.option(
    "--size", type=WholeNumber(16, 8192), default=_SIZE, help="Width and height of an image, in pixels."
)
@weights_option
@rules_option
def board(
    text: str,
    as_text: bool,
    as_svg: bool,
    as_png: bool,
    outputs: Sequence[Path],
    last: str | None,
    legal: bool,
    scores: bool,
    line: str | None,
    ply: int | None,
    level: int,
    depth: int | None,
    size: int,
    rules: Rules,
) -> None:
    """Show a position as text, or as an SVG or PNG image.

    POSITION is a transcript (f5d6c3), a board (64 squares and the side to move), the name of an opening (tiger), or a
    file that contains one of these or a game; - is standard input. Without --ply, a game stands for its last position.
    Scores are final disc differences from the point of view of the side to move.
    """
    asked: dict[Form, bool] = {"text": as_text, "svg": as_svg, "png": as_png}
    only = next((form for form, is_asked in asked.items() if is_asked), None)
    forms = {output: _form_of(only, output) for output in outputs}
    if forms.get(STDOUT) == "png" and sys.stdout.isatty():
        raise click.UsageError("a PNG can't be shown in a terminal: write it to a file (-o FILE)")
    whole = read_game(text, rules)
    game = whole if ply is None else _up_to(whole, ply)
    position = game.final
    before = game.moves[-1].move if game.moves else None
    if last is not None:
        before = _last(position, last)
    scored, best = _searched(position, level, depth) if scores or line == _BEST else ({}, ())
    to_come = tuple(move.move for move in whole.moves[len(game.moves) :])
    moves = best if line == _BEST else to_come if line == _GAME else _moves(position, line)
    svg = position.svg(
        size=size,
        last=before,
        legal=legal,
        scores=scored if scores else None,
        line=moves,
        number=game.discs_played + 1 if line == _GAME else 1,
    )
    for output, form in forms.items():
        if form == "text":
            _write(_as_text(position, before, legal, scored if scores else {}, moves, output), output)
        else:
            _write(svg if form == "svg" else png_of(svg), output)


def _form_of(asked: Form | None, output: Path) -> Form:
    named = None if output is STDOUT else _FORMS.get(output.suffix.lower())
    if asked and named not in (None, asked):
        raise click.UsageError(f"the suffix of {output.name!r} means --{named}, not --{asked}")
    if form := asked or named:
        return form
    if output is STDOUT:
        return "text"
    raise click.UsageError(
        f"the name {output.name!r} does not end in .txt, .svg or .png: add --text, --svg or --png"
    )


def _up_to(game: AnnotatedGame, ply: int) -> AnnotatedGame:
    """Return the game up to the position after `ply` moves, not counting passes."""
    for end in range(len(game.moves) + 1):
        shown = replace(game, moves=game.moves[:end])
        if shown.discs_played == ply:
            return shown
    raise click.BadParameter(
        f"the game has {counted(game.discs_played, 'move')}, fewer than {ply}", param_hint="--ply"
    )


def _searched(
    position: Position, level: int, depth: int | None
) -> tuple[dict[Move, float], tuple[Move, ...]]:
    if position.is_over:
        return {}, ()
    limit = limit_for_level(level, position.empties) if depth is None else Limit(depth=depth)
    found = Searcher().search(position, limit, multipv=len(position.legal_moves()))
    return {line.move: line.score for line in found.lines}, found.pv


def _last(position: Position, text: str) -> Move:
    with as_usage("--last"):
        move = Move.parse(text)
    if move.is_pass and not position.with_side(position.side.other).must_pass:
        raise click.BadParameter(
            "the other side had a legal move, so it can't have passed", param_hint="--last"
        )
    if move.square is not None and position.disc_at(move.square) is None:
        raise click.BadParameter(
            f"there is no disc on {move}, so it can't be the last move", param_hint="--last"
        )
    return move


def _moves(position: Position, line: str | None) -> Sequence[Move]:
    """Return the moves of a transcript that continues from the position, including forced passes."""
    with as_usage("--line"):
        return [turn.move for turn in Game.from_transcript(line or "", first=position)]


def _as_text(
    position: Position,
    last: Move | None,
    legal: bool,
    scores: dict[Move, float],
    line: Sequence[Move],
    output: Path,
) -> str:
    coloured = output is STDOUT and is_coloured()
    lines = [board_text(position, last=last, legal=legal, coloured=coloured)]
    if scores:
        best_first = sorted(scores.items(), key=lambda each: -each[1])
        lines.append("scores: " + ", ".join(f"{move} {score_text(score)}" for move, score in best_first))
    if line:
        lines.append(f"line: {moves_text(line)}")
    return "\n".join(lines) + "\n"


def _write(made: str | bytes, output: Path) -> None:
    if output is not STDOUT:
        write_whole(output, made if isinstance(made, bytes) else made.encode())
    elif isinstance(made, str):
        say(made.removesuffix("\n"))
    else:
        sys.stdout.buffer.write(made)
