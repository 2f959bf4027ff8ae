"""Answers a controller: one thread reads lines, the other executes them in order."""

import os
import stat
import threading
import time
from collections.abc import Callable

from outflank.protocol.gtp.commands import respond
from outflank.protocol.gtp.grammar import LineSplitter, is_interrupt
from outflank.protocol.inbox import Inbox
from outflank.protocol.session import Session

_CHUNK_BYTES = 1 << 16
# A controller that vanishes must not leave a search behind; one that merely forgot to quit gets quick answers
# in full.
_GRACE_SECONDS = 0.5

Log = Callable[[str, bytes], None]


def serve(session: Session, source: int, target: int, log: Log) -> None:
    """Execute the lines of a file descriptor until ``quit`` or its end.

    Args:
        session: its inbox receives the lines.
        source: descriptor to read from.
        target: descriptor to write to.
        log: is told ``<`` with every line as it arrives and ``>`` with every piece of an answer as it is
          sent, from two threads.

    Raises: OSError if an answer can't be written (BrokenPipeError if nobody reads any more); FileFormatError if
    the evaluation's weights can't be read.
    """
    threading.Thread(target=_read, args=(session, source, log), name="outflank reader", daemon=True).start()
    while not session.closed and (line := session.inbox.take()) is not None:
        for text in respond(session, line):
            data = text.encode("utf-8", "replace")
            log(">", data)
            _write(target, data)
        # Not earlier, so that the first answer comes soon; not later, as a clock may be running then.
        session.prepare()


def _read(session: Session, source: int, log: Log) -> None:
    """Move lines into the inbox; an interruption acts at once."""
    inbox, splitter = session.inbox, LineSplitter()
    # Not sys.stdin: a buffered reader that is still waiting makes the interpreter's end fail.
    while chunk := _chunk(source):
        for line in splitter.feed(chunk):
            log("<", line + b"\n")
            inbox.put(line)
            if is_interrupt(line):
                session.interrupt()
    inbox.close()
    _end_searches(session, inbox, source)


def _chunk(source: int) -> bytes:
    """Some bytes; none at the end, or if the other side has gone in a way that is an error here."""
    try:
        return os.read(source, _CHUNK_BYTES)
    except OSError:
        return b""


def _end_searches(session: Session, inbox: Inbox, source: int) -> None:
    """After the end of the input let no search go on for long, unless it was a file or ended with quit."""
    if inbox.quits or stat.S_ISREG(os.fstat(source).st_mode):
        return
    time.sleep(_GRACE_SECONDS)
    inbox.interrupt()
    session.interrupt()


def _write(target: int, data: bytes) -> None:
    while data:
        data = data[os.write(target, data) :]
