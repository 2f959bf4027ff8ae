"""Checks proofs of exact scores that ``outflank proof make -o FILE`` wrote. docs/proofs.md describes the format.

``python check.py FILE`` needs Python 3.11 but no part of Outflank. It generates the moves itself, follows each proof
from its board to boards with few empty squares, and searches these boards. It prints a line for each valid proof, and
stops at the first wrong line. With ``--state STATE`` it stores its progress in STATE, so that after an interruption the
next check does not search the checked part again. With ``--claims CLAIMS`` a line of the proof may refer to a claim in
the file CLAIMS. All claims are assumed to be true. Memory use does not grow with the proof. Exit codes: 0 if all proofs
are valid, 1 if a proof is invalid or can't be read, 2 for wrong usage, 130 after Ctrl-C.

A board is two masks: `own` for the side to move, `opp` for the other side. Bit 0 is a1, bit 63 is h8.
"""

import hashlib
import lzma
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase

FULL = (1 << 64) - 1
NAMES = {1 << 8 * y + x: f"{'abcdefgh'[x]}{y + 1}" for y in range(8) for x in range(8)} | {0: "pass"}
# The maximum sizes of the set of proven boards and of the set of searched boards. The format defines the size of the
# first set. The second set only saves time.
REMEMBERED = 100_000
NOTED = 10_000  # the number of lines between two writes of the state
SORTED_FROM = 8  # the least number of empty squares at which the search tries moves with few replies first
# The presets of rules, with the options that affect a score: the turned directions, and the scoring.
PRESETS = {
    "othello": ("all", "empties"),
    "reveris": ("all", "empties"),
    "reversi": ("all", "count"),
    "ravensburger-1987": ("one", "count"),
    "ravensburger-2006": ("all", "count"),
    "obversi": ("all", "count"),
}
# The options that may follow a preset, in this order.
OPTIONS = {
    "start": "diagonal|mirrored|parallel-north|parallel-south|parallel-west|parallel-east|[-XO]{64}",
    "begins": "black|white",
    "turns": "all|one",
    "tie": "draw|second",
    "scoring": "empties|count",
}
RULES = f"(?:{'|'.join(PRESETS)})" + "".join(f"(?:,{key}=(?:{values}))?" for key, values in OPTIONS.items())
# The keywords of a header, each with a description and a pattern for its value.
HEADER = {
    "rules": ("a preset and its options, as written by outflank proof make", RULES),
    "turns": ("all, since rules that turn in one direction are not checked", "all"),
    "scoring": ("empties or count", "empties|count"),
    "board": ("64 squares of X O - and the side to move", "[-XO]{64} [XO]"),
    "score": ("a number with a sign", r"[+-]\d\d?"),
    "searched": ("a number up to 16", r"\d|1[0-6]"),
}
Board = tuple[int, int]
# The claims by the keys of their boards. The bounds and the line number of a claim are packed into one number.
Claims = dict[bytes, int]
MOST_CLAIMS = 1 << 28  # the maximum size of a file of claims in bytes


class ProofError(Exception):
    """A proof is invalid. The message names the line."""


def rays_of(row: int, column: int) -> tuple[int, list[int], list[int]]:
    """Return the neighbours of a square, its rays towards higher bits, and its rays towards lower bits.

    Rays of a single square are left out, since no disc can be bracketed on such a ray.
    """
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
    """Return the discs that `own` turns by playing on an empty square; 0 if the move is illegal."""
    near, up, down = RAYS[square]
    if not opp & near:
        return 0
    discs, others = 0, FULL ^ opp
    for ray in up:
        end = ray & others
        end &= -end  # the first square on the ray without an opponent's disc
        if end & own:
            discs |= ray & (end - 1)
    for ray in down:
        end = ray & others
        if end:
            end = 1 << end.bit_length() - 1
            if end & own:
                discs |= ray & -(end << 1)
    return discs


def moves(own: int, opp: int) -> list[tuple[int, int]]:
    """Return the legal moves in the order of squares, a1 first.

    A move is the square and the discs that it turns, as masks. Both masks are 0 for a pass.
    """
    found, rest = [], FULL ^ own ^ opp
    while rest:
        square = rest & -rest
        rest ^= square
        if discs := turned(own, opp, square):
            found.append((square, discs))
    return found or [(0, 0)]


