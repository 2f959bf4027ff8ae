"""``outflank convert`` needs no more memory for more games; what it prints is in transcripts/convert.console."""

import os
import subprocess
import sys
from pathlib import Path

GAME = "(;GM[Othello]PB[Ann]PW[Bob]DT[1999-05-01]RE[+2.00]BO[8 {} *]B[F5]W[D6]B[C3];)".format(
    "---------------------------O*------*O---------------------------"
)


def test_memory_does_not_grow_with_the_games(tmp_path: Path) -> None:
    """Measured in processes of their own."""
    script = (
        "import resource, sys; from outflank.tools.commands.program import cli; "
        "cli(sys.argv[1:], standalone_mode=False); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )

    def peak(count: int) -> int:
        path = tmp_path / f"{count}.ggf"
        path.write_text(GAME * count)
        command = [sys.executable, "-c", script, "convert", str(path), "--to", "sgf", "-o", os.devnull]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        return int(ran.stderr.split()[-1])

    assert peak(4000) - peak(40) < 2048  # kilobytes; all 4000 together would be many times that
