"""Plays the solo game: a single game by a user or by the program, or many deals with a summary of the scores."""

import json
import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

import click

from outflank import __version__
from outflank.engine import Colour, IllegalMoveError, NotationError
from outflank.engine.solo.game import (
    ALL_CHIPS,
    COLOUR_WORDS,
    DEFAULT_LAYOUT,
    Chip,
    Deal,
    DealerView,
    PlayerView,
    SoloMove,
    Variant,
    cell_text,
    never_winnable,
    score,
)
from outflank.engine.solo.player import SoloPlayer, SoloSolution, solve
from outflank.engine.squares import square_name, squares_of
from outflank.tools.report.board import say
from outflank.tools.runtime.inputlines import InputLines
from outflank.tools.runtime.progress import live, warn

_WIDTH = 4


def picture(view: PlayerView) -> str:
    """Return the player's view of the board as text."""
    heading = "   " + "".join(f"{letter:<{_WIDTH}}" for letter in "abcdefgh").rstrip()
    rows = [
        f"{row + 1}  " + "".join(_cell(view, 8 * row + column) for column in range(8)).rstrip()
        for row in range(8)
    ]
    return "\n".join([heading, *rows])


def _cell(view: PlayerView, square: int) -> str:
    text = cell_text(view.board, view.open_chips, square)
    padding = " " * (_WIDTH - len(text))
    if square in view.open_chips:
        return styled_chip(view.open_chips[square]) + padding
    if text == "X":
        return click.style(text, fg="bright_white", bg="black", bold=True) + padding
    if text == "O":
        return click.style(text, fg="bright_yellow", bold=True) + padding
    return click.style(text, dim=text == ".", fg="cyan" if text == "?" else None) + padding


def styled_chip(chip: Chip) -> str:
    """Return a chip such as ``b7`` in its colour."""
    if chip.colour is Colour.BLACK:
        return click.style(str(chip), fg="bright_white", bg="bright_black")
    return click.style(str(chip), fg="black", bg="yellow")


def legend() -> str:
    """Return an explanation of the letters in ``picture``."""
    black, gold = (COLOUR_WORDS[colour] for colour in Colour)
    return f"X {black} disc, O {gold} disc, ? closed chip, b7 open {black} chip with a 7, g- open {gold} chip, blank"


@dataclass(frozen=True, slots=True)
class SoloPrinter:
    """Prints one game.

    Attributes:
        variant: the variant of the game, which determines how chips are counted.
        as_json: True to print JSON objects instead of sentences.
    """

    variant: Variant
    as_json: bool

    @property
    def perfect(self) -> int:
        """The score of a game in which every chip is won."""
        return score(ALL_CHIPS, self.variant)

    def begin(self, seed: int, layout: Sequence[int]) -> None:
        """Print the settings that reproduce the deal of the chips. Warn about chips that can never be won."""
        names = [square_name(square) for square in layout]
        if lost := [square_name(square) for square in never_winnable(layout)]:
            warn(f"chips on {' '.join(lost)} can never be won")
        if self.as_json:
            self._object("settings", version=__version__, seed=seed, layout=names, variant=str(self.variant))
            return
        laid = "" if layout == DEFAULT_LAYOUT else f", layout {','.join(names)}"
        say(f"outflank {__version__}, solo game, seed {seed}, variant {self.variant}{laid}")

    def board(self, view: PlayerView) -> None:
        """Print the board as the player sees it."""
        if self.as_json:
            self._object("board", **self._facts(view))
            return
        say()
        say(picture(view))
        say(f"{len(view.won)} of {len(ALL_CHIPS)} chips won: {chips_text(view.won.values()) or 'none'}")
        if self.variant is Variant.SUM:
            say(f"score {view.score(self.variant)} of {self.perfect}")

    def move(self, before: DealerView, move: SoloMove) -> None:
        """Print a move and its effect."""
        board = before.board
        won = [before.deal.chips[square] for square in squares_of(board.taken(move.colour, move.square))]
        opened = {square: before.deal.chips[square] for square in squares_of(board.opened(move.square))}
        turned = [square_name(square) for square in squares_of(board.turned(move.colour, move.square))]
        if self.as_json:
            up = {square_name(square): str(chip) for square, chip in opened.items()}
            self._object("move", move=str(move), turned=turned, won=[str(chip) for chip in won], opened=up)
            return
        said = [f"turns {' '.join(turned)}"] if turned else []
        said += [f"wins {chips_text(won)}"] if won else []
        said += [f"turns up {chips_text(opened.values())}"] if opened else []
        say(f"{move}: {', '.join(said)}")

    def hint(self, prospects: Iterable[tuple[SoloMove, float]]) -> None:
        """Print the most promising moves with their expected scores."""
        if self.as_json:
            self._object(
                "hint", moves=[{"move": str(move), "score": round(score, 2)} for move, score in prospects]
            )
            return
        say("hint: " + ", ".join(f"{move} (about {score:.4g})" for move, score in prospects))

    def solution(self, solution: SoloSolution, deal: Deal) -> None:
        """Print the moves and the score of the best play that the solver, which sees all chips, has found."""
        game = DealerView.start(deal)
        if self.as_json:
            self._object(
                "solution",
                score=solution.score,
                bound=solution.bound,
                proven=solution.is_proven,
                width=solution.width,
                moves=[str(move) for move in solution.moves],
            )
            return
        for move in solution.moves:
            self.move(game, move)
            game = game.play(move)
        proof = (
            "which is proven optimal" if solution.is_proven else f"with an upper bound of {solution.bound}"
        )
        say(f"best score found {solution.score} of {self.perfect}, {proof}; {len(solution.moves)} moves")

    def result(self, game: DealerView) -> None:
        """Print the final score, or the score when the player stopped."""
        reached = game.score(self.variant)
        if self.as_json:
            won = [str(chip) for chip in sorted(game.won.values())]
            self._object("result", score=reached, perfect=reached == self.perfect, over=game.is_over, won=won)
            return
        if not game.is_over:
            why = "stopped before the end"
        else:
            why = "all chips are won" if not game.board.chips else "no chip can be won any more"
        say(f"score {reached} of {self.perfect}: {why}")

    def _facts(self, view: PlayerView) -> dict[str, Any]:
        return {
            "black": _names(view.board.black),
            "gold": _names(view.board.white),
            "open": {square_name(square): str(chip) for square, chip in view.open_chips.items()},
            "closed": _names(view.board.closed),
            "won": [str(chip) for chip in sorted(view.won.values())],
            "score": view.score(self.variant),
            "over": view.is_over,
            "moves": [str(move) for move in view.legal_moves()],
        }

    @staticmethod
    def _object(kind: str, **facts: Any) -> None:
        say(json.dumps({"kind": kind, **facts}))


