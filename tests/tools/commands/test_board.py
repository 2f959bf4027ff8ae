"""``outflank board``: pictures of positions, as text, SVG and PNG."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank.engine import PRESETS, Game, Position
from outflank.engine.boardsvg import DISC_COLOURS
from outflank.tools.commands.program import cli
from outflank.tools.report.board import board_text

PNG = b"\x89PNG\r\n\x1a\n"
GAME = Game.from_transcript("f5d6c3")


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
    keyboard, terminal = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"} | (
        {"NO_COLOR": "1"} if no_color else {}
    )
    command = [sys.executable, "-m", "outflank.tools.commands.program", "board", "f5d6c3"]
    with subprocess.Popen(command, stdout=terminal, env=environment) as shown:
        os.close(terminal)
        said = b""
        while b"last move c3" not in said:
            said += os.read(keyboard, 4096)
        assert shown.wait(20) == 0
    os.close(keyboard)

    assert (b"\x1b[" in said, "\N{BLACK CIRCLE}".encode() in said) == (not no_color, not no_color)


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
        (
            ["f5", "--svg", "--png"],
            2,
            "--svg and --png exclude each other: give one",
        ),
        (
            ["f5", "--text", "-o", "board.svg"],
            2,
            "'board.svg' is the name of a file for --svg, not for --text",
        ),
        (
            ["f5", "--svg", "--last", "h8"],
            2,
            "--last: there is no disc on h8, so it can't be the last move",
        ),
        (["f5", "--last", "a1"], 2, "--last: there is no disc on a1, so it can't be the last move"),
        (["f5", "--last", "pass"], 2, "--last: the side before had a move, so it can't have passed"),
        (["f5", "--last", "zz"], 2, "--last: expected a square from a1 to h8, got 'zz'"),
        (["f5", "--line", "f5"], 2, "expected White to play f4 d6 f6, got f5"),
        (["f5", "--line", "zz"], 2, "--line: move 1 of the transcript: expected a square from a1 to h8"),
        (["nonsense"], 1, "expected a file, a transcript or a board"),
        (["-"], 1, "standard input has more than one position, and only one can be shown"),
    ],
)
def test_what_can_not_be_shown_is_one_sentence(arguments: list[str], code: int, sentence: str) -> None:
    result = run(*arguments, text="f5d6\nf5f6\n")

    assert result.exit_code == code
    assert sentence in result.stderr
    assert result.stdout == ""
