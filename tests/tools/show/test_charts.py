"""Charts: what is given lies where it should, and there is always something to be seen."""

from hypothesis import given
from hypothesis import strategies as st

from outflank.tools.report.charts import Chart, Level, Series, chart, strip, thinned

HEIGHTS = st.floats(-1e6, 1e6)


def drawn(*series: Series, levels: tuple[Level, ...] = ()) -> Chart:
    made = chart("title", "caption", series, levels)
    assert made is not None
    return made


def points(text: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]


def test_the_first_point_lies_left_and_the_last_right_and_higher_is_higher() -> None:
    made = drawn(Series("A", 0, ((1, 0), (2, 10), (3, 5))))
    (first, low), (_, high), (last, middle) = points(made.curves[0].points)

    assert (first, last) == (made.left, made.right)
    assert made.top <= high < middle < low <= made.bottom


def test_a_band_goes_once_around() -> None:
    made = drawn(Series("A", 0, ((1, 0), (2, 0)), ((1, -1, 1), (2, -2, 2))))
    outline = points(made.curves[0].band)

    assert [x for x, _ in outline] == [made.left, made.right, made.right, made.left]
    assert outline[0][1] > outline[3][1]


def test_levels_are_always_to_be_seen() -> None:
    made = drawn(Series("A", 0, ((0, 0), (1, 0.1))), levels=(Level(-3, "low"), Level(3, "high")))

    assert [mark.label for mark in made.levels] == ["low", "high"]
    assert all(made.top <= mark.at <= made.bottom for mark in made.levels)


def test_one_point_is_no_curve() -> None:
    assert chart("", "", [Series("A", 0, ((1, 1),))]) is None
    assert chart("", "", []) is None


@given(st.lists(HEIGHTS, min_size=2, max_size=40))
def test_whatever_the_heights_all_is_inside_but_a_long_curves_beginning(heights: list[float]) -> None:
    made = drawn(Series("A", 0, tuple(enumerate(heights))))
    settled = points(made.curves[0].points)[len(heights) // 4 + 1 if len(heights) >= 20 else 0 :]

    assert all(made.top - 1 <= y <= made.bottom + 1 for _, y in settled)
    assert 2 <= len(made.up) <= 14


@given(st.integers(0, 1000), st.integers(1, 50))
def test_thinned_numbers_keep_the_last(count: int, most: int) -> None:
    kept = thinned(range(1, count + 1), most)

    assert len(kept) <= most
    assert kept[-1:] == list(range(1, count + 1))[-1:]


def test_strips_share_a_scale_and_open_ends_reach_its_end() -> None:
    strips = strip({"A": (-100.0, 0.0, 100.0), "B": (None, -50.0, 20.0)})

    assert strips["A"].zero == strips["B"].zero == strips["A"].middle == 50
    assert (
        strips["B"].low
        == 0
        < strips["A"].low
        < strips["B"].middle
        < strips["B"].high
        < strips["A"].high
        < 100
    )
    assert strip({}) == {}
