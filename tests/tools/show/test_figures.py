"""What a run says, against counts made by hand; and the table that says it."""

from dataclasses import replace

import pytest

from outflank.engine import Colour
from outflank.tests.sample_games import WITH_PASSES
from outflank.tests.tools.samples import broken_off, judged, played, random_run, run_of
from outflank.tests.tools.show.shown import print_result_of
from outflank.tools.match.game.results import Ending, GameRecord, Outside
from outflank.tools.match.state.run import Format, Void
from outflank.tools.match.stats.elo import estimate
from outflank.tools.match.stats.ratings import PairScore, rate
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.report.figures import Meeting, disc_sums, figures_of
from outflank.tools.report.report import charts
from outflank.tools.report.wording import verdict_lines


def mirrored(number: int) -> GameRecord:
    """One game and, with an even number, the same with the names swapped: each wins one."""
    return played(number=number, names=("A", "B") if number % 2 else ("B", "A"))


def test_a_match_is_counted() -> None:
    games = [played(), broken_off(Ending.TIME, Colour.WHITE, number=2, names=("B", "A"))]
    void = Void(broken_off(Ending.TIME, Colour.BLACK, number=2), "a stall", "A")
    told = figures_of(run_of(games, voids=(void,)))
    first, second = told.engines

    assert (first.standing.wins, first.standing.losses, first.standing.faults.total()) == (1, 1, 1)
    assert first.by_colour == {Colour.BLACK: (1.0, 1), Colour.WHITE: (0.0, 1)}
    assert (first.voids, first.void_share, second.voids) == (1, 1 / 3, 0)
    assert told.meetings == {("A", "B"): Meeting(1.0, 2), ("B", "A"): Meeting(1.0, 2)}
    assert told.elo == estimate([1, 0], [1.0])
    assert [(row.opening, row.games) for row in told.openings] == [("f5 d6", 1), ("", 1)]


def test_a_pair_that_repeats_another_adds_points_and_nothing_else() -> None:
    games = [mirrored(number) for number in (1, 2, 3, 4)]
    told = figures_of(run_of(games))

    assert (told.pairs, told.effective_pairs, told.repeats) == (2, 1, {2: 1})
    assert told.elo == estimate([1, 0], [1.0])
    assert told.engines[0].standing.points == 2
    assert disc_sums(run_of(games), told.repeats) == [0.0]


def test_discs_thrown_away_are_those_of_the_engines_own_moves() -> None:
    """Black plays e3 from +8 to +2, White f6 back to +6; the final margin is 64."""
    told = figures_of(run_of([judged({}, {4: 8, 5: 2, 6: 6})]))

    assert told.engines[0].discs_lost == (6, 1)
    assert told.engines[1].discs_lost == (4, 1)


def test_engines_stand_by_their_rank_and_before_the_end_by_points() -> None:
    run = random_run(("A", "B", "C", "D"), 2, {"format": Format.ROUND_ROBIN})
    told, unfinished = figures_of(run), figures_of(replace(run, finished=False))
    points = [engine.standing.points for engine in told.engines]

    assert points == sorted(points, reverse=True)
    assert [engine.standing.points for engine in unfinished.engines] == points
    assert sum(points) == len(run.games)
    assert told.elo is None


def test_a_match_keeps_the_order_of_the_settings() -> None:
    lost = [played(WITH_PASSES), played(number=2, names=("B", "A"))]

    assert [engine.entry.name for engine in figures_of(run_of(lost)).engines] == ["A", "B"]


