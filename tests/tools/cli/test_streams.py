"""The program without its standard streams, or with names they can't write: no end is a traceback."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = f"'{sys.executable}' -m outflank.tools.commands.program"
CLOSED = re.compile(r"^outflank: .*Bad file descriptor\n\Z", re.MULTILINE)


def run(words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The program with the words of a shell, which closes streams."""
    return subprocess.run(
        f"exec {PROGRAM} {words}", shell=True, cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "--version",
        "perft --help",
        "perft 1",
        "sprt 1 2 3",
        "board f5",
        "board f5 --svg",
        "board f5 --png",
        "analyze f5 --depth 1",
        "convert games.txt --to ggf",
        "play --book none --level 1 </dev/null",
        "gtp --book none <commands.gtp",
        "nboard --book none <commands.nboard",
    ],
)
def test_what_can_not_be_printed_ends_the_program_with_one_sentence(words: str, tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text("f5d6c3\n")
    (tmp_path / "commands.gtp").write_text("name\n")
    (tmp_path / "commands.nboard").write_text("nboard 2\nping 1\n")
    told = run(f"{words} >&-", tmp_path)

    assert told.returncode == 1
    assert CLOSED.search(told.stderr)
    assert "Traceback" not in told.stderr


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        ("play --book none --level 1", 0, ""),
        ("solo", 0, ""),
        ("gtp --book none", 0, ""),
        ("nboard --book none", 0, ""),
        ("analyze -", 1, "outflank: standard input: expected games"),
        ("board -", 1, "outflank: standard input: expected games"),
        ("convert - --to ggf", 1, "outflank: standard input: expected games"),
        ("review -", 1, "outflank: standard input: expected games"),
        ("solve -", 1, "outflank: <stdin> has no positions"),
    ],
)
def test_an_input_that_is_closed_is_an_empty_one(words: str, code: int, sentence: str) -> None:
    told = run(f"{words} <&-")

    assert told.returncode == code, told.stderr
    assert sentence in told.stderr
    assert "Traceback" not in told.stderr
    assert sentence or told.stderr == ""


def test_warnings_that_nobody_reads_are_no_failure(tmp_path: Path) -> None:
    (tmp_path / "games.txt").write_text("f5d6c3\n")
    told = run("convert games.txt --to ggf -o games.ggf 2>&-", tmp_path)

    assert (told.returncode, told.stderr) == (0, "")
    assert "B[F5]W[D6]B[C3]" in (tmp_path / "games.ggf").read_text()


@pytest.mark.parametrize(("words", "code"), [("perft 1", 1), ("jump", 2), ("gtp --book none", 0)])
def test_all_of_them_may_be_closed(words: str, code: int) -> None:
    assert run(f"{words} <&- >&- 2>&-").returncode == code


def test_a_file_does_not_take_the_place_of_a_closed_stream(tmp_path: Path) -> None:
    (tmp_path / "commands.gtp").write_text("name\n")
    told = run("gtp --book none --log log <commands.gtp >&-", tmp_path)

    assert told.returncode == 1
    assert "= Outflank" in (tmp_path / "log").read_text()


NAME = b"n\xff"
IN_RECORDS = b"""match --games 2 --out run --engine 'name=A cmd="outflank gtp"' """


def run_bytes(words: bytes, folder: Path) -> subprocess.CompletedProcess[str]:
    """The program with the words of a shell, and standard output as strict as in most locales."""
    strict = {**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    return subprocess.run(
        b"exec " + PROGRAM.encode() + b" " + words, shell=True, cwd=folder, capture_output=True, text=True,
        timeout=100, env=strict,
    )  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        IN_RECORDS + b"--engine 'name=B cmd=\"outflank gtp\"' --openings " + NAME,
        IN_RECORDS + b'--engine \'name=B cmd="outflank gtp" dir=' + NAME + b"'",
        IN_RECORDS + b"--engine 'name=B cmd=" + NAME + b"'",
        IN_RECORDS + b'--engine \'name=B cmd="outflank gtp" env.A=' + NAME + b"'",
    ],
)
def test_a_path_that_a_run_cannot_keep_is_refused_in_a_sentence(words: bytes, tmp_path: Path) -> None:
    """The file of a run is UTF-8, and on Linux the name of a file may be any bytes."""
    told = run_bytes(words, tmp_path)

    assert told.returncode == 2
    assert re.search(r"not UTF-8, so a run can't keep it: .*'n\\udcff'}?; rename", told.stderr)
    assert list(tmp_path.iterdir()) == []


def test_names_of_files_may_be_any_bytes(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(NAME)).write_text("f5d6c3d3\n")
    (tmp_path / os.fsdecode(b"a" + NAME)).mkdir()
    book = b"b" + NAME
    for words in (
        b"convert " + NAME + b" --to sgf -o c" + NAME,
        b"analyze " + NAME + b" --depth 1",
        b"review " + NAME + b" --level 1 --html r" + NAME,
        b"board f5 -o s" + NAME + b".svg",
        b"book build " + book + b" --level 1 --positions 9 --workers 1",
        b"book extend " + book + b" " + NAME + b" --level 1 --workers 1",
        b"book stats " + book,
        b"book check " + book,
        b"book merge m" + NAME + b" " + book + b" --level 1 --workers 1",
        b"book tree " + book + b" -o t" + NAME + b".svg",
        b"book export " + book + b" --to text -o e" + NAME,
        b"book import e" + NAME + b" i" + NAME,
    ):
        told = run_bytes(words, tmp_path)
        assert (told.returncode, "Traceback" in told.stderr) == (0, False), (words, told.stderr)

    found = json.loads(run_bytes(b"book stats --json " + book, tmp_path).stdout)
    assert os.fsencode(found["book"]) == book
