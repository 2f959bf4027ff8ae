"""The time controls of recorded games, between a clock, GGF's TI and SGF's TM and OT."""

import re

import pytest

from outflank.engine import Rules
from outflank.protocol.formats import ggf, sgf
from outflank.protocol.formats import sgf as sgf_write
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.clocks import clock_text, for_ggf, for_sgf, from_sgf
from outflank.protocol.timekeeping import TimeSettings


@pytest.mark.parametrize(
    ("settings", "ti", "tm", "ot"),
    [
        (TimeSettings(300, increment=3), "5:00/0:03", "300", "3 fischer"),
        (TimeSettings(600), "10:00", "600", ""),
        (TimeSettings(1_000_000), "16666:40", "1000000", ""),
        (TimeSettings(300, 30, 10), "", "300", "10/30 canadian"),
        (TimeSettings(0, 30, 1), "", "0", "1/30 canadian"),
        (TimeSettings(60, increment=0.5), "", "60", "0.5 fischer"),
        (TimeSettings(60.5), "", "60.5", ""),
    ],
)
def test_a_clock_is_written_as_each_format_has_it(settings: TimeSettings, ti: str, tm: str, ot: str) -> None:
    clock = clock_text(settings)

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
    assert for_sgf(ti) == (tm, ot)
    assert for_sgf(from_sgf(tm, ot)) == (tm, ot)


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


@pytest.mark.parametrize("clock", ["300+3", "soon", "5:00, x", "1:2:3:4:5", "1/2/3/4", "9" * 5000])
def test_a_clock_that_can_not_be_read_is_no_time_in_sgf(clock: str) -> None:
    assert for_sgf(clock) == ("", "")


@pytest.mark.parametrize("main", ["soon", "9" * 5000, "-1"])
def test_a_main_time_that_is_no_number_is_none(main: str) -> None:
    assert from_sgf(main, "") == ""
    assert for_sgf(from_sgf(main, "5/10 canadian")) == ("", "5/10 canadian")


@pytest.mark.parametrize(
    ("clock", "in_ggf", "in_sgf"),
    [
        ("15:00//02:00", "TI[15:00//02:00]", "OT[120 extension] TM[900]"),
        ("5:00/0:03", "TI[5:00/0:03]", "OT[3 fischer] TM[300]"),
        ("300 s, overtime 5/10 canadian", "", "OT[5/10 canadian] TM[300]"),
        ("300+3", "", ""),
        ("", "", ""),
    ],
)
def test_each_format_writes_its_own_words(clock: str, in_ggf: str, in_sgf: str) -> None:
    game = AnnotatedGame(clock=clock)

    assert " ".join(re.findall(r"TI\[.*?\]", ggf.write(game))) == in_ggf
    assert " ".join(re.findall(r"[TO][TM]\[.*?\]", sgf_write.write(game))) == in_sgf


def test_each_format_reads_its_own_words() -> None:
    assert ggf.parse("(;GM[Othello]TI[5:00/0:03];)", Rules()).clock == "5:00/0:03"
    assert sgf.parse(b"(;GM[2]TM[300]OT[3 fischer])", Rules()).clock == "5:00/0:03"
    assert sgf.parse(b"(;GM[2]TM[300]OT[5/10 canadian])", Rules()).clock == "300 s, overtime 5/10 canadian"
    assert sgf.parse(b"(;GM[2]OT[15:00])", Rules()).clock == "overtime 15:00"
