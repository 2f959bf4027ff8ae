"""An NBoard engine that keeps every rule but one: ``rule_breaker.py RULE``, a rule being the name of its check.

It is our own engine, but something is changed on the way of a line to it or of the answer to the controller.
"""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator

from outflank.engine import Searcher
from outflank.protocol.lines import LineKind
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.nboard.wire import NBoard
from outflank.protocol.server.serve import serve
from outflank.protocol.server.session import Session

STDIN, STDOUT = 0, 1
FOR_EVER = 1000.0  # seconds
Fault = Callable[[bytes, str], str]
"""What is said instead of the answer to a line."""


def command(rule: str = "none") -> list[str]:
    """How to start the engine that breaks `rule`."""
    return [sys.executable, __file__, rule]


def writes(pattern: str, other: str) -> Fault:
    """What matches in an answer is written in another way."""
    return lambda line, text: re.sub(pattern, other, text, flags=re.MULTILINE)


def adds(asked: bytes, text: str) -> Fault:
    """Lines that match are answered with a text besides."""
    return lambda line, usual: usual + text if re.match(asked, line) else usual


def takes_its_time(line: bytes, text: str) -> str:
    """A move comes late, and a hint holds up what follows it."""
    if line.startswith((b"go", b"hint")):
        time.sleep(4)
    return text


def holds_a_hint_back() -> Fault:
    """Something about a hint is said after the pong."""
    held = [""]

    def fault(line: bytes, text: str) -> str:
        if line.startswith(b"hint"):
            held[0] = "search F5 +1.00 0 4\n"
        elif line.startswith(b"ping"):
            text, held[0] = text + held[0], ""
        return text

    return fault


def swaps_pongs(line: bytes, text: str) -> str:
    """The second of three pings is not answered."""
    return "" if line == b"ping 32" else text


def dies(asked: bytes) -> Callable[[bytes], bytes]:
    """Lines that match end the program."""

    def fault(line: bytes) -> bytes:
        if re.search(asked, line):
            sys.exit(3)
        return line

    return fault


def reads(pattern: bytes, other: bytes) -> Callable[[bytes], bytes]:
    """What matches in a line is taken for something else."""
    return lambda line: re.sub(pattern, other, line)


SAID: dict[str, Fault] = {
    "answers-a-ping": writes("^pong 4711$", "pong 47117"),
    "answers-pings-in-order": swaps_pongs,
    "ignores-what-it-does-not-know": adds(b"set volume", "learned\n"),
    "tells-its-name": writes("^set myname.*", "set myname"),
    "says-only-what-the-protocol-knows": writes("^status thinking$", "thinking hard"),
    "stops-for-a-ping": takes_its_time,
    "says-nothing-after-a-pong": holds_a_hint_back(),
    "answers-learn": writes("^learned$", "status learned"),
    "moves-at-the-start": writes("^=== (C4|D3|E6|F5)", "=== A1"),
    "writes-moves-as-the-protocol-has-them": writes("^=== (..)/(.*)/(.*)", r"=== \1 \2 \3"),
    "tells-what-it-thinks": writes("^search ..", "search A1"),
    "analyses-each-position": writes("^analysis 4", "analysis 5"),
    "heeds-the-clock-in-the-record": takes_its_time,
    "passes-when-it-must": writes("^=== PA", "=== A1"),
}
READ: dict[str, Callable[[bytes], bytes]] = {
    "reads-a-record": reads(rb"W\[D3\]", b""),
    "takes-moves": reads(rb"^move F5.*", b"nothing"),
    "reads-a-pass-in-a-record": reads(rb"B\[PA\]", b""),
    "takes-a-pass-as-a-move": reads(rb"^move PA", b"nothing"),
    "does-not-play-its-move": reads(b"", b""),  # see Faulty
    "survives-a-finished-game": dies(rb"W\[C5\]|B\[C5\]"),
}
# Habits that the protocol allows.
ALLOWED_SAID: dict[str, Fault] = {
    "hints-from-a-book": writes("^search", "book"),
    "tells-no-name": writes("^set myname.*\n", ""),
}
ALLOWED_READ: dict[str, Callable[[bytes], bytes]] = {"does-not-analyze": reads(b"^analyze", b"nothing")}
ENDS = {"ends-at-quit", "ends-when-its-input-ends"}
RULES = {*SAID, *READ, *ENDS}


def _unchanged(line: bytes) -> bytes:
    return line


class Faulty:
    """The wire of our engine, with the fault."""

    def __init__(self, rule: str) -> None:
        self._rule, self._wire = rule, NBoard()
        self._said = {**SAID, **ALLOWED_SAID}.get(rule, writes("^$", ""))
        self._read: Callable[[bytes], bytes] = {**READ, **ALLOWED_READ}.get(rule, _unchanged)

    def kind(self, line: bytes) -> LineKind:
        """What a line asks for; every line is answered, so that it can be answered wrongly."""
        return self._wire.kind(line) if self._wire.kind(line).is_command else LineKind()

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        if self._rule == "ends-at-quit" and line == b"quit":
            time.sleep(FOR_EVER)
        try:
            yield self._said(line, "".join(self._wire.answer(session, self._read(line))))
        except SystemExit as end:
            os._exit(int(str(end)))
        if self._rule == "does-not-play-its-move" and line == b"go":
            session.game.play(session.position.legal_moves()[0])


def main(rule: str) -> None:
    serve(Session(SearchSource(Searcher(1))), Faulty(rule), STDIN, STDOUT, lambda sign, data: None)
    if rule == "ends-when-its-input-ends":
        time.sleep(FOR_EVER)


if __name__ == "__main__":
    main(sys.argv[1])
