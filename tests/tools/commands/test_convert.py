"""``outflank convert`` as a user meets it."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.files import WRITTEN_FORMATS, read_games
from outflank.tools.commands.program import cli
from outflank.tools.report.gamefiles import FORMAT_OF

GGF = """\
(;GM[Othello]PB[Ann]PW[Bob]DT[1999-05-01]RE[+2.00]BO[8 {start}]B[F5]W[D6]B[C3];)
(;GM[Othello]PB[Bob]PW[Zoe]DT[2001-05-01]RE[-64.00:r]BO[8 {start}]B[F5]W[D6]B[C5]W[F4]B[E3];)
(;GM[Othello]PB[Ann]PW[Zoe]DT[2003-05-01]RE[+0.00]BO[8 {start}]B[F5];)
(;GM[Othello]PB[Joanna]PW[x]RE[?]BO[8 {start}];)
""".format(start="---------------------------O*------*O--------------------------- *")
OVER = "f5d6c5f4e3f6g5e6e7"


def convert(*arguments: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["convert", *map(str, arguments)], input=stdin)


def games_in(path: Path) -> list[AnnotatedGame]:
    with path.open("rb") as stream:
        games = list(read_games(stream, path))
    assert all(isinstance(game, AnnotatedGame) for game in games), games
    return [game for game in games if isinstance(game, AnnotatedGame)]


@pytest.fixture
def ggf_file(tmp_path: Path) -> Path:
    path = tmp_path / "games.ggf"
    path.write_text(GGF)
    return path


@pytest.mark.parametrize("name", WRITTEN_FORMATS)
def test_every_format_is_written_and_read_back(tmp_path: Path, ggf_file: Path, name: str) -> None:
    output = tmp_path / ("out.wtb" if name == "wthor" else "out")
    result = convert(ggf_file, "--to", name, "-o", output, "--result", "black")

    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[0] == str(output)
    assert result.stderr.splitlines()[-1].startswith("4 games read, 1 written, 0 bad, ")
    first, *more = games_in(output)
    assert (first.discs_played, len(more)) == ((0, 2) if name == "obf" else (3, 0))


@pytest.mark.parametrize("suffix", FORMAT_OF)
def test_the_suffix_of_the_output_names_the_format(tmp_path: Path, ggf_file: Path, suffix: str) -> None:
    given, named = tmp_path / f"given{suffix}", tmp_path / f"named{suffix.upper()}"
    for words in (("-o", given, "--to", FORMAT_OF[suffix]), ("-o", named)):
        assert convert(ggf_file, *words, "--result", "black").exit_code == 0

    assert named.read_bytes() == given.read_bytes() != b""


def test_an_option_counts_more_than_the_suffix(tmp_path: Path, ggf_file: Path) -> None:
    assert convert(ggf_file, "--to", "sgf", "-o", tmp_path / "a.ggf", "--result", "black").exit_code == 0
    assert (tmp_path / "a.ggf").read_text().startswith("(;FF[4]")


def test_games_go_to_standard_output_and_come_from_standard_input(ggf_file: Path) -> None:
    sgf = convert(ggf_file, "--to", "sgf")
    back = convert("-", "--to", "transcript", "--style", "spaced", stdin=sgf.stdout)

    assert back.stdout.splitlines() == [
        "f5 d6 c3  # Ann - Bob +2",
        "f5 d6 c5 f4 e3  # Bob - Zoe Zoe wins by resignation",
        "f5  # Ann - Zoe +0",
    ]


@pytest.mark.parametrize(
    ("option", "value", "numbers"),
    [
        ("--player", "ann", [1, 3, 4]),
        ("--player", "Zoe", [2, 3]),
        ("--year", "1999", [1]),
        ("--year", "2000-2003", [2, 3]),
        ("--result", "white", [2]),
        ("--result", "draw", [3]),
        ("--result", "unknown", [4]),
        ("--length", "1-3", [1, 3]),
        ("--length", "0", [4]),
    ],
)
def test_filters_choose_games(ggf_file: Path, option: str, value: str, numbers: list[int]) -> None:
    result = convert(ggf_file, "--to", "ggf", option, value)

    lines = GGF.splitlines()
    players = [lines[number - 1].partition("PB")[2].partition("]PW")[0] for number in numbers]
    assert [line.partition("PB")[2].partition("]PW")[0] for line in result.stdout.splitlines()] == players


def test_a_date_in_seconds_is_of_its_year(tmp_path: Path, ggf_file: Path) -> None:
    """1041483604 seconds after 1970 is 2003-01-02; its first four digits are no year."""
    ggf_file.write_text(GGF.splitlines(keepends=True)[1].replace("2001-05-01", "1041483604"))
    output = tmp_path / "a.wtb"
    result = convert(ggf_file, "--to", "wthor", "-o", output, "--year", "2003")

    assert result.exit_code == 0, result.stderr
    assert [game.date for game in games_in(output)] == ["2003"]


def test_a_bad_game_is_named_left_out_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("f5d6\nf5f5\nf5d6c3\n")
    (tmp_path / "b.sgf").write_text("(;GM[2];B[f5])(;GM[2];B[a1])")
    result = convert(tmp_path / "a.txt", tmp_path / "missing", tmp_path / "b.sgf", "--to", "transcript")

    assert result.exit_code == 1
    assert result.stdout == "f5d6\nf5d6c3\nf5\n"
    *named, counts, last = result.stderr.splitlines()
    assert named == [
        f"outflank: {tmp_path}/a.txt, line 2: move 2 of the transcript: expected White to play f4 d6 f6, got f5",
        f"outflank: {tmp_path}/missing: can't be read (No such file or directory)",
        f"outflank: {tmp_path}/b.sgf, game 2: move 1: expected Black to play d3 c4 f5 e6, got a1",
    ]
    assert counts.startswith("3 games read, 3 written, 3 bad, ")
    assert last == "outflank: 3 games can't be read or written (named above)"


def test_what_a_format_can_not_hold_is_named_too(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;GM[2]RU[obversi]RE[B+2])(;GM[2];B[f5])(;GM[2]RE[B+2];B[f5])")
    result = convert(tmp_path / "a.sgf", "--to", "wthor", "-o", tmp_path / "a.wtb")

    assert result.exit_code == 1
    assert "a.sgf, game 1: WTHOR holds Othello from its start only" in result.stderr
    assert "a.sgf, game 2: WTHOR can't hold a game without a result" in result.stderr
    assert [game.discs_played for game in games_in(tmp_path / "a.wtb")] == [1]


def test_a_game_without_a_move_is_no_transcript(ggf_file: Path) -> None:
    result = convert(ggf_file, "--to", "transcript")

    assert (result.exit_code, len(result.stdout.splitlines())) == (1, 3)
    assert f"{ggf_file}, game 4: a game without a move can't be written as a transcript" in result.stderr


def test_numbers_for_machines(tmp_path: Path, ggf_file: Path) -> None:
    result = convert(ggf_file, "--to", "wthor", "--json", "-o", tmp_path / "a.wtb", "--year", "1999-2001")
    facts = json.loads(result.stdout)

    assert {name: facts[name] for name in ("read", "written", "bad")} == {"read": 4, "written": 2, "bad": 0}
    assert [Path(file).suffix for file in facts["files"]] == [".wtb", ".jou", ".trn"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--to", "wthor"],
            "WTHOR needs the name of a file (-o FILE), since its names go to files beside it",
        ),
        (
            ["--to", "wthor", "-o", "-"],
            "WTHOR needs the name of a file (-o FILE), since its names go to files beside it",
        ),
        (["--to", "wthor", "-o", "a.jou"], "a file for WTHOR ends in .wtb, unlike 'a.jou'"),
        (["--to", "pgn"], "'pgn' is not one of"),
        (["--to", "sgf", "--year", "x"], "expected a number or two such as 20-60, got 'x'"),
        (["--to", "sgf", "--length", "9-3"], "the smaller number comes first: '9-3' begins with the larger"),
        ([], "give --to FORMAT, or -o FILE that ends in .sgf, .ggf, .txt, .obf or .wtb"),
        (["-o", "a.pgn"], "no format is named: give --to FORMAT, or -o FILE that ends in .sgf, "),
    ],
)
def test_wrong_use_is_named(ggf_file: Path, arguments: list[str], sentence: str) -> None:
    result = convert(ggf_file, *arguments)

    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())


def test_what_was_there_stays_if_writing_fails(tmp_path: Path, ggf_file: Path) -> None:
    (tmp_path / "out").write_text("old")
    result = convert(ggf_file, "--to", "sgf", "-o", tmp_path / "no folder" / "out")

    assert result.exit_code == 1
    assert result.stderr == f"outflank: can't write '{tmp_path}/no folder/out' (No such file or directory)\n"
    assert convert(tmp_path / "missing", "--to", "sgf", "-o", tmp_path / "out").exit_code == 1


def test_a_file_may_be_converted_into_itself(ggf_file: Path) -> None:
    assert convert(ggf_file, "--to", "sgf", "-o", ggf_file).exit_code == 0
    assert [game.black for game in games_in(ggf_file)] == ["Ann", "Bob", "Ann", "Joanna"]


@pytest.mark.parametrize(("name", "suffixes"), [("sgf", ["sgf"]), ("wthor", ["wtb", "jou", "trn"])])
def test_what_was_there_stays_if_no_game_can_be_written(
    tmp_path: Path, name: str, suffixes: list[str]
) -> None:
    (tmp_path / "one.txt").write_text(OVER)
    files = [tmp_path / f"old.{suffix}" for suffix in suffixes]
    assert convert(tmp_path / "one.txt", "--to", name, "-o", files[0]).exit_code == 0
    before = [file.read_bytes() for file in files]
    result = convert(tmp_path / "missing", "--to", name, "-o", files[0])

    assert result.exit_code == 1
    assert result.stderr.endswith("outflank: 1 game can't be read or written (named above)\n")
    assert [file.read_bytes() for file in files] == before


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("f5d6\nf5f5\n", ()),
        ("f5d6\nf5\n", ("--length", "2")),
        ("(;GM[2];B[f5](;W[d6];B[c3])(;W[f6]))", ()),
        ("(;GM[2];B[f5]TE[1];W[d6])", ()),
        ("(;GM[2]PB[O\x92Brien];B[f5]C[\x1b])", ()),
    ],
)
def test_a_file_keeps_games_and_variations_that_would_be_left_out_of_itself(
    tmp_path: Path, text: str, options: tuple[str, ...]
) -> None:
    file, same, other = tmp_path / "games.txt", tmp_path / "link.txt", tmp_path / "other.txt"
    file.write_text(text)
    same.symlink_to(file)
    other.write_text("f5d6c3\n")
    result = convert(file, other, "--to", "sgf", "-o", same, *options)

    assert result.exit_code == 1
    assert result.stderr.endswith(
        f"outflank: '{same}' would lose games, variations, properties or characters, so nothing was written: "
        "name another file\n"
    )
    assert file.read_text() == text
    assert convert(file, other, "--to", "transcript", "-o", other, "--length", "2-3").stdout == f"{other}\n"


def test_a_file_without_a_name_is_named() -> None:
    result = convert("", "--to", "sgf")

    assert result.stderr.startswith("outflank: '': can't be read (No such file or directory)\n")


def test_memory_does_not_grow_with_the_games(tmp_path: Path) -> None:
    """Measured in processes of their own."""
    script = (
        "import resource, sys; from outflank.tools.commands.program import cli; "
        "cli(sys.argv[1:], standalone_mode=False); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )

    def peak(count: int) -> int:
        path = tmp_path / f"{count}.ggf"
        path.write_text(GGF.splitlines()[0] * count)
        command = [sys.executable, "-c", script, "convert", str(path), "--to", "sgf", "-o", os.devnull]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        return int(ran.stderr.split()[-1])

    assert peak(4000) - peak(40) < 2048  # kilobytes; all 4000 together would be many times that


def test_a_pipe_that_closes_early_is_no_error_of_ours(ggf_file: Path) -> None:
    """As every command: 141, and not a word."""
    many = io.BytesIO(GGF.encode() * 2000).getvalue()
    ran = subprocess.run(
        [
            "sh",
            "-c",
            f"{sys.executable} -m outflank.tools.commands.program convert - --to sgf 2>err | head -1; cat err",
        ],
        input=many,
        capture_output=True,
        check=False,
        cwd=ggf_file.parent,
    )

    assert ran.stdout.startswith(b"(;FF[4]")
    assert b"Traceback" not in ran.stdout


def test_two_players_are_those_of_one_game(ggf_file: Path) -> None:
    both = convert(ggf_file, "--to", "ggf", "--player", "ann", "--player", "zoe")
    twice = convert(ggf_file, "--to", "ggf", "--player", "joann", "--player", "joann")

    assert "PB[Ann]PW[Zoe]" in both.stdout
    assert both.stdout.count("\n") == 1
    assert (twice.exit_code, twice.stdout) == (1, "")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--player", "a"] * 3, "a game has two players, got 3 names"),
        (["--year", "1999", "--year", "2001"], "give it once"),
        (["--result", "draw", "--result", "black"], "give it once"),
        (["--length", "3", "--length", "5"], "give it once"),
    ],
)
def test_no_filter_is_dropped_in_silence(ggf_file: Path, options: list[str], sentence: str) -> None:
    result = convert(ggf_file, "--to", "ggf", *options)

    assert result.exit_code == 2
    assert sentence in result.stderr


def test_filters_that_find_nothing_leave_the_file_as_it_was(tmp_path: Path, ggf_file: Path) -> None:
    (tmp_path / "out").write_text("keep")
    result = convert(ggf_file, "--to", "sgf", "-o", tmp_path / "out", "--player", "Eve")

    assert (result.exit_code, (tmp_path / "out").read_text()) == (1, "keep")
    assert result.stderr == "outflank: no game passes the filters\n"


@pytest.fixture
def without_names(tmp_path: Path) -> Path:
    """A WTHOR file beside which the names are missing."""
    (tmp_path / "two.txt").write_text(f"{OVER}\n{OVER}\n")
    assert convert(tmp_path / "two.txt", "--to", "wthor", "-o", tmp_path / "w.wtb").exit_code == 0
    (tmp_path / "w.jou").unlink()
    return tmp_path / "w.wtb"


def test_players_that_stay_numbers_are_named_once(without_names: Path) -> None:
    result = convert(without_names, "--to", "transcript")

    assert result.exit_code == 0
    assert result.stderr.splitlines()[0] == (
        f"outflank: {without_names}: players are shown as numbers, since no w.jou, WTHOR.JOU or WTH.JOU lies beside it"
    )
    assert result.stderr.count("shown as numbers") == 1
    assert (
        "standard input: players are shown as numbers"
        in convert("-", "--to", "transcript", stdin=without_names.read_bytes()).stderr
    )


def test_a_player_that_can_not_be_found_without_names_fails(without_names: Path) -> None:
    result = convert(without_names, "--to", "transcript", "--player", "tastet")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1] == (
        "outflank: no game of 'tastet' found, since the names of the players are missing (see above)"
    )


def test_many_bad_games_are_named_up_to_twenty_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("f5d6\n" + "f5f5\n" * 1000)
    result = convert(tmp_path / "a.txt", "--to", "transcript")

    assert (result.exit_code, result.stdout) == (1, "f5d6\n")
    assert result.stderr.count("move 2 of the transcript") == 20
    assert "outflank: and 980 bad games more\n" in result.stderr
    assert result.stderr.endswith(
        "outflank: 1,000 games can't be read or written (the first 20 named above)\n"
    )


def test_a_result_that_contradicts_its_board_is_named_and_the_board_counts(tmp_path: Path) -> None:
    moves = "".join(f"{'BW'[at % 2]}[{OVER[2 * at : 2 * at + 2]}]" for at in range(9))
    (tmp_path / "a.ggf").write_text(f"(;GM[Othello]PB[A]PW[B]RE[-4.00]{moves};)")
    result = convert(tmp_path / "a.ggf", "--to", "sgf")

    assert result.exit_code == 0
    assert "RE[B+64]" in result.stdout
    assert result.stderr.splitlines()[0] == (
        f"outflank: {tmp_path}/a.ggf, game 1: the record says that White won by 4 and the board that Black won by 64; "
        "the board counts"
    )


@pytest.mark.parametrize(
    ("target", "left_out"),
    [
        ("sgf", "TE (2), variation (1), which Outflank doesn't read"),
        (
            "ggf",
            "title (1), event (1), comments on moves (1), marks of bad moves (1), for which GGF has no place; "
            "TE (2), variation (1), which Outflank doesn't read",
        ),
        (
            "transcript",
            "event (1), evaluations (1), comments on moves (1), marks of bad moves (1), "
            "for which a transcript has no place; TE (2), variation (1), which Outflank doesn't read",
        ),
    ],
)
def test_what_is_left_out_is_said_once_with_counts(tmp_path: Path, target: str, left_out: str) -> None:
    (tmp_path / "a.sgf").write_text(
        "(;GM[2]PB[A]PW[B]GN[final]EV[Cup];B[f5]V[1]TE[1]C[good](;W[d6]BM[1];B[c3]TE[1])(;W[f6]))"
    )
    result = convert(tmp_path / "a.sgf", "--to", target)

    assert result.exit_code == 0
    assert result.stderr.splitlines()[0] == f"outflank: left out: {left_out}"
    assert result.stderr.count("left out") == 1


def test_what_is_left_out_is_there_for_machines(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;GM[2]EV[Cup];B[f5]TE[1])")
    result = convert(tmp_path / "a.sgf", "--to", "ggf", "-o", tmp_path / "a.ggf", "--json")

    assert json.loads(result.stdout)["left_out"] == {"event": 1, "TE": 1}


def test_nothing_is_said_where_nothing_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;GM[2]FF[4]AP[x:1]KM[0]PB[A]EV[Cup];B[f5]V[1]C[good])")

    assert "left out" not in convert(tmp_path / "a.sgf", "--to", "sgf").stderr


def test_every_game_of_a_pgn_is_converted(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(
        '[Event "?"]\n[Black "A"]\n[White "B"]\n[Result "1-0"]\n\n 1. F5 d6\n 2. c5 1-0\n\n\n' * 2
    )
    result = convert(tmp_path / "a.pgn", "--to", "transcript", "--style", "spaced")

    assert (result.exit_code, result.stdout) == (0, "f5 d6 c5  # A - B A wins\n" * 2)


@pytest.mark.parametrize(
    ("game", "target", "line", "left_out"),
    [
        ('[White "Ann"] [Black "Bob"] [Result "0-1"] 1. f5 d6 0-1', "transcript", "f5d6  # Bob - Ann Ann wins", ""),
        ('[White "Ann"] [Black "Bob"] [Result "0-1"] 1. f5 d6 0-1', "ggf", "(;GM[Othello]", "result (1)"),
        ("(;GM[2]PB[A]PW[B]RE[B+3.5];B[f5])", "transcript", "f5  # A - B A wins", ""),
        ("(;GM[2]PB[Ann]PW[Bob]RE[B+R]C[Bob resigned];B[f5])", "transcript",
         "f5  # Ann - Bob Ann wins by resignation", "comment (1)"),
        ("(;GM[2]C[well played];B[f5])", "transcript", "f5  # well played", ""),
        ("1. f5 d6 2. c3 d3 3. c4 f4 4. e3 f3 40-24", "transcript", "f5d6c3d3c4f4e3f3  # +16", ""),
        ("1. f5 d6 1-0", "transcript", "f5d6  # Black wins", ""),
    ],
)  # fmt: skip
def test_a_result_says_no_more_than_the_record(game: str, target: str, line: str, left_out: str) -> None:
    result = convert("-", "--to", target, stdin=game)

    assert result.stdout.startswith(line)
    assert (f"left out: {left_out}" in result.stderr) is bool(left_out)
    assert left_out or "left out" not in result.stderr


@pytest.mark.parametrize("there", ["o.jou", "o.trn"])
@pytest.mark.parametrize("with_games", [False, True])
def test_files_beside_a_new_wthor_file_are_not_overwritten(
    tmp_path: Path, there: str, with_games: bool
) -> None:
    (tmp_path / "one.txt").write_text(OVER)
    (tmp_path / there).write_text("keep")
    if with_games:
        (tmp_path / "o.wtb").write_text("something")
    result = convert(tmp_path / "one.txt", "--to", "wthor", "-o", tmp_path / "o.wtb")

    assert result.exit_code == 1
    assert result.stderr == (
        f"outflank: '{tmp_path}/{there}' is there already and would be overwritten by the names of the games; "
        "give the games another name\n"
    )
    assert (tmp_path / there).read_text() == "keep"
    assert (tmp_path / "o.wtb").exists() is with_games


def test_a_wthor_file_is_replaced_with_its_names(tmp_path: Path, ggf_file: Path) -> None:
    (tmp_path / "one.txt").write_text(OVER)
    for file in (tmp_path / "one.txt", ggf_file):
        assert convert(file, "--to", "wthor", "-o", tmp_path / "o.wtb", "--result", "black").exit_code == 0

    assert [game.black for game in games_in(tmp_path / "o.wtb")] == ["Ann"]


def test_games_of_an_event_are_picked(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;GM[2]EV[World Cup 2003];B[f5])(;GM[2]EV[Club];B[d3])(;GM[2];B[c4])")

    result = convert(tmp_path / "a.sgf", "--to", "transcript", "--event", "world cup")

    assert result.stdout.splitlines() == ["f5"]
    assert convert(tmp_path / "a.sgf", "--to", "transcript", "--event", "cups").exit_code == 1


def test_of_equal_games_and_their_images_the_first_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("f5d6c3\nd3c5f6\nf5d6c4\nf5d6c3\ne6f4c3\n")

    result = convert(file, "--to", "transcript", "--unique")

    assert result.stdout.splitlines() == ["f5d6c3", "f5d6c4"]
    assert "5 games read, 2 written, 0 bad" in result.stderr
    # Two of these begin on different boards.
    boards = f"{'-' * 27}OX------XO{'-' * 27} X\n{'-' * 27}OO------XX{'-' * 27} X\n"
    assert convert("-", "--to", "obf", "--unique", stdin=boards).stdout.count("\n") == 2


def test_numbers_of_games_are_printed(ggf_file: Path) -> None:
    facts = json.loads(convert(ggf_file, "--stats", "--json", "--length", "1-60").stdout)

    assert facts["games"] == 3
    assert facts["results"] == {"black": 1, "white": 1, "draw": 1, "unknown": 0}
    assert facts["years"] == {"1999": 1, "2001": 1, "2003": 1}
    assert facts["players"] == {"Ann": 2, "Bob": 2, "Zoe": 2}
    assert facts["lengths"] == {"1": 1, "3": 1, "5": 1}
    assert facts["openings"]["Perpendicular Opening"] == 2
    text = convert(ggf_file, ggf_file, "--stats").stdout
    assert text.startswith("games     8; 4 had the moves of another\nresults   black 2 (25.0%), ")
    assert convert(ggf_file, "--stats", "--to", "sgf").exit_code == 2
    assert convert(ggf_file).exit_code == 2


def test_numbers_of_games_come_with_an_error_for_those_that_can_t_be_read(tmp_path: Path) -> None:
    result = convert("-", "--stats", stdin="f5d6\nf5f5\n")

    assert (result.exit_code, result.stdout.splitlines()[0]) == (1, "games     1; 0 had the moves of another")
    assert result.stderr.endswith("1 game can't be read (named above)\n")
