"""A game between people, the engine, or both: its moves, its clocks, and its files."""

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from outflank.engine import (
    PASS,
    Colour,
    Move,
    Position,
    SearchInfo,
    SettingsError,
    limit_for_level,
)
from outflank.protocol.clock import TimeControl
from outflank.protocol.formats.annotated import (
    PROGRAM,
    AnnotatedGame,
    AnnotatedMove,
    Result,
    ResultReason,
    for_black,
)
from outflank.protocol.formats.clocks import clock_text, day_of
from outflank.protocol.server.session import Session
from outflank.tools.report.gamefiles import expect_held, format_of, game_writer, written_files

_HINT_LEVEL = 16  # a second or so for three moves


class LocalGame:
    """A game between people, the engine, or both.

    Args:
        session: the engine, which also holds the game.
        record: the game to start or continue.
        people: the colours that people play.
        control: the time control of each side.
        name: the person's name in the record.

    Attributes:
        people: the colours that people play.
        control: the time control of each side.
    """

    def __init__(
        self,
        session: Session,
        record: AnnotatedGame,
        people: frozenset[Colour],
        control: TimeControl,
        name: str,
    ) -> None:
        self.people = people
        self.session = session
        self.control, self._name = control, name
        self._begin(record)

    def _begin(self, record: AnnotatedGame) -> None:
        self._record = record
        self._played = list(record.moves)  # including moves taken back, which may be redone
        self._ended: Result | None = None
        self.session.resume(record.game())
        self.session.set_time(self.control)

    @property
    def position(self) -> Position:
        """The current position."""
        return self.session.position

    @property
    def turns(self) -> int:
        """The number of turns played."""
        return len(self.session.game)

    @property
    def result(self) -> Result | None:
        """The result; None while the game continues."""
        if self._ended is not None:
            return self._ended
        outcome = self.position.outcome()
        return None if outcome is None else Result(outcome.winner, outcome.margin_of(Colour.BLACK))

    def time_left(self, colour: Colour) -> float:
        """Return the seconds that the next move of a side may take; infinite without a clock."""
        return self.session.clocks[colour].allowance

    def play(self, text: str, seconds: float) -> None:
        """Play for the side to move, which took `seconds`; a person whose time has run out loses.

        Raises: NotationError or IllegalMoveError.
        """
        move = self.position.parse_move(text)
        if self._charge(self.position.side, seconds):
            self._play(move, seconds)

    def pass_(self) -> None:
        """Play the pass that the rules force."""
        self._play(PASS)

    def engine_moves(self, on_info: Callable[[SearchInfo], object]) -> tuple[Move, float]:
        """Let the engine play, and return its move and the seconds that it took.

        Args:
            on_info: called with each new search result or book entry.
        """
        side, scores = self.position.side, list[float]()

        def note(info: SearchInfo) -> None:
            scores.append(info.score)
            on_info(info)

        began = time.monotonic()
        move = self.session.choose(side, note)
        seconds = time.monotonic() - began
        if self._charge(side, seconds):
            self._play(move, seconds, scores[-1] if scores else None)
        return move, seconds

    def hint(self, count: int) -> SearchInfo:
        """Return the best moves for the side to move, at level 16 or the engine's level if that is higher."""
        level = max(self.session.strength.level or 0, _HINT_LEVEL)
        limit = limit_for_level(level, self.position.empties)
        return self.session.searcher.search(self.position, limit, multipv=count)

    def undo(self) -> bool:
        """Take back the last move of a person, and all after it; return False if there is none."""
        turns = self.session.game.turns
        own = [
            number
            for number, turn in enumerate(turns)
            if not turn.move.is_pass and (turn.colour in self.people or not self.people)
        ]
        if not own:
            return False
        self._ended = None
        self.session.undo(len(turns) - own[-1])
        return True

    def redo(self) -> bool:
        """Replay moves that were taken back, up to the next choice of a person; return False if there are none."""
        if not self.session.game.redo():
            return False
        while not self._is_choice_of_person() and self.session.game.redo():
            pass
        return True

    def resign(self) -> None:
        """Resign for the side to move."""
        self._ended = Result(self.position.side.other, None, ResultReason.RESIGNATION)

    def time_is_up(self) -> None:
        """End the game by a time forfeit of the side to move."""
        self._ended = Result(self.position.side.other, None, ResultReason.TIME)

    def new_game(self) -> None:
        """Start a new game from the same position."""
        self._begin(AnnotatedGame(self._record.first))

    def record(self) -> AnnotatedGame:
        """Return the game so far, with times and the engine's scores; a resumed game's other facts are kept."""
        names = {colour: self._name if colour in self.people else self._engine_name() for colour in Colour}
        return replace(
            self._record,
            moves=tuple(self._played[: self.turns]),
            black=self._record.black or names[Colour.BLACK],
            white=self._record.white or names[Colour.WHITE],
            result=self.result,
            exact=None,
            date=self._record.date or datetime.now().astimezone().isoformat(timespec="seconds"),
            clock=clock_text(self.control),
        )

    def _engine_name(self) -> str:
        strength = self.session.strength
        if strength.elo is not None:
            return f"{PROGRAM.capitalize()} Elo {strength.elo}"
        return PROGRAM.capitalize() + ("" if strength.level is None else f" level {strength.level}")

    def _is_choice_of_person(self) -> bool:
        position = self.position
        return position.side in self.people and not position.must_pass

    def _charge(self, side: Colour, seconds: float) -> bool:
        clock = self.session.clocks[side]
        if clock.is_overrun_by(seconds):
            self.time_is_up()
            return False
        clock.spend(seconds)
        return True

    def _play(self, move: Move, seconds: float | None = None, score: float | None = None) -> None:
        before = self.position
        self.session.play(before.side, move)
        self._played[self.turns - 1 :] = [AnnotatedMove(before, move, seconds, for_black(score, before.side))]


