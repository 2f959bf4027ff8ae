"""One game on the server: the record from the server's messages, and the engine that plays the game.

The record is used only in the event loop that reads the connection. An engine chooses each move in a thread. The engine
gets the whole game, so any engine process can continue the game, even after a loss of the connection.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace

from outflank.engine import PASS, Colour, IllegalMoveError, NotationError, OutflankError, Position
from outflank.protocol.clock import RunningClock, TimeControl
from outflank.protocol.drivers import Driver, Reply
from outflank.protocol.formats.annotated import (
    WHOLE_BOARD,
    AnnotatedGame,
    AnnotatedMove,
    Recorder,
    Result,
    ResultReason,
    for_black,
)
from outflank.protocol.formats.clocks import ggf_text
from outflank.tools.ggs.messages import Board, GgsMove, MatchEnded
from outflank.tools.runtime.signals import Stopped

# The part of the time left on our clock that the engine does not get; at most a tenth of the time left.
RESERVE_SECONDS = 2.0
_SHORTEST_SECONDS = 0.1
_SLICE_SECONDS = 0.2
# The server's default time control, used to start an engine before the first game.
USUAL_TIME = TimeControl(main=900.0)
_PLACE = "GGS/os"
_PASSES = ("pa", "ps", "pass")  # the spellings of a pass


class GgsRecord:
    """The record of a game, built from the server's messages.

    Attributes:
        id: the id of the game on the server: ``.5``, or ``.5.0`` and ``.5.1`` in a synchro match.
        colour: our colour.
        heard_at: the monotonic time when the current position arrived.
        ran_out: True if a clock has run out.

    Args:
        board: the message with the whole game.
        user: our login name.

    Raises: NotationError or IllegalMoveError if the message is invalid.
    """

    def __init__(self, board: Board, id: str, user: str) -> None:
        self.id = id
        self._user = user
        self.ran_out = False
        self._date = str(int(time.time()))
        self._controls = board.controls
        self._recorder = Recorder(board.first)
        ours = [colour for colour, side in board.sides.items() if side.name == user]
        if len(ours) != 1:
            raise NotationError(f"{user} does not play exactly one of the colours")
        self.colour = ours[0]
        for turn in board.turns:
            self._play(turn)
        self._note(board)

    def update(self, board: Board) -> bool:
        """Add the last move of a message, and return whether the move is new.

        Raises: NotationError or IllegalMoveError if the message is invalid. The moves of the record then don't change.
        """
        if not board.turns:
            return False
        turn, before = board.turns[-1], self.moves
        if turn[0] == len(self.moves) and board.position == self.position:
            return False
        try:
            self._play(turn)
            self._note(board)
        except (NotationError, IllegalMoveError):
            again = Recorder(self.first)
            for made in before:
                again.play(made.move, made.colour, seconds=made.seconds, score=made.score)
            self._recorder = again
            raise
        return True

    def says_the_same(self, other: "GgsRecord") -> bool:
        """Return whether another record has the same starting position, the same moves and the same colour for us."""
        return (self.colour, self.first, self.moves) == (other.colour, other.first, other.moves)

    @property
    def first(self) -> Position:
        """The starting position of the game."""
        return self._recorder.first

    @property
    def moves(self) -> tuple[AnnotatedMove, ...]:
        """All moves so far, passes included."""
        return self._recorder.moves

    @property
    def position(self) -> Position:
        """The current position."""
        return self.moves[-1].after if self.moves else self.first

    @property
    def is_our_turn(self) -> bool:
        """Whether the server waits for our move."""
        return not self.position.is_over and self.position.side is self.colour

    @property
    def question(self) -> tuple[AnnotatedGame, TimeControl, TimeControl, float]:
        """The game so far, our time control and current clock, and the monotonic time when our turn began."""
        ours, clock = self._controls[self.colour], self._sides[self.colour].clock
        control = TimeControl(float(max(1, ours.main)), float(ours.increment))
        return AnnotatedGame(self.first, self.moves), control, clock, self.heard_at

    def annotated(self, over: MatchEnded | None) -> AnnotatedGame:
        """Return the game for a game file.

        Args:
            over: the message about the end of the game; None if the game was interrupted.
        """
        black, white = self._sides[Colour.BLACK], self._sides[Colour.WHITE]
        clocks = {ggf_text(control) for control in self._controls.values()}
        game = AnnotatedGame(
            self.first,
            self.moves,
            black=black.name,
            white=white.name,
            black_rating=black.rating,
            white_rating=white.rating,
            place=_PLACE,
            date=self._date,
            clock=clocks.pop() if len(clocks) == 1 else "",
        )
        margin = over.margin if over else None
        if over is None or margin is None:
            return game
        return replace(game, result=self._result(margin if over.first == black.name else -margin))

    def _result(self, margin: float) -> Result | None:
        """Return the result with this margin for Black; None if the final board already shows the margin."""
        outcome = self.position.outcome()
        if outcome is not None and outcome.margin_of(Colour.BLACK) == margin:
            return None
        winner = None if margin == 0 else (Colour.BLACK if margin > 0 else Colour.WHITE)
        ending = ResultReason.AGREEMENT
        if self.ran_out:
            ending = ResultReason.TIME
        elif abs(margin) == WHOLE_BOARD:
            ending = ResultReason.RESIGNATION
        return Result(winner, round(margin), ending)

    def _play(self, turn: GgsMove) -> None:
        position = self.position
        number, text, score, seconds = turn
        if number != len(self.moves) + 1:
            raise NotationError(f"expected move {len(self.moves) + 1}, got move {number}")
        move = PASS if text.lower() in _PASSES else text
        if move is PASS and not position.must_pass:
            raise NotationError(f"move {number}, a pass, is not legal")
        if move is not PASS and position.must_pass:
            raise NotationError(f"move {number}, {text}: {position.side} has to pass")
        self._recorder.play(move, position.side, seconds=seconds, score=for_black(score, position.side))

    def _note(self, board: Board) -> None:
        if not self.position.is_over and board.position != self.position:
            raise NotationError(f"the moves do not lead to the board after move {len(self.moves)}")
        if board.sides[self.colour].name != self._user:
            raise NotationError(f"{self._user} no longer plays {self.colour}")
        self._sides = board.sides
        self.heard_at = time.monotonic()


def answer(
    driver: Driver,
    game: AnnotatedGame,
    control: TimeControl,
    clock: TimeControl,
    arose: float,
    dropped: threading.Event,
) -> Reply | None:
    """Return the engine's move or resignation. The engine may use our time, except for a reserve, and the extension.

    Args:
        driver: the engine.
        game: the game so far.
        control: the game's time control.
        clock: our clock at the time `arose`.
        arose: the monotonic time when our turn began.
        dropped: the event that cancels the search; any thread may set it. The result is then None.

    Raises: EngineError if the engine fails; it is then started again for the next move.
    """

    def check() -> None:
        if dropped.is_set():
            raise Stopped

    driver.on_wait = check
    try:
        driver.set_options(replace(driver.spec, time=control))
        driver.follow(game)
        left = clock.main - (time.monotonic() - arose)
        left = max(left - min(RESERVE_SECONDS, left / 10), _SHORTEST_SECONDS)
        own = replace(control, main=left, extension=clock.extension)
        return driver.decide(game, RunningClock(own, driver.spec.grace_seconds))
    except Stopped:
        driver.dismiss()
        return None
    except Exception:
        driver.dismiss()
        raise


class GgsGame:
    """A game, and the engine that plays it from our first move to the end. Only one event loop may use it.

    Attributes:
        record: the record of the game.
        doubts: the number of disagreements with the server since the last accepted move.
        is_doubted: True if we have asked the server for the whole game, from which a new record will be built.
        is_over: True if the game is closed, so that no more moves are chosen.

    Args:
        record: the record of the game.
        idle: the queue of engines without a game.
        threads: the executor in which engines work.
        say: the function that shows a message to the user.
    """

    def __init__(
        self, record: GgsRecord, idle: asyncio.Queue[Driver], threads: Executor, say: Callable[[str], object]
    ) -> None:
        self.record = record
        self.doubts = 0
        self.is_doubted = False
        self.is_over = False
        self._idle = idle
        self._threads = threads
        self._say = say
        self._driver: Driver | None = None
        self._task: asyncio.Task[None] | None = None
        self._dropped = threading.Event()

    def think(self, on_reply: Callable[[Reply | None], object]) -> asyncio.Task[None]:
        """Start to choose our move, and return the task. An earlier search is cancelled.

        Args:
            on_reply: the function that is called with the answer, or with None if the engine failed. It is not called
                after ``drop``.
        """
        self.drop()
        self._dropped = threading.Event()
        self._task = asyncio.create_task(self._choose(self._dropped, self._task, on_reply))
        return self._task

    def drop(self) -> None:
        """Cancel the current search, since its answer is not needed any more."""
        self._dropped.set()

    def close(self) -> None:
        """Choose no more moves, and release the engine when its search has stopped."""
        self.is_over = True
        self.drop()
        if self._task is None or self._task.done():
            self._release()

    async def _choose(
        self,
        dropped: threading.Event,
        before: "asyncio.Task[None] | None",
        on_reply: Callable[[Reply | None], object],
    ) -> None:
        if before is not None:
            await asyncio.wait([before])
        while self._driver is None and not dropped.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(_SLICE_SECONDS):
                    self._driver = await self._idle.get()
        if self._driver is not None and not dropped.is_set():
            reply = await self._ask(self._driver, dropped)
            if not dropped.is_set():
                on_reply(reply)
        if self.is_over:
            self._release()

    async def _ask(self, driver: Driver, dropped: threading.Event) -> Reply | None:
        loop, question = asyncio.get_running_loop(), self.record.question
        for further in ("the engine is restarted", "the game is resigned"):
            try:
                return await loop.run_in_executor(self._threads, answer, driver, *question, dropped)
            except (OutflankError, OSError) as error:
                self._say(f"game {self.record.id}: {error}; {further}")
        return None

    def _release(self) -> None:
        if self._driver is not None:
            self._idle.put_nowait(self._driver)
            self._driver = None
