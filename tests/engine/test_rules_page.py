"""docs/rules.md says what the program does: its tables, its pictures and its examples."""

import doctest
from pathlib import Path

import pytest

from outflank.engine import PRESETS, STARTS, Position, Rules
from outflank.tests.masks import mask_of_names

CENTRE = ("d4", "e4", "d5", "e5")
PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


@pytest.fixture(scope="module")
def page() -> str:
    """The text, where there is a checkout; an installed copy has no docs."""
    if not PAGE.exists():
        pytest.skip(f"{PAGE} is part of a checkout only")
    return PAGE.read_text()


def rows(page: str, heading: str) -> list[list[str]]:
    """The cells of the table below a heading, code marks taken off."""
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


def picture_line(page: str, mark: str) -> str:
    """The line of the pictures of the starts that begins with `mark`."""
    return next(line.strip() for line in page.splitlines() if line.startswith(f"    {mark}"))


def test_the_pictures_show_the_six_starts(page: str) -> None:
    names, fourth, fifth = (picture_line(page, mark) for mark in ("diagonal", "4 ", "5 "))
    centre = [[letter for letter in row if letter in "XO"] for row in (fourth, fifth)]

    assert names.split() == list(STARTS)
    for number, name in enumerate(STARTS):
        drawn = [letter for row in centre for letter in row[2 * number : 2 * number + 2]]
        white = [square for square, letter in zip(CENTRE, drawn, strict=True) if letter == "O"]

        assert Position.start(Rules(start=name)).white == mask_of_names(" ".join(white))


def test_the_examples_print_what_they_show(page: str) -> None:
    example = doctest.DocTestParser().get_doctest(page, {}, PAGE.name, str(PAGE), 0)
    failures: list[str] = []
    doctest.DocTestRunner().run(example, out=failures.append)

    assert example.examples
    assert failures == []
