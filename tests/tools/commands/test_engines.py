"""``outflank engines``, ``compliance`` and ``selftest`` where their transcripts are not enough."""

import json
import os
import shlex
import signal
import sys
import time
from pathlib import Path

import pytest

from outflank.engine import Colour
from outflank.protocol.drivers.catalogue import catalogue
from outflank.protocol.drivers.spec import command_line
from outflank.tests.support import fake_engine
from outflank.tests.support.positions import WIPE_OUT
from outflank.tests.support.processes import children, living_members
from outflank.tests.support.program import RHINO, needs_rhino, started
from outflank.tests.support.runs import broken_off, played
from outflank.tests.support.transcripts import run
from outflank.tools.checks.examination import CATALOGUES
from outflank.tools.commands.engines import _examined
from outflank.tools.match.game.mirror import mirror_fault
from outflank.tools.match.game.results import Ending


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
    assert command_line(_examined(("outflank gtp --level 3",)))[1:] == ["gtp", "--level", "3", "--book=none"]
    assert command_line(_examined(("outflank nboard --book mine",)))[1:] == ["nboard", "--book", "mine"]
    assert command_line(_examined(("edax -gtp",)))[1:] == ["-gtp"]
    assert command_line(_examined(("python", "mine.py", "a b")))[1:] == ["mine.py", "a b"]


def is_leader(pid: int) -> bool:
    """Return whether a process has a session of its own, as engines have."""
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


# --- Two games that should be mirror images


# Takes turns with two moves: the first legal one, and in every second process the last.
FICKLE = """
import sys
sys.path.insert(0, {folder!r})
import fake_engine
from pathlib import Path
visits = Path({visits!r})
visits.write_text(visits.read_text() + "x" if visits.exists() else "x")
if len(visits.read_text()) > 2:
    fake_engine.Board.choose = lambda board, colour: [s for s in range(64) if board.turned(s, colour)][-1]
fake_engine.GtpEngine().run()
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_thirty_pairs_are_mirrored() -> None:
    run("selftest", "--pairs", 30)


def test_an_engine_that_does_not_repeat_itself_is_named_with_the_turn(tmp_path: Path) -> None:
    program = FICKLE.format(folder=str(Path(fake_engine.__file__).parent), visits=str(tmp_path / "visits"))
    command = shlex.join([sys.executable, "-I", "-S", "-c", program])
    fickle = f"cmd={shlex.quote(command)} restart=yes"
    ran = run("selftest", "--pairs", "1", "--moves", "4", "--seed", "1", "--engine", fickle, code=1)

    assert "at turn 5 of both games, got" in ran.stdout
    assert "not mirror images: 1 of 1 pair (named above)" in ran.stderr


def test_two_games_are_compared_move_by_move_and_by_their_result() -> None:
    game, other = played(WIPE_OUT), played(WIPE_OUT, number=2, names=("B", "A"))

    assert mirror_fault(game, other) == ""
    crash = broken_off(Ending.CRASH, Colour.WHITE, number=2, names=("B", "A"))
    assert mirror_fault(game, crash) == "game 2 ended by crash: it broke"
    shorter = broken_off(Ending.RESIGNATION, Colour.BLACK, WIPE_OUT[:8], number=2, names=("B", "A"))
    assert (
        mirror_fault(game, shorter)
        == "expected 9 turns, Black by 64 in both games, got 4 turns, White by resignation"
    )


@pytest.mark.parametrize(
    ("transcript", "loser", "outcome"),
    [
        (WIPE_OUT[:16], Colour.BLACK, "8 turns, White by resignation"),
        (WIPE_OUT[:10], Colour.WHITE, "5 turns, Black by resignation"),
    ],
)
def test_two_games_that_are_given_up_end_at_the_same_turn_and_alike(
    transcript: str, loser: Colour, outcome: str
) -> None:
    first = broken_off(Ending.RESIGNATION, Colour.WHITE, WIPE_OUT[:16])
    second = broken_off(Ending.RESIGNATION, loser, transcript, number=2, names=("B", "A"))

    assert (
        mirror_fault(first, second) == f"expected 8 turns, Black by resignation in both games, got {outcome}"
    )
    assert mirror_fault(first, first) == ""
