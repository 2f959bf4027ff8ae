"""The lines of a line protocol: splitting a stream, cleaning untrusted text, and a queue between threads."""

import sys
import threading
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches

# No protocol limits the length of a line; this limit bounds the memory.
LINE_CAP = 1 << 20
# Tabs and line feeds have a meaning in the protocols. All other control bytes are dropped.
CONTROL_BYTES = bytes(byte for byte in (*range(32), 127) if byte not in b"\t\n")
_TAB_IS_BLANK = bytes.maketrans(b"\t", b" ")
# All control characters that a terminal may obey: C0, DEL and C1.
_CONTROLS_ARE_BLANKS = dict.fromkeys((*range(32), *range(127, 160)), " ")


@dataclass(frozen=True, slots=True)
class LineKind:
    """The properties of a line that the reading thread needs before the line is executed.

    Attributes:
        is_command: True if the line is executed; other lines are dropped.
        interrupts: True if the line interrupts all earlier commands, both running and queued.
        quits: True if the line ends the dialogue, so that an end of input after this line is not an error.
        is_harmless: True if the line may be executed even if the input ends before its line feed, because it is
            complete and changes nothing.
    """

    is_command: bool = True
    interrupts: bool = False
    quits: bool = False
    is_harmless: bool = False


class LineSplitter:
    """Splits the bytes of a stream into lines, and cuts lines longer than LINE_CAP to LINE_CAP + 1 bytes.

    A byte order mark at the start of the stream is dropped, since .NET writes one before the first line.
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
        """The current line, whose line feed has not arrived yet."""
        return bytes(self._begun).removeprefix(BOM_UTF8 if self._is_first else b"")

    def _append(self, part: bytes) -> None:
        self._begun += part[: LINE_CAP + 1 - len(self._begun)]


def without_control_bytes(line: bytes) -> bytes:
    """Return the line with tabs replaced by blanks, and without other control bytes except line feeds."""
    return line.translate(_TAB_IS_BLANK, CONTROL_BYTES)


def without_controls(text: str) -> str:
    """Return `text` with each control character except line feeds replaced by a blank."""
    return "\n".join(line.translate(_CONTROLS_ARE_BLANKS) for line in text.split("\n"))


def printable(text: str, longest: int | None = 200) -> str:
    """Return untrusted text in a form that is safe for a terminal and for a message.

    Args:
        text: the text from a file, an engine, a database or a user.
        longest: the maximum number of characters, after which the text is cut; None for no limit.

    Returns: one line, with a blank in place of each character that isn't printable, such as control characters.
    """
    shown = text if longest is None else text[: longest + 1]
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else " " for c in shown)
    return shown if longest is None or len(shown) <= longest else shown[:longest] + "..."


def unknown(kind: str, name: str, known: Iterable[str]) -> str:
    """Return an error message such as ``unknown key 'tme'; did you mean 'time'? Known: name cmd time``."""
    listed = list(known)
    close = get_close_matches(name, listed, 1)
    meant = f"; did you mean {close[0]!r}?" if close else "."
    return f"unknown {kind} {printable(name)!r}{meant} Known: {' '.join(listed)}"


def printable_lines(text: str) -> str:
    """Return a text of several lines with ``printable`` applied to each line, without limiting the length."""
    return "\n".join(printable(line, None) for line in text.split("\n"))


# The maximum memory of the queued lines, enough for any controller that sends commands without reading the answers. The
# reading thread waits while the inbox is full.
_BUDGET_BYTES = 16 << 20
_COST_OF_A_LINE = 100  # the memory overhead of a line in Python
_ALL_LINES = sys.maxsize
LONGEST_WAIT_SECONDS = 0.2 if sys.platform == "win32" else None
"""The longest single wait of a main thread; on Windows, Ctrl-C takes effect only between two waits."""


class Inbox:
    """A queue of lines in order of arrival.

    Lines are numbered in order of arrival. An interrupting line applies to every command with a smaller number, even to
    a command that has not started to search yet.

    Attributes:
        quits: True if a line has arrived that ends the dialogue, so that the end of the input is not an error.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[tuple[int, bytes]] = deque()
        self._size = 0
        self._closed = False
        self.quits = False
        self._last = 0  # the number of the newest line, blank lines and comments included
        self._interrupt = 0  # the number of the newest line that interrupts
        self._running = 0  # the number of the line being executed
        self._on_command: Callable[[], object] | None = None

    def put(self, line: bytes, kind: LineKind) -> None:
        """Add a line of the kind `kind` as soon as the inbox has room for it."""
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
        """Interrupt the running command and all queued commands."""
        self._interrupt = _ALL_LINES

    def take(self) -> bytes | None:
        """Wait for the next line to execute, and return it; None at the end of the input."""
        with self._changed:
            self.wait_for_command()
            if not self._waiting:
                return None
            self._running, line = self._waiting.popleft()
            self._size -= len(line) + _COST_OF_A_LINE
            self._changed.notify_all()
            return line

    def take_if(self, wanted: Callable[[bytes], bool]) -> bool:
        """Remove the next queued line if `wanted` returns true for it, and return whether the line was removed.

        The caller then has to answer the line.
        """
        with self._changed:
            if not self._waiting or not wanted(self._waiting[0][1]):
                return False
            self._size -= len(self._waiting.popleft()[1]) + _COST_OF_A_LINE
            self._changed.notify_all()
            return True

    @contextmanager
    def notifying(self, on_command: Callable[[], object]) -> Iterator[None]:
        """Call `on_command` immediately if a command is queued, and for each command that arrives during the block.

        `on_command` must not block.
        """
        with self._changed:
            self._on_command = on_command
            if self._waiting:
                on_command()
        try:
            yield
        finally:
            self._on_command = None

    def wait_for_command(self) -> None:
        """Wait until a command is queued or the input has ended."""
        with self._changed:
            while not self._changed.wait_for(lambda: self._waiting or self._closed, LONGEST_WAIT_SECONDS):
                continue

    @property
    def interrupted(self) -> bool:
        """Whether the command being executed has been interrupted."""
        return self._interrupt > self._running

    def wait_for_input(self, seconds: float | None = None) -> bool:
        """Wait until a line has arrived after the line being executed, or until the input has ended.

        Returns: False if neither happened within `seconds`.
        """
        with self._changed:
            return self._changed.wait_for(lambda: self._closed or self._last > self._running, seconds)


def tell_fault() -> None:
    """Write the current exception with its traceback to stderr."""
    import traceback  # imported here, since the import is slow and rarely needed

    sys.stderr.write(printable_lines(traceback.format_exc()))
