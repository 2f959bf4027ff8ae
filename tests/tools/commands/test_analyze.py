"""``outflank analyze``: a position in any form, ever deeper, for people and for programs."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from outflank.engine import Game
from outflank.tools.commands.program import cli

TRANSCRIPT = "f5d6c3"
BOARD = Game.from_transcript(TRANSCRIPT).position.board_string()
ROWS = [BOARD[at : at + 8] for at in range(0, 64, 8)]


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
    "NBoard's board": f"8 {' '.join(ROWS).replace('X', '*')}  O\n",
    "rows between bars": "".join(f"|{row}|\n" for row in ROWS) + "O\n",
    "rows joined by bars": f"{'|'.join(ROWS)} O",
    "board of a DOS file": f"{BOARD}\r\n\x1a",
    "GGF file": "1 (;GM[Othello]B[F5]W[D6/1.5]B[C3];)",
}


@pytest.mark.parametrize("form", ["transcript", "board", "standard input", *FILES])
def test_a_position_may_come_in_any_form(form: str, tmp_path: Path) -> None:
    file = tmp_path / "position"
    file.write_text(FILES.get(form, TRANSCRIPT))
    arguments = {"transcript": TRANSCRIPT, "board": BOARD, "standard input": "-"}.get(form, str(file))

    assert result_of(run(arguments, "--depth", "2", "--json", text=TRANSCRIPT))["position"] == BOARD


def test_the_side_to_move_may_follow_a_semicolon() -> None:
    assert result_of(run(f"{BOARD[:64]};O", "--depth", "1", "--json"))["position"] == BOARD
    assert "expected scores such as A2:+38 after the board, got 'X'" in run(f"{BOARD};X").output


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

    assert "\nOpening: Tiger (虎定石)\n" in after_the_tiger.output
    assert result_of(run(board, "--depth", "2", "--json"))["opening"] == {
        "names": ["Tiger"],
        "moves": "f5d6c3d3c4",
        "japanese": ["虎定石"],
    }
    assert result_of(run("f5", "--depth", "2", "--json"))["opening"] is None


@pytest.mark.parametrize("limit", [["--time", "0.1"], ["--nodes", "1000"], ["--level", "3"]])
def test_every_kind_of_limit_ends_it(limit: list[str]) -> None:
    assert result_of(run(TRANSCRIPT, *limit, "--json"))["move"]


def test_an_illegal_move_is_named_and_fails() -> None:
    result = run("f5d6a1", "--depth", "2")

    assert result.exit_code == 2
    assert "move 3 of the transcript" in result.output


def test_what_is_no_position_fails_in_one_sentence() -> None:
    result = run("nonsense", "--depth", "2")

    assert result.exit_code == 2
    assert "POSITION: expected a file, a transcript or a board, got 'nonsense'\n" in result.output


def test_a_board_with_a_fault_is_told_where() -> None:
    result = run(BOARD[:20] + "?" + BOARD[21:], "--depth", "2")

    assert result.exit_code == 2
    assert "POSITION: expected X, O or - for square e3 of the board, got '?'\n" in result.output


def test_commas_between_moves_are_blanks() -> None:
    assert result_of(run("f5,d6,c3", "--depth", "2", "--json"))["position"] == BOARD
    assert result_of(run("f5, d6, c3,", "--depth", "2", "--json"))["position"] == BOARD


MANY = "f5d6\nf5d6c3\nc4e3f5\n"


def test_a_file_of_many_positions_gets_a_line_for_each(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text(MANY)
    lines = run(str(file), "--depth", "4").stdout.splitlines()

    assert "4 plies" in lines[0]
    assert lines[1].split() == ["#", "move", "score", "certainty", "line"]
    assert [line.split()[0] for line in lines[2:]] == ["1", "2", "3"]


def test_programs_get_the_file_and_the_number_of_each(tmp_path: Path) -> None:
    file = tmp_path / "suite.obf"
    file.write_text(
        "".join(f"{Game.from_transcript(moves).position.board_string()}\n" for moves in MANY.split())
    )
    answers = [
        json.loads(line) for line in run(str(file), TRANSCRIPT, "--depth", "2", "--json").stdout.splitlines()
    ]

    assert [(each["id"], each["file"], each["number"]) for each in answers] == [
        *((number, str(file), number) for number in (1, 2, 3)),
        (4, TRANSCRIPT, 1),
    ]
    assert answers[1]["position"] == answers[3]["position"] == BOARD


def test_many_positions_are_searched_at_a_level_unless_told_otherwise() -> None:
    assert ", level 10\n" in run("-", text=MANY).stdout
    assert ", 3 plies\n" in run("-", "--depth", "3", text=MANY).stdout


def test_what_is_no_position_among_many_is_named_and_the_rest_is_searched() -> None:
    result = run("-", "--depth", "2", text="f5d6\nf5f5\nf5d6c3\n")

    assert result.exit_code == 1
    assert [line.split()[0] for line in result.stdout.splitlines()[2:]] == ["1", "3"]
    assert "outflank: standard input: line 2: move 2 of the transcript" in result.stderr


def test_a_game_that_is_over_has_its_score() -> None:
    over = "f5d6c5f4e3f6g5e6e7"

    assert run(over, over, "--depth", "2").stdout.splitlines()[2].split(maxsplit=4) == [
        "1", "over", "-64", "exact", "The game is over: Black 13, White 0, Black wins by 64.",
    ]  # fmt: skip
    assert (result_of(run(over, "--json"))["score"], result_of(run(over, "--json"))["exact"]) == (-64, True)


def test_a_game_that_is_over_has_a_result_and_no_best_move() -> None:
    over, drawn = "f5d6c5f4e3f6g5e6e7", "X" * 32 + "O" * 32 + " X"
    said = run(over).stdout
    facts = result_of(run(over, "--json"))

    assert said.endswith("\n\nThe game is over: Black 13, White 0, Black wins by 64.\n")
    assert "pass" not in said
    assert (facts["move"], facts["lines"]) == (None, [])
    assert facts["outcome"] == {"winner": "black", "margin": 64}
    assert run(drawn).stdout.endswith("The game is over: Black 32, White 32, a draw.\n")
    assert result_of(run(drawn, "--json"))["outcome"] == {"winner": None, "margin": 0}
    request = json.dumps({"id": 1, "moves": over, "turns": "all", "depth": 1})
    *before, last = [json.loads(line) for line in run("-", "--ordered", text=request).stdout.splitlines()]
    assert (last["move"], last["outcome"]["winner"]) == (None, "black")
    assert all(answer["move"] and "outcome" not in answer for answer in before)


def test_many_remarks_are_named_up_to_twenty_and_counted() -> None:
    result = run("-", "--depth", "2", text="f5d6\n" + "f5f5\n" * 100)

    assert result.stderr.count("move 2 of the transcript") == 20
    assert "outflank: and 80 remarks more\n" in result.stderr
    assert result.stderr.endswith("outflank: 100 positions can't be read (the first 20 named above)\n")


def test_a_board_may_lie_over_eight_lines() -> None:
    rows = "\n".join(BOARD[row : row + 8] for row in range(0, 64, 8)) + BOARD[64:]

    assert result_of(run("-", "--depth", "2", "--json", text=rows))["position"] == BOARD


def test_requests_in_a_file_are_answered_as_on_a_stream(tmp_path: Path) -> None:
    file = tmp_path / "requests.jsonl"
    file.write_text('\n{"id": "a", "moves": "f5d6c3", "depth": 2, "stable": true}\n')
    (answer,) = [json.loads(line) for line in run(str(file)).stdout.splitlines()]

    assert (answer["id"], answer["turn"], answer["position"]) == ("a", 3, BOARD)
    assert answer["stable"] == {"black": [], "white": []}


def test_stable_discs_can_be_told() -> None:
    board = "XXX-----XX------" + "-" * 47 + "O O"

    assert "Stable: Black 5 (a1 b1 c1 a2 b2), White 1 (h8)" in run(board, "--depth", "1", "--stable").stdout
    told = result_of(run(board, "--depth", "1", "--stable", "--json"))["stable"]
    assert told == {"black": ["a1", "b1", "c1", "a2", "b2"], "white": ["h8"]}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["f5", "--level", "3", "--depth", "3"],
            "give --level, or --depth and --selectivity: a level says both",
        ),
        (
            ["f5", "--stable", "--rules", "ravensburger-1987"],
            "--stable needs rules under which a move turns every direction",
        ),
        (["f5", "--concurrency", "0"], "expected a whole number from 1 to 256, got '0'"),
        ([], "Missing argument 'POSITION...'"),
    ],
)
def test_options_that_make_no_sense_are_wrong_usage(arguments: list[str], sentence: str) -> None:
    result = run(*arguments)

    assert result.exit_code == 2
    assert sentence in result.stderr


def test_the_book_s_scores_stand_beside_those_of_the_search(tmp_path: Path) -> None:
    told = result_of(run("f5", "--depth", "2", "--json"))["book"]
    text = run("f5", "--depth", "2").stdout

    assert [move["move"] for move in told] == ["d6", "f6", "f4"]
    assert told[0]["lower"] <= told[0]["score"] <= told[0]["upper"]
    assert text.splitlines()[-2] == "Book: " + ", ".join(
        f"{move['move']} {move['score']:+d}" for move in told
    )
    assert result_of(run("f5", "--depth", "2", "--json", "--book", "none"))["book"] is None
    assert "Book:" not in run("c3", "--rules", "obversi", "--depth", "2").stdout
    assert "Book: e6" in run("c3", "--rules", "othello,start=parallel-north", "--depth", "2").stdout
    refused = run("f5", "--book", "parallel", "--depth", "2")
    assert (refused.exit_code, "is a book for othello,start=parallel" in refused.stderr) == (1, True)
