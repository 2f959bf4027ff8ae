"""``outflank review`` as a user meets it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank import read_games
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support.books import small_book
from outflank.tests.support.positions import WIPE_OUT, WITH_PASSES
from outflank.tools.commands.program import cli

QUICK = ("--level", "1", "--exact-from", "8", "--book", "none")
# White loses by a wipe-out, then Black loses.
TWO = f"{WIPE_OUT}\n{WITH_PASSES}\n"


def review(*arguments: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["review", *QUICK, *map(str, arguments)], input=stdin)


def test_a_transcript_is_reviewed_move_by_move() -> None:
    result = review(WITH_PASSES)
    lines = result.stdout.splitlines()

    assert result.exit_code == 0, result.stderr
    assert lines[0].endswith("level 1, exact from 8 empty squares")
    assert lines[1:3] == ["Black - White 10-54", "Opening: Parallel Opening"]
    numbers = [line[:4].strip() for line in lines[5:67]]  # as on a score sheet, where a pass has none
    assert list(filter(None, numbers)) == [str(number) for number in range(1, 61)]
    assert [lines[5 + at].split()[1] for at, number in enumerate(numbers) if not number] == ["pass"] * 2
    assert " ".join(lines[61].split()) == "57 X h7 -32 -44 12 blunder exact h4 h7 g8 a2"
    assert lines[63].split()[1:] == ["pass", "-44", "-44", "forced", "exact"]
    assert [line.split()[0] for line in lines[-2:]] == ["Black", "White"]


def test_a_move_is_shown_alone_with_the_values_of_all_moves() -> None:
    lines = review(WITH_PASSES, "--ply", 57).stdout.splitlines()
    board = next(number for number, line in enumerate(lines) if line.startswith("  a b c"))
    values = [line.split() for line in lines[board + 13 :]]

    assert lines[board + 10].endswith("Black to move")
    assert lines[board + 12].startswith("move    score   line (scores: final discs ahead for the mover;")
    assert values[0] == ["h4", "-32", "h7", "g8", "a2"]
    assert ["h7", "*", "-44"] in [line[:3] for line in values]
    assert lines[-1] == "57. h7: blunder, 12 discs lost, better h4 h7 g8 a2"
    assert review("f5d6", "--ply", "3").stderr == "outflank: the game has 2 moves, so none is number 3\n"


def test_scores_are_for_the_mover_or_for_black() -> None:
    def line(*options: str) -> list[str]:
        return review(WITH_PASSES, *options).stdout.splitlines()[62].split()

    assert line()[1:5] == ["O", "h4", "+44", "+44"]
    assert line("--scores", "black")[1:5] == ["O", "h4", "-44", "-44"]


def test_event_and_date_are_shown(tmp_path: Path) -> None:
    file, page = tmp_path / "a.sgf", tmp_path / "a.html"
    file.write_text("(;GM[2]EV[World Championship]DT[2018];B[f5])")
    game, _ = map(json.loads, review(file, "--json").stdout.splitlines())

    assert review(file, "--html", page).stdout.splitlines()[2] == "Event: World Championship, 2018"
    assert "World Championship, 2018" in page.read_text()
    assert (game["event"], game["date"]) == ("World Championship", "2018")
    assert "(World Championship, 2018); discs lost" in review(file, file).stdout


def test_json_says_the_same_and_more() -> None:
    game, _ = map(json.loads, review(WITH_PASSES, "--json").stdout.splitlines())
    move = game["moves"][56]

    assert (game["margin"], game["winner"], game["number"]) == (-44, "white", 1)
    assert game["opening"] == {"names": ["Parallel Opening"], "moves": "f5f4", "japanese": ["平行取り"]}
    told = " ".join(str(move[name]) for name in ("ply", "move", "before", "after", "lost", "class", "best"))
    assert told == "57 h7 -32 -44 12 blunder h4"
    assert (move["number"], game["moves"][61]["number"], "values" in move) == (57, 60, False)
    assert len(game["curve"]) == len(game["moves"]) + 1
    assert game["curve"][-1] == {"score": -44, "exact": True}
    assert game["curve"][56] == {"score": -32, "exact": True}
    total = sum(side["discs_lost"] for side in game["sides"].values())
    assert total == sum(move["lost"] for move in game["moves"])


@pytest.mark.parametrize(
    ("game", "text", "told"),
    [
        ("f5d6c4b3", "Book: left at move 4, b3", {"ply": 4, "number": 4, "move": "b3", "judged": False}),
        (
            "f5d6c4d3",
            "Book: ends with move 4, d3, the best of those that lead out of it",
            {"ply": 4, "number": 4, "move": "d3", "judged": True},
        ),
        ("f5d6c4", None, None),
    ],
)
def test_where_a_game_has_left_the_book_is_told(
    tmp_path: Path, game: str, text: str | None, told: dict[str, object] | None
) -> None:
    book = small_book(tmp_path)
    lines = review(game, "--book", book).stdout.splitlines()
    facts = json.loads(review(game, "--book", book, "--json").stdout.splitlines()[0])
    many = review("-", "--book", book, stdin=f"{game}\n{game}\n").stdout.splitlines()[1]

    assert [line for line in lines if line.startswith("Book:")] == ([] if text is None else [text])
    assert facts["book_exit"] == told
    assert (
        many.endswith("Opening") if told is None else many.endswith(f"; left the book at 4. {told['move']}")
    )


def test_a_book_for_other_rules_is_told_of_once_if_it_was_asked_for(tmp_path: Path) -> None:
    book = small_book(tmp_path)
    games = "(;GM[2]RU[obversi])(;GM[2]RU[obversi])"
    asked = review("-", "--book", book, stdin=games)
    usual = CliRunner().invoke(cli, ["review", "-", "--level", "0"], input=games)

    assert asked.exit_code == 0
    assert asked.stderr == (
        f"outflank: '{book}' is a book for othello, not for obversi; reviewing without a book\n"
    )
    assert usual.stderr == ""


def test_a_book_that_cannot_be_read_ends_the_review(tmp_path: Path) -> None:
    result = review("f5d6", "--book", tmp_path / "no.book")

    assert result.exit_code == 2
    assert "Invalid value for --book: there is no file" in result.output


@pytest.mark.parametrize("workers", [1, 2])
def test_many_games_get_a_line_each_and_a_summary_for_each_player(workers: int) -> None:
    lines = review("-", "--workers", workers, stdin=TWO).stdout.splitlines()

    assert lines[1].startswith("game 1: Black - White 13-0; discs lost: ")
    assert lines[2].startswith("game 2: Black - White 10-54; discs lost: ")
    assert lines[2].endswith(" in 30 moves; Parallel Opening")
    assert lines[4].split()[:3] == ["player", "games", "won"]
    assert lines[5].split()[:6] == ["(no", "name)", "2", "0", "0", "0"]


def test_json_of_many_games_ends_with_the_players() -> None:
    *games, players = map(json.loads, review("-", "--json", stdin=TWO).stdout.splitlines())

    assert [(game["kind"], game["file"], game["number"]) for game in games] == [
        ("game", "standard input", 1),
        ("game", "standard input", 2),
    ]
    assert [player["games"] for player in players["players"]] == [2]
    assert players["players"][0]["discs_lost"] == sum(
        side["discs_lost"] for game in games for side in game["sides"].values()
    )


def test_a_bad_game_is_named_and_the_others_are_reviewed(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text(f"f5f5\n{TWO}")
    result = review(path)

    assert result.exit_code == 1
    assert "game 2: Black - White 10-54" in result.stdout
    assert result.stderr.startswith(f"outflank: {path}, line 1: move 2 of the transcript: expected White")
    assert "1 game can't be read (named above)" in result.output


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("nowhere.ggf",), 1, "nowhere.ggf: can't be read (No such file or directory)"),
        (("--depth", "3", "f5"), 2, "give --level, or --depth and --time: a level says how far to search"),
        (("f5", "--length", "20-30"), 1, "no game passes the filters"),
        (("f5", "--ply", "1", "--no-values"), 2, "--ply shows the values of all moves"),
        (("f5", "--json", "--ply", "1"), 2, "--ply shows text, and --json has all moves"),
        (("f5", "--json", "--scores", "black"), 2, "--json has the mover's scores: leave it out"),
        ((), 2, "Missing argument 'GAME...'"),
    ],
)
def test_what_cannot_be_reviewed_gets_one_sentence(
    arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    result = review(*arguments)

    assert result.exit_code == code
    assert sentence in result.stderr


def test_the_depth_of_every_search_can_be_given() -> None:
    result = CliRunner().invoke(cli, ["review", "f5d6c3", "--depth", "3", "--exact-from", "0", "--json"])
    game, _ = map(json.loads, result.stdout.splitlines())

    assert [(move["depth"], move["selectivity"]) for move in game["moves"][1:]] == [(3, 100)] * 2
    assert str([move["number"] for move in game["moves"]]) == "[1, 2, 3]"


def test_the_page_and_the_curve_are_written(tmp_path: Path) -> None:
    page, curve = tmp_path / "review.html", tmp_path / "curve.svg"
    result = review(WITH_PASSES, "--html", page, "--svg", curve)

    assert result.exit_code == 0, result.stderr
    assert "<h1>Black against White</h1>" in page.read_text()
    assert curve.read_text().startswith("<svg xmlns=")


def test_all_games_are_written_with_their_review(tmp_path: Path) -> None:
    files = {form: tmp_path / f"a.{form}" for form in ("sgf", "ggf")}
    result = review("-", *(word for form, file in files.items() for word in (f"--{form}", file)), stdin=TWO)

    assert result.exit_code == 0, result.stderr
    for form, file in files.items():
        _, second = read_games(file)
        assert isinstance(second, AnnotatedGame)
        assert second.game().transcript() == WITH_PASSES, form
        assert second.moves[56].score == -44
        assert "57. h7 blunder" in second.comment


@pytest.mark.parametrize(
    ("option", "file", "code", "sentence"),
    [
        (
            "--svg",
            "curve.svg",
            2,
            "--svg draws the curve of one game, and there are more (--html shows them all)",
        ),
        ("--html", "-", 2, "it needs the name of a file, not '-' for standard output"),
        ("--html", "none/a.html", 1, "outflank: can't write 'none/a.html' (No such file or directory)\n"),
    ],
)
def test_a_file_that_cannot_be_written_is_told_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, file: str, code: int, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    result = review("-", option, file, stdin=TWO)

    assert result.exit_code == code
    assert sentence in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--html", "--svg", "--sgf", "--ggf"])
def test_the_games_are_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gg.sgf").write_text("(;GM[2];B[f5])")
    Path("link").symlink_to("gg.sgf")
    result = review("gg.sgf", option, "link")

    assert result.exit_code == 2
    assert "can't write to 'link', whose games are reviewed: name another file" in result.stderr
    assert Path("gg.sgf").read_text() == "(;GM[2];B[f5])"


def test_a_blank_transcript_is_a_game_without_moves() -> None:
    assert review("").stdout == review("-", stdin="(;GM[2])").stdout


def test_a_game_without_moves_has_no_curve(tmp_path: Path) -> None:
    result = review("-", "--level", "0", "--svg", tmp_path / "curve.svg", stdin="(;GM[2])")

    assert result.exit_code == 1
    assert result.stderr == "outflank: a game without moves has no curve to draw\n"
    assert list(tmp_path.iterdir()) == []


def test_a_review_prints_no_terminal_sequences_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "a\x1b]0;x\x07.sgf"
    hostile = "\x1b\x9d0;owned\x07\x1bP1$r\x1b\\\\\x9b2J\u202e"
    game = f"(;GM[2]PB[{hostile}Eve]PW[{hostile}Max];B[f5];W[d6])"
    file.write_text(f"{game}{game}(;GM[2]PB[x]SZ[{hostile}])")
    for arguments in ((), ("--json",)):
        result = review(file, "--exact-from", "0", "--workers", "1", *arguments)

        assert result.exit_code == 1
        assert arguments or "Eve" in result.stdout
        assert all(line.isprintable() for line in (result.stdout + result.stderr).split("\n"))


def test_a_review_says_where_the_board_contradicts_the_record(tmp_path: Path) -> None:
    moves = "f5d6c5f4e3f6g5e6e7"
    sgf = "".join(f";{'BW'[at % 2]}[{moves[2 * at : 2 * at + 2]}]" for at in range(9))
    (tmp_path / "a.sgf").write_text(f"(;GM[2]PB[A]PW[B]RE[W+2]{sgf})")
    result = review(tmp_path / "a.sgf")

    assert result.exit_code == 0
    assert (
        "a.sgf, game 1: the record says that White won by 2 and the board that Black won by 64"
        in result.stderr
    )
    assert "A (Black) - B (White) 13-0" in result.stdout
