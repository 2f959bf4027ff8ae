"""Sources of moves, asked in turn: a search, a book in play, and variety without a book."""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import (
    PRESETS,
    Colour,
    Game,
    Limit,
    Move,
    Position,
    Rules,
    Searcher,
    SearchInfo,
    SettingsError,
)
from outflank.protocol.server.booksource import BookSource
from outflank.protocol.server.movesource import BookInfo, MoveRequest, MoveVariety, SearchSource, are_images
from outflank.protocol.server.session import Session, Strength
from outflank.tests.support.books import RECORDS, after, altered, linked, make_book, record, small_book
from outflank.tests.support.dialogue import Dialogue
from outflank.tests.support.positions import CUT_SHORT

F5 = Move.parse("f5")
DEPTH = Limit(depth=4)


class Notes:
    """A source that knows what was written down, by one sheet of rules."""

    def __init__(self, moves: Mapping[Position, Move]) -> None:
        self._moves = moves
        self.requests: list[MoveRequest] = []
        self.calls: list[str] = []

    def prepare(self) -> None:
        self.calls.append("prepare")

    def choose(self, request: MoveRequest) -> Move | None:
        self.requests.append(request)
        return self._moves.get(request.position)

    def interrupt(self) -> None:
        self.calls.append("interrupt")

    def probe(self, position: Position) -> None:
        """They are no book."""

    def learn(self, *_: object) -> int:
        return 0

    def contents(self, rules: Rules) -> str:
        return f"{len(self._moves)} positions"

    def description(self, rules: Rules) -> list[str]:
        return [f"notes on {len(self._moves)} positions"]


def session(*books: Any, rules: Rules | None = None) -> Session:
    return Session(SearchSource(Searcher(1)), books=books, strength=Strength(depth=1), rules=rules)


def test_sources_are_asked_in_their_order_until_one_knows_and_else_the_search_chooses() -> None:
    silent = Notes({})
    first, second = (Notes({Position.start(): move}) for move in (F5, Move.parse("c4")))

    playing = session(silent, first, second)

    assert playing.genmove(Colour.BLACK) == F5
    assert playing.game.transcript() == "f5"
    assert [request.position for request in silent.requests] == [Position.start()]
    assert second.requests == []
    assert session(silent).genmove(Colour.BLACK) in Position.start().legal_moves()


def test_the_request_carries_rules_limit_and_whether_chance_may_choose() -> None:
    notes = Notes({})
    playing = session(notes, rules=Rules.parse("reversi"))

    playing.choose(Colour.WHITE, varied=False)
    playing.genmove(Colour.WHITE)

    assert [request.varied for request in notes.requests] == [False, True]
    assert {request.position.rules.name for request in notes.requests} == {"reversi"}
    assert {request.limit for request in notes.requests} == {Limit(depth=1)}


def test_a_pass_is_asked_of_nobody() -> None:
    notes = Notes({})
    playing = session(notes)
    playing.resume(Game(first=Position.parse("XO------" + "-" * 56 + " O")))

    assert playing.genmove(Colour.WHITE).is_pass
    assert notes.requests == []


def test_every_source_is_prepared_interrupted_and_described() -> None:
    notes = Notes({})
    playing = session(notes)

    playing.prepare()
    playing.interrupt()

    assert notes.calls == ["prepare", "interrupt"]
    searched = ["threads 1, table 1 MB", "parameters default", "seed none"]
    assert playing.description()[3:] == ["notes on 0 positions", *searched]


def test_chance_varies_genmove_but_never_reg_genmove() -> None:
    played, advised = set(), set()
    for seed in range(12):
        session = Session(SearchSource(Searcher(1, seed=seed), Searcher(1), seed), strength=Strength(depth=2))
        advised.add(session.choose(Colour.BLACK, varied=False))
        played.add(session.genmove(Colour.BLACK))

    assert len(played) > 1
    assert len(advised) == 1


def source(path: Path, discs: float = 0.0, seed: int | None = None) -> BookSource:
    return BookSource(path, pytest.fail, discs=discs, seed=seed)


