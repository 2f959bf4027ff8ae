"""Lines of bytes, as every line protocol has them: cut out of a stream, sorted by kind, passed between threads."""

import sys
import threading
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches

# A line needs no limit by any protocol, the memory it is kept in does.
LINE_CAP = 1 << 20
# Tabs and line feeds mean something, every other control byte is dropped.
CONTROL_BYTES = bytes(byte for byte in (*range(32), 127) if byte not in b"\t\n")
_TAB_IS_BLANK = bytes.maketrans(b"\t", b" ")
# Everything that a terminal may obey: C0, DEL and C1.
_CONTROLS_ARE_BLANKS = dict.fromkeys((*range(32), *range(127, 160)), " ")


@dataclass(frozen=True, slots=True)
class LineKind:
    """The properties of a line that the reader has to know before its turn comes.

    Attributes:
        is_command: whether the line is to be executed; any other line is dropped once it has been read.
        interrupts: whether the line ends the work on every line before it, running or waiting.
        quits: whether the line ends the dialogue, so that the end of the input after it is no surprise.
        is_harmless: whether the line may be executed though the input ended before its line feed: no word is missing,
            and it changes nothing.
    """

    is_command: bool = True
    interrupts: bool = False
    quits: bool = False
    is_harmless: bool = False


class LineSplitter:
    """Cuts the bytes of a stream into lines; of a line beyond LINE_CAP it keeps just enough to show that it is.

    A byte order mark at the start of the stream is dropped: .NET writes one before the first line.
    """

    def __init__(self) -> None:
        self._begun = bytearray()
        self._is_first = True

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the lines that `chunk` completes, without their line feeds."""
        *ends, begun = chunk.split(b"\n")
        lines = []
        for end in ends:
            self._append(end)
            lines.append(self.rest)
            self._begun.clear()
            self._is_first = False
        self._append(begun)
        return lines

    @property
    def rest(self) -> bytes:
        """The line that has begun and has no line feed yet."""
        return bytes(self._begun).removeprefix(BOM_UTF8 if self._is_first else b"")

    def _append(self, part: bytes) -> None:
        self._begun += part[: LINE_CAP + 1 - len(self._begun)]


def without_control_bytes(line: bytes) -> bytes:
    """Return the line as its reader takes it: tabs are blanks, other control bytes but line feeds are left out."""
    return line.translate(_TAB_IS_BLANK, CONTROL_BYTES)


def without_controls(text: str) -> str:
    """`text` with a blank for each control character but line feeds; all else stays, also what has no width."""
    return "\n".join(line.translate(_CONTROLS_ARE_BLANKS) for line in text.split("\n"))


def printable(text: str, longest: int | None = 200) -> str:
    """Return text from outside in a form that is fit for a terminal and for a message.

    Args:
        text: the text of a file, an engine, a database, a user.
        longest: the number of characters it is cut to; None leaves it whole.

    Returns: one line, with a blank for each character that isn't printed as it is, such as those that terminals obey.
    """
    shown = text if longest is None else text[: longest + 1]
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else " " for c in shown)
    return shown if longest is None or len(shown) <= longest else shown[:longest] + "..."


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """Return ``unknown key 'tme'; did you mean 'time'? Known: name cmd time``."""
    listed = list(known)
    close = get_close_matches(name, listed, 1)
    meant = f"; did you mean {close[0]!r}?" if close else "."
    return f"unknown {kind} {printable(name)!r}{meant} Known: {' '.join(listed)}"


def printable_lines(text: str) -> str:
    """``printable`` for a text of several lines, whole."""
    return "\n".join(printable(line, None) for line in text.split("\n"))


# Enough for any controller that sends without reading; beyond it the reader waits, so memory stays bounded.
_BUDGET_BYTES = 16 << 20
_COST_OF_A_LINE = 100  # what Python keeps for it besides its bytes
_ALL_LINES = sys.maxsize
LONGEST_WAIT_SECONDS = 0.2 if sys.platform == "win32" else None
"""The longest wait of a main thread; on Windows Ctrl-C takes effect between two of them."""


class Inbox:
    """Lines in the order of their arrival.

    Every line has a number, so a line that came before the running command is never taken for an interruption
    of it, and one that came after it always is, even if the command has not begun to search yet.

    Attributes:
        quits: whether a line has come that ends the dialogue, so that the end of the lines is no surprise.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._size = 0
        self._closed = False
        self.quits = False
        self._last = 0  # number of the newest line, blank ones and comments counted
        self._interrupt = 0  # number of the newest line that interrupts
        self._running = 0  # number of the line being executed
        self._on_command: Callable[[], object] | None = None

    def put(self, line: bytes, kind: LineKind) -> None:
        """Add a line of this kind; blocks until the inbox has room for it."""
        cost = len(line) + _COST_OF_A_LINE
        with self._changed:
            self._changed.wait_for(lambda: self._size == 0 or self._size + cost <= _BUDGET_BYTES)
            self._last += 1
            self.quits = self.quits or kind.quits
            if kind.is_command:
                self._waiting.append((self._last, line))
                self._size += cost
                if self._on_command is not None:
                    self._on_command()
            if kind.interrupts:
                self._interrupt = max(self._interrupt, self._last)
            self._changed.notify_all()

    def close(self) -> None:
        """Declare that no more lines will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def interrupt(self) -> None:
        """Interrupt the running command and all that wait."""
        self._interrupt = _ALL_LINES

    def take(self) -> bytes | None:
        """Return the next line to execute; None when there are no more. Waits for one."""
        with self._changed:
            self.wait_for_command()
            if not self._waiting:
                return None
            self._running, line = self._waiting.popleft()
            self._size -= len(line) + _COST_OF_A_LINE
            self._changed.notify_all()
            return line

    def take_if(self, wanted: Callable[[bytes], bool]) -> bool:
        """Drop the next waiting line if it is `wanted`, which the running command answers in its place."""
        with self._changed:
            if not self._waiting or not wanted(self._waiting[0][1]):
                return False
            self._size -= len(self._waiting.popleft()[1]) + _COST_OF_A_LINE
            self._changed.notify_all()
            return True

    @contextmanager
    def notifying(self, on_command: Callable[[], object]) -> Iterator[None]:
        """Call `on_command`, which must not block, for a command that waits already and each that arrives."""
        with self._changed:
            self._on_command = on_command
            if self._waiting:
                on_command()
        try:
            yield
        finally:
            self._on_command = None

    def wait_for_command(self) -> None:
        """Wait until a command waits, or none can come any more."""
        with self._changed:
            while not self._changed.wait_for(lambda: self._waiting or self._closed, LONGEST_WAIT_SECONDS):
                continue

    @property
    def interrupted(self) -> bool:
        """Whether the command being executed was asked to come to an end."""
        return self._interrupt > self._running

    def wait_for_input(self, seconds: float | None = None) -> bool:
        """Wait until any line has come after the one being executed, or none can come any more.

        Returns: whether one has come; False once `seconds` are over.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self._closed or self._last > self._running, seconds)


def tell_fault() -> None:
    """Write the exception under way to stderr."""
    import traceback  # slow to import, and hoped never to be needed

    sys.stderr.write(printable_lines(traceback.format_exc()))
