"""The sequential tests on points and on discs, against published values, values by hand, and their own promise."""

import math
import random
from collections.abc import Callable
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import NotationError
from outflank.tools.match.stats.sprt import DiscTest, Sprt, bayesian_ratio

# Pentanomial counts of a long test of a chess engine; between 0 and 2 normalised Elo its ratio is 2.25.
PUBLISHED = (365, 16618, 36229, 16974, 390)
# Losses, draws and wins, and the ratio of 10 against 0 logistic Elo that a chess runner's own tests expect.
GAMES = [((1351, 2942, 1477), 2.52), ((555, 298, 555), -0.74), ((149, 1, 3), -4.69)]

MODELS = ["normalized", "logistic"]


def pairs_of(counts: tuple[int, ...]) -> list[float]:
    return [half / 2 for half, count in enumerate(counts) for _ in range(count)]


def test_the_published_pentanomial_ratio_and_that_of_the_same_games_without_their_pairs() -> None:
    assert Sprt(0, 2).ratio_of(PUBLISHED) == pytest.approx(2.25, abs=0.005)
    assert Sprt(0, 2).ratio(pairs_of(PUBLISHED)) == Sprt(0, 2).ratio_of(PUBLISHED)
    # 0.92. The source gives the pairs only; with 18,755 of the 36,229 level ones a win each the games give it.
    lost, almost, level, good, won = PUBLISHED
    split = 18_755
    games = (2 * lost + almost + split, almost + good + 2 * (level - split), 2 * won + good + split)
    assert Sprt(0, 2).ratio_of(games) == pytest.approx(0.92, abs=0.005)


@pytest.mark.parametrize(("games", "expected"), GAMES)
def test_the_published_ratios_by_wins_draws_and_losses(games: tuple[int, int, int], expected: float) -> None:
    assert bayesian_ratio(*games, 0, 10) == pytest.approx(expected, abs=0.005)
    if games[1] > 1:  # far from the extremes the logistic ratio is the same
        assert Sprt(0, 10, model="logistic").ratio_of(games) == pytest.approx(expected, abs=0.005)


def exact_bayesian_ratio(games: tuple[int, int, int], *hypotheses: float) -> float:
    """Return the ratio by the model as it is written down, with as many digits as it takes."""
    with localcontext(prec=300):
        lost, drawn, won = (count + Decimal("0.5") for count in games)
        draw_elo = 200 * ((drawn + won) / lost * (lost + drawn) / won).log10()
        odds = 10 ** (-draw_elo / 400)
        ratio = Decimal(0)
        for elo, sign in zip(hypotheses, (-1, 1), strict=True):
            scaled = Decimal(elo) * (1 + odds) ** 2 / (4 * odds)
            loss, win = (1 / (1 + 10 ** ((draw_elo + way * scaled) / 400)) for way in (1, -1))
            logs = (loss.ln(), (1 - loss - win).ln(), win.ln())
            ratio += sign * sum(count * log for count, log in zip(games, logs, strict=True))
    return float(ratio)


@pytest.mark.parametrize(
    ("games", "elo0", "elo1"),
    [
        ((149, 1, 3), 0, 10),
        ((0, 2000, 0), 0, 10),  # hypotheses of 10,000 points of the scale and more
        ((1, 10_000, 3), 0, 1),
        ((118, 167_026, 4178), 118.9, 120.5),  # where 1 - lost - won is rounding and no more
    ],
)
def test_the_ratio_by_wins_draws_and_losses_is_exact_with_nearly_nothing_but_draws(
    games: tuple[int, int, int], elo0: float, elo1: float
) -> None:
    assert bayesian_ratio(*games, elo0, elo1) == pytest.approx(exact_bayesian_ratio(games, elo0, elo1))


def test_bounds_are_walds() -> None:
    low, high = Sprt(alpha=0.05, beta=0.1).bounds

    assert low == pytest.approx(math.log(0.1 / 0.95))
    assert high == pytest.approx(math.log(0.9 / 0.05))


