"""A book in play: what it chooses, what chance may choose, and what happens where it can't be used."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from outflank.engine import PRESETS, Game, Limit, Position, Rules, SearchInfo
from outflank.protocol.booksource import BookSource, Variety
from outflank.protocol.movesource import BookInfo, MoveRequest
from outflank.tests.book.samples import after, make_book, record
from outflank.tests.book.test_damage import rewritten
from outflank.tests.protocol.books import RECORDS, linked, small_book
from outflank.tests.protocol.dialogue import Dialogue


class Told(list[str]):
    """The sentences that a source tells."""

    def __call__(self, sentence: str) -> None:
        self.append(sentence)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_book(tmp_path_factory.mktemp("book"))


def source(path: Path, discs: float = 0.0, seed: int | None = None) -> BookSource:
    return BookSource(path, Variety(discs, seed), pytest.fail)


def chosen(book: BookSource, transcript: str, depth: int = 1, **asked: object) -> str | None:
    game = Game.from_transcript(transcript)
    request = MoveRequest(game.position, Limit(depth=depth), turns=game.turns, **asked)  # type: ignore[arg-type]
    move = book.choose(request)
    return None if move is None else str(move)


def test_the_best_move_is_chosen_and_always_the_same(path: Path) -> None:
    book = source(path)

    assert {chosen(book, "f5") for _ in range(5)} == {"d6"}
    assert chosen(book, "f5d6") == "c4"
    assert chosen(book, "f5f4") is None


def test_an_image_of_a_position_is_known_too(path: Path) -> None:
    assert chosen(source(path), "d3") == "c5"


def test_equal_moves_are_chosen_by_the_seed(path: Path) -> None:
    """The four first moves are equal; without a seed it is always one."""
    assert len({chosen(source(path), "") for _ in range(20)}) == 1
    assert {chosen(source(path, seed=seed), "") for seed in range(40)} == {"c4", "d3", "e6", "f5"}
    assert {chosen(source(path, seed=7), "") for _ in range(20)} == {chosen(source(path, seed=7), "")}


def test_variety_allows_moves_that_lose_so_much(path: Path) -> None:
    def moves(discs: float) -> set[str | None]:
        return {chosen(source(path, discs, seed), "f5") for seed in range(40)}

    assert moves(0) == moves(1.9) == {"d6"}
    assert moves(2) == {"d6", "f6"}


def test_where_chance_may_not_choose_variety_is_ignored(path: Path) -> None:
    assert {chosen(source(path, 8, seed), "f5", varied=False) for seed in range(20)} == {"d6"}


def test_what_a_game_has_lost_is_taken_from_its_budget(tmp_path: Path) -> None:
    """Black's c3 has lost two discs already; White has still all of its own."""
    here = linked(after("f5d6c3d3"), -2)
    best, other = (record(after(f"f5d6c3d3{reply}"), score) for reply, score in (("c4", 2), ("c6", 4)))
    book = make_book(tmp_path / "two.book", [*RECORDS, here, best, other])

    def moves(discs: float) -> set[str | None]:
        return {chosen(source(book, discs, seed), "f5d6c3d3") for seed in range(40)}

    assert moves(2) == moves(3.9) == {"c4"}
    assert moves(4) == {"c4", "c6"}
    assert {chosen(source(book, 2, seed), "f5") for seed in range(40)} == {"d6", "f6"}


def test_a_draw_is_worth_what_the_request_says(path: Path) -> None:
    """After f5 the book has a draw by d6, and a loss by two discs."""
    assert chosen(source(path), "f5", draw=-3) == "f6"
    assert chosen(source(path), "f5", draw=3) == "d6"


def test_a_move_that_leads_out_is_left_to_a_deeper_search(path: Path) -> None:
    book = source(path)

    assert chosen(book, "f5d6c4", depth=12) == "d3"
    assert chosen(book, "f5d6c4", depth=13) is None
    assert chosen(book, "f5d6", depth=13) == "c4", "a move that leads to a position of the book rests on more"


def test_the_choice_is_told_with_the_other_moves_and_the_lines(path: Path) -> None:
    told: list[object] = []
    chosen(source(path), "f5d6", on_info=told.append)
    (info,) = told

    assert isinstance(info, BookInfo)
    assert [(str(line.move), line.score, [*map(str, line.pv)]) for line in info.lines] == [
        ("c4", 0.0, ["c4", "d3"]),
        ("c3", -2.0, ["c3", "d3"]),
    ]
    assert (info.nodes, info.counts, info.exact) == (0, (1, 1), False)


