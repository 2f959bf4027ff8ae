"""``outflank solve``: exact scores in a table or as JSON, compared with a file's if asked for."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from outflank.tools.commands.program import cli
from outflank.tools.commands.solve import solve

FFO = Path(__file__).parents[2] / "data" / "ffo"
FIRST = (FFO / "fforum-1-19.obf").read_text().splitlines()[0]
BOARD = FIRST.partition(";")[0]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(solve, ["--hash", "4", *arguments])


def run_program(tmp_path: Path, text: str, *arguments: str) -> Result:
    """Solve a file with this text, errors turned into sentences as the program does."""
    (tmp_path / "x.obf").write_text(text)
    return CliRunner().invoke(cli, ["solve", str(tmp_path / "x.obf"), "--hash", "4", *arguments])


def objects(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_published_scores_of_a_suite_are_confirmed() -> None:
    result = run(str(FFO / "fforum-1-19.obf"), "--check")

    assert result.exit_code == 0, result.output
    assert "19 solved" in result.output


def test_the_published_scores_of_all_moves_are_confirmed(tmp_path: Path) -> None:
    lines = (FFO / "fforum-1-19.obf").read_text().splitlines()[:6]

    assert run_program(tmp_path, "\n".join(lines), "--check", "--all-moves").exit_code == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_published_scores_of_all_moves_of_20_to_39_are_confirmed() -> None:
    assert run(str(FFO / "fforum-20-39.obf"), "--check", "--all-moves").exit_code == 0


def test_json_has_a_line_for_each_position() -> None:
    (found,) = objects(run("--board", BOARD, "--json"))

    assert (found["score"], found["move"], found["exact"], found["empties"]) == (18, "g8", True, 14)
    assert found["position"] == BOARD
    assert found["nodes"] > 0
    assert found["pv"][0] == "g8"


def test_all_moves_get_a_score() -> None:
    (found,) = objects(run("--board", BOARD, "--json", "--all-moves"))

    assert found["moves"] == {"g8": 18, "h1": 12, "h7": 6, "a2": 6, "a3": 4, "b1": -4, "a4": -22, "g2": -24}


def test_wld_tells_only_who_wins() -> None:
    (found,) = objects(run("--board", BOARD, "--json", "--wld"))

    assert (found["score"], found["wld"]) == (1, True)


def test_a_selective_solution_is_not_called_exact() -> None:
    (found,) = objects(run("--board", BOARD, "--json", "--selectivity", "73"))

    assert (found["exact"], found["selectivity"]) == (False, 73)


@pytest.mark.parametrize("wrong", ["G8:+18", "H1:+12"])
def test_a_difference_from_the_file_is_told_and_fails(wrong: str, tmp_path: Path) -> None:
    """A score that is not the file's, and a best move that is not."""
    line = FIRST.replace(wrong, wrong[:3] + "+20")
    result = run_program(tmp_path, line, "--check")

    assert result.exit_code == 1
    assert "position 1" in result.output


def test_a_line_that_cannot_be_read_fails_but_the_others_are_solved(tmp_path: Path) -> None:
    result = run_program(tmp_path, f"{FIRST}\nnonsense\n{FIRST}\n")

    assert result.exit_code == 1
    assert "2 solved" in result.output
    assert ":2:1: expected" in result.output


@pytest.mark.parametrize(
    "arguments", [[], [str(FFO / "fforum-1-19.obf"), "--board", BOARD], ["--board", "XO"], ["nowhere.obf"]]
)
def test_wrong_usage_is_one_sentence_and_exit_code_2(arguments: list[str]) -> None:
    suite = str(FFO / "fforum-1-19.obf")
    result = run(*(suite if argument == "SUITE" else argument for argument in arguments))

    assert result.exit_code == 2
    assert "Error: " in result.output


def test_a_file_without_a_position_fails(tmp_path: Path) -> None:
    result = run_program(tmp_path, "% nothing\n")

    assert result.exit_code == 1
    assert result.output.startswith("outflank: expected positions in ")


def test_one_direction_rules_are_solved_by_the_sheets_count() -> None:
    position = "XXXXXXXXXOOOOOOXXOXXXXOXXOXOOXOXXOXOOXOXXOXXXXOXXOOOOOO---OOOOO- X"
    (found,) = objects(run("--board", position, "--rules", "ravensburger-1987", "--json"))

    assert found["exact"]
