"""The dialogue with a person at the terminal: reads moves and commands, prints boards and messages."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from outflank.engine import (
    HIGHEST_LEVEL,
    Colour,
    IllegalMoveError,
    NotationError,
    OutflankError,
    Position,
    SearchInfo,
    SettingsError,
)
from outflank.protocol.formats.annotated import Result, ResultReason
from outflank.protocol.lines import printable
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.protocol.server.movesource import BookInfo
from outflank.tools.archive.table import Explorer
from outflank.tools.live.localgame import GameFiles, LocalGame
from outflank.tools.report.board import board_text, end_text, is_coloured, say
from outflank.tools.report.search import certainty, moves_text, score_text
from outflank.tools.runtime.inputlines import InputLines
from outflank.tools.runtime.progress import live, warn

HELP = f"""\
a move          such as f5 (d3/ne where the rules turn one direction)
hint [N]        the best moves, N of them; 3 if left out
explore         what was played here in the games of --archive
undo, redo      take back your last move with what came after it; play it again
level N         how strong the engine is from now on, 0 to 60
elo N           the engine plays as weakly as people do, {LOWEST_ELO} to {HIGHEST_ELO}; level N ends it
switch          change sides
moves, board    the legal moves; the board
clock           how much time is left
save FILE       as .sgf, .ggf, .txt (transcript), .obf or .wtb (WTHOR)
resign, new     give up; begin again
quit            end; --resume takes a saved file, or else what is printed then"""
_HINTS = 3
_LONGEST = 1000  # characters, which a path may need


class Dialogue:
    """Plays a game with the person at the terminal.

    Args:
        game: the game.
        lines: the person's input.
        files: the files that the game is saved in.
        hints: whether to show the best moves before each move of a person.
        explorer: the archive to look positions up in; None without an archive.
    """

    def __init__(
        self,
        game: LocalGame,
        lines: InputLines,
        files: GameFiles,
        hints: bool,
        explorer: Explorer | None = None,
    ) -> None:
        self._game, self._lines = game, lines
        self._files, self._hints, self._explorer = files, hints, explorer
        self._kept = game.turns  # turns that are already saved
        self._written = self._state()  # the state in the file that is written after every move
        self._shown = False  # whether the board and the last event have been shown
        self._is_left = False  # whether the person has ended the session
        self._words: dict[str, Callable[[str], object]] = {
            "hint": self._hint,
            "explore": self._explore,
            "undo": self._undo,
            "redo": self._redo,
            "level": self._level,
            "elo": self._elo,
            "switch": self._switch,
            "moves": lambda rest: say(moves_text(game.position.legal_moves()) or "none: the game is over"),
            "board": lambda rest: self._board(),
            "clock": lambda rest: say(self._clocks()),
            "save": self._save,
            "resign": self._resign,
            "new": self._new,
            "help": lambda rest: say(HELP),
            "quit": self._quit,
        }
        self._words |= {"?": self._words["help"], "exit": self._quit, "stop": self._quit, "q": self._quit}

    def run(self) -> None:
        """Play until the person quits, the input ends, or the engine's own game is over.

        Raises: OutflankError or OSError for a line that can't be executed; at a terminal the error is shown instead.
        """
        try:
            while True:
                self._show()
                if self._game.result is None and self._game.position.side not in self._game.people:
                    self._engine_moves()
                elif not self._listen():
                    return
        finally:
            try:
                self._keep()
            finally:
                self._say_game()

    def _show(self) -> None:
        """Play a forced pass; show the board where a person is to choose, and the result."""
        game = self._game
        if game.result is None and game.position.must_pass:
            say(f"{self._name(game.position.side)} has no move and passes.")
            game.pass_()
            self._shown = False
        if self._shown or (game.result is None and game.position.side not in game.people):
            return
        self._shown = True
        self._keep()
        self._board()
        if game.result is not None:
            say(self._result())
        elif self._hints:
            self._hint("")

    def _listen(self) -> bool:
        """Read a line and execute it; return False at the end of the session, and after a game without people."""
        game = self._game
        if game.result is not None and not game.people:
            return False
        over = game.result is not None
        prompt = "undo, save FILE, new or quit: " if over else f"{self._name(game.position.side)} to move: "
        began = time.monotonic()
        try:
            line = self._lines.next(prompt, float("inf") if over else game.time_left(game.position.side))
        except TimeoutError:
            game.time_is_up()
            self._shown = False
            return True
        if line is None:
            return False
        try:
            self._obey(line.strip(), time.monotonic() - began)
        except (OutflankError, OSError) as error:
            if not self._lines.is_terminal:
                raise
            warn(str(error))
        return not self._is_left

    def _obey(self, line: str, seconds: float) -> None:
        if len(line) > _LONGEST:
            raise NotationError(f"expected a line of at most {_LONGEST} characters, got {len(line)}")
        word, _, rest = line.partition(" ")
        if word.lower() in self._words:
            self._words[word.lower()](rest.strip())
        elif line:
            self._play(line, seconds)

    def _play(self, text: str, seconds: float) -> None:
        if self._game.result is not None:
            raise IllegalMoveError(f"the game is over, so {text!r} can't be played")
        try:
            self._game.play(text, seconds)
        except NotationError:
            raise NotationError(f"expected a move such as f5, or help, got {text!r}") from None
        self._shown = False

    def _engine_moves(self) -> None:
        side, empties = self._game.position.side, self._game.position.empties
        found: list[SearchInfo] = []

        def because() -> str:
            if not found:
                return ""
            sure = "from the book" if isinstance(found[-1], BookInfo) else certainty(found[-1], empties)
            return f" ({score_text(found[-1].score)}, {sure})"

        with live(lambda: f"Outflank, {self._name(side)}, thinks{because()}"):
            move, seconds = self._game.engine_moves(found.append)
        say(f"Outflank, {self._name(side)}, plays {move}{because()} in {seconds:.1f} s.")
        self._shown = False

    def _hint(self, rest: str) -> None:
        count = _number(rest, "hint", 1, 64) if rest else _HINTS
        position = self._game.position
        if self._game.result is not None:
            raise SettingsError("there is no hint: the game is over")
        info = self._game.hint(count)
        for line in info.lines:
            say(f"hint: {line.move!s:<5} {score_text(line.score):>6}  {moves_text(line.pv)}")
        say(f"      (final discs ahead for {self._name(position.side)}, {certainty(info, position.empties)})")

    def _explore(self, rest: str) -> None:
        if self._explorer is None:
            raise SettingsError("there is no archive to look into: start with --archive FILE")
        for line in self._explorer.text(self._game.position):
            say(line)

    def _undo(self, rest: str) -> None:
        if not self._game.undo():
            raise SettingsError("there is no move of yours to take back")
        self._kept = min(self._kept, self._game.turns - 1)
        self._shown = False

    def _redo(self, rest: str) -> None:
        if not self._game.redo():
            raise SettingsError("no move was taken back, so there is none to play again")
        self._shown = False

    def _level(self, rest: str) -> None:
        session = self._game.session
        level = _number(rest, "level", 0, HIGHEST_LEVEL)
        session.strength = replace(session.strength, level=level, elo=None)
        say(f"The engine plays at level {level}.")

    def _elo(self, rest: str) -> None:
        session = self._game.session
        elo = _number(rest, "elo", LOWEST_ELO, HIGHEST_ELO)
        session.strength = replace(session.strength, elo=elo)
        say(f"The engine plays at Elo {elo}.")

    def _switch(self, rest: str) -> None:
        game = self._game
        game.people = frozenset(colour.other for colour in game.people)
        side = " and ".join(self._name(colour) for colour in Colour if colour in game.people)
        say(f"You play {side}.")
        self._shown = False

    def _save(self, rest: str) -> None:
        if not rest:
            raise SettingsError("save needs the name of a file, such as save game.sgf")
        lost = self._files.save(self._game.record(), Path(rest))
        self._kept = self._game.turns
        say(f"saved: {printable(rest, None)}" + (f" ({lost})" if lost else ""))

    def _resign(self, rest: str) -> None:
        if self._game.result is not None:
            raise SettingsError("the game is over, so nobody can resign")
        self._game.resign()
        self._shown = False

    def _new(self, rest: str) -> None:
        self._keep()
        self._say_game()
        before = self._files.saved
        self._game.new_game()
        self._files.begin_another_game()
        if self._files.saved != before:
            say(f"{before} keeps the last game; this one goes to {self._files.saved}.")
        self._kept, self._shown, self._written = 0, False, self._state()

    def _quit(self, rest: str) -> None:
        self._is_left = True

    def _say_game(self) -> None:
        """Print an unsaved game for ``--resume``; a transcript would lack the board of another start."""
        game = self._game.session.game
        if self._kept >= self._game.turns:
            return
        if game.first == Position.start(game.rules):
            say(f"transcript: {game.transcript()}")
        else:
            say(f"board: {game.position.board_string()}")

    def _keep(self) -> None:
        saved = self._files.saved
        # WTHOR holds finished games.
        if saved is None or (saved.suffix.lower() == ".wtb" and self._game.result is None):
            return
        if self._state() != self._written:
            self._files.save(self._game.record(), saved)
            self._written = self._state()
        self._kept = self._game.turns

    def _state(self) -> tuple[str, Result | None]:
        return self._game.session.game.transcript(), self._game.result

    def _board(self) -> None:
        say()
        turns = self._game.session.game.turns
        last = turns[-1].move if turns else None
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
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds) // 60}:{int(seconds) % 60:02}"
