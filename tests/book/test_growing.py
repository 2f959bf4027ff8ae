"""A book grows best-first or learns a game, is whole at every commit, and says the negamax of its leaves."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from outflank.book import Book, BookEntry, BookWriter, Change, Record
from outflank.book.checking import check
from outflank.book.graph import Reach
from outflank.book.growing import (
    BEYOND,
    USUAL_LEVEL,
    Grower,
    GrowthProgress,
    Judge,
    Question,
    learn_game,
    run_here,
    unknown_positions,
    usual_level,
)
from outflank.book.keys import key_of, position_of, start_key
from outflank.engine import PRESETS, Game, Limit, OutflankError, Position, Rules, Searcher, SearchResult
from outflank.tests.support.books import (
    OTHELLO,
    START,
    after,
    cleared,
    expect_whole,
    grow,
    judge,
    make_book,
    plies,
    record,
    records,
    run_backwards,
)
from outflank.tests.support.positions import WITH_PASSES

GAME = [after("f5d6c3d3"[: 2 * plies]) for plies in range(5)]


def test_without_a_limit_but_plies_a_book_has_every_position(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(plies=4))

    assert {found.position for found in records(path)} == {each.canonical()[0] for each in plies(4)}
    expect_whole(path)


def test_a_book_ends_where_more_would_be_given_away_than_allowed(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(max_error=2, plies=7))
    expect_whole(path)
    with Book.open(path) as book:
        errors = errors_from_the_root(book)
        assert len(errors) > 30
        for entry in book.entries():
            for move in entry.moves:
                within = errors[key_of(entry.position)[0]] + entry.score - move.score <= 2
                assert move.linked or not within or START.empties - entry.position.empties == 7


def errors_from_the_root(book: Book) -> dict[bytes, int]:
    """Return the discs given away on the best way to each position, by key, after a breadth-first walk of the book."""
    layer = {start_key(book.rules): (Position.start(book.rules), 0)}
    errors: dict[bytes, int] = {}
    while layer:
        errors |= {key: error for key, (_, error) in layer.items()}
        following: dict[bytes, tuple[Position, int]] = {}
        for position, before in layer.values():
            entry = book.probe(position)
            assert entry is not None
            for move in entry.moves:
                if move.linked:
                    child = position.play(move.move)
                    child = child.pass_() if child.must_pass else child
                    key, error = key_of(child)[0], before + entry.score - move.score
                    following[key] = child, min(error, following.get(key, (child, error))[1])
        layer = following
    return errors


def test_the_cheapest_position_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where scores are exact and so never change, a book of 60 positions has no dearer one than what it left out."""
    monkeypatch.setattr("outflank.book.growing._LEAST_BATCH", 1)
    rules = near_the_end(empties=9)
    path = grow(tmp_path / "b", Reach(positions=60, ply_cost=1, plies=60), level=5, rules=rules)
    with Book.open(path) as book:
        errors = errors_from_the_root(book)
        costs = {each: error + 9 - position_of(each, rules).empties for each, error in errors.items()}
        left_out = [
            costs[key_of(entry.position)[0]] + entry.score - move.score + 1
            for entry in book.entries()
            for move in entry.moves
            if not move.linked and not entry.position.play(move.move).is_over
        ]

    assert len(costs) == 60
    assert max(costs.values()) <= min(left_out)
    assert max(errors.values()) > 0


def test_growing_is_the_same_every_time_and_takes_answers_in_any_order(tmp_path: Path) -> None:
    for positions in (1, 2, 30, 90):
        path = grow(tmp_path / "b", Reach(positions=positions))
        assert len(records(path)) == positions
        expect_whole(path)
    one, two = (grow(tmp_path / name, Reach(positions=80)) for name in ("one", "two"))
    backwards = grow(tmp_path / "backwards", Reach(positions=200), run=run_backwards)

    assert records(one) == records(two)
    assert 200 <= len(records(backwards)) <= 205
    expect_whole(backwards)


