"""``outflank compliance`` as a user meets it: its output and its exit codes."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

from outflank.protocol.drivers.spec import command_line
from outflank.tests.support import fake_engine, rule_breaker
from outflank.tests.support.processes import children, living_members
from outflank.tests.support.program import OUTFLANK, outflank
from outflank.tools.checks.examination import CATALOGUES
from outflank.tools.commands.compliance import _entry


def compliance(command: list[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return outflank("compliance", shlex.join(command), *arguments)


def only(*names: str) -> list[str]:
    return [word for name in names for word in ("--only", name)]


def test_outflank_is_examined_without_its_book() -> None:
    """Its clock and its searches can't be seen while it answers from a book."""
    assert command_line(_entry("outflank gtp --level 3"))[1:] == ["gtp", "--level", "3", "--book=none"]
    assert command_line(_entry("outflank nboard --book mine"))[1:] == ["nboard", "--book", "mine"]
    assert command_line(_entry("edax -gtp"))[1:] == ["-gtp"]


def test_an_engine_that_keeps_the_rules_gets_code_0() -> None:
    ran = compliance(rule_breaker.command(), *only("has-a-name", "takes-a-pass"))

    assert ran.returncode == 0
    assert re.match(
        r"outflank \S+, 2 of \d+ checks of .*rule_breaker.py --speak gtp --fault none\n", ran.stdout
    )
    assert ran.stdout.partition("\n\n")[2] == (
        "The wire\n  ok    has-a-name\n\nThe board\n  ok    takes-a-pass\n\n"
        "2 passed, 0 failed, 0 warned, 0 skipped\nThe engine keeps every rule that it must keep.\n"
    )
    assert ran.stderr == ""


def test_an_engine_that_breaks_one_gets_code_1_and_a_reason() -> None:
    ran = compliance(rule_breaker.command("takes-a-pass"), *only("has-a-name", "takes-a-pass"), "--dialogue")

    assert ran.returncode == 1
    assert "  FAIL  takes-a-pass\n" in ran.stdout
    assert "          expected success for 'play black pass', got '? syntax error'\n" in ran.stdout
    assert "          > play black pass\n          < ? syntax error\n" in ran.stdout
    assert ran.stdout.endswith("The engine breaks rules that it must keep: takes-a-pass.\n")


@pytest.mark.parametrize(("option", "code"), [((), 0), (("--strict",), 1)])
def test_a_warning_counts_if_asked_for(option: tuple[str, ...], code: int) -> None:
    ran = compliance(rule_breaker.command("says-cannot-undo"), *only("says-cannot-undo"), *option)

    assert ran.returncode == code
    assert "  warn  says-cannot-undo\n" in ran.stdout
    assert "0 passed, 0 failed, 1 warned, 0 skipped" in ran.stdout


def test_json_has_a_line_for_each_check_and_one_for_the_verdict() -> None:
    ran = compliance(rule_breaker.command("has-a-name"), *only("has-a-name", "has-a-version"), "--json")
    name, version, verdict = map(json.loads, ran.stdout.splitlines())

    assert ran.returncode == 1
    assert (name["check"], name["outcome"], name["level"]) == ("has-a-name", "failed", "must")
    assert name["detail"] == "expected one line, got ''"
    assert name["dialogue"] == ["> name", "< ="]
    assert (version["outcome"], version["section"]) == ("passed", "The wire")
    assert verdict["command"].endswith("--fault has-a-name")
    assert (verdict["passed"], verdict["failed"], verdict["complies"]) == (1, 1, False)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (["/no/such/engine"], "outflank: the engine: there is no program '/no/such/engine'"),
        (["false"], "outflank: the engine exited with code 1 when asked 'list_commands'"),
        (fake_engine.command("crash at start"), "its last words were: no weights found"),
    ],
)
def test_what_is_no_engine_is_told_in_a_sentence(command: list[str], sentence: str) -> None:
    ran = compliance(command)

    assert ran.returncode == 1
    assert sentence in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("arguments", [["'"], [""], ["cat", "--only", "x"], ["cat", "--patience", "0"]])
def test_a_wrong_usage_ends_with_code_2(arguments: list[str]) -> None:
    ran = outflank("compliance", *arguments)

    assert ran.returncode == 2
    assert ran.stderr.startswith("Usage: ")
    assert len(ran.stderr) < 300


def test_a_mistyped_check_is_answered_with_the_one_that_was_meant() -> None:
    ran = outflank("compliance", "cat", "--only", "has-a-nam")

    assert "there is no check 'has-a-nam'; did you mean 'has-a-name'? --list shows all" in ran.stderr


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
    told = outflank("compliance", "--list")

    assert told.returncode == 0
    for _, catalogue in CATALOGUES.values():
        for name, check in catalogue.items():
            assert f"  {name}" in told.stdout
            assert " ".join(check.rule.split()) in " ".join(told.stdout.split())