def is_over(own: int, opp: int) -> bool:
    """Return whether neither side has a move."""
    return moves(own, opp)[0][0] == moves(opp, own)[0][0] == 0


def final_score(own: int, opp: int, count: bool) -> int:
    """Return the score of a finished game. If `count` is False, the winner takes the empty squares."""
    lead, empty = own.bit_count() - opp.bit_count(), 64 - (own | opp).bit_count()
    return lead if count or not lead else lead + empty if lead > 0 else lead - empty


def reaches(own: int, opp: int, target: int, count: bool) -> bool:
    """Search all moves, and return whether the side to move reaches a score of `target` or more."""
    rest, stuck = FULL ^ own ^ opp, True
    if rest.bit_count() >= SORTED_FROM and len(found := moves(own, opp)) > 1:
        after = [(opp ^ discs, own ^ discs ^ square) for square, discs in found]
        after.sort(key=lambda board: len(moves(*board)))
        return any(not reaches(*board, 1 - target, count) for board in after)
    while rest:
        square = rest & -rest
        rest ^= square
        if discs := turned(own, opp, square):
            stuck = False
            if not reaches(opp ^ discs, own ^ discs ^ square, 1 - target, count):
                return True
    if stuck and is_over(own, opp):
        return final_score(own, opp, count) >= target
    return stuck and not reaches(opp, own, 1 - target, count)


def meaning(rules: str) -> dict[str, str]:
    """Return the values of the options of rules. The preset gives the defaults for turns and scoring."""
    preset, *options = rules.split(",")
    implied = dict(zip(("turns", "scoring"), PRESETS[preset], strict=True))
    return implied | dict(option.split("=") for option in options)


def read_board(text: str) -> Board:
    """Return the discs of the side to move and of the other side. `text`: 64 squares and the side to move."""
    own = sum(1 << i for i in range(64) if text[i] == text[65])
    return own, sum(1 << i for i in range(64) if text[i] not in (text[65], "-"))


def key_of(text: str) -> bytes:
    """Return the key that a board shares with its symmetric images. `text`: 64 squares and the side to move."""
    squares = text[:64] if text[65] == "X" else text[:64].translate(str.maketrans("XO", "OX"))
    images = []
    for turned_squares in (squares, "".join(squares[i::8] for i in range(8))):
        rows = [turned_squares[i : i + 8] for i in range(0, 64, 8)]
        for lines in (rows, rows[::-1]):
            images += ["".join(lines), "".join(line[::-1] for line in lines)]
    own, opp = read_board(f"{min(images)} X")
    return own.to_bytes(8, "big") + opp.to_bytes(8, "big")


def unpacked(claim: int) -> tuple[int, int, int]:
    """Return the lower bound, the upper bound, and the line number of a packed claim."""
    return (claim >> 8 & 255) - 64, (claim & 255) - 64, claim >> 16


def read_claims(path: str | None) -> Claims:
    """Read a file of claims. Each line is ``position,lower,upper``."""
    claims: Claims = {}
    if path is None:
        return claims
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        number = size = 0
        while line := file.readline(200):  # a valid line is shorter
            number, size = number + 1, size + len(line)
            if size > MOST_CLAIMS:
                raise ProofError(f"{path} has more than {MOST_CLAIMS:,} bytes of claims")
            found = re.fullmatch(r"([-XO]{64} [XO]);?,([+-]?\d\d?),([+-]?\d\d?)\s*", line)
            if found:
                text, lower, upper = found[1], int(found[2]), int(found[3])
                if moves(*read_board(text))[0][0] == 0:  # a pass: the claim is about the board after the pass
                    text, lower, upper = text[:65] + "OX"[text[65] == "O"], -upper, -lower
                board = key_of(text)
                least, most, first = unpacked(claims.get(board, number << 16 | 128))
                claims[board] = first << 16 | max(lower, least) + 64 << 8 | min(upper, most) + 64
            elif number > 1 and line.strip():
                raise ProofError(
                    f"line {number} of {path}: expected position,lower,upper, got {line[:100]!r}"
                )
    return claims