def test_scores_are_the_negamax_of_moves_and_there_are_transpositions(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=250, ply_cost=1))
    links: dict[Position, int] = {}
    with Book.open(path) as book:
        for entry in book.entries():
            assert entry.score == entry.moves[0].score == max(move.score for move in entry.moves)
            assert entry.lower == max(move.lower for move in entry.moves)
            assert entry.upper == max(move.upper for move in entry.moves)
            for child in {
                entry.position.play(move.move).canonical()[0] for move in entry.moves if move.linked
            }:
                links[child] = links.get(child, 0) + 1

    assert max(links.values()) > 1


@pytest.mark.parametrize("name", PRESETS)
def test_a_book_of_every_sheet_grows(tmp_path: Path, name: str) -> None:
    path = grow(tmp_path / "b", Reach(positions=40), rules=PRESETS[name])

    assert len(records(path)) == 40
    expect_whole(path)


def test_a_book_up_to_the_end_of_the_game_has_the_exact_score(tmp_path: Path) -> None:
    """Passes and ends of games included: signs and links are right."""
    rules = near_the_end(empties=6)
    path = grow(tmp_path / "b", Reach(plies=60), level=1, rules=rules)
    exact = cleared().search(Position.start(rules), Limit.solve())
    with Book.open(path) as book:
        root = book.probe(Position.start(rules))
        passes = sum(
            entry.position.play(move.move).must_pass for entry in book.entries() for move in entry.moves
        )

    assert root is not None
    assert root.score == exact.score
    assert passes > 10
    expect_whole(path)


def near_the_end(empties: int) -> Rules:
    """Return rules whose start is a position with few squares left, played to by the last legal moves."""
    position = after("f5d6c3d3c4f4c5b3c2e3d2c6b4a4")
    while position.empties > empties:
        position = position.play(position.legal_moves()[-1])
    return Rules.parse(f"othello,start={position.board_string()[:64]},begins={position.side}")


def interrupted_after(answers: int) -> Callable[..., Iterator[tuple[Question, SearchResult]]]:
    def run(
        task: Callable[[Question], SearchResult], keys: Iterable[Question]
    ) -> Iterator[tuple[Question, SearchResult]]:
        for number, answer in enumerate(run_here(task, keys)):
            if number == answers:
                raise KeyboardInterrupt
            yield answer

    return run


@pytest.mark.parametrize("answers", [0, 1, 2, 3, 10, 33])
def test_an_interruption_leaves_a_whole_book(
    tmp_path: Path, answers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.book.growing._COMMIT_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        grow(tmp_path / "b", Reach(), run=interrupted_after(answers))
    if answers:
        expect_whole(tmp_path / "b", unfinished=1)
    grow(tmp_path / "b", Reach(positions=40))
    expect_whole(tmp_path / "b")


def test_deepening_judges_all_within_reach_again(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=60), level=1)
    with BookWriter.open(path) as book:
        Grower(book, judge(3)).deepen(Reach(plies=5))

    for found in records(path):
        shallow = START.empties - found.position.empties <= 5
        assert found.level == (3 if shallow else 1) or found.leaf is None
    expect_whole(path)


def test_all_is_judged_again_once_and_on_no_lower_level(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=60), level=3)
    with BookWriter.open(path) as book:
        book.put_all(
            [replace(each, leaf=each.leaf._replace(score=50)) for each in book.records() if each.leaf]
        )
    with BookWriter.open(path) as book:
        Grower(book, judge(2)).deepen(Reach(plies=60), again=True)
        assert {found.leaf.score for found in book.records() if found.leaf} == {50}
        grower = Grower(book, judge(3))
        grower.deepen(Reach(plies=60), again=True)
    found = records(path)

    assert grower.progress().searches == sum(each.leaf is not None for each in found)
    assert 50 not in {each.leaf.score for each in found if each.leaf}
    with Book.open(path) as book:
        again = check(book, judge, sample=60).sample
    assert again is not None
    assert again["largest_difference"] == 0


