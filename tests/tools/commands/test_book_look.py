"""``outflank book show lines tree stats export import``: books are looked into and exchanged from the command line."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from outflank.book import Book
from outflank.engine import Game
from outflank.tests.support.books import after, linked, make_book, small_book
from outflank.tools.commands.program import cli
from outflank.tools.match.openings.sources import OpeningsChoice

PERPENDICULAR = "Opening: Perpendicular Opening (縦取り)"


def run(*words: object, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, ["book", *map(str, words)], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_book(tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("grown") / "grown.book"
    run("build", made, "--positions", 60, "--level", 2, "--workers", 1)
    return made


# --- show


def test_a_position_is_shown_with_moves_lines_and_name(path: Path) -> None:
    lines = run("show", path, "f5d6").stdout.splitlines()

    assert lines[11] == PERPENDICULAR
    assert lines[13:16] == [
        "+0 for Black, from -4 to +4",
        "moves that leave the book: searched 10 plies at 73 % (level 10)",
        "lines from here: 1; 0 won, 1 drawn, 0 lost",
    ]
    assert [line.split() for line in lines[18:]] == [
        ["c4", "+0", "-4", "+4", "1", "0", "1", "0", "d3"],
        ["c3", "-2", "-6", "+2", "1", "0", "0", "1", "d3"],
    ]


def test_json_shows_the_same(path: Path) -> None:
    told = json.loads(run("show", path, "d3c5", "--json").stdout)

    assert (told["score"], told["lower"], told["upper"], told["total"]) == (0, -4, 4, 1)
    assert told["opening"]["names"] == ["Perpendicular Opening"]
    assert [(move["move"], move["score"], move["best_line"]) for move in told["moves"]] == [
        ("e6", 0, ["f5"]),
        ("f6", -2, ["f5"]),
    ]


def test_a_leaf_is_told_from_a_link(path: Path) -> None:
    (row,) = run("show", path, "f5d6c4").stdout.splitlines()[18:]

    assert row.split() == ["d3", "+0", "-4", "+4", "leaves"]


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        ("f5d6c4g5", "move 4, g5, is not in the book"),
        ("f5f4d3", "move 2, f4, is not in the book"),
        ("-" * 27 + "XX------OO" + "-" * 27 + " X", "the position is not in the book"),
        ("X" * 64 + " O", "the game is over, and books end before that"),
    ],
)
def test_what_the_book_does_not_know_gets_a_sentence(path: Path, position: str, sentence: str) -> None:
    result = run("show", path, "--", position, code=1)

    assert result.output == f"outflank: {sentence}\n".replace("the book\n", f"the book {str(path)!r}\n")


# --- lines and tree


def test_main_lines_come_in_the_order_of_what_they_give_away(path: Path) -> None:
    assert run("lines", path).stdout.splitlines() == [
        "f5d6c4d3  # +0, 0 given away, Perpendicular Opening",
        "f5d6c3d3  # -2, 2 given away, Perpendicular Opening",
        "f5f6e6  # +2, 2 given away, Diagonal Opening",
    ]
    assert (
        run("lines", path, "--max-error", 1, "f5").stdout
        == "f5d6c4d3  # +0, 0 given away, Perpendicular Opening\n"
    )


def test_a_line_that_transposes_ends_there(tmp_path: Path) -> None:
    """f5d6c3d3c4 and f5d6c4d3c3 lead to one position, which is gone on from once."""
    both = [linked(after(line), 0) for line in ("", "f5", "f5d6", "f5d6c3", "f5d6c4", "f5d6c3d3", "f5d6c4d3")]
    tiger, next_one = linked(after("f5d6c3d3c4"), 0), linked(after("f5d6c3d3c4f4"), 0)
    path = make_book(tmp_path / "two.book", [*both, tiger, next_one])
    found = [json.loads(line) for line in run("lines", path, "--json").stdout.splitlines()]

    assert len(found) == 2
    assert [each["transposes"] for each in found] == [False, True]
    assert {each["opening"] for each in found} == {"Tiger"}


def test_main_lines_are_openings_for_a_match(grown: Path, tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text(run("lines", grown, "--lines", 12, "--plies", 4).stdout)
    taken = OpeningsChoice.parse(str(file))

    with Book.open(grown) as book:
        assert len({*taken.take(12, book.rules, 1)}) > 3


def test_lines_are_played_and_their_scores_are_the_books(grown: Path) -> None:
    lines = run("lines", grown, "--lines", 30, "--json").stdout.splitlines()

    assert lines
    with Book.open(grown) as book:
        for line in lines:
            told = json.loads(line)
            game = Game.from_transcript(told["moves"])
            last = game.turns[-1]
            entry = book.probe(last.before)
            assert entry is not None
            (move,) = (each for each in entry.moves if each.move == last.move)
            assert told["score"] == (move.score if last.colour == "black" else -move.score)


def test_a_tree_is_an_image_with_every_move_of_the_lines(grown: Path, tmp_path: Path) -> None:
    file = tmp_path / "tree.svg"
    told = run("tree", grown, "-o", file, "--lines", 10, "--plies", 6).stdout
    svg = ElementTree.parse(file).getroot()
    texts = [text.text or "" for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    lines = run("lines", grown, "--lines", 10, "--plies", 6, "--json").stdout.splitlines()
    moves = {json.loads(line)["moves"][at : at + 2] for line in lines for at in range(0, 12, 2)} - {""}

    assert told == f"{file}\n"
    assert moves <= {word for text in texts for word in text.split()}
    assert "grown.book: main lines" in texts
    width, height = float(svg.attrib["width"]), float(svg.attrib["height"])
    boxes = [
        box for box in svg.iter("{http://www.w3.org/2000/svg}rect") if box.get("class", "").startswith("box")
    ]
    assert all(float(box.attrib["x"]) + float(box.attrib["width"]) < width for box in boxes)
    assert all(float(box.attrib["y"]) + float(box.attrib["height"]) < height for box in boxes)
    places = [(box.attrib["x"], box.attrib["y"]) for box in boxes]
    assert len(places) == len(set(places)) > 5


# --- stats


def test_what_is_in_a_book_is_counted(grown: Path) -> None:
    told = json.loads(run("stats", grown, "--json").stdout)
    plies = told["plies"]

    assert told["positions"] == 60 == sum(ply["positions"] for ply in plies) == sum(told["scores"].values())
    assert [ply["possible"] for ply in plies[:6]] == [1, 1, 3, 14, 60, 322]
    assert plies[0] == {"ply": 0, "positions": 1, "possible": 1, "links": 4, "leaves": 0, "proven": 0}
    assert told["levels"] == {"2": 60}
    assert "build" in told["history"][0]


def test_people_get_tables_and_bars(grown: Path) -> None:
    text = run("stats", grown).stdout

    assert f"{grown}: 60 positions for othello" in text
    assert "   0           1   100.0 %         4         0         0\n" in text
    assert "█" in text
    assert "leaves searched" in text


# --- export and import


@pytest.mark.parametrize("form", ["text", "edax", "edax-text"])
def test_a_grown_book_goes_out_and_comes_back(grown: Path, tmp_path: Path, form: str) -> None:
    """Edax's text too: scores and bounds are the negamax of the leaves, which a grown book's are anyway."""
    file, back = tmp_path / "file", tmp_path / "back.book"
    assert run("export", grown, "-o", file, "--to", form).stdout == f"{file}: 60 positions\n"
    assert run("import", file, back).stdout == f"{back}: 60 positions\n"

    with Book.open(grown) as book, Book.open(back) as again:
        assert list(again.records()) == list(book.records())
        assert again.history()[-1].what.endswith("import from file")
    assert "60 positions, 0 faults" in run("check", back, "--sample", 0).output


@pytest.mark.parametrize(
    "words", [["export"], ["export", "--to", "edax-text"], ["tree", "--lines", "4", "--plies", "4"]]
)
def test_text_goes_to_standard_output_for_a_dash(grown: Path, tmp_path: Path, words: list[str]) -> None:
    file = tmp_path / "file"
    run(words[0], grown, "-o", file, *words[1:])

    assert run(words[0], grown, "-o", "-", *words[1:]).stdout == file.read_text()


def test_a_book_of_edax_needs_a_file(grown: Path) -> None:
    told = run("export", grown, "-o", "-", "--to", "edax", code=2)

    assert "edax is a binary form: name a file (-o FILE)" in told.output


@pytest.mark.parametrize(
    "words", [["export", "BOOK", "-o", "FILE"], ["tree", "BOOK", "-o", "FILE"], ["import", "BOOK", "FILE"]]
)
def test_what_cannot_be_written_is_called_by_its_name(grown: Path, words: list[str]) -> None:
    given = {"BOOK": grown, "FILE": "/no/such/file"}
    told = run(*(given.get(word, word) for word in words), code=1)

    assert told.output == "outflank: can't write '/no/such/file' (No such file or directory)\n"


def test_a_file_with_an_error_makes_no_book(grown: Path, tmp_path: Path) -> None:
    file, back = tmp_path / "file", tmp_path / "back.book"
    run("export", grown, "-o", file, "--to", "edax")
    file.write_bytes(file.read_bytes()[:-3])
    result = run("import", file, back, code=1)

    assert result.output.startswith(f"outflank: {file}: position 60 of 60: expected")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_book_is_never_imported_over_a_file(grown: Path, tmp_path: Path) -> None:
    file = tmp_path / "file"
    run("export", grown, "-o", file)

    assert "exists already: a book is imported under a new name" in run("import", file, grown, code=1).output


def test_what_is_no_book_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("f5d6c3\n")

    for words in (["show", file], ["lines", file], ["stats", file], ["export", file, "-o", tmp_path / "x"]):
        assert "as an opening book (" in run(*words, code=1).output
    assert "expected a book as text, or one of Edax" in run("import", file, tmp_path / "b", code=1).output
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
