"""The dialogue with a person at the terminal, which reads moves and commands and prints boards and messages."""

import math
import time
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from outflank.engine import (
    DEFAULT_LEVEL,
    HIGHEST_LEVEL,
    Colour,
    IllegalMoveError,
    Move,
    NotationError,
    OutflankError,
    Position,
    SearchInfo,
    SettingsError,
    limit_for_level,
)
from outflank.engine.evaluation import weights
from outflank.protocol.clock import TimeControl
from outflank.protocol.formats.annotated import AnnotatedGame, AnnotatedMove, Result, ResultReason
from outflank.protocol.lines import printable
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.protocol.server.movesource import BookInfo
from outflank.protocol.server.session import Session
from outflank.tools.archive.table import Explorer
from outflank.tools.live.drivers import OwnEngine, Person
from outflank.tools.live.files import GameFiles
from outflank.tools.live.game import LiveGame
from outflank.tools.report.board import board_text, end_text, is_coloured, say
from outflank.tools.report.search import certainty, moves_text, score_text
from outflank.tools.runtime.inputlines import InputLines
from outflank.tools.runtime.progress import counted, live, warn
from outflank.tools.runtime.signals import Stopped

HELP = f"""\
a move          such as f5 (d3/ne if a move turns discs in only one direction)
hint [N]        the N best moves; 3 by default (also h, eval)
explore         what was played here in the games of --archive
undo, redo      take back your last move and all later ones (also takeback, back); play them again
level N         set the engine's strength from now on, 0 to 60
elo N           the engine plays as weakly as people do, at Elo {LOWEST_ELO} to {HIGHEST_ELO}; level N cancels this
switch          change sides
moves, board    the legal moves; the board
clock           how much time is left
save FILE       as .sgf, .ggf, .txt (transcript), .obf or .wtb (WTHOR)
pause           stop the clocks until the next line
resign, new     give up; begin again
quit            stop; --resume continues from a saved file, or from the text printed at the end"""
_HINTS = 3
_HINT_LEVEL = 16  # the lowest level for the search of a hint; the default of three moves takes about a second
_LONGEST = 1000  # the longest input line, in characters; a line may contain a path


