"""What the commands print, as whole dialogues in transcripts/; tests/support/transcripts.py describes their form."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from outflank.engine import PRESETS, Game, Position
from outflank.engine.boardsvg import DISC_COLOURS
from outflank.tests.support.program import at_terminal, open_terminal, started
from outflank.tests.support.transcripts import Section, check, run, sections
from outflank.tools.report.board import board_text

FILES = sorted(Path(__file__).with_name("transcripts").glob("*.console"))


@pytest.mark.parametrize("section", [each for path in FILES for each in sections(path)], ids=str)
def test_commands_print_what_the_transcript_shows(section: Section, tmp_path: Path) -> None:
    check(section, tmp_path)


# --- What a transcript can't show: a terminal, pictures, memory


GAME = "(;GM[Othello]PB[Ann]PW[Bob]DT[1999-05-01]RE[+2.00]BO[8 {} *]B[F5]W[D6]B[C3];)".format(
    "---------------------------O*------*O---------------------------"
)


@pytest.mark.parametrize("no_color", [False, True])
@pytest.mark.parametrize(
    ("words", "shown"),
    [("board f5d6c3", "last move c3"), ("solo --seed 1", "score 0 of 24"), ("play", "Black to move")],
)
def test_a_terminal_gets_colours_unless_it_asks_for_none(words: str, shown: str, no_color: bool) -> None:
    said = at_terminal(words.split(), b"quit\n", {"NO_COLOR": "1"} if no_color else {})

    assert shown in said
    assert ("\x1b[" in said) is not no_color
    assert words.startswith("solo") or ("\N{BLACK CIRCLE}" in said) is not no_color


@pytest.mark.parametrize(
    ("words", "typed", "shown"),
    [
        (
            "play --book none --level 1",
            "a1 f5 undo quit",
            ["a1 is illegal; legal for Black: d3 c4 f5 e6", "Black to move: ", "Outflank, White, plays"],
        ),
        ("solo --seed 1", "a1 d3 stop", ["a1 is illegal", "turns d4", "stopped before the end"]),
    ],
)
def test_a_bad_line_is_answered_and_the_game_continues(words: str, typed: str, shown: list[str]) -> None:
    said = at_terminal(words.split(), typed.replace(" ", "\n").encode() + b"\n")

    assert [text for text in shown if text not in said] == []


@pytest.mark.parametrize(
    ("words", "last"),
    [
        ("review sample --level 1 --exact-from 4", "?! inaccuracies, ? mistakes, ?? blunders"),
        ("review f5d6c3d3c4 --level 1 --exact-from 4", "?! inaccuracies, ? mistakes, ?? blunders"),
        ("solve ffo-1", "19 solved in "),
    ],
)
def test_tables_fit_a_terminal_of_80_columns_and_say_how_much_is_left(words: str, last: str) -> None:
    said = at_terminal(words.split(), b"", {"COLUMNS": "80"})
    shown = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line).rpartition("\r")[2] for line in said.split("\r\n")]

    assert [line for line in shown if len(line) > 80] == []
    assert any(line.startswith(last) for line in shown[-3:])
    assert "sample" not in words or re.search(r"review: \d+ of 12 games, .* left", said)


def test_ctrl_c_loses_no_move() -> None:
    keyboard, terminal = open_terminal()
    with started("play", "--side", "both", stdin=terminal, stderr=terminal) as game:
        os.close(terminal)
        os.write(keyboard, b"f5\nd6\n")
        assert game.stdout is not None
        said = ""
        while "last move d6" not in said:
            said += game.stdout.readline()
        game.send_signal(2)
        said += game.stdout.read()
        assert game.wait(20) == 130
    os.close(keyboard)

    assert said.endswith("transcript: f5d6\n")


def test_who_oversteps_the_time_has_lost() -> None:
    """Without waiting for the move that does not come."""
    with started("play", "--tc", "200ms", "--level", 1, stdin=subprocess.PIPE) as game:
        assert game.stdout is not None
        said = ""
        while "White wins on time." not in said:
            said += game.stdout.readline()
        game.communicate()

    assert game.returncode == 0


def test_svg_is_the_positions_own_and_a_terminal_shows_the_colours_of_the_box() -> None:
    wanted = Game.from_transcript("f5d6c3").position.svg(size=200, last="c3", legal=False, line=["d3", "c4"])

    words = ("board", "f5d6c3", "--svg", "--size", 200, "--no-legal", "--line", "d3c4")
    assert run(*words).stdout == wanted
    for rules in PRESETS.values():
        text = board_text(Position.start(rules), coloured=True)
        for colour in rules.colour_names:  # two on the board, one below
            assert text.count(f"\x1b[38;5;{DISC_COLOURS[colour].terminal}m") == 3


def test_a_png_has_the_size_that_was_asked_for_and_the_boards_colours(tmp_path: Path) -> None:
    from matplotlib.image import imread

    file = tmp_path / "board.png"
    run("board", "f5d6c3", "-o", file, "--size", 90)
    image = imread(file)

    assert image.shape[:2] == (90, 90)
    d5, c3, h8 = (
        (round(255 * value) for value in image[y, x][:3]) for x, y in ((40, 50), (30, 30), (80, 80))
    )
    assert tuple(d5) == (0xF6, 0xF4, 0xEE)
    assert tuple(h8) == (0x2F, 0x7D, 0x4F)
    assert tuple(c3) == (0xFF, 0x6A, 0x3D)


def test_memory_does_not_grow_with_the_games(tmp_path: Path) -> None:
    """Each number of games has a process of its own, whose memory is measured."""
    script = (
        "import resource, sys; from outflank.tools.cli.program import cli; "
        "cli(sys.argv[1:], standalone_mode=False); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )

    def peak(count: int) -> int:
        path = tmp_path / f"{count}.ggf"
        path.write_text(GAME * count)
        command = [sys.executable, "-c", script, "convert", str(path), "--format", "sgf", "-o", os.devnull]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        return int(ran.stderr.split()[-1])

    assert peak(4000) - peak(40) < 2048  # kilobytes; all 4000 together would be many times that
