"""A tiny GTP engine that plays the first legal move and commits one fault: ``fake_engine.py FAULT [TURN]``.

The fault strikes at its TURN-th genmove of a game (the first if left out) and every later one, or where its
name says. Needs nothing but Python, so that it starts fast.
"""

import os
import signal
import sys
import time
from collections.abc import Callable

COMMANDS = ["protocol_version", "name", "version", "known_command", "list_commands", "quit", "boardsize"]
COMMANDS += ["clear_board", "komi", "play", "genmove"]
ALOUD = "kata-genmove_analyze"
ANALYSIS = "lz-analyze"
EXTRAS = {
    "time": ["time_settings", "time_left"],
    "aloud": [ALOUD],
    "score": ["final_score"],
    "analysis": [ANALYSIS],
    "loads": ["loadsgf"],
}
"""What an engine lists besides if its fault has such a word."""
SQUARES = [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh"]
STEPS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
FOR_EVER = 1000  # seconds
NAME = "fake"
Strike = Callable[[str], str | None]


def command(fault: str = "none", turn: int = 1) -> list[str]:
    """How to start the engine with this fault."""
    return [sys.executable, "-I", "-S", __file__, fault, str(turn)]


def write(text: str) -> None:
    """Send `text` at once."""
    os.write(1, text.encode("latin-1"))


class Board:
    """64 letters ``b``, ``w`` or blank, a1 first."""

    def __init__(self) -> None:
        self.discs = [" "] * 64
        for name, colour in (("d4", "w"), ("e5", "w"), ("e4", "b"), ("d5", "b")):
            self.discs[SQUARES.index(name)] = colour

    def turned(self, square: int, colour: str) -> list[int]:
        """Squares turned by `colour` playing on `square`."""
        found = []
        for dx, dy in STEPS:
            x, y, run = square % 8 + dx, square // 8 + dy, []
            while 0 <= x < 8 and 0 <= y < 8 and self.discs[8 * y + x] not in (" ", colour):
                run.append(8 * y + x)
                x, y = x + dx, y + dy
            if 0 <= x < 8 and 0 <= y < 8 and self.discs[8 * y + x] == colour:
                found += run
        return found if self.discs[square] == " " else []

    def play(self, square: int, colour: str) -> None:
        """Put a disc there and turn what it brackets."""
        for changed in [*self.turned(square, colour), square]:
            self.discs[changed] = colour

    def choose(self, colour: str) -> int:
        """The first legal square."""
        return next(square for square in range(64) if self.turned(square, colour))


class Engine:
    """Answers one command after the other until its fault strikes."""

    def __init__(self, fault: str, turn: int) -> None:
        self.fault, self.turn = fault, turn
        self.strike = FAULTS.get(fault.removesuffix(" aloud"))
        self.board, self.turns = Board(), 0

    def run(self) -> None:
        """Serve until quit."""
        if self.fault == "crash at start":
            sys.exit("no weights found in \033[1mcoffee\033[0m")
        if self.fault == "banner":
            write("Welcome to the fake engine!\nloading...\n")
        if self.fault == "stubborn":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for line in sys.stdin:
            name, *arguments = line.split()
            if name == "quit" and self.fault == "stubborn":
                time.sleep(FOR_EVER)
            text = self.answer(name, arguments)
            if name == ANALYSIS and not text:
                continue
            write(f"{text}\n\n" if text[:1] in ("=", "?") else f"= {text}\n\n")
            if self.fault == "empty lines" and name == "genmove":
                write("\n" * (1 << 20))
            if self.fault == "chatter":
                write("\0thinking \033[31mhard\033[0m\n\n")
            if name == "quit":
                return

    def answer(self, name: str, arguments: list[str]) -> str:
        """The text of an answer, with its sign if that is not the usual one."""
        if name == "genmove":
            return self.genmove(arguments[0][0].lower())
        if name == ALOUD:
            return self.genmove_aloud(arguments[0][0].lower())
        if name == ANALYSIS:
            return self.analyse(arguments[0][0].lower())
        if name == "final_score":
            return self.final_score()
        if name == "play":
            return self.take(arguments)
        if name == "clear_board":
            time.sleep(1.2 if self.fault == "slow to begin" else 0)
            self.board, self.turns = Board(), 0
        if name == "version" and self.fault == "crash in handshake":
            os.kill(os.getpid(), signal.SIGKILL)
        if name in ("time_settings", "time_left") and self.fault == "refuse time":
            return "? I have my own watch"
        if name == "loadsgf":
            with open(arguments[0]) as file:
                return file.readline().strip()
        listed = [
            *COMMANDS,
            *(extra for word, extras in EXTRAS.items() if word in self.fault for extra in extras),
        ]
        called = "Edax" if "edax" in self.fault else NAME
        return {"protocol_version": "2", "name": called, "list_commands": "\n".join(listed)}.get(name, "")

    def take(self, arguments: list[str]) -> str:
        """Accept a move of the referee."""
        if self.fault == "slow to play":
            time.sleep(0.3)
        if self.fault == "crash on play":
            sys.exit(4)
        if arguments[1] == "pass":
            return "? syntax error" if self.fault == "refuse pass" else ""
        if self.fault == "refuse play":
            return "? illegal move"
        self.board.play(SQUARES.index(arguments[1].lower()), arguments[0][0])
        return ""

    def genmove(self, colour: str) -> str:
        """The first legal move, or the fault if its turn has come."""
        self.turns += 1
        square = self.board.choose(colour)
        if self.turns >= self.turn and self.strike is not None:
            text = self.strike(SQUARES[square])
            if text is not None:
                return text
        self.board.play(square, colour)
        return SQUARES[square].upper() if self.fault == "upper case" else SQUARES[square]

    def genmove_aloud(self, colour: str) -> str:
        """The first legal move, with two reports: the mover is a disc ahead for each move he has chosen."""
        if self.fault == "deaf aloud":
            return "? unknown command"
        move = self.genmove(colour)
        if move[:1] in ("=", "?"):
            return move
        reports = (
            f"info move {move} visits {score} scoreLead {score:.2f} pv {move}" for score in (0, self.turns)
        )
        return "\n".join(["", *reports, f"play {move}"])

    def analyse(self, colour: str) -> str:
        """Two reports at once, and none that follows unless the fault is so; any line ends it."""
        if self.fault == "no analysis":
            return "? not today"
        move = SQUARES[self.board.choose(colour)]
        reports = [f"info move {move} visits {visits} pv {move}\n" for visits in (1, 2)]
        write("=\n" + "".join(reports))
        while self.fault == "endless analysis":
            write(reports[1])
        if self.fault == "crash in analysis":
            os._exit(6)
        if self.fault != "short analysis":
            sys.stdin.readline()
        write("\n")
        return ""

    def final_score(self) -> str:
        """The true score, unless the fault is about it."""
        if self.fault == "no answer to score":
            time.sleep(FOR_EVER)
        if self.fault == "false score":
            return "B+1"
        if self.fault == "endless score":
            return "\n".join(["B+1" * 10_000] * 34)  # just less than an answer may have
        margin = self.board.discs.count("b") - self.board.discs.count("w")
        return f"{'B' if margin > 0 else 'W'}+{abs(margin)}" if margin else "0"


def leave(code: int) -> Strike:
    """Exit in the middle of a game."""
    return lambda move: os._exit(code)


def say(text: str) -> Strike:
    """Answer `text`, in which ``{}`` is the legal move."""
    return lambda move: text.format(move)


def crash_badly(move: str) -> None:
    """Be killed by SIGSEGV."""
    os.kill(os.getpid(), signal.SIGSEGV)


def hang_after(text: str) -> Strike:
    """Write `text` and never finish."""

    def strike(move: str) -> None:
        write(text.format(move))
        time.sleep(FOR_EVER)

    return strike


def repeat(text: str, pause: float = 0.0) -> Strike:
    """Write `text` for ever."""

    def strike(move: str) -> None:
        while True:
            write(text)
            time.sleep(pause)

    return strike


def be_busy(move: str) -> None:
    """Use all the processor time there is and never finish."""
    while True:
        pass


def flood_errors(move: str) -> None:
    """Write 100 MB of error text, then move."""
    for _ in range(1280):
        os.write(2, b"error \0\033[2J\xff" * 7000)
    os.write(2, b"\nso much for that\n")


def leave_after_move(move: str) -> None:
    """Answer and exit at once."""
    write(f"= {move}\n\n")
    os._exit(0)


def leave_child(move: str) -> None:
    """Exit while a child keeps our pipes open."""
    if os.fork() == 0:
        time.sleep(FOR_EVER)
    os._exit(5)


def close_input(move: str) -> None:
    """Close the input, answer once and live on."""
    os.close(0)
    write(f"= {move}\n\n")
    time.sleep(FOR_EVER)


def close_output(move: str) -> None:
    """Close the output and live on."""
    os.close(1)
    time.sleep(FOR_EVER)


def be_slow(move: str) -> None:
    """Take 0.3 seconds."""
    time.sleep(0.3)


FAULTS: dict[str, Strike] = {
    "crash": leave(3),
    "leave quietly": leave(0),
    "leave after move": leave_after_move,
    "segfault": crash_badly,
    "silence": hang_after(""),
    "half a line": hang_after("= {}"),
    "no blank line": hang_after("= {}\n"),
    "drip": repeat("x", 0.005),
    "line feeds": repeat("\n", 0.0001),
    "endless answer": repeat(f"= {'f5 ' * 1000}\n" * 10),
    "endless line": repeat("=" * 10000),
    "chatter flood": repeat(f"{'info ' * 1000}\n" * 10),
    "error flood": flood_errors,
    "illegal": say("a1"),
    "needless pass": say("PASS"),
    "resign": say("Resign"),
    "empty": say(""),
    "refuse": say("? out of ideas"),
    "nonsense": say("hello there"),
    "wrong id": say("=7 {}"),
    "no blank after the sign": say("={}"),
    "orphan": leave_child,
    "closed input": close_input,
    "closed output": close_output,
    "busy loop": be_busy,
    "slow": be_slow,
    "slow with time": be_slow,
    "slow aloud": be_slow,
}

if __name__ == "__main__":
    Engine(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1).run()
