"""A tiny engine that plays the first legal move and commits one fault: ``fake_engine.py [--speak uci] [--fault NAME]``.

It speaks GTP, NBoard's protocol or UCI. Most faults occur at the move ``--turn N`` (1 by default) and at every later
move, counted per game in GTP and per process otherwise; the others occur where their name says. ``--speak instant`` and
``--speak tunable`` are GTP engines that choose their moves in other ways. Needs only Python, and imports what few
engines use where they use it, so that it starts fast.
"""

import os
import sys
import time
from abc import ABC, abstractmethod
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
    "values": ["kata-set-param", "kata-get-param"],
}
"""The additional commands that a GTP engine lists if the name of its fault contains the key."""
OPTIONS = """option name Threads type spin default 1 min 1 max 512
option name Move Overhead type spin default 10 min 0 max 5000
option name UCI_Variant type combo default chess var chess var flipello
"""
SQUARES = [f"{column}{row}" for row in range(1, 9) for column in "abcdefgh"]
STEPS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
FOR_EVER = 1000  # seconds
NAME = "fake"
_DEEPEST_IN_TIME = 20


GAME = (
    "e6d6c3f4d7c5g4g3c4g5b5c7f5a5a6d8a4f7f6d3h4c2e7e3g6f8b4b3e2h5"
    "b6f3h6g7c6a7d2d1c1b1c8b2h7h8h2a3h3h1f2g2f1g1e8g8a2a1b7b8a8e1"
)
MOVES = [GAME[start : start + 2] for start in range(0, len(GAME), 2)]
BEST = {"v1": 0.8, "v2": 0.3, "v3": 0.6, "v4": 0.25, "v5": 0.7, "v6": 0.4, "v7": 0.55, "v8": 7.0}
RANGES = {name: 10.0 if name == "v8" else 1.0 for name in BEST}
_WORST_ELO = 800.0  # the Elo that a value loses if its distance from BEST is its whole range
_LIKELIEST, _LEAST_LIKELY = 0.9, 0.2  # the probability of resigning at a move, at most and at least


def command(fault: str = "none", turn: int = 1, speak: str = "gtp") -> list[str]:
    options = ["--speak", speak, "--fault", fault, "--turn", str(turn)]
    folder = os.path.dirname(__file__)
    started = (
        f"import sys; sys.path.insert(0, {folder!r}); import fake_engine; fake_engine.main(sys.argv[1:])"
    )
    return [sys.executable, "-I", "-S", "-c", started, *options]


def write(text: str) -> None:
    os.write(1, text.encode("latin-1"))


class Board:
    """A board of 64 letters ``b``, ``w`` or blank, a1 first."""

    def __init__(self) -> None:
        self.discs = [" "] * 64
        for name, colour in (("d4", "w"), ("e5", "w"), ("e4", "b"), ("d5", "b")):
            self.discs[SQUARES.index(name)] = colour

    def turned(self, square: int, colour: str) -> list[int]:
        found: list[int] = []
        if self.discs[square] != " ":
            return found
        for dx, dy in STEPS:
            x, y, run = square % 8 + dx, square // 8 + dy, []
            while 0 <= x < 8 and 0 <= y < 8 and self.discs[8 * y + x] not in (" ", colour):
                run.append(8 * y + x)
                x, y = x + dx, y + dy
            if 0 <= x < 8 and 0 <= y < 8 and self.discs[8 * y + x] == colour:
                found += run
        return found

    def play(self, square: int, colour: str) -> None:
        for changed in [*self.turned(square, colour), square]:
            self.discs[changed] = colour

    def choose(self, colour: str) -> int:
        return next(square for square in range(64) if self.turned(square, colour))


class Engine(ABC):
    """An engine that serves its input line by line, and commits its fault."""

    banner = ""
    answer = "{}"  # the form of the answer to a request for a move
    chatter = ""

    def __init__(self, fault: str = "none", turn: int = 1) -> None:
        self.fault, self.turn, self.turns = fault, turn, 0
        self.board, self.side = Board(), "b"

    def run(self) -> None:
        if self.fault == "crash at start":
            sys.exit("no weights found in \033[1mcoffee\033[0m")
        if self.fault == "banner":
            write(self.banner)
        if self.fault == "stubborn":
            import signal

            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for line in sys.stdin:
            word, _, rest = line.strip().partition(" ")
            if word == "quit" and self.fault == "stubborn":
                time.sleep(FOR_EVER)
            if self.fault == "speaks GTP":
                write("? unknown command\n\n")
            else:
                self.serve(word, rest)
            if word == "quit":
                return

    @abstractmethod
    def serve(self, word: str, rest: str) -> None:
        """Answer a command."""

    def strike(self, move: str) -> str | None:
        """Commit the fault if its turn has come. Return the faulty answer, if the fault is an answer."""
        self.turns += 1
        strike = FAULTS.get(self.fault.removesuffix(" aloud"))
        return strike(self, move) if strike is not None and self.turns >= self.turn else None


