"""An engine at the board: its process, driven by GTP, by NBoard's protocol or by UCI."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, Generic, TypeVar

from outflank.engine import Colour, IllegalMoveError, Move, NotationError, Position, Rules
from outflank.protocol.drivers.boardclient import BoardClient, EngineQuirks
from outflank.protocol.drivers.choice import Reply
from outflank.protocol.drivers.clock import SideClock
from outflank.protocol.drivers.engineclient import EngineClient
from outflank.protocol.drivers.errors import EngineCrash, EngineError, EngineRefusal, UnfitEngineError
from outflank.protocol.drivers.nboardclient import NBoardClient
from outflank.protocol.drivers.reports import possible_score
from outflank.protocol.drivers.spec import EngineSpec, Protocol
from outflank.protocol.drivers.uciclient import UciClient, position_line
from outflank.protocol.formats import ggf
from outflank.protocol.formats.annotated import AnnotatedGame, Recorder
from outflank.protocol.lines import printable
from outflank.tools.match.game.results import is_true_claim
from outflank.tools.match.game.setup import (
    change_uci_options,
    clock_text,
    command_line,
    instructions,
    nboard_instructions,
    prepare,
    prepare_nboard,
    prepare_uci,
    surroundings,
    uci_limits,
)

_MOST_STRAY_BYTES = 1 << 20  # in a game
_LONGEST_REMARK = 1_000  # characters; some quote what the engine said
_FAULT_PATIENCE_SECONDS = 0.25  # an engine that has failed gets a short farewell
Client = TypeVar("Client", bound=EngineClient)


class Player(ABC, Generic[Client]):
    """An engine in a match; started when first needed and again after a fault.

    Args:
        entry: its name, command and settings.
        rules: of the games.
        on_wait: called often while it is waited for; may raise to give up.
        on_line: called with the engine's name, a direction and a line, as ``EngineClient`` has them.
        on_remark: called with a sentence when something about the engine is worth a user's notice.
    """

    _client_type: type[Client]

    def __init__(
        self,
        entry: EngineSpec,
        rules: Rules,
        *,
        on_wait: Callable[[], object] | None = None,
        on_line: Callable[[str, str, str], object] | None = None,
        on_remark: Callable[[str], object] | None = None,
    ) -> None:
        self.entry = entry
        self.remarks: list[str] = []
        self._rules = rules
        self._on_wait = on_wait
        self._on_line = on_line
        self._on_remark = on_remark
        self._client: Client | None = None
        self._last_identity = ""
        self._rambles = False
        self._told: EngineSpec | None = None  # as the running engine knows it, if that has changed

    @property
    def name(self) -> str:
        """Its name in tables and records."""
        return self.entry.name

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"engine {self.name}"

    @property
    def identity(self) -> str:
        """Name and version in the engine's own words, also after its process has ended; empty if it never said them."""
        return (self._client.identity if self._client else "") or self._last_identity

    @property
    def cpu_seconds(self) -> float:
        """Processor time that its processes have used so far; 0 if there is none."""
        return self._client.cpu_seconds if self._client else 0.0

    @property
    def waits(self) -> dict[int, float]:
        """For how many seconds each of its threads was ready to run and had no processor; empty if there is none."""
        return self._client.waits if self._client else {}

    def make_ready(self) -> Client:
        """The running engine, started if there is none. Raises: EngineError."""
        if self._client is None:
            self._start()
        return self._running

    @property
    def sets_boards_up(self) -> bool:
        """Whether the running engine can begin a game from any board."""
        return True

    def change_options(self, entry: EngineSpec) -> None:
        """Play from the next game on as this entry, which differs in its options and its time alone.

        A process is kept where it can be told of them; where they stand in its command, the next game starts another.
        """
        if entry == self.entry:
            return
        if command_line(entry) != command_line(self.entry):
            self.stop()
        elif self._client is not None:
            self._told = self._told or self.entry
        self.entry = entry

    def new_game(self, first: Position | None = None) -> float:
        """Set up the start of a game, and return the seconds it took. Only here a missing engine is started.

        Args:
            first: the position that it begins with; that of the rules if None.

        Raises: EngineError; UnfitEngineError if the engine can't be given such a position.
        """
        if self.entry.restart:
            self.stop()
        kept = self._client is not None
        try:
            self._greet_and_tell()
        except EngineCrash:
            # A process kept from an earlier game may have ended since, or be just about to; nothing has been played
            # yet, so that is no fault of this game, and a new one gets its chance.
            if not kept:
                raise
            self.remark("ended between two games and was started again")
            self.stop()
            self._greet_and_tell()
        self._running.stray_bytes = 0
        began = time.monotonic()
        self._set_up(first)
        return time.monotonic() - began

    def _greet_and_tell(self) -> None:
        """What comes first in a game, and options that have changed since the last one.

        Raises: EngineError.
        """
        client = self.make_ready()
        if self._told is not None:
            self._tell_options(client, self._told)
            self._told = None
        self._greet(client)

    def note_strays(self) -> None:
        """Remark on an engine that has written very much without being asked."""
        if self._client is None or self._client.stray_bytes <= _MOST_STRAY_BYTES or self._rambles:
            return
        self._rambles = True
        written = self._client.stray_bytes / 1e6
        self.remark(
            f"writes much that answers nothing, {written:.1f} MB in one game: reading it slows the match"
        )

    @abstractmethod
    def announce(self, colour: Colour, move: Move, seconds: float | None) -> None:
        """Send it a move that it did not choose itself.

        Args:
            colour: who made it.
            move: the move.
            seconds: of the move; None if it was given.

        Raises: EngineError.
        """

    @abstractmethod
    def begin_turn(self, colour: Colour, clock: SideClock) -> None:
        """Send it the facts it needs before it thinks: its clock, if there is a way. Raises: EngineError."""

    @abstractmethod
    def choose(self, colour: Colour, seconds: float) -> Reply:
        """Its move, waited for at most `seconds`, and its evaluation of the position if it reports one.

        Raises: EngineError.
        """

    @abstractmethod
    def check_claim(self, mover: Colour, last: Move, final: Position, *, knows_last: bool) -> None:
        """Compare the score that it claims with the board, after the result: the claim changes nothing.

        Args:
            mover: who made the last move.
            last: that move.
            final: the position after it.
            knows_last: whether it chose that move itself.
        """

    def dismiss(self) -> None:
        """End the process after a fault; the next game starts it again."""
        self.stop(_FAULT_PATIENCE_SECONDS)

    def stop(self, patience: float = 1.0) -> None:
        """End the process, if there is one."""
        self._told = None
        if self._client is not None:
            self._last_identity = self.identity
            client, self._client = self._client, None
            client.close(patience)

    def remark(self, what: str) -> None:
        """Note `what` about the engine, once."""
        sentence = printable(f"{self.name} {what}", _LONGEST_REMARK)
        if sentence not in self.remarks:
            self.remarks.append(sentence)
            if self._on_remark:
                self._on_remark(sentence)

    @property
    def _running(self) -> Client:
        assert self._client is not None, "new_game comes first"
        return self._client

    def _start(self) -> None:
        """Start the process and make it ready; ``_client`` is set as soon as there is one, so that it can be ended."""
        self._client = self._client_type(
            command_line(self.entry),
            self.label,
            surroundings=surroundings(self.entry),
            on_wait=self._on_wait,
            on_line=self._pass_on_line,
        )
        self._prepare(self._client)

    @abstractmethod
    def _prepare(self, client: Client) -> None:
        """Make a process ready that was just started."""

    @abstractmethod
    def _tell_options(self, client: Client, before: EngineSpec) -> None:
        """Give it the options that differ from those before.

        Raises: EngineError.
        """

    @abstractmethod
    def _greet(self, client: Client) -> None:
        """Send what comes first in a game, and wait until it is done."""

    @abstractmethod
    def _set_up(self, first: Position | None) -> None:
        """Set up the board and the clock."""

    def _pass_on_line(self, direction: str, line: str) -> None:
        if self._on_line:
            self._on_line(self.name, direction, line)