class Checker:
    """Reads a file of proofs line by line."""

    def __init__(self, stream: BufferedIOBase, claims: Claims, state: str | None) -> None:
        self.stream, self.claims, self.state = stream, claims, state
        # The numbers of the last line read, and of the last line that an earlier run has checked.
        self.number = self.done = 0
        self.digest = hashlib.sha256()
        self.used: set[int] = set()
        self.proven: set[Board] = set()
        self.found: set[Board] = set()
        self.target, self.count, self.searched = 0, False, 0

    def next(self) -> str:
        """Read the next line; return an empty text at the end of the file."""
        if self.number and self.number % NOTED == 0:
            self.note()
        self.number += 1
        try:
            line = self.stream.readline(200)  # a valid line is shorter
            self.digest.update(line)
            return line.decode("ascii")
        except (EOFError, UnicodeDecodeError, lzma.LZMAError) as error:
            raise self.error("a complete text file, plain or compressed by xz", str(error)) from None

    def note(self) -> None:
        """Show the progress of the check on a terminal, and store the progress."""
        if sys.stderr.isatty():
            print(f"\r{self.number:,} lines", end="", file=sys.stderr)
        if self.state is not None and self.number > self.done:
            try:
                with open(f"{self.state}.new", "w", encoding="ascii") as file:
                    file.write(f"{self.number} {self.digest.hexdigest()}\n")
                os.replace(f"{self.state}.new", self.state)
            except OSError as error:  # such as a full disk; the check continues
                print(f"the progress is no longer stored: {error}", file=sys.stderr)
                self.state = None

    def read(self, expected: str, pattern: str, line: str | None = None) -> str:
        """Match `line`, by default the next line, against a pattern. Return the pattern's group, else the whole match.

        Raises: ProofError without a match.
        """
        line = self.next() if line is None else line
        match = re.fullmatch(f"{pattern}\n", line)
        if not match:
            raise self.error(expected, repr(line) if line else "the end of the file")
        return match[1 if match.re.groups else 0]

    def error(self, expected: str, got: str) -> ProofError:
        """Return an error about the line that was read last."""
        return ProofError(f"line {self.number}: expected {expected}, got {got}")

    def claim(self, board: Board) -> tuple[int, int]:
        """Return the claimed bounds of a board."""
        own, opp = board
        text = "".join("X" if own >> i & 1 else "O" if opp >> i & 1 else "-" for i in range(64))
        lower, upper, line = unpacked(self.claims.get(key_of(f"{text} X"), 128))
        self.used.add(line)
        return lower, upper

    def search(self, own: int, opp: int, reply: str) -> None:
        """Search a board with few empty squares to check that the prover reaches the target."""
        if (own, opp) in self.found or self.number < self.done:
            return
        if not reaches(own, opp, self.target, self.count):
            raise self.error(f"{self.target:+d} for the prover after the reply {reply}", "less")
        if len(self.found) >= REMEMBERED:
            self.found.clear()
        self.found.add((own, opp))

    def prove(self, own: int, opp: int, reply: str) -> None:
        """Check that the prover reaches the target. The prover has the discs `own` and moves after `reply`."""
        if (own, opp) in self.proven:
            return
        if 64 - (own | opp).bit_count() <= self.searched or is_over(own, opp):
            self.search(own, opp, reply)
            return
        answer = self.read(
            f"the reply {reply} and its answer", f"{reply} (claim|(?:pass|[a-h][1-8])(?: claim)?)"
        )
        ours = {NAMES[square]: (opp ^ discs, own ^ discs ^ square) for square, discs in moves(own, opp)}
        after = ours.get(answer.removesuffix(" claim"))
        if answer == "claim":
            if self.claim((own, opp))[0] < self.target:
                raise self.error(f"a claim of {self.target:+d} or more for the side to move", "none")
        elif after is None:
            raise self.error("one of the answers " + " ".join(ours), answer)
        elif not answer.endswith(" claim"):
            self.cover(*after)
        elif -self.claim(after)[1] < self.target:
            raise self.error(f"a claim of {-self.target:+d} or less for the side to move", "none")
        if len(self.proven) == REMEMBERED:
            self.proven.clear()
        self.proven.add((own, opp))

    def cover(self, own: int, opp: int) -> None:
        """Check that the prover has an answer to every move of the other side. The prover has the discs `opp`."""
        for square, discs in moves(own, opp):
            self.prove(opp ^ discs, own ^ discs ^ square, NAMES[square])

    def check(self) -> str:
        """Check the proof whose first line was read. Return a sentence that states the score for the side to move."""
        given: dict[str, str] = {}
        for key, (text, rule) in HEADER.items():
            given[key] = self.read(f"{key} and {text}", f"{key} ({rule})")
            meant = meaning(given["rules"]).get(key, given[key])
            if given[key] != meant:
                raise self.error(f"{key} {meant} for the rules {given['rules']}", given[key])
        score, self.searched = int(given["score"]), int(given["searched"])
        self.count = given["scoring"] == "count"
        self.used.clear()
        for half in ("lower", "upper"):
            self.proven.clear()
            self.found.clear()
            self.target = score if half == "lower" else -score
            self.read(f"'{half}'", half)
            if self.target <= -64:  # every score reaches this target
                continue
            if half == "lower":
                self.prove(*read_board(given["board"]), "root")
            else:
                self.cover(*read_board(given["board"]))
        self.read("'end'", "end")
        used = f", from {len(self.used)} claims" if self.used else ""
        return f"{score:+d} is proven for {given['board']} under {given['rules']}, scoring {given['scoring']}{used}"

    def check_all(self) -> None:
        """Check every proof in the file."""
        line = self.next()
        while line or self.number == 1:
            first = self.number
            self.read("'outflank proof 3'", "outflank proof 3", line)
            said = self.check()
            print(f"line {first}: {said}, {self.number - first + 1} lines", flush=True)
            line = self.next()


