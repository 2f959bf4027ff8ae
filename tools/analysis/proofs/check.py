"""Checks proofs of exact scores, as ``outflank solve --proof FILE`` writes them; docs/proofs.md has the format.

``python check.py FILE`` needs Python 3.11 and nothing of Outflank: it generates the moves itself, walks each proof from
its board to the last empty squares, and searches these. It prints a line for each proof that holds, and ends at the
first line that is wrong. With ``--state STATE`` it notes in STATE how far it is, and goes on from there the next time.
With ``--claims CLAIMS`` a line may rest on a claim of that file, which is taken for true. Memory does not grow with
the proof. Exit codes: 0 all hold, 1 one does not or can't be read, 2 wrong usage, 130 Ctrl-C.

A board is two masks, `own` for the side to move and `opp` for the other, bit 0 = a1 and bit 63 = h8.
"""

import hashlib
import json
import lzma
import os
import re
import sys
import time
from io import BufferedIOBase
from typing import Any

FULL = (1 << 64) - 1
BITS = {f"{x}{y + 1}": 1 << 8 * y + i for y in range(8) for i, x in enumerate("abcdefgh")} | {"pass": 0}
BLOCK = 100_000  # lines of a file; a line may name lines of its own block
MOST_FOUND = 300_000  # boards that were searched and are remembered
SORTED_FROM = 8  # empty squares from which the search orders its moves
# The words of a header, what stands behind them, and what may.
HEADER = {
    "rules": ("the name of the rules", ".+"),
    "turns": ("all, since rules that turn in one direction are not checked", "all"),
    "scoring": ("empties or count", "empties|count"),
    "board": ("64 squares of X O - and the side to move", "[-XO]{64} [XO]"),
    "score": ("a number with a sign", r"[+-]\d\d?"),
    "searched": ("a number up to 16", r"\d|1[0-6]"),
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
    if rest.bit_count() >= SORTED_FROM:
        return reaches_sorted(own, opp, target, count)
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


def reaches_sorted(own: int, opp: int, target: int, count: bool) -> bool:
    """The same, the moves first that leave few replies, which pays where many squares are empty."""
    found = moves(own, opp)
    if "pass" in found:
        if "pass" in moves(opp, own):
            return final_score(own, opp, count) >= target
        return not reaches(opp, own, 1 - target, count)
    after = [(opp ^ discs, own ^ discs ^ BITS[move]) for move, discs in found.items()]
    after.sort(key=lambda board: len(moves(*board)))
    return any(not reaches(*board, 1 - target, count) for board in after)


def canonical(own: int, opp: int) -> int:
    """The smallest image of a board under rotation and reflection."""
    found = []
    for turn in range(8):
        images = []
        for mask in (own, opp):
            rows = [mask >> 8 * y & 255 for y in range(8)]
            if turn & 1:
                rows.reverse()
            if turn & 2:
                rows = [int(f"{row:08b}"[::-1], 2) for row in rows]
            if turn & 4:
                rows = [sum((rows[x] >> y & 1) << x for x in range(8)) for y in range(8)]
            images.append(sum(row << 8 * y for y, row in enumerate(rows)))
        found.append(images[0] << 64 | images[1])
    return min(found)


def read_board(text: str) -> tuple[int, int]:
    """The discs of the side to move and of the other, from 64 squares and that side."""
    board, _, side = text.partition(" ")
    own = sum(1 << i for i in range(64) if board[i] == side)
    return own, sum(1 << i for i in range(64) if board[i] not in (side, "-"))


class Claims:
    """Claims of a file, ``position,lower,upper`` on each line: bounds of a board's score, from the side to move."""

    def __init__(self, path: str | None) -> None:
        self.bounds: dict[int, tuple[int, int]] = {}
        self.used: set[int] = set()
        if path is None:
            return
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            for number, line in enumerate(file, 1):
                found = re.fullmatch(r"([-XO]{64} [XO]);?,([+-]?\d\d?),([+-]?\d\d?)\s*", line)
                if found:
                    board, (lower, upper) = canonical(*read_board(found[1])), (int(found[2]), int(found[3]))
                    least, most = self.bounds.get(board, (-64, 64))
                    self.bounds[board] = max(lower, least), min(upper, most)
                elif number > 1 and line.strip():
                    raise ProofError(
                        f"line {number} of {path}: expected position,lower,upper, got {line[:100]!r}"
                    )

    def of(self, own: int, opp: int) -> tuple[int, int]:
        """The bounds of a board, which count as used."""
        board = canonical(own, opp)
        self.used.add(board)
        return self.bounds.get(board, (-64, 64))


class LineReader:
    """The lines of a file; `number` is that of the last one read, and `digest` of all up to it."""

    def __init__(self, stream: BufferedIOBase) -> None:
        self.stream, self.number, self.digest = stream, 0, hashlib.sha256()
        self.block = BLOCK  # lines that may name each other; all of them in version 1

    def next(self) -> str:
        """The next line; nothing at the end of the file."""
        self.number += 1
        try:
            line = self.stream.readline(200)  # the longest is shorter
            self.digest.update(line)
            return line.decode("ascii")
        except (EOFError, UnicodeDecodeError, lzma.LZMAError) as error:
            raise self.error("a whole text file, as it is or packed by xz", str(error)) from None

    def read(self, expected: str, pattern: str, line: str | None = None) -> str:
        """The part in brackets of the next line, if it matches the pattern."""
        line = self.next() if line is None else line
        match = re.fullmatch(f"{pattern}\n", line)
        if not match:
            raise self.error(expected, repr(line) if line else "the end of the file")
        return match[1 if match.re.groups else 0]

    def error(self, expected: str, got: str) -> ProofError:
        """The sentence about the last line."""
        return ProofError(f"line {self.number}: expected {expected}, got {got}")


class Notes:
    """Shows how far the check is, and keeps it in a file, if there is one, at the beginning of each block."""

    def __init__(self, path: str | None) -> None:
        self.path, self.began = path, time.monotonic()

    def read(self) -> dict[str, Any]:
        """What was kept; nothing if there is no such file yet."""
        if self.path is None or not os.path.exists(self.path):
            return {}
        with open(self.path, encoding="ascii") as file:
            return dict(json.load(file))

    def write(self, lines: LineReader, state: dict[str, Any]) -> None:
        """Keep a state whole."""
        if sys.stderr.isatty():
            print(
                f"\r{lines.number:,} lines, {time.monotonic() - self.began:,.0f} s", end="", file=sys.stderr
            )
        if self.path is not None:
            with open(f"{self.path}.new", "w", encoding="ascii") as file:
                json.dump({"line": lines.number, "digest": lines.digest.hexdigest(), **state}, file)
            os.replace(f"{self.path}.new", self.path)


class Half:
    """The proof of one bound: the prover reaches `target`, in discs from his side, whatever the other replies."""

    def __init__(self, lines: LineReader, claims: Claims, target: int, count: bool, searched: int) -> None:
        self.lines, self.claims, self.target, self.count, self.searched = (
            lines,
            claims,
            target,
            count,
            searched,
        )
        # By line of this block: the board there, once its play is proven to the end.
        self.proven: dict[int, int] = {}
        self.found: set[int] = set()  # boards that were searched
        # Boards after the prover's answers, the other to move: the discs of both, how many replies are looked at, the
        # line of the answer, and the board before it. And the replies, with the discs that they turn.
        self.path: list[list[int]] = []
        self.replies: list[list[tuple[str, int]]] = []

    def cover(self, own: int, opp: int, done: int = 0, number: int = 0, board: int = 0) -> None:
        """Have it checked that the prover, who owns `opp`, has an answer to every move of the other."""
        self.path.append([own, opp, done, number, board])
        self.replies.append(list(moves(own, opp).items()))

    def prove(self, own: int, opp: int, reply: str) -> None:
        """Check that the prover, who owns `own` and is to move after `reply`, can reach the target."""
        board, few = own << 64 | opp, 64 - (own | opp).bit_count() <= self.searched
        ours = {} if few else moves(own, opp)
        if few or ("pass" in ours and "pass" in moves(opp, own)):
            if board not in self.found and not reaches(own, opp, self.target, self.count):
                raise self.lines.error(f"{self.target:+d} for the prover after the reply {reply}", "less")
            if len(self.found) >= MOST_FOUND:
                self.found.clear()
            self.found.add(board)
            return
        answers = r"(=\d+|claim|(pass|[a-h][1-8])( claim)?)"
        answer = self.lines.read(f"the reply {reply} and its answer", f"{reply} {answers}")
        if self.lines.number % self.lines.block == 1:
            self.proven.clear()
        if answer[0] == "=":
            if self.proven.get(int(answer[1:])) != board:
                raise self.lines.error("a line before it in its block where the same board is proven", answer)
        elif answer == "claim":
            if self.claims.of(own, opp)[0] < self.target:
                raise self.lines.error(f"a claim of {self.target:+d} or more for the side to move", "none")
        elif (move := answer.removesuffix(" claim")) not in ours:
            raise self.lines.error("an answer out of " + " ".join(ours), answer)
        else:
            mine, theirs, number = own | ours[move] | BITS[move], opp ^ ours[move], self.lines.number
            if move == answer:
                self.cover(theirs, mine, 0, number, board)
            elif -self.claims.of(theirs, mine)[1] < self.target:
                raise self.lines.error(f"a claim of {-self.target:+d} or less for the side to move", "none")
            else:
                self.proven[number] = board

    def walk(self, notes: Notes, state: dict[str, Any]) -> None:
        """Check all that is to be covered."""
        lines, noted = self.lines, self.lines.number
        while self.path:
            if lines.number % BLOCK == 0 and lines.number != noted:
                notes.write(lines, {**state, "path": self.path})
                noted = lines.number
            own, opp, done, number, board = self.path[-1]
            if done == len(self.replies[-1]):
                self.path.pop()
                self.replies.pop()
                if (number - 1) // lines.block == (lines.number - 1) // lines.block:
                    self.proven[number] = board
                continue
            self.path[-1][2] += 1
            reply, discs = self.replies[-1][done]
            self.prove(opp ^ discs, own | discs | BITS[reply], reply)


def check(lines: LineReader, notes: Notes, claims: Claims, first: int, state: dict[str, Any]) -> str:
    """Check the proof whose first line has been read, or go on with one; what it says, from the side to move."""
    given = state.get("given") or {
        key: lines.read(f"{key} and {what}", f"{key} ({rule})") for key, (what, rule) in HEADER.items()
    }
    score, searched, count = int(given["score"]), int(given["searched"]), given["scoring"] == "count"
    own, opp = read_board(given["board"])
    halves = ("lower", "upper")
    for name in halves[halves.index(state.get("half", "lower")) :]:
        half = Half(lines, claims, score if name == "lower" else -score, count, searched)
        if state:
            for frame in state["path"]:
                half.cover(*frame)
            state = {}
        else:
            lines.read(f"'{name}'", name)
            if name == "lower":
                half.prove(own, opp, "root")
            else:
                half.cover(own, opp)
        half.walk(notes, {"first": first, "block": lines.block, "given": given, "half": name})
    lines.read("'end'", "end")
    used = f", from {len(claims.used)} claims" if claims.used else ""
    return f"{score:+d} is proven for {given['board']} by {given['rules']}, scoring {given['scoring']}{used}"


def check_all(lines: LineReader, notes: Notes, claims: Claims) -> None:
    """Check every proof of a file, from the beginning or from where the notes end."""
    state, line = notes.read(), None
    while lines.number < state.get("line", 0):
        lines.next()
    if state and lines.digest.hexdigest() != state["digest"]:
        raise lines.error("the lines that were checked before", f"others: remove {notes.path} to begin anew")
    while line != "":
        if state:
            first, lines.block = int(state["first"]), int(state["block"])
        else:
            version = lines.read("'outflank proof 2'", "outflank proof ([12])", line)
            first, lines.block = lines.number, BLOCK if version == "2" else sys.maxsize
        said = check(lines, notes, claims, first, state)
        print(f"line {first}: {said}, {lines.number - first + 1} lines", flush=True)
        state, line = {}, lines.next()


def main(arguments: list[str]) -> int:
    """Check a file, and return the exit code."""
    given: dict[str, str] = {}
    while len(arguments) > 2 and arguments[0] in ("--state", "--claims"):
        given[arguments[0]], arguments = arguments[1], arguments[2:]
    path = given.get("--state")
    if len(arguments) != 1 or (arguments[0].startswith("-") and arguments[0] != "-"):
        print("usage: check.py [--state STATE] [--claims CLAIMS] FILE (- is standard input)", file=sys.stderr)
        return 2
    name = "standard input" if arguments[0] == "-" else arguments[0]
    try:
        with (
            open(0 if arguments[0] == "-" else name, "rb") as file,
            lzma.open(file) if file.peek(6).startswith(b"\xfd7zXZ\0") else file as stream,
        ):
            check_all(LineReader(stream), Notes(path), Claims(given.get("--claims")))
        if path is not None and os.path.exists(path):
            os.remove(path)
        return 0
    except (OSError, ProofError) as error:
        said = (
            f"check.py: {name}: {error}"  # may quote anything, and a terminal would obey control characters
        )
    except (ValueError, KeyError, TypeError):
        said = f"check.py: {path} is no state of a check: remove it to begin anew"
    except KeyboardInterrupt:
        return 130
    print("".join(c if c.isprintable() else " " for c in said), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