class GtpEngine(Engine):
    banner = "=====\nWelcome to the fake engine!\n=====\n"
    answer = "= {}\n\n"
    chatter = "info " * 1000

    def serve(self, word: str, rest: str) -> None:
        text = self.text_of(word, rest.split())
        if word == ANALYSIS and not text:
            return
        write(f"{text}\n\n" if text[:1] in ("=", "?") else f"= {text}\n\n")
        if self.fault == "empty lines" and word == "genmove":
            write("\n" * (1 << 20))
        if self.fault == "chatter":
            write("\0thinking \033[31mhard\033[0m\n\n")

    def text_of(self, name: str, arguments: list[str]) -> str:
        """Return the text of an answer, with its sign unless the answer is a plain success."""
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
            from signal import SIGKILL

            os.kill(os.getpid(), SIGKILL)
        if name in ("time_settings", "time_left") and self.fault == "refuse time":
            return "? I have my own watch"
        if name == "loadsgf":
            with open(arguments[0]) as file:
                return file.readline().strip()
        extras = (extra for word, listed in EXTRAS.items() if word in self.fault for extra in listed)
        called = "Edax" if "edax" in self.fault else NAME
        answers = {"protocol_version": "2", "name": called, "list_commands": "\n".join([*COMMANDS, *extras])}
        return answers.get(name, "")

    def take(self, arguments: list[str]) -> str:
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
        """Return the first legal move, or the fault's answer if its turn has come."""
        square = self.board.choose(colour)
        if (text := self.strike(SQUARES[square])) is not None:
            return text
        self.board.play(square, colour)
        return SQUARES[square].upper() if self.fault == "upper case" else SQUARES[square]

    def genmove_aloud(self, colour: str) -> str:
        """Return the first legal move, with two reports. The score of the last is the number of moves chosen so far.

        The fault ``score N aloud`` reports N instead.
        """
        if self.fault == "deaf aloud":
            return "? unknown command"
        move = self.genmove(colour)
        if move[:1] in ("=", "?"):
            return move
        given = self.fault.removeprefix("score ").removesuffix(" aloud")
        last = int(given) if self.fault.startswith("score ") else self.turns
        reports = (f"info move {move} visits 1 scoreLead {score:.2f} pv {move}" for score in (0, last))
        return "\n".join(["", *reports, f"play {move}"])

    def analyse(self, colour: str) -> str:
        """Write two reports, then wait for a line of input, which ends the analysis; faults change this."""
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
        """Return the true score, unless the fault concerns the score."""
        if self.fault == "no answer to score":
            time.sleep(FOR_EVER)
        if self.fault == "false score":
            return "B+1"
        if self.fault == "endless score":
            return "\n".join(["B+1" * 10_000] * 34)  # just less than the size limit of an answer
        margin = self.board.discs.count("b") - self.board.discs.count("w")
        return f"{'B' if margin > 0 else 'W'}+{abs(margin)}" if margin else "0"


class InstantEngine(GtpEngine):
    """An engine that replays GAME without thinking, so that the cost of a game is the runner's own time.

    The fault ``SHARE LOG`` commits one of four faults in a share of the games (0 to 1), and writes its name to the log.
    """

    striking = -1

    def text_of(self, name: str, arguments: list[str]) -> str:
        share, _, log = self.fault.partition(" ")
        if log:
            import random
        if name == "clear_board":
            strikes = log and random.random() < float(share)
            self.turns, self.striking = 0, random.randrange(4, len(MOVES) - 4) if strikes else -1
        if name == "genmove" and 0 <= self.striking <= self.turns:
            self.striking = -1
            fault = random.choice(("crash", "illegal", "refuse", "silence"))
            with open(log, "a") as file:
                file.write(f"{fault}\n")
            return FAULTS[fault](self, "") or ""
        if name in ("genmove", "play"):
            self.turns += 1
            return MOVES[self.turns - 1] if name == "genmove" else ""
        return "" if name == "clear_board" else super().text_of(name, arguments)


