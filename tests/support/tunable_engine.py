"""A GTP engine whose strength is a known function of eight values: ``tunable_engine.py [SECONDS]``.

``kata-set-param vN VALUE`` sets them, 0 to 1 but for the last, a whole number from 0 to 10; it lists no other way. The
farther they are from BEST, the likelier it resigns before a move. Whether it does depends on values, colour and moves
alone, so that a run repeats. Needs nothing but Python.
"""

import hashlib
import os
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from fake_engine import SQUARES, Board  # type: ignore[import-not-found]  # by the line above

BEST = {"v1": 0.8, "v2": 0.3, "v3": 0.6, "v4": 0.25, "v5": 0.7, "v6": 0.4, "v7": 0.55, "v8": 7.0}
RANGES = {name: 10.0 if name == "v8" else 1.0 for name in BEST}
ELO = 800.0  # that a value costs which is as wrong as can be
LIKELIEST, LEAST_LIKELY = 0.9, 0.2  # to resign at a move, at worst and at best
COMMANDS = ["protocol_version", "name", "version", "list_commands", "quit", "boardsize", "clear_board"]
COMMANDS += ["play", "genmove", "kata-set-param", "kata-get-param"]
SAID = {"protocol_version": "2", "name": "tunable", "version": "1", "list_commands": "\n".join(COMMANDS)}


def command(seconds: float = 0.0) -> list[str]:
    """How to start the engine, which sleeps for so long before each move."""
    return [sys.executable, "-I", "-S", __file__, str(seconds)]


def strength(values: dict[str, float]) -> float:
    """In Elo, 0 at best."""
    return -sum(ELO * ((values[name] - best) / RANGES[name]) ** 2 for name, best in BEST.items())


class Engine:
    """A game, and the values it is played with."""

    def __init__(self) -> None:
        self.values = dict.fromkeys(BEST, 0.5) | {"v8": 5.0}
        self.clear()

    def clear(self) -> None:
        self.board, self.moves = Board(), ""

    def play(self, colour: str, square: str) -> None:
        self.moves += square
        if square != "pass":
            self.board.play(SQUARES.index(square), colour)

    def choose(self, colour: str) -> str:
        """The first legal move, a pass, or no move at all."""
        odds = min(LEAST_LIKELY * 10 ** (-strength(self.values) / 400), LIKELIEST)
        drawn = hashlib.sha256(f"{colour} {self.moves} {sorted(self.values.items())}".encode()).digest()
        if int.from_bytes(drawn[:8], "big") / 2**64 < odds:
            return "resign"
        move = next((SQUARES[place] for place in range(64) if self.board.turned(place, colour)), "pass")
        self.play(colour, move)
        return move


def main(seconds: str = "0") -> None:
    engine = Engine()
    for line in sys.stdin:
        name, *words = line.lower().split()
        said = SAID.get(name, "")
        if name == "clear_board":
            engine.clear()
        elif name == "kata-set-param":
            engine.values[words[0]] = float(words[1])
        elif name == "kata-get-param":
            said = repr(engine.values[words[0]])
        elif name == "play":
            engine.play(words[0][0], words[1])
        elif name == "genmove":
            time.sleep(float(seconds))
            said = engine.choose(words[0][0])
        os.write(1, f"= {said}\n\n".encode())
        if name == "quit":
            return


if __name__ == "__main__":
    main(*sys.argv[1:])
