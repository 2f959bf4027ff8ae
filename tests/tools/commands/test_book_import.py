"""``outflank book import`` and ``build --log``: no file is lost to a book; how a book grew can be read and drawn."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from outflank.book import Book, BookWriter
from outflank.book.checking import check
from outflank.book.forms.files import read_form
from outflank.book.growing import GrowthProgress
from outflank.book.records import HAND_LEVEL
from outflank.engine import FileFormatError
from outflank.measure.book_curve import draw
from outflank.tests.support.books import OTHELLO, after, egbk3, make, no_file_beyond, varied_records
from outflank.tools.books.growth import growth_log
from outflank.tools.commands.program import cli


def run(*words: object, code: int = 0, given: bytes | None = None) -> Result:
    result = CliRunner().invoke(cli, ["book", *map(str, words)], input=given, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A grown book as text; the lines are the first, the number of positions, the rules, two facts, and so on."""
    folder = tmp_path_factory.mktemp("grown")
    run("build", folder / "b", "--positions", 12, "--level", 1, "--workers", 1)
    run("export", folder / "b", "-o", folder / "file")
    return (folder / "file").read_bytes()


def refused(text: bytes, folder: Path, *options: str) -> str:
    """What is said of a file, after its name; nothing else is left of the import."""
    file = folder / "file"
    file.write_bytes(text)
    said = run("import", file, folder / "b", *options, code=1).output
    assert os.listdir(folder) == ["file"]
    return said.removeprefix(f"outflank: {file}: ").rstrip("\n")


def rescored(text: bytes) -> bytes:
    """The text with a score more for its last position."""
    *lines, last = text.splitlines(keepends=True)
    board, side, score, *rest = last.split(b" ")
    return b"".join([*lines, b" ".join([board, side, b"%d" % (int(score) + 1), *rest])])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda text: b"".join(text.splitlines(True)[:-2]),
            "expected 12 positions, got 10: the file is cut short",
        ),
        (lambda text: b"".join(text.splitlines(True)[:3]), "expected 12 positions, got 0: the file is cut"),
        (lambda text: text.replace(b"positions 12", b"positions 11"), "expected 11 positions, got 12"),
        (
            lambda text: text.replace(b"positions 12", b"positions many"),
            "line 2: expected a whole number, got",
        ),
        (lambda text: text + text.splitlines()[-1], "line 20: this position was there before"),
        (rescored, "score, bounds and lines of "),
        (
            lambda text: text.replace(b"fact created", b"fact rules"),
            "line 4: 'rules' can't be a fact, since something else says it",
        ),
        (lambda text: text.replace(b"fact outflank", b"fact created"), "line 5: 'created' can't be a fact"),
        (lambda text: text.replace(b"fact outflank", b"fact checksum"), "line 5: 'checksum' can't be a fact"),
    ],
)
def test_a_text_that_is_not_what_was_written_makes_no_book(
    text: bytes, tmp_path: Path, change: Callable[[bytes], bytes], sentence: str
) -> None:
    assert refused(change(text), tmp_path).startswith(sentence)


def test_a_text_without_the_number_of_its_positions_is_read(text: bytes, tmp_path: Path) -> None:
    """As version 1.0.0 writes it."""
    (tmp_path / "file").write_bytes(text.replace(b"positions 12\n", b""))

    assert run("import", tmp_path / "file", tmp_path / "b").stdout == f"{tmp_path / 'b'}: 12 positions\n"


def test_what_edax_thinks_goes_out_as_text_and_comes_back(text: bytes, tmp_path: Path) -> None:
    """It has bounds and counts of its own, which no rule of ours gives."""
    (tmp_path / "file").write_bytes(
        rescored(text).replace(b"rules othello", b"rules othello\nfact edax 2026")
    )

    assert run("import", tmp_path / "file", tmp_path / "b").stdout.endswith(": 12 positions\n")


def test_other_rules_than_those_of_the_text_are_refused(text: bytes, tmp_path: Path) -> None:
    said = refused(text, tmp_path, "--rules", "reversi")

    assert said == "the book is for othello, not for reversi"
    run("import", tmp_path / "file", tmp_path / "b", "--rules", "othello")


