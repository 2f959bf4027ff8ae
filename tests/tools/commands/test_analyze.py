"""``outflank analyze``: a position in any form, ever deeper, for people and for programs."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from outflank.engine import Game
from outflank.tools.cli.program import cli

TRANSCRIPT = "f5d6c3"
BOARD = Game.from_transcript(TRANSCRIPT).position.board_string()


def run(*arguments: str, text: str = "") -> Result:
    return CliRunner().invoke(cli, ["analyze", *arguments], input=text)


def result_of(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    assert found["kind"] == "result"
    return found


FILES = {
    "transcript file": TRANSCRIPT,
    "board file": BOARD,
    "SGF file": "(;GM[2];B[f5];W[d6];B[c3])",
    "GGF file": "1 (;GM[Othello]B[F5]W[D6/1.5]B[C3];)",
}


@pytest.mark.parametrize("form", ["transcript", "board", "standard input", *FILES])
def test_a_position_may_come_in_any_form(form: str, tmp_path: Path) -> None:
    file = tmp_path / "position"
    file.write_text(FILES.get(form, TRANSCRIPT))
    arguments = {"transcript": TRANSCRIPT, "board": BOARD, "standard input": "-"}.get(form, str(file))

    assert result_of(run(arguments, "--depth", "2", "--json", text=TRANSCRIPT))["position"] == BOARD


def test_every_iteration_is_told_to_programs() -> None:
    lines = [json.loads(line) for line in run(TRANSCRIPT, "--depth", "5", "--json").stdout.splitlines()]

    assert [line["depth"] for line in lines] == [1, 2, 3, 4, 5, 5]
    assert all(line["exact"] is False for line in lines)


def test_as_many_lines_as_asked_for() -> None:
    found = result_of(run(TRANSCRIPT, "--depth", "4", "--multipv", "3", "--json"))

    assert len(found["lines"]) == 3
    assert found["lines"][0]["move"] == found["move"]


def test_people_are_told_unit_and_certainty() -> None:
    output = run(TRANSCRIPT, "--depth", "4").output

    assert "final discs ahead for White" in output
    assert "4 plies" in output


def test_the_opening_is_named() -> None:
    """By the longest line of the game with a name; of a board by its own."""
    after_the_tiger = run("f5d6c3d3c4f4", "--depth", "2")
    board = Game.from_transcript("e6f4c3c4d3").position.board_string()

    assert "\nOpening: Tiger\n" in after_the_tiger.output
    assert result_of(run(board, "--depth", "2", "--json"))["opening"] == {
        "names": ["Tiger"],
        "moves": "f5d6c3d3c4",
    }
    assert result_of(run("f5", "--depth", "2", "--json"))["opening"] is None


@pytest.mark.parametrize("limit", [["--time", "0.1"], ["--nodes", "1000"], ["--level", "3"]])
def test_every_kind_of_limit_ends_it(limit: list[str]) -> None:
    assert result_of(run(TRANSCRIPT, *limit, "--json"))["move"]


def test_an_illegal_move_is_named_and_fails() -> None:
    result = run("f5d6a1", "--depth", "2")

    assert result.exit_code == 1
    assert "move 3 of the transcript" in result.output


def test_what_is_no_position_fails_in_one_sentence() -> None:
    result = run("nonsense", "--depth", "2")

    assert result.exit_code == 1
    assert result.output.startswith("outflank: expected a file, a transcript or a board")
