"""The grammar of GTP version 2: parses lines into commands, and formats answers.

Where the draft of GTP is ambiguous, we follow GNU Go and gomill. ``docs/gtp.md`` lists these cases.
"""

import re
from collections.abc import Iterable, Sequence

from outflank.engine import Colour, Move, Position
from outflank.errors import OutflankError
from outflank.protocol.lines import CONTROL_BYTES, LINE_CAP, without_control_bytes

HIGHEST_NUMBER = 2**31 - 1
_FAILURE_CAP = 1000
_INTERRUPT = b"# interrupt"
# The characters that an answer must not contain. A tab becomes a blank; the others are dropped.
_NOT_SENT: dict[int, str | None] = {**dict.fromkeys((*CONTROL_BYTES, *range(128, 160))), ord("\t"): " "}
_ID = re.compile(rb" *(-?)([0-9]+)")


class CommandError(OutflankError):
    """A command has failed, and has changed nothing.

    Args:
        words: GTP's standard error message, by which controllers recognize the failure.
        detail: the expected and the actual value.
    """

    def __init__(self, words: str, detail: str = "") -> None:
        super().__init__(f"{words}: {detail}" if detail else words)


def parse(line: bytes) -> tuple[str, str, list[str]] | None:
    """Parse a line. Return None for a blank line and for a comment, which get no answer.

    Returns: the id for the answer, empty if the line has no id; the command's name; and the words after the name. The
        name is empty only if the line is longer than LINE_CAP and has no comment.
    """
    text = without_control_bytes(line.partition(b"#")[0])
    number = _ID.match(text)
    command_id = "" if number is None or number[1] else _echoed(number[2].decode())
    # Split bytes, since str.split() would also split at blanks outside ASCII.
    words = text[number.end() if number else 0 :].split()
    if len(line) > LINE_CAP and b"#" not in line:
        return command_id, "", []
    if not words:
        return None
    name, *arguments = (word.decode("utf-8", "surrogateescape") for word in words)
    return command_id, name, arguments


def is_interrupt(line: bytes) -> bool:
    """Return whether the line is GoGui's ``# interrupt``."""
    return without_control_bytes(line).strip() == _INTERRUPT


def answer(command_id: str, text: str, success: bool = True) -> str:
    """Return a complete answer with its final empty line.

    Empty lines within `text` are left out, since they would end the answer early. An empty first line is kept.
    """
    if not success and len(text) > _FAILURE_CAP:
        text = text[:_FAILURE_CAP] + "..."
    first, *rest = text.translate(_NOT_SENT).split("\n")
    head = opening(command_id, success) + (f" {first}" if first.strip() else "")
    return "\n".join([head, *(line for line in rest if line.strip())]) + "\n\n"


def opening(command_id: str, success: bool = True) -> str:
    """Return the beginning of an answer: the sign and the id, without a blank between them."""
    return ("=" if success else "?") + command_id


def _echoed(digits: str) -> str:
    """Return the id for the answer: unchanged if the protocol allows the number, else the largest allowed number."""
    if len(digits) < len(str(HIGHEST_NUMBER)):
        return digits
    significant = digits.lstrip("0")[: len(str(HIGHEST_NUMBER)) + 1]
    return str(min(int(significant or "0"), HIGHEST_NUMBER))


_COLOURS = {"b": Colour.BLACK, "black": Colour.BLACK, "w": Colour.WHITE, "white": Colour.WHITE}
_WHOLE = re.compile(r"[+-]?[0-9]{1,20}")
# The pattern is stricter than float(): it refuses nan, inf, underscores, digits of other scripts, and long numbers.
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,4})?")


