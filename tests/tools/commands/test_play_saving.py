"""What ``outflank play`` writes into files, and what it leaves alone."""

import re
from io import BytesIO
from pathlib import Path

import pytest

from outflank.engine import PRESETS, Game, Position
from outflank.protocol.formats.annotated import AnnotatedGame, Ending
from outflank.protocol.formats.files import read_games
from outflank.tests.tools.commands.piped import WIPE_OUT, run, transcript


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
    assert (first.black, first.white) == ("Human", "Outflank 1.0.0 level 1")
    result = run("--level", "1", "--resume", str(file), "--save", str(file), typed="undo\nredo\nresign\n")
    again = game_in(file)

    assert result.returncode == 0, result.stderr
    assert "White wins by resignation." in result.stdout
    assert [move.move for move in again.moves] == [move.move for move in first.moves]
    assert again.moves[1].score == first.moves[1].score
    assert again.result is not None
    assert again.result.ending is Ending.RESIGNATION


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
        "expected a new file, or the one that the game was resumed from if nothing in it would be lost, "
        f"got '{tmp_path / there}', which isn't empty"
    )
    option = run("--save", str(tmp_path / saved))
    command = run("--side", "both", typed=f"f5\nsave {tmp_path / saved}\n")

    assert (option.returncode, command.returncode) == (2, 1)
    assert f"--save: {sentence}" in option.stderr
    assert command.stderr == f"outflank: {sentence}\n"
    assert transcript(command.stdout) == "f5"
    assert (tmp_path / there).read_text() == "keep"


@pytest.mark.parametrize("game", ["(;GM[2];B[f5](;W[d6])(;W[f6]))", "(;GM[2];B[f5]TE[1];W[d6])"])
def test_variations_and_marks_of_a_resumed_game_are_not_written_over(tmp_path: Path, game: str) -> None:
    file, new = tmp_path / "game.sgf", tmp_path / "new.sgf"
    file.write_text(game)
    refused = run("--resume", str(file), "--save", str(file))
    kept = run("--side", "both", "--resume", str(file), "--save", str(new), typed=f"c3\nd3\nsave {file}\n")

    assert (refused.returncode, kept.returncode) == (2, 1)
    for stderr in (refused.stderr, kept.stderr):
        assert f"resumed from if nothing in it would be lost, got '{file}', which isn't empty" in stderr
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
    assert "expected a game from the start of its rules for a transcript, got " in result.stderr
    assert result.stdout == ""


def test_a_game_whose_file_fails_is_printed(tmp_path: Path) -> None:
    """WTHOR holds a game once it has ended, and only Othello's."""
    rules = "ravensburger-1987"
    result = run("--rules", rules, "--side", "none", "--level", "0", "--save", str(tmp_path / "game.wtb"))

    assert result.returncode == 1
    assert "for WTHOR" in result.stderr
    assert Game.from_transcript(transcript(result.stdout), PRESETS[rules]).position.is_over


def test_the_names_of_a_resumed_game_stay(tmp_path: Path) -> None:
    file, saved = tmp_path / "game.ggf", tmp_path / "saved.ggf"
    file.write_text("(;GM[Othello]PB[ada]PW[bob]TY[8]B[F5]W[D6];)")
    result = run("--side", "both", "--resume", str(file), "--save", str(saved), typed="c3\n")
    game = game_in(saved)

    assert result.returncode == 0, result.stderr
    assert (game.black, game.white, len(game.moves)) == ("ada", "bob", 3)


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
