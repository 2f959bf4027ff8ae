"""Answers a controller: one thread reads lines, the other executes them in order."""

import mmap
import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from typing import Protocol

from outflank.protocol.lines import Inbox, LineKind, LineSplitter
from outflank.protocol.server.session import Session

_CHUNK_BYTES = 1 << 16
# A controller that vanishes must not leave a search behind; one that merely forgot to quit gets quick answers
# in full.
_GRACE_SECONDS = 0.5
_THREAD_BYTES = 16 << 20  # a stack (8 MB on Linux) and what Python needs to begin on it

Log = Callable[[str, bytes], None]


class Wire(Protocol):
    """A line protocol; an object of it may keep what its controller has set."""

    def kind(self, line: bytes) -> LineKind:
        """Return the request of a line. Called by the thread that reads, while a command may be running."""

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        """Execute a line in its turn.

        Each piece of the answer is sent at once, so that it may grow while a search goes on; without pieces there
        is no answer. A search that was interrupted ends soon, and ``session.inbox.interrupted`` then says so to
        a protocol in which such a command has no result.

        Raises: FileFormatError if the evaluation's weights can't be read.
        """


def serve(session: Session, wire: Wire, source: int, target: int, log: Log) -> None:
    """Execute the lines of a file descriptor until the session is closed or they end.

    Args:
        session: the session, whose inbox receives the lines.
        wire: the protocol that is spoken.
        source: the descriptor to read from.
        target: the descriptor to write to.
        log: called with ``>`` and every line as it arrives, and with ``<`` and every piece of an answer as it is
          sent, from two threads.

    Raises: OSError if an answer can't be written (BrokenPipeError if the reader is gone) or the system has no memory
    for the thread that reads; FileFormatError if the evaluation's weights can't be read; what ends the reading of
    lines, such as MemoryError.
    """
    failures: list[BaseException] = []

    def read() -> None:
        try:
            _read(session, wire, source, log)
        except BaseException as error:  # raised again below: without lines this session would wait for ever
            failures.append(error)
            session.inbox.close()
            session.interrupt()

    # A thread without memory for its first Python objects ends before it signals that it has begun: start() would hang.
    mmap.mmap(-1, _THREAD_BYTES).close()
    threading.Thread(target=read, name="outflank reader", daemon=True).start()
    while (line := session.inbox.take()) is not None:
        for text in wire.answer(session, line):
            data = text.encode("utf-8", "replace")
            log("<", data)
            _write(target, data)
        if session.closed:
            return
        # Not earlier, so that the first answer comes soon; not later, as a clock may be running then.
        session.prepare()
        session.ponder()
    if failures:
        raise failures[0]


def _read(session: Session, wire: Wire, source: int, log: Log) -> None:
    inbox, splitter = session.inbox, LineSplitter()

    def add(line: bytes, kind: LineKind, end: bytes) -> None:
        log(">", line + end)
        inbox.put(line, kind)
        if kind.interrupts:
            session.interrupt()

    # Not sys.stdin: a buffered reader that is still waiting makes the interpreter's end fail.
    while chunk := _chunk(source):
        for line in splitter.feed(chunk):
            add(line, wire.kind(line), b"\n")
    # A last line without a line feed may be half a command of a controller that died: it could be a wrong move.
    if (kind := wire.kind(splitter.rest)).is_harmless:
        add(splitter.rest, kind, b"")
    inbox.close()
    _end_searches(session, inbox, source)


def _chunk(source: int) -> bytes:
    """Return some bytes; none at the end, or if the other side has gone in a way that is an error here."""
    try:
        return os.read(source, _CHUNK_BYTES)
    except OSError:
        return b""


def _end_searches(session: Session, inbox: Inbox, source: int) -> None:
    """End the searches soon after the end of the input, unless it was a file or ended with quit."""
    if inbox.quits or stat.S_ISREG(os.fstat(source).st_mode):
        return
    time.sleep(_GRACE_SECONDS)
    inbox.interrupt()
    session.interrupt()


def _write(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data) :]
