"""A run as plain data."""

import json
from dataclasses import replace

import pytest

from outflank.engine import Colour
from outflank.tests.tools.play.halls import fake, settings
from outflank.tests.tools.samples import broken_off, played, random_run
from outflank.tests.tools.show.shown import summary_of
from outflank.tools.match.conduct.ledger import EarlyStop, complete_pairs
from outflank.tools.match.game.results import Ending, GameRecord, Outside
from outflank.tools.match.state.run import Format, Run, Void
from outflank.tools.match.stats.sprt import Sprt

GAMES = (
    played(number=1, names=("A", "B")),  # A wins by 64
    played(number=2, names=("B", "A")),  # A loses by 64
    broken_off(Ending.CRASH, Colour.WHITE, number=3, names=("A", "B")),  # B crashes
    broken_off(Ending.RESIGNATION, Colour.WHITE, number=4, names=("B", "A")),  # A resigns
)
SETTINGS = settings(fake("A"), fake("B", time="0.5"), games=4, seed=5)
RUN = Run(SETTINGS, GAMES, remarks=("B refuses to say hello",), started="2026-05-17", finished=True)


def void(game: GameRecord) -> Void:
    return Void(game, "the runner stalled", "B")


def test_the_summary_holds_what_the_table_shows() -> None:
    told = json.loads(json.dumps(summary_of(RUN)))
    first, second = told["engines"]

    assert (first["name"], first["points"], first["wins_by_fault"]) == ("A", 2, {"crash": 1})
    assert (first["points_by_colour"], first["margin"]) == ({"black": 2, "white": 0}, 0)
    assert (second["name"], second["faults"]) == ("B", {"crash": 1})
    assert [engine["name"] for engine in told["settings"]["engines"]] == ["A", "B"]
    assert (told["settings"]["seed"], told["games"], told["pairs"], told["valid"]) == (5, 4, 2, True)
    assert told["elo"]["pentanomial"] == [0, 0, 2, 0, 0]
    assert told["remarks"] == ["B refuses to say hello"]
    assert (told["finished"], told["interrupted"], told["sprt"]) == (True, False, None)


def test_the_summary_has_the_rounds_of_a_knockout_and_why_who_went_on() -> None:
    run = random_run(("A", "B", "C"), 1, {"format": Format.KNOCKOUT})
    told = json.loads(json.dumps(summary_of(run)))
    rest, duel = told["rounds"][0]
    (final,) = told["rounds"][1]

    assert (rest["first"], rest["second"], rest["winner"], rest["decision"]) == ("A", None, "A", "bye")
    assert (duel["first"], duel["second"], duel["games"][:2]) == ("B", "C", [1, 2])
    assert final["winner"] == told["order"][0] == told["engines"][0]["name"]
    assert final["decision"] in ("points", "tie-break games", "discs", "seeding")
    assert final["stages"][0] == final["points"] or len(final["stages"]) > 1
    assert told["engines"][0]["swiss"] is None


def test_the_summary_has_the_table_and_the_rounds_of_a_swiss_tournament() -> None:
    run = random_run(("A", "B", "C"), 1, {"format": Format.SWISS, "rounds": 2})
    told = json.loads(json.dumps(summary_of(run)))

    assert [len(meetings) for meetings in told["rounds"]] == [2, 2]
    assert [engine["name"] for engine in told["engines"]] == told["order"]
    assert {tuple(engine["swiss"]) for engine in told["engines"]} == {
        ("points", "buchholz", "sonneborn_berger", "byes")
    }
    assert sum(engine["swiss"]["byes"] for engine in told["engines"]) == 2


def test_the_summary_says_what_engines_took_between_their_moves() -> None:
    first, second = summary_of(replace(RUN, outside={"B": Outside(4, 1.0, 0.5, 0.25)}))["engines"]
    keys = ("mean_seconds_outside", "longest_seconds_outside", "longest_seconds_to_set_up")

    assert [first[key] for key in keys] == [None, 0.0, 0.0]
    assert [second[key] for key in keys] == [0.25, 0.5, 0.25]


def test_voids_are_told_for_each_engine_and_too_many_make_a_run_invalid() -> None:
    told = summary_of(replace(RUN, voids=(void(GAMES[2]),)))

    assert [engine["voids"] for engine in told["engines"]] == [0, 1]
    assert told["engines"][1]["void_share"] == 0.2
    assert not told["valid"]
    assert Run(SETTINGS, GAMES * 9, (void(GAMES[2]),)).is_valid


def test_the_tests_are_told_with_their_bounds() -> None:
    told = summary_of(replace(RUN, settings=replace(SETTINGS, sprt=Sprt(0, 10))))["sprt"]

    assert (told["elo0"], told["elo1"], told["model"]) == (0, 10, "normalized")
    assert told["bounds"][0] < told["ratio"] < told["bounds"][1]
    assert told["decided"] is None


def test_pairs_after_a_verdict_move_no_ratio() -> None:
    """What was under way by then has ended since."""
    run = random_run(("A", "B"), 200, {"sprt": Sprt(0, 200)})
    told = summary_of(run)["sprt"]
    pairs, accepted = told["decided"]
    at_the_verdict = summary_of(replace(run, games=run.games[: 2 * pairs]))["sprt"]

    assert 0 < pairs < 100
    assert told["ratio"] == at_the_verdict["ratio"]
    assert told["bounds"][accepted] == pytest.approx(told["ratio"], abs=1)


def test_the_tests_wait_for_a_pair_that_is_not_there_yet_as_the_match_does() -> None:
    """Pair 3 is under way; what was played after it counts for Elo only."""
    whole = random_run(("A", "B"), 20, {"sprt": Sprt(0, 200)})
    waiting = replace(whole, games=tuple(game for game in whole.games if game.pairing.number != 5))
    watch = EarlyStop(Sprt(0, 200), "A")
    for number, games in complete_pairs(waiting.games):
        watch.add(number, games)
    told = summary_of(waiting)

    assert told["sprt"] == summary_of(replace(whole, games=whole.games[:4]))["sprt"]
    assert told["sprt"]["ratio"] == watch.ratio
    assert (told["effective_pairs"], sum(told["elo"]["pentanomial"])) == (19, 19)


def test_tournaments_and_runs_without_games_have_summaries_too() -> None:
    field = settings(fake("A"), fake("B"), fake("C"), format=Format.SWISS)

    assert summary_of(Run(field))["elo"] is None
    assert len(summary_of(Run(field, GAMES))["engines"]) == 3
    assert summary_of(Run(SETTINGS))["games"] == 0
