"""Drives a GTP engine at a board, and settles what the specification leaves open: rules, passes, clocks, reports."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from tempfile import NamedTemporaryFile

from outflank.engine import Colour, Move, Position, Rules
from outflank.protocol.drivers.choice import GENMOVE, Reply, genmove_command, genmove_line, read_reply
from outflank.protocol.drivers.client import GtpClient
from outflank.protocol.drivers.clock import NO_LIMIT, SideClock, TimeControl
from outflank.protocol.drivers.dialect import (
    Dialect,
    EngineCapabilities,
    TimeDialect,
    choose_dialect,
    is_edax,
)
from outflank.protocol.drivers.errors import EngineRefusal, UnfitEngineError
from outflank.protocol.formats import ggf, sgf
from outflank.protocol.formats.annotated import AnnotatedGame

_LOAD = "loadsgf"


@dataclass(slots=True)
class EngineQuirks:
    """How an engine wants to be spoken to, as far as it is known. It stays true when the engine is started again.

    Attributes:
        implicit_passes: whether it refuses the forced passes that are sent to it.
        thinks_aloud: whether it is asked for its evaluation when it chooses a move, if it lists a command for that.
    """

    implicit_passes: bool = False
    thinks_aloud: bool = True


class BoardClient(GtpClient):
    """A GTP engine at a board; see ``EngineClient``. ``prepare`` comes first, ``agree_on_time`` after it."""

    _rules: Rules
    _manners: EngineQuirks
    _remark: Callable[[str], object]
    _genmove = GENMOVE
    _control = NO_LIMIT
    _dialect = TimeDialect()

    def prepare(self, rules: Rules, manners: EngineQuirks, on_remark: Callable[[str], object]) -> None:
        """Shake hands and choose the game.

        Args:
            rules: of the games.
            manners: facts about the engine, kept up to date.
            on_remark: called with a clause when something about the engine is worth a user's notice.

        Raises: EngineError; UnfitEngineError if it has no command for rules with other moves than Othello's.
        """
        self._rules, self._manners, self._remark = rules, manners, on_remark
        self.handshake()
        # Some engines play many games; Quarry chooses so.
        if {"list_games", "set_game"} <= self.commands and "Othello" in self.order("list_games").split():
            self.order("set_game Othello")
        if not rules.has_othello_moves and "outflank-rules" not in self.commands:
            raise UnfitEngineError(
                f"{self.label}: there is no way to set {rules}: it does not list outflank-rules"
            )
        self._genmove = genmove_command(self.commands) if manners.thinks_aloud else GENMOVE

    def agree_on_time(self, control: TimeControl, dialect: Dialect) -> None:
        """Find the commands that set its clock, from now on.

        Raises: EngineError.
        """
        kinds: frozenset[str] = frozenset()
        if "kata-list_time_settings" in self.commands:
            kinds = frozenset(self.order("kata-list_time_settings").split())
        self._control = control
        self._dialect = choose_dialect(control, EngineCapabilities(self.name, self.commands, kinds), dialect)
        if control.is_limited and self._dialect.settings is None:
            self._remark(f"has no command for a time of {control}, but is held to it")

    @property
    def sets_boards_up(self) -> bool:
        """Whether it can begin a game from any board: GTP has a command that loads a game from a file."""
        return _LOAD in self.commands

    def clear(self, first: Position | None = None) -> None:
        """Set up the start of a game and its clock.

        Args:
            first: the position that the game begins with; that of the rules if None.

        Raises: EngineError; UnfitEngineError if it can't be given such a position.
        """
        if first is not None and not self.sets_boards_up:
            raise UnfitEngineError(
                f"{self.label}: there is no way to set a board up: it does not list {_LOAD}"
            )
        dialect = self._dialect
        if dialect.settings and dialect.before_board:
            self._set_time(dialect.settings)
        if "outflank-rules" in self.commands:
            self.order(f"outflank-rules {self._rules}")
        self.order("clear_board")
        if dialect.settings and not dialect.before_board:
            self._set_time(dialect.settings)
        if first is not None:
            self._load(AnnotatedGame(first))

    def _load(self, game: AnnotatedGame) -> None:
        """Have it read a game from a file. Raises: EngineError."""
        # Edax skips the discs that an SGF sets up, without a word. It reads GGF by the same command.
        if is_edax(self.name):
            ending, text = ".ggf", ggf.write(game)
        else:
            ending, text = ".sgf", sgf.write(game)
        with NamedTemporaryFile(suffix=ending) as file:
            file.write(text.encode())
            file.flush()
            self.order(f"{_LOAD} {file.name}")

    def tell_move(self, colour: Colour, move: Move) -> None:
        """Send it a move that it did not choose itself. A forced pass that it refuses is not sent again.

        Raises: EngineError; EngineRefusal if it refuses a disc.
        """
        if move.is_pass and self._manners.implicit_passes:
            return
        try:
            self.order(f"play {colour} {move}")
        except EngineRefusal:
            if not move.is_pass:
                raise
            self._manners.implicit_passes = True
            self._remark("refuses 'play C pass': forced passes are not announced to it (passes=implicit)")

    def begin_turn(self, colour: Colour, clock: SideClock) -> None:
        """Send it the time left on its clock, if it wants to know.

        Raises: EngineError.
        """
        if self._dialect.sends_left:
            self._set_time(self._dialect.time_left(colour, *clock.time_left))

    def choose(self, colour: Colour, seconds: float) -> Reply:
        """Its move, waited for at most `seconds`. A command that it lists and refuses is not sent again.

        Raises: EngineError.
        """
        line = genmove_line(self._genmove, colour)
        reply = read_reply(self.ask(line, seconds, watching=self._genmove != GENMOVE))
        if reply.ok or self._genmove == GENMOVE:
            return reply
        self._remark(f"lists {self._genmove} and refuses it: it is asked for plain moves")
        self._genmove, self._manners.thinks_aloud = GENMOVE, False
        again = self.choose(colour, seconds - reply.seconds)
        return replace(again, seconds=reply.seconds + again.seconds)

    def _set_time(self, command: str) -> None:
        """Send a command about its clock; one that does not want to know is still held to it."""
        if not self.ask(command).ok:
            self._dialect = TimeDialect()
            self._remark(f"refuses {command!r}, but is held to its time of {self._control}")