def chosen(book: BookSource, transcript: str, depth: int = 1, **asked: Any) -> str | None:
    game = Game.from_transcript(transcript)
    move = book.choose(MoveRequest(game.position, Limit(depth=depth), turns=game.turns, **asked))
    return None if move is None else str(move)


@pytest.mark.parametrize(
    ("transcript", "asked", "move"),
    [
        ("f5", {}, "d6"),
        ("d3", {}, "c5"),  # an image
        ("f5d6", {}, "c4"),
        ("f5f4", {}, None),
        # After f5 the book has a draw by d6, and a loss by two discs.
        ("f5", {"draw": -3}, "f6"),
        ("f5", {"draw": 3}, "d6"),
        # A move that leads out is left to a deeper search; one to a position of the book rests on more.
        ("f5d6c4", {"depth": 12}, "d3"),
        ("f5d6c4", {"depth": 13}, None),
        ("f5d6", {"depth": 13}, "c4"),
    ],
)
def test_the_best_move_is_chosen_and_always_the_same(
    path: Path, transcript: str, asked: dict[str, Any], move: str | None
) -> None:
    book = source(path)

    assert {chosen(book, transcript, **asked) for _ in range(5)} == {move}


def test_equal_moves_are_chosen_by_the_seed(path: Path) -> None:
    """The four first moves are equal; without a seed it is always one."""
    assert len({chosen(source(path), "") for _ in range(20)}) == 1
    assert {chosen(source(path, seed=seed), "") for seed in range(40)} == {"c4", "d3", "e6", "f5"}
    assert {chosen(source(path, seed=7), "") for _ in range(20)} == {chosen(source(path, seed=7), "")}


def test_variety_allows_moves_that_lose_so_much_where_chance_may_choose(path: Path) -> None:
    def moves(discs: float, **asked: bool) -> set[str | None]:
        return {chosen(source(path, discs, seed), "f5", **asked) for seed in range(40)}

    assert moves(0) == moves(1.9) == moves(8, varied=False) == {"d6"}
    assert moves(2) == {"d6", "f6"}


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
    """Return files that are no good books, with a word of what is said of each."""
    whole = small_book(folder).read_bytes()
    contents = {"empty": b"", "not an SQLite file": b"book" * 100, "cut short": whole[:-4096]}
    for said, content in contents.items():
        path = folder / said
        path.write_bytes(content)
        yield said, path
    yield "No such file", folder / "nowhere.book"
    yield "Is a directory", folder


def expect_play_without_a_book(path: Path, said: str) -> Dialogue:
    """Assert that a book ends with one sentence that has these words, and that the moves go on."""
    told: list[str] = []
    dialogue = Dialogue(books=[BookSource(path, told.append)])
    dialogue.session.prepare()

    assert dialogue.ask("genmove b") != dialogue.ask("genmove w")
    (sentence,) = told
    assert said in sentence
    assert sentence.endswith("; playing without a book")
    return dialogue


def test_a_book_that_cannot_be_read_is_told_once_and_play_goes_on(tmp_path: Path) -> None:
    for said, path in broken_books(tmp_path):
        dialogue = expect_play_without_a_book(path, said)
        assert dialogue.ask("outflank-book").startswith("book none: can't read ")


def test_a_row_that_was_damaged_ends_the_book_and_not_the_game(tmp_path: Path) -> None:
    path = altered(small_book(tmp_path), "UPDATE position SET score = score + 1")
    expect_play_without_a_book(path, "damaged: a row is damaged")


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
    told: list[str] = []
    dialogue = Dialogue(books=[BookSource(path, told.append, shipped=shipped)], rules=PRESETS["obversi"])

    for colour in "bw":
        dialogue.ask(f"genmove {colour}")
    expected = f"{str(path)!r} is a book for othello, not for obversi; playing without a book"
    assert told == ([] if shipped else [expected])
    dialogue.ask("outflank-rules reveris")
    dialogue.ask("play b f4")
    assert dialogue.ask("reg_genmove w") == "d3", "its start is a mirror image of Othello's"


