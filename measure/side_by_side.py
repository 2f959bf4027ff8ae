"""Measures several engines on one machine: ``python -m outflank.measure.side_by_side [PYTHON ...]``.

Each PYTHON is the interpreter of an installation. The default is this interpreter. Eight processes of an installation
run at the same time for some seconds. Each process plays games against itself with 0.1 s per move. The installations
take turns.
"""

import subprocess
import sys
from statistics import median

ENGINES = 8
SECONDS = 8.0
ROUNDS = 4

# The program of a process, compatible with every version of the engine. It prints "ready", waits for a line of input,
# and then plays.
PLAYER = """
import sys, time
from outflank.engine import Game, Limit, Searcher
searcher, game, nodes = Searcher(seed=int(sys.argv[1])), Game(), 0
searcher.prepare()
print("ready", flush=True)
sys.stdin.readline()
began = time.monotonic()
while time.monotonic() < began + float(sys.argv[2]):
    if game.position.is_over:
        game = Game()
    result = searcher.search(game.position, Limit(seconds=0.1))
    nodes += result.nodes
    game.play(result.move)
seconds = time.monotonic() - began
sizes = {line.split(":")[0]: int(line.split()[1]) for line in open("/proc/self/smaps_rollup") if " kB" in line}
print(nodes / seconds, sizes["Private_Clean"] + sizes["Private_Dirty"], sizes["Pss"])
"""


def play(python: str) -> tuple[float, float, float]:
    """Let the engines of an installation play at the same time.

    Returns: the total nodes per second of all engines, the mean private memory of an engine in KiB, and the memory of
        all engines in KiB. The last figure counts shared memory once.
    """
    players = [
        subprocess.Popen(
            [python, "-c", PLAYER, str(number), str(SECONDS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(ENGINES)
    ]
    for player in players:
        assert player.stdout is not None
        assert player.stdout.readline() == "ready\n"
    for player in players:
        assert player.stdin is not None
        player.stdin.write("go\n")
        player.stdin.flush()
    found = [[float(word) for word in player.communicate()[0].split()] for player in players]
    speeds, private, memory = zip(*found, strict=True)
    return sum(speeds), sum(private) / ENGINES, sum(memory)


def main(pythons: list[str]) -> None:
    """Print the median, minimum and maximum of several rounds for each installation."""
    rounds = [[play(python) for python in pythons] for _ in range(ROUNDS)]
    for python, found in zip(pythons, zip(*rounds, strict=True), strict=True):
        speeds, private, memory = zip(*found, strict=True)
        in_millions = [speed / 1e6 for speed in speeds]
        print(python)
        print(
            f"  {median(in_millions):6.2f} M nodes/s in sum ({min(in_millions):.2f} to {max(in_millions):.2f})"
        )
        print(f"  {median(private) / 1024:6.1f} MiB private to each engine")
        print(f"  {median(memory) / 1024:6.1f} MiB for all {ENGINES}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
