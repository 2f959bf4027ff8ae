"""A GTP engine for programs: it is started, plays a game with us, analyzes, and is gone when the block is left."""

import functools
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec, Self, TypeVar

from outflank.engine import PASS, Colour, Game, IllegalMoveError, Move, Rules, SettingsError
from outflank.protocol.clock import NO_LIMIT, RunningClock, TimeControl
from outflank.protocol.drivers.command import join_command, split_command
from outflank.protocol.drivers.dialect import Dialect
from outflank.protocol.drivers.driver import CLOSE_SECONDS, REPLY_SECONDS, Reply
from outflank.protocol.drivers.errors import EngineCrash
from outflank.protocol.drivers.gtp import GtpDriver
from outflank.protocol.drivers.reports import MoveReport
from outflank.protocol.drivers.spec import EngineSpec, ProcessSettings
from outflank.protocol.formats.annotated import AnnotatedGame

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
LONGEST_THOUGHT_SECONDS = 600.0
_COMMAND = re.compile(r"\s*[^\s#\d]")


def _alone(
    method: Callable[Concatenate["GtpEngine", Arguments], Result],
) -> Callable[Concatenate["GtpEngine", Arguments], Result]:
    @functools.wraps(method)
    def locked(engine: "GtpEngine", /, *arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        with engine._lock:
            return method(engine, *arguments, **named)

    return locked


class GtpEngine:
    """A GTP engine in a child process, and the game that is played with it; also a context manager.

    It is never trusted: each wait has a deadline, and its moves are checked. After an EngineCrash, EngineTimeout or
    EngineProtocolError it is of no use any more; ``quit`` ends it whatever it does. Any thread may use it: what others
    ask meanwhile waits for its turn, and its deadline begins then; only ``quit`` does not wait.

    Args:
        command: program and arguments, or one text with a shell's quotes.
        rules: the rules of its games.
        time: the time control, as ``TimeControl.parse`` reads it: ``0.5``, ``60+1``, ``60+10/5``.
        dialect: the commands that set its clock.
        surroundings: the folder, environment, processors and memory of the process.
        on_line: called with ``">"`` and each line sent, ``"<"`` and each line of an answer, ``"!"`` and every other.

    Raises: EngineStartError, or another EngineError if it is no engine that can play this; no process is left then.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        rules: Rules | None = None,
        time: str | TimeControl = NO_LIMIT,
        dialect: Dialect | str = Dialect.AUTO,
        surroundings: ProcessSettings | None = None,
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
            settings=surroundings,
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
        """The engine's own name."""
        return self._driver.own_name

    @property
    def version(self) -> str:
        """Its version, in its own words."""
        return self._driver.version

    @property
    def commands(self) -> frozenset[str]:
        """The GTP commands that it lists."""
        return self._driver.commands

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on the commands that it understands, a clause each."""
        return tuple(remark.removeprefix(f"{self._driver.name} ") for remark in self._driver.remarks)

    @property
    def is_running(self) -> bool:
        """Whether its process has not ended."""
        return self._driver.is_running

    @property
    def game(self) -> Game:
        """A copy of the game that is being played with it."""
        return self._game.copy()

    @_alone
    def new_game(self) -> None:
        """Begin a game from the start of the rules, with full clocks. Raises: EngineError."""
        self._driver.new_game()
        self._keep(Game(self._rules), full_clocks=True)

    @_alone
    def play(self, move: Move | str | int) -> Move:
        """Make a move for the side to move, and return it. A pass that comes before it is implied.

        Raises: NotationError, IllegalMoveError: nothing has changed then. EngineError if it does not take the move.
        """
        game = self._game.copy()
        made = game.play(move)
        self._go_to(game)
        return made

    @_alone
    def follow(self, game: Game) -> None:
        """Go to where another game stands, forwards by its moves or else from the start; clocks are full then.

        Raises: SettingsError if it began elsewhere or by other rules; EngineError.
        """
        if game.first != self._game.first:
            raise SettingsError(f"the game begins at {game.first!r}, not at the start of {self._rules}")
        self._go_to(game.copy())

    @_alone
    def undo(self) -> bool:
        """Take the last move back, with a pass that it implied; False if there is none. Clocks are full then.

        Raises: EngineError.
        """
        game = self._game.copy()
        if game.undo():
            self.follow(game)
            return True
        return False

    @_alone
    def genmove(self, seconds: float = LONGEST_THOUGHT_SECONDS) -> Reply:
        """Let it move for the side to move. Where only a pass is legal, the pass is made without asking it.

        Args:
            seconds: the longest wait if the engine has no clock.

        Raises: IllegalMoveError if the game is over; EngineOutOfTime if it takes longer than it has; EngineIllegalMove;
            EngineProtocolError if its answer is no move; EngineRefusal; EngineCrash.
        """
        position = self._game.position
        if position.is_over:
            raise IllegalMoveError("the game is over")
        if position.must_pass:
            return Reply(str(self.play(PASS)))
        reply = self._driver.decide(AnnotatedGame.of(self._game), self._clocks[position.side], seconds)
        if reply.move is not None:
            self._game.play(reply.move)
        return reply

    @_alone
    def analyse(
        self, seconds: float, on_report: Callable[[tuple[MoveReport, ...]], object] | None = None
    ) -> tuple[MoveReport, ...]:
        """Let it analyze, and return its last reports on the moves, the best first; empty if it has reported nothing.

        Args:
            seconds: the length of the analysis; some engines report at most ten times a second.
            on_report: called with each report; a true answer ends the analysis at once.

        Raises: UnfitEngineError if it lists neither kata-analyze nor lz-analyze; other EngineErrors.
        """
        self._go_to(self._game)
        return self._driver.analyse(seconds, on_report)

    @_alone
    def send(self, command: str, seconds: float = REPLY_SECONDS) -> str:
        """Send any command and return its answer. What it changes on the engine's board is not seen by ``game``.

        Raises: EngineRefusal if it is answered with a failure; other EngineErrors.
        """
        if not _COMMAND.match(command) or not command.isprintable():
            raise SettingsError(f"expected one line with a command and no id, got {command!r}")
        return self._driver.order(command, seconds)

    def quit(self, patience: float = CLOSE_SECONDS) -> None:
        """Say ``quit``, and end it with all that it has started, after `patience` seconds by force.

        What another thread asks of it at that moment raises EngineCrash.
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
