"""Every check of NBoard's protocol finds the engine that breaks its rule; ours keeps them all."""

import shlex

import pytest

from outflank.protocol.drivers.errors import EngineError
from outflank.protocol.drivers.spec import EngineSpec, command_line
from outflank.tests.support import fake_engine, nboard_rule_breaker
from outflank.tests.support.program import outflank
from outflank.tools.checks.check import shown
from outflank.tools.checks.examination import CHECKS, NBOARD_CHECKS, CheckResult, Finding, examine
from outflank.tools.checks.nboard import TappedNBoardDriver

STARTS_SLOWLY = """sleep 2
while read -r word number; do
    case $word in ping) echo "pong $number" ;; quit) exit ;; esac
done"""


def spec(command: list[str]) -> EngineSpec:
    return EngineSpec.from_settings({"cmd": shlex.join(command)})


def findings(command: list[str], *names: str) -> dict[str, Finding]:
    """What the checks of these names find, all if left out."""
    checks = [NBOARD_CHECKS[name] for name in names or NBOARD_CHECKS]
    with TappedNBoardDriver(spec(command), patience=5.0, thinking=20.0) as engine:
        return {finding.check.name: finding for finding in examine(engine, checks)}


def broken(found: dict[str, Finding]) -> dict[str, str]:
    return {name: finding.detail for name, finding in found.items() if finding.outcome is CheckResult.FAILED}


def test_there_is_an_engine_for_each_rule() -> None:
    assert set(NBOARD_CHECKS) == nboard_rule_breaker.RULES


def test_no_check_has_the_name_of_another_protocols() -> None:
    assert not set(NBOARD_CHECKS) & set(CHECKS)


@pytest.mark.parametrize("name", NBOARD_CHECKS)
def test_an_engine_that_breaks_a_rule_is_found(name: str) -> None:
    found = findings(nboard_rule_breaker.command(name), name)

    assert broken(found)
    assert found[name].dialogue


def test_an_engine_that_breaks_no_rule_is_not_found() -> None:
    """The premise of the test above."""
    found = findings(nboard_rule_breaker.command())

    assert broken(found) == {}


@pytest.mark.parametrize(
    ("habit", "unjudged"),
    [
        ("hints-from-a-book", {}),
        ("tells-no-name", {"tells-its-name": "it tells no name, which the protocol leaves to it"}),
        (
            "does-not-analyze",
            {"analyses-each-position": "it does not answer analyze, which the protocol leaves to it"},
        ),
    ],
)
def test_what_the_protocol_allows_is_no_fault(habit: str, unjudged: dict[str, str]) -> None:
    found = findings(nboard_rule_breaker.command(habit))
    skipped = {name: each.detail for name, each in found.items() if each.outcome is CheckResult.SKIPPED}

    assert broken(found) == {}
    assert skipped == unjudged


def test_ours_keeps_every_rule() -> None:
    found = findings(command_line(EngineSpec.from_settings({"cmd": "outflank nboard"})))

    assert broken(found) == {}
    assert {finding.outcome for finding in found.values()} == {CheckResult.PASSED}


def test_an_engine_that_takes_its_time_to_start_is_not_accused() -> None:
    """The check gives it a process of its own."""
    with TappedNBoardDriver(spec(["sh", "-c", STARTS_SLOWLY]), patience=1.5) as engine:
        (finding,) = examine(engine, [NBOARD_CHECKS["ends-when-its-input-ends"]])

    assert finding.outcome is CheckResult.PASSED, finding.detail


def test_an_engine_that_speaks_gtp_answers_no_ping() -> None:
    with (
        TappedNBoardDriver(spec(fake_engine.command())) as engine,
        pytest.raises(EngineError, match="when asked 'ping 1'"),
    ):
        engine.until_pong(0.5)


def test_a_check_of_the_other_protocol_is_wrong_usage() -> None:
    ran = outflank("compliance", "--protocol", "nboard", "x", "--only", "takes-moves-back")

    assert ran.returncode == 2
    assert "nboard has no check 'takes-moves-back': --list shows them" in ran.stderr


@pytest.mark.parametrize(
    ("got", "text"),
    [(b"=\n", "'=\\n'"), (["set_care 1"], "'set_care 1'"), ([], "nothing"), ("as it is", "as it is")],
)
def test_what_an_engine_wrote_is_quoted_without_python_s_marks(got: object, text: str) -> None:
    assert shown(got) == text
