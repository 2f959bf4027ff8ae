"""An engine at the board that speaks GTP: what it is sent and asked."""

from collections.abc import Callable
from dataclasses import replace

from outflank.engine import Colour, Move, Position, Rules
from outflank.protocol.opponent.client import GtpClient
from outflank.protocol.opponent.errors import EngineError, EngineRefusal
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
from outflank.tools.games.player import Player

_CLAIM_SECONDS = 1.0  # for a command after the end of the game


class GtpPlayer(Player[GtpClient]):
    """An engine that speaks GTP; see ``Player``."""

    def __init__(
        self,
        entry: Entry,
        rules: Rules,
        *,
        on_wait: Callable[[], object] | None = None,
        on_line: Callable[[str, str, str], object] | None = None,
        on_remark: Callable[[str], object] | None = None,
    ) -> None:
        super().__init__(entry, rules, on_wait=on_wait, on_line=on_line, on_remark=on_remark)
        self.implicit_passes = False
        self._dialect = TimeDialect()
        self._genmove = GENMOVE
        self._thinks_aloud = entry.analysis
        self._claims_truly = True

    def announce(self, colour: Colour, move: Move, seconds: float | None) -> None:
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

    def begin_turn(self, colour: Colour, clock: Clock) -> None:
        """Send it its clock, if it wants to know.

        Raises: EngineError.
        """
        if self._dialect.sends_left:
            self._set_time(self._dialect.time_left(colour, *clock.time_left))

    def choose(self, colour: Colour, seconds: float) -> Choice:
        """See ``Player``. A command that it lists and refuses is not sent again.

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
            self.remark(f"claims a false score: {claim!r} for {final.board_string()}")

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

    def _greet(self, client: GtpClient) -> None:
        client.order("boardsize 8")

    def _set_up(self) -> None:
        client, dialect = self._running, self._dialect
        if dialect.settings and dialect.before_board:
            self._set_time(dialect.settings)
        if "outflank-rules" in client.commands:
            client.order(f"outflank-rules {self._rules}")
        client.order("clear_board")
        if dialect.settings and not dialect.before_board:
            self._set_time(dialect.settings)

    def _set_time(self, command: str) -> None:
        """Send a command about its clock; one that does not want to know is still held to it."""
        answer = self._running.ask(command)
        if not answer.ok:
            self._dialect = TimeDialect()
            self.remark(f"refuses {command!r}, but is held to its time of {self.entry.time}")
