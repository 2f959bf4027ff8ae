"""An engine at the board: its process, and what it is sent and asked."""

from collections.abc import Callable
from dataclasses import replace

from outflank.engine import Colour, Move, Position, Rules
from outflank.protocol.opponent.client import GtpClient
from outflank.protocol.opponent.errors import EngineCrash, EngineError, EngineRefusal
from outflank.tools.games.answers import (
    GENMOVE,
    Choice,
    genmove_command,
    genmove_line,
    is_true_claim,
    read_choice,
)
from outflank.tools.games.clock import Clock
from outflank.tools.games.dialect import TimeDialect
from outflank.tools.games.engine_setup import command_line, prepare, surroundings
from outflank.tools.games.entries import Entry

_FAULT_PATIENCE_SECONDS = 0.25  # an engine that has failed gets a short farewell
_CLAIM_SECONDS = 1.0  # for a command after the end of the game


class Player:
    """An engine that is entered for a match; started when first needed and again after a fault.

    Args:
        entry: how it is called and started.
        rules: what will be played.
        on_wait: called often while it is waited for; may raise to give up.
        on_line: called with the engine's name, a direction and a line, as ``GtpClient`` has them.
        on_remark: called with a sentence when something about the engine is worth a user's notice.
    """

    def __init__(
        self,
        entry: Entry,
        rules: Rules,
        *,
        on_wait: Callable[[], object] | None = None,
        on_line: Callable[[str, str, str], object] | None = None,
        on_remark: Callable[[str], object] | None = None,
    ) -> None:
        self.entry = entry
        self.implicit_passes = False
        self.remarks: list[str] = []
        self._rules = rules
        self._on_wait = on_wait
        self._on_line = on_line
        self._on_remark = on_remark
        self._client: GtpClient | None = None
        self._dialect = TimeDialect()
        self._genmove = GENMOVE
        self._thinks_aloud = entry.analysis
        self._claims_truly = True

    @property
    def name(self) -> str:
        """How tables and records call it."""
        return self.entry.name

    @property
    def cpu_seconds(self) -> float:
        """Processor time that its processes have used so far; 0 if there is none."""
        return self._client.cpu_seconds if self._client else 0.0

    @property
    def waited_seconds(self) -> float:
        """Time for which one of its processes was ready to run and had no processor; 0 if there is none."""
        return self._client.waited_seconds if self._client else 0.0

    def make_ready(self) -> GtpClient:
        """The running engine, started if there is none.

        Raises: EngineError.
        """
        if self._client is None:
            self._start()
        return self._running

    def new_game(self) -> None:
        """Set up the start of a game: board, rules, clock. Only here a missing engine is started.

        Raises: EngineError.
        """
        if self.entry.restart:
            self.stop()
        self._begin()
        client, dialect = self._running, self._dialect
        if dialect.settings and dialect.before_board:
            self._set_time(dialect.settings)
        if "outflank-rules" in client.commands:
            client.order(f"outflank-rules {self._rules}")
        client.order("clear_board")
        if dialect.settings and not dialect.before_board:
            self._set_time(dialect.settings)

    def announce(self, colour: Colour, move: Move) -> None:
        """Send it a move that it did not choose itself. A forced pass that it refuses is not sent again.

        Raises: EngineError; EngineRefusal if it refuses a disc.
        """
        if move.is_pass and self.implicit_passes:
            return
        try:
            self._running.order(f"play {colour} {move}")
        except EngineRefusal:
            if not move.is_pass:
                raise
            self.implicit_passes = True
            self.remark("refuses 'play C pass': forced passes are not announced to it (passes=implicit)")

    def send_time_left(self, colour: Colour, clock: Clock) -> None:
        """Send it its clock, if it wants to know.

        Raises: EngineError.
        """
        if self._dialect.sends_left:
            self._set_time(self._dialect.time_left(colour, *clock.time_left))

    def choose(self, colour: Colour, seconds: float) -> Choice:
        """Its move, waited for at most `seconds`, and what it thinks of the position if it says so.

        Raises: EngineError.
        """
        line = genmove_line(self._genmove, colour)
        choice = read_choice(self._running.ask(line, seconds, watching=self._genmove != GENMOVE))
        if choice.ok or self._genmove == GENMOVE:
            return choice
        self.remark(f"lists {self._genmove} and refuses it: it is asked for plain moves")
        self._genmove, self._thinks_aloud = GENMOVE, False
        again = self.choose(colour, seconds - choice.seconds)
        return replace(again, seconds=choice.seconds + again.seconds)

    def check_claim(self, mover: Colour, last: Move, final: Position, *, knows_last: bool) -> None:
        """Compare the score that it claims with the board, once the result stands: it can spoil nothing.

        Args:
            mover: who made the last move.
            last: that move.
            final: what it led to.
            knows_last: whether it chose that move itself.
        """
        if self._client is None or not self._claims_truly or "final_score" not in self._client.commands:
            return
        try:
            if not knows_last:
                self._client.order(f"play {mover} {last}", _CLAIM_SECONDS)
            claim = self._client.order("final_score", _CLAIM_SECONDS)
        except EngineRefusal:
            return  # no answer is no claim
        except EngineError as error:
            self.remark(f"fails when a game is over: {error}")
            self.dismiss()
            return
        if not is_true_claim(claim, final):
            self._claims_truly = False
            self.remark(f"claims a false score: {claim!r} for {final.board_string()}")

    def dismiss(self) -> None:
        """End the process after a fault; the next game starts it again."""
        self.stop(_FAULT_PATIENCE_SECONDS)

    def stop(self, patience: float = 1.0) -> None:
        """End the process, if there is one."""
        if self._client is not None:
            client, self._client = self._client, None
            client.close(patience)

    def remark(self, what: str) -> None:
        """Note `what` about the engine, once."""
        sentence = f"{self.name} {what}"
        if sentence not in self.remarks:
            self.remarks.append(sentence)
            if self._on_remark:
                self._on_remark(sentence)

    def _begin(self) -> None:
        """Send the first command of a game.

        A process kept from an earlier game may have ended since, or be just about to; nothing has been played
        yet, so that is no fault of this game, and a new one gets its chance.
        """
        kept = self._client is not None
        try:
            self.make_ready().order("boardsize 8")
        except EngineCrash:
            if not kept:
                raise
            self.remark("ended between two games and was started again")
            self.stop()
            self.make_ready().order("boardsize 8")

    @property
    def _running(self) -> GtpClient:
        assert self._client is not None, "new_game comes first"
        return self._client

    def _start(self) -> None:
        self._client = client = GtpClient(
            command_line(self.entry),
            f"engine {self.name}",
            surroundings=surroundings(self.entry),
            on_wait=self._on_wait,
            on_line=self._pass_on_line,
        )
        self._dialect = prepare(client, self.entry, self._rules, self.remark)
        self._genmove = genmove_command(client.commands) if self._thinks_aloud else GENMOVE

    def _set_time(self, command: str) -> None:
        """Send a command about its clock; one that does not want to know is still held to it."""
        answer = self._running.ask(command)
        if not answer.ok:
            self._dialect = TimeDialect()
            self.remark(f"refuses {command!r}, but is held to its time of {self.entry.time}")

    def _pass_on_line(self, direction: str, line: str) -> None:
        if self._on_line:
            self._on_line(self.name, direction, line)
