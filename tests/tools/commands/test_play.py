"""``outflank play``, driven through a pipe and at a pseudo-terminal."""

import os
import pty
import re
import subprocess

import pytest

from outflank.engine import Game, Position
from outflank.tests.tools.commands.piped import PROGRAM, WIPE_OUT, run, transcript

ESCAPE = "\x1b["


def test_moves_are_answered_and_the_game_is_printed_at_the_end() -> None:
    result = run("--level", "1", typed="f5\n")
    game = Game.from_transcript(transcript(result.stdout))

    assert result.returncode == 0, result.stderr
    assert "level 1; help lists the commands" in result.stdout.splitlines()[0]
    assert re.search(r"Outflank, White, plays [a-h][1-8] \([+-]\S+, 1 ply .*\) in \d+\.\d s\.", result.stdout)
    assert len(game) == 2
    assert str(game.position) in result.stdout
    assert result.stderr == ""
    assert ESCAPE not in result.stdout


def test_a_last_line_needs_no_line_feed() -> None:
    assert len(transcript(run("--level", "1", typed="f5").stdout)) == 4


def test_two_people_may_play_and_the_end_is_told() -> None:
    result = run("--side", "both", typed="\n".join(re.findall("..", WIPE_OUT)))

    assert "The game is over: Black 13, White 0, Black wins by 64." in result.stdout
    assert transcript(result.stdout) == WIPE_OUT


def test_the_engine_can_be_watched() -> None:
    result = run("--side", "none", "--level", "1")

    assert result.returncode == 0, result.stderr
    assert "The game is over: " in result.stdout
    assert Game.from_transcript(transcript(result.stdout)).position.is_over


def test_hints_moves_and_help_can_be_asked_for() -> None:
    said = run("--level", "1", typed="hint 2\nmoves\nhelp\nclock\n").stdout

    assert len(re.findall(r"^hint: [a-h][1-8] ", said, re.MULTILINE)) == 2
    assert "d3 c4 f5 e6" in said
    assert "save FILE" in said
    assert "no clock" in said
    assert "hint: " in run("--level", "1", "--hint").stdout


def test_undo_takes_back_ones_own_move_and_redo_plays_it_again() -> None:
    said = run("--side", "black", "--level", "1", typed="f5\nundo\nredo\nundo\nc4\n").stdout
    boards = [line for line in said.splitlines() if "to move" in line]

    assert "last move" not in boards[0]
    assert boards[2] == boards[0]
    assert boards[3] == boards[1]
    assert transcript(said).startswith("c4")


def test_levels_and_sides_can_be_changed() -> None:
    said = run("--level", "1", typed="level 2\nswitch\n").stdout

    assert "The engine plays at level 2." in said
    assert "You play White." in said
    assert re.search(r"Outflank, Black, plays .*, 2 plies", said)


def test_what_is_printed_of_a_game_that_began_elsewhere_can_be_resumed() -> None:
    first = Position.parse("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X")
    said = run("--side", "both", "--resume", first.board_string(), typed="g8\nh7\n").stdout
    now = first.play("g8").play("h7")

    assert "transcript: " not in said
    assert said.splitlines()[-1] == f"board: {now.board_string()}"
    assert str(now) in run("--side", "both", "--resume", now.board_string()).stdout


def test_what_a_new_game_would_lose_can_be_resumed_too() -> None:
    first = Position.parse("-" * 26 + "XXX" + "-" * 6 + "OX" + "-" * 27 + " O")
    move = str(first.legal_moves()[0])
    said = run("--side", "both", "--resume", first.board_string(), typed=f"{move}\nnew\n").stdout

    assert f"board: {first.play(move).board_string()}\n" in said


@pytest.mark.parametrize("rules", ["reversi", "ravensburger-1987", "obversi"])
def test_every_sheet_can_be_played_with_its_colours(rules: str) -> None:
    said = run("--rules", rules, "--side", "none", "--level", "1").stdout

    assert rules in said.splitlines()[0]
    assert "The game is over: " in said
    assert ("Red " in said) == (rules != "reversi")


def test_clocks_run_and_are_told() -> None:
    said = run("--clock", "1m+2s", "--level", "1", typed="f5\nclock\n").stdout

    assert re.search(r"clock: Black 1:0[12], White 1:0[012]", said)


def test_who_oversteps_the_time_has_lost() -> None:
    with subprocess.Popen(
        [*PROGRAM, "--clock", "200ms", "--level", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as game:
        assert game.stdout is not None
        said = ""
        while "White wins on time." not in said:
            said += game.stdout.readline()
        game.communicate()

    assert game.returncode == 0


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("z9\n", "outflank: expected a move such as f5, or help, got 'z9'"),
        ("a1\n", "outflank: expected Black to play d3 c4 f5 e6, got a1"),
        ("undo\n", "outflank: there is no move of yours to take back"),
        ("level 99\n", "outflank: expected level and a number from 0 to 60, got '99'"),
        ("save x.pgn\n", "outflank: expected a file that ends in .sgf .ggf .txt .obf .wtb, got 'x.pgn'"),
        ("x" * 2_000_000, "outflank: expected a line of at most 1000 characters, got 1048577"),
        ("save\n", "outflank: save needs the name of a file, such as save game.sgf"),
        (
            "save /no/such/folder/x.sgf\n",
            "outflank: can't write '/no/such/folder/x.sgf' (No such file or directory)",
        ),
    ],
)
def test_a_bad_line_in_a_pipe_ends_it_with_a_sentence(typed: str, sentence: str) -> None:
    result = run("--side", "both", typed=f"f5\nundo\n{typed}")

    assert result.returncode == 1
    assert sentence in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (
            ["--save", "x.pgn"],
            2,
            "--save: expected a file that ends in .sgf .ggf .txt .obf .wtb, got 'x.pgn'",
        ),
        (["--clock", "soon"], 2, "expected a time of none, S (a move)"),
        (["--resume", "f5f5"], 1, "expected White to play f4 d6 f6, got f5"),
        (
            ["--resume", "f5", "--rules", "reversi"],
            1,
            "outflank: --resume: move 1 of the transcript: expected ",
        ),
        (["--side", "red"], 2, "Invalid value for '--side'"),
    ],
)
def test_bad_options_are_told_in_a_sentence(arguments: list[str], code: int, sentence: str) -> None:
    result = run(*arguments)

    assert result.returncode == code
    assert sentence in result.stderr


def test_somebody_at_a_terminal_is_told_and_asked_again_in_colours() -> None:
    keyboard, terminal = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        [*PROGRAM, "--level", "1"], stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    ) as game:
        os.close(terminal)
        os.write(keyboard, b"a1\nf5\nundo\nquit\n")
        said = b""
        try:
            while chunk := os.read(keyboard, 4096):
                said += chunk
        except OSError:  # the terminal has gone
            pass
        assert game.wait(20) == 0
    os.close(keyboard)

    text = said.decode()
    assert "Black to move: " in text
    assert "outflank: expected Black to play d3 c4 f5 e6, got a1" in text
    assert "Outflank, White, plays" in text
    assert ESCAPE in text
    assert "\N{BLACK CIRCLE}" in text


def test_ctrl_c_loses_no_move() -> None:
    keyboard, terminal = pty.openpty()
    with subprocess.Popen(
        [*PROGRAM, "--side", "both"], stdin=terminal, stdout=subprocess.PIPE, stderr=terminal, text=True
    ) as game:
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

    assert transcript(said) == "f5d6"
