"""What a person at a terminal sees and does; what commands print to pipes and files is in transcripts/."""

import os
import pty
import subprocess

import pytest

from outflank.tests.support.program import OUTFLANK, at_terminal


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
            ["expected Black to play d3 c4 f5 e6, got a1", "Black to move: ", "Outflank, White, plays"],
        ),
        ("solo --seed 1", "a1 d3 stop", ["got a1", "turns d4", "stopped before the end"]),
    ],
)
def test_a_bad_line_is_answered_and_the_game_continues(words: str, typed: str, shown: list[str]) -> None:
    said = at_terminal(words.split(), typed.replace(" ", "\n").encode() + b"\n")

    assert [text for text in shown if text not in said] == []


def test_ctrl_c_loses_no_move() -> None:
    keyboard, terminal = pty.openpty()
    with subprocess.Popen(
        [OUTFLANK, "play", "--side", "both"],
        stdin=terminal,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
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

    assert said.endswith("transcript: f5d6\n")


def test_who_oversteps_the_time_has_lost() -> None:
    """Without waiting for the move that does not come."""
    with subprocess.Popen(
        [OUTFLANK, "play", "--clock", "200ms", "--level", "1"],
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
