"""Reads and writes boards as text: 64 squares a1..h8, row by row, optionally followed by the side to move."""

import re
from collections.abc import Mapping, Sequence

from outflank.engine.squares import SQUARE_NAMES, Colour
from outflank.errors import NotationError

_LETTERS = {
    **dict.fromkeys("Xx*bB\u25cf\u26ab", "X"),
    **dict.fromkeys("OowW\u25cb\u25ef\u26aa", "O"),
    **dict.fromkeys("-._\u30fb\u00b7\u25a1", "-"),
}
# In a text without a 0, Black is 1 and White is 2. A text with a 0 must not have letters for discs. If it has a 2 too,
# an empty square is 0, Black is 1 and White is 2. Otherwise Black is 0 and White is 1.
_ONE_TWO = {"1": "X", "2": "O"}
_ZERO_ONE = {"0": "X", "1": "O"}
_ZERO_ONE_TWO = {"0": "-", "1": "X", "2": "O"}
_SQUARE = rf"[{re.escape(''.join(_LETTERS))}012]"
_FEN = re.compile(
    r"([pP1-8]+(?:/[pP1-8]+){7}|[xXoObBwW*1-8]+(?:/[xXoObBwW*1-8]+){7})(?:\s+(\S+).*)?", re.DOTALL
)
_FEN_LETTERS = str.maketrans("pPbBwW*", "XOXXOOX")
_FRAMED_ROW = re.compile(rf"[|\s]*([1-8])\|?(?: ?({_SQUARE}{{8}})|((?:[ |](?:{_SQUARE}| )){{8}}))(?![^\s|])")
_SCORE = re.compile(r"(?:(?:\S{1,5}\s*:)?\s*[+-]?\d{1,3})?")
_TO_MOVE = re.compile(r"(?<!\w)(black|white|[xo*\u25cf\u25cb])(?:'s turn| to (?:move|play))", re.IGNORECASE)
_SIDE = re.compile(r"(\S+?)(?:'s turn| to (?:move|play))?")


def read_board(text: str) -> tuple[int, int, Colour | None]:
    """Return the masks of Black's and White's discs, and the side to move (None if the text does not name it).

    ``Position.parse`` describes the notations.

    Raises: NotationError, whose message has the expected and the actual text.
    """
    if (framed := _framed(text)) is not None:
        raw, side = framed
    else:
        board, *fields = (field.strip() for field in text.split(";"))
        raw, side = _fen(board) or _plain(board)
        if not side and fields and not _SCORE.fullmatch(fields[0]):
            side = fields.pop(0)
        for field in fields:
            if not _SCORE.fullmatch(field):
                raise NotationError(f"expected scores such as A2:+38 after the board, got {field!r}")
    digits = _digits(raw, side)
    squares = [_LETTERS.get(letter) or digits.get(letter) for letter in raw]
    if None in squares:
        at = squares.index(None)
        name = SQUARE_NAMES[at]
        raise NotationError(f"expected X, O or - for square {name} of the board, got {raw[at]!r}")
    if len(squares) < 64:
        raise NotationError(f"expected a board of 64 squares, got {len(squares)}: {text!r}")
    return _mask(squares, "X"), _mask(squares, "O"), _side(side, digits)


def is_framed(text: str) -> bool:
    """Return whether the text is a board with numbered rows, a form in which programs print boards."""
    return _framed(text) is not None


def write_board(black: int, white: int) -> str:
    """Return the board as 64 letters, a1 first: ``X`` for Black, ``O`` for White, ``-`` for an empty square."""
    return "".join("X" if black >> s & 1 else "O" if white >> s & 1 else "-" for s in range(64))


def framed_board(letters: Sequence[str]) -> str:
    """Return a board of eight rows that is framed by the names of rows and files. `letters`: the squares, a1 first."""
    rows = [f"{row + 1} {' '.join(letters[8 * row : 8 * row + 8])} {row + 1}" for row in range(8)]
    files = "  a b c d e f g h"
    return "\n".join([files, *rows, files])


def _plain(text: str) -> tuple[str, str]:
    """Return the first 64 characters that are not blanks, and the text after them.

    Skips bars between rows, and the board size ``8`` that GGF and NBoard write before the squares.
    """
    if text.startswith("8") and text[1:2].isspace():
        text = text[1:]
    rows = [row.strip() for row in text.split("|") if row.strip()]
    if len(rows) in (8, 9) and all(len("".join(row.split())) == 8 for row in rows[:7]):
        text = " ".join(rows)
    at = 0
    for match, _ in zip(re.finditer(r"\S", text), range(64), strict=False):
        at = match.end()
    return "".join(text[:at].split()), text[at:].strip()


def _framed(text: str) -> tuple[str, str] | None:
    """Return the squares of eight rows numbered 1 to 8, and the word for the side to move (may be empty).

    Returns None if the text has no such rows.
    """
    rows: list[str] = []
    for line in text.splitlines():
        row = _FRAMED_ROW.match(line)
        if row is not None and row[1] == str(len(rows) + 1):
            rows.append(row[2] or row[3][1::2].replace(" ", "-"))
        elif rows and len(rows) < 8:
            return None
    if len(rows) < 8:
        return None
    found = _TO_MOVE.search(text)
    return "".join(rows), found[1] if found else ""


def _fen(text: str) -> tuple[str, str] | None:
    """Return the squares of a FEN (eight rows separated by slashes) and the word after it; None for other texts.

    In a FEN with Edax's letters ``p`` and ``P``, row 8 comes first.
    """
    match = _FEN.fullmatch(text)
    if match is None:
        return None
    rows = []
    for written in match[1].split("/"):
        row = re.sub("[1-8]", lambda blank: "-" * int(blank[0]), written)
        if len(row) != 8:
            raise NotationError(f"expected 8 squares in each row of a FEN, got {len(row)} in {written!r}")
        rows.append(row)
    if "p" in match[1].lower():
        rows.reverse()
    return "".join(rows).translate(_FEN_LETTERS), match[2] or ""


def _digits(raw: str, side: str) -> Mapping[str, str]:
    letters = {*raw, side}
    if "0" not in letters:
        return _ONE_TWO
    if any(_LETTERS.get(letter, "-") != "-" for letter in letters):
        return {}  # ambiguous: 0 may mean Black, White or an empty square
    return _ZERO_ONE_TWO if "2" in letters else _ZERO_ONE


def _mask(squares: Sequence[str | None], disc: str) -> int:
    return sum(1 << number for number, each in enumerate(squares) if each == disc)


def _side(text: str, digits: Mapping[str, str]) -> Colour | None:
    if not text:
        return None
    match = _SIDE.fullmatch(text)
    word = match[1] if match else ""
    disc = {"black": "X", "white": "O"}.get(word.lower()) or _LETTERS.get(word) or digits.get(word)
    if disc not in ("X", "O"):
        raise NotationError(f"expected X, O, black or white after the 64 squares, got {text!r}")
    return Colour.BLACK if disc == "X" else Colour.WHITE
