"""Every check of GTP and NBoard finds the engine that breaks its rule; ours keeps them all."""

import shlex
import sys
import time
from pathlib import Path

import pytest

from outflank.engine import Game
from outflank.protocol.drivers.errors import EngineError
from outflank.protocol.drivers.spec import EngineSpec, command_line
from outflank.protocol.drivers.spec_values import Protocol
from outflank.tests.support import fake_engine, rule_breaker
from outflank.tests.support.processes import StallMeter, judge_calmly
from outflank.tests.support.program import RHINO, needs_rhino
from outflank.tools.checks import clock_and_exit, tapped_drivers
from outflank.tools.checks.check import Check, Level, Violation, shown
from outflank.tools.checks.examination import (
    CATALOGUES,
    CHECKS,
    NBOARD_CHECKS,
    Finding,
    Outcome,
    checks_of,
    examine,
    verdict,
)
from outflank.tools.checks.nboard import TappedNBoardDriver
from outflank.tools.checks.tapped_drivers import (
    BEFORE_A_PASS,
    BLACK_WINS,
    DRAWN,
    WHITE_WINS,
    WIPE_OUT,
    TappedGtpDriver,
)

GREETS_AT_ONCE = """echo Welcome; : > "$0"; read -r command; printf '= 2\\n\\n'"""
STARTS_SLOWLY = """sleep 1
while read -r word number; do
    case $word in ping) echo "pong $number" ;; quit) exit ;; esac
done"""
TIDIES_UP = """
import sys, time
sys.stdin.readline()
print("= d3\\n", flush=True)
moved = time.monotonic()
while time.monotonic() < moved + 0.6:
    pass
sys.stdin.read()
"""
SAID_BY_THEIR_OWN_CHECK = (
    *("answers-quit", "takes-a-pass", "plays-what-it-says", "fails-unknown-commands"),
    *("answers-each-command-once", "begins-with-a-sign-and-a-blank", "has-no-empty-line-inside"),
    "ignores-comments-behind-commands",
)
EXITS = set(checks_of(clock_and_exit))
ALONE, NBOARD_ALONE = (
    {name for name, check in checks.items() if check.alone} for checks in (CHECKS, NBOARD_CHECKS)
)
CLOCK = {name for name in EXITS if any("time_settings" in needed for needed in CHECKS[name].needs)}


def timed(name: str) -> object:
    """Return a parameter of a test; a check that compares two times runs alone."""
    return pytest.param(name, marks=pytest.mark.alone) if name == "heeds-its-clock" else name


def spec(command: list[str]) -> EngineSpec:
    return EngineSpec.from_settings({"cmd": shlex.join(command)})


def findings(command: list[str], *names: str) -> dict[str, Finding]:
    """Return the findings of the checks of these names; without names, of all GTP checks except the clock's."""
    driver, known = CATALOGUES[Protocol.NBOARD if NBOARD_CHECKS.keys() & names else Protocol.GTP]
    checks = [known[name] for name in names or CHECKS if names or name not in CLOCK]
    with driver(spec(command), patience=2.0, thinking=20.0) as engine:
        return {finding.check.name: finding for finding in examine(engine, checks)}


def ours(options: str = "") -> list[str]:
    return command_line(EngineSpec.from_settings({"cmd": f"outflank gtp {options}"}))


def broken(found: dict[str, Finding]) -> dict[str, str]:
    return {name: finding.detail for name, finding in found.items() if finding.outcome == "failed"}


def test_each_rule_has_an_engine_is_a_sentence_and_has_a_name_that_can_be_typed() -> None:
    assert set(CHECKS) == rule_breaker.RULES
    assert set(NBOARD_CHECKS) == rule_breaker.NBOARD_RULES
    assert not set(CHECKS) & set(NBOARD_CHECKS)
    assert [check.name for check in CHECKS.values() if not check.rule.endswith((".", "?"))] == []
    assert [name for name in CHECKS if shlex.split(name) != [name] or not name.islower()] == []


def test_an_engine_that_is_silent_may_speak_another_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tapped_drivers, "START_SECONDS", 0.5)
    engine = TappedGtpDriver(spec(["outflank", "uci"]), patience=0.5, thinking=1.0)

    with (
        engine,
        pytest.raises(EngineError, match=r"it may speak NBoard .* or UCI \(which has no checks\)"),
    ):
        list(examine(engine, CHECKS.values()))


