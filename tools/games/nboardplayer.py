"""An engine at the board that speaks NBoard's protocol: it gets the whole game before each of its moves."""

from contextlib import suppress

from outflank.engine import Colour, Game, IllegalMoveError, Move, NotationError, Position
from outflank.protocol.formats import ggf
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove
from outflank.protocol.opponent.choice import Choice
from outflank.protocol.opponent.clock import Clock
from outflank.protocol.opponent.nboardclient import NBoardClient
from outflank.protocol.opponent.reports import possible_score
from outflank.tools.games.engine_setup import command_line, surroundings
from outflank.tools.games.nboard_setup import clock_text, prepare
from outflank.tools.games.player import Player

_OPPONENT = "opponent"


class NBoardPlayer(Player[NBoardClient]):
    """An engine that speaks NBoard's protocol; see ``Player``."""

    _game: Game
    _seconds: list[float | None]  # of each turn

    def announce(self, colour: Colour, move: Move, seconds: float | None) -> None:
        """Note a move: it is sent with the next question."""
        self._note(move, seconds)

    def begin_turn(self, colour: Colour, clock: Clock) -> None:
        """Send it the game so far, with the clock in it, and wait until it has read that.

        Raises: EngineError.
        """
        client = self._running
        client.tell(f"set game {self._record(colour)}")
        client.synchronise()

    def choose(self, colour: Colour, seconds: float) -> Choice:
        """See ``Player``.

        Raises: EngineError.
        """
        chosen = self._running.go(seconds)
        with suppress(NotationError, IllegalMoveError):  # the referee will say so
            self._note(Move.parse(chosen.text), chosen.seconds)
        if not self.entry.analysis:
            return Choice(True, chosen.text, chosen.seconds)
        return Choice(True, chosen.text, chosen.seconds, possible_score(chosen.score), chosen.from_book)

    def check_claim(self, mover: Colour, last: Move, final: Position, *, knows_last: bool) -> None:
        """Nothing: the protocol has no question about a result."""

    def _start(self) -> None:
        self._client = client = NBoardClient(
            command_line(self.entry),
            f"engine {self.name}",
            surroundings=surroundings(self.entry),
            on_wait=self._on_wait,
            on_line=self._pass_on_line,
        )
        prepare(client, self.entry, self._rules, self.remark)

    def _greet(self, client: NBoardClient) -> None:
        client.synchronise()

    def _set_up(self) -> None:
        self._game, self._seconds = Game(self._rules), []

    def _note(self, move: Move, seconds: float | None) -> None:
        """Play a turn on our board. Raises: IllegalMoveError."""
        self._game.play(self._game.position.parse_move(str(move)))
        self._seconds.append(seconds)

    def _record(self, colour: Colour) -> str:
        """The game so far as one line of GGF."""
        turns = zip(self._game.turns, self._seconds, strict=True)
        names = {colour: self.name, colour.other: _OPPONENT}
        game = AnnotatedGame(
            self._game.first,
            tuple(AnnotatedMove(turn.before, turn.move, seconds=seconds) for turn, seconds in turns),
            black=names[Colour.BLACK],
            white=names[Colour.WHITE],
            clock=clock_text(self.entry.time),
        )
        return ggf.write(game).strip()
