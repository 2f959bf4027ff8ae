"""``outflank selftest``, ``sprt`` and ``openings make`` as a user meets them."""

import json
import math
import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank.engine import Colour, Rules
from outflank.tests.support import fake_engine
from outflank.tests.support.positions import WIPE_OUT
from outflank.tests.support.runs import broken_off, played
from outflank.tools.commands.openings import openings
from outflank.tools.commands.program import cli
from outflank.tools.commands.sprt import sprt
from outflank.tools.match.game.mirror import MirrorPair
from outflank.tools.match.game.results import Ending
from outflank.tools.match.openings import balanced
from outflank.tools.match.openings.sources import OpeningsChoice

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


def selftest(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["selftest", *arguments], prog_name="outflank")


def entry(command: list[str], more: str = "") -> str:
    return f"cmd={shlex.quote(shlex.join(command))} {more}"


def test_ours_gives_mirrored_pairs() -> None:
    ran = selftest("--pairs", "2", "--seed", "5", "--engine", 'cmd="outflank gtp --level 2" restart=yes')

    assert ran.exit_code == 0, ran.output
    assert ran.stdout.count("mirrored: ") == 2
    assert ran.stdout.endswith("Engine and referee repeat themselves.\n")


def test_a_process_may_play_both_games() -> None:
    ran = selftest("--pairs", "2", "--engine", entry(fake_engine.command()), "--json")
    pairs = [json.loads(line) for line in ran.stdout.splitlines()]

    assert ran.exit_code == 0, ran.output
    assert [(pair["pair"], pair["mirrored"], pair["points"]) for pair in pairs] == [
        (1, True, 1),
        (2, True, 1),
    ]
    assert all(len(set(pair["margins"])) == len(set(pair["transcripts"])) == 1 for pair in pairs)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_thirty_pairs_are_mirrored() -> None:
    assert selftest("--pairs", "30").exit_code == 0


def test_a_pair_that_is_given_up_is_mirrored() -> None:
    ran = selftest("--pairs", "1", "--engine", entry(fake_engine.command("resign", turn=3)))

    assert ran.exit_code == 0, ran.output
    assert re.search(r"pair 1    mirrored: \d+ turns, (Black|White) by resignation\n", ran.stdout)


def test_an_engine_that_does_not_repeat_itself_is_named_with_the_turn(tmp_path: Path) -> None:
    program = FICKLE.format(folder=str(Path(fake_engine.__file__).parent), visits=str(tmp_path / "visits"))
    fickle = entry([sys.executable, "-I", "-S", "-c", program], "restart=yes")
    ran = selftest("--pairs", "1", "--moves", "4", "--seed", "1", "--engine", fickle)

    assert ran.exit_code == 1
    assert "at turn 5 of both games, got" in ran.stdout
    assert "no mirror images: 1 of 1 pair (named above)" in ran.stderr


def test_a_fault_is_told(tmp_path: Path) -> None:
    ran = selftest("--pairs", "1", "--engine", entry(fake_engine.command("crash", turn=2)))

    assert ran.exit_code == 1
    assert "pair 1    game 1 ended by crash: engine A exited with code 3" in ran.stdout


@pytest.mark.parametrize("arguments", [["--engine", "name=x"], ["--pairs", "0"], ["--moves", "41"]])
def test_a_wrong_usage_ends_with_code_2(arguments: list[str]) -> None:
    assert selftest(*arguments).exit_code == 2


def test_two_games_are_compared_move_by_move_and_by_their_result() -> None:
    game, other = played(WIPE_OUT), played(WIPE_OUT, number=2, names=("B", "A"))

    assert MirrorPair(1, game, other).trouble == ""
    assert MirrorPair(1, game, other).points == 1
    crash = broken_off(Ending.CRASH, Colour.WHITE, number=2, names=("B", "A"))
    assert MirrorPair(1, game, crash).trouble == "game 2 ended by crash: it broke"
    shorter = broken_off(Ending.RESIGNATION, Colour.BLACK, WIPE_OUT[:8], number=2, names=("B", "A"))
    assert (
        MirrorPair(1, game, shorter).trouble
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
        MirrorPair(1, first, second).trouble
        == f"expected 8 turns, Black by resignation in both games, got {outcome}"
    )
    assert MirrorPair(1, first, first).trouble == ""