def opening(seed: int) -> str:
    """Return the first eight moves of a session that plays both sides."""
    source = SearchSource(Searcher(1), seed=seed, variety=MoveVariety(2, 6))
    playing = Session(source, strength=Strength(depth=4))
    for number in range(8):
        playing.genmove([*Colour][number % 2])
    return playing.game.transcript()


def test_seeds_make_openings_differ_and_repeat_them_and_no_move_is_worse_than_it_may_be() -> None:
    """By a search of its own for each move that was drawn, as deep as the one that it was drawn from."""
    openings = [opening(seed) for seed in range(8)]
    searcher = Searcher(1)

    assert len(set(openings)) >= 5
    assert openings[3] == opening(3)
    for transcript in openings[:5]:
        for turn in Game.from_transcript(transcript).turns[:6]:
            found = searcher.search(turn.before, DEPTH, multipv=6).lines
            scores = {line.move: line.score for line in found}
            assert scores[turn.move] >= found[0].score - 2


def varies(game: Game, plies: int, **settings: Any) -> bool:
    """Return whether a source that varies so many plies gives different moves for the end of a game."""
    source = SearchSource(Searcher(1), seed=1, variety=MoveVariety(64, plies))
    request = MoveRequest(game.position, DEPTH, turns=game.turns, **settings)
    return len({source.choose(request) for _ in range(20)}) > 1


def test_moves_vary_in_the_first_plies_alone_and_where_chance_may_choose() -> None:
    game, passed = Game.from_transcript("f5d6c3d3c4"), Game.from_transcript("e6f6c4e7e8d8g7f8")
    passed.pass_()

    assert varies(game, 6)
    assert not varies(game, 5)
    assert varies(Game(game.position), 1), "expected discs that were set up to be no plies"
    assert varies(passed, 9)
    assert not varies(passed, 8), "expected a forced pass to be no ply"
    assert not varies(game, 6, varied=False)
    assert not varies(game, 6, moves=game.position.legal_moves())


def test_a_choice_among_images_is_drawn_without_a_search() -> None:
    source, told = SearchSource(Searcher(1), seed=1, variety=MoveVariety(2)), list[SearchInfo]()
    request = MoveRequest(Position.start(), Limit(seconds=60), on_info=told.append)

    drawn = {str(source.choose(request)) for _ in range(40)}

    assert drawn == {"d3", "c4", "f5", "e6"}
    assert told == []


def test_a_seed_of_its_own_is_told() -> None:
    source = partial(SearchSource, Searcher(1), variety=MoveVariety(1, 12))
    first, second = (source().description(Rules()) for _ in range(2))

    assert first[0].startswith("variety 1 discs in the first 12 plies, seed ")
    assert first != second


@pytest.mark.parametrize("bad", [(-1, 5), (65, 5), (float("nan"), 5), (1, 0), (1, 65)])
def test_a_senseless_variety_is_refused(bad: tuple[float, int]) -> None:
    with pytest.raises(SettingsError, match="of variety, got"):
        MoveVariety(*bad)


@pytest.mark.parametrize(("strength", "depth"), [(Strength(seconds=20), 1), (Strength(depth=3), 3)])
def test_the_first_move_takes_no_time_unless_a_depth_is_asked_for(strength: Strength, depth: int) -> None:
    """All are images of each other."""
    reports: list[SearchInfo] = []
    Session(SearchSource(Searcher(1)), strength=strength).genmove(Colour.BLACK, reports.append)

    assert max(report.depth for report in reports) == depth


def test_only_the_moves_of_the_start_are_images_of_each_other() -> None:
    assert are_images(Position.start())
    assert not are_images(Game.from_transcript("f5").position)
    assert not are_images(Game.from_transcript("f5f6e6f4").position)


def test_the_last_report_of_a_drawn_move_is_about_that_move() -> None:
    for seed in range(20):
        told: list[SearchInfo] = []
        source = SearchSource(Searcher(1), seed=seed, variety=MoveVariety(64, 60))
        drawn = source.choose(MoveRequest(CUT_SHORT, Limit(depth=2), on_info=told.append))

        assert told[-1].lines[0].move == drawn