def chips_text(chips: Iterable[Chip]) -> str:
    """Return the chips as coloured text: ``b- b7 g10``."""
    return " ".join(
        styled_chip(chip) for chip in sorted(chips, key=lambda chip: (chip.colour != Colour.BLACK, chip))
    )


def _names(mask: int) -> list[str]:
    return [square_name(square) for square in squares_of(mask)]


_STOP_WORDS = frozenset({"stop", "quit", "exit", "q"})
_HELP = (
    "a move is a colour and a square: black d3 or gd3; the square alone is enough if only one colour can go there. "
    "Other commands: hint, moves, stop."
)


def watch(game: DealerView, player: SoloPlayer, report: SoloPrinter) -> None:
    """Let the program play. Ctrl-C ends the game with the current score."""
    try:
        report.board(game.player_view())
        while not game.is_over:
            move = player.choose(game.player_view())
            report.move(game, move)
            game = game.play(move)
            report.board(game.player_view())
    finally:
        report.result(game)


def play(game: DealerView, report: SoloPrinter, adviser: SoloPlayer, hints: bool) -> None:
    """Play the moves from stdin, one per line. The end of stdin ends the game.

    Args:
        game: the game.
        report: the printer of the game.
        adviser: the player that gives hints.
        hints: True to show hints before each move.

    Raises: NotationError or IllegalMoveError for an invalid line if stdin is not a terminal.
    """
    lines = InputLines()
    if not report.as_json:
        say(legend())
    try:
        while True:
            report.board(game.player_view())
            if game.is_over:
                break
            if hints:
                report.hint(adviser.prospects(game.player_view()))
            if (move := _next_move(game, report, adviser, lines)) is None:
                break
            report.move(game, move)
            game = game.play(move)
    finally:
        report.result(game)


def _next_move(
    game: DealerView, report: SoloPrinter, adviser: SoloPlayer, lines: InputLines
) -> SoloMove | None:
    while (line := lines.next("your move (help shows how): ", math.inf)) is not None:
        word = line.strip().lower()
        if word in _STOP_WORDS:
            return None
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
                if not lines.is_terminal:
                    raise
                warn(str(error))
    return None


Way = Callable[[DealerView, int, Variant], int]
"""A function of a game, the seed of its deal and the variant. It plays the game to the end and returns the score."""


def by_player(game: DealerView, seed: int, variant: Variant) -> int:
    """Let the program play without knowledge of the closed chips. Return the score."""
    player = SoloPlayer(variant, seed)
    while not game.is_over:
        game = game.play(player.choose(game.player_view()))
    return game.score(variant)


def by_chance(game: DealerView, seed: int, variant: Variant) -> int:
    """Play random legal moves. Return the score."""
    source = random.Random(f"chance {seed}")  # `seed` alone might repeat the numbers that shuffled the deal
    while not game.is_over:
        game = game.play(source.choice(game.legal_moves()))
    return game.score(variant)


def with_open_chips(game: DealerView, seed: int, variant: Variant) -> int:
    """Return the score of the best play that the solver, which sees all chips, finds."""
    return solve(game, variant).score


def play_many(way: Way, seeds: Iterable[int], layout: Iterable[int], report: SoloPrinter) -> None:
    """Play the deals shuffled with these seeds, and print a summary of the scores, even after Ctrl-C."""
    scores: list[int] = []
    squares = tuple(layout)

    def draw() -> str:
        mean = f", mean {fmean(scores):.2f}" if scores else ""
        return f"{len(scores)} deals{mean}"

    try:
        with live(draw):
            for seed in seeds:
                scores.append(way(DealerView.start(Deal.shuffled(seed, squares)), seed, report.variant))
                if report.as_json:
                    say(json.dumps({"kind": "deal", "seed": seed, "score": scores[-1]}))
    finally:
        if scores:
            _summarise(scores, report)


def _summarise(scores: Sequence[int], report: SoloPrinter) -> None:
    mean, deviation = fmean(scores), stdev(scores) if len(scores) > 1 else 0.0
    perfect_share = scores.count(report.perfect) / len(scores)
    if report.as_json:
        facts = {
            "deals": len(scores),
            "mean": round(mean, 3),
            "deviation": round(deviation, 3),
            "worst": min(scores),
            "best": max(scores),
            "perfect": round(perfect_share, 4),
        }
        say(json.dumps({"kind": "results", **facts}))
        return
    say(
        f"{len(scores)} deals: mean {mean:.2f} +/- {deviation / math.sqrt(len(scores)):.2f} of {report.perfect}, "
        f"standard deviation {deviation:.2f}, worst {min(scores)}, best {max(scores)}, perfect {perfect_share:.1%}"
    )