def test_near_the_hypotheses_the_ratio_is_the_normal_approximation() -> None:
    """It is n (s1 - s0) (2 m - s0 - s1) / (2 v), and the same in t-values."""
    counts = (1000, 3000, 5000, 3200, 1050)
    pairs = pairs_of(counts)
    mean = sum(pairs) / 2 / len(pairs)
    variance = sum((pair / 2 - mean) ** 2 for pair in pairs) / len(pairs)
    score1 = 1 / (1 + 10 ** (-5 / 400))
    t_value, t1 = (mean - 0.5) / math.sqrt(variance), 5 * math.sqrt(2) * math.log(10) / 800

    logistic = len(pairs) * (score1 - 0.5) * (2 * mean - 0.5 - score1) / (2 * variance)
    normalized = len(pairs) * t1 * (2 * t_value - t1) / 2

    assert Sprt(0, 5, model="logistic").ratio(pairs) == pytest.approx(logistic, rel=0.01)
    assert Sprt(0, 5).ratio(pairs) == pytest.approx(normalized, rel=0.01)


@pytest.mark.parametrize("model", MODELS)
def test_no_pairs_say_nothing(model: str) -> None:
    assert Sprt(model=model).ratio([]) == 0
    assert Sprt(model=model).verdict([]) is None
    assert bayesian_ratio(0, 0, 0, 0, 10) == 0


@pytest.mark.parametrize(
    ("test", "pair"),
    [
        *((Sprt(0, 20, model=model), half) for model in MODELS for half in (0.0, 0.5, 1.0, 1.5, 2.0)),
        *((DiscTest(0, 20), discs) for discs in (-128.0, 0.0, 128.0)),
    ],
)
def test_a_handful_of_pairs_that_end_alike_decides_nothing(test: Sprt, pair: float) -> None:
    for count in range(6):
        assert test.verdict([pair] * count) is None


@pytest.mark.parametrize(
    ("test", "won", "lost", "level"),
    [
        *((Sprt(0, 20, model=model), [2.0] * 150, [0.0] * 150, [1.0] * 2000) for model in MODELS),
        (DiscTest(0, 20), [2.0, 4.0] * 40, [-2.0, -4.0] * 40, [2.0, -2.0] * 1000),  # however small
    ],
)
def test_many_wins_accept_and_many_losses_reject(
    test: Sprt, won: list[float], lost: list[float], level: list[float]
) -> None:
    assert [test.verdict(pairs) for pairs in (won, lost, level)] == [True, False, False]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("cell", range(5))
@pytest.mark.parametrize("count", [1, 10**9])
def test_extremes_give_finite_numbers(model: str, cell: int, count: int) -> None:
    counts = [0] * 5
    counts[cell] = count
    largest = 200 if model == "normalized" else 2000
    for elo0, elo1 in ((0, 2), (-largest, largest), (largest - 1, largest), (-5, 0)):
        assert math.isfinite(Sprt(elo0, elo1, model=model).ratio_of(counts))
        assert math.isfinite(bayesian_ratio(count, 0, 0, elo0, elo1))
        assert math.isfinite(bayesian_ratio(0, count, 0, elo0, elo1))


@given(st.lists(st.integers(0, 10**6), min_size=5, max_size=5), st.floats(-200, 199), st.floats(0.5, 400))
def test_every_ratio_is_finite_and_the_other_side_sees_its_negative(
    counts: list[int], elo0: float, width: float
) -> None:
    elo1 = min(elo0 + width, 200)
    for model in MODELS:
        ours = Sprt(elo0, elo1, model=model).ratio_of(counts)
        theirs = Sprt(-elo1, -elo0, model=model).ratio_of(counts[::-1])
        assert math.isfinite(ours)
        assert theirs == pytest.approx(-ours, rel=1e-4, abs=1e-4)


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0]), min_size=1, max_size=40))
def test_one_more_win_never_lowers_the_ratio(pairs: list[float]) -> None:
    test = Sprt(0, 20, model="logistic")

    assert test.ratio([*pairs, 2.0]) >= test.ratio(pairs) - 1e-3


