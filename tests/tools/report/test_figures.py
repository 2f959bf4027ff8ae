"""What a run says, against counts made by hand: as figures, as plain data, and as charts."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import Colour
from outflank.protocol.clock import TimeControl
from outflank.tests.support.positions import WITH_PASSES
from outflank.tests.support.runs import (
    BLACK,
    WHITE,
    broken_off,
    fake,
    judged,
    page_of,
    played,
    print_result_of,
    random_run,
    run_of,
    settings,
    summary_of,
)
from outflank.tools.match.game.referee import Solver
from outflank.tools.match.game.results import Ending, GameRecord, OffClockTime, Score
from outflank.tools.match.state.run import Format, Run
from outflank.tools.match.stats.elo import estimate
from outflank.tools.match.stats.ratings import PairScore, Rating, rate
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.page.parts import phase_table
from outflank.tools.report.charts import Series, chart, strip, thinned
from outflank.tools.report.figures import Figures, discs_lost, is_one_sided
from outflank.tools.report.report import charts
from outflank.tools.report.wording import elo_text, rating_text, seconds_text, verdict_lines

HEIGHTS = st.floats(-1e6, 1e6)
GAMES = (
    played(number=1, names=("A", "B")),  # A wins by 64
    played(number=2, names=("B", "A")),  # A loses by 64
    broken_off(Ending.CRASH, Colour.WHITE, number=3, names=("A", "B")),  # B crashes
    broken_off(Ending.RESIGNATION, Colour.WHITE, number=4, names=("B", "A")),  # A resigns
)
SETTINGS = settings(fake("A"), fake("B", time="0.5"), games=4, seed=5)
RUN = Run(SETTINGS, GAMES, remarks=("B refuses to say hello",), started="2026-05-17", finished=True)


def mirrored(number: int) -> GameRecord:
    """One game and, with an even number, the same with the names swapped: each wins one."""
    return played(number=number, names=("A", "B") if number % 2 else ("B", "A"))


def test_a_match_is_counted() -> None:
    games = [played(), broken_off(Ending.TIME, Colour.WHITE, number=2, names=("B", "A"))]
    void = replace(broken_off(Ending.TIME, Colour.BLACK, number=2), void="a stall", blamed="A")
    figures = Figures(run_of(games, voids=(void,)))
    first, second = figures.engines

    assert (first.score, first.faults) == (Score(1, 0, 1, 64, 1), {Ending.TIME: 1})
    assert (second.score, second.fault_wins) == (first.score.of_opponent, first.faults)
    assert first.by_colour == {Colour.BLACK: Score(1, 0, 0, 64, 1), Colour.WHITE: Score(0, 0, 1)}
    assert (first.voids, first.void_share, second.voids) == (1, 1 / 3, 0)
    assert figures.against == {("A", "B"): first.score, ("B", "A"): second.score}
    assert figures.elo == estimate([1, 0], [1.0])
    assert list(figures.openings.items()) == [("f5 d6", Score(1, 0, 0, 64, 1)), ("", Score(1))]


def test_a_repeated_pair_adds_points_alone_and_discs_are_thrown_away_by_an_engines_own_moves() -> None:
    games = [mirrored(number) for number in (1, 2, 3, 4)]
    figures = Figures(run_of(games))

    assert (figures.complete_pairs, figures.repeats) == (2, {2: 1})
    assert figures.elo == estimate([1, 0], [1.0])
    assert figures.engines[0].score.points == 2
    assert figures.disc_sums == [0.0]

    # Black plays e3 from +8 to +2, White f6 back to +6; the final margin is 64.
    figures = Figures(run_of([judged({}, {4: 8, 5: 2, 6: 6})]))

    assert figures.engines[0].discs_lost == (6, 1)
    assert figures.engines[1].discs_lost == (4, 1)


@pytest.mark.parametrize(
    ("one_sided", "scores"),
    [
        (True, [(4, 0, 0), (4, 1, 0), (9, 0, 1), (17, 2, 1)]),
        (False, [(3, 0, 0), (3, 1, 0), (2, 0, 2), (89, 0, 11)]),
    ],
)
def test_an_opening_that_one_colour_always_wins_is_one_sided(
    one_sided: bool, scores: list[tuple[int, int, int]]
) -> None:
    found = [is_one_sided(Score(*each)) for score in scores for each in (score, score[::-1])]

    assert found == [one_sided] * 2 * len(scores)


def test_engines_stand_by_their_rank_and_before_the_end_by_points() -> None:
    run = random_run(("A", "B", "C", "D"), 2, {"format": Format.ROUND_ROBIN})
    figures, unfinished = Figures(run), Figures(replace(run, finished=False))
    points = [engine.score.points for engine in figures.engines]

    assert points == sorted(points, reverse=True)
    assert [engine.score.points for engine in unfinished.engines] == points
    assert sum(points) == len(run.games)
    assert figures.elo is None
    won_by_b = [broken_off(Ending.CRASH, Colour.BLACK), played(number=2, names=("B", "A"))]
    assert [engine.spec.name for engine in Figures(run_of(won_by_b)).engines] == ["B", "A"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"),
        (0.0, "0.000"),
        (0.25, "0.250"),
        (2.945, "2.945"),
        (0.0041, "0.0041"),
        (0.00023, "0.00023"),
    ],
)
def test_short_times_have_as_many_decimals_as_two_digits_need(seconds: float | None, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("elo", "low", "high", "text"),
    [
        (120.0, 90.0, 150.0, "+120 (+90 to +150)"),
        (120.0, 90.0, None, "+120 (+90 or more)"),
        (-120.0, None, -90.0, "-120 (-90 or less)"),
        (120.0, None, None, "+120"),
        (None, None, None, "-"),
    ],
)
def test_a_rating_is_written_with_its_interval(
    elo: float | None, low: float | None, high: float | None, text: str
) -> None:
    assert rating_text(Rating("A", elo, low, high, 1.0, 2)) == text


def test_phases_that_nobody_reached_are_no_columns() -> None:
    moves = [("A", 60, 2.0), ("A", 51, 1.0), ("B", 1, 0.0), ("B", 0, 4.0)]

    assert phase_table("AB", moves) == (
        ["60-51", "10-1"],
        {"A": [(3.0, 2), (0.0, 0)], "B": [(0.0, 0), (4.0, 2)]},
    )


def test_a_game_without_its_twin_is_rated_and_makes_no_pair() -> None:
    """With an odd number of games an encounter ends with one."""
    names = ("A", "B", "C")
    games = [
        replace(game, pairing=replace(game.pairing, pair=number))
        for number in (1, 2, 3)
        for game in [played(number=number, names=(names[number - 1], names[number % 3]))]
    ]
    run = run_of(games, names, {"format": Format.ROUND_ROBIN, "games": 1})
    figures = Figures(run)
    won = Score(wins=1)

    assert [(rating.games, rating.points) for rating in figures.ratings.ratings] == [(2, 1.0)] * 3
    assert figures.ratings == rate(names, [PairScore(duo[0], duo[1], won, 0) for duo in ("AB", "BC", "CA")])
    assert (figures.complete_pairs, figures.repeats) == (0, {})
    assert "Ratings during the run" in [chart["title"] for chart in charts(figures)]
    odd_match = run_of([played(), played(number=2, names=("B", "A")), played(number=3, opening=3)])
    odd = Figures(odd_match)
    assert odd.elo == estimate([1, 0, 1], [1.0])
    assert [rating.games for rating in odd.ratings.ratings] == [3, 3]


def test_a_result_names_the_version_and_evaluation_that_began_the_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And not those of the program that shows it."""
    old = replace(RUN, outflank="1.0.0", evaluation="d5a9d812")
    print_result_of(old)
    summary = summary_of(old)

    assert "outflank 1.0.0, evaluation d5a9d812, 4 games" in capsys.readouterr().out
    assert (summary["outflank"], summary["evaluation"]) == ("1.0.0", "d5a9d812")
    assert "outflank 1.0.0, evaluation d5a9d812, 4 games" in page_of(old)


