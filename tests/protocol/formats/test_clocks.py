"""The time controls of recorded games, between a clock, GGF's TI and SGF's TM and OT; and their dates."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import NotationError
from outflank.protocol.clock import TimeControl
from outflank.protocol.formats import sgf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.clocks import (
    clock_text,
    day_of,
    for_ggf,
    for_sgf,
    from_sgf,
    ggf_text,
    parse_ggf,
    year_of,
)

TIMES = st.integers(0, 10_000_000)


@pytest.mark.parametrize(
    ("control", "ti", "tm", "ot"),
    [
        (TimeControl(300, increment=3), "5:00/0:03", "300", "3 fischer"),
        (TimeControl(600), "10:00", "600", ""),
        (TimeControl(1_000_000), "16666:40", "1000000", ""),
        (TimeControl.canadian(300, 30, 10), "", "300", "10/30 canadian"),
        (TimeControl.canadian(0, 30, 1), "", "0", "1/30 canadian"),
        (TimeControl(60, increment=0.5), "", "60", "0.5 fischer"),
        (TimeControl(60.5), "", "60.5", ""),
    ],
)
def test_a_clock_is_written_as_each_format_has_it(control: TimeControl, ti: str, tm: str, ot: str) -> None:
    clock = clock_text(control)

    assert (for_ggf(clock), for_sgf(clock)) == (ti, (tm, ot))
    assert from_sgf(tm, ot) == clock


@pytest.mark.parametrize(
    ("ti", "tm", "ot"),
    [
        ("15:00", "900", ""),
        ("15:00//02:00", "900", "120 extension"),
        ("5:00/0:10/2:00", "300", "10 fischer, 120 extension"),
        ("1:00:00/30", "3600", "30 fischer"),
        ("60//120", "60", "120 extension"),
    ],
)
def test_what_ggf_says_becomes_main_time_and_overtime(ti: str, tm: str, ot: str) -> None:
    assert for_ggf(ti) == ti
    assert for_sgf(ti) == for_sgf(from_sgf(tm, ot)) == (tm, ot)


@pytest.mark.parametrize(
    ("tm", "ot", "ti"),
    [
        ("900", "", "15:00"),
        ("300.0", "3 Fischer", "5:00/0:03"),
        ("", "5/10 canadian", ""),
        ("", "15:00", ""),
        ("300", "5/10 canadian", ""),
        ("900.5", "5x30 byo-yomi", ""),
        ("", "", ""),
    ],
)
def test_what_sgf_says_comes_back_and_ggf_gets_what_it_can_hold(tm: str, ot: str, ti: str) -> None:
    clock = from_sgf(tm, ot)

    assert for_ggf(clock) == ti
    assert for_sgf(clock) == (tm.removesuffix(".0"), ot.lower())


def test_a_clock_or_a_main_time_that_can_not_be_read_is_no_time_in_sgf() -> None:
    for clock in ("300+3", "soon", "5:00, x", "1:2:3:4:5", "1/2/3/4", "9" * 5000):
        assert for_sgf(clock) == ("", "")
    for main in ("soon", "9" * 5000, "-1"):
        assert from_sgf(main, "") == ""
        assert for_sgf(from_sgf(main, "5/10 canadian")) == ("", "5/10 canadian")


A_DAY = ["2003-07-01", "2003-07-01T12:00:00+02:00", "2003-07-01 12:00", "2003.7.1_12:00:00.MDT", "2003.07.01"]


@pytest.mark.parametrize(
    ("text", "day", "year"),
    [
        *((text, date(2003, 7, 1), 2003) for text in [*A_DAY, "2003/7/1", "20030701", "1057061604"]),
        *((text, None, 1999) for text in ("1999", "1999-12", "May 1999", "1999-12-30,31")),
        *((text, None, 2003) for text in ("2003-07-2003-08", "2003.13.45", "2003-7.1")),
        *((text, None, None) for text in ("", "12345", "999999999999", "9" * 5000, "٢٠٠٣")),
    ],
)
def test_a_date_says_its_day_or_its_year_alone(text: str, day: date | None, year: int | None) -> None:
    assert day_of(text) == day
    assert year_of(text) == year


@pytest.mark.parametrize(
    ("text", "day"), [("2003.7.1_12:00:00.MDT", "2003-07-01"), ("2003-07-01,02", "2003-07-01,02")]
)
def test_of_a_time_sgf_gets_the_day(text: str, day: str) -> None:
    assert f"DT[{day}]" in sgf.write(AnnotatedGame(date=text))


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("60", TimeControl(60)),
        ("1.00:00:00", TimeControl(86400)),
        (" 5:00 / 0:10 ", TimeControl(300, 10)),
        ("/0:10", TimeControl(0, 10)),
        ("", TimeControl(0)),
        ("16666666:40", TimeControl(10**9)),
    ],
)
def test_a_time_control_is_read(text: str, control: TimeControl) -> None:
    assert parse_ggf(text) == control


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["soon", "1/2/3/4", "-5", "1:2:3:4:5", "5:00/x", "1" * 400, "٣"], "such as 15:00 or 5:00/0:10/2:00"),
        (
            ["16666666:41", "99999999.00:00:00", "5:00/99999999:00", "5:00//99999999.0:0:0"],
            "of at most 1000000000 seconds",
        ),
    ],
)
def test_what_is_no_time_control_of_a_game_is_told(texts: list[str], sentence: str) -> None:
    for text in texts:
        with pytest.raises(NotationError, match=f"^expected a clock {sentence}, got"):
            parse_ggf(text)


@given(main=TIMES, increment=TIMES, extension=TIMES)
def test_what_is_written_is_read_again(main: int, increment: int, extension: int) -> None:
    clock = TimeControl(main, increment, extension=extension)

    assert parse_ggf(ggf_text(clock)) == clock
    assert ("//" in ggf_text(clock)) is (not increment and extension > 0)
    assert ggf_text(clock).count("/") == (2 if extension else 1 if increment else 0)