def broken_books(folder: Path) -> Iterable[tuple[str, Path]]:
    """Files that are no good books, with a word of what is said of each."""
    whole = small_book(folder).read_bytes()
    contents = {"empty": b"", "no SQLite file": b"book" * 100, "cut short": whole[:-4096]}
    for said, content in contents.items():
        path = folder / said
        path.write_bytes(content)
        yield said, path
    yield "No such file", folder / "nowhere.book"
    yield "Is a directory", folder


def test_a_book_that_cannot_be_read_is_told_once_and_play_goes_on(tmp_path: Path) -> None:
    for said, path in broken_books(tmp_path):
        told = Told()
        book = BookSource(path, Variety(), told)
        dialogue = Dialogue(books=[book])

        dialogue.session.prepare()
        first, second = dialogue.ask("genmove b"), dialogue.ask("genmove w")

        assert first != second
        (sentence,) = told
        assert said in sentence
        assert sentence.endswith("; playing without a book")
        assert dialogue.ask("outflank-book").startswith("book none: expected an opening book")


def test_a_row_that_was_damaged_ends_the_book_and_not_the_game(tmp_path: Path) -> None:
    path = small_book(tmp_path)
    row = path.read_bytes()
    board = Position.canonical(after("f5"))[0]
    at = row.index(board.own.to_bytes(8, "big") + board.opp.to_bytes(8, "big"))
    with path.open("r+b") as file:
        file.seek(at + 20)
        file.write(bytes([row[at + 20] ^ 1]))
    told = Told()
    dialogue = Dialogue(books=[BookSource(path, Variety(), told)])
    dialogue.ask("play b f5")

    assert dialogue.ask("genmove w") in ("d6", "f4", "f6")
    assert [sentence.endswith("; playing without a book") for sentence in told] == [True]


@pytest.mark.parametrize(
    "values", [{"leaf": 1_000_000}, {"score": 90, "lower": 90, "upper": 90}, {"level": -7}]
)
def test_a_row_of_nonsense_ends_the_book_and_not_the_game(tmp_path: Path, values: dict[str, object]) -> None:
    """Its checksum is right, so it was written on purpose."""
    told = Told()
    dialogue = Dialogue(books=[BookSource(rewritten(small_book(tmp_path), **values), Variety(), told)])

    first, second = dialogue.ask("genmove b"), dialogue.ask("genmove w")

    assert first != second
    (sentence,) = told
    assert "damaged: a row" in sentence
    assert sentence.endswith("; playing without a book")


def test_a_proven_tie_in_a_book_is_won_or_lost_by_the_tie_rule(tmp_path: Path) -> None:
    rules = Rules.parse("othello,tie=second")
    position = Position.parse("XO-OOOX-XXXXXXXOXXXXXXX-XXXXXOXXOOXXXOOOOOOOXXOXOOO-XOXX-OOOXXXX O", rules)
    tie = record(position, 0, lower=0, upper=0, depth=position.empties, selectivity=100)
    path = make_book(tmp_path / "b", [tie], rules)
    told: list[SearchInfo] = []
    source(path).choose(MoveRequest(position, Limit(depth=1), on_info=told.append))

    (info,) = told
    assert (info.exact, info.lines[0].score, info.lines[0].result) == (True, 0.0, "win")


@pytest.mark.parametrize("shipped", [False, True])
def test_a_book_for_other_rules_is_left_alone(path: Path, shipped: bool) -> None:
    """It is told if the user has named it, once for each of the other rules; it serves its own ones again."""
    told = Told()
    dialogue = Dialogue(books=[BookSource(path, Variety(), told, shipped=shipped)], rules=PRESETS["obversi"])

    for colour in "bw":
        dialogue.ask(f"genmove {colour}")
    expected = f"expected a book for obversi, got {str(path)!r}, which is for othello; playing without a book"
    assert told == ([] if shipped else [expected])
    dialogue.ask("outflank-rules reveris")
    dialogue.ask("play b f4")
    assert dialogue.ask("reg_genmove w") == "d3", "its start is a mirror image of Othello's"