def test_the_tables_of_a_match_and_a_tournament(capsys: pytest.CaptureFixture[str]) -> None:
    games = [played(), broken_off(Ending.TIME, Colour.WHITE, number=2, names=("B", "A"))]
    print_result_of(run_of(games, settings={"sprt": Sprt(0, 20)}))
    printed = capsys.readouterr().out

    assert "outflank" in printed.splitlines()[0]
    assert "A against B: Elo +0 (95 %: -" in printed
    assert "1 (time 1)" in printed
    assert "SPRT normalized [0, 20]: no verdict, LLR " in printed
    assert (
        "The same test on disc differences: no verdict, LLR +0.00 (-2.94 to +2.94) after 0 pairs" in printed
    )
    assert "Note: B refuses to say hello" in printed

    run = random_run(("A", "B", "C"), 2, {"format": Format.ROUND_ROBIN}, solved=6)
    void = replace(run.games[0], void="a stall", blamed="A")
    print_result_of(replace(run, voids=(void, void)))
    printed = capsys.readouterr().out

    assert "points against" in printed
    assert printed.count("/4") == 6
    assert "Elo (95 %)" in printed
    assert "discs thrown away" in printed
    assert "Note: This run is not valid: too many games were void (A 20.0%; at most 3% may be)" in printed

    print_result_of(run_of([], interrupted=True))
    print_result_of(run_of([], ("A", "B", "C"), {"format": Format.ROUND_ROBIN}, finished=False))
    printed = capsys.readouterr().out

    assert "interrupted after 0 games" in printed
    assert "A against B: Elo undefined" in printed


