"""A context manager that starts a GTP engine, plays games with it, analyzes positions, and stops the engine."""

import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from outflank.engine import PASS, Colour, Game, IllegalMoveError, Move, Rules, SettingsError
from outflank.protocol.clock import NO_LIMIT, RunningClock, TimeControl
from outflank.protocol.drivers.command import join_command, split_command
from outflank.protocol.drivers.dialect import Dialect
from outflank.protocol.drivers.driver import CLOSE_SECONDS, Reply
from outflank.protocol.drivers.errors import EngineCrash
from outflank.protocol.drivers.gtp import GtpDriver
from outflank.protocol.drivers.process_driver import REPLY_SECONDS
from outflank.protocol.drivers.reports import MoveReport
from outflank.protocol.drivers.spec import EngineSpec, ProcessSettings
from outflank.protocol.formats.annotated import AnnotatedGame

LONGEST_THOUGHT_SECONDS = 600.0
_COMMAND = re.compile(r"\s*[^\s#\d]")


class GtpEngine:
    """A GTP engine in a child process, and its current game; also a context manager.

    The engine is never trusted: each wait has a deadline, and the engine's moves are checked. After an EngineCrash,
    EngineTimeout or EngineProtocolError, the engine can't be used any more. ``quit`` always ends the process. All
    methods are thread-safe: calls run one after another, and deadlines start when a call begins to run. Only ``quit``
    interrupts the running call.

    Args:
        command: the program and its arguments, as a list or as one text with shell quoting.
        rules: the rules of the games.
        time: the time control in the notation of ``TimeControl.parse``, such as ``0.5``, ``60+1`` or ``60+10/5``.
        dialect: the dialect of the commands that set the engine's clock.
        settings: the folder, environment, processors and memory of the process.
        on_line: the function that is called with a mark and a line: ``">"`` marks a line sent, ``"<"`` a line of an
            answer, ``"!"`` any other line.

    Raises: EngineStartError if the program can't be started; another EngineError if it can't play these games. No
        process is left after an error.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        rules: Rules | None = None,
        time: str | TimeControl = NO_LIMIT,
        dialect: Dialect | str = Dialect.AUTO,
        settings: ProcessSettings | None = None,
        on_line: Callable[[str, str], object] | None = None,
    ) -> None:
        words = split_command(command) if isinstance(command, str) else list(command)
        if not words:
            raise SettingsError(f"expected a command that starts an engine, got {command!r}")
        self._time = TimeControl.parse(time) if isinstance(time, str) else time
        self._rules = rules or Rules()
        self._lock = threading.RLock()
        self._is_ending = False
        spec = EngineSpec(Path(words[0]).name, join_command(words), self._time, dialect=Dialect(dialect))
        self._driver = GtpDriver(
            spec,
            self._rules,
            settings=settings,
            restarts=False,
            on_wait=self._expect_wanted,
            on_line=None if on_line is None else lambda name, direction, line: on_line(direction, line),
        )
        try:
            self.new_game()
        except BaseException:
            self.quit(patience=0)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.quit()

    def __repr__(self) -> str:
        state = "running" if self.is_running else "ended"
        return f"<GtpEngine {self.name} {self.version} ({state})>"

    @property
    def name(self) -> str:
        """The name that the engine reports."""
        return self._driver.own_name

    @property
    def version(self) -> str:
        """The version that the engine reports."""
        return self._driver.version

    @property
    def commands(self) -> frozenset[str]:
        """The GTP commands that the engine lists."""
        return self._driver.commands

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the engine's behaviour, as clauses without the subject."""
        return tuple(remark.removeprefix(f"{self._driver.name} ") for remark in self._driver.remarks)

    @property
    def is_running(self) -> bool:
        """Whether the engine's process is running."""
        return self._driver.is_running

    @property
    def game(self) -> Game:
        """A copy of the current game."""
        return self._game.copy()

    def new_game(self) -> None:
        """Start a game from the start position of the rules, with full clocks. Raises: EngineError."""
        with self._lock:
            self._driver.new_game()
            self._keep(Game(self._rules), full_clocks=True)

    def play(self, move: Move | str | int) -> Move:
        """Play a move for the side to move, and return the move. A forced pass before the move is implied.

        Raises: NotationError or IllegalMoveError, which leave the game unchanged; EngineError if the engine refuses the
            move.
        """
        with self._lock:
            game = self._game.copy()
            made = game.play(move)
            self._go_to(game)
            return made

    def follow(self, game: Game) -> None:
        """Replace the current game with `game`.

        The clocks are kept if `game` continues the current game; otherwise, they are refilled.

        Raises: SettingsError if `game` has another start position or other rules; EngineError.
        """
        with self._lock:
            if game.first != self._game.first:
                raise SettingsError(f"the game begins at {game.first!r}, not at the start of {self._rules}")
            self._go_to(game.copy())

    def undo(self) -> bool:
        """Take back the last move with the pass that it implied, and refill the clocks.

        Returns: False if the game has no move.

        Raises: EngineError.
        """
        with self._lock:
            game = self._game.copy()
            if game.undo():
                self.follow(game)
                return True
            return False

    def genmove(self, seconds: float = LONGEST_THOUGHT_SECONDS) -> Reply:
        """Let the engine choose and play a move for the side to move. A forced pass is played without a request.

        Args:
            seconds: the longest wait if the engine has no clock.

        Raises: IllegalMoveError if the game is over; EngineOutOfTime for a time forfeit; EngineIllegalMove for an
            illegal move; EngineProtocolError if the answer is not a move; EngineRefusal if the engine refuses to move;
            EngineCrash if the engine ends.
        """
        with self._lock:
            position = self._game.position
            if position.is_over:
                raise IllegalMoveError("the game is over")
            if position.must_pass:
                return Reply(str(self.play(PASS)))
            reply = self._driver.decide(AnnotatedGame.of(self._game), self._clocks[position.side], seconds)
            if reply.move is not None:
                self._game.play(reply.move)
            return reply

    def analyse(
        self, seconds: float, on_report: Callable[[tuple[MoveReport, ...]], object] | None = None
    ) -> tuple[MoveReport, ...]:
        """Analyze the position, and return the engine's last report, the best move first; empty without a report.

        Args:
            seconds: the duration of the analysis; some engines report at most ten times a second.
            on_report: the function that gets each report, and returns true to stop the analysis immediately.

        Raises: UnfitEngineError if the engine lists neither kata-analyze nor lz-analyze; other EngineErrors.
        """
        with self._lock:
            self._go_to(self._game)
            return self._driver.analyse(seconds, on_report)

    def send(self, command: str, seconds: float = REPLY_SECONDS) -> str:
        """Send any command and return its answer. Changes that the command makes to the board don't affect ``game``.

        Raises: EngineRefusal if the engine answers with a failure; other EngineErrors.
        """
        with self._lock:
            if not _COMMAND.match(command) or not command.isprintable():
                raise SettingsError(f"expected one line with a command and no id, got {command!r}")
            return self._driver.order(command, seconds)

    def quit(self, patience: float = CLOSE_SECONDS) -> None:
        """Send ``quit``, and stop the engine with its descendants, by force if it still runs after `patience` seconds.

        A call that is running in another thread raises EngineCrash.
        """
        self._is_ending = True
        with self._lock:
            self._driver.close(patience)

    def _go_to(self, game: Game) -> None:
        went_on = self._driver.follow(AnnotatedGame.of(game))
        self._keep(game, full_clocks=not went_on)

    def _keep(self, game: Game, *, full_clocks: bool) -> None:
        self._game = game
        if full_clocks:
            self._clocks = {colour: RunningClock(self._time) for colour in Colour}

    def _expect_wanted(self) -> None:
        if self._is_ending:
            raise EngineCrash(f"{self._driver.label} was ended")
