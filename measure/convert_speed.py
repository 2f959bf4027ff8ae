"""Measures time and memory of the conversion of game files: ``python -m outflank.measure.convert_speed [GAMES]``.

In the games, Outflank plays against itself with searches of one ply, after eight random moves.
"""

import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from outflank.engine import Limit, Position, Searcher
from outflank.protocol.formats import WRITTEN_FORMATS
from outflank.protocol.formats.annotated import AnnotatedGame, Recorder
from outflank.protocol.formats.wthor import WthorWriter

_GAMES = 10_000
_RANDOM_MOVES = 8
_PLAYERS = 100
_LIMIT = Limit(depth=1)


def play(searcher: Searcher, rng: random.Random) -> AnnotatedGame:
    """Play a game to its end, and return it."""
    position = Position.start()
    recorder = Recorder(position)
    while not position.is_over:
        if position.must_pass:
            move = position.legal_moves()[0]
        elif len(recorder.moves) < _RANDOM_MOVES:
            move = rng.choice(position.legal_moves())
        else:
            move = searcher.search(position, _LIMIT).move
        recorder.play(move)
        position = position.play(move)
    black, white = rng.sample(range(_PLAYERS), 2)
    return AnnotatedGame(
        Position.start(), recorder.moves, black=f"player {black}", white=f"player {white}", date="2026"
    )


def _write_database(path: Path, count: int) -> None:
    searcher, rng = Searcher(1, seed=1), random.Random(1)
    with path.open("wb") as stream:
        writer = WthorWriter(stream, (2026, 1, 1))
        for _ in range(count):
            writer.add(play(searcher, rng))
        for suffix, data in writer.finish().items():
            path.with_suffix(suffix).write_bytes(data)


def convert(source: Path, name: str, output: Path) -> tuple[float, int]:
    """Run a conversion in a new process. Return the processor seconds, from its start, and the peak memory in KiB."""
    program = [sys.executable, "-m", "outflank.tools.cli.program"]
    process = subprocess.Popen(
        [*program, "convert", str(source), "--format", name, "-o", str(output)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, process.returncode, used = os.wait4(process.pid, 0)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss


def main(count: int = _GAMES) -> None:
    """Print the time and memory of a conversion to each format."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "games.wtb"
        # A separate process writes the games, since a child's peak memory includes its parent's memory at the fork.
        writing = multiprocessing.get_context("spawn").Process(target=_write_database, args=(source, count))
        writing.start()
        writing.join()
        print(f"{count} games, {source.stat().st_size:,} bytes of WTHOR")
        for name in WRITTEN_FORMATS:
            output = Path(folder) / f"{name}.wtb"
            seconds, peak = convert(source, name, output)
            size = output.stat().st_size
            print(
                f"WTHOR to {name:<10} {seconds:6.1f} s {count / seconds:6.0f} games/s {size:>12,} bytes written, "
                f"{peak // 1024} MB of memory"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