class Arguments:
    """The remaining arguments of a command. Like GNU Go, we ignore unused arguments.

    Methods that return one word or its value raise CommandError (``syntax error: expected ..., got ...``) if the word
    is missing or of the wrong kind. A default, if the caller gives one, replaces a missing word.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(reversed(words))

    def __bool__(self) -> bool:
        return bool(self._words)

    def word(self, expected: str) -> str:
        """Return the next word. `expected`: the description of the word for the error message."""
        if not self._words:
            raise CommandError("syntax error", f"expected {expected}, got nothing")
        return self._words.pop()

    def rest(self) -> list[str]:
        """Return all remaining words."""
        words, self._words = self._words[::-1], []
        return words

    def choice(self, expected: str, choices: Sequence[str]) -> str:
        """Return the next word in lower case, which must be one of `choices`."""
        word = self.word(f"{expected} ({' '.join(choices)})")
        if word.lower() not in choices:
            raise CommandError("syntax error", f"expected {expected} ({' '.join(choices)}), got {word!r}")
        return word.lower()

    def colour(self) -> Colour:
        """Return the colour of the next word: ``b``, ``w``, ``black`` or ``white``, in any case."""
        return _COLOURS[self.choice("a colour", tuple(_COLOURS))]

    def next_is_colour(self) -> bool:
        """Return whether the next word is a colour."""
        return bool(self._words) and self._words[-1].lower() in _COLOURS

    def next_is_number(self) -> bool:
        """Return whether the next word is a whole number."""
        return bool(self._words) and _WHOLE.fullmatch(self._words[-1]) is not None

    def move(self) -> Move:
        """Return the next word as a move: a vertex, with a direction under one-direction rules, or a pass.

        Raises: NotationError if the word is not a move.
        """
        return Move.parse(self.word("a vertex or pass"))

    def whole(
        self, expected: str, least: int, most: int = HIGHEST_NUMBER, *, default: int | None = None
    ) -> int:
        """Return the next word as a whole number, which must lie between `least` and `most`."""
        if default is not None and not self._words:
            return default
        word = self.word(expected)
        if not _WHOLE.fullmatch(word) or not least <= int(word) <= most:
            raise _out_of_range(expected, least, most, word)
        return int(word)

    def number(self, expected: str, least: float = -HIGHEST_NUMBER) -> float:
        """Return the next word as a number from `least` to 2^31 - 1, which may have a fraction."""
        word = self.word(expected)
        if not _NUMBER.fullmatch(word) or not least <= float(word) <= HIGHEST_NUMBER:
            raise _out_of_range(expected, least, HIGHEST_NUMBER, word)
        return float(word)

    def duration(self) -> float:
        """Return the next word as a number of seconds, more than 0 and at most 2^31 - 1."""
        word = self.word(expected := f"more than 0 and at most {HIGHEST_NUMBER} seconds")
        if not _NUMBER.fullmatch(word) or not 0 < float(word) <= HIGHEST_NUMBER:
            raise CommandError("syntax error", f"expected {expected}, got {word!r}")
        return float(word)


def _out_of_range(expected: str, least: float, most: int, word: str) -> CommandError:
    return CommandError("syntax error", f"expected {expected} from {least:.0f} to {most}, got {word!r}")


def vertex(move: Move) -> str:
    """Return the vertex of a move without its direction, such as ``D3``, or ``PASS``."""
    return str(move).partition("/")[0].upper()


def scored(moves: Iterable[tuple[Move, str]]) -> str:
    """Return lines of vertex and score, for answers of GoGui's type ``pspairs``.

    Args:
        moves: the moves with their scores, the best first. If a square has several moves, only the first is shown.
    """
    best: dict[str, str] = {}
    for move, score in moves:
        best.setdefault(vertex(move), score)
    return "\n".join(f"{name} {score}" for name, score in best.items())


def variation(position: Position, moves: Iterable[Move]) -> str:
    """Return pairs of colour and vertex, ``b D3 w C3``. Directions are left out, since GoGui does not support them.

    Args:
        position: the position before the first move.
        moves: the successive moves, with forced passes.
    """
    words = []
    for move in moves:
        words += [position.side.letter.lower(), vertex(move)]
        position = position.play(move)
    return " ".join(words)
