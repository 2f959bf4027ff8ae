"""A tiny UCI engine that knows ``flipello``, plays the first legal move and commits one fault: ``... FAULT [TURN]``.

The fault strikes at its TURN-th ``go`` of the process and every later one, or where its name says.
"""

import sys

from outflank.engine import Position
from outflank.tests.support.fake_engine import (
    Strike,
    be_slow,
    flood_errors,
    hang_after,
    leave,
    repeat,
    say,
    write,
)

_OPTIONS = """option name Threads type spin default 1 min 1 max 512
option name Move Overhead type spin default 10 min 0 max 5000
option name UCI_Variant type combo default chess var chess var flipello
"""


def command(fault: str = "none", turn: int = 1) -> list[str]:
    """How to start the engine with this fault."""
    return [sys.executable, __file__, fault, str(turn)]


class Engine:
    """Answers one line after the other until its fault strikes."""

    def __init__(self, fault: str, turn: int) -> None:
        self.fault, self.turn, self.turns = fault, turn, 0
        self.position = Position.start()

    def run(self) -> None:
        """Serve until quit."""
        for line in sys.stdin:
            word, _, rest = line.strip().partition(" ")
            if word == "quit":
                return
            if self.fault == "speaks GTP":
                write("? unknown command\n\n")
            elif word == "uci":
                options = _OPTIONS.replace(" var flipello", "") if self.fault == "chess alone" else _OPTIONS
                write(f"id name Fake Uci\n{options}uciok\n")
            elif word == "isready" and self.fault != "never ready":
                write("readyok\n")
            elif word == "position":
                self.position = read_position(rest)
            elif word == "go":
                self.go()

    def go(self) -> None:
        """The first legal move, or the fault if its turn has come."""
        self.turns += 1
        move = str(self.position.legal_moves()[0])
        write(f"info string thinking\ninfo depth 1 score cp {self.turns * 100} nodes 7 pv P@{move}\n")
        strike = FAULTS.get(self.fault)
        text = strike(move) if strike is not None and self.turns >= self.turn else None
        write(f"{text or f'bestmove P@{move} ponder P@a1'}\n")


def read_position(text: str) -> Position:
    """The board of ``fen ROWS[HAND] w - - 0 1``: White, who begins in UCI, is Black."""
    placement, side = text.split()[1:3]
    rows = placement.partition("[")[0].split("/")
    squares = "".join(
        "-" * int(letter) if letter.isdigit() else {"P": "X", "p": "O"}[letter]
        for row in reversed(rows)
        for letter in row
    )
    return Position.parse(f"{squares} {'X' if side == 'w' else 'O'}")


FAULTS: dict[str, Strike] = {
    "crash": leave(3),
    "silence": hang_after(""),
    "endless search": repeat("info depth 9 score cp 100 nodes 9 pv P@f5\n", 0.001),
    "error flood": flood_errors,
    "illegal": say("bestmove P@a1"),
    "null move": say("bestmove 0000"),
    "empty": say("bestmove"),
    "slow": be_slow,
    "mate": say("info depth 3 score mate 5 pv P@{0}\nbestmove P@{0}"),
    "too much": say("info depth 3 score cp 999999 pv P@{0}\nbestmove P@{0}"),
}

if __name__ == "__main__":
    Engine(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1).run()