def test_time_taken_between_moves_is_noted_where_it_matters(capsys: pytest.CaptureFixture[str]) -> None:
    taken = {"A": OffClockTime(60, 0.3, 0.04, 0.9), "B": OffClockTime(60, 0.3, 0.07, 1.25)}
    run = run_of([mirrored(1), mirrored(2)], outside=taken)
    timed = tuple(replace(spec, time=TimeControl.parse("1")) for spec in run.settings.engines)
    print_result_of(run)
    without = capsys.readouterr().out
    print_result_of(replace(run, settings=replace(run.settings, engines=timed)))
    with_clocks = capsys.readouterr().out
    print_result_of(replace(run, outside={"B": OffClockTime(60, 0.9, 0.03)}))

    assert "Note: B spent up to 0.030 s before a move (mean 0.015)\n" in capsys.readouterr().out
    assert "Note: A spent" not in with_clocks
    assert (
        "Note: B spent up to 0.070 s before a move (mean 0.005); time beyond its grace period was charged\n"
        in with_clocks
    )
    assert "Note: B spent" not in without
    assert "Note: B took up to 1.2 s to set up a game; no clock was charged\n" in without


def test_no_verdict_is_shown_that_rests_on_pairs_before_which_one_is_missing() -> None:
    whole = random_run(("A", "B"), 20, {"sprt": Sprt(0, 200, alpha=0.4, beta=0.4)})
    waiting = replace(whole, games=whole.games[1:])
    decided, undecided = (verdict_lines(Figures(run)) for run in (whole, waiting))

    assert decided
    assert all(" accepted, LLR " in line for line in decided)
    assert [line.split(": ")[1] for line in undecided] == [
        "no verdict, LLR +0.00 (-0.41 to +0.41) after 0 pairs"
    ] * 2
    assert len(charts(Figures(whole))) == 2
    assert [chart["title"] for chart in charts(Figures(waiting))] == ["Elo of A against B"]


def drawn(*series: Series, **levels: float) -> dict[str, Any]:
    made = chart("title", "caption", series, levels)
    assert made is not None
    return made


def points(text: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]


def test_higher_is_higher_from_left_to_right_bands_go_once_around_and_levels_are_to_be_seen() -> None:
    made = drawn(Series("A", 0, ((1, 0), (2, 10), (3, 5))))
    (first, low), (_, high), (last, middle) = points(made["curves"][0]["points"])
    assert (first, last) == (made["left"], made["right"])
    assert made["top"] <= high < middle < low <= made["bottom"]

    made = drawn(Series("A", 0, ((1, 0), (2, 0)), ((1, -1, 1), (2, -2, 2))))
    outline = points(made["curves"][0]["band"])
    assert [x for x, _ in outline] == [made["left"], made["right"], made["right"], made["left"]]
    assert outline[0][1] > outline[3][1]

    made = drawn(Series("A", 0, ((0, 0), (1, 0.1))), low=-3, high=3)
    assert [label for _, label in made["levels"]] == ["low", "high"]
    assert all(made["top"] <= at <= made["bottom"] for at, _ in made["levels"])
    assert chart("", "", [Series("A", 0, ((1, 1),))], {}) is None
    assert chart("", "", [], {}) is None


