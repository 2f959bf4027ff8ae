"""Referees one game. Board, rules, clocks and results are the referee's own; an engine is never trusted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from outflank.engine import PASS, Colour, Game, IllegalMoveError, Move, NotationError, OutflankError, Rules
from outflank.protocol.client import Answer
from outflank.protocol.engine_errors import EngineCrash, EngineError, EngineStartError, EngineTimeout
from outflank.protocol.process import printable
from outflank.tools.games.clock import MARGIN_SECONDS, Clock, seconds_text
from outflank.tools.games.player import Player, UnfitEngineError
from outflank.tools.games.results import Ending, GameRecord, Pairing

STALL_SECONDS = 600.0  # for a move without a clock


class _Loss(Exception):
    """A game ends because one side resigned or committed a fault."""

    def __init__(self, loser: Colour, ending: Ending, detail: str) -> None:
        super().__init__(detail)
        self.loser = loser
        self.ending = ending
        self.detail = detail


class Referee:
    """Referees one game.

    Args:
        pairing: what is to be played.
        players: who sits at which colour.
        rules: by which rules.
        stall: seconds an engine may think about a move if it has no clock.
        on_turn: called with the game after each turn.
    """

    def __init__(
        self,
        pairing: Pairing,
        players: dict[Colour, Player],
        rules: Rules,
        stall: float = STALL_SECONDS,
        on_turn: Callable[[Game], object] | None = None,
    ) -> None:
        self._pairing = pairing
        self._players = players
        self._stall = stall
        self._on_turn = on_turn
        self._game = Game(rules)
        self._clocks = {colour: Clock(player.entry.time) for colour, player in players.items()}
        self._seconds: list[float | None] = []
        self._started = datetime.now(UTC).astimezone().isoformat(timespec="seconds")

    def play(self) -> GameRecord:
        """The whole game, from setting up the board to its result. Who committed a fault is dismissed."""
        try:
            for colour, player in self._players.items():
                with self._blaming(colour):
                    player.new_game()
            opening = iter(self._pairing.opening)
            while not self._game.position.is_over:
                self._take_turn(opening)
        except _Loss as loss:
            if loss.ending.is_fault:
                self._players[loss.loser].dismiss()
            return self._record(loss.loser.other, loss.ending, loss.detail, margin=None)
        final = self._game.position
        return self._record(final.winner(), Ending.DISCS, "", margin=final.score(Colour.BLACK))

    def _take_turn(self, opening: Iterator[Move]) -> None:
        """One turn: a forced pass, a move of the opening, or one that the engine chooses."""
        colour = self._game.position.side
        if self._game.position.must_pass:
            self._make(PASS, None, told=self._players)
        elif (given := next(opening, None)) is not None:
            self._make(given, None, told=self._players)
        else:
            move, seconds = self._ask(colour)
            opponent = colour.other
            self._make(move, seconds, told={opponent: self._players[opponent]})

    def _make(self, move: Move, seconds: float | None, told: dict[Colour, Player]) -> None:
        """Play `move` on the referee's board and announce it to those who did not choose it.

        The move that ends a game is not announced: the result stands, and no engine can spoil it.
        """
        mover = self._game.position.side
        self._game.play(move)
        self._seconds.append(seconds)
        for colour, player in told.items():
            if not self._game.position.is_over:
                with self._blaming(colour):
                    player.announce(mover, move)
        if self._on_turn:
            self._on_turn(self._game)

    def _ask(self, colour: Colour) -> tuple[Move, float]:
        """The move that `colour` chooses, legal and in time, and the seconds it took.

        Raises: _Loss otherwise.
        """
        clock = self._clocks[colour]
        limited = clock.control.is_limited
        longest = clock.allowance + MARGIN_SECONDS if limited else self._stall
        player = self._players[colour]
        with self._blaming(colour):
            player.tell_time_left(colour, clock)
        with self._blaming(colour, late=Ending.TIME if limited else Ending.STALL):
            answer = player.choose(colour, longest)
        if clock.is_overrun_by(answer.seconds):
            took, left = seconds_text(answer.seconds), seconds_text(clock.allowance)
            detail = f"engine {player.name} took {took} s where {left} s were left"
            raise _Loss(colour, Ending.TIME, detail)
        clock.spend(answer.seconds)
        return self._judge(colour, answer), answer.seconds

    def _judge(self, colour: Colour, answer: Answer) -> Move:
        """The move in an answer to ``genmove``.

        Raises: _Loss if there is none, if it is illegal, or if it is a resignation.
        """
        engine, text = f"engine {self._players[colour].name}", printable(answer.text)
        if not answer.ok:
            detail = f"{engine} refused to move: {text or 'no reason given'}"
            raise _Loss(colour, Ending.PROTOCOL_ERROR, detail)
        if text.lower() == "resign":
            raise _Loss(colour, Ending.RESIGNATION, f"{engine} resigned")
        try:
            return self._game.position.parse_move(text)
        except IllegalMoveError as error:
            raise _Loss(colour, Ending.ILLEGAL_MOVE, f"{engine} played {text!r}: {error}") from None
        except NotationError:
            detail = f"{engine}: expected a move as the answer to genmove, got {text!r}"
            raise _Loss(colour, Ending.PROTOCOL_ERROR, detail) from None

    @contextmanager
    def _blaming(self, colour: Colour, late: Ending = Ending.STALL) -> Iterator[None]:
        """Turn what goes wrong with an engine into the loss of `colour`, a missing answer into `late`."""
        try:
            yield
        except (EngineError, UnfitEngineError) as error:
            raise _Loss(colour, _ending_by(error, late), str(error)) from error

    def _record(self, winner: Colour | None, ending: Ending, detail: str, margin: int | None) -> GameRecord:
        return GameRecord(
            pairing=self._pairing,
            rules=self._game.rules,
            turns=self._game.turns,
            seconds=tuple(self._seconds),
            winner=winner,
            ending=ending,
            detail=detail,
            margin=margin,
            started=self._started,
        )


def _ending_by(error: OutflankError, late: Ending) -> Ending:
    """The name of what went wrong."""
    if isinstance(error, EngineTimeout):
        return late
    if isinstance(error, EngineCrash | EngineStartError):
        return Ending.CRASH
    return Ending.PROTOCOL_ERROR
