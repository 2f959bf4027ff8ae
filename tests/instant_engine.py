"""A GTP engine that knows one game by heart and plays it without looking at the board: ``instant_engine.py``.

What a game costs beyond such engines is the runner's own time. Needs nothing but Python, so that it starts fast.
"""

import os
import sys

GAME = (
    "e6d6c3f4d7c5g4g3c4g5b5c7f5a5a6d8a4f7f6d3h4c2e7e3g6f8b4b3e2h5"
    "b6f3h6g7c6a7d2d1c1b1c8b2h7h8h2a3h3h1f2g2f1g1e8g8a2a1b7b8a8e1"
)
MOVES = [GAME[start : start + 2] for start in range(0, len(GAME), 2)]
LISTED = "protocol_version\nname\nversion\nlist_commands\nquit\nboardsize\nclear_board\nplay\ngenmove"
ANSWERS = {"protocol_version": "2", "name": "instant", "list_commands": LISTED}


def command() -> list[str]:
    """How to start the engine."""
    return [sys.executable, "-I", "-S", __file__]


def main() -> None:
    """Serve until quit."""
    played = 0
    for line in sys.stdin:
        name = line.split()[0]
        answer = ANSWERS.get(name, "")
        if name == "genmove":
            answer = MOVES[played]
        if name in ("genmove", "play"):
            played += 1
        if name == "clear_board":
            played = 0
        os.write(1, f"= {answer}\n\n".encode())
        if name == "quit":
            return


if __name__ == "__main__":
    main()
