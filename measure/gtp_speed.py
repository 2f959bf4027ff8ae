"""Measures the overhead of the protocol: ``python -m outflank.measure.gtp_speed``."""

import random
import time
from pathlib import Path
from statistics import median

from outflank.engine import Game
from outflank.tests.support.dialogue import Program

_RUNS = 5
# The commands that GoGui was observed to send to its ruler in one game.
_GOGUI_CLEARS, _GOGUI_PLAYS, _GOGUI_QUESTIONS = 377, 5795, 5990


def start_up() -> tuple[float, float]:
    """Return the seconds from the program's start to its first answer, and from there to the answer to ``genmove``."""
    began = time.monotonic()
    with Program("--level", "1") as program:
        program.ask("name")
        answered = time.monotonic()
        program.ask("genmove b")
        return answered - began, time.monotonic() - answered


def memory() -> float:
    """Return the private memory of an idle program in KiB."""
    with Program() as program:
        program.wait_until_ready()
        lines = Path(f"/proc/{program.process.pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def round_trip(program: Program) -> float:
    """Return the mean seconds from writing a command to its answer, over a thousand commands."""
    began = time.monotonic()
    for _ in range(1000):
        program.ask("gogui-rules_side_to_move")
    return (time.monotonic() - began) / 1000


def commands_a_second(program: Program, commands: list[str]) -> float:
    """Return the commands executed in a second if all are sent at once."""
    began = time.monotonic()
    program.write_meanwhile("".join(f"{command}\n" for command in commands))
    for _ in commands:
        program.answer()
    return len(commands) / (time.monotonic() - began)


def gogui_game() -> list[str]:
    """Return commands in the number and of the kinds that GoGui sends to its ruler in one game."""
    chance, game = random.Random(1), Game()
    while not game.position.is_over:
        game.play(chance.choice(game.position.legal_moves()))
    plays = [f"play {turn.colour} {turn.move}" for turn in game.turns]
    commands: list[str] = []
    for replay in range(_GOGUI_CLEARS):
        commands.append("clear_board")
        for play in plays[
            : _GOGUI_PLAYS * (replay + 1) // _GOGUI_CLEARS - _GOGUI_PLAYS * replay // _GOGUI_CLEARS
        ]:
            commands += [play, "gogui-rules_side_to_move"]
    return commands + ["gogui-rules_legal_moves"] * (_GOGUI_QUESTIONS - _GOGUI_PLAYS)


def genmove_overhead(program: Program) -> list[float]:
    """Return the seconds of searches of one ply, from writing ``genmove`` to its answer."""
    times = []
    for _ in range(300):
        program.ask("clear_board")
        began = time.monotonic()
        program.ask("genmove b")
        times.append(time.monotonic() - began)
    return times


def main() -> None:
    """Print every figure: median, minimum and maximum of five runs."""
    game = gogui_game()

    def report(name: str, unit: str, values: list[float]) -> None:
        print(f"{name:45} {median(values):9.2f} ({min(values):.2f} to {max(values):.2f}) {unit}", flush=True)

    first, then = zip(*(start_up() for _ in range(_RUNS)), strict=True)
    report("start to first answer", "ms", [1000 * seconds for seconds in first])
    report("from there to the first genmove's at level 1", "ms", [1000 * seconds for seconds in then])
    report("memory of an idle engine of its own", "MiB", [memory() / 1024 for _ in range(_RUNS)])
    with Program("--depth", "1") as program:
        runs = range(_RUNS)
        report("one command and its answer", "us", [1e6 * round_trip(program) for _ in runs])
        moves = [genmove_overhead(program) for _ in runs]
        report("genmove at depth 1", "ms", [1e3 * median(times) for times in moves])
        report("the slowest of 300", "ms", [1e3 * max(times) for times in moves])
        report(
            "all of a GoGui game, pipelined", "1000/s", [commands_a_second(program, game) / 1e3 for _ in runs]
        )


if __name__ == "__main__":
    main()