class TunableEngine(GtpEngine):
    """An engine whose strength is a known function of eight values.

    ``kata-set-param vN VALUE`` sets a value from 0 to 1, or v8 to a whole number from 0 to 10. The farther the values
    are from BEST, the likelier the engine resigns instead of moving. Resignations depend only on values, colour and
    moves, so that a run is reproducible.
    """

    values, moves = dict.fromkeys(BEST, 0.5) | {"v8": 5.0}, ""

    def text_of(self, name: str, arguments: list[str]) -> str:
        if name == "clear_board":
            self.moves = ""
        if name == "kata-set-param":
            self.values[arguments[0].lower()] = float(arguments[1])
        if name == "kata-get-param":
            return repr(self.values[arguments[0].lower()])
        if name == "play":
            self.moves += arguments[1].lower()
        return super().text_of(name, arguments)

    def genmove(self, colour: str) -> str:
        """Return the first legal move, a pass, or a resignation."""
        import random

        odds = min(_LEAST_LIKELY * 10 ** (-strength(self.values) / 400), _LIKELIEST)
        drawn = random.Random(f"{colour} {self.moves} {sorted(self.values.items())}")
        if drawn.random() < odds:
            return "resign"
        can_move = any(self.board.turned(square, colour) for square in range(64))
        move = super().genmove(colour) if can_move else "pass"
        self.moves += move
        return move


def strength(values: dict[str, float]) -> float:
    """Return the strength of a tunable engine in Elo; the maximum is 0."""
    return -sum(_WORST_ELO * ((values[name] - best) / RANGES[name]) ** 2 for name, best in BEST.items())


class NBoardEngine(Engine):
    banner = "=====\nWelcome to the fake engine!\n= loading\n"
    answer = "=== {}\n"
    chatter = "search F5 +1.00 0 9 "
    depth: int | None = None

    def serve(self, word: str, rest: str) -> None:
        if word == "nboard":
            write("set myname Fake Engine\n")
        elif word == "ping":
            write(f"pong {rest}\n")
        elif word == "set" and rest.startswith("game"):
            self.set_game(rest)
        elif word == "set" and rest.startswith("depth "):
            self.depth = int(rest.removeprefix("depth "))
            if self.fault == "no clock":  # this engine's name contains its depth, so it sends the name again
                write(f"set myname Edax{self.depth}\n")
        elif word == "go":
            self.go()

    def set_game(self, record: str) -> None:
        """Replay the game of a record, which includes passes."""
        if self.fault == "crash on game":
            sys.exit(4)
        self.board, self.side = Board(), "b"
        for fact in record.split("]"):
            letter, _, move = fact.strip("(; ").partition("[")
            if letter in ("B", "W"):
                if move[:2] != "PA":
                    self.board.play(SQUARES.index(move[:2].lower()), letter.lower())
                self.side = "w" if letter == "B" else "b"

    def go(self) -> None:
        """Answer with the first legal move, or with the fault's answer if its turn has come."""
        if self.fault == "no move without a depth" and self.depth is None:
            write('warning Must pick a depth with "set depth <n>" first\n')
            return
        if self.fault == "no clock" and (self.depth or 0) > _DEEPEST_IN_TIME:
            time.sleep(FOR_EVER)
        move = SQUARES[self.board.choose(self.side)].upper()
        write(f"status thinking\nsearch {move} +{self.turns + 1}.00 0 1\nnodestats 1 0.00\n")
        text = self.strike(move)
        text = f"{move}/{self.turns}.00/0.00" if text is None else text
        write(f"{text}\n" if text.startswith("===") else f"=== {text}\n")


class UciEngine(Engine):
    """An engine that speaks UCI with the variant ``flipello``, in which UCI's White is Black."""

    banner = "Welcome to the fake engine!\n"
    answer = "bestmove P@{}\n"
    chatter = "info depth 9 score cp 100 nodes 9 pv P@f5 "

    def serve(self, word: str, rest: str) -> None:
        if word == "uci":
            options = OPTIONS.replace(" var flipello", "") if self.fault == "chess alone" else OPTIONS
            write(f"id name Fake Uci\n{options}uciok\n")
        elif word == "isready":
            write("readyok\n")
        elif word == "position":
            placement, side = rest.split()[1:3]
            rows = reversed(placement.partition("[")[0].split("/"))
            letters = "".join(" " * int(each) if each.isdigit() else each for each in "".join(rows))
            self.board.discs = [{"P": "b", "p": "w"}.get(letter, " ") for letter in letters]
            self.side = "b" if side == "w" else "w"
        elif word == "go":
            move = SQUARES[self.board.choose(self.side)]
            score = (self.turns + 1) * 100
            write(f"info string thinking\ninfo depth 1 score cp {score} nodes 7 pv P@{move} P@a1\n")
            text = self.strike(move)
            text = f"{move} ponder P@a1" if text is None else text
            write(f"{text}\n" if "bestmove" in text else f"bestmove P@{text}\n")