def test_a_game_without_its_twin_is_rated_and_makes_no_pair() -> None:
    """With an odd number of games an encounter ends with one."""
    names = ("A", "B", "C")
    games = [
        replace(game, pairing=replace(game.pairing, pair=number))
        for number in (1, 2, 3)
        for game in [played(number=number, names=(names[number - 1], names[number % 3]))]
    ]
    run = run_of(games, names, {"format": Format.ROUND_ROBIN, "games": 1})
    told = figures_of(run)

    assert [(rating.games, rating.points) for rating in told.ratings.ratings] == [(2, 1.0)] * 3
    assert told.ratings == rate(
        names, [PairScore(0, 1, 1, 1, 0), PairScore(1, 2, 1, 1, 0), PairScore(2, 0, 1, 1, 0)]
    )
    assert (told.pairs, told.repeats) == (0, {})
    assert "Ratings while the run went on" in [chart.title for chart in charts(run, told)]


def test_the_last_game_of_an_odd_match_is_no_pair() -> None:
    games = [played(), played(number=2, names=("B", "A")), played(number=3, opening=3)]
    told = figures_of(run_of(games))

    assert told.elo == estimate([1, 0, 1], [1.0])
    assert [rating.games for rating in told.ratings.ratings] == [3, 3]


def test_the_table_of_a_match(capsys: pytest.CaptureFixture[str]) -> None:
    games = [played(), broken_off(Ending.TIME, Colour.WHITE, number=2, names=("B", "A"))]
    print_result_of(run_of(games, settings={"sprt": Sprt(0, 20)}))
    printed = capsys.readouterr().out

    assert "outflank" in printed.splitlines()[0]
    assert "A against B: Elo +0 (interval undefined: too few pairs" in printed
    assert "1 (time 1)" in printed
    assert "SPRT normalized [0, 20]: no verdict, LLR " in printed
    assert "The same on disc differences: no verdict, LLR +0.00 (-2.94 to +2.94) after 0 pairs" in printed
    assert "Note: B refuses to say hello" in printed


def test_time_taken_between_moves_is_noted_where_it_matters(capsys: pytest.CaptureFixture[str]) -> None:
    games = [mirrored(1), mirrored(2)]
    print_result_of(
        run_of(games, outside={"A": Outside(60, 0.3, 0.04, 0.9), "B": Outside(60, 0.3, 0.07, 1.25)})
    )
    printed = capsys.readouterr().out

    assert "Note: A took" not in printed
    assert "Note: B took 0.005 s a move, 0.070 s at most, outside the commands for its moves\n" in printed
    assert "Note: B took up to 1.2 s to set up a game, which is charged to no clock\n" in printed


def test_no_verdict_is_shown_that_rests_on_pairs_before_which_one_is_missing() -> None:
    whole = random_run(("A", "B"), 20, {"sprt": Sprt(0, 200, alpha=0.4, beta=0.4)})
    waiting = replace(whole, games=whole.games[1:])
    decided, undecided = (verdict_lines(run, figures_of(run)) for run in (whole, waiting))

    assert decided
    assert all(" accepted, LLR " in line for line in decided)
    assert [line.split(": ")[1] for line in undecided] == [
        "no verdict, LLR +0.00 (-0.41 to +0.41) after 0 pairs"
    ] * 2
    assert len(charts(whole, figures_of(whole))) == 2
    assert [chart.title for chart in charts(waiting, figures_of(waiting))] == ["Elo of A against B"]


def test_the_table_of_a_tournament(capsys: pytest.CaptureFixture[str]) -> None:
    run = random_run(("A", "B", "C"), 2, {"format": Format.ROUND_ROBIN}, solved=6)
    void = Void(run.games[0], "a stall", "A")
    print_result_of(replace(run, voids=(void, void)))
    printed = capsys.readouterr().out

    assert "points against" in printed
    assert printed.count("/4") == 6
    assert "Elo (95 %)" in printed
    assert "discs thrown away" in printed
    assert "Note: This run is not valid: too many games had to be voided (A 20.0%)" in printed


def test_a_run_without_games_has_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_result_of(run_of([], interrupted=True))
    print_result_of(run_of([], ("A", "B", "C"), {"format": Format.ROUND_ROBIN}, finished=False))
    printed = capsys.readouterr().out

    assert "interrupted after 0 games" in printed
    assert "A against B: Elo undefined" in printed
