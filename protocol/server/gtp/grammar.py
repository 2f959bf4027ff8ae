"""The grammar of GTP version 2: lines -> commands, and answers -> text. Pure; knows no engine.

What the draft leaves open is settled as GNU Go and gomill do it; ``docs/gtp.md`` lists it.
"""

import re

from outflank.engine.errors import OutflankError
from outflank.protocol.lines import CONTROL_BYTES, LINE_CAP, without_control_bytes

HIGHEST_NUMBER = 2**31 - 1
_FAILURE_CAP = 1000
_INTERRUPT = b"# interrupt"
# Characters that an answer must not hold, and a tab, which is a blank to its reader.
_NOT_SENT: dict[int, str | None] = {**dict.fromkeys((*CONTROL_BYTES, *range(128, 160))), ord("\t"): " "}
_ID = re.compile(rb" *(-?)([0-9]+)")


class CommandError(OutflankError):
    """A command that fails and has changed nothing.

    Args:
        words: GTP's standard text for such a failure, which controllers compare.
        detail: the expected value and the actual one.
    """

    def __init__(self, words: str, detail: str = "") -> None:
        super().__init__(f"{words}: {detail}" if detail else words)


def parse(line: bytes) -> tuple[str, str, list[str]] | None:
    """Read a line; None if it is blank or only a comment, and so gets no answer.

    Returns: the id, digits to be repeated in the answer, empty if the line has none; the command's name, empty only if
        the line is longer than LINE_CAP (a comment is not counted); and the words after it.
    """
    text = without_control_bytes(line.partition(b"#")[0])
    number = _ID.match(text)
    command_id = "" if number is None or number[1] else _echoed(number[2].decode())
    # Bytes, since str.split() would also cut at blanks that ASCII does not have.
    words = text[number.end() if number else 0 :].split()
    if len(line) > LINE_CAP and b"#" not in line:
        return command_id, "", []
    if not words:
        return None
    name, *arguments = (word.decode("utf-8", "surrogateescape") for word in words)
    return command_id, name, arguments


def is_interrupt(line: bytes) -> bool:
    """Whether the line is GoGui's ``# interrupt``."""
    return without_control_bytes(line).strip() == _INTERRUPT


def answer(command_id: str, text: str, success: bool = True) -> str:
    """A whole answer, its closing empty line included.

    Empty lines within `text` would end the answer early and are left out; an empty first line stays.
    """
    if not success and len(text) > _FAILURE_CAP:
        text = text[:_FAILURE_CAP] + "..."
    first, *rest = text.translate(_NOT_SENT).split("\n")
    head = opening(command_id, success) + (f" {first}" if first.strip() else "")
    return "\n".join([head, *(line for line in rest if line.strip())]) + "\n\n"


def opening(command_id: str, success: bool = True) -> str:
    """How an answer begins: the sign and the id glued to it."""
    return ("=" if success else "?") + command_id


def _echoed(digits: str) -> str:
    """An id as the answer repeats it: unchanged, but never above what the protocol allows."""
    if len(digits) < len(str(HIGHEST_NUMBER)):
        return digits
    significant = digits.lstrip("0")[: len(str(HIGHEST_NUMBER)) + 1]
    return str(min(int(significant or "0"), HIGHEST_NUMBER))
