"""What the package brings: books that are whole, with a record of how they were made; and the names of openings."""

import subprocess
import sys
from pathlib import Path

import pytest

from outflank.book import Book, BookEntry
from outflank.book.checking import check
from outflank.book.names import (
    opening_at,
    opening_called,
    opening_line,
    opening_of,
    opening_of_game,
    openings,
)
from outflank.engine import PRESETS, Game, NotationError, Position, Rules, Symmetry
from outflank.tests.support.installation import ROOT

SHIPPED = sorted((ROOT / "book" / "data").glob("*.book"))


def test_every_line_of_the_file_leads_to_its_own_name_in_every_image() -> None:
    named = [opening for opening in openings() if opening.names]

    assert (len(named), len(openings())) == (77, 104)
    assert {opening.moves[:2] for opening in openings()} == {"f5"}
    for opening in named:
        game = Game.from_transcript(opening.moves)
        assert opening_of_game(game) == opening
        assert {opening_at(game.position.transformed(symmetry)) for symmetry in Symmetry} == {opening}
        assert opening.plies == 60 - game.position.empties


@pytest.mark.parametrize(
    ("transcript", "names"),
    [
        ("f5d6c3d3c4", "Tiger (虎定石)"),
        ("e6f4e3d6c5c4", "Mimura (三村流)"),
        ("f5d6c5f4e3", "Perpendicular Opening (兎定石)"),  # which has a name in Japanese alone
        ("f5d6c5f4e3c6d3f6e6d7g3c4b4c3", "Rose-Tamenori-Kling (Sローズ為則ローズ)"),  # one in English alone
        ("f5f6e6f4g4", "Raccoon Dog (たぬき)"),
        ("f5d6", "Perpendicular Opening"),
        ("f5f6e6f4e3c5g5", "Bat / Cow Bat / Cambridge"),
        ("f5d6c3d3c4f4c5b4b5c6f3e6e3g6f6g5d7g3", "Mainline Tiger"),
        ("f5d6c5f4e3c6d3f6e6d7g3c4g5c3b4e2", "Brightstein"),
    ],
)
def test_well_known_lines_have_their_names_in_both_languages(transcript: str, names: str) -> None:
    opening = opening_of_game(Game.from_transcript(transcript))

    assert opening is not None
    assert opening.in_both_languages.startswith(names)
    assert ")" not in names or opening.in_both_languages == names


def test_the_other_first_moves_and_transpositions_lead_to_the_same_openings() -> None:
    """f5d6c4d3c3 passes through no other opening with a name but the first."""
    lines = ("f5d6c3d3c4", "d3c5f6f5e6", "c4e3f6e6f5", "e6f4c3c4d3", "f5d6c4d3c3")

    assert {str(opening_of_game(Game.from_transcript(line))) for line in lines} == {"Tiger"}


def test_the_longest_line_names_a_game() -> None:
    game = Game.from_transcript("f5d6c3d3c4f4f6f3e6e7d7g6")

    assert [str(opening_at(turn.before) or "") for turn in game.turns][4:] == [
        "", "Tiger", "", "Stephenson", "Comp'Oth", "", "", ""
    ]  # fmt: skip
    assert str(opening_of_game(game)) == "Comp'Oth"
    assert opening_of([]) is opening_of_game(Game.from_transcript("f5")) is None