def test_a_byte_order_mark_is_no_part_of_a_text(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbf" + text)
    for number, options in enumerate(([], ["--from", "text"])):
        run("import", tmp_path / "file", tmp_path / str(number), *options)


def test_standard_input_and_pipes_are_read(text: bytes, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    sender = threading.Thread(target=pipe.write_bytes, args=[text])
    sender.start()
    run("import", pipe, tmp_path / "a")
    sender.join()
    run("import", "-", tmp_path / "b", given=text)

    with Book.open(tmp_path / "b") as book:
        assert book.history()[-1].what.endswith("import from standard input")
    said = run("import", "-", tmp_path / "c", given=text[:-9], code=1).output
    assert said.startswith("outflank: standard input: line 19: expected a board")


def test_nobody_makes_a_book_where_one_is_imported(
    text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_while_another_tries(*given: object) -> object:
        with pytest.raises(FileFormatError, match="another process is changing the book"):
            BookWriter.create(tmp_path / "b", OTHELLO)
        return read_form(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("outflank.tools.books.importing.read_form", read_while_another_tries)
    (tmp_path / "file").write_bytes(text)
    run("import", tmp_path / "file", tmp_path / "b")


def test_a_link_that_leads_nowhere_leads_to_the_book(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(text)
    (tmp_path / "b").symlink_to(tmp_path / "target")
    run("import", tmp_path / "file", tmp_path / "b")

    assert (tmp_path / "b").is_symlink()
    assert run("check", tmp_path / "target", "--sample", 0)


def test_a_full_disk_is_said_of_the_name_that_was_given(text: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(text)
    with no_file_beyond(8192):
        said = run("import", tmp_path / "file", tmp_path / "b", code=1).output

    assert f"can't write to '{tmp_path / 'b'}' (" in said
    assert os.listdir(tmp_path) == ["file"]


def build(path: Path, log: Path, positions: int) -> Result:
    words = f"--positions {positions} --level 2 --workers 1 --json --log".split()
    return CliRunner().invoke(cli, ["book", "build", str(path), *words, str(log)])


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def progress(seconds: float) -> GrowthProgress:
    """Of a book that gets ten positions a second."""
    return GrowthProgress(round(10 * seconds), 5, 9, seconds, 2, 7, (1, -3, 5))


def test_each_minute_has_a_line_and_so_has_the_end(tmp_path: Path) -> None:
    with growth_log(tmp_path / "log", tmp_path / "b") as note:
        for seconds in (0.5, 59.9, 60.1, 61, 119, 120, 300.5, 301, 360):
            note(progress(seconds))
        note(progress(361))

    found = lines(tmp_path / "log")
    assert [line["seconds"] for line in found] == [60.1, 120, 300.5, 360, 361]
    assert [line["positions"] for line in found] == [601, 1200, 3005, 3600, 3610]
    assert found[0]["root"] == {"score": 1, "lower": -3, "upper": 5}
    assert (found[0]["error"], found[0]["ply"], found[0]["searches"]) == (2, 7, 9)


def test_an_error_leaves_the_last_line_too(tmp_path: Path) -> None:
    def stopped() -> None:
        with growth_log(tmp_path / "log", tmp_path / "b") as note:
            note(progress(3))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()

    assert [line["seconds"] for line in lines(tmp_path / "log")] == [3]


def test_a_build_goes_on_in_its_log(tmp_path: Path) -> None:
    path, log = tmp_path / "b", tmp_path / "log"
    told = [json.loads(build(path, log, positions).stdout) for positions in (20, 35)]

    found = lines(log)
    assert [line["positions"] for line in found] == [20, 35]
    for line, result in zip(found, told, strict=True):
        assert 0 < line.pop("processor_seconds") < 60
        assert line.pop("seconds") <= result["seconds"]
        assert line == {name: result[name] for name in line}


@pytest.mark.parametrize("name", ["b", "b-wal"])
def test_a_book_is_no_log(tmp_path: Path, name: str) -> None:
    path = tmp_path / "b"
    assert "can't write to" in build(path, tmp_path / name, 20).stderr
    assert list(tmp_path.iterdir()) == [], "neither the log nor a new book"
    assert build(path, tmp_path / "log", 20).exit_code == 0
    refused = build(path, tmp_path / name, 35)

    assert refused.exit_code == 1
    assert "can't write to" in refused.stderr
    assert build(path, tmp_path / "log", 20).exit_code == 0


def test_a_log_that_cannot_be_written_costs_a_sentence(tmp_path: Path) -> None:
    refused = build(tmp_path / "b", tmp_path / "none" / "log", 20)

    assert refused.exit_code == 1
    assert refused.stderr.startswith("outflank: ")
    assert "none/log" in refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_book_grows_on_without_a_log_that_is_full(tmp_path: Path) -> None:
    built = build(tmp_path / "b", Path("/dev/full"), 20)

    assert json.loads(built.stdout)["positions"] == 20
    assert built.stderr == "outflank: can't write '/dev/full' (No space left on device)\n"
    assert built.exit_code == 1


def test_a_log_is_drawn(tmp_path: Path) -> None:
    build(tmp_path / "b", tmp_path / "log", 20)
    with (tmp_path / "log").open("a") as log:
        log.write('{"root": null}\n')
    draw(tmp_path / "log", tmp_path / "curve.svg")

    picture = (tmp_path / "curve.svg").read_text()
    assert ">thousand positions</text>" in picture  # as text, not as outlines of letters
    assert len(picture.splitlines()) < 1000


def test_a_score_that_somebody_set_in_egaroucid_stays_one(tmp_path: Path) -> None:
    with make(tmp_path / "a.book", varied_records(4)) as book:
        (tmp_path / "a.egbk3").write_bytes(egbk3(book, f5d6=33))

    run("import", tmp_path / "a.egbk3", tmp_path / "b.book")

    with Book.open(tmp_path / "b.book") as imported:
        entry, before = imported.probe(after("f5d6")), imported.probe(after("f5"))
        assert check(imported).faults == ()
    assert entry is not None
    assert before is not None
    assert (entry.score, entry.level) == (33, HAND_LEVEL)
    assert next(move.score for move in before.moves if str(move.move) == "d6") == -33
