"""A tiny NBoard engine that plays the first legal move and commits one fault: ``fake_nboard_engine.py FAULT [TURN]``.

The fault strikes at its TURN-th ``go`` of the process and every later one, or where its name says.
"""

import os
import re
import sys
import time

from outflank.tests.support.fake_engine import (
    FOR_EVER,
    SQUARES,
    Board,
    Strike,
    be_busy,
    be_slow,
    close_output,
    crash_badly,
    flood_errors,
    hang_after,
    leave,
    leave_child,
    repeat,
    say,
    write,
)

_DEEPEST_IN_TIME = 20
_TURN = re.compile(r"\b([BW])\[([A-H][1-8]|PA)")


def command(fault: str = "none", turn: int = 1) -> list[str]:
    """How to start the engine with this fault."""
    return [sys.executable, __file__, fault, str(turn)]


class Engine:
    """Answers one line after the other until its fault strikes."""

    def __init__(self, fault: str, turn: int) -> None:
        self.fault, self.turn, self.turns = fault, turn, 0
        self.depth: int | None = None
        self.board, self.side = Board(), "b"

    def run(self) -> None:
        """Serve until quit."""
        if self.fault == "crash at start":
            sys.exit("no weights found")
        if self.fault == "banner":
            write("Welcome to the fake engine!\n= loading\n")
        for line in sys.stdin:
            word, _, rest = line.strip().partition(" ")
            if word == "quit":
                return
            if self.fault == "speaks GTP":
                write("? unknown command\n\n")
            elif word == "nboard":
                write("set myname Fake Engine\n")
            elif word == "ping" and self.fault != "no pong":
                write(f"pong {rest}\n")
            elif word == "set" and rest.startswith("game"):
                self.set_game(rest)
            elif word == "set" and (number := re.fullmatch(r"depth (\d+)", rest)):
                self.set_depth(int(number[1]))
            elif word == "go":
                self.go()

    def set_game(self, record: str) -> None:
        """Replay a game; the passes are in it."""
        if self.fault == "crash on game":
            sys.exit(4)
        self.board, self.side = Board(), "b"
        for letter, move in _TURN.findall(record):
            if move != "PA":
                self.board.play(SQUARES.index(move.lower()), letter.lower())
            self.side = "w" if letter == "B" else "b"

    def set_depth(self, depth: int) -> None:
        """Remember it; an engine whose name tells its depth says its name again."""
        self.depth = depth
        if self.fault == "no clock":
            write(f"set myname Edax{depth}\n")

    def go(self) -> None:
        """The first legal move, or the fault if its turn has come."""
        if self.fault == "no move without a depth" and self.depth is None:
            write('warning Must pick a depth with "set depth <n>" first\n')
            return
        if self.fault == "no clock" and (self.depth or 0) > _DEEPEST_IN_TIME:
            time.sleep(FOR_EVER)
        self.turns += 1
        move = SQUARES[self.board.choose(self.side)]
        write(f"status thinking\nsearch {move.upper()} +{self.turns}.00 0 1\nnodestats 1 0.00\n")
        strike = FAULTS.get(self.fault)
        text = strike(move) if strike is not None and self.turns >= self.turn else None
        write(f"{text or f'=== {move.upper()}/{self.turns}.00/0.00'}\n")


def answer_twice(move: str) -> str:
    """Say the move, and once more something that is none, when nobody waits any more."""
    return f"=== {move}\n=== a1"


def report_nothing(move: str) -> None:
    """Begin reports and name no move."""
    write("search \nbook \nsearch \t \n")


def leave_after_move(move: str) -> None:
    """Answer and exit at once."""
    write(f"=== {move}\n")
    os._exit(0)


def close_input(move: str) -> None:
    """Close the input, answer once and live on."""
    os.close(0)
    write(f"=== {move}\n")
    time.sleep(FOR_EVER)


FAULTS: dict[str, Strike] = {
    "crash": leave(3),
    "leave quietly": leave(0),
    "leave after move": leave_after_move,
    "segfault": crash_badly,
    "orphan": leave_child,
    "closed input": close_input,
    "closed output": close_output,
    "silence": hang_after(""),
    "half a line": hang_after("=== {}"),
    "drip": repeat("x", 0.005),
    "busy loop": be_busy,
    "endless search": repeat("search F5 +1.00 0 9\n", 0.001),
    "chatter flood": repeat(f"search F5 +1.00 0 9 {'x' * 5000}\n" * 10),
    "endless line": repeat("=" * 10000),
    "error flood": flood_errors,
    "illegal": say("=== A1/0.00/0.00"),
    "needless pass": say("=== PA"),
    "empty": say("==="),
    "nonsense": say("=== hello/there"),
    "resign": say("=== resign"),
    "slow": be_slow,
    "blanks": say("=== {} -1.00 0.4"),
    "no score": say("=== {}"),
    "time alone": say("==={}//0.4"),
    "not a score": say("=== {}/nan/0.4"),
    "too much": say("=== {}/6400/0.4"),
    "thousands of digits": say(f"=== {{}}/{'9' * 5000}/0.4"),
    "reports without a move": report_nothing,
    "twice": answer_twice,
}

if __name__ == "__main__":
    Engine(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1).run()