def test_other_rules_share_the_names_as_far_as_they_share_the_moves() -> None:
    """Who begins does not matter, nor how the four discs lie; turning one direction is another game."""
    white_begins = Game.from_transcript("f4d3", PRESETS["ravensburger-2006"])
    one_way = Game.from_transcript("f4 d3", PRESETS["ravensburger-1987"])

    assert str(opening_of_game(white_begins)) == "Perpendicular Opening"
    assert one_way.position.with_rules(white_begins.rules) == white_begins.position
    assert opening_of_game(one_way) is None


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("tiger", "Tiger (虎定石)"),  # is also a part of Mainline Tiger
        ("Tiger (虎定石)", "Tiger (虎定石)"),
        ("leaders", "Leader's Tiger (リーダーズタイガー)"),
        ("cow bat", "Bat / Cow Bat / Cambridge (こうもり定石)"),
        ("虎", "虎系"),  # which all lines with such a name continue
        ("犬定石", "犬定石"),  # has no English name
    ],
)
def test_an_opening_is_found_by_each_of_its_names_or_by_a_part_of_one(name: str, label: str) -> None:
    assert opening_called(name).in_both_languages == label


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("foo", "no opening is called 'foo'"),
        ("tigr", "no opening is called 'tigr'; did you mean Tiger?"),
        ("no", "no opening is called 'no'"),  # two letters are no part of a name
        ("...", "no opening is called '...'"),
        (
            "rose-b",
            "several openings match 'rose-b': Rose-Bill, Central Rose-Bill, Rose-Birth, Rose-Birdie",
        ),
    ],
)
def test_a_name_of_no_opening_or_of_several_is_refused_with_those_that_are_meant(
    name: str, sentence: str
) -> None:
    with pytest.raises(NotationError) as refused:
        opening_called(name)

    assert str(refused.value) == sentence


def test_every_name_leads_to_its_own_opening() -> None:
    for opening in openings():
        for name in (*opening.names, *opening.japanese, opening.in_both_languages):
            assert opening_called(name) == opening
            assert opening in openings(name)


def test_the_line_of_an_opening_is_played_by_the_rules_of_the_game() -> None:
    two_ways = opening_line("tiger", PRESETS["ravensburger-2006"])

    assert opening_line("tiger").transcript() == "f5d6c3d3c4"
    assert two_ways.transcript() == "c5e6f3e3f4"
    assert str(opening_of_game(two_ways)) == "Tiger"
    for rules in ("ravensburger-1987", "reversi,start=parallel-north"):
        with pytest.raises(
            NotationError, match=f"opening of Othello that can't be played under the rules {rules}"
        ):
            opening_line("tiger", Rules.parse(rules))


@pytest.mark.slow
def test_the_standard_book_is_whole() -> None:
    """The quick check of the other book is in tests/tools/commands/transcripts/books.console."""
    with Book.open(ROOT / "book" / "data" / "standard.book") as book:
        checked = check(book)

    assert checked.faults == ()
    assert (checked.unreachable, checked.unfinished) == (0, 0)


def probe(path: Path, rules: Rules) -> BookEntry:
    """Return the book's entry of the start of games by these rules."""
    with Book.open(path, rules) as book:
        entry = book.probe(Position.start(rules))
    assert entry is not None
    return entry


def test_the_shipped_books_say_how_they_were_made_are_for_both_starts_and_fit_into_a_wheel() -> None:
    parallel, standard = SHIPPED
    for path in SHIPPED:
        with Book.open(path) as book:
            history = [change.what for change in book.history()]
        assert any("build --" in what and "level 18" in what and "weights" in what for what in history)

    assert abs(probe(standard, Rules()).score) <= 2
    assert probe(standard, Rules()).lines.total > 20_000
    for side in ("north", "east", "south", "west"):
        assert abs(probe(parallel, Rules.parse(f"othello,start=parallel-{side}")).score) <= 2
    assert sum(path.stat().st_size for path in SHIPPED) < 5_000_000


@pytest.mark.parametrize("rules", ["othello", "othello,start=parallel-west", "obversi"])
def test_a_game_is_played_from_the_book_for_its_rules(rules: str) -> None:
    options = ["gtp", "--level", "1", "--rules", rules]
    command = [sys.executable, "-m", "outflank.tools.cli.program", *options]
    lines = "outflank-book\nkata-genmove_analyze b\nquit\n"
    played = subprocess.run(
        command, input=lines, capture_output=True, text=True, timeout=60, check=True
    ).stdout
    named = [path.name for path in SHIPPED if path.name in played]

    assert named == {"othello": ["standard.book"], "obversi": []}.get(rules, ["parallel.book"])
    assert (" book 1" in played) is bool(named)
