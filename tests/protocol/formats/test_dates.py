"""The dates of recorded games."""

from datetime import date

import pytest

from outflank.protocol.formats import sgf as sgf_write
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.clocks import day_of, year_of


@pytest.mark.parametrize(
    "text",
    [
        "2003-07-01",
        "2003-07-01T12:00:00+02:00",
        "2003-07-01 12:00",
        "2003.7.1_12:00:00.MDT",
        "2003.07.01",
        "2003/7/1",
        "20030701",
        "1057061604",
    ],
)
def test_a_day_is_read_however_it_is_written(text: str) -> None:
    assert day_of(text) == date(2003, 7, 1)
    assert year_of(text) == 2003


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("", None),
        ("1999", 1999),
        ("1999-12", 1999),
        ("May 1999", 1999),
        ("1999-12-30,31", 1999),
        ("2003-07-2003-08", 2003),
        ("2003.13.45", 2003),
        ("2003-7.1", 2003),
        ("12345", None),
        ("999999999999", None),
        ("9" * 5000, None),
        ("٢٠٠٣", None),
    ],
)
def test_a_date_without_one_day_may_name_a_year(text: str, year: int | None) -> None:
    assert day_of(text) is None
    assert year_of(text) == year


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1041483604", "2003-01-02"),
        ("2003.7.1_12:00:00.MDT", "2003-07-01"),
        ("2003-07-01T12:00:00+00:00", "2003-07-01"),
        ("2003-07", "2003-07"),
        ("2003-07-01,02", "2003-07-01,02"),
    ],
)
def test_of_a_time_sgf_gets_the_day(text: str, day: str) -> None:
    assert f"DT[{day}]" in sgf_write.write(AnnotatedGame(date=text))
