"""``outflank book`` where transcripts/books.console is not enough."""

import json
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from outflank.book import Book, BookWriter
from outflank.book.checking import check
from outflank.book.forms import read_form
from outflank.book.growing import GrowthProgress
from outflank.book.records import HAND_LEVEL
from outflank.engine import FileFormatError, Game
from outflank.measure.books import draw_growth
from outflank.tests.support.books import OTHELLO, after, egbk3, make, no_file_beyond, varied_records
from outflank.tests.support.installation import ROOT
from outflank.tests.support.transcripts import run
from outflank.tools.books.growth import growth_log


def test_the_shipped_books_say_which_evaluation_judged_them() -> None:
    """And docs/book.md names it."""
    page = (ROOT / "docs" / "book.md").read_text()

    for name in ("standard", "parallel"):
        with Book.open(ROOT / "book" / "data" / f"{name}.book") as book:
            (evaluation,) = book.judged_by()
        assert evaluation in page


@pytest.mark.slow
def test_a_book_grows_on_a_cluster(tmp_path: Path, cluster: str) -> None:
    words = "--level", 4, "--positions", 40, "--cluster", cluster
    built = json.loads(run("book", "build", tmp_path / "b", *words, "--json").stdout)

    assert (built["positions"], built["added"]) == (40, 40)
    run("book", "check", tmp_path / "b")


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("grown") / "grown.book"
    run("book", "build", made, "--positions", 60, "--level", 2, "--workers", 1)
    return made


def test_lines_are_played_and_their_scores_are_the_books(grown: Path) -> None:
    lines = run("book", "lines", grown, "--lines", 30, "--json").stdout.splitlines()

    assert lines
    with Book.open(grown) as book:
        for line in lines:
            row = json.loads(line)
            game = Game.from_transcript(row["moves"])
            last = game.turns[-1]
            entry = book.probe(last.before)
            assert entry is not None
            (move,) = (each for each in entry.moves if each.move == last.move)
            assert row["score"] == (move.score if last.colour == "black" else -move.score)


def test_a_tree_is_an_image_with_every_move_of_the_lines(grown: Path, tmp_path: Path) -> None:
    file = tmp_path / "tree.svg"
    printed = run("book", "tree", grown, "-o", file, "--lines", 10, "--plies", 6).stdout
    svg = ElementTree.parse(file).getroot()
    texts = [text.text or "" for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    lines = run("book", "lines", grown, "--lines", 10, "--plies", 6, "--json").stdout.splitlines()
    moves = {json.loads(line)["moves"][at : at + 2] for line in lines for at in range(0, 12, 2)} - {""}

    assert printed == f"{file}\n"
    assert moves <= {word for text in texts for word in text.split()}
    assert "grown.book: main lines" in texts
    width, height = float(svg.attrib["width"]), float(svg.attrib["height"])
    rects = svg.iter("{http://www.w3.org/2000/svg}rect")
    boxes = [box for box in rects if box.get("class", "").startswith("box")]
    assert all(float(box.attrib["x"]) + float(box.attrib["width"]) < width for box in boxes)
    assert all(float(box.attrib["y"]) + float(box.attrib["height"]) < height for box in boxes)
    places = [(box.attrib["x"], box.attrib["y"]) for box in boxes]
    assert len(places) == len(set(places)) > 5


def test_nobody_makes_a_book_where_one_is_imported(
    grown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_while_another_tries(*given: object) -> object:
        with pytest.raises(FileFormatError, match="another process is changing the book"):
            BookWriter.create(tmp_path / "b", OTHELLO)
        return read_form(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("outflank.tools.books.importing.read_form", read_while_another_tries)
    run("book", "export", grown, "-o", tmp_path / "file")
    run("book", "import", tmp_path / "file", tmp_path / "b")


def test_a_full_disk_is_said_of_the_name_that_was_given(grown: Path, tmp_path: Path) -> None:
    run("book", "export", grown, "-o", tmp_path / "file")
    with no_file_beyond(8192):
        said = run("book", "import", tmp_path / "file", tmp_path / "b", code=1).output

    assert f"can't write to '{tmp_path / 'b'}' (" in said
    assert os.listdir(tmp_path) == ["file"]


def lines(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def progress(seconds: float) -> GrowthProgress:
    return GrowthProgress(round(10 * seconds), 5, 9, seconds, 2, 7, (1, -3, 5))


def test_each_minute_has_a_line_and_so_has_the_end_also_by_an_error(tmp_path: Path) -> None:
    def grow() -> None:
        with growth_log(tmp_path / "log", tmp_path / "b") as note:
            for seconds in (0.5, 59.9, 60.1, 61, 119, 120, 300.5, 301, 360, 361):
                note(progress(seconds))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grow()

    found = lines(tmp_path / "log")
    assert [line["seconds"] for line in found] == [60.1, 120, 300.5, 360, 361]
    assert [line["positions"] for line in found] == [601, 1200, 3005, 3600, 3610]
    assert found[0]["root"] == {"score": 1, "lower": -3, "upper": 5}
    assert (found[0]["error"], found[0]["ply"], found[0]["searches"]) == (2, 7, 9)


def test_a_log_is_drawn(tmp_path: Path) -> None:
    words = "--positions", 20, "--level", 2, "--workers", 1, "--log", tmp_path / "log"
    run("book", "build", tmp_path / "b", *words)
    with (tmp_path / "log").open("a") as log:
        log.write('{"root": null}\n')
    draw_growth(tmp_path / "log", tmp_path / "curve.svg")

    picture = (tmp_path / "curve.svg").read_text()
    assert ">thousand positions</text>" in picture  # as text, not as outlines of letters
    assert len(picture.splitlines()) < 1000


def test_a_score_that_somebody_set_in_egaroucid_stays_one(tmp_path: Path) -> None:
    with make(tmp_path / "a.book", varied_records(4)) as book:
        (tmp_path / "a.egbk3").write_bytes(egbk3(book, f5d6=33))

    run("book", "import", tmp_path / "a.egbk3", tmp_path / "b.book")

    with Book.open(tmp_path / "b.book") as imported:
        entry, before = imported.probe(after("f5d6")), imported.probe(after("f5"))
        assert check(imported).faults == ()
    assert entry is not None
    assert before is not None
    assert (entry.score, entry.level) == (33, HAND_LEVEL)
    assert next(move.score for move in before.moves if str(move.move) == "d6") == -33
