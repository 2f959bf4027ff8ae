"""What a solo game prints as it goes: lines and pictures for people, or JSON objects, one a line."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from outflank.engine import Colour
from outflank.engine.solo import DealerView, PlayerView, SoloMove
from outflank.engine.solodeal import ALL_CHIPS, Chip, Deal, Variant, score
from outflank.engine.soloplayer import Prospect, Solution
from outflank.engine.squares import SQUARES, square_name
from outflank.tools.show.board import say
from outflank.tools.solo.picture import picture, styled_chip


@dataclass(frozen=True, slots=True)
class Report:
    """Prints one game.

    Attributes:
        variant: how chips count.
        as_json: print objects instead of sentences.
    """

    variant: Variant
    as_json: bool

    @property
    def perfect(self) -> int:
        """The score of a game in which every chip is won."""
        return score(ALL_CHIPS, self.variant)

    def board(self, view: PlayerView) -> None:
        """Show what the player sees."""
        if self.as_json:
            self._object("board", **self._facts(view))
            return
        say()
        say(picture(view))
        say(f"{len(view.won)} of {len(ALL_CHIPS)} chips won: {chips_text(view.won.values()) or 'none'}")
        if self.variant is Variant.SUM:
            say(f"score {view.score(self.variant)} of {self.perfect}")

    def move(self, before: DealerView, move: SoloMove) -> None:
        """Show a move and what it does."""
        board = before.board
        won = [before.deal.chips[square] for square in _squares(board.taken(move.colour, move.square))]
        opened = {square: before.deal.chips[square] for square in _squares(board.opened(move.square))}
        turned = [square_name(square) for square in _squares(board.turned(move.colour, move.square))]
        if self.as_json:
            up = {square_name(square): str(chip) for square, chip in opened.items()}
            self._object("move", move=str(move), turned=turned, won=[str(chip) for chip in won], opened=up)
            return
        said = [f"turns {' '.join(turned)}"] if turned else []
        said += [f"wins {chips_text(won)}"] if won else []
        said += [f"turns up {chips_text(opened.values())}"] if opened else []
        say(f"{move}: {', '.join(said)}")

    def hint(self, prospects: Iterable[Prospect]) -> None:
        """Show the most promising moves."""
        if self.as_json:
            self._object(
                "hint", moves=[{"move": str(each.move), "score": round(each.score, 2)} for each in prospects]
            )
            return
        say("hint: " + ", ".join(f"{each.move} (about {each.score:.4g})" for each in prospects))

    def solution(self, solution: Solution, deal: Deal) -> None:
        """Show the best play found with open chips, move by move, and how good it is."""
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
        proof = "which no play surpasses" if solution.is_proven else f"and no play surpasses {solution.bound}"
        say(f"best score found {solution.score} of {self.perfect}, {proof}; {len(solution.moves)} moves")

    def result(self, game: DealerView) -> None:
        """Show the score at the end, or where the player stopped."""
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
        """A view as JSON has it."""
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
    """``b- b7 g10``, coloured."""
    return " ".join(
        styled_chip(chip) for chip in sorted(chips, key=lambda chip: (chip.colour != Colour.BLACK, chip))
    )


def _squares(mask: int) -> list[int]:
    return [square for square in SQUARES if mask >> square & 1]


def _names(mask: int) -> list[str]:
    return [square_name(square) for square in _squares(mask)]
