"""``outflank archive`` as a user meets it."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.files import read_games
from outflank.tests.support.program import OUTFLANK, outflank
from outflank.tools.commands.program import cli

START = "---------------------------O*------*O--------------------------- *"
GGF = f"""\
(;GM[Othello]PB[Ann]PW[Bob]RB[1900]RW[1800]DT[1999-05-01]RE[+2.00]BO[8 {START}]B[F5]W[D6]B[C3]W[D3];)
(;GM[Othello]PB[Bob]PW[Zoe]DT[2001-05-01]RE[-64.00:r]BO[8 {START}]B[D3]W[C5]B[F6]W[F5];)
(;GM[Othello]PB[Ann]PW[Zoe]DT[2003-05-01]RE[+0.00]BO[8 {START}]B[F5]W[F6]B[E6];)
"""


def run(*words: object, code: int = 0, stdin: str | None = None) -> Result:
    result = CliRunner().invoke(cli, ["archive", *map(str, words)], input=stdin, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "games.ggf").write_text(GGF)
    run("build", tmp_path / "games.ggf", "-o", tmp_path / "games.archive")
    return tmp_path / "games.archive"


def test_games_of_several_formats_make_an_archive_and_duplicates_are_counted(tmp_path: Path) -> None:
    (tmp_path / "games.ggf").write_text(GGF)
    told = run(
        "build", tmp_path / "games.ggf", "-", "-o", tmp_path / "a", "--json", stdin="f5d6\nf5d6\n"
    ).stdout
    facts = json.loads(told)

    assert (facts["games"], facts["duplicates"], facts["others"], facts["bad"]) == (4, 1, 0, 0)
    assert facts["bytes"] == (tmp_path / "a").stat().st_size


def test_the_table_has_games_results_players_scores_and_the_opening(path: Path) -> None:
    """The second game has the same position in an image, and the same move in it."""
    lines = run("show", path, "f5d6", "--level", 1).stdout.splitlines()

    assert lines[12:14] == ["Opening: Perpendicular Opening", "2 games; results and scores for Black"]
    assert lines[14].startswith("engine: ")
    assert lines[15].split()[-4:] == ["engine", "book", "strongest", "players"]
    row = lines[16].split()
    assert row[:12] == ["c3", "2", "100.0", "%", "50", "%", "0", "%", "50", "%", "+2.0", "1999-2001"]
    assert row[-2:] == ["Ann,", "Bob"]
    assert len(lines) == 17


def test_json_has_the_table_of_an_image_in_its_own_coordinates(path: Path) -> None:
    told = json.loads(run("show", path, "d3c5", "--level", 1, "--json").stdout)
    (move,) = told["moves"]

    assert (told["games"], told["ended"], told["opening"]) == (2, 0, "Perpendicular Opening")
    assert (move["move"], move["games"], move["won"], move["lost"], move["years"]) == (
        "f6",
        2,
        1,
        1,
        [1999, 2001],
    )
    assert isinstance(move["book"], int)
    assert isinstance(move["engine"], int | float)


@pytest.mark.parametrize(
    ("words", "games"),
    [
        (["--player", "ann"], 2),
        (["--player", "zoe", "--player", "ann"], 1),
        (["--year", "2000-2003"], 2),
        (["--rating", "1800"], 1),
        (["--rating", "1900"], 0),
        (["--event", "Paris"], 0),
    ],
)
def test_filters_choose_the_games(path: Path, words: list[str], games: int) -> None:
    assert json.loads(run("show", path, "--json", "--level", 0, *words).stdout)["games"] == games


def test_a_player_is_found_whatever_charset_the_file_is_in(tmp_path: Path) -> None:
    (tmp_path / "games.ggf").write_bytes(
        GGF.replace("Ann", "J\xf6rg").replace("Zoe", "O\x92Brien").encode("latin-1")
    )
    built = run("build", tmp_path / "games.ggf", "-o", tmp_path / "a")
    found = run("games", tmp_path / "a", "--player", "jörg").stdout

    assert found.count("Jörg") == 2
    assert (
        "games.ggf, game 2: its texts have characters that are neither in the file's charset" in built.stderr
    )


def test_a_position_that_nobody_reached_has_no_games(path: Path) -> None:
    assert run("show", path, "f5f4").stdout.splitlines()[-1] == "no games"
    assert "no game of the archive passes" in run("games", path, "f5f4", code=1).output


def test_games_are_listed_the_last_first(path: Path) -> None:
    assert run("games", path, "f5d6").stdout.splitlines() == [
        "2001-05-01  Bob - Zoe                                 White won",
        "1999-05-01  Ann - Bob                                    +2",
    ]
    (told,) = run("games", path, "--json", "--count", 1).stdout.splitlines()
    assert json.loads(told)["moves"] == "f5f6e6"


def test_it_is_said_that_there_are_more_games_than_are_listed(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text(
        "\n".join(GGF.splitlines()[0].replace("1999", str(year)) for year in range(1980, 2001))
    )
    run("build", tmp_path / "games.txt", "-o", tmp_path / "a")
    result = run("games", tmp_path / "a")

    assert len(result.stdout.splitlines()) == 20
    assert "there are more games: --count N lists N of them" in result.stderr
    assert run("games", tmp_path / "a", "--count", 20).stderr == ""


@pytest.mark.parametrize("suffix", ["sgf", "ggf", "txt", "wtb"])
def test_games_are_written_as_the_name_of_the_file_says(path: Path, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"some.{suffix}"
    run("games", path, "f5d6", "-o", output)

    games = [game for game in read_games(output) if isinstance(game, AnnotatedGame)]
    assert [game.game().transcript() for game in games] == ["d3c5f6f5", "f5d6c3d3"]
    if suffix != "txt":
        assert [(game.black, game.white) for game in games] == [("Bob", "Zoe"), ("Ann", "Bob")]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("show games.ggf", 1, "can't read 'games.ggf' as an archive of games (it is no SQLite file)"),
        (
            "build games.ggf -o games.archive",
            1,
            "which exists and is a run, a book or an archive: name another",
        ),
        ("build games.ggf -o games.ggf", 2, "can't write to 'games.ggf', whose games are read"),
        ("build missing.ggf -o new", 1, "no game was found, so no archive was made"),
        ("build games.ggf", 2, "Missing option '--output' / '-o'"),
        ("show games.archive --rating 1850", 2, "expected a rating in hundreds, such as 1800, got 1850"),
        ("show games.archive f5f5", 2, "f5"),
        ("games games.archive -o some.doc", 2, "expected a file that ends in .sgf .ggf .txt .obf .wtb"),
        ("games games.archive f5f4 -o some.sgf", 1, "no game of the archive passes, so nothing was written"),
    ],
)
def test_bad_input_gets_a_sentence_and_changes_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch, words: str, code: int, sentence: str
) -> None:
    monkeypatch.chdir(path.parent)
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}

    assert sentence in " ".join(run(*words.split(), code=code).output.split())
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_a_game_that_can_not_be_read_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text("f5d6c3\nf5f5\nf5f6\n")
    result = run("build", tmp_path / "games.txt", "-o", tmp_path / "a", code=1)

    assert f"{tmp_path}/games.txt, line 2: move 2 of the transcript: " in result.stderr
    assert "1 game can't be read (named above)" in result.stderr
    assert ": 2 games, 5 positions, 0 duplicates left out; " in result.stdout


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    command = [OUTFLANK, "archive", "build", "-", "-o", str(tmp_path / "a")]
    program = subprocess.Popen(command, stdin=reading, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        os.write(writing, b"f5d6c3\n" * 100)
        while not list(tmp_path.glob(".a.*")):
            time.sleep(0.02)
        program.send_signal(signal.SIGINT)
        assert program.wait(20) == 128 + signal.SIGINT
    finally:
        program.kill()
        program.wait()
        os.close(reading)
        os.close(writing)
    assert list(tmp_path.iterdir()) == []


# --- the same table elsewhere


def test_a_review_says_where_the_game_left_the_others(path: Path) -> None:
    words = ["review", "--level", "1", "--exact-from", "4", "--archive", str(path)]
    page = path.with_name("review.html")
    lines = CliRunner().invoke(cli, [*words, "f5d6c3f4", "--html", str(page)]).stdout.splitlines()
    known = CliRunner().invoke(cli, [*words, "f5d6c3"]).stdout.splitlines()
    told = CliRunner().invoke(cli, [*words, "--json", "f5f6e6f4", "f5d6c3"]).stdout.splitlines()

    at = lines.index("Archive: no other game has move 4, f4; in the position before it:")
    assert lines[at + 1] == "2 games; results and scores for White"
    assert lines[at + 3].startswith("d3 ")
    assert "\n".join(lines[at:]) in page.read_text()
    assert known[-1] == "Archive: no move of the game leaves the other games"
    first, second, _ = map(json.loads, told)
    assert (first["archive"]["ply"], first["archive"]["move"], first["archive"]["ended"]) == (4, "f4", 1)
    assert second["archive"] is None


def test_a_review_of_a_game_of_the_archive_compares_it_with_the_others(path: Path) -> None:
    words = ["review", "--level", "1", "--exact-from", "4", "--archive", str(path), "--json"]
    told = json.loads(CliRunner().invoke(cli, [*words, "f5f6e6"]).stdout.splitlines()[0])

    assert (told["archive"]["ply"], told["archive"]["move"]) == (2, "f6")


def test_a_person_at_the_terminal_explores_the_games(path: Path) -> None:
    play = ["play", "--side", "both", "--book", "none"]
    typed = "f5\nd6\nexplore\n"
    shown = outflank(*play, "--archive", path, input=typed).stdout.splitlines()
    refused = outflank(*play, input=typed)

    assert "2 games; results and scores for Black" in shown
    assert refused.returncode == 1
    assert "there is no archive to look into: start with --archive FILE" in refused.stderr
    other = outflank(*play, "--archive", path, "--rules", "obversi", input="")
    assert "is an archive of games by othello, not by" in other.stderr
