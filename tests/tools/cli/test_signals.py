"""A signal ends the program with its exit code and without a traceback, at whatever moment it comes."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outflank.tests.processes import children, living_members

# Sends itself a signal when it is about to import its N-th module after the first line of ours.
PROGRAM = """if True:
    import os, sys
    from outflank.tools.commands.start import main
    number, left = int(sys.argv.pop(1)), [int(sys.argv.pop(1))]

    def strike(event, arguments):
        if event == "import":
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), number)

    sys.addaudithook(strike)
    main()
"""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def ended(number: int, at: int, *words: str) -> subprocess.CompletedProcess[str]:
    """How the program ends that is struck at its import of that number."""
    command = [sys.executable, "-c", PROGRAM, str(number), str(at), *words]
    return subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=100, check=False
    )


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("at", [1, 2, 20, 60, 100, 150])
def test_while_modules_are_imported(number: int, at: int) -> None:
    result = ended(number, at, "match", "--help")

    assert (result.returncode, result.stderr) == (128 + number, "")


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("words", [["match", "--help"], ["gtp"], ["perft", "3"], ["report", "nothing"]])
def test_at_every_import(words: list[str]) -> None:
    """One import after the other, until the program ends before it is struck."""
    at, signals = 1, dict.fromkeys(SIGNALS, 0)
    while signals[signal.SIGINT] == at - 1:
        for number in SIGNALS:
            result = ended(number, at, *words)
            assert "Traceback" not in result.stderr
            signals[number] += result.returncode == 128 + number
        at += 1

    assert len(set(signals.values())) == 1
    assert at > 100


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("moment", [0.0, 0.3, 1.5])
def test_a_signal_to_all_processes_of_a_command_prints_no_traceback(
    tmp_path: Path, number: int, moment: float
) -> None:
    """As a terminal sends it that goes away; multiprocessing's tracker complained that it had been killed."""
    command = [
        sys.executable,
        "-m",
        "outflank.tools.commands.start",
        "book",
        "build",
        "b.db",
        "--workers",
        "2",
    ]
    with subprocess.Popen(
        command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as ran:
        while len(children(ran.pid)) < 2:  # the tracker, and what starts the workers
            assert ran.poll() is None
            time.sleep(0.01)
        time.sleep(moment)
        os.killpg(ran.pid, number)
        _, errors = ran.communicate(timeout=60)

    assert ran.returncode == 128 + number
    assert "Traceback" not in errors
    assert "resource_tracker" not in errors
    assert living_members(ran.pid) == []


def test_in_a_command_they_leave_nothing_behind() -> None:
    for number in SIGNALS:
        command = [sys.executable, "-m", "outflank.tools.commands.start", "perft", "30"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as counting:
            assert counting.stdout is not None
            counting.stdout.readline()
            counting.send_signal(number)
            _, errors = counting.communicate(timeout=60)
        assert (counting.returncode, errors) == (128 + number, "")
