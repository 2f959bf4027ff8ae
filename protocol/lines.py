"""Lines of bytes, as every line protocol has them: cut out of a stream, cleaned, and sorted by what they ask for."""

from dataclasses import dataclass

# A line needs no limit by any protocol, the memory it is kept in does.
LINE_CAP = 1 << 20
# Tabs and line feeds mean something, every other control byte is dropped.
CONTROL_BYTES = bytes(byte for byte in (*range(32), 127) if byte not in b"\t\n")
_TAB_IS_BLANK = bytes.maketrans(b"\t", b" ")
# Everything that a terminal may obey: C0, DEL and C1.
_CONTROLS_ARE_BLANKS = dict.fromkeys((*range(32), *range(127, 160)), " ")


@dataclass(frozen=True, slots=True)
class LineKind:
    """What a line asks for, as far as whoever reads it has to know before its turn comes.

    Attributes:
        is_command: whether it is to be executed; any other line is dropped once it has been read.
        interrupts: whether it ends the work on every line before it, running or waiting.
        quits: whether it ends the dialogue, so that the end of the input behind it is no surprise.
        is_harmless: whether it may be executed though the input ended before its line feed: no word is missing, and it
            changes nothing.
    """

    is_command: bool = True
    interrupts: bool = False
    quits: bool = False
    is_harmless: bool = False


class LineSplitter:
    """Cuts the bytes of a stream into lines; of a line beyond LINE_CAP it keeps just enough to show that it is."""

    def __init__(self) -> None:
        self._begun = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that `chunk` completes, without their line feeds."""
        *ends, begun = chunk.split(b"\n")
        lines = []
        for end in ends:
            self._append(end)
            lines.append(bytes(self._begun))
            self._begun.clear()
        self._append(begun)
        return lines

    @property
    def rest(self) -> bytes:
        """The line that has begun and has no line feed yet."""
        return bytes(self._begun)

    def _append(self, part: bytes) -> None:
        self._begun += part[: LINE_CAP + 1 - len(self._begun)]


def without_control_bytes(line: bytes) -> bytes:
    """The line as its reader takes it: tabs are blanks, other control bytes but line feeds are left out."""
    return line.translate(_TAB_IS_BLANK, CONTROL_BYTES)


def without_controls(text: str) -> str:
    """`text` with a blank for each control character but line feeds; all else stays, also what has no width."""
    return "\n".join(line.translate(_CONTROLS_ARE_BLANKS) for line in text.split("\n"))


def printable(text: str, longest: int | None = 200) -> str:
    """Text from outside, fit for a terminal and for a message.

    Args:
        text: of a file, an engine, a database, a user.
        longest: how many characters it is cut to; None leaves it whole.

    Returns: one line, with a blank for each character that isn't printed as it is, such as those that terminals obey.
    """
    shown = text if longest is None else text[: longest + 1]
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else " " for c in shown)
    return shown if longest is None or len(shown) <= longest else shown[:longest] + "..."


def printable_lines(text: str) -> str:
    """``printable`` for a text of several lines, whole."""
    return "\n".join(printable(line, None) for line in text.split("\n"))
