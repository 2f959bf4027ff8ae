"""Checks proofs of exact scores, as ``outflank solve --proof FILE`` writes them; docs/proofs.md has the format.

``python check.py FILE`` needs Python 3.11 and nothing of Outflank: it generates the moves itself, walks each proof from
its board to the last empty squares, and searches these. It prints a line for each proof that holds, and ends at the
first line that is wrong. Exit codes: 0 all hold, 1 one does not or can't be read, 2 wrong usage, 130 Ctrl-C.

A board is two masks, `own` for the side to move and `opp` for the other, bit 0 = a1 and bit 63 = h8.
"""

import lzma
import re
import sys
from io import BufferedIOBase

FULL = (1 << 64) - 1
BITS = {f"{x}{y + 1}": 1 << 8 * y + i for y in range(8) for i, x in enumerate("abcdefgh")} | {"pass": 0}
# The words of a header, what stands behind them, and what may.
HEADER = {
    "rules": ("the name of the rules", ".+"),
    "turns": ("all, since rules that turn in one direction are not checked", "all"),
    "scoring": ("empties or count", "empties|count"),
    "board": ("64 squares of X O - and the side to move", "[-XO]{64} [XO]"),
    "score": ("a number with a sign", r"[+-]\d\d?"),
    "searched": ("one digit", r"\d"),
}


class ProofError(Exception):
    """A proof fails; the sentence says at which line."""


def rays_of(row: int, column: int) -> tuple[int, list[int], list[int]]:
    """The neighbours of a square, and the rays long enough to bracket, to higher and to lower bits."""
    near, up, down = 0, list[int](), list[int]()
    for south, east in ((0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1)):
        squares = [(row + south * i, column + east * i) for i in range(1, 8)]
        ray = [1 << 8 * y + x for y, x in squares if 0 <= y < 8 and 0 <= x < 8]
        if len(ray) > 1:
            near |= ray[0]
            (up if ray[0] < ray[1] else down).append(sum(ray))
    return near, up, down


RAYS = {1 << 8 * row + column: rays_of(row, column) for row in range(8) for column in range(8)}


def turned(own: int, opp: int, square: int) -> int:
    """The discs that `own` turns by playing on an empty square; 0 if that is no move."""
    near, up, down = RAYS[square]
    if not opp & near:
        return 0
    discs, others = 0, FULL ^ opp
    for ray in up:
        end = ray & others
        end &= -end  # the first square on the ray that is not the opponent's
        if end & own:
            discs |= ray & (end - 1)
    for ray in down:
        end = ray & others
        if end:
            end = 1 << end.bit_length() - 1
            if end & own:
                discs |= ray & -(end << 1)
    return discs


def moves(own: int, opp: int) -> dict[str, int]:
    """The legal moves, a1 first, with the discs that they turn; a pass if there are none."""
    empty = FULL ^ own ^ opp
    found = {name: turned(own, opp, bit) for name, bit in BITS.items() if bit & empty}
    return {name: discs for name, discs in found.items() if discs} or {"pass": 0}


def final_score(own: int, opp: int, count: bool) -> int:
    """The score of a finished game; the winner takes the empty squares, unless only discs `count`."""
    lead, empty = own.bit_count() - opp.bit_count(), 64 - (own | opp).bit_count()
    return lead if count or not lead else lead + empty if lead > 0 else lead - empty


def reaches(own: int, opp: int, target: int, count: bool, passed: bool = False) -> bool:
    """Whether the side to move ends with `target` or more, by trying everything."""
    rest, stuck = FULL ^ own ^ opp, True
    while rest:
        square = rest & -rest
        rest ^= square
        discs = turned(own, opp, square)
        if discs:
            stuck = False
            if not reaches(opp ^ discs, own ^ discs ^ square, 1 - target, count):
                return True
    if stuck and passed:
        return final_score(own, opp, count) >= target
    return stuck and not reaches(opp, own, 1 - target, count, True)


