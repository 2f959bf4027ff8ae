"""A GTP engine with an opening book: what it plays, and what it tells of the book."""

import re
from pathlib import Path

import pytest

from outflank.protocol.lines import Inbox
from outflank.protocol.server.booksource import BookSource
from outflank.tests.support.books import small_book
from outflank.tests.support.dialogue import Dialogue, listening, put, run_program


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_book(tmp_path_factory.mktemp("book"))


def after_f5(path: Path, seed: int | None = None, inbox: Inbox | None = None) -> Dialogue:
    made = Dialogue(books=[BookSource(path, pytest.fail, discs=8.0, seed=seed)], inbox=inbox)
    made.ask("play b f5")
    return made


def test_an_analysis_marks_the_moves_of_the_book(path: Path) -> None:
    inbox = Inbox()
    made = after_f5(path, inbox=inbox)
    told = ""
    for part in made.wire.answer(made.session, b"lz-analyze w 5"):
        told += part
        if part.startswith("info") and " book 0" in part:
            put(inbox, "")
    marks = dict(re.findall(r"move (\S+) .*? book (\d)", told))

    assert marks == {"d6": "1", "f6": "1", "f4": "0"}


def test_a_book_move_costs_the_clock_next_to_nothing(path: Path) -> None:
    """The search of the reply could take long: level 60 without a clock."""
    made = Dialogue(books=[BookSource(path, pytest.fail)], inbox=listening())
    made.ask("outflank-strength level 60")
    made.ask("time_settings 60 0 0")
    made.ask("play b f5")
    made.ask("genmove w")
    clock = made.session.clocks["white"].reading  # type: ignore[index]

    assert clock is not None
    assert clock.remaining > 59


# --- The program's options


def test_the_program_plays_from_the_book_it_is_given(path: Path) -> None:
    asked = b"play b f5\ngenmove w\nquit\n"
    result = run_program(asked, "--book", str(path), "--level", "1")

    assert (result.stdout, result.stderr) == (b"=\n\n= d6\n\n=\n\n", b"")


def test_a_book_that_nobody_asked_for_is_named_where_it_plays_alone(path: Path) -> None:
    """The package brings books for several rules."""
    for shipped in (True, False):
        made = Dialogue(books=[BookSource(path, lambda _: None, shipped=shipped)])
        mine = f"book {path}, 6 positions, for othello"
        told = {}
        for rules in ("obversi", "othello"):
            made.ask(f"outflank-rules {rules}")
            told[rules] = made.ask("outflank-book")

        assert told["othello"].splitlines()[0] == mine
        assert told["obversi"] == ("book none" if shipped else mine)
        made.ask("outflank-rules obversi")
        assert (mine in made.ask("gomill-describe_engine").splitlines()) is not shipped
