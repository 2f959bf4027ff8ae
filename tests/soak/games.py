"""As many games of instant engines as there is time for; one of them fails in a twentieth of its games."""

import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from outflank.tests import instant_engine
from outflank.tests.soak.watch import Watch
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state.store import read_run

OUTFLANK = str(Path(sys.executable).with_name("outflank"))
FAULTY_SHARE = 0.05
TABLES = 8  # most wait for an engine that is silent
STALL_SECONDS = 30  # a busy machine may hold even an instant engine up for seconds
# What the referee calls the faults of the engine.
ENDINGS: Mapping[str, Ending] = {
    "crash": Ending.CRASH,
    "illegal move": Ending.ILLEGAL_MOVE,
    "refusal": Ending.PROTOCOL_ERROR,
    "silence": Ending.STALL,
}


def play(folder: Path, games: int, seconds: float, interval: float = 10.0) -> dict[str, object]:
    """Play them, until time is up; what was seen.

    Raises: AssertionError if a game is missing or is not counted as what it was.
    """
    log, openings = folder / "faults.log", folder / "openings.txt"
    log.touch()
    openings.write_text(instant_engine.GAME[:2])
    good, faulty = instant_engine.command(), instant_engine.command(str(FAULTY_SHARE), str(log))
    engines = [
        f"name={name} cmd={shlex.quote(shlex.join(cmd))}"
        for name, cmd in (("good", good), ("faulty", faulty))
    ]
    command = [OUTFLANK, "match", "--engine", engines[0], "--engine", engines[1], "--games", str(games)]
    command += [
        "--openings",
        str(openings),
        "--concurrency",
        str(TABLES),
        "--stall",
        str(STALL_SECONDS),
        "--seed",
        "1",
    ]
    with (folder / "progress.txt").open("wb") as errors:
        running = subprocess.Popen(
            [*command, "--out", str(folder / "run")], stdout=subprocess.DEVNULL, stderr=errors
        )
        watch, deadline = Watch(running.pid), time.monotonic() + seconds
        try:
            while running.poll() is None and time.monotonic() < deadline:
                time.sleep(min(interval, max(0.0, deadline - time.monotonic())))
                watch.look()
        finally:
            running.send_signal(signal.SIGINT)
            code = running.wait(1200)  # the report of so many games takes its time
    return {"exit code": code, **watch.facts(), **_counted(folder, log)}


def _counted(folder: Path, log: Path) -> dict[str, object]:
    run = read_run(folder / "run")
    seen = [*run.games, *(void.game for void in run.voids)]
    numbers = [game.pairing.number for game in run.games]
    assert len(set(numbers)) == len(numbers), "a game counts twice"
    missing = set(range(1, max(numbers))) - set(numbers)
    assert len(missing) <= 2 * TABLES, (
        f"games {sorted(missing)} are missing"
    )  # each table had a pair under way
    endings = Counter(game.ending for game in seen)
    faults = Counter(log.read_text().splitlines())
    for ending in set(ENDINGS.values()):
        committed = sum(faults[fault] for fault in ENDINGS if ENDINGS[fault] is ending)
        # The games that were under way when time was up are not recorded.
        assert committed - TABLES <= endings[ending] <= committed, (ending, committed, endings[ending])
    good = [game for game in seen if game.ending is not Ending.DISCS and game.winner_name != "good"]
    assert all(game in {void.game for void in run.voids} for game in good), "the good engine was blamed"
    return {
        "games": len(run.games),
        "voids": len(run.voids),
        "faults": dict(faults),
        "endings": {str(ending): count for ending, count in endings.items()},
    }
