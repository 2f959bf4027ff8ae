"""The rules dataclass: its texts, its refusals, its agreement with the oracle's sheets; and docs/rules.md."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

from outflank.engine import PRESETS, STARTS, Colour, NotationError, Position, Rules
from outflank.tests.support import reference, strategies
from outflank.tests.support.positions import mask_of_discs, mask_of_names, rules_of

NAMES = " ".join(strategies.PRESETS)
START_EXPECTED = f"expected start= {' '.join(STARTS)} or a board string: "
BLACK_WINS = "-" * 63 + "X"
CENTRE = ("d4", "e4", "d5", "e5")
PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


@pytest.mark.parametrize("name", strategies.PRESETS)
def test_each_preset_settles_what_the_oracles_sheet_settles(name: str) -> None:
    rules = Rules(name)

    assert list(reference.SHEETS) == list(PRESETS)
    assert rules_of(name, reference.SHEETS[name]) == PRESETS[name] == Rules.parse(name)
    assert str(PRESETS[name]) == name
    assert Rules.parse(str(rules)) == rules
    assert (rules.colour_names, rules.shows_hand) == (PRESETS[name].colour_names, PRESETS[name].shows_hand)


@pytest.mark.parametrize("start", reference.CENTRES)
def test_each_start_lays_the_discs_as_the_oracle_does(start: str) -> None:
    position = Position.start(Rules(start=start))
    board = reference.start_board(start)

    assert (position.black, position.white) == (mask_of_discs(board, "X"), mask_of_discs(board, "O"))
    assert list(STARTS) == list(reference.CENTRES)


@given(named=strategies.sheets())
def test_any_rules_are_read_back_as_they_are_written(named: tuple[str, reference.Sheet]) -> None:
    rules = rules_of(*named)

    assert rules == Rules.parse(str(rules))


@pytest.mark.parametrize("setting", [{"colour_names": ("Red", "Blue")}, {"shows_hand": True}])
def test_what_belongs_to_the_sheet_can_not_be_set(setting: dict[str, object]) -> None:
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{next(iter(setting))}'"):
        Rules(**setting)  # type: ignore[arg-type]


def test_what_differs_from_the_preset_alone_is_written_behind_it() -> None:
    rules = Rules.parse("ravensburger-1987 turns=all,start=parallel-east")

    assert str(rules) == "ravensburger-1987,start=parallel-east,turns=all"
    assert str(Rules.parse("reversi,begins=white,scoring=count")) == "reversi"


def test_a_board_may_be_the_start() -> None:
    """It is written plainly, however it came."""
    board = "-" * 27 + "XO" + "-" * 6 + "OX" + "-" * 27
    rules = Rules(start=board.replace("X", "*").replace("-", ".").replace("O", " w "))

    assert Position.start(rules).board_string() == f"{board} X"
    assert Rules.parse(str(rules)) == rules == Rules.parse(f"othello,start={board}")


@given(text=strategies.bad_rules)
def test_what_names_no_rules_is_refused_with_what_there_is(text: str) -> None:
    with pytest.raises(NotationError, match=r"^expected .*, got .*") as caught:
        Rules.parse(text)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("read", "text", "sentence"),
    [
        (Rules.parse, "chess", f"expected one of the presets {NAMES}, got 'chess'"),
        (Rules, "nope", f"expected one of the presets {NAMES}, got 'nope'"),
        (
            Rules.parse,
            "solo,start=mirrored",
            "expected rules for two players, got 'solo', which `outflank solo` plays",
        ),
        (
            Rules.parse,
            "othello,komi=7",
            "expected one of the options start= turns= tie= scoring= begins=, got 'komi=7'",
        ),
        (Rules.parse, "othello,turns=perhaps", "expected turns=all or one, got turns='perhaps'"),
        (Rules.parse, "othello,begins=perhaps", "expected begins=black or white, got begins='perhaps'"),
        (
            Rules.parse,
            "othello,start=sideways",
            f"{START_EXPECTED}expected X, O or - for square a1 of the board, got 's'",
        ),
        (lambda word: Rules(scoring=word), "other", "expected scoring=empties or count, got scoring='other'"),
        (
            lambda start: Rules(start=start),
            f"{BLACK_WINS} X",
            f"{START_EXPECTED}begins= says who moves, so nothing may follow the 64 squares: '{BLACK_WINS} X'",
        ),
    ],
)
def test_a_word_that_is_not_known_is_answered_with_those_that_are(
    read: Callable[[str], Rules], text: str, sentence: str
) -> None:
    with pytest.raises(NotationError) as caught:
        read(text)

    assert str(caught.value) == sentence


def test_rules_are_values() -> None:
    assert Rules(begins="white").begins is Colour.WHITE  # type: ignore[arg-type]
    assert {Rules(), Rules.parse("othello")} == {Rules()}
    with pytest.raises(dataclasses.FrozenInstanceError):
        Rules().turns = "one"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("rules", "same_moves", "same_game"),
    [
        ("othello", True, True),
        ("othello,start=---------------------------OX------XO---------------------------", True, True),
        ("reversi,begins=black,scoring=empties", True, True),
        ("othello,scoring=count", True, False),
        ("othello,tie=second", True, False),
        ("reversi", False, False),
        ("reveris", False, False),
        ("othello,turns=one", False, False),
    ],
)
def test_rules_know_whether_they_are_othellos(rules: str, same_moves: bool, same_game: bool) -> None:
    found = Rules.parse(rules)

    assert (found.has_othello_moves, found.is_othello) == (same_moves, same_game)


@pytest.mark.parametrize(
    ("rules", "black", "white"),
    [("othello", 2, 2), ("reversi", 1, 1), ("ravensburger-2006", 0, 1), ("othello,tie=second", 2, 0)],
)
def test_the_least_win_is_what_scoring_and_ties_allow(rules: str, black: int, white: int) -> None:
    found = Rules.parse(rules)

    assert (found.least_win(Colour.BLACK), found.least_win(Colour.WHITE)) == (black, white)


@pytest.fixture(scope="module")
def page() -> str:
    """Return the text, where there is a checkout; an installed copy has no docs."""
    if not PAGE.exists():
        pytest.skip(f"{PAGE} is part of a checkout only")
    return PAGE.read_text()


def rows(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the table below a heading, code marks taken off."""
    section = page.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines]