_CLAIM_SECONDS = 1.0  # for a command after the end of the game


class GtpPlayer(Player[BoardClient]):
    """An engine that speaks GTP; see ``Player``."""

    _client_type = BoardClient
    _claims_truly = True

    @property
    def sets_boards_up(self) -> bool:
        """Whether it lists the command that loads a game from a file."""
        return self._running.sets_boards_up

    @cached_property
    def manners(self) -> EngineQuirks:
        """The commands that it understands; they outlive its process."""
        return EngineQuirks(thinks_aloud=self.entry.analysis)

    def announce(self, colour: Colour, move: Move, seconds: float | None) -> None:
        """Send it a move that it did not choose itself.

        Raises: EngineError; EngineRefusal if it refuses a disc.
        """
        self._running.tell_move(colour, move)

    def begin_turn(self, colour: Colour, clock: SideClock) -> None:
        """Send it its clock, if it wants to know. Raises: EngineError."""
        self._running.begin_turn(colour, clock)

    def choose(self, colour: Colour, seconds: float) -> Reply:
        """See ``Player``. Raises: EngineError."""
        return self._running.choose(colour, seconds)

    def check_claim(self, mover: Colour, last: Move, final: Position, *, knows_last: bool) -> None:
        """See ``Player``."""
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
            self.remark(f"claims a false score: {printable(claim)!r} for {final.board_string()}")

    def _prepare(self, client: BoardClient) -> None:
        client.prepare(self._rules, self.manners, self.remark)
        prepare(client, self.entry)

    def _tell_options(self, client: BoardClient, before: EngineSpec) -> None:
        old = instructions(before, client.commands)
        for command in instructions(self.entry, client.commands):
            if command not in old:
                client.order(command)
        if (before.time, before.dialect) != (self.entry.time, self.entry.dialect):
            client.agree_on_time(self.entry.time, self.entry.dialect)

    def _greet(self, client: BoardClient) -> None:
        client.order("boardsize 8")

    def _set_up(self, first: Position | None) -> None:
        self._running.clear(first)


