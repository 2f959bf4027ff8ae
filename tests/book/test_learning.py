"""A book learns from a game: all that is new, or nothing if that is broken off."""

from collections.abc import Callable
from pathlib import Path

import pytest

from outflank.book import Book, BookWriter, Change, Record
from outflank.book.growing import (
    BEYOND,
    USUAL_LEVEL,
    LearningStopped,
    learn_game,
    unknown_positions,
    usual_level,
)
from outflank.book.judging import Judge
from outflank.engine import Game, OutflankError, Position, Searcher
from outflank.tests.book.growth import cleared, expect_whole, judge
from outflank.tests.book.samples import START, after, make_book, plies, record
from outflank.tests.sample_games import WITH_PASSES

GAME = [after("f5d6c3d3"[: 2 * plies]) for plies in range(5)]


def contents(path: Path) -> tuple[list[Record], list[Change]]:
    with Book.open(path) as book:
        return list(book.records()), book.history()


def true_from(count: int) -> Callable[[], bool]:
    """Says no until it is asked for this time."""
    answers = iter([False] * (count - 1))
    return lambda: next(answers, True)


def failing_at(count: int, error: BaseException) -> Callable[[], Searcher]:
    """Gives a searcher until it is asked for this time."""
    fails = true_from(count)

    def searcher() -> Searcher:
        if fails():
            raise error
        return cleared()

    return searcher


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A book of the start alone."""
    return make_book(tmp_path / "b", [record(START, leaf="f5")])


@pytest.mark.parametrize("searches", [1, 2])
def test_learning_that_is_broken_off_leaves_the_book_as_it_was(
    path: Path, searches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the searches take: elsewhere a book that grows commits once a second."""
    monkeypatch.setattr("outflank.book.growing._COMMIT_SECONDS", 0.0)
    before = contents(path)
    with pytest.raises(LearningStopped):
        learn_game(path, GAME, judge(), true_from(searches))

    assert contents(path) == before


@pytest.mark.parametrize("error", [OutflankError("no"), RuntimeError("no"), KeyboardInterrupt()], ids=repr)
@pytest.mark.parametrize("searches", [1, 2])
def test_an_error_or_an_interruption_leaves_the_book_as_it_was(
    path: Path, error: BaseException, searches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.book.growing._COMMIT_SECONDS", 0.0)
    before = contents(path)
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


def test_the_first_positions_that_a_book_does_not_know_are_new(path: Path) -> None:
    over = Position.parse("X" * 40 + "O" * 24)
    with Book.open(path) as book:
        assert unknown_positions(book, GAME) == GAME[1 : 1 + BEYOND]
        assert unknown_positions(book, [*GAME[3:], over], 9) == GAME[3:]


def test_a_position_without_a_choice_is_not_learned(path: Path) -> None:
    game = Game.from_transcript(WITH_PASSES)
    passed = [turn.before for turn in game.turns if turn.move.is_pass]
    assert passed
    with Book.open(path) as book:
        assert unknown_positions(book, passed) == []