def test_a_suite_is_written_that_can_be_read_back(tmp_path: Path) -> None:
    path = tmp_path / "suite.txt"
    options = ["make", "-o", str(path), "--moves", "3", "--depth", "8", "--within", "4", "--workers", "1"]
    result = CliRunner().invoke(openings, options)

    assert result.exit_code == 0, result.output
    count = len(list(OpeningsChoice.parse(str(path)).take(1, Rules(), seed=1)))
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert count == 1
    assert 0 < len(lines) < 14
    assert lines == sorted(lines)
    assert f"{len(lines)} of 14 openings are in {path}" in result.output
    assert list(tmp_path.iterdir()) == [path]


def test_a_suite_may_go_to_standard_output() -> None:
    options = ["-o", "-", "--moves", "2", "--depth", "1", "--workers", "1"]
    result = CliRunner().invoke(openings, ["make", *options])

    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("# ")
    assert " openings are in standard output\n" in result.stderr


def test_a_file_that_cannot_be_written_is_told_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(balanced, "openings_of")
    result = CliRunner().invoke(cli, ["openings", "make", "-o", "/no/such/file"])

    assert result.exit_code == 1
    assert result.output == "outflank: can't write '/no/such/file' (No such file or directory)\n"


def test_the_published_pairs_accept_nothing_yet() -> None:
    told = CliRunner().invoke(sprt, ["365", "16618", "36229", "16974", "390", "--test", "0,2"])

    assert told.exit_code == 0
    assert told.stdout.splitlines() == [
        "test: elo0=0.0 elo1=2.0 alpha=0.05 beta=0.05 model=normalized",
        "pairs with 0 to 2 points: 365 16618 36229 16974 390",
        "score: 50.14 %",
        "Elo: +1.0 (95 %: +0.1 to +1.9)",
        "LLR: +2.25 (-2.94 to +2.94)",
        "verdict: none yet",
    ]


@pytest.mark.parametrize(
    ("counts", "lines"),
    [
        (
            "10 20 30",
            ["games: lost 10, drawn 20, won 30", "Elo: +120.4 (95 %: +50.1 to +201.9)", "LLR: +0.68 "],
        ),
        ("0 0 5", ["Elo: undefined (95 %: -15.2 to unbounded)"]),
        ("0 5 0", ["Elo: +0.0 (95 %: undefined)"]),
        ("500 0 0", ["verdict: elo0 accepted"]),
    ],
)
def test_the_counts_are_repeated_and_the_elo_has_its_interval(counts: str, lines: list[str]) -> None:
    told = CliRunner().invoke(sprt, counts.split()).stdout

    assert all(f"\n{line}" in told for line in lines), told


def test_games_without_pairs_get_the_ratio_of_older_runners_too() -> None:
    options = ["--json", "--test", "elo0=0 elo1=10 alpha=0.01 beta=0.01 model=logistic", "149", "1", "3"]
    told = json.loads(CliRunner().invoke(sprt, options).stdout)

    assert told["bayesian_ratio"] == pytest.approx(-4.69, abs=0.005)
    assert told["low"] == pytest.approx(-4.595, abs=0.001)
    assert told["verdict"] is None


@pytest.mark.parametrize("games", [("1", "10000", "3"), ("0", "30000", "0"), ("0", "1000000000000", "0")])
def test_games_nearly_all_drawn_get_it_too(games: tuple[str, ...]) -> None:
    told = CliRunner().invoke(sprt, ["--json", *games])

    assert told.exit_code == 0
    assert -math.inf < json.loads(told.stdout)["bayesian_ratio"] < 0


def test_a_verdict_names_the_hypothesis() -> None:
    assert json.loads(CliRunner().invoke(sprt, ["--json", "0", "0", "500"]).stdout)["verdict"] == "elo1"
    assert json.loads(CliRunner().invoke(sprt, ["--json", "500", "0", "0"]).stdout)["verdict"] == "elo0"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["1", "2"], "give three counts or five, not all of them 0: 1 2 is none of these"),
        (["0", "0", "0"], "give three counts or five, not all of them 0: 0 0 0 is none of these"),
        (["1", "2", "3", "--test", "5,0"], "expected elo0 below elo1"),
        (
            ["3", "4", "5", "--test", "elo0=0,elo1=8000,model=logistic"],
            "expected logistic bounds from -2000 to 2000 Elo, got 0 and 8000",
        ),
        (["1", "2", "x"], "expected a whole number from 0 to 1000000000000, got 'x'"),
        ([], "Missing argument 'COUNTS...'"),
    ],
)
def test_what_makes_no_sense_is_wrong_usage(arguments: list[str], sentence: str) -> None:
    told = CliRunner().invoke(sprt, arguments)

    assert told.exit_code == 2
    assert sentence in " ".join(told.stderr.replace("│", " ").split())