_OPPONENT = "opponent"


class NBoardPlayer(Player[NBoardClient]):
    """An engine that speaks NBoard's protocol; see ``Player``."""

    _client_type = NBoardClient
    _recorder: Recorder

    def announce(self, colour: Colour, move: Move, seconds: float | None) -> None:
        """Note a move: it is sent with the next question."""
        self._recorder.play(move, seconds=seconds)

    def begin_turn(self, colour: Colour, clock: SideClock) -> None:
        """Send it the game so far, with the clock in it, and wait until it has read that.

        Raises: EngineError.
        """
        client = self._running
        client.tell(f"set game {self._record(colour)}")
        client.synchronise()

    def choose(self, colour: Colour, seconds: float) -> Reply:
        """See ``Player``. Raises: EngineError."""
        reply = self._running.go(seconds)
        with suppress(NotationError, IllegalMoveError):  # the referee will say so
            self._recorder.play(reply.text, seconds=reply.seconds)
        if not self.entry.analysis:
            return Reply(reply.text, reply.seconds)
        return replace(reply, score=possible_score(reply.score))

    def check_claim(self, mover: Colour, last: Move, final: Position, *, knows_last: bool) -> None:
        """Nothing: the protocol has no question about a result."""

    def _prepare(self, client: NBoardClient) -> None:
        prepare_nboard(client, self.entry, self._rules, self.remark)

    def _tell_options(self, client: NBoardClient, before: EngineSpec) -> None:
        old = nboard_instructions(before)
        for line in nboard_instructions(self.entry):
            if line not in old:
                client.tell(line)

    def _greet(self, client: NBoardClient) -> None:
        client.synchronise()

    def _set_up(self, first: Position | None) -> None:
        self._recorder = Recorder(first or Position.start(self._rules))

    def _record(self, colour: Colour) -> str:
        """The game so far as one line of GGF."""
        names = {colour: self.name, colour.other: _OPPONENT}
        game = AnnotatedGame(
            self._recorder.first,
            self._recorder.moves,
            black=names[Colour.BLACK],
            white=names[Colour.WHITE],
            clock=clock_text(self.entry.time),
        )
        return ggf.write(game).strip()


class UciPlayer(Player[UciClient]):
    """An engine that speaks UCI; see ``Player``."""

    _client_type = UciClient
    _position: Position
    _limits: str

    def announce(self, colour: Colour, move: Move, seconds: float | None) -> None:
        """Note a move: the board that it leads to is sent with the next question."""
        self._position = self._position.play(move)

    def begin_turn(self, colour: Colour, clock: SideClock) -> None:
        """Send it the board, and wait until it has read that.

        Raises: EngineError.
        """
        self._running.tell(position_line(self._position))
        self._running.synchronise()
        self._limits = uci_limits(self.entry, clock)

    def choose(self, colour: Colour, seconds: float) -> Reply:
        """See ``Player``.

        Raises: EngineError.
        """
        reply = self._running.go(self._limits, seconds)
        with suppress(NotationError, IllegalMoveError):  # the referee will say so
            self._position = self._position.play(reply.text)
        return reply if self.entry.analysis else replace(reply, score=None)

    def check_claim(self, mover: Colour, last: Move, final: Position, *, knows_last: bool) -> None:
        """Nothing: the protocol has no question about a result."""

    def _prepare(self, client: UciClient) -> None:
        prepare_uci(client, self.entry, self._rules, self.remark)

    def _tell_options(self, client: UciClient, before: EngineSpec) -> None:
        change_uci_options(client, self.entry, before)

    def _greet(self, client: UciClient) -> None:
        client.tell("ucinewgame")
        client.synchronise()

    def _set_up(self, first: Position | None) -> None:
        self._position = first or Position.start(self._rules)


_PLAYERS: dict[Protocol, type[Player[Any]]] = {
    Protocol.GTP: GtpPlayer,
    Protocol.NBOARD: NBoardPlayer,
    Protocol.UCI: UciPlayer,
}


def make_player(entry: EngineSpec, rules: Rules, **callbacks: Any) -> Player[Any]:
    """The player of an entry; the callbacks are those of ``Player``.

    Raises: UnfitEngineError if it lies on another machine.
    """
    if entry.protocol not in _PLAYERS:
        raise UnfitEngineError(
            f"engine {entry.name} plays from elsewhere: only outflank serve can play with it"
        )
    return _PLAYERS[entry.protocol](entry, rules, **callbacks)


MakePlayer = Callable[..., Player[Any]]
"""What is called as ``make_player``."""
