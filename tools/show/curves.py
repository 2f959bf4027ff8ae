"""The charts of a report: how Elo, ratings and the test's ratio moved while the run went on."""

from outflank.tools.show.charts import Chart, Level, Series, chart, thinned
from outflank.tools.show.figures import (
    Figures,
    disc_sums,
    disc_test,
    match_points,
    pair_scores,
    tested_points,
)
from outflank.tools.state.run import Run
from outflank.tools.stats.elo import elo_path
from outflank.tools.stats.ratings import rate

_POINTS = 200
_FIELDS = 30  # ratings of a field are fitted anew at each point
_FEWEST_PAIRS = 2  # of the pairs, before which an interval means nothing


def charts(run: Run, figures: Figures) -> list[Chart]:
    """Those there is enough to draw."""
    drawn = (
        [_elo_chart(run, figures), _test_chart(run, figures)]
        if figures.elo
        else [_ratings_chart(run, figures)]
    )
    return [each for each in drawn if each]


def _elo_chart(run: Run, figures: Figures) -> Chart | None:
    first, second = run.settings.names
    counted = match_points(run, figures.repeats)
    path = [(pairs, elo) for pairs, elo in elo_path(counted, _POINTS) if pairs >= _FEWEST_PAIRS]
    points = tuple((float(pairs), elo.elo) for pairs, elo in path if elo.elo is not None)
    band = tuple(
        (float(pairs), elo.low, elo.high)
        for pairs, elo in path
        if elo.elo is not None and elo.low is not None and elo.high is not None
    )
    return chart(
        f"Elo of {first} against {second}",
        "After each pair that counts, with its 95 % interval.",
        [Series(first, 0, points, band)],
        [Level(0, "equal")],
    )


def _test_chart(run: Run, figures: Figures) -> Chart | None:
    test, discs = run.settings.sprt, disc_test(run)
    if test is None or discs is None:
        return None
    low, high = test.bounds
    paths = {
        "points": test.path(tested_points(run, figures.repeats), _POINTS),
        "discs": discs.path(disc_sums(run, figures.repeats), _POINTS),
    }
    return chart(
        f"SPRT {test.model}, elo0 {test.elo0:g}, elo1 {test.elo1:g}",
        "Logarithm of the likelihood ratio after each pair that counts; the test ends at a bound.",
        [
            Series(name, colour, ((0.0, 0.0), *((float(pairs), ratio) for pairs, ratio in path)))
            for colour, (name, path) in enumerate(paths.items())
        ],
        [Level(low, "elo0 accepted"), Level(high, "elo1 accepted")],
    )


def _ratings_chart(run: Run, figures: Figures) -> Chart | None:
    names, pairs = run.settings.names, pair_scores(run, figures.repeats)
    lines: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for count in thinned(range(1, len(pairs) + 1), _FIELDS):
        for rating in rate(names, pairs[:count]).ratings:
            if rating.elo is not None:
                lines[rating.name].append((float(count), rating.elo))
    return chart(
        "Ratings while the run went on",
        "Bradley-Terry over all games so far, in logistic Elo; the mean of the field is 0.",
        [Series(name, colour, tuple(points)) for colour, (name, points) in enumerate(lines.items())],
    )
