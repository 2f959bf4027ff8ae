"""``outflank play``, driven through a pipe and at a pseudo-terminal; and what it writes into files."""

import os
import pty
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest

from outflank import __version__
from outflank.engine import PRESETS, Game, Position
from outflank.protocol.formats.annotated import AnnotatedGame, ResultReason
from outflank.protocol.formats.files import read_games
from outflank.protocol.weaker import HIGHEST_ELO, LOWEST_ELO
from outflank.tests.support.positions import WIPE_OUT
from outflank.tests.support.program import at_terminal

PROGRAM = [sys.executable, "-m", "outflank.tools.commands.program", "play", "--book", "none"]
ESCAPE = "\x1b["


def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    """A game through pipes."""
    return subprocess.run([*PROGRAM, *arguments], input=typed, capture_output=True, text=True, timeout=60)


def transcript(said: str) -> str:
    """The one that is printed at the end."""
    return said.rpartition("transcript: ")[2].strip()


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


def test_an_opponent_may_be_as_weak_as_people_and_its_game_be_repeated(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    watched = ("--side", "none", "--elo", str(LOWEST_ELO), "--seed")
    said = run(*watched, "1", "--save", str(file)).stdout

    assert f"Elo {LOWEST_ELO}; help lists" in said.splitlines()[0]
    assert said.replace(str(file), "").splitlines()[1:2] == run(*watched, "1").stdout.splitlines()[1:2]
    first, again, other = (run(*watched, seed).stdout for seed in "112")
    assert transcript(first) == transcript(again) != transcript(other)
    (game,) = (each for each in read_games(BytesIO(file.read_bytes())) if isinstance(each, AnnotatedGame))
    assert game.black == f"Outflank {__version__} Elo {LOWEST_ELO}"


def test_a_hint_is_at_full_strength_whoever_the_opponent_is() -> None:
    hints = [
        re.findall("^hint: .*|.* 16 plies .*", run(*weak, typed="hint\n").stdout, re.MULTILINE)
        for weak in (("--elo", str(LOWEST_ELO)), ("--level", "1"), ())
    ]

    assert len(hints[0]) == 4
    assert hints[0] == hints[1] == hints[2]


def test_the_opponent_can_be_made_weaker_and_stronger_in_the_game() -> None:
    said = run("--level", "3", typed=f"elo {LOWEST_ELO}\nf5\nlevel 2\n").stdout

    assert f"The engine plays at Elo {LOWEST_ELO}." in said
    assert "The engine plays at level 2." in said
    assert re.search(r"Outflank, White, plays .*, 1 ply", said)


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
        ("elo 9\n", f"outflank: expected elo and a number from {LOWEST_ELO} to {HIGHEST_ELO}, got '9'"),
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
        (["--resume", "f5f5"], 2, "expected White to play f4 d6 f6, got f5"),
        (
            ["--resume", "f5", "--rules", "reversi"],
            2,
            "Invalid value for --resume: move 1 of the transcript: expected ",
        ),
        (["--side", "red"], 2, "Invalid value for '--side'"),
    ],
)
def test_bad_options_are_told_in_a_sentence(arguments: list[str], code: int, sentence: str) -> None:
    result = run(*arguments)

    assert result.returncode == code
    assert sentence in result.stderr


def test_somebody_at_a_terminal_is_told_and_asked_again_in_colours() -> None:
    text = at_terminal(["play", "--book", "none", "--level", "1"], b"a1\nf5\nundo\nquit\n")

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


def game_in(file: Path) -> AnnotatedGame:
    (game,) = read_games(BytesIO(file.read_bytes()), file)
    assert isinstance(game, AnnotatedGame)
    return game


