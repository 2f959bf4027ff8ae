"""The command loop of an engine: one thread reads lines, another executes them in order."""

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
# The time for which commands may run after the input has ended without ``quit``. After this time, searches are stopped,
# since the controller may have crashed.
_GRACE_SECONDS = 0.5
_THREAD_BYTES = 16 << 20  # the memory of a new thread: a stack (8 MB on Linux) and Python's own data

Log = Callable[[str, bytes], None]


class Wire(Protocol):
    """A line protocol. An object of this class may store the settings of its controller."""

    def kind(self, line: bytes) -> LineKind:
        """Return the kind of a line. The reading thread calls this method, even while a command is running."""

    def answer(self, session: Session, line: bytes) -> Iterator[str]:
        """Execute a line, and yield the pieces of the answer.

        Each piece is sent immediately, even during a search. If no piece is yielded, the line gets no answer. After an
        interruption, a search ends soon with a result. If the protocol does not allow an answer with this result, this
        method has to check ``session.inbox.interrupted``.

        Raises: FileFormatError if the evaluation's weights can't be read.
        """


def serve(session: Session, wire: Wire, source: int, target: int, log: Log) -> None:
    """Execute the lines of a file descriptor until the session is closed or the input ends.

    Args:
        session: the session, whose inbox receives the lines.
        wire: the protocol.
        source: the descriptor to read from.
        target: the descriptor to write to.
        log: the function that gets ``>`` with every line on arrival, and ``<`` with every piece of an answer. It is
            called from two threads.

    Raises: OSError if an answer can't be written (BrokenPipeError if the controller has closed the pipe), or if the
        system has no memory for the reading thread; FileFormatError if the evaluation's weights can't be read;
        exceptions of the reading thread, such as MemoryError.
    """
    failures: list[BaseException] = []

    def read() -> None:
        try:
            _read(session, wire, source, log)
        except BaseException as error:  # the thread that executes lines raises this below
            failures.append(error)
            session.inbox.close()
            session.interrupt()

    # The memory is tested first, since start() would hang if the new thread had no memory for its first Python objects.
    mmap.mmap(-1, _THREAD_BYTES).close()
    threading.Thread(target=read, name="outflank reader", daemon=True).start()
    while (line := session.inbox.take()) is not None:
        for text in wire.answer(session, line):
            data = text.encode("utf-8", "replace")
            log("<", data)
            _write(target, data)
        if session.closed:
            return
        # The data for searches is loaded after the first answer, which loading would delay, but before a clock may run.
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

    # The descriptor is read without sys.stdin, since Python can't exit properly while a buffered reader is waiting.
    while chunk := _chunk(source):
        for line in splitter.feed(chunk):
            add(line, wire.kind(line), b"\n")
    # A last line without a line feed may be a truncated command of a crashed controller, such as a wrong move.
    if (kind := wire.kind(splitter.rest)).is_harmless:
        add(splitter.rest, kind, b"")
    inbox.close()
    _end_searches(session, inbox, source)


def _chunk(source: int) -> bytes:
    """Read some bytes. Return empty bytes at the end of the input, or if reading fails."""
    try:
        return os.read(source, _CHUNK_BYTES)
    except OSError:
        return b""


def _end_searches(session: Session, inbox: Inbox, source: int) -> None:
    """Stop searches soon after the end of the input. Does nothing if the input was a file or ended with ``quit``."""
    if inbox.quits or stat.S_ISREG(os.fstat(source).st_mode):
        return
    time.sleep(_GRACE_SECONDS)
    inbox.interrupt()
    session.interrupt()


def _write(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data) :]
