"""The engine under examination, spoken to in NBoard's protocol."""

import time
from collections.abc import Sequence
from dataclasses import replace

from outflank.engine import Game, Move, NotationError
from outflank.protocol.formats import ggf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.lines import printable
from outflank.protocol.opponent.engineclient import START_SECONDS
from outflank.protocol.opponent.errors import EngineCrash, EngineTimeout
from outflank.tools.checks.subject import Subject, expect

DEPTH = 3
DEEP = 60
_CHOICE = "==="
_LONGEST_QUOTE = 100


class NBoardSubject(Subject):
    """See ``Subject``; what it answers are lines, and a ``pong`` says that all of them have come."""

    _pings = 0

    def learn(self) -> None:
        """Shake hands. Raises: as ``get_ready``."""
        self.get_ready()

    def get_ready(self) -> None:
        """Shake hands with a fresh process. Raises: EngineError if it does not answer a ping."""
        if self._is_fresh:
            self.tell("nboard 2", f"set depth {DEPTH}")
            self.until_pong(START_SECONDS)
            self._is_fresh = False

    def tell(self, *lines: str) -> None:
        """Send lines as they are, all at once."""
        self.send("".join(f"{line}\n" for line in lines).encode())

    def set_game(self, game: Game, clock: str = "") -> None:
        """Send a game with its passes."""
        record = replace(AnnotatedGame.of(game), black="black", white="white", clock=clock)
        self.tell(f"set game {ggf.write(record).strip()}")

    def until(self, *beginnings: str, seconds: float | None = None) -> list[str]:
        """The lines up to and with one that begins with the words of one of these, or with ``===``.

        Raises: EngineCrash, EngineTimeout, EngineProtocolError.
        """
        deadline = time.monotonic() + (self.patience if seconds is None else seconds)
        lines: list[str] = []
        try:
            while not (lines and any(_begins(lines[-1], beginning) for beginning in beginnings)):
                lines.append(self._line(deadline).decode("utf-8", "replace").strip())
        except (EngineCrash, EngineTimeout) as error:
            due = f"{error}, {' or '.join(map(repr, beginnings))} being due"
            last = f"; the last it wrote was {printable(lines[-1], _LONGEST_QUOTE)!r}" if lines else ""
            raise type(error)(self.process.explained(due + last)) from None
        return lines

    def until_pong(self, seconds: float | None = None) -> list[str]:
        """Send a ping, and the lines that come before its pong. Raises: as ``until``."""
        self._pings += 1
        self.tell(f"ping {self._pings}")
        return self.until(f"pong {self._pings}", seconds=seconds)[:-1]

    def go(self, game: Game) -> str:
        """What follows ``===`` when the engine is asked for a move at the end of a game. Raises: as ``until``."""
        self.tell("nboard 2", f"set depth {DEPTH}")
        self.set_game(game)
        return self.answer_to_go()

    def answer_to_go(self) -> str:
        """What follows ``===`` where the game is set already. Raises: as ``until``."""
        self.tell("go")
        return self.until(_CHOICE, seconds=self.thinking)[-1].removeprefix(_CHOICE).strip()


def _begins(line: str, beginning: str) -> bool:
    """Whether the first words of a line are these; a move may be glued to ``===``."""
    if beginning == _CHOICE:
        return line.startswith(_CHOICE)
    words = beginning.split()
    return line.split()[: len(words)] == words


def move_of(answer: str) -> str:
    """The move in what follows ``===``, however the rest is written."""
    words: Sequence[str] = answer.replace("/", " ").split()
    return words[0] if words else ""


def expect_legal(answer: str, game: Game) -> None:
    """Raise Violation unless an answer holds a legal move at the end of a game."""
    text = move_of(answer)
    try:
        legal = Move.parse(text) in game.position.legal_moves()
    except NotationError:
        legal = False
    moves = " ".join(map(str, game.position.legal_moves()))
    expect(legal, f"one of the moves {moves}", repr(answer))
