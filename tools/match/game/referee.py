"""Referees one game. The referee has its own board, rules, clocks and results, since an engine is never trusted."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from outflank.engine import (
    PASS,
    Colour,
    Limit,
    Move,
    NotationError,
    Position,
    Searcher,
    SearchInfo,
)
from outflank.protocol.drivers.driver import Driver
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.protocol.lines import unknown
from outflank.tools.match.game.results import Ending, GameRecord, Loss, Pairing, without_label
from outflank.tools.match.game.seat import Seat

MOST_EMPTIES = 30  # solving a position with more empty squares may take hours
_HASH_MB = 16


class Solver:
    """Solves positions under any rules in the calling thread; each thread needs its own solver.

    The transposition table is allocated for the first position.
    """

    def __init__(self) -> None:
        self._searcher: Searcher | None = None
        self._stopped = False

    def margin(self, position: Position) -> int | None:
        """Return the final disc difference for Black with best play by both sides; None after ``stop``."""
        if self._stopped:
            return None
        if self._searcher is None:
            self._searcher = Searcher(_HASH_MB)
        result = self._searcher.search(position, Limit.solve(), on_info=self._heed)
        if not result.exact:
            return None
        return round(result.score if position.side is Colour.BLACK else -result.score)

    def solved(self, turns: Sequence[AnnotatedMove], empties: int) -> tuple[AnnotatedMove, ...]:
        """Return the turns of a game. Turns at `empties` or fewer empty squares get the exact margin of their position.

        The last position is solved first: its results in the transposition table speed up the earlier searches.
        """
        backwards = [
            replace(turn, exact=self.margin(turn.before)) if turn.before.empties <= empties else turn
            for turn in reversed(turns)
        ]
        return tuple(reversed(backwards))

    def stop(self) -> None:
        """Stop the current search and prevent later ones; may be called from any thread."""
        self._stopped = True
        if self._searcher is not None:
            self._searcher.stop()

    def _heed(self, info: SearchInfo) -> None:
        """Stop the search if ``stop`` was called just before the search began."""
        if self._stopped and self._searcher is not None:
            self._searcher.stop()


@dataclass(frozen=True, slots=True)
class ScoreRule:
    """A rule that ends a game by the scores that both engines report.

    Attributes:
        score: the bound in discs: for a win, both engines must report at least this score for the winner; for a draw,
            at most this score for either side.
        moves: the number of successive moves on which each engine must report a score that satisfies the bound.

    Raises: NotationError if a value is out of range.
    """

    score: float
    moves: int = 4

    def __post_init__(self) -> None:
        if not (type(self.moves) is int and 1 <= self.moves <= _MOST_MOVES):
            raise NotationError(f"expected 1 to {_MOST_MOVES} moves in a row, got {self.moves!r}")
        if not (type(self.score) in (int, float) and 0 <= self.score <= _MOST_DISCS):
            raise NotationError(f"expected a score from 0 to {_MOST_DISCS} discs, got {self.score!r}")

    @classmethod
    def parse(cls, text: str) -> "ScoreRule | None":
        """Read ``none``, ``score=40 moves=4`` or ``score=40``. Raises: NotationError."""
        if text == "none":
            return None
        values: dict[str, Any] = {}
        for word in text.replace(",", " ").split():
            key, _, value = word.partition("=")
            if key not in ("score", "moves"):
                raise NotationError(unknown("key", key, ("score", "moves")))
            if not _NUMBER.fullmatch(value) or (key == "moves" and not value.isdecimal()):
                raise NotationError(f"expected a number for {key}, got {value!r}")
            values[key] = int(value) if value.isdecimal() else float(value)
        if "score" not in values:
            raise NotationError(f"expected score=DISCS, optionally with moves=N, got {text!r}")
        return cls(**values)

    def __str__(self) -> str:
        return f"score={self.score:g} moves={self.moves}"

    def last_scores(self, turns: Sequence[AnnotatedMove]) -> list[float] | None:
        """Return the scores of each engine's last `moves` moves, in discs for Black; None if a score is missing."""
        found: list[float] = []
        for colour in Colour:
            own = [turn.score for turn in turns if turn.seconds is not None and turn.colour is colour]
            scores = [score for score in own[-self.moves :] if score is not None]
            if len(scores) < self.moves:
                return None
            found += scores
        return found


_MOST_DISCS = 64
_MOST_MOVES = 60
_NUMBER = re.compile(r"\d{1,3}(\.\d{1,3})?", re.ASCII)
STALL_SECONDS = 600.0  # the default time limit for a move without a clock


