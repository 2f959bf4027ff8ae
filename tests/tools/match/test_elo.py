"""Elo, its interval and the likelihood of superiority against other means' values; and ratings of a field."""

import math
import random
from collections import defaultdict
from itertools import combinations, cycle, pairwise
from statistics import NormalDist, fmean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.tools.match.game.results import Score
from outflank.tools.match.stats.elo import QUANTILE, EloEstimate, elo_of, elo_path, estimate, interval
from outflank.tools.match.stats.ratings import PairScore, Rating, rate

RESULTS = st.sampled_from([0.0, 0.5, 1.0])


@pytest.mark.parametrize(
    ("mean", "elo"),
    [(0.5, 0.0), (10 / 11, 400.0), (1 / 11, -400.0), (0.75, 190.848), (0.64, 99.951), (0.9, 381.697)],
)
def test_known_values_of_the_logistic_scale(mean: float, elo: float) -> None:
    assert elo_of(mean) == pytest.approx(elo, abs=0.001)


@pytest.mark.parametrize("mean", [None, 0.0, 1.0, -0.1, 1.1])
def test_elo_is_undefined_where_the_logistic_scale_ends(mean: float | None) -> None:
    assert elo_of(mean) is None


def test_a_match_worked_out_by_hand() -> None:
    """Pairs 2 2 1 1, and half a pair of 0 added: 1/2, 2 and 2 of 4.5.

    With a mean of 1/2 the shares are (w, 1 - 2 w, w), and the likelihood w^2.5 (1 - 2 w)^2 is greatest for w = 2.5 / 9.
    """
    result = estimate([1, 1, 1, 1, 1, 0, 0.5, 0.5], [2, 2, 1, 1])
    greatest = (0.5 / 4.5) ** 0.5 * (2 / 4.5) ** 4
    ratio = 2 * math.log(greatest / ((2.5 / 9) ** 2.5 * (4 / 9) ** 2)) / (1 + 1 / 4)

    assert result.elo == pytest.approx(190.848, abs=0.001)
    assert result.superiority == pytest.approx(NormalDist().cdf(math.sqrt(ratio)), abs=1e-6)
    assert result.pentanomial == (0, 0, 2, 0, 2)
    assert result.nelo == pytest.approx(0.86603 * 347.4356 / math.sqrt(2), abs=0.01)  # t = 0.25 / sqrt(1/12)
    assert estimate([1, 1, 0, 0], [2, 0]).superiority == pytest.approx(0.5)
    assert estimate([1, 0, 1, 0, 1], [1, 1]).elo == elo_of(0.6)  # a game without its twin: for the mean alone


def test_pairs_that_cancel_out_narrow_the_interval() -> None:
    """The same wins and losses: in pairs that are always shared there is less doubt than in split ones."""
    shared = estimate([1, 0] * 8 + [1, 1, 0, 0], [1] * 8 + [2, 0])
    split = estimate([1, 0] * 8 + [1, 1, 0, 0], [2, 0] * 5)

    assert shared.elo == split.elo == 0
    assert shared.high is not None
    assert split.high is not None
    assert shared.high < split.high


def test_after_winning_everything_only_a_lower_end_is_known() -> None:
    """Ten pairs won, and half a lost one added: at the end p^10 (1 - p)^0.5 is exp(-1.1 QUANTILE^2 / 2) of the most."""
    won = estimate([1] * 20, [2] * 10)
    lost = estimate([0] * 20, [0] * 10)

    assert (won.elo, won.high) == (None, None)
    assert won.low is not None
    end = 1 / (1 + 10 ** (-won.low / 400))
    greatest = (10 / 10.5) ** 10 * (0.5 / 10.5) ** 0.5
    assert end**10 * (1 - end) ** 0.5 == pytest.approx(greatest * math.exp(-1.1 * QUANTILE**2 / 2), rel=1e-6)
    assert (lost.elo, lost.low) == (None, None)
    assert lost.high == pytest.approx(-won.low)
    assert won.superiority == pytest.approx(1 - lost.superiority)  # type: ignore[operator]