class Dialogue:
    """Plays a game with the person at the terminal.

    Args:
        record: the game to start or continue.
        session: the engine.
        people: the colours of human players.
        control: the time control of each side.
        name: the person's name in the game record.
        lines: the person's input.
        files: the files that the game is saved in.
        hints: True to show the best moves before each move of a person.
        explorer: the archive for the command ``explore``; None without an archive.

    Raises: FileFormatError if the format of the autosave file can't store the game.
    """

    def __init__(
        self,
        record: AnnotatedGame,
        session: Session,
        people: Collection[Colour],
        control: TimeControl,
        name: str,
        lines: InputLines,
        files: GameFiles,
        hints: bool,
        explorer: Explorer | None = None,
    ) -> None:
        person = Person(name, record.rules, control, self._ask)
        engine = OwnEngine(session, control, self._think)
        players = {colour: person if colour in people else engine for colour in Colour}
        self._game = LiveGame(record, players, on_turn=self._note)
        self._session, self._lines = session, lines
        self._files, self._hints, self._explorer = files, hints, explorer
        files.expect_held(self._game.record())
        self._reasons = ""  # the score and certainty of the engine's last move, in parentheses
        self._kept = len(self._game.turns)  # the number of turns that a file already contains
        self._written = self._state()  # the state last written to the autosave file
        self._shown = False  # whether the board and the last event have been shown
        self._is_left = False  # whether the person has quit, or the input has ended
        self._words: dict[str, Callable[[str], object]] = {
            "hint": self._hint,
            "explore": self._explore,
            "undo": self._undo,
            "redo": lambda rest: self._game.redo(),
            "level": self._level,
            "elo": self._elo,
            "switch": self._switch,
            "moves": lambda rest: say(
                moves_text(self._game.position.legal_moves()) or "none: the game is over"
            ),
            "board": lambda rest: self._board(),
            "clock": lambda rest: say(self._clocks()),
            "pause": self._pause,
            "save": self._save,
            "resign": lambda rest: self._game.resign(),
            "new": self._new,
            "help": lambda rest: say(HELP),
            "quit": self._quit,
        }
        others = {"?": "help", "exit": "quit", "stop": "quit", "q": "quit", "h": "hint", "eval": "hint"}
        others |= {"takeback": "undo", "back": "undo", "u": "undo", "b": "board", "m": "moves"}
        self._words |= {word: self._words[meant] for word, meant in others.items()}

    def run(self) -> None:
        """Play until the person quits, the input ends, or a game without human players is over.

        Raises: OutflankError or OSError if a command fails; if the input is a terminal, the error is printed instead.
        """
        say(self._heading())
        try:
            while not self._is_left:
                if self._game.result is None:
                    self._game.play_on()
                    self._shown = self._shown and self._game.result is None
                if self._game.result is not None:
                    self._show()
                    if not self._game.people:
                        return
                    self._listen("undo, save FILE, new or quit: ", math.inf)
        finally:
            try:
                self._keep()
            finally:
                self._say_game()

    def _heading(self) -> str:
        strength = self._session.strength
        words = (
            None if strength.elo is None else f"Elo {strength.elo}",
            None if strength.level is None else f"level {strength.level}",
            None if strength.depth is None else counted(strength.depth, "ply", "plies"),
            None if strength.seconds is None else f"{strength.seconds:g} s a move",
            None if not self._game.control.is_limited else f"clock {self._game.control}",
        )
        limits = ", ".join(filter(None, words)) or f"level {DEFAULT_LEVEL}"
        return f"outflank {weights.version()}, {self._game.first.rules}, {limits}; help lists the commands"

    def _ask(self, seconds: float) -> str:
        """Return the person's move. Raises: TimeoutError after `seconds`; Stopped if a command interrupts the game."""
        deadline = time.monotonic() + seconds
        self._show()
        while True:
            move = self._listen(f"{self._name(self._game.position.side)} to move: ", deadline)
            if move is not None:
                return str(move)
            if self._is_left or self._game.thinking is None:
                raise Stopped

    def _think(self, side: Colour) -> tuple[Move, float | None]:
        """Return the engine's move and its score, if any. Show the progress of the search."""
        empties = self._game.position.empties
        found: list[SearchInfo] = []

        def because() -> str:
            if not found:
                return ""
            sure = "from the book" if isinstance(found[-1], BookInfo) else certainty(found[-1], empties)
            return f" ({score_text(found[-1].score)}, {sure})"

        with live(lambda: f"Outflank, {self._name(side)}, thinks{because()}"):
            move = self._session.choose(side, found.append)
        self._reasons = because()
        return move, found[-1].score if found else None

    def _note(self, turn: AnnotatedMove) -> None:
        """Announce a pass of either side, or a move of the engine."""
        self._shown = False
        if turn.move.is_pass:
            say(f"{self._name(turn.colour)} has no move and passes.")
        elif turn.colour not in self._game.people:
            name, seconds = self._name(turn.colour), turn.seconds or 0.0
            say(f"Outflank, {name}, plays {turn.move}{self._reasons} in {seconds:.1f} s.")

    def _show(self) -> None:
        """Show the board, and the result if the game is over."""
        if self._shown:
            return
        self._shown = True
        self._keep()
        self._board()
        if self._game.result is not None:
            say(self._result())
        elif self._hints:
            self._hint("")

    def _listen(self, prompt: str, deadline: float) -> Move | None:
        """Read a line. Return the move if the line is a move; otherwise execute a command. Raises: TimeoutError."""
        line = self._lines.next(prompt, deadline - time.monotonic())
        if line is None:
            self._is_left = True
            return None
        turns, result = list(self._game.turns), self._game.result
        try:
            return self._obey(line.strip())
        except (OutflankError, OSError) as error:
            if not self._lines.is_terminal:
                raise
            warn(str(error))
            return None
        finally:
            if (turns, result) != (self._game.turns, self._game.result):
                self._shown = False

    def _obey(self, line: str) -> Move | None:
        if len(line) > _LONGEST:
            raise NotationError(f"expected a line of at most {_LONGEST} characters, got {len(line)}")
        word, _, rest = line.partition(" ")
        if word.lower() in self._words:
            self._words[word.lower()](rest.strip())
        elif line:
            return self._move(line)
        return None

    def _move(self, text: str) -> Move:
        if self._game.result is not None:
            raise IllegalMoveError(f"the game is over, so {text!r} can't be played")
        try:
            return self._game.position.parse_move(text)
        except NotationError:
            several = " (one move a line)" if " " in text else ""
            raise NotationError(f"expected a move such as f5, or help, got {text!r}{several}") from None

    def _hint(self, rest: str) -> None:
        count = _number(rest, "hint", 1, 64) if rest else _HINTS
        position = self._game.position
        if self._game.result is not None:
            raise SettingsError("there is no hint: the game is over")
        level = max(self._session.strength.level or 0, _HINT_LEVEL)
        info = self._session.searcher.search(
            position, limit_for_level(level, position.empties), multipv=count
        )
        for line in info.lines:
            say(f"hint: {line.move!s:<5} {score_text(line.score):>6}  {moves_text(line.pv)}")
        say(f"      (final discs ahead for {self._name(position.side)}, {certainty(info, position.empties)})")

    def _explore(self, rest: str) -> None:
        if self._explorer is None:
            raise SettingsError("there is no archive to explore: start with --archive FILE")
        for line in self._explorer.text(self._game.position):
            say(line)

    def _undo(self, rest: str) -> None:
        self._game.take_back()
        self._kept = min(self._kept, len(self._game.turns) - 1)

    def _level(self, rest: str) -> None:
        level = _number(rest, "level", 0, HIGHEST_LEVEL)
        self._session.strength = replace(self._session.strength, level=level, elo=None)
        say(f"The engine plays at level {level}.")

    def _elo(self, rest: str) -> None:
        elo = _number(rest, "elo", LOWEST_ELO, HIGHEST_ELO)
        self._session.strength = replace(self._session.strength, elo=elo)
        say(f"The engine plays at Elo {elo}.")

    def _switch(self, rest: str) -> None:
        self._game.swap_sides()
        say(f"You play {' and '.join(map(self._name, self._game.people))}.")
        self._shown = False

    def _pause(self, rest: str) -> None:
        self._game.interrupt()
        say("The clocks are stopped until the next line, which may be empty.")
        if self._lines.next("paused: ", math.inf) is None:
            self._is_left = True

    def _save(self, rest: str) -> None:
        if not rest:
            raise SettingsError("save needs a file name, such as save game.sgf")
        lost = self._files.save(self._game.record(), Path(rest))
        self._kept = len(self._game.turns)
        say(f"saved: {printable(rest, None)}" + (f" ({lost})" if lost else ""))

    def _new(self, rest: str) -> None:
        self._keep()
        self._say_game()
        before = self._files.saved
        self._game.new_game()
        self._files.begin_another_game()
        if self._files.saved != before:
            say(f"{before} keeps the last game; this one is saved in {self._files.saved}.")
        self._kept, self._written = 0, self._state()
        self._shown = False

    def _quit(self, rest: str) -> None:
        self._is_left = True

    def _say_game(self) -> None:
        """Print an unsaved game for ``--resume``: its transcript, or its last board if the first was not standard."""
        if self._kept >= len(self._game.turns):
            return
        game = self._game.record().game()
        if game.first == Position.start(game.rules):
            say(f"transcript: {game.transcript()}")
        else:
            say(f"board: {game.position.board_string()}")

    def _keep(self) -> None:
        saved = self._files.saved
        # A WTHOR file can contain only finished games.
        if saved is None or (saved.suffix.lower() == ".wtb" and self._game.result is None):
            return
        if self._state() != self._written:
            self._files.save(self._game.record(), saved)
            self._written = self._state()
        self._kept = len(self._game.turns)

    def _state(self) -> tuple[list[Move], Result | None]:
        return [turn.move for turn in self._game.turns], self._game.result

    def _board(self) -> None:
        say()
        last = self._game.turns[-1].move if self._game.turns else None
        say(board_text(self._game.position, last=last, coloured=is_coloured()))
        if self._game.control.is_limited:
            say(self._clocks())

    def _clocks(self) -> str:
        if not self._game.control.is_limited:
            return "no clock"
        left = (f"{self._name(colour)} {_time_text(self._game.time_left(colour))}" for colour in Colour)
        return "clock: " + ", ".join(left)

    def _result(self) -> str:
        result, position = self._game.result, self._game.position
        assert result is not None
        if result.ending is not ResultReason.DISCS:
            assert result.winner is not None
            how = "by resignation" if result.ending is ResultReason.RESIGNATION else "on time"
            return f"{self._name(result.winner)} wins {how}."
        return end_text(position)

    def _name(self, colour: Colour) -> str:
        return self._game.position.rules.colour_name(colour)


def _number(text: str, word: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text[:9]) <= most:
        raise NotationError(f"expected {word} and a number from {least} to {most}, got {text!r}")
    return int(text)


def _time_text(seconds: float) -> str:
    minutes, whole = divmod(round(seconds), 60)
    return f"{minutes}:{whole:02}" if minutes else f"{seconds:.1f} s"
