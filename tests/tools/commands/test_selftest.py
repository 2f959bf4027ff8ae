"""``outflank selftest`` where transcripts/matches.console is not enough."""

import shlex
import sys
from pathlib import Path

import pytest

from outflank.engine import Colour
from outflank.tests.support import fake_engine
from outflank.tests.support.positions import WIPE_OUT
from outflank.tests.support.runs import broken_off, played
from outflank.tests.support.transcripts import run
from outflank.tools.match.game.mirror import mirror_fault
from outflank.tools.match.game.results import Ending

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
    assert "no mirror images: 1 of 1 pair (named above)" in ran.stderr


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
