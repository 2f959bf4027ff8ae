"""``outflank engines`` and ``compliance`` where their transcripts are not enough."""

import json
import os
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from outflank.protocol.drivers.catalogue import catalogue
from outflank.protocol.drivers.spec import command_line
from outflank.tests.support.processes import children, living_members
from outflank.tests.support.program import RHINO, needs_rhino, started
from outflank.tests.support.transcripts import run
from outflank.tools.checks.examination import CATALOGUES
from outflank.tools.commands.engines import _examined


def test_json_and_facts_have_each_engine_of_the_catalogue(tmp_path: Path) -> None:
    rows = run("engines", tmp_path, "--json").stdout.splitlines()
    shown = run("engines", tmp_path, "--facts").stdout

    assert [json.loads(row)["engine"] for row in rows] == list(catalogue())
    for known in catalogue().values():
        assert known.seen in shown
        assert all(f"{fact['fact']} [{fact['source']}, {fact['date']}]\n" in shown for fact in known.facts)


@needs_rhino
def test_grhino_is_found_though_it_may_be_on_no_path() -> None:
    shown = run("engines").stdout
    assert f"grhino                GTP GRhino 0.16.1\n    program: {RHINO}\n" in shown


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
def test_a_signal_ends_an_examination_and_its_engine_that_does_not_answer(number: signal.Signals) -> None:
    running = started("compliance", shlex.join([sys.executable, "-c", "import time; time.sleep(60)"]))
    while not (engines := [pid for pid in children(running.pid) if is_leader(pid)]):
        time.sleep(0.01)
    time.sleep(0.2)
    os.kill(running.pid, number)
    _, errors = running.communicate(timeout=20)

    assert running.returncode == 128 + number, errors
    assert living_members(engines[0]) == []


def test_the_list_of_checks_names_each_with_its_rule() -> None:
    shown = run("compliance", "--list").stdout

    for _, checks in CATALOGUES.values():
        for name, check in checks.items():
            assert f"  {name}" in shown
            assert " ".join(check.rule.split()) in " ".join(shown.split())