@pytest.mark.parametrize("name", [timed(name) for name in (*CHECKS, *NBOARD_CHECKS)])
def test_an_engine_that_breaks_a_rule_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tapped_drivers, "END_SECONDS", 0.5)  # which those that do not end use up
    speak = "gtp" if name in CHECKS else "nboard"
    found = findings(rule_breaker.command(name, speak), name)

    assert broken(found)
    assert found[name].dialogue


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (rule_breaker.command(), ()),
        (rule_breaker.command(speak="nboard"), NBOARD_CHECKS),
        (command_line(EngineSpec.from_settings({"cmd": "outflank nboard"})), NBOARD_CHECKS),
    ],
    ids=["gtp", "nboard", "outflank nboard"],
)
def test_an_engine_that_breaks_no_rule_is_not_found(command: list[str], names: tuple[str, ...]) -> None:
    """The premise of the test above. GTP's clock takes its time: the slow test below has it."""
    found = findings(command, *names)

    assert broken(found) == {}
    assert {finding.outcome for finding in found.values()} == {"passed"}


@pytest.mark.parametrize("left_out", [NBOARD_ALONE, pytest.param(set(), marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("habit", "unjudged"),
    [
        ("hints-from-a-book", {}),
        ("tells-no-name", {"tells-its-name": "it reports no name, which the protocol allows"}),
        (
            "does-not-analyze",
            {"analyses-each-position": "it does not answer analyze, which the protocol allows"},
        ),
    ],
)
def test_what_the_protocol_allows_is_no_fault(
    habit: str, unjudged: dict[str, str], left_out: set[str]
) -> None:
    """The checks with a process each are slow tests."""
    names = [name for name in NBOARD_CHECKS if name not in left_out]
    found = findings(rule_breaker.command(habit, "nboard"), *names)
    skipped = {name: each.detail for name, each in found.items() if each.outcome == "skipped"}

    assert broken(found) == {}
    assert skipped == unjudged


def test_an_engine_may_take_its_time_to_start_and_one_that_speaks_gtp_answers_no_ping() -> None:
    """The check gives it a process of its own."""
    with TappedNBoardDriver(spec(["sh", "-c", STARTS_SLOWLY]), patience=0.5) as engine:
        (finding,) = examine(engine, [NBOARD_CHECKS["ends-when-its-input-ends"]])

    assert finding.outcome == "passed", finding.detail

    with (
        TappedNBoardDriver(spec(fake_engine.command())) as engine,
        pytest.raises(EngineError, match="when asked 'ping 1'"),
    ):
        engine.until_pong(0.5)


def test_a_greeting_is_found_although_it_comes_before_the_first_command(tmp_path: Path) -> None:
    greeted = tmp_path / "greeted"
    with TappedGtpDriver(spec(["sh", "-c", GREETS_AT_ONCE, str(greeted)])) as engine:
        assert engine.process.is_running
        while not greeted.exists():
            time.sleep(0.01)

        with pytest.raises(Violation, match="Welcome"):
            CHECKS["says-nothing-first"].run(engine)


def test_what_an_engine_does_right_after_its_move_is_no_unrest() -> None:
    with TappedGtpDriver(spec([sys.executable, "-c", TIDIES_UP])) as engine:
        CHECKS["rests-while-it-waits"].run(engine)


@pytest.mark.alone
@pytest.mark.slow
def test_ours_keeps_every_rule() -> None:
    found = findings(ours(), *CHECKS)

    assert broken(found) == {}
    assert len(found) == len(CHECKS)


@needs_rhino
def test_the_known_faults_of_rhino_are_found() -> None:
    found = findings([RHINO], "takes-a-pass", "does-without-a-pass", "changes-nothing-when-it-fails")

    assert broken(found) == {
        "takes-a-pass": "expected success for 'play black pass', got '? syntax error'",
        "changes-nothing-when-it-fails": (
            "expected the same board after 'boardsize 1000' failed, got a different one"
        ),
    }


@pytest.mark.alone
@needs_rhino
def test_rhino_ignores_its_clock() -> None:
    """At its default level it is done before any clock; at a high one it is late."""

    def judge(_: StallMeter) -> None:
        quick = findings([RHINO], "heeds-its-clock")
        assert "the clock makes no difference" in broken(quick).get("heeds-its-clock", "")
        deep = findings([RHINO, "-l", "5"], "keeps-seconds-a-move")
        assert broken(deep) == {"keeps-seconds-a-move": "move 13 was not played within 1.00 s"}

    judge_calmly(judge)


def test_a_rule_about_a_command_is_only_for_engines_that_list_it() -> None:
    found = findings(rule_breaker.command("lists-no-undo"), "takes-moves-back", "speaks-version-2")

    assert [finding.outcome for finding in found.values()] == ["skipped", "passed"]
    assert found["takes-moves-back"].detail == "undo not listed"


BAD_HABITS = {
    "puts-a-blank-before-ids": ["repeats-an-id"],
    "keeps-ids-behind-a-blank": ["repeats-an-id", "forgets-an-id"],
    "dies-on-a-bare-play": ["refuses-missing-arguments"],
    "dies-on-genmove": ["opens-legally"],
    "knows-no-known-command": ["knows-what-it-lists", "knows-nothing-else"],
    "gives-no-reasons": ["fails-with-a-question-mark"],
    "minds-blanks-at-the-end": ["takes-any-number-of-blanks"],
    "takes-any-size": ["refuses-impossible-boards"],
    "repeats-no-id": ["repeats-an-id"],
    "resigns": ["opens-legally"],
    "takes-any-colour": ["refuses-bad-colours"],
    "dies-when-it-refuses": ["refuses-bad-vertices", "bears-a-move-out-of-turn"],
}


@pytest.mark.parametrize(
    ("habit", "left_out"),
    [
        *((habit, EXITS if ALONE.intersection(names) else ALONE) for habit, names in BAD_HABITS.items()),
        *(
            pytest.param(habit, CLOCK, marks=pytest.mark.slow)
            for habit in (*BAD_HABITS, *SAID_BY_THEIR_OWN_CHECK)
        ),
    ],
)
def test_a_bad_habit_is_reported_once_by_the_check_that_is_about_it(habit: str, left_out: set[str]) -> None:
    """The others pass, or say that they can't judge the engine; those with a process each are slow tests."""
    found = findings(rule_breaker.command(habit), *(name for name in CHECKS if name not in left_out))

    assert list(broken(found)) == BAD_HABITS.get(habit, [habit])
    assert all(finding.detail for finding in found.values() if finding.outcome == "skipped")


def test_commands_thrown_away_before_quit_are_the_cause_and_order_is_judged_without_ids_too() -> None:
    """So Edax does; a missing id would be another fault."""
    found = findings(rule_breaker.command("answers-all-before-quit"), "answers-all-before-quit")

    assert broken(found) == {
        "answers-all-before-quit": "expected answers to 3 commands sent at once, got 1; "
        "then the engine exited with code 0 when asked 'name clear_board quit'"
    }

    # By what they say; that they bear no ids is reported elsewhere.
    kept = findings(rule_breaker.command("repeats-an-id-without-text"), "answers-in-order")
    swapped = findings(rule_breaker.command("answers-in-order"), "answers-in-order")

    assert broken(kept) == {}
    assert broken(swapped)["answers-in-order"].startswith(
        "expected the answer to '5 name' next, got '=6 protocol_version"
    )


def test_one_crash_is_one_failure_of_the_first_check_that_meets_it() -> None:
    names = ("opens-legally", "plays-what-it-says", "plays-a-whole-game", "moves-for-white", "has-a-name")
    found = findings(rule_breaker.command("dies-on-genmove"), *names)

    assert [finding.outcome for finding in found.values()] == ["failed", *["skipped"] * 3, "passed"]
    assert found["plays-a-whole-game"].detail == "no answer to 'genmove black': see opens-legally"

    # So one crash is one failure.
    crashing = rule_breaker.command("bears-a-long-line")
    found = findings(crashing, "bears-a-long-line", "takes-colours-in-any-case", "answers-quit", "has-a-name")

    assert list(broken(found)) == ["bears-a-long-line"]
    assert "exited with code 3" in found["bears-a-long-line"].detail


def test_the_verdict_counts_what_must_be_and_what_should_be() -> None:
    outcomes: list[tuple[Level, Outcome]] = [("must", "passed"), ("should", "failed"), ("must", "skipped")]
    outcomes += [("must", "failed")] * 2
    findings = [
        Finding(Check("x", level, "", frozenset(), False, lambda engine: None), outcome)
        for level, outcome in outcomes
    ]

    assert verdict(findings) == {"passed": 1, "failed": 2, "warned": 1, "skipped": 1}


def test_the_games_are_what_the_checks_take_them_for() -> None:
    whole = (BLACK_WINS, WHITE_WINS, DRAWN, WIPE_OUT)
    games = [Game.from_transcript(transcript) for transcript in whole]

    assert all(game.position.is_over for game in games)
    assert [game.position.empties for game in games] == [0, 0, 0, 51]
    assert not any(turn.move.is_pass for game in games for turn in game.turns)
    outcomes = [str(game.position.outcome()) for game in games]
    assert [outcome[0] for outcome in outcomes] == ["B", "W", "0", "B"]
    assert Game.from_transcript(BEFORE_A_PASS).position.must_pass


@pytest.mark.parametrize(
    ("got", "text"),
    [(b"=\n", "'=\\n'"), (["set_care 1"], "'set_care 1'"), ([], "nothing"), ("as it is", "as it is")],
)
def test_what_an_engine_wrote_is_quoted_without_python_s_marks(got: object, text: str) -> None:
    assert shown(got) == text
