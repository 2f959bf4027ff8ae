"""SPSA: the values go where the results say, and depend on nothing else."""

import random
from dataclasses import asdict
from statistics import fmean, median

import pytest

from outflank.engine import NotationError
from outflank.measure.tuning import NEAR, ours
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.match.stats.spsa import ALPHA, GAMMA, STABILITY, TunedParameter, Tuning, ValuePath

REAL, WHOLE = (
    TunedParameter.parse("t real 1.1 0.5 3.0 0.25 0.02", 100),
    TunedParameter.parse("from int 3 2 8 1 0.02", 100),
)


def tuning(*parameters: TunedParameter, lag: int = 4) -> Tuning:
    return Tuning(parameters or (REAL, WHOLE), lag)


def points_of(pair: int) -> float:
    return random.Random(pair).choice((0, 0.5, 1, 1.5, 2))


class TestTheValues:
    @pytest.mark.parametrize("pairs", [2_500, pytest.param(10_000, marks=pytest.mark.slow)])
    def test_come_near_a_known_optimum(self, pairs: int) -> None:
        seeds = 3 if pairs > 5_000 else 6
        assert median(ours(seed, pairs) for seed in range(seeds)) <= NEAR

    def test_stay_where_they_are_if_all_pairs_are_shared(self) -> None:
        path = ValuePath(tuning(), 100, 1)
        for pair in range(1, 101):
            path.add(pair, 1.0)

        assert path.values == [1.1, 3]

    def test_move_by_the_rate_and_step_at_the_end_and_more_before_by_the_published_schedule(self) -> None:
        c_end, r_end, pairs = 0.25, 0.02, 1000
        first, last = ValuePath(tuning(REAL), pairs, 1), ValuePath(tuning(REAL), pairs, 1)
        first.add(1, 2.0)
        for pair in range(1, pairs):
            last.add(pair, 1.0)
        last.add(pairs, 2.0)
        a = r_end * c_end**2 * (STABILITY * pairs + pairs) ** ALPHA
        gain = a / (STABILITY * pairs + 1) ** ALPHA / (c_end * pairs**GAMMA)

        assert abs(first.values[0] - 1.1) == pytest.approx(2 * gain)
        assert abs(last.values[0] - 1.1) == pytest.approx(2 * r_end * c_end)
        assert last.step(REAL, pairs) == c_end

    def test_never_leave_their_range(self) -> None:
        path = ValuePath(tuning(TunedParameter.parse("t real 1 1 1.1 0.1 1", 100), WHOLE), 50, 1)
        for pair in range(1, 51):
            for side in path.sides(pair):
                assert 1 <= float(side["t"]) <= 1.1
                assert 2 <= int(side["from"]) <= 8
            path.add(pair, points_of(pair))
            assert 1 <= path.values[0] <= 1.1

    def test_do_not_depend_on_the_order_in_which_pairs_end(self) -> None:
        straight, shuffled = ValuePath(tuning(lag=8), 64, 1), ValuePath(tuning(lag=8), 64, 1)
        order = sorted(range(1, 65), key=lambda pair: (pair - 1) // 8 * 8 + random.Random(pair).random() * 8)
        for pair in range(1, 65):
            straight.add(pair, points_of(pair))
        for pair in order:
            shuffled.add(pair, points_of(pair))

        assert straight.values == shuffled.values != [1.1, 3]

    def test_of_a_pair_are_the_same_before_and_after_later_pairs_within_the_lag_have_ended(self) -> None:
        path = ValuePath(tuning(lag=3), 20, 1)
        first = path.sides(3)
        path.add(1, 2.0)
        path.add(2, 0.0)

        assert path.sides(3) == first
        assert path.is_due(5)
        assert not path.is_due(6)


def test_the_sides_of_a_pair_lie_opposite_each_other() -> None:
    path = ValuePath(tuning(REAL), 100, 7)
    for pair in range(1, 5):
        plus, minus = (float(side["t"]) for side in path.sides(pair))
        assert (plus + minus) / 2 == pytest.approx(1.1, rel=1e-4)
        assert abs(plus - minus) == pytest.approx(2 * path.step(REAL, pair), rel=1e-4)


def test_a_whole_number_is_rounded_by_chance_so_that_its_mean_is_the_value() -> None:
    half = TunedParameter.parse("n int 5 0 10 0.75", 100)
    path = ValuePath(tuning(half, lag=1000), 1000, 3)
    sides = [int(side["n"]) for pair in range(1, 1001) for side in path.sides(pair)]

    assert set(sides) >= {4, 5, 6}
    assert fmean(sides) == pytest.approx(5, abs=0.1)


def test_usual_steps_fit_the_range_and_what_is_written_is_read_again() -> None:
    whole, made = (
        TunedParameter.parse("n int 3 2 8", 100),
        Tuning((REAL, WHOLE), 4, Sprt.parse("elo0=0 elo1=5")),
    )

    assert (whole.step, whole.rate, TunedParameter.parse("t real 1 0 2", 100).step) == (0.5, 0.1, 0.1)
    assert TunedParameter.parse("n int 3 2 8", 250_000).rate == 0.002
    assert Tuning.from_plain(asdict(made)) == made


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("t real 1 0", "expected NAME int|real START LEAST MOST"),
        ("t float 1 0 2", "expected int or real for t, got 'float'"),
        ("t real x 0 2", "expected a number for t, got 'x'"),
        ("t real 3 0 2", "expected a start from 0 to 2 for t, got 3"),
        ("t real nan 0 2", "expected numbers up to"),
        ("t real 1 0 inf", "expected numbers up to"),
        ("t int 1.5 0 2", "expected whole numbers for t"),
        ("t real 1 0 2 0", "expected a step within the range"),
        ("t real 1 0 2 1 2", "expected a step within the range and a rate up to 1"),
        ("t;x real 1 0 2", "expected a parameter name of letters"),
        ("x int 5 5 5", "expected a range from a smaller number to a larger one for x, got 5 to 5"),
        ("x int 5 10 0", "expected a range from a smaller number to a larger one for x, got 10 to 0"),
    ],
)
def test_a_text_that_makes_no_sense_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(NotationError) as error:
        TunedParameter.parse(text, 100)
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize(
    "text", ["Skill Level int 10 0 20", "'Skill Level' int 10 0 20", '"Skill Level" int 10 0 20 1 0.1']
)
def test_the_name_of_a_parameter_may_have_blanks(text: str) -> None:
    tuned = TunedParameter.parse(text, 100)

    assert (tuned.name, tuned.kind, tuned.start, tuned.most) == ("Skill Level", "int", 10, 20)


@pytest.mark.parametrize(
    "text",
    ["int 10 0 20", "'Skill int 10 0 20", "Skill  Level real", f"{'x' * 41} int 1 0 2", "a=b int 1 0 2"],
)
def test_a_parameter_without_a_proper_name_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match=r"expected (NAME int|a parameter name|a number)"):
        TunedParameter.parse(text, 100)