@pytest.mark.parametrize("pairs", [[1.0] * 50, [1.0], []])
def test_draws_or_no_games_claim_no_certainty(pairs: list[float]) -> None:
    result = estimate([0.5] * 2 * len(pairs), pairs)

    assert result.elo == (0 if pairs else None)
    assert result.superiority == (0.5 if pairs else None)
    assert (result.low is None) is not bool(pairs)
    assert result.low is None or (result.low < -20 and result.high == pytest.approx(-result.low))
    assert result.pentanomial == (0, 0, len(pairs), 0, 0)
    for unvaried in (pairs, [1.5], [2.0] * 9):
        assert estimate([0.5] * len(unvaried), unvaried).nelo is None


def test_a_huge_match_has_a_narrow_interval() -> None:
    """100,000 pairs of variance 1/16: 1.96 * 0.25 / sqrt(100,000), at 694.87 Elo per point of score."""
    result = estimate([1, 0.5, 0, 0.5] * 50_000, [1.5, 0.5] * 50_000)

    assert (result.low, result.high) == pytest.approx((-1.0767, 1.0767), abs=0.01)


# The probabilities of a pair with 0, 1/2, 1, 3/2 and 2 points.
DISTRIBUTIONS = {
    "equal engines": (0.2, 0.1, 0.4, 0.1, 0.2),
    "drawish": (0.02, 0.08, 0.8, 0.08, 0.02),
    "nearly always drawn": (0, 0.02, 0.96, 0.02, 0),
    "decisive": (0.4, 0.05, 0.1, 0.05, 0.4),
    "coin tosses": (0.25, 0, 0.5, 0, 0.25),
    "won or lost": (0.5, 0, 0, 0, 0.5),
    "better": (0.02, 0.03, 0.15, 0.2, 0.6),
    "much better": (0.005, 0.005, 0.04, 0.05, 0.9),
    "three quarters won": (0.25, 0, 0, 0, 0.75),
    "nine tenths won": (0.1, 0, 0, 0, 0.9),
    "half a point better": (0, 0.05, 0.1, 0.8, 0.05),
    "drawn or lost": (0.1, 0, 0.9, 0, 0),
    "always drawn": (0, 0, 1, 0, 0),
}


def all_counts(pairs: int) -> np.ndarray:
    """Return the counts of every outcome of so many pairs, a row each."""
    bars = np.array(list(combinations(range(pairs + 4), 4)))
    edges = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), pairs + 4)])
    return np.diff(edges) - 1


