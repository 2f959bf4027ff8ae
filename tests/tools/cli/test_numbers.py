"""Numbers on the command line: bounds belong to them, and what is none is refused in one sentence."""

from typing import Any

import click
import pytest

from outflank.tools.commands.options import BEYOND_USE, Number, WholeNumber

COUNT = WholeNumber(1, 60)


@pytest.mark.parametrize(
    ("kind", "text", "number"),
    [
        (COUNT, "1", 1),
        (COUNT, "60", 60),
        (COUNT, 7, 7),
        (WholeNumber(), "-5", -5),
        (Number(0, 1), "0", 0.0),
        (Number(0, 1), "1e0", 1.0),
        (Number(0, min_open=True), "0.001", 0.001),
    ],
)
def test_a_number_within_the_bounds_is_taken(kind: WholeNumber | Number, text: Any, number: float) -> None:
    assert kind.convert(text, None, None) == number


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        (COUNT, "x", "expected a whole number from 1 to 60, got 'x'"),
        (COUNT, "0", "expected a whole number from 1 to 60, got '0'"),
        (COUNT, "61", "expected a whole number from 1 to 60, got '61'"),
        (COUNT, "2.5", "expected a whole number from 1 to 60, got '2.5'"),
        (COUNT, "", "expected a whole number from 1 to 60, got ''"),
        (WholeNumber(0), "-1", "expected a whole number of at least 0, got '-1'"),
        (WholeNumber(), "many", "expected a whole number, got 'many'"),
        (Number(0, 1), "1.01", "expected a number from 0 to 1, got '1.01'"),
        (Number(0, 1), "nan", "expected a number from 0 to 1, got 'nan'"),
        (Number(min=0), "inf", "expected a number of at least 0, got 'inf'"),
        (Number(0, min_open=True), "0", "expected a number above 0, got '0'"),
        (Number(0, 1, min_open=True), "0", "expected a number above 0 up to 1, got '0'"),
        (Number(), "nan", "expected a number, got 'nan'"),
    ],
)
def test_what_is_none_is_refused_in_words(kind: WholeNumber | Number, text: str, sentence: str) -> None:
    with pytest.raises(click.BadParameter) as refused:
        kind.convert(text, None, None)

    assert refused.value.message == sentence


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        (COUNT, "[1<=x<=60]"),
        (WholeNumber(1, BEYOND_USE), "[x>=1]"),
        (WholeNumber(0), "[x>=0]"),
        (WholeNumber(), ""),
        (Number(0, 1), "[0<=x<=1]"),
        (Number(0, min_open=True), "[x>0]"),
        (Number(), ""),
    ],
)
def test_the_help_shows_the_bounds_that_somebody_may_meet(kind: WholeNumber | Number, shown: str) -> None:
    option = click.Option(["--n"], type=kind, help="A number.")
    (_, text) = option.get_help_record(click.Context(click.Command("c"))) or ("", "")

    assert text == f"A number.  {shown}".rstrip()
