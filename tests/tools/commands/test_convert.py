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
from outflank.protocol.formats.files import FORMATS, read_games
from outflank.tools.cli.program import cli

GGF = """\
(;GM[Othello]PB[Ann]PW[Bob]DT[1999-05-01]RE[+2.00]BO[8 {start}]B[F5]W[D6]B[C3];)
(;GM[Othello]PB[Bob]PW[Zoe]DT[2001-05-01]RE[-64.00:r]BO[8 {start}]B[F5]W[D6]B[C5]W[F4]B[E3];)
(;GM[Othello]PB[Ann]PW[Zoe]DT[2003-05-01]RE[+0.00]BO[8 {start}]B[F5];)
(;GM[Othello]PB[Joanna]PW[x]RE[?]BO[8 {start}];)
""".format(start="---------------------------O*------*O--------------------------- *")


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


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_written_and_read_back(tmp_path: Path, ggf_file: Path, name: str) -> None:
    output = tmp_path / ("out.wtb" if name == "wthor" else "out")
    result = convert(ggf_file, "--to", name, "-o", output, "--result", "black")

    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines()[0] == str(output)
    assert result.stderr == f"4 games read, 1 written, 0 bad, {result.stderr.split()[-2]} s\n"
    first, *more = games_in(output)
    assert (first.discs_played, len(more)) == ((0, 2) if name == "obf" else (3, 0))


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
        f"outflank: {tmp_path}/a.txt, line 2: move 2 of the transcript: expected white to play f4 d6 f6, got f5",
        f"outflank: {tmp_path}/missing: can't be read (No such file or directory)",
        f"outflank: {tmp_path}/b.sgf, game 2: move 1: expected black to play d3 c4 f5 e6, got a1",
    ]
    assert counts.startswith("3 games read, 3 written, 3 bad, ")
    assert last == "outflank: 3 games can't be read or written (named above)"


def test_what_a_format_can_not_hold_is_named_too(tmp_path: Path) -> None:
    (tmp_path / "a.sgf").write_text("(;GM[2]RU[obversi]RE[B+2])(;GM[2];B[f5])(;GM[2]RE[B+2];B[f5])")
    result = convert(tmp_path / "a.sgf", "--to", "wthor", "-o", tmp_path / "a.wtb")

    assert result.exit_code == 1
    assert "a.sgf, game 1: expected Othello from its start for WTHOR, got " in result.stderr
    assert "a.sgf, game 2: expected a game with a result for WTHOR, got one without" in result.stderr
    assert [game.discs_played for game in games_in(tmp_path / "a.wtb")] == [1]


def test_a_game_without_a_move_is_no_transcript(ggf_file: Path) -> None:
    result = convert(ggf_file, "--to", "transcript")

    assert (result.exit_code, len(result.stdout.splitlines())) == (1, 3)
    assert (
        f"{ggf_file}, game 4: expected a game with a move for a transcript, got one without" in result.stderr
    )


def test_numbers_for_machines(tmp_path: Path, ggf_file: Path) -> None:
    result = convert(ggf_file, "--to", "wthor", "--json", "-o", tmp_path / "a.wtb", "--year", "1999-2001")
    facts = json.loads(result.stdout)

    assert {name: facts[name] for name in ("read", "written", "bad")} == {"read": 4, "written": 2, "bad": 0}
    assert [Path(file).suffix for file in facts["files"]] == [".wtb", ".jou", ".trn"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--to", "wthor"], "expected a file for WTHOR, got standard output"),
        (["--to", "wthor", "-o", "-"], "expected a file for WTHOR, got standard output"),
        (["--to", "wthor", "-o", "a.jou"], "expected a file for WTHOR that ends in .wtb, got 'a.jou'"),
        (["--to", "pgn"], "'pgn' is not one of"),
        (["--to", "sgf", "--year", "x"], "expected a number or two such as 20-60, got 'x'"),
        (["--to", "sgf", "--length", "9-3"], "expected the smaller number first, got '9-3'"),
        ([], "Missing option '--to'"),
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
    files = [tmp_path / f"old.{suffix}" for suffix in suffixes]
    for file in files:
        file.write_text("keep")
    result = convert(tmp_path / "missing", "--to", name, "-o", files[0])

    assert result.exit_code == 1
    assert result.stderr.endswith("outflank: 1 game can't be read or written (named above)\n")
    assert [file.read_text() for file in files] == ["keep"] * len(files)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("f5d6\nf5f5\n", ()),
        ("f5d6\nf5\n", ("--length", "2")),
        ("(;GM[2];B[f5](;W[d6];B[c3])(;W[f6]))", ()),
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
        f"outflank: expected another file to write than '{same}', which has games or variations that were left out\n"
    )
    assert file.read_text() == text
    assert convert(file, other, "--to", "transcript", "-o", other, "--length", "2-3").stdout == f"{other}\n"


def test_a_file_without_a_name_is_named() -> None:
    result = convert("", "--to", "sgf")

    assert result.stderr.startswith("outflank: '': can't be read (No such file or directory)\n")


def test_memory_does_not_grow_with_the_games(tmp_path: Path) -> None:
    """Measured in processes of their own."""
    script = (
        "import resource, sys; from outflank.tools.cli.program import cli; "
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
            f"{sys.executable} -m outflank.tools.cli.program convert - --to sgf 2>err | head -1; cat err",
        ],
        input=many,
        capture_output=True,
        check=False,
        cwd=ggf_file.parent,
    )

    assert ran.stdout.startswith(b"(;FF[4]")
    assert b"Traceback" not in ran.stdout