Strike = Callable[[Engine, str], str | None]


def leave(code: int) -> Strike:
    return lambda engine, move: os._exit(code)


def say(text: str) -> Strike:
    """Return a fault that answers `text`, with the legal move for ``{}``. The engine adds the protocol's sign."""
    return lambda engine, move: text.format(move)


def crash_badly(engine: Engine, move: str) -> None:
    from signal import SIGSEGV

    os.kill(os.getpid(), SIGSEGV)


def hang_after(lines: int | None) -> Strike:
    """Return a fault that writes the answer with only `lines` line feeds, or nothing if None, and then hangs."""

    def strike(engine: Engine, move: str) -> None:
        if lines is not None:
            write(engine.answer.format(move).rstrip("\n") + "\n" * lines)
        time.sleep(FOR_EVER)

    return strike


def repeat(text: str, pause: float = 0.0) -> Strike:
    """Return a fault that writes `text` forever, with a line of chatter for ``{}``."""

    def strike(engine: Engine, move: str) -> None:
        while True:
            write(text.format(engine.chatter))
            time.sleep(pause)

    return strike


def be_busy(engine: Engine, move: str) -> None:
    while True:
        pass


def flood_errors(engine: Engine, move: str) -> None:
    """Write 20 MB to stderr, then let the engine move."""
    for _ in range(256):
        os.write(2, b"error \0\033[2J\xff" * 7000)
    os.write(2, b"\nso much for that\n")


def leave_after_move(engine: Engine, move: str) -> None:
    write(engine.answer.format(move))
    os._exit(0)


def leave_child(engine: Engine, move: str) -> None:
    """Exit while a child process keeps the pipes open."""
    if os.fork() == 0:
        time.sleep(FOR_EVER)
    os._exit(5)


def close_input(engine: Engine, move: str) -> None:
    """Close the input, answer once, and keep running."""
    os.close(0)
    write(engine.answer.format(move))
    time.sleep(FOR_EVER)


def close_output(engine: Engine, move: str) -> None:
    os.close(1)
    time.sleep(FOR_EVER)


def be_slow(engine: Engine, move: str) -> None:
    time.sleep(0.3)


def report_nothing(engine: Engine, move: str) -> None:
    """Write reports of NBoard's protocol that have no move."""
    write("search \nbook \nsearch \t \n")


FAULTS: dict[str, Strike] = {
    "crash": leave(3),
    "leave quietly": leave(0),
    "leave after move": leave_after_move,
    "segfault": crash_badly,
    "silence": hang_after(None),
    "half a line": hang_after(0),
    "no blank line": hang_after(1),
    "drip": repeat("x", 0.005),
    "line feeds": repeat("\n", 0.0001),
    "endless answer": repeat(f"= {'f5 ' * 1000}\n" * 10),
    "endless line": repeat("=" * 10000),
    "endless search": repeat("{}\n", 0.001),
    "chatter flood": repeat(f"{{0}}{'x' * 5000}\n" * 10),
    "error flood": flood_errors,
    "illegal": say("a1"),
    "needless pass": say("PASS"),
    "null move": say("bestmove 0000"),
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
    # Unusual forms of an answer in NBoard's protocol and UCI.
    "blanks": say("=== {} -1.00 0.4"),
    "no score": say("=== {}"),
    "time alone": say("==={}//0.4"),
    "not a score": say("=== {}/nan/0.4"),
    "too much": say("=== {}/6400/0.4"),
    "thousands of digits": say(f"=== {{}}/{'9' * 5000}/0.4"),
    "reports without a move": report_nothing,
    "twice": say("=== {}\n=== A1"),
    "mate": say("info depth 3 score mate 5 pv P@{0}\nbestmove P@{0}"),
    "too many pieces": say("info depth 3 score cp 999999 pv P@{0}\nbestmove P@{0}"),
}
SPEAKERS: dict[str, type[Engine]] = {
    "gtp": GtpEngine,
    "instant": InstantEngine,
    "tunable": TunableEngine,
    "nboard": NBoardEngine,
    "uci": UciEngine,
}


def main(arguments: list[str]) -> None:
    given = dict(zip(arguments[::2], arguments[1::2], strict=True))
    speak = SPEAKERS[given.get("--speak", "gtp")]
    speak(given.get("--fault", "none"), int(given.get("--turn", "1"))).run()


if __name__ == "__main__":
    main(sys.argv[1:])