def lower_ends(counts: np.ndarray) -> np.ndarray:
    """Return the lower ends of the intervals, as mean scores; all rows at once, apart from the product's code."""
    scores = np.arange(5) / 4
    least = -(1 + 1 / counts[0].sum()) * QUANTILE**2 / 2
    counts = counts + np.eye(5)[0] / 2
    total = counts.sum(1, keepdims=True)
    low, high = np.full((len(counts), 1), -25.0), np.full((len(counts), 1), 20.0)
    for _ in range(45):
        middle = (low + high) / 2
        weights = counts / (scores + np.exp(middle))
        weights /= weights.sum(1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(counts > 0, counts * np.log(weights * total / counts), 0)
        is_inside = terms.sum(1, keepdims=True) >= least
        low, high = np.where(is_inside, low, middle), np.where(is_inside, middle, high)
    found: np.ndarray = weights @ scores
    return found


@pytest.mark.parametrize("pairs", [*range(2, 31)])
def test_the_interval_contains_the_truth_as_often_as_it_says(pairs: int) -> None:
    """By the probability of every outcome: 95 % promised, at least 94 % from 3 pairs on."""
    counts = all_counts(pairs)
    low = lower_ends(counts)
    high = 1 - low[np.lexsort(counts.T)]  # by the lower ends of the mirrored outcomes, which are rows too
    factorials = np.array([math.lgamma(count + 1) for count in range(pairs + 1)])
    ways = math.lgamma(pairs + 1) - factorials[counts].sum(1)
    for name, distribution in DISTRIBUTIONS.items():
        truth = sum(share * score / 4 for score, share in enumerate(distribution))
        chances = np.exp(ways) * np.prod(np.power(distribution, counts), axis=1)
        assert chances.sum() == pytest.approx(1)
        assert chances[(low <= truth + 1e-9) & (truth - 1e-9 <= high)].sum() >= 0.94, (name, pairs)

    for row in random.Random(pairs).choices(range(len(counts)), k=20):
        expected = [elo_of(float(end)) if 1e-9 < end < 1 - 1e-9 else None for end in (low[row], high[row])]
        assert interval([int(count) for count in counts[row]]) == pytest.approx(tuple(expected), abs=1e-3)


@given(st.lists(st.tuples(RESULTS, RESULTS), min_size=1, max_size=30), st.data())
def test_a_better_result_never_lowers_an_end_or_the_likelihood(
    games: list[tuple[float, float]], data: st.DataObject
) -> None:
    pairs = [sum(pair) for pair in games]
    better = list(pairs)
    index = data.draw(st.integers(0, len(pairs) - 1))
    better[index] = data.draw(st.sampled_from([half / 2 for half in range(5) if half / 2 >= pairs[index]]))
    worse_result, better_result = (
        estimate([point / 2 for point in each for _ in range(2)], each) for each in (pairs, better)
    )

    def ends(result: EloEstimate) -> tuple[float, float]:
        return (
            -math.inf if result.low is None else result.low,
            math.inf if result.high is None else result.high,
        )

    assert all(low <= high + 1e-6 for low, high in zip(ends(worse_result), ends(better_result), strict=True))
    assert worse_result.superiority <= better_result.superiority + 1e-9  # type: ignore[operator]


@given(st.lists(st.tuples(RESULTS, RESULTS), min_size=1, max_size=60))
def test_the_likelihood_of_superiority_and_the_interval_say_the_same(
    games: list[tuple[float, float]],
) -> None:
    result = estimate([point for pair in games for point in pair], [sum(pair) for pair in games])
    assert result.superiority is not None

    assert (result.superiority > 0.975 + 1e-9) <= (result.low is not None and result.low > 0)
    assert (result.low is not None and result.low > 1e-6) <= (result.superiority > 0.975)
    assert (result.superiority < 0.025 - 1e-9) <= (result.high is not None and result.high < 0)


@given(st.lists(st.tuples(RESULTS, RESULTS), max_size=30))
def test_swapping_the_engines_swaps_the_signs(games: list[tuple[float, float]]) -> None:
    ours = estimate([point for pair in games for point in pair], [sum(pair) for pair in games])
    theirs = estimate([1 - point for pair in games for point in pair], [2 - sum(pair) for pair in games])

    assert ours.elo == pytest.approx(None if theirs.elo is None else -theirs.elo)
    assert ours.low == pytest.approx(None if theirs.high is None else -theirs.high)
    assert ours.pentanomial == theirs.pentanomial[::-1]


@given(st.lists(st.tuples(RESULTS, RESULTS), min_size=1, max_size=30))
def test_every_number_is_finite_or_undefined_and_in_order(games: list[tuple[float, float]]) -> None:
    result = estimate([point for pair in games for point in pair], [sum(pair) for pair in games])

    for number in (result.elo, result.low, result.high, result.superiority):
        assert number is None or math.isfinite(number)
    assert None in (result.low, result.elo) or result.low <= result.elo  # type: ignore[operator]
    assert None in (result.high, result.elo) or result.elo <= result.high  # type: ignore[operator]


def test_the_path_is_the_estimate_after_so_many_pairs() -> None:
    pairs = [2.0, 1.0, 0.5, 1.5, 1.5]
    points = [point / 2 for pair in pairs for point in (pair, pair)]

    assert elo_path(pairs) == [(done, estimate(points[: 2 * done], pairs[:done])) for done in range(1, 6)]
    assert [done for done, _ in elo_path([1.0] * 1000, most=10)] == list(range(100, 1001, 100))
    assert elo_path([]) == []


# --- Ratings of a field


NAMES = ("A", "B", "C", "D")


def result(first: int, second: int, points: float, games: int, opening: int) -> PairScore:
    wins, draws = int(points), round(2 * points) % 2
    return PairScore(NAMES[first], NAMES[second], Score(wins, draws, games - wins - draws), opening)


def pairs_of(points: list[float], first: int = 0, second: int = 1) -> list[PairScore]:
    return [result(first, second, point, 2, opening) for opening, point in enumerate(points)]


def played(strengths: dict[int, float], openings: int, rng: random.Random) -> list[PairScore]:
    """Return a round robin on `openings` openings, each of which favours a colour: the games of a pair depend on it."""
    pairs = []
    for opening in range(openings):
        bias = rng.gauss(0, 150)
        for first, second in combinations(strengths, 2):
            gap = strengths[first] - strengths[second]
            points = sum(rng.random() < 1 / (1 + 10 ** (-(gap + way * bias) / 400)) for way in (1, -1))
            pairs.append(result(first, second, points, 2, opening))
    return pairs


def ends(rating: Rating) -> tuple[float, float]:
    assert rating.low is not None
    assert rating.high is not None
    return rating.low, rating.high


def elos(ratings: tuple[Rating, ...]) -> list[float]:
    return [rating.elo for rating in ratings if rating.elo is not None]


def test_between_two_the_difference_is_their_elo() -> None:
    points = [2, 1, 1, 1.5, 0.5, 2, 1, 1, 0, 1.5, 2, 1]
    rated = rate(NAMES[:2], pairs_of(points))
    first, second = elos(rated.ratings)
    elo = estimate([point / 2 for point in points for _ in range(2)], points)

    assert first == -second
    assert first - second == pytest.approx(elo.elo, abs=1e-4)
    assert rated.superiority[0][1] == pytest.approx(
        elo.superiority, abs=0.1
    )  # that one makes allowance for 12 pairs
    assert rated.superiority[0][1] + rated.superiority[1][0] == pytest.approx(1)  # type: ignore[operator]
    assert rated.superiority[0][0] is None
    assert not rated.prior


def test_a_field_worked_out_by_hand_and_a_weak_opponent_that_makes_no_rating_better() -> None:
    # A takes 3 of 4 off B and B 3 of 4 off C: 190.85 Elo each, whatever A and C have not played.
    pairs = pairs_of([2, 1], 0, 1) + pairs_of([2, 1], 1, 2)
    assert elos(rate(NAMES[:3], pairs).ratings) == pytest.approx([190.848, 0, -190.848], abs=0.01)

    # As in a long chain, with any number of games: each takes 9 points of 10 off the next.
    chain = [f"E{number}" for number in range(100)]
    pairs = [
        PairScore(first, second, Score(9 * 10**power, 0, 10**power), 0)
        for power, (first, second) in zip(cycle((0, 3, 8)), pairwise(chain), strict=False)
    ]
    gaps = [first - second for first, second in pairwise(elos(rate(chain, pairs).ratings))]
    assert gaps == pytest.approx([381.697] * 99, abs=0.01)

    # B and C are level; C has met D as well and taken nearly all the points.
    pairs = pairs_of([1, 2, 1, 0], 1, 2) + pairs_of([2, 2, 1.5, 2], 2, 3) + pairs_of([1, 1], 0, 1)
    ratings = rate(NAMES, pairs).ratings
    assert ratings[2].points / ratings[2].games > 0.7
    assert elos(ratings)[1] == pytest.approx(elos(ratings)[2], abs=0.01)


def test_the_strengths_that_made_the_games_are_found_within_the_interval() -> None:
    true = {0: 120.0, 1: 30.0, 2: -20.0, 3: -130.0}
    rng = random.Random(3)
    inside = 0
    for _ in range(20):
        ratings = rate(NAMES, played(true, 60, rng)).ratings
        for engine, rating in enumerate(ratings):
            low, high = ends(rating)
            inside += low <= 0.9 * true[engine] <= high  # openings' bias brings all a bit nearer
    assert inside >= 66  # of 80, of which 76 are expected


@pytest.mark.slow
def test_errors_are_those_of_a_bootstrap_over_openings() -> None:
    rng = random.Random(5)
    pairs = played({0: 100.0, 1: 0.0, 2: -20.0, 3: -80.0}, 80, rng)
    by_opening = defaultdict(list)
    for pair in pairs:
        by_opening[pair.opening].append(pair)
    drawn: list[list[float]] = []
    for _ in range(400):
        sample = rng.choices(list(by_opening.values()), k=len(by_opening))
        drawn.append(elos(rate(NAMES, [pair for group in sample for pair in group]).ratings))

    for engine, rating in enumerate(rate(NAMES, pairs).ratings):
        assert rating.high is not None
        assert rating.elo is not None
        error = (rating.high - rating.elo) / NormalDist().inv_cdf(0.975)
        values = [elo[engine] for elo in drawn]
        assert error == pytest.approx(stdev(values), rel=0.15)
        assert rating.elo == pytest.approx(fmean(values), abs=error / 2)


def test_pairs_that_always_split_leave_less_doubt_than_ones_that_do_not() -> None:
    split = rate(NAMES[:2], pairs_of([1.0] * 11 + [2.0]))
    whole = rate(NAMES[:2], pairs_of([2.0, 0.0] * 5 + [2.0, 1.0]))

    assert ends(split.ratings[0])[1] < ends(whole.ratings[0])[1]


def test_who_took_every_point_has_a_finite_rating_and_no_upper_end_so_have_groups() -> None:
    pairs = pairs_of([2, 2, 2], 0, 1) + pairs_of([2, 2, 2], 0, 2) + pairs_of([1, 2, 0.5], 1, 2)
    rated = rate(NAMES[:3], pairs)
    best, *others = rated.ratings

    assert rated.prior
    assert best.elo is not None
    assert best.elo > max(elos(tuple(others)))
    assert best.low is not None
    assert best.high is None
    assert all(other.high is not None for other in others)
    assert rated.superiority[0][1] is not None
    assert rated.superiority[0][1] > 0.9
    two_groups = pairs_of([2, 2, 2], 0, 2) + pairs_of([1, 2, 0], 0, 1) + pairs_of([1, 2, 0], 2, 3)
    assert rate(NAMES, two_groups).prior
    assert elos(rate(NAMES, two_groups).ratings)[0] > elos(rate(NAMES, two_groups).ratings)[2]


def test_who_has_not_played_has_no_rating() -> None:
    rated = rate(NAMES[:3], pairs_of([1, 2, 0.5]))

    assert rated.ratings[2] == Rating("C", None, None, None, 0, 0)
    assert rated.superiority[2] == (None, None, None)
    assert rated.ratings[0].elo == pytest.approx(-rated.ratings[1].elo)  # type: ignore[operator]
    assert rate(NAMES, []).ratings == tuple(Rating(name, None, None, None, 0, 0) for name in NAMES)
    assert rate([], []).ratings == ()


@pytest.mark.parametrize("others", [(1.0, 1.0), (0.5, 1.5)])
@pytest.mark.parametrize("points", [1.0, 1.5])
def test_results_that_are_alike_on_every_opening_leave_doubt(
    points: float, others: tuple[float, float]
) -> None:
    """A takes the same off B and C on each of 20 openings, whatever these do to each other."""
    pairs = pairs_of([points] * 20, 0, 1) + pairs_of([points] * 20, 0, 2) + pairs_of([*others] * 10, 1, 2)
    rated = rate(NAMES[:3], pairs)

    # A's lead over both comes from 80 games of information share (1 - share) each; its rating is two thirds of that.
    share = points / 2
    error = 2 / 3 * 400 / math.log(10) / math.sqrt(80 * share * (1 - share))
    widths = [high - low for low, high in map(ends, rated.ratings)]
    assert widths[0] == pytest.approx(2 * NormalDist().inv_cdf(0.975) * error, rel=1e-3)
    assert min(widths) > 50
    assert rated.superiority[1][2] == pytest.approx(0.5)


@pytest.mark.parametrize("openings", [1, 20])
def test_nothing_but_draws_is_level(openings: int) -> None:
    rated = rate(NAMES[:2], pairs_of([1.0] * openings))

    assert elos(rated.ratings) == pytest.approx([0, 0])
    assert rated.superiority[0][1] == pytest.approx(0.5)


def test_a_thousand_million_games_are_no_trouble() -> None:
    pairs = [result(0, 1, 6e8, 10**9, 1), result(1, 2, 10**9, 10**9, 2), result(2, 0, 1, 10**9, 3)]
    first, second, _ = elos(rate(NAMES[:3], pairs).ratings)

    assert first - second == pytest.approx(400 * math.log10(0.6 / 0.4), abs=1)


MEETINGS = st.tuples(
    st.integers(0, 3), st.integers(0, 3), st.sampled_from([0, 0.5, 1, 1.5, 2]), st.integers(0, 12)
)


@given(st.lists(MEETINGS.filter(lambda result: result[0] != result[1]), max_size=25))
def test_every_rating_is_finite_or_undefined_and_in_order(results: list[tuple[int, int, float, int]]) -> None:
    rated = rate(
        NAMES, [result(first, second, points, 2, opening) for first, second, points, opening in results]
    )

    for rating in rated.ratings:
        assert (rating.elo is None) == (rating.games == 0)
        for number in (rating.elo, rating.low, rating.high):
            assert number is None or abs(number) < 10_000
        assert rating.elo is None or rating.low is None or rating.low <= rating.elo
        assert rating.elo is None or rating.high is None or rating.elo <= rating.high
    assert sum(elos(rated.ratings)) == pytest.approx(0, abs=1e-6)
    assert all(value is None or 0 <= value <= 1 for row in rated.superiority for value in row)
