"""GGF's time control is read and written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import NotationError
from outflank.protocol.formats.clocks import GgfClock

TIMES = st.integers(0, 10_000_000)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("15:00", GgfClock(900)),
        ("60", GgfClock(60)),
        ("1:00:00", GgfClock(3600)),
        ("1.00:00:00", GgfClock(86400)),
        ("5:00/0:10/2:00", GgfClock(300, 10, 120)),
        ("5:00//2:00", GgfClock(300, 0, 120)),
        (" 5:00 / 0:10 ", GgfClock(300, 10)),
        ("/0:10", GgfClock(0, 10)),
        ("", GgfClock()),
    ],
)
def test_a_time_control_is_read(text: str, control: GgfClock) -> None:
    assert GgfClock.parse(text) == control


@pytest.mark.parametrize("text", ["soon", "1/2/3/4", "-5", "1:2:3:4:5", "5:00/x", "1" * 400, "٣"])
def test_what_is_no_time_control_is_told(text: str) -> None:
    with pytest.raises(NotationError, match=r"^expected a clock such as 15:00 or 5:00/0:10/2:00, got"):
        GgfClock.parse(text)


@pytest.mark.parametrize(
    "text", ["16666666:41", "99999999.00:00:00", "5:00/99999999:00", "5:00//99999999.0:0:0"]
)
def test_a_time_beyond_all_games_is_told(text: str) -> None:
    with pytest.raises(NotationError, match=r"^expected a clock of at most 1000000000 seconds, got"):
        GgfClock.parse(text)


def test_the_longest_time_is_read() -> None:
    assert GgfClock.parse("16666666:40") == GgfClock(10**9)


@given(main=TIMES, increment=TIMES, extension=TIMES)
def test_what_is_written_is_read_again(main: int, increment: int, extension: int) -> None:
    clock = GgfClock(main, increment, extension)

    assert GgfClock.parse(str(clock)) == clock


def test_what_is_nothing_is_left_out() -> None:
    assert [str(GgfClock(90)), str(GgfClock(90, 3)), str(GgfClock(90, 0, 3))] == [
        "1:30",
        "1:30/0:03",
        "1:30//0:03",
    ]