class Referee:
    """Referees one game.

    Args:
        pairing: the numbers, engine names and opening of the game.
        drivers: the engines, by colour.
        game: the game to start or continue. The seconds of its turns are charged to the clocks.
        stall: the seconds that an engine without a clock may think about a move.
        on_turn: the function that is called after each turn with the number of the turn, 0 for the first, and the turn.
        on_begun: the function that is called when an engine begins to think, with the number of the turn and the
            seconds allowed for the move, infinite without a clock.
        adjudicate: the number of empty squares at which the game ends with its exact result; 0 for never.
        solve: the number of empty squares up to which positions are solved after the game; 0 to solve none.
        solver: the solver for adjudication and for `solve`; None for a new solver.
        resign: the rule that ends a won game by the scores of both engines; None for never.
        draw: the rule that ends a drawn game by the scores of both engines; None for never.
        spent: the seconds that each side already used for its next move before an interruption; None for 0.
        held_up: see ``Seat``.
    """

    def __init__(
        self,
        pairing: Pairing,
        drivers: dict[Colour, Driver],
        game: AnnotatedGame,
        stall: float = STALL_SECONDS,
        on_turn: Callable[[int, AnnotatedMove], object] | None = None,
        *,
        on_begun: Callable[[int, float], object] | None = None,
        adjudicate: int = 0,
        solve: int = 0,
        solver: Solver | None = None,
        resign: ScoreRule | None = None,
        draw: ScoreRule | None = None,
        spent: Mapping[Colour, float] | None = None,
        held_up: Callable[[float, float], float] | None = None,
    ) -> None:
        self._pairing = pairing if pairing.started else pairing.begun()
        self._seats = {colour: Seat(colour, driver, stall, held_up) for colour, driver in drivers.items()}
        self._on_turn = on_turn
        self._on_begun = on_begun
        self._adjudicate = adjudicate
        self._solve = solve
        self._solver = solver or Solver()
        self._resign = resign
        self._draw = draw
        self._game = game
        for turn in game.moves:
            self._seats[turn.colour].resume(turn)
        for colour, seconds in (spent or {}).items():
            self._seats[colour].charge(seconds)

    @property
    def delay(self) -> float | None:
        """The seconds by which the machine delayed the loser, see ``Seat.delay``; None without a loss on time."""
        return next((seat.delay for seat in self._seats.values() if seat.delay is not None), None)

    @property
    def allowances(self) -> dict[Colour, float]:
        """The seconds that the next move of each side may take; infinite without a clock."""
        return {colour: seat.allowance for colour, seat in self._seats.items()}

    def play(self) -> GameRecord:
        """Play the whole game, including the set-up, and return its record. An engine is stopped after a fault."""
        try:
            game = self._play_out()
        except Loss as loss:
            game = self._record(loss.loser.other, loss.ending, loss.detail)
            game = replace(game, lost_seconds=loss.seconds)
        for seat in self._seats.values():
            seat.driver.note_strays()
        if game.winner and game.ending.is_fault:
            driver = self._seats[game.winner.other].driver
            flag = "flag fell: " if game.ending is Ending.TIME else ""
            driver.note(f"{flag}{without_label(game.detail, driver.name)}")
            driver.dismiss()
        elif game.ending is Ending.DISCS:
            self._check_claims()
        return replace(
            game,
            turns=self._solver.solved(game.turns, self._solve) if self._solve else game.turns,
            outside={seat.driver.name: seat.off_clock for seat in self._seats.values()},
            identities={
                seat.driver.name: identity
                for seat in self._seats.values()
                if (identity := seat.driver.identity)
            },
        )

    def _play_out(self) -> GameRecord:
        """Play all turns, and return the record without the facts that are known only after the game. Raises: Loss."""
        for seat in self._seats.values():
            seat.begin(self._game.first)
        opening = iter(self._pairing.opening)
        while not (position := self._game.final).is_over:
            given = None if position.must_pass else next(opening, None)
            if given is None and position.empties <= self._adjudicate:
                margin = self._solver.margin(position)
                if margin is not None:
                    detail = f"exact result with {position.empties} empty squares"
                    winner = position.rules.winner_by(margin)
                    return self._record(winner, Ending.ADJUDICATION, detail, margin)
            elif given is None and (agreed := self._agreement()):
                return agreed
            self._take_turn(given)
        margin = position.score()
        return self._record(position.rules.winner_by(margin), Ending.DISCS, "", margin)

    def _agreement(self) -> GameRecord | None:
        if (rule := self._resign) and (scores := rule.last_scores(self._game.moves)):
            for colour, sign in ((Colour.BLACK, 1), (Colour.WHITE, -1)):
                if all(sign * score >= rule.score for score in scores):
                    lead = f"{self._pairing.names[colour]} ahead by {rule.score:g} discs or more"
                    detail = f"both engines saw {lead}, {rule.moves} moves in a row"
                    return self._record(colour, Ending.AGREEMENT, detail)
        rule = self._draw
        scores = rule.last_scores(self._game.moves) if rule else None
        if rule and scores and all(abs(score) <= rule.score for score in scores):
            lead = f"neither side ahead by more than {rule.score:g} discs"
            detail = f"both engines saw {lead}, {rule.moves} moves in a row"
            return self._record(None, Ending.AGREEMENT, detail)
        return None

    def _take_turn(self, given: Move | None) -> None:
        position = self._game.final
        move = PASS if position.must_pass else given
        if move is not None:
            self._make(AnnotatedMove(position, move), listeners=self._seats.values())
        else:
            begun = partial(self._on_begun, len(self._game.moves)) if self._on_begun else None
            turn = self._seats[position.side].choose(self._game, begun)
            self._make(turn, listeners=[self._seats[position.side.other]])

    def _make(self, turn: AnnotatedMove, listeners: Iterable[Seat]) -> None:
        """Play a turn on the referee's board, and announce the turn to `listeners`, the sides that did not choose it.

        The move that ends a game is not announced, so that no engine can change the result by a fault.
        """
        self._game = AnnotatedGame(self._game.first, (*self._game.moves, turn))
        if not self._game.final.is_over:
            for seat in listeners:
                seat.announce(self._game)
        if self._on_turn:
            self._on_turn(len(self._game.moves) - 1, turn)

    def _check_claims(self) -> None:
        """Ask the engines for the result. A wrong answer causes a remark, but does not change the referee's result."""
        for seat in self._seats.values():
            seat.driver.check_claim(self._game)

    def _record(
        self, winner: Colour | None, ending: Ending, detail: str, margin: int | None = None
    ) -> GameRecord:
        game = self._game
        return GameRecord(self._pairing, game.rules, game.moves, winner, ending, detail, margin)