def test_the_table_of_presets_is_the_presets(page: str) -> None:
    columns = ("name", "start", "begins", "turns", "tie", "scoring")
    told = {row[0]: row for row in rows(page, "The presets")}

    assert list(told) == list(PRESETS)
    for name, rules in PRESETS.items():
        assert told[name][:6] == [getattr(rules, column) for column in columns]
        assert told[name][6] == ", ".join(rules.colour_names)


def test_the_table_of_options_names_every_option_and_value(page: str) -> None:
    told = {row[0]: row[1].partition(",")[0].split() for row in rows(page, "Choosing")}

    assert told["start"] == list(STARTS)
    for option, values in told.items():
        for value in values:
            assert getattr(Rules.parse(f"othello,{option}={value}"), option) == value
    assert list(told) == ["start", "begins", "turns", "tie", "scoring"]


def test_the_pictures_show_the_six_starts(page: str) -> None:
    names, fourth, fifth = (
        next(line for line in page.splitlines() if line.startswith(f"    {mark}"))
        for mark in ("diagonal", "4 ", "5 ")
    )
    centre = [[letter for letter in row if letter in "XO"] for row in (fourth, fifth)]

    assert names.split() == list(STARTS)
    for number, name in enumerate(STARTS):
        drawn = [letter for row in centre for letter in row[2 * number : 2 * number + 2]]
        white = [square for square, letter in zip(CENTRE, drawn, strict=True) if letter == "O"]

        assert Position.start(Rules(start=name)).white == mask_of_names(" ".join(white))
