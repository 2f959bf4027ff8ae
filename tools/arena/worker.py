"""An engine on its author's machine, and the thread in which it answers the questions of a server."""

import threading
import time
from collections.abc import Callable

from outflank.engine import OutflankError, Position, Rules
from outflank.protocol.clock import RunningClock
from outflank.protocol.drivers import EngineSpec, GameSoFar, make_driver
from outflank.protocol.drivers.errors import EngineCrash, EngineStartError, EngineTimeout
from outflank.protocol.drivers.reports import is_thought
from outflank.protocol.formats.annotated import Recorder
from outflank.protocol.lines import printable
from outflank.tools.arena import messages
from outflank.tools.arena.messages import Fault, RequestMessage, write
from outflank.tools.runtime.signals import Stopped

_THOUGHT_SECONDS = 0.2  # between two that are passed on
_BEYOND_SECONDS = 5.0  # after which the server has given up anyway


class EngineWorker:
    """An engine that answers one question after the other, in a thread of its own.

    Attributes:
        game: the key of the game that it plays; 0 for none.
        used: when it was given a question last.

    Args:
        entry: the engine.
        rules: that are played.
        answer: called with the id of a question and the text of its answer.
        think: called with the text of a message about a question that is being answered.
        say: called with sentences for the user.
    """

    def __init__(
        self,
        entry: EngineSpec,
        rules: Rules,
        answer: Callable[[int, str], object],
        think: Callable[[str], object],
        say: Callable[[str], object],
    ) -> None:
        self.game = 0
        self.used = 0.0
        self._entry = entry
        self._rules = rules
        self._answer = answer
        self._pass_on = think
        self._driver = make_driver(entry, rules, on_wait=self._check, on_line=self._hear, on_remark=say)
        self._thought_at = 0.0
        self._changed = threading.Condition()
        self._question: RequestMessage | None = None
        self._working_on = 0
        self._is_dropped = False
        self._is_over = False
        self._thread = threading.Thread(target=self._work, name="engine", daemon=True)

    def open(self) -> str:
        """Start the engine, and return how it calls itself. Raises: EngineError."""
        self._driver.open()
        self._thread.start()
        return self._driver.own_name or self._entry.name

    def is_at(self, number: int) -> bool:
        """Whether it works on this question, or will."""
        with self._changed:
            waiting = self._question
            return self._working_on == number or (waiting is not None and waiting.id == number)

    @property
    def is_busy(self) -> bool:
        """Whether it has a question that it has not answered."""
        with self._changed:
            return self._working_on != 0 or self._question is not None

    def give(self, question: RequestMessage) -> None:
        """Have it answer a question, and nothing that it was asked before."""
        with self._changed:
            self._question = question
            self.game, self.used = question.game, time.monotonic()
            self._changed.notify()

    def drop(self) -> None:
        """Have it give up: nobody waits for its answer."""
        with self._changed:
            self._question, self.game = None, 0
            self._is_dropped = True

    def close(self) -> None:
        """End the engine."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        if self._thread.ident is not None:
            self._thread.join()
        self._driver.close(0.4)

    def _check(self) -> None:
        with self._changed:
            if self._is_over or self._is_dropped or self._question is not None:
                raise Stopped

    def _hear(self, name: str, direction: str, line: str) -> None:
        if direction == "<" and is_thought(line) and self._working_on:
            now = time.monotonic()
            if now - self._thought_at >= _THOUGHT_SECONDS:
                self._thought_at = now
                self._pass_on(write(messages.ThoughtMessage(id=self._working_on, line=printable(line, 900))))

    def _work(self) -> None:
        while True:
            with self._changed:
                self._working_on = 0
                while self._question is None and not self._is_over:
                    self._changed.wait()
                if self._is_over:
                    return
                question, self._question = self._question, None
                assert question is not None, "that was waited for"
                self._working_on, self._is_dropped = question.id, False
            try:
                reply = self._reply(question)
                self._working_on = 0  # the next question may come before ``_answer`` returns
                self._answer(question.id, reply)
            except Stopped:
                self._driver.dismiss()

    def _reply(self, question: RequestMessage) -> str:
        try:
            if isinstance(question, messages.NewMessage):
                self._driver.new_game()
                return write(messages.ReadyMessage(id=question.id))
            return self._think(question)
        except OutflankError as error:
            self._driver.dismiss()
            fault: Fault = "protocol error"
            if isinstance(error, EngineTimeout):
                fault = "stall"
            elif isinstance(error, EngineCrash | EngineStartError):
                fault = "crash"
            return write(
                messages.FailedMessage(id=question.id, fault=fault, reason=printable(str(error), 900))
            )

    def _think(self, question: messages.ThinkMessage) -> str:
        recorder = Recorder(Position.start(self._rules))
        for move, seconds in zip(question.moves, question.seconds, strict=False):
            recorder.play(move, seconds=seconds)
        clock = RunningClock(self._entry.time)
        clock.set_left(question.left or 0.0, question.left_moves)
        self._driver.follow(GameSoFar.of(recorder.first, recorder.moves), clock)
        reply = self._driver.choose(question.wait + _BEYOND_SECONDS)
        if not reply.ok:
            reason = f"refused to move: {printable(reply.text)}"
            return write(messages.FailedMessage(id=question.id, fault="protocol error", reason=reason))
        move = printable(reply.text, 20).lower()
        return write(messages.MoveMessage(id=question.id, move=move, score=reply.score, book=reply.from_book))
