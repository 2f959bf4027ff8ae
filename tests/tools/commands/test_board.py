"""``outflank board`` and ``outflank perft``: pictures of positions, counts, and what they say to bad input."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from outflank.engine import PRESETS, STARTS, Game, Position
from outflank.engine.boardsvg import DISC_COLOURS
from outflank.tests.support import reference, strategies
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.program import at_terminal
from outflank.tools.commands.program import cli
from outflank.tools.report.board import board_text

PNG = b"\x89PNG\r\n\x1a\n"
GAME = Game.from_transcript("f5d6c3")
BLACK_MUST_PASS = "OX------" + "-" * 8 + "OX------" + "-" * 40


def run(*arguments: str, text: str = "") -> Result:
    return CliRunner().invoke(cli, ["board", *arguments], input=text, prog_name="outflank")


def test_text_is_what_a_position_prints_with_its_last_move() -> None:
    assert run("f5d6c3").stdout == f"{GAME.position}, last move c3\n"
    assert run(GAME.position.board_string(), "--text").stdout == f"{GAME.position}\n"


def test_a_pass_may_have_led_to_a_board_where_the_other_side_has_no_move() -> None:
    board = "XO" + 62 * "-"

    assert run(f"{board} X", "--last", "pass").stdout.endswith(", last move pass\n")
    assert run(f"{board} X", "--last", "b1").stdout.endswith(", last move b1\n")


def test_scores_and_line_stand_below_the_text() -> None:
    told = run("f5d6c3", "--scores", "--line", "best", "--depth", "4").stdout.splitlines()[-2:]
    scored = {word.split()[0] for word in told[0].removeprefix("scores: ").split(", ")}

    assert scored == {str(move) for move in GAME.position.legal_moves()}
    assert told[1].split()[0:2] == ["line:", told[0].split()[1]]


def test_svg_is_the_positions_own() -> None:
    wanted = GAME.position.svg(size=200, last="c3", legal=False, line=["d3", "c4"])

    assert run("f5d6c3", "--svg", "--size", "200", "--no-legal", "--line", "d3c4").stdout == wanted


def test_a_position_of_a_game_is_shown_by_its_number_on_the_score_sheet() -> None:
    """The game passes before its moves 59 and 60."""
    game = Game.from_transcript(WITH_PASSES)
    last = WITH_PASSES[-2:]

    assert run(WITH_PASSES, "--ply", "60").stdout == f"{game.position}, last move {last}\n"
    assert run(WITH_PASSES, "--ply", "0").stdout == f"{Position.start()}\n"
    assert run("f5d6c3", "--ply", "1").stdout.endswith(", last move f5\n")


def test_the_rest_of_a_game_keeps_its_numbers() -> None:
    svg = run(WITH_PASSES, "--ply", "57", "--line", "game", "--svg").stdout

    assert re.findall(r">(\d\d)</text>", svg) == ["58", "59", "60"]
    assert "line: c3" in run("f5d6c3", "--ply", "2", "--line", "game").stdout
    assert run("f5d6c3", "--line", "game").stdout == run("f5d6c3").stdout


def test_the_name_of_the_file_says_the_form(tmp_path: Path) -> None:
    for name in ("board.svg", "board.png", "board.txt"):
        assert run("f5d6c3", "-o", str(tmp_path / name)).exit_code == 0

    assert (tmp_path / "board.svg").read_text() == GAME.position.svg(size=480, last="c3")
    assert (tmp_path / "board.png").read_bytes()[:8] == PNG
    assert (tmp_path / "board.txt").read_text() == f"{GAME.position}, last move c3\n"


def test_a_dash_is_standard_output() -> None:
    assert run("f5d6c3", "-o", "-").stdout == run("f5d6c3").stdout
    assert run("f5d6c3", "--svg", "-o", "-").stdout == run("f5d6c3", "--svg").stdout


def test_a_png_has_the_size_that_was_asked_for_and_the_boards_colours(tmp_path: Path) -> None:
    from matplotlib.image import imread

    file = tmp_path / "board.png"
    assert run("f5d6c3", "-o", str(file), "--size", "90").exit_code == 0
    image = imread(file)

    assert image.shape[:2] == (90, 90)
    d5, c3, h8 = (
        (round(255 * value) for value in image[y, x][:3]) for x, y in ((40, 50), (30, 30), (80, 80))
    )
    assert tuple(d5) == (0xF6, 0xF4, 0xEE)
    assert tuple(h8) == (0x2F, 0x7D, 0x4F)
    assert tuple(c3) == (0xFF, 0x6A, 0x3D)


def test_a_missing_package_for_png_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    result = run("f5", "--png")

    assert result.exit_code == 1
    assert result.stderr.endswith("pip install 'outflank[png]' brings what the command needs\n")


@pytest.mark.parametrize("no_color", [False, True])
def test_a_terminal_gets_colours_unless_it_asks_for_none(no_color: bool) -> None:
    said = at_terminal(["board", "f5d6c3"], variables={"NO_COLOR": "1"} if no_color else {})

    assert "last move c3" in said
    assert ("\x1b[" in said, "\N{BLACK CIRCLE}" in said) == (not no_color, not no_color)


@pytest.mark.parametrize("name", PRESETS)
def test_a_terminal_shows_the_discs_in_the_colours_of_the_box(name: str) -> None:
    rules = PRESETS[name]
    text = board_text(Position.start(rules), coloured=True)

    for colour in rules.colour_names:
        assert text.count(f"\x1b[38;5;{DISC_COLOURS[colour].terminal}m") == 3  # two on the board, one below


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (
            ["f5", "-o", "board.bmp"],
            2,
            "the name 'board.bmp' does not end in .txt, .svg or .png: say --text, --svg or --png",
        ),
        (["f5", "--svg", "--png"], 2, "--svg and --png exclude each other: give one"),
        (
            ["f5", "--text", "-o", "board.svg"],
            2,
            "'board.svg' is the name of a file for --svg, not for --text",
        ),
        (["f5", "--svg", "--last", "h8"], 2, "--last: there is no disc on h8, so it can't be the last move"),
        (["f5", "--last", "a1"], 2, "--last: there is no disc on a1, so it can't be the last move"),
        (["f5", "--last", "pass"], 2, "--last: the side before had a move, so it can't have passed"),
        (["f5", "--last", "zz"], 2, "--last: expected a square from a1 to h8, got 'zz'"),
        (["f5", "--line", "f5"], 2, "expected White to play f4 d6 f6, got f5"),
        (["f5", "--line", "zz"], 2, "--line: move 1 of the transcript: expected a square from a1 to h8"),
        (["f5d6", "--ply", "3"], 2, "--ply: the game has 2 moves, fewer than 3"),
        (["nonsense"], 2, "expected a file, a transcript or a board"),
        (["-"], 1, "standard input has more than one position, and only one can be shown"),
    ],
)
def test_what_can_not_be_shown_is_one_sentence(arguments: list[str], code: int, sentence: str) -> None:
    result = run(*arguments, text="f5d6\nf5f6\n")

    assert result.exit_code == code
    assert sentence in result.stderr
    assert result.stdout == ""


def run_perft(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["perft", *arguments], prog_name="outflank")


def counted(*arguments: str) -> dict[str, Any]:
    """The JSON object of a run that has to succeed."""
    result = run_perft(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def test_counts_by_both_conventions() -> None:
    assert counted("0")["leaves"] == 1
    assert counted("9")["leaves"] == 3005288
    assert counted("9", "--pass-is-free")["leaves"] == 3005320


def test_json_tells_everything_that_repeats_the_run() -> None:
    found = counted("3", "--rules", "reversi", "--start", "parallel-east")

    assert " ".join(found) == "version rules start side depth convention leaves seconds leaves_per_second"
    assert found["rules"] == "reversi,start=parallel-east"
    assert (found["start"], found["side"], found["depth"]) == ("parallel-east", "white", 3)
    assert found["convention"] == "a pass is a ply"
    assert found["leaves"] == 68
    assert found["seconds"] > 0
    assert found["leaves_per_second"] > 0


def test_prints_settings_leaves_seconds_and_speed_for_people() -> None:
    result = run_perft("4")
    settings, leaves = result.stdout.splitlines()

    assert result.exit_code == 0
    assert settings.endswith("othello from diagonal, depth 4, a pass is a ply")
    assert leaves.split()[:2] == ["leaves", "244"]
    assert leaves.endswith(" leaves/s")
    assert " s, " in leaves
    assert result.stderr == ""


def test_divide_prints_a_line_for_each_move() -> None:
    lines = [line.split() for line in run_perft("4", "--divide").stdout.splitlines()]

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
            "expected X, O, black or white after the 64 squares, got 'green'",
        ),
        (["3", "--start", ""], "expected a board of 64 squares, got 0"),
    ],
)
def test_bad_input_is_answered_with_one_sentence_and_exit_code_2(arguments: list[str], sentence: str) -> None:
    result = run_perft(*arguments)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr
