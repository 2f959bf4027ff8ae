"""``outflank compliance`` where transcripts/compliance.console is not enough."""

import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from outflank.protocol.drivers.spec import command_line
from outflank.tests.support.processes import children, living_members
from outflank.tests.support.program import OUTFLANK, outflank
from outflank.tools.checks.examination import CATALOGUES
from outflank.tools.commands.engines import _examined


def test_outflank_is_examined_without_its_book() -> None:
    """Its clock and its searches can't be seen while it answers from a book."""
    assert command_line(_examined("outflank gtp --level 3"))[1:] == ["gtp", "--level", "3", "--book=none"]
    assert command_line(_examined("outflank nboard --book mine"))[1:] == ["nboard", "--book", "mine"]
    assert command_line(_examined("edax -gtp"))[1:] == ["-gtp"]


def is_leader(pid: int) -> bool:
    """Whether a process has a session of its own, as engines have."""
    try:
        return os.getsid(pid) == pid
    except ProcessLookupError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_and_its_engine(number: signal.Signals) -> None:
    """Here while the engine does not answer."""
    words = [OUTFLANK, "compliance", shlex.join([sys.executable, "-c", "import time; time.sleep(60)"])]
    running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (engines := [pid for pid in children(running.pid) if is_leader(pid)]):
        time.sleep(0.01)
    time.sleep(0.2)
    os.kill(running.pid, number)
    _, errors = running.communicate(timeout=20)

    assert running.returncode == 128 + number, errors
    assert living_members(engines[0]) == []


def test_the_list_of_checks_names_each_with_its_rule() -> None:
    ran = outflank("compliance", "--list")

    assert ran.returncode == 0
    for _, catalogue in CATALOGUES.values():
        for name, check in catalogue.items():
            assert f"  {name}" in ran.stdout
            assert " ".join(check.rule.split()) in " ".join(ran.stdout.split())
