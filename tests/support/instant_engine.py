"""A GTP engine that knows one game by heart and plays it at once: ``instant_engine.py [SHARE LOG]``.

What a game costs beyond such engines is the runner's own time. In a share of its games (0 to 1) it commits a fault of
those below, and writes its name to the log. Needs nothing but Python, so that it starts fast.
"""

import os
import random
import sys
import time

GAME = (
    "e6d6c3f4d7c5g4g3c4g5b5c7f5a5a6d8a4f7f6d3h4c2e7e3g6f8b4b3e2h5"
    "b6f3h6g7c6a7d2d1c1b1c8b2h7h8h2a3h3h1f2g2f1g1e8g8a2a1b7b8a8e1"
)
MOVES = [GAME[start : start + 2] for start in range(0, len(GAME), 2)]
LISTED = "protocol_version\nname\nversion\nlist_commands\nquit\nboardsize\nclear_board\nplay\ngenmove"
FAULTS = ("crash", "illegal move", "refusal", "silence")
FOR_EVER = 1000  # seconds
ANSWERS = {"protocol_version": "2", "name": "instant", "list_commands": LISTED}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-I", "-S", __file__, *arguments]


def commit(fault: str, log: str) -> str:
    """The answer to genmove in which a fault consists, if there is any."""
    with open(log, "a") as file:
        file.write(f"{fault}\n")
    if fault == "crash":
        os._exit(3)
    if fault == "silence":
        time.sleep(FOR_EVER)
    return "= a1\n\n" if fault == "illegal move" else "? not today\n\n"


def main(share: str = "0", log: str = "") -> None:
    played, striking = 0, -1
    for line in sys.stdin:
        name = line.split()[0]
        answer = ANSWERS.get(name, "")
        if name == "clear_board":
            striking = random.randrange(4, len(MOVES) - 4) if random.random() < float(share) else -1
        if name == "genmove" and 0 <= striking <= played:
            striking = -1
            os.write(1, commit(random.choice(FAULTS), log).encode())
            continue
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
    main(*sys.argv[1:])
