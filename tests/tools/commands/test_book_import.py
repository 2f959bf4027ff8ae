"""``outflank book import``: a file that is not right in every line makes no book, and no file is lost to a book."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank.book import Book, BookWriter
from outflank.book.forms.files import read_form
from outflank.engine import FileFormatError
from outflank.tests.book.disk import no_file_beyond
from outflank.tests.book.samples import OTHELLO
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
        (rescored, "expected score, bounds and lines "),
        (
            lambda text: text.replace(b"fact created", b"fact rules"),
            "line 4: expected a fact that nothing else",
        ),
        (
            lambda text: text.replace(b"fact outflank", b"fact created"),
            "line 5: expected a fact that nothing",
        ),
        (
            lambda text: text.replace(b"fact outflank", b"fact checksum"),
            "line 5: expected a fact that nothing",
        ),
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
        with pytest.raises(FileFormatError, match="expected a book that no process is changing"):
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