class LineReader:
    """The lines of a file; `number` is that of the last one read."""

    def __init__(self, stream: BufferedIOBase) -> None:
        self.stream, self.number = stream, 0

    def next(self) -> str:
        """The next line; nothing at the end of the file."""
        self.number += 1
        try:
            return self.stream.readline(200).decode("ascii")  # the longest line is shorter
        except (EOFError, UnicodeDecodeError, lzma.LZMAError) as error:
            raise self.error("a whole text file, as it is or packed by xz", str(error)) from None

    def read(self, expected: str, pattern: str, line: str | None = None) -> str:
        """The part in brackets of the next line, if it matches the pattern."""
        line = self.next() if line is None else line
        match = re.fullmatch(f"{pattern}\n", line)
        if not match:
            raise self.error(expected, repr(line) if line else "the end of the file")
        return match[match.lastindex or 0]

    def error(self, expected: str, got: str) -> ProofError:
        """The sentence about the last line."""
        return ProofError(f"line {self.number}: expected {expected}, got {got}")


class Half:
    """The proof of one bound: the prover reaches `target`, in discs from his side, whatever the other replies."""

    def __init__(self, lines: LineReader, target: int, count: bool, searched: int) -> None:
        self.lines, self.target, self.count, self.searched = lines, target, count, searched
        self.proven: dict[int, int] = {}  # by line: the board there, once its play is proven to the end
        self.found: set[int] = set()  # boards that were searched

    def prove(self, own: int, opp: int, reply: str) -> None:
        """Check that the prover, who owns `own` and is to move after `reply`, reaches the target."""
        board, few = own << 64 | opp, 64 - (own | opp).bit_count() <= self.searched
        ours = {} if few else moves(own, opp)
        if few or ("pass" in ours and "pass" in moves(opp, own)):
            if board not in self.found and not reaches(own, opp, self.target, self.count):
                raise self.lines.error(f"{self.target:+d} for the prover after the reply {reply}", "less")
            self.found.add(board)
            return
        answer = self.lines.read(f"the reply {reply} and its answer", rf"{reply} (=\d+|pass|[a-h][1-8])")
        number = self.lines.number
        if answer[0] == "=":
            if self.proven.get(int(answer[1:])) != board:
                raise self.lines.error("a line before it where the same board is proven", answer)
        elif answer not in ours:
            raise self.lines.error("an answer out of " + " ".join(ours), answer)
        else:
            self.cover(opp ^ ours[answer], own | ours[answer] | BITS[answer])
            self.proven[number] = board

    def cover(self, own: int, opp: int) -> None:
        """Check that the prover, who owns `opp`, has an answer to every move of the other."""
        for reply, discs in moves(own, opp).items():
            self.prove(opp ^ discs, own | discs | BITS[reply], reply)


def check(lines: LineReader) -> str:
    """Check the proof of which the first line has been read; what it says, from the side to move."""
    given = {key: lines.read(f"{key} and {what}", f"{key} ({rule})") for key, (what, rule) in HEADER.items()}
    score, searched, count = int(given["score"]), int(given["searched"]), given["scoring"] == "count"
    board, _, side = given["board"].partition(" ")
    own = sum(1 << i for i in range(64) if board[i] == side)
    opp = sum(1 << i for i in range(64) if board[i] not in (side, "-"))
    lines.read("'lower'", "lower")
    Half(lines, score, count, searched).prove(own, opp, "root")
    lines.read("'upper'", "upper")
    Half(lines, -score, count, searched).cover(own, opp)
    lines.read("'end'", "end")
    return f"{score:+d} is proven for {given['board']} by {given['rules']}, scoring {given['scoring']}"


def main(arguments: list[str]) -> int:
    """Check a file, and return the exit code."""
    if len(arguments) != 1 or (arguments[0].startswith("-") and arguments[0] != "-"):
        print("usage: check.py FILE (- is standard input)", file=sys.stderr)
        return 2
    name = "standard input" if arguments[0] == "-" else arguments[0]
    try:
        with (
            open(0 if arguments[0] == "-" else name, "rb") as file,
            lzma.open(file) if file.peek(6).startswith(b"\xfd7zXZ\0") else file as stream,
        ):
            lines, line = LineReader(stream), None
            while line != "":
                lines.read("'outflank proof 1'", "outflank proof 1", line)
                first = lines.number
                print(f"line {first}: {check(lines)}, {lines.number - first + 1} lines", flush=True)
                line = lines.next()
        return 0
    except (OSError, ProofError) as error:
        said = (
            f"check.py: {name}: {error}"  # may quote anything, and a terminal would obey control characters
        )
        print("".join(c if c.isprintable() else " " for c in said), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
