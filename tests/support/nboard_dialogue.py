"""Talking NBoard to Outflank from tests: to a session in this process, or to the program itself through pipes."""

import sys
from typing import Any

from outflank.engine import Colour, Searcher
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.nboard.commands import NBoard
from outflank.protocol.server.session import Session, Strength
from outflank.tests.support import dialogue

COMMAND = (sys.executable, "-m", "outflank.tools.commands.program", "nboard", "--book", "none")
BOARD = "8 " + "-" * 27 + "O*" + "-" * 6 + "*O" + "-" * 27 + " *"
WORDS = ("set myname ", "status ", "nodestats ", "search ", "book ", "pong ", "learned", "analysis ", "=== ")
"""What a line may begin with that an engine sends."""


def ggf(moves: str = "", **tags: str) -> str:
    """A game as NBoard sends it: moves as ``B[F5]W[F6]``, tags besides the usual ones."""
    named = "".join(f"{tag}[{value}]" for tag, value in tags.items())
    return f"(;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TY[8]{named}BO[{BOARD}]{moves};)"


class Dialogue:
    """A session in this process, with a small table and a shallow search unless `settings` say otherwise."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("strength", Strength(depth=1))
        self.wire = NBoard()
        self.session = Session(SearchSource(Searcher(hash_mb=1)), **settings)

    def send(self, line: str | bytes) -> list[str]:
        """The lines of the answer, each checked to be one that the protocol knows."""
        data = line if isinstance(line, bytes) else line.encode("utf-8", "surrogateescape")
        text = "".join(self.wire.answer(self.session, data))
        assert not text or text.endswith("\n"), text
        lines = text.split("\n")[:-1]
        for told in lines:
            check_line(told)
        return lines

    def state(self) -> tuple[object, ...]:
        session = self.session
        clocks = [session.clocks[colour].reading for colour in Colour]
        return session.game.transcript(passes=True), session.position, session.strength, clocks


def check_line(line: str) -> None:
    assert line.startswith(WORDS), line
    assert line.isprintable(), line


class Program(dialogue.Program):
    """``outflank nboard`` in a process of its own, killed at the end of ``with``."""

    command = COMMAND

    def line(self, patience: float = 30.0) -> str:
        """The next line, checked to be one that the protocol knows."""
        text = self.read_until(b"\n", patience).rstrip("\n")
        check_line(text)
        return text

    def until(self, beginning: str, patience: float = 30.0) -> list[str]:
        """The lines up to and with one that begins so."""
        lines = [self.line(patience)]
        while not lines[-1].startswith(beginning):
            lines.append(self.line(patience))
        return lines