@pytest.mark.parametrize(
    ("test", "pairs"),
    [
        (Sprt(0, 100), [2.0, 1.5] * 20 + [0.0] * 40),
        (DiscTest(0, 100), [20.0, 10.0] * 20 + [-30.0] * 60),
    ],
)
def test_the_path_is_the_ratio_after_each_pair_and_the_first_crossing_decides(
    test: Sprt, pairs: list[float]
) -> None:
    path = list(test.path(pairs, 400))
    decided = test.decided(pairs)

    assert [done for done, _ in path] == list(range(1, len(pairs) + 1))
    assert [ratio for _, ratio in path[:10]] == pytest.approx([test.ratio(pairs[:n]) for n in range(1, 11)])
    assert decided is not None
    done, accepted = decided
    assert accepted
    assert test.ratio(pairs[: done - 1]) < test.bounds[1] <= test.ratio(pairs[:done])
    assert test.verdict(pairs) is not True  # what came later does not undo it
    assert (list(test.path([], 400)), test.decided([])) == ([], None)


def test_a_long_path_is_thinned_out_and_keeps_its_end() -> None:
    path = list(Sprt().path([1.0, 2.0, 0.0] * 500, 100))

    assert 100 <= len(path) <= 110
    assert path[-1][0] == 1500
    assert [done for done, _ in DiscTest().path([4.0, -6.0, 12.0, 2.0] * 100, 4)] == [100, 200, 300, 400]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Sprt(5, 5), "expected elo0 below elo1, got 5 and 5"),
        (lambda: Sprt(0, math.nan), "expected elo0 below elo1"),
        (lambda: Sprt(0, 300), "expected normalized bounds from -200 to 200 Elo, got 0 and 300"),
        (
            lambda: Sprt(0, 8000, model="logistic"),
            "expected logistic bounds from -2000 to 2000 Elo, got 0 and 8000",
        ),
        (lambda: Sprt(0, math.inf, model="logistic"), "expected logistic bounds"),
        (
            lambda: Sprt(model="bayesian"),
            "expected one of normalized, logistic for the model, got 'bayesian'",
        ),
        (lambda: Sprt(alpha=0), "expected alpha and beta between 0 and 0.5, got 0 and 0.05"),
        (lambda: Sprt(beta=math.nan), "expected alpha and beta between 0 and 0.5"),
    ],
)
def test_numbers_that_make_no_test_are_named(make: Callable[[], Sprt], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make()


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("", Sprt()),
        ("0,10", Sprt(0, 10)),
        ("-5 5", Sprt(-5, 5)),
        ("elo1=30", Sprt(elo1=30)),
        ("elo1=10 model=normalised", Sprt(0, 10)),  # as the tables spell it
        (
            "elo0=-3.5, elo1=2.25, alpha=0.1, beta=0.01, model=logistic",
            Sprt(-3.5, 2.25, 0.1, 0.01, "logistic"),
        ),
    ],
)
def test_a_test_is_read_as_it_is_written(text: str, test: Sprt) -> None:
    assert Sprt.parse(text) == test
    assert Sprt.parse(str(test)) == test


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "20",
            "expected a test like 0,10 or elo0=0.0 elo1=10.0 alpha=0.05 beta=0.05 model=normalized, got '20'",
        ),
        ("elo0=x", "expected a number, got 'x' in 'elo0=x'"),
        ("elo0=1 elo0=2", "got 'elo0=2'"),
        ("0,300", "expected normalized bounds .*, got 0 and 300 in '0,300'"),
        ("model=", "expected one of normalized, logistic for the model, got ''"),
        ("nan,5", "expected elo0 below elo1"),
    ],
)
def test_a_text_that_names_no_test_is_named(text: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        Sprt.parse(text)


def share_accepted(test: Sprt, weights: tuple[float, ...], runs: int, rng: random.Random) -> float:
    """Return the share of tests that accept pairs drawn with these weights; looked at after every tenth pair."""
    accepted = 0
    for _ in range(runs):
        counts = [0] * 5
        verdict = None
        while verdict is None:
            for cell in rng.choices(range(5), weights, k=10):
                counts[cell] += 1
            ratio = test.ratio_of(counts)
            low, high = test.bounds
            verdict = True if ratio >= high else False if ratio <= low else None
        accepted += verdict
    return accepted / runs


def test_equals_are_seldom_accepted() -> None:
    assert share_accepted(Sprt(0, 60), (1, 2, 4, 2, 1), 60, random.Random(4)) <= 0.15


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_the_test_errs_as_often_as_it_says(model: str) -> None:
    """Pairs of true normalised Elo 0 and 40, and of true logistic Elo 0 and 40; both errors 5 %, 600 runs each."""
    rng = random.Random(7)
    test = Sprt(0, 40, model=model)
    equal = (0.1, 0.2, 0.4, 0.2, 0.1)
    if model == "normalized":
        shift = 40 * math.sqrt(2) * math.log(10) / 800 * math.sqrt(0.075)
    else:
        shift = 1 / (1 + 10 ** (-40 / 400)) - 0.5
    better = tuple(share + shift * way for share, way in zip(equal, (-0.5, -1, 0, 1, 0.5), strict=True))
    mean = sum(share * cell / 4 for cell, share in enumerate(better))
    better = tuple(
        share + (0.5 + shift - mean) * way for share, way in zip(better, (-1, 0, 0, 0, 1), strict=True)
    )

    assert share_accepted(test, equal, 600, rng) < 0.075
    assert share_accepted(test, better, 600, rng) > 0.925


def log_likelihood(sums: list[float], t_value: float) -> float:
    """Return the log-likelihood of normal sums under a t-value, at the likeliest of many deviations."""
    return max(
        sum(
            -math.log(deviation) - ((value / deviation - t_value) ** 2 + 1 / deviation**2) / 2
            for value in sums
        )
        for deviation in (1.002**step for step in range(1, 3500))
    )


def test_the_ratio_on_discs_is_that_of_the_likeliest_deviations() -> None:
    sums = [10.0, -4.0, 22.0, 8.0, -16.0, 30.0, 2.0]
    t_value = 50 * math.sqrt(2) * math.log(10) / 800

    expected = log_likelihood(sums, t_value) - log_likelihood(sums, 0)
    assert DiscTest(0, 50).ratio(sums) == pytest.approx(expected, abs=1e-4)


@given(st.lists(st.integers(-128, 128).map(float), max_size=60), st.floats(-200, 199))
def test_every_ratio_on_discs_is_finite_and_the_other_side_sees_its_negative(
    sums: list[float], elo0: float
) -> None:
    ours = DiscTest(elo0, 200).ratio(sums)
    theirs = DiscTest(-200, -elo0).ratio([-value for value in sums])

    assert math.isfinite(ours)
    assert theirs == pytest.approx(-ours, abs=1e-9)


@pytest.mark.parametrize(
    ("matches", "share"), [(12, 0.95), pytest.param(60, 0.8, marks=pytest.mark.slow)], ids=["quick", "slow"]
)
def test_discs_decide_sooner_than_points(matches: int, share: float) -> None:
    """Games with a normal margin of spread 16, the first better by two discs; in theory 2/pi of the pairs do."""
    rng = random.Random(1)
    needed = {"discs": 0, "points": 0}
    for _ in range(matches):
        margins = [[round(rng.gauss(2, 16) / 2) * 2 for _ in range(2)] for _ in range(2000)]
        sums = [float(sum(pair)) for pair in margins]
        points = [sum((margin > 0) + (margin == 0) / 2 for margin in pair) for pair in margins]
        low, high = Sprt(0, 40).bounds
        needed["discs"] += next(
            done for done, ratio in DiscTest(0, 40).path(sums, 2000) if not low < ratio < high
        )
        needed["points"] += (Sprt(0, 40).decided(points) or (2000, True))[0]
    print(f"pairs needed: {needed}")

    assert needed["discs"] < share * needed["points"]