def test_extending_adds_the_positions_of_a_game(tmp_path: Path) -> None:
    path = grow(tmp_path / "b", Reach(positions=5))
    line = [after("f5f4e3f6g5d6e7g4"[: 2 * count]) for count in range(9)]
    with BookWriter.open(path) as book:
        Grower(book, judge()).extend([*line, line[3], Position.parse("X" * 40 + "O" * 24)])
    with Book.open(path) as book:
        assert [position for position in line if position not in book] == []
    expect_whole(path)


def test_progress_is_told_after_each_answer(tmp_path: Path) -> None:
    told: list[GrowthProgress] = []
    with BookWriter.create(tmp_path / "b", OTHELLO) as book:
        Grower(book, judge(), on_progress=told.append).grow(Reach(positions=20))
        entry = book.probe(START)

    assert isinstance(entry, BookEntry)
    assert [each.searches for each in told] == list(range(1, len(told) + 1))
    assert (told[-1].positions, told[-1].added) == (20, 20)
    assert told[-1].root == (entry.score, entry.lower, entry.upper)


def test_a_budget_ends_the_growth(tmp_path: Path) -> None:
    with BookWriter.create(tmp_path / "b", OTHELLO) as book:
        grower = Grower(book, judge())
        grower.grow(Reach(), seconds=0.5)
        assert grower.progress().seconds < 30
        assert len(book) > 1
    expect_whole(tmp_path / "b")


def contents(path: Path) -> tuple[list[Record], list[Change]]:
    with Book.open(path) as book:
        return list(book.records()), book.history()


def true_from(count: int) -> Callable[[], bool]:
    """Return False until it is asked for this time."""
    answers = iter([False] * (count - 1))
    return lambda: next(answers, True)


def failing_at(count: int, error: BaseException) -> Callable[[], Searcher]:
    """Give a searcher until it is asked for this time."""
    fails = true_from(count)

    def searcher() -> Searcher:
        if fails():
            raise error
        return cleared()

    return searcher


@pytest.mark.parametrize(
    "error", [None, OutflankError("no"), RuntimeError("no"), KeyboardInterrupt()], ids=repr
)
@pytest.mark.parametrize("searches", [1, 2])
def test_learning_that_is_broken_off_leaves_the_book_as_it_was(
    path: Path, error: BaseException | None, searches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the searches take: elsewhere a book that grows commits once a second. None is a stop."""
    monkeypatch.setattr("outflank.book.growing._COMMIT_SECONDS", 0.0)
    before = contents(path)
    if error is None:
        with pytest.raises(OutflankError, match="another command interrupted learning"):
            learn_game(path, GAME, judge(), true_from(searches))
    else:
        with pytest.raises(type(error)):
            learn_game(path, GAME, Judge(failing_at(searches, error), 2))

    assert contents(path) == before
    with BookWriter.open(path):
        pass  # nobody holds it any longer


def test_what_is_learned_is_whole(path: Path) -> None:
    assert learn_game(path, GAME, judge()) == 2
    with Book.open(path) as book:
        assert [position in book for position in GAME] == [True, True, True, False, False]
    expect_whole(path)


def test_a_book_is_judged_on_the_level_of_most_of_its_positions(tmp_path: Path) -> None:
    levels = [7, 9, 9, None, None, None]
    records = [record(position, level=level) for position, level in zip(plies(2), levels, strict=False)]
    with Book.open(make_book(tmp_path / "b", records)) as book:
        assert usual_level(book) == 9
    with Book.open(make_book(tmp_path / "none", records[3:])) as book:
        assert usual_level(book) == USUAL_LEVEL
        assert usual_level(book, 3) == 3


def test_the_first_unknown_positions_that_have_a_choice_are_new(path: Path) -> None:
    over = Position.parse("X" * 40 + "O" * 24)
    passed = [turn.before for turn in Game.from_transcript(WITH_PASSES).turns if turn.move.is_pass]
    assert passed
    with Book.open(path) as book:
        assert unknown_positions(book, GAME) == GAME[1 : 1 + BEYOND]
        assert unknown_positions(book, [*GAME[3:], over, *passed], 9) == GAME[3:]
