"""The grammar of NBoard: lines -> commands, and findings -> lines. Pure; searches nothing.

Source: the protocol's page in the program NTest, by its author Chris Welty.
"""

import re
from collections.abc import Collection, Sequence

from outflank.engine import Line, Move, NotationError, SearchInfo
from outflank.protocol.formats.reading import move_name
from outflank.protocol.lines import printable, without_control_bytes
from outflank.protocol.server.movesource import BookInfo

_STATUS_CAP = 500  # characters
# A move as version 1 sent it, without the word.
_BARE_MOVE = re.compile(rb"(?:[a-h][1-8]|pa)(?:/\S*)?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,10}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})", re.ASCII)


def parse(line: bytes, names: Collection[str]) -> tuple[str, str] | None:
    """Return the name of a line's command and the rest of the line without the blanks around it.

    None if the line is blank or no command out of `names`: the protocol ignores it.
    """
    text = without_control_bytes(line).strip()
    if _BARE_MOVE.fullmatch(text):
        return "move", text.decode("utf-8", "replace")
    words = text.split(None, 2)
    count = 2 if words[:1] == [b"set"] else 1
    name = b" ".join(words[:count]).decode("utf-8", "replace")
    if name not in names:
        return None
    rest = text.split(None, count)[count:]
    argument = rest[0].decode("utf-8", "replace") if rest else ""
    return name, argument


def read_whole(text: str, what: str, least: int, most: int) -> int:
    """A whole number. Raises: NotationError if `text` is not a number in the range."""
    if not (_WHOLE.fullmatch(text) and least <= int(text) <= most):
        raise NotationError(f"expected {what} from {least} to {most}, got {text!r}")
    return int(text)


def read_move(text: str) -> tuple[Move, float]:
    """A move and the seconds it took, 0 if that is left out: ``F5``, ``F5/120``, ``F5//3.5``, ``F5/120/3.5``.

    The evaluation, whose unit depends on who wrote it, is not read.

    Raises: NotationError.
    """
    word, *rest = (part.strip() for part in text.split("/"))
    if len(rest) > 2:
        raise NotationError(f"expected a move as F5/EVAL/SECONDS, got {text!r}")
    seconds = rest[1] if len(rest) == 2 else ""
    if seconds and not _NUMBER.fullmatch(seconds):
        raise NotationError(f"expected the seconds that the move took, got {seconds!r}")
    return Move.parse(word), max(float(seconds or 0), 0.0)


def status(text: str) -> str:
    """The line that shows `text` to the user."""
    return f"status {printable(text, _STATUS_CAP)}\n"


def found_lines(info: SearchInfo, most: int | None = None) -> str:
    """The basis of a choice, a line for each move, the best first: an iteration with its nodes, or a book's entry.

    Args:
        info: the finding.
        most: how many moves of a book to report; None for all.
    """
    if isinstance(info, BookInfo):
        counted = zip(info.lines[:most], info.counts, strict=False)
        return "".join(
            f"book {_pv(line)} {line.score:+.2f} {count} {_depth(info)}\n" for line, count in counted
        )
    lines = [f"search {_pv(line)} {line.score:+.2f} 0 {_depth(info)}\n" for line in info.lines]
    return "".join([*lines, f"nodestats {info.nodes} {info.seconds:.3f}\n"])


def chosen(move: Move, found: Line | None, seconds: float) -> str:
    """The answer to ``go``; without an evaluation if nothing is known of the move."""
    if move.is_pass:
        return f"=== {move_name(move)}\n"
    score = "" if found is None else f"{found.score:.2f}"
    return f"=== {move_name(move)}/{score}/{seconds:.3f}\n"


def _pv(line: Line) -> str:
    """The moves of a line, two characters each and nothing between them."""
    moves: Sequence[Move] = line.pv or (line.move,)
    return "".join(map(move_name, moves))


def _depth(info: SearchInfo) -> str:
    """``12``, ``12@73%`` for a search that cuts on guesses, ``100%`` for proven scores."""
    if info.exact:
        return "100%"
    return str(info.depth) if info.selectivity == 100 else f"{info.depth}@{info.selectivity}%"