@pytest.mark.parametrize("suffix", [".sgf", ".ggf", ".txt", ".wtb"])
def test_a_finished_game_is_kept_in_every_format_and_read_back(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"game{suffix}"
    moves = "\n".join(re.findall("..", WIPE_OUT))
    result = run("--side", "both", "--save", str(file), "--name", "Ada", typed=moves)
    game = game_in(file)

    assert result.returncode == 0, result.stderr
    assert "transcript:" not in result.stdout
    assert "".join(str(move.move) for move in game.moves) == WIPE_OUT
    assert suffix == ".txt" or game.black == game.white == "Ada"


def test_a_game_is_kept_after_every_move_and_can_be_resumed(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    assert run("--level", "1", "--save", str(file), typed="f5\n").returncode == 0
    first = game_in(file)
    assert len(first.moves) == 2
    assert first.moves[1].score is not None
    assert (first.black, first.white) == ("Human", f"Outflank {__version__} level 1")
    result = run("--level", "1", "--resume", str(file), "--save", str(file), typed="undo\nredo\nresign\n")
    again = game_in(file)

    assert result.returncode == 0, result.stderr
    assert "White wins by resignation." in result.stdout
    assert [move.move for move in again.moves] == [move.move for move in first.moves]
    assert again.moves[1].score == first.moves[1].score
    assert again.result is not None
    assert again.result.ending is ResultReason.RESIGNATION


def test_nothing_is_written_before_something_has_happened(tmp_path: Path) -> None:
    new, resumed = tmp_path / "new.sgf", tmp_path / "resumed.sgf"
    resumed.write_text("(;GM[2];B[f5]C[mine])")

    assert run("--save", str(new), typed="quit\n").returncode == 0
    assert run("--side", "both", "--resume", str(resumed), "--save", str(resumed), typed="").returncode == 0
    assert not new.exists()
    assert resumed.read_text() == "(;GM[2];B[f5]C[mine])"


@pytest.mark.parametrize(("there", "saved"), [("a.txt", "a.txt"), ("a.jou", "a.wtb")])
def test_a_file_that_holds_something_else_is_not_written_over(tmp_path: Path, there: str, saved: str) -> None:
    (tmp_path / there).write_text("keep")
    sentence = (
        f"'{tmp_path / there}' exists and isn't empty: save to a new file, or to the one that the game was "
        "resumed from if nothing in it would be lost"
    )
    option = run("--save", str(tmp_path / saved))
    command = run("--side", "both", typed=f"f5\nsave {tmp_path / saved}\n")

    assert (option.returncode, command.returncode) == (2, 1)
    assert f"--save: {sentence}" in option.stderr
    assert command.stderr == f"outflank: {sentence}\n"
    assert transcript(command.stdout) == "f5"
    assert (tmp_path / there).read_text() == "keep"


@pytest.mark.parametrize(
    "game",
    ["(;GM[2];B[f5](;W[d6])(;W[f6]))", "(;GM[2];B[f5]TE[1];W[d6])", "(;GM[2]PB[O\x92Brien];B[f5];W[d6])"],
)
def test_variations_and_marks_of_a_resumed_game_are_not_written_over(tmp_path: Path, game: str) -> None:
    file, new = tmp_path / "game.sgf", tmp_path / "new.sgf"
    file.write_text(game)
    refused = run("--resume", str(file), "--save", str(file))
    kept = run("--side", "both", "--resume", str(file), "--save", str(new), typed=f"c3\nd3\nsave {file}\n")

    assert (refused.returncode, kept.returncode) == (2, 1)
    for stderr in (refused.stderr, kept.stderr):
        assert (
            f"'{file}' exists and isn't empty: save to a new file, or to the one that the game was resumed from"
            in stderr
        )
    assert file.read_text() == game
    assert len(game_in(new).moves) == 4


@pytest.mark.parametrize("suffix", [".sgf", ".ggf", ".txt", ".wtb"])
def test_a_new_game_is_not_written_over_the_finished_one(suffix: str, tmp_path: Path) -> None:
    file, second, third = (tmp_path / f"game{number}{suffix}" for number in ("", "-2", "-3"))
    second.write_text("mine")
    over = "\n".join(re.findall("..", WIPE_OUT))
    result = run("--side", "both", "--save", str(file), typed=f"{over}\nnew\nnew\n{over}\n")

    assert result.returncode == 0, result.stderr
    assert f"{file} keeps the last game; this one goes to {third}.\n" in result.stdout
    assert "transcript:" not in result.stdout
    assert [len(game_in(each).moves) for each in (file, third)] == [9, 9]
    assert second.read_text() == "mine"


def test_a_game_that_was_begun_is_kept_too(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    said = run("--side", "both", "--save", str(file), typed="f5\nd6\nnew\nc4\nnew\nd3\nc3\ne6\n").stdout

    assert "transcript:" not in said
    files = [file, tmp_path / "game-2.sgf", tmp_path / "game-3.sgf"]
    assert [len(game_in(each).moves) for each in files] == [2, 1, 3]


def test_an_unfinished_game_that_wthor_can_not_hold_is_printed_before_a_new_one(tmp_path: Path) -> None:
    file = tmp_path / "game.wtb"
    result = run("--side", "both", "--save", str(file), typed="f5\nd6\nnew\nresign\n")

    assert result.stdout.count("transcript: f5d6\n") == 1
    assert len(game_in(file).moves) == 0


def test_a_game_saved_by_hand_says_what_its_format_has_no_place_for(tmp_path: Path) -> None:
    said = run("--side", "both", typed=f"f5\nsave {tmp_path / 'a.txt'}\n").stdout

    assert (
        f"saved: {tmp_path / 'a.txt'} (left out: date (1), times (1), for which a transcript has no place)\n"
        in said
    )


def test_a_new_game_is_not_saved_over_one_that_was_saved_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    result = run("--side", "both", typed=f"f5\nsave {file}\nd6\nsave {file}\nnew\nc4\nsave {file}\n")

    assert result.returncode == 1
    assert transcript(result.stdout) == "c4"
    assert len(game_in(file).moves) == 2


def test_a_game_that_its_file_can_not_hold_is_refused_before_it_begins(tmp_path: Path) -> None:
    first = Position.parse("-" * 26 + "XXX" + "-" * 6 + "OX" + "-" * 27 + " O")
    result = run("--resume", first.board_string(), "--save", str(tmp_path / "game.txt"), typed="help\n")

    assert result.returncode == 1
    assert "a transcript can't hold a game that begins elsewhere than its rules say: " in result.stderr
    assert result.stdout == ""


def test_a_game_whose_file_fails_is_printed(tmp_path: Path) -> None:
    """WTHOR holds a game once it has ended, and only Othello's."""
    rules = "ravensburger-1987"
    result = run("--rules", rules, "--side", "none", "--level", "0", "--save", str(tmp_path / "game.wtb"))

    assert result.returncode == 1
    assert "WTHOR holds Othello from its start only" in result.stderr
    assert Game.from_transcript(transcript(result.stdout), PRESETS[rules]).position.is_over


def test_the_names_of_a_resumed_game_stay(tmp_path: Path) -> None:
    file, new = tmp_path / "game.ggf", tmp_path / "new.ggf"
    file.write_bytes(b"(;GM[Othello]PB[J\xf6rg]PW[bob]TY[8]B[F5]W[D6];)")
    for saved in (new, file):
        result = run("--side", "both", "--resume", str(file), "--save", str(saved), typed="c3\n")
        game = game_in(saved)

        assert result.returncode == 0, result.stderr
        assert (game.black, game.white, len(game.moves)) == ("Jörg", "bob", 3)


def test_what_was_said_of_the_moves_of_a_resumed_game_stays(tmp_path: Path) -> None:
    file = tmp_path / "game.sgf"
    file.write_text("(;GM[2]C[the final];B[f5]C[book];W[d6]C[a mistake])")
    result = run("--side", "both", "--resume", str(file), "--save", str(file), typed="undo\nf6\nundo\nf4\n")
    game = game_in(file)

    assert result.returncode == 0, result.stderr
    assert game.comment == "the final"
    assert [(str(move.move), move.comment) for move in game.moves] == [("f5", "book"), ("f4", "")]


def test_positions_can_be_saved_too(tmp_path: Path) -> None:
    file = tmp_path / "game.obf"
    assert run("--side", "both", typed=f"f5\nd6\nsave {file}\n").returncode == 0

    assert len(file.read_text().splitlines()) == 2