@contextmanager
def opened(name: str) -> Iterator[BufferedIOBase]:
    """Open a file for reading, or stdin if the name is ``-``. Decompress the file if it is compressed."""
    with (
        open(0 if name == "-" else name, "rb") as file,
        lzma.open(file) if file.peek(6).startswith(b"\xfd7zXZ\0") else file as stream,
    ):
        yield stream


def done_before(name: str, state: str | None) -> int:
    """Return the number of lines that an earlier run has checked. Raises: ProofError if these lines have changed."""
    if state is None or not os.path.exists(state):
        return 0
    with open(state, encoding="ascii", errors="replace") as file:
        noted = re.fullmatch(r"(\d{1,18}) ([0-9a-f]{64})\n", file.read(100))
    if not noted:
        raise ProofError(f"{state} is not the stored progress of a check: remove it to start again")
    with opened(name) as stream:
        lines = Checker(stream, {}, None)
        while lines.number < int(noted[1]) and lines.next():
            pass
    if (lines.number, lines.digest.hexdigest()) != (int(noted[1]), noted[2]):
        raise lines.error(
            "the lines that were checked before", f"different lines: remove {state} to start again"
        )
    return lines.number


def main(arguments: list[str]) -> int:
    """Check a file, and return the exit code."""
    given: dict[str, str] = {}
    while len(arguments) > 2 and arguments[0] in ("--state", "--claims"):
        given[arguments[0]], arguments = arguments[1], arguments[2:]
    name, state = arguments[0] if len(arguments) == 1 else "--", given.get("--state")
    if (name.startswith("-") and name != "-") or (name == "-" and state is not None):
        print("usage: check.py [--state STATE] [--claims CLAIMS] FILE (- is standard input)", file=sys.stderr)
        return 2
    try:
        done = done_before(name, state)
        with opened(name) as stream:
            checker = Checker(stream, read_claims(given.get("--claims")), state)
            checker.done = done
            checker.check_all()
        if state is not None and os.path.exists(state):
            os.remove(state)
        return 0
    except (OSError, ProofError) as error:
        # An error may quote control characters from the file, which a terminal would execute.
        said = f"check.py: {name}: {error}"
    except KeyboardInterrupt:
        return 130
    print("".join(c if c.isprintable() else " " for c in said), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
