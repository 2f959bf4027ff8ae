"""An engine at the board: its process, and the dialect it speaks about rules, passes and time."""

from collections.abc import Callable

from outflank.engine import Colour, Move, OutflankError, Rules
from outflank.protocol.client import Answer, GtpClient
from outflank.protocol.engine_errors import EngineCrash, EngineRefusal
from outflank.tools.games.clock import Clock
from outflank.tools.games.dialect import TimeDialect, choose_dialect
from outflank.tools.games.entries import Entry

_FAULT_PATIENCE_SECONDS = 0.25  # an engine that has failed gets a short farewell


class UnfitEngineError(OutflankError):
    """An engine that works, but can't play the games it is entered for."""


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

    @property
    def name(self) -> str:
        """How tables and records call it."""
        return self.entry.name

    def make_ready(self) -> GtpClient:
        """The running engine, started if there is none.

        Raises: EngineStartError, EngineCrash, EngineTimeout, EngineProtocolError, EngineRefusal,
            UnfitEngineError.
        """
        if self._client is None:
            self._start()
        return self._running

    def new_game(self) -> None:
        """Set up the start of a game: board, rules, clock. Only here a missing engine is started.

        Raises: as ``make_ready``.
        """
        self._begin()
        client = self._running
        if "outflank-rules" in client.commands:
            client.order(f"outflank-rules {self._rules}")
        client.order("clear_board")
        if self._dialect.settings:
            self._tell_time(self._dialect.settings)

    def announce(self, colour: Colour, move: Move) -> None:
        """Tell it a move that it did not choose itself. A forced pass that it refuses is not told again.

        Raises: EngineCrash, EngineTimeout, EngineProtocolError; EngineRefusal if it refuses a disc.
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

    def tell_time_left(self, colour: Colour, clock: Clock) -> None:
        """Tell it its clock, if it wants to know.

        Raises: EngineCrash, EngineTimeout, EngineProtocolError.
        """
        if self._dialect.tells_left:
            self._tell_time(self._dialect.time_left(colour, *clock.time_left))

    def choose(self, colour: Colour, seconds: float) -> Answer:
        """Its answer to ``genmove``, waited for at most `seconds`.

        Raises: EngineCrash, EngineTimeout, EngineProtocolError.
        """
        return self._running.ask(f"genmove {colour}", seconds)

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
        self._client = GtpClient(
            self.entry.command(),
            f"engine {self.name}",
            on_wait=self._on_wait,
            on_line=self._pass_on_line,
        )
        self._client.handshake()
        self._choose_game()
        self._check_rules()
        self._dialect = self._choose_dialect()

    def _choose_game(self) -> None:
        """Engines of many games are told which one, as Quarry does it."""
        client = self._running
        if {"list_games", "set_game"} <= client.commands and "Othello" in client.order("list_games").split():
            client.order("set_game Othello")

    def _check_rules(self) -> None:
        """Raise UnfitEngineError if the engine can't be told rules other than Othello's moves."""
        ours, othello = self._rules, Rules()
        same_moves = (ours.start, ours.begins, ours.turns) == (othello.start, othello.begins, othello.turns)
        if not same_moves and "outflank-rules" not in self._running.commands:
            raise UnfitEngineError(
                f"engine {self.name}: expected it to list outflank-rules, or it can't be told to play {ours}"
            )

    def _choose_dialect(self) -> TimeDialect:
        control, client = self.entry.time, self._running
        kinds: frozenset[str] = frozenset()
        if "kata-list_time_settings" in client.commands:
            kinds = frozenset(client.order("kata-list_time_settings").split())
        dialect = choose_dialect(control, client.commands, kinds)
        if control.is_limited and dialect.settings is None:
            self.remark(f"can't be told its time of {control}, but is held to it")
        return dialect

    def _tell_time(self, command: str) -> None:
        """Tell it about its clock; one that does not want to know is still held to it."""
        answer = self._running.ask(command)
        if not answer.ok:
            self._dialect = TimeDialect()
            self.remark(f"refuses {command!r}, but is held to its time of {self.entry.time}")

    def _pass_on_line(self, direction: str, line: str) -> None:
        if self._on_line:
            self._on_line(self.name, direction, line)