class GameFiles:
    """The files that a session saves its game in: new files, and files that contain only that game.

    Args:
        saved: the file that is written after every move; None for no file.
        resumed: the file that the game was resumed from; None without one, or if saving would lose data.

    Attributes:
        saved: the argument; later games have files of their own, such as ``game-2.sgf`` next to ``game.sgf``.

    Raises: NotationError or SettingsError if `saved` can't be written, see ``save``.
    """

    def __init__(self, saved: Path | None, resumed: Path | None) -> None:
        self.saved = self._first = saved
        self._own = set() if resumed is None else {resumed.resolve()}
        if saved is not None:
            self._expect_free(saved)

    def save(self, record: AnnotatedGame, path: Path) -> str:
        """Write the game atomically.

        Returns: a sentence about facts that the format can't store; empty if there are none.

        Raises: NotationError if the name's extension is not a format; SettingsError if the file contains something
            else; OSError; FileFormatError if the format can't store the game.
        """
        self._expect_free(path)
        day = day_of(record.date)
        date = (day.year, day.month, day.day) if day else (0, 0, 0)
        with game_writer(format_of(path), path, date=date) as writer:
            writer.write(record)
        self._own.add(path.resolve())
        return writer.loss_note

    def expect_held(self, record: AnnotatedGame) -> None:
        """Raise FileFormatError if this game can't be saved after every move; WTHOR is written at the end."""
        if self.saved is not None and (name := format_of(self.saved)) != "wthor":
            expect_held(name, record)

    def begin_another_game(self) -> None:
        """Leave all files to the last game, and choose the first free name for the next game."""
        self._own.clear()
        number = 2
        while self.saved is not None and self._first is not None and self._taken(self.saved):
            self.saved = self._first.with_stem(f"{self._first.stem}-{number}")
            number += 1

    def _expect_free(self, path: Path) -> None:
        if path.resolve() not in self._own and (file := self._taken(path)):
            raise SettingsError(
                f"{str(file)!r} exists and isn't empty: save to a new file, or to the one that the game was "
                "resumed from if nothing in it would be lost"
            )

    def _taken(self, path: Path) -> Path | None:
        files = written_files(format_of(path), path)
        return next((file for file in files if file.is_file() and file.stat().st_size), None)
