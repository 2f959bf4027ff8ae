"""``outflank perft``: what it prints, and what it says to bad input."""

import json
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from click.testing import CliRunner, Result

from outflank.engine import STARTS
from outflank.tests import reference, strategies
from outflank.tools.commands.program import cli

BLACK_MUST_PASS = "OX------" + "-" * 8 + "OX------" + "-" * 40


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["perft", *arguments], prog_name="outflank")


def counted(*arguments: str) -> dict[str, Any]:
    """The JSON object of a run that has to succeed."""
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_counts_by_both_conventions() -> None:
    assert counted("9")["leaves"] == 3005288
    assert counted("9", "--pass-is-free")["leaves"] == 3005320


def test_json_tells_everything_that_repeats_the_run() -> None:
    found = counted("3", "--rules", "reversi", "--start", "parallel-east")

    assert list(found) == [
        *(
            "version",
            "rules",
            "start",
            "side",
            "depth",
            "convention",
            "leaves",
            "seconds",
            "leaves_per_second",
        )
    ]
    assert found["rules"] == "reversi,start=parallel-east"
    assert (found["start"], found["side"], found["depth"]) == ("parallel-east", "white", 3)
    assert found["convention"] == "a pass is a ply"
    assert found["leaves"] == 68
    assert found["seconds"] > 0
    assert found["leaves_per_second"] > 0


def test_prints_settings_leaves_seconds_and_speed_for_people() -> None:
    result = run("4")
    settings, leaves = result.stdout.splitlines()

    assert result.exit_code == 0
    assert settings.endswith("othello from diagonal, depth 4, a pass is a ply")
    assert leaves.split()[:2] == ["leaves", "244"]
    assert leaves.endswith(" leaves/s")
    assert " s, " in leaves
    assert result.stderr == ""


def test_divide_prints_a_line_for_each_move() -> None:
    lines = [line.split() for line in run("4", "--divide").stdout.splitlines()]

    assert lines[1:5] == [[move, "61"] for move in ("d3", "c4", "f5", "e6")]
    assert lines[5][:2] == ["leaves", "244"]


def test_divide_is_in_the_json_object_too() -> None:
    found = counted("4", "--divide")

    assert found["moves"] == {"d3": 61, "c4": 61, "f5": 61, "e6": 61}
    assert sum(found["moves"].values()) == found["leaves"]


def test_divide_of_a_finished_game_is_its_one_leaf() -> None:
    found = counted("4", "--divide", "--start", "X" + "-" * 63)

    assert found["leaves"] == 1
    assert "moves" not in found


@pytest.mark.parametrize("name", strategies.PRESETS)
def test_counts_every_preset_as_the_oracle_does(name: str) -> None:
    sheet = reference.SHEETS[name]
    board = reference.start_board(sheet.start)

    assert counted("3", "--rules", name)["leaves"] == reference.leaves(
        board, sheet.begins, sheet.turns, 3, False
    )


@pytest.mark.parametrize("start", STARTS)
def test_start_takes_the_name_of_an_arrangement(start: str) -> None:
    expected = reference.leaves(reference.start_board(start), "X", "all", 3, False)

    assert counted("3", "--start", start)["leaves"] == expected


def test_start_takes_a_board_and_the_side_to_move() -> None:
    assert counted("1", "--divide", "--start", BLACK_MUST_PASS + " X")["moves"] == {"pass": 1}
    assert counted("1", "--divide", "--start", BLACK_MUST_PASS + " O")["moves"] == {"c1": 1, "c3": 1}
    assert counted("1", "--start", BLACK_MUST_PASS)["side"] == "black"
    assert counted("1", "--start", BLACK_MUST_PASS, "--rules", "reversi")["side"] == "white"
    assert counted("1", "--start", BLACK_MUST_PASS + " O")["start"] == BLACK_MUST_PASS + " O"


def test_without_start_the_rules_say_where_to_begin() -> None:
    assert counted("1", "--rules", "othello,start=mirrored")["start"] == "mirrored"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["x"], "Invalid value for 'DEPTH'"),
        (["1.5"], "Invalid value for 'DEPTH'"),
        (["--", "-1"], "Invalid value for 'DEPTH'"),
        (["129"], "Invalid value for 'DEPTH'"),
        (["99999999999999999999"], "Invalid value for 'DEPTH'"),
        ([], "Missing argument 'DEPTH'"),
        (["0", "--divide"], "--divide lists the first moves, so DEPTH has to be 1 or more"),
        (["3", "--rules", "chess"], "Invalid value for '--rules': expected rules out of othello reveris "),
        (["3", "--rules", ""], "Invalid value for '--rules': expected rules out of"),
        (["3", "--rules", "othello,turns=two"], "expected turns=all or one, got turns='two'"),
        (["3", "--start", "sideways"], "Invalid value for '--start': expected diagonal, mirrored, "),
        (["3", "--start", "-" * 63], "expected a board of 64 squares, got 63"),
        (
            ["3", "--start", "-" * 64 + " green"],
            "expected X, O, black or white behind the 64 squares, got 'green'",
        ),
        (["3", "--start", ""], "expected a board of 64 squares, got 0"),
    ],
)
def test_bad_input_is_answered_with_one_sentence_and_exit_code_2(arguments: list[str], sentence: str) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


def test_depth_0_is_one_leaf() -> None:
    assert counted("0")["leaves"] == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_long_count_at_once(number: signal.Signals) -> None:
    """Depth 30 would take longer than anyone lives; the settings are printed before the count begins."""
    command = [sys.executable, "-m", "outflank.tools.commands.program", "perft", "30"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"depth 30" in process.stdout.readline()
        sent = time.monotonic()
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=20)

    assert time.monotonic() - sent < 2.0
    assert process.returncode == 128 + number
    assert stdout == b""
    assert b"Traceback" not in stderr
