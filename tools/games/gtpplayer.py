"""An engine at the board that speaks GTP: what it is sent and asked."""

from functools import cached_property

from outflank.engine import Colour, Move, Position
from outflank.protocol.lines import printable
from outflank.protocol.opponent.boardclient import BoardClient, Manners
from outflank.protocol.opponent.choice import Choice
from outflank.protocol.opponent.clock import Clock
from outflank.protocol.opponent.errors import EngineError, EngineRefusal
from outflank.tools.games.answers import is_true_claim
from outflank.tools.games.engine_setup import command_line, prepare, surroundings
from outflank.tools.games.player import Player

_CLAIM_SECONDS = 1.0  # for a command after the end of the game


class GtpPlayer(Player[BoardClient]):
    """An engine that speaks GTP; see ``Player``."""

    _claims_truly = True

    @cached_property
    def manners(self) -> Manners:
        """How it wants to be spoken to, which outlives its process."""
        return Manners(thinks_aloud=self.entry.analysis)

    def announce(self, colour: Colour, move: Move, seconds: float | None) -> None:
        """Send it a move that it did not choose itself.

        Raises: EngineError; EngineRefusal if it refuses a disc.
        """
        self._running.tell_move(colour, move)

    def begin_turn(self, colour: Colour, clock: Clock) -> None:
        """Send it its clock, if it wants to know.

        Raises: EngineError.
        """
        self._running.tell_time(colour, *clock.time_left)

    def choose(self, colour: Colour, seconds: float) -> Choice:
        """See ``Player``.

        Raises: EngineError.
        """
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

    def _start(self) -> None:
        self._client = client = BoardClient(
            command_line(self.entry),
            f"engine {self.name}",
            surroundings=surroundings(self.entry),
            on_wait=self._on_wait,
            on_line=self._pass_on_line,
        )
        client.prepare(self._rules, self.manners, self.remark)
        prepare(client, self.entry)

    def _greet(self, client: BoardClient) -> None:
        client.order("boardsize 8")

    def _set_up(self) -> None:
        self._running.clear()