@given(st.lists(HEIGHTS, min_size=2, max_size=40))
def test_whatever_the_heights_all_is_inside_but_a_long_curves_beginning(heights: list[float]) -> None:
    made = drawn(Series("A", 0, tuple(enumerate(heights))))
    settled = points(made["curves"][0]["points"])[len(heights) // 4 + 1 if len(heights) >= 20 else 0 :]

    assert all(made["top"] - 1 <= y <= made["bottom"] + 1 for _, y in settled)
    assert 2 <= len(made["up"]) <= 14


@given(st.integers(0, 1000), st.integers(1, 50))
def test_thinned_numbers_keep_the_last(count: int, most: int) -> None:
    kept = thinned(range(1, count + 1), most)

    assert len(kept) <= most
    assert kept[-1:] == list(range(1, count + 1))[-1:]


def test_strips_share_a_scale_and_open_ends_reach_its_end() -> None:
    strips = strip({"A": (-100.0, 0.0, 100.0), "B": (None, -50.0, 20.0)})
    a, b = strips["A"], strips["B"]

    assert a["zero"] == b["zero"] == a["middle"] == 50
    assert b["low"] == 0 < a["low"] < b["middle"] < b["high"] < a["high"] < 100
    assert strip({}) == {}


def test_the_summary_holds_what_the_table_shows() -> None:
    summary = json.loads(json.dumps(summary_of(RUN)))
    first, second = summary["engines"]

    assert (first["name"], first["points"], first["wins_by_fault"]) == ("A", 2, {"crash": 1})
    assert (first["points_by_colour"], first["margin"]) == ({"black": 2, "white": 0}, 0)
    assert (second["name"], second["faults"]) == ("B", {"crash": 1})
    assert [engine["name"] for engine in summary["settings"]["engines"]] == ["A", "B"]
    assert (summary["settings"]["pairing"], summary["settings"]["count_errors_from"]) == ("match", 0)
    assert (summary["settings"]["seed"], summary["games"], summary["pairs"], summary["valid"]) == (
        5,
        4,
        2,
        True,
    )
    assert summary["elo"]["pentanomial"] == [0, 0, 2, 0, 0]
    assert summary["remarks"] == ["B refuses to say hello"]
    assert (summary["finished"], summary["interrupted"], summary["sprt"]) == (True, False, None)


def test_the_summary_has_the_rounds_of_a_knockout_and_of_a_swiss_tournament() -> None:
    run = random_run(("A", "B", "C"), 1, {"format": Format.KNOCKOUT})
    summary = json.loads(json.dumps(summary_of(run)))
    rest, duel = summary["rounds"][0]
    (final,) = summary["rounds"][1]

    assert (rest["first"], rest["second"], rest["winner"], rest["decision"]) == ("A", None, "A", "bye")
    assert (duel["first"], duel["second"], duel["games"][:2]) == ("B", "C", [1, 2])
    assert final["winner"] == summary["order"][0] == summary["engines"][0]["name"]
    assert final["decision"] in ("points", "tie-break games", "discs", "seeding")
    assert final["stages"][0] == final["points"] or len(final["stages"]) > 1
    assert summary["engines"][0]["swiss"] is None

    run = random_run(("A", "B", "C"), 1, {"format": Format.SWISS, "rounds": 2})
    summary = json.loads(json.dumps(summary_of(run)))

    assert [len(meetings) for meetings in summary["rounds"]] == [2, 2]
    assert [engine["name"] for engine in summary["engines"]] == summary["order"]
    assert {tuple(engine["swiss"]) for engine in summary["engines"]} == {
        ("points", "buchholz", "sonneborn_berger", "byes")
    }
    assert sum(engine["swiss"]["byes"] for engine in summary["engines"]) == 2


def test_the_summary_has_times_between_moves_names_and_voids_of_each_engine() -> None:
    run = replace(RUN, outside={"B": OffClockTime(4, 1.0, 0.5, 0.25)}, identities={"B": ("Bee 7",)})
    keys = ("mean_seconds_outside", "longest_seconds_outside", "longest_seconds_to_set_up", "calls_itself")

    assert [[engine[key] for key in keys] for engine in summary_of(run)["engines"]] == [
        [None, 0.0, 0.0, []],
        [0.25, 0.5, 0.25, ["Bee 7"]],
    ]

    void = replace(GAMES[2], void="the runner stalled", blamed="B")
    summary = summary_of(replace(RUN, voids=(void,)))

    assert [engine["voids"] for engine in summary["engines"]] == [0, 1]
    assert summary["engines"][1]["void_share"] == 0.2
    assert not summary["valid"]
    assert Run(SETTINGS, GAMES * 9, (void,)).is_valid


def test_the_tests_are_told_with_their_bounds_and_pairs_after_a_verdict_move_no_ratio() -> None:
    """What was under way by then has ended since."""
    early = summary_of(replace(RUN, settings=replace(SETTINGS, sprt=Sprt(0, 10))))["sprt"]
    assert (early["elo0"], early["elo1"], early["model"], early["decided"]) == (0, 10, "normalized", None)
    assert early["bounds"][0] < early["ratio"] < early["bounds"][1]
    run = random_run(("A", "B"), 200, {"sprt": Sprt(0, 200)})
    sprt = summary_of(run)["sprt"]
    pairs, accepted = sprt["decided"]
    at_the_verdict = summary_of(replace(run, games=run.games[: 2 * pairs]))["sprt"]

    assert 0 < pairs < 100
    assert sprt["ratio"] == at_the_verdict["ratio"]
    assert sprt["bounds"][accepted] == pytest.approx(sprt["ratio"], abs=1)


def test_the_tests_wait_for_a_pair_that_is_not_there_yet_as_the_match_does() -> None:
    """Pair 3 is under way; what was played after it counts for Elo only."""
    whole = random_run(("A", "B"), 20, {"sprt": Sprt(0, 200)})
    waiting = replace(whole, games=tuple(game for game in whole.games if game.pairing.number != 5))
    summary = summary_of(waiting)

    assert summary["sprt"] == summary_of(replace(whole, games=whole.games[:4]))["sprt"]
    assert (summary["effective_pairs"], sum(summary["elo"]["pentanomial"])) == (19, 19)


def test_tournaments_and_runs_without_games_have_summaries_too() -> None:
    field = settings(fake("A"), fake("B"), fake("C"), format=Format.SWISS)

    assert summary_of(Run(field))["elo"] is None
    assert len(summary_of(Run(field, GAMES))["engines"]) == 3
    assert summary_of(Run(SETTINGS))["games"] == 0


@pytest.mark.parametrize(
    "pairs", [[0.0], [0.0] * 5, [0.0] * 6, [2.0], [2.0] * 6, [1.0], [2.0, 1.5], [0.5, 0.0]]
)
def test_the_table_of_a_match_and_its_last_line_say_the_same(pairs: list[float]) -> None:
    elo = estimate([point / 2 for point in pairs for _ in range(2)], pairs)
    in_table = rating_text(Rating("A", elo.elo, elo.low, elo.high, sum(pairs), 2 * len(pairs)))
    last_line = elo_text(elo.elo, elo.low, elo.high)

    assert in_table == last_line.replace("95 %: ", "").replace(" (95 %)", "").replace("undefined", "-")
    if not any(pairs):
        assert "+" not in last_line, "expected no gain after losing everything"


def test_discs_are_lost_by_the_one_who_chose_a_solved_move() -> None:
    game = played(WITH_PASSES)
    game = replace(game, turns=Solver().solved(game.turns, 10))
    lost = discs_lost(game)
    (first,) = (
        number
        for number, turn in enumerate(game.turns)
        if turn.exact is not None and game.turns[number - 1].exact is None
    )
    swing = game.turns[first].exact

    assert swing is not None
    assert game.margin is not None
    assert min(lost[BLACK][0], lost[WHITE][0]) >= 0
    assert lost[WHITE][0] - lost[BLACK][0] == game.margin - swing
    choices = [turn for turn in game.turns[first:] if not turn.move.is_pass]
    assert lost[BLACK][1] + lost[WHITE][1] == len(choices)
    given = replace(game, turns=tuple(replace(turn, seconds=None) for turn in game.turns))
    for each in (played(WITH_PASSES), given, replace(game, turns=(), margin=None)):
        assert discs_lost(each) == {BLACK: (0, 0), WHITE: (0, 0)}
