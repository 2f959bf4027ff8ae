"""Who meets whom: schedules of all formats, from the games so far."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import pytest

from outflank.engine import Colour, Game, Move
from outflank.protocol.clock import TimeControl
from outflank.protocol.drivers.spec import EngineSpec
from outflank.tools.match.game.results import Ending, GameRecord, Pairing, Score
from outflank.tools.match.openings.sources import OpeningsChoice, random_openings
from outflank.tools.match.schedule import knockout, swiss
from outflank.tools.match.schedule.formats import (
    course_of,
    games_to_be_planned,
    openings_needed,
    plan,
    usual_rounds,
)
from outflank.tools.match.schedule.meetings import Meeting
from outflank.tools.match.standings import Standings
from outflank.tools.match.state.run import Format, RunSettings

OPENINGS = list(random_openings(4, 40, Game().rules, seed=1))

Result = Callable[[str, str], int]
"""The margin of the first over the second engine."""


def settings_of(format: Format, players: int, games: int = 2, rounds: int = 1) -> RunSettings:
    specs = tuple(EngineSpec(f"E{number}", "engine", TimeControl()) for number in range(players))
    return RunSettings(specs, OpeningsChoice(moves=4), format, games=games, rounds=rounds)


def played(pairing: Pairing, margin: int) -> GameRecord:
    """Return a game that ended with a margin of Black's; what was played does not matter here."""
    winner = None if margin == 0 else Colour.BLACK if margin > 0 else Colour.WHITE
    return GameRecord(pairing, Game().rules, (), winner, Ending.DISCS, "", margin)


def run(
    settings: RunSettings, result: Result, openings: Sequence[tuple[Move, ...]] = OPENINGS
) -> list[GameRecord]:
    """Return the whole run; each plan must begin with the one before."""
    games: list[GameRecord] = []
    while len(games) < len(planned := plan(settings, openings, games)):
        assert tuple(game.pairing for game in games) == planned[: len(games)]
        for pairing in planned[len(games) :]:
            black, white = pairing.black, pairing.white
            games.append(played(pairing, result(black, white)))
    return games


def by_number(black: str, white: str) -> int:
    return 10 if int(black[1:]) < int(white[1:]) else -10


def ranking(settings: RunSettings, games: Sequence[GameRecord]) -> list[str]:
    return list(Standings(settings, games).order)


def meetings(games: Sequence[GameRecord]) -> list[tuple[int, frozenset[str]]]:
    """Round and engines of each pair of games."""
    return [(game.pairing.round, frozenset(game.pairing.names.values())) for game in games[::2]]


def test_a_match_is_pairs_on_the_same_opening_with_colours_swapped() -> None:
    pairings = plan(settings_of(Format.MATCH, 2, games=6), OPENINGS, [])

    assert [pairing.number for pairing in pairings] == [1, 2, 3, 4, 5, 6]
    assert [pairing.pair for pairing in pairings] == [1, 1, 2, 2, 3, 3]
    assert [pairing.opening for pairing in pairings] == [OPENINGS[index] for index in (0, 0, 1, 1, 2, 2)]
    assert [pairing.black for pairing in pairings] == ["E0", "E1"] * 3
    assert [pairing.white for pairing in pairings] == ["E1", "E0"] * 3
    assert plan(settings_of(Format.MATCH, 2, games=3), OPENINGS, []) == pairings[:3]  # half a pair at its end
    again = plan(settings_of(Format.MATCH, 2, games=6), OPENINGS[:2], [])
    assert [pairing.opening for pairing in again[::2]] == [OPENINGS[0], OPENINGS[1], OPENINGS[0]]


@pytest.mark.parametrize("players", [2, 3, 4, 5, 8, 9])
def test_in_a_round_robin_every_two_meet_once_a_round(players: int) -> None:
    pairings = plan(settings_of(Format.ROUND_ROBIN, players, games=4, rounds=2), OPENINGS, [])

    count = Counter((pairing.round, frozenset(pairing.names.values())) for pairing in pairings)
    everyone = [frozenset((f"E{a}", f"E{b}")) for a, b in combinations(range(players), 2)]
    assert count == {(round, two): 4 for round in (1, 2) for two in everyone}
    assert Counter(pairing.pair for pairing in pairings) == dict.fromkeys(range(1, len(pairings) // 2 + 1), 2)
    if players == 8:  # engines rest between encounters, but where one turn of the circle follows another
        encounters = meetings(run(settings_of(Format.ROUND_ROBIN, 8), by_number))
        assert sum(bool(one & other) for (_, one), (_, other) in pairwise(encounters)) <= 7


def test_all_encounters_of_a_round_have_the_same_openings_and_the_next_round_has_others() -> None:
    settings = settings_of(Format.ROUND_ROBIN, 3, games=4, rounds=2)
    pairings = plan(settings, OPENINGS, [])

    for round, expected in ((1, OPENINGS[:2]), (2, OPENINGS[2:4])):
        of_round = [pairing for pairing in pairings if pairing.round == round]
        assert Counter(pairing.opening for pairing in of_round) == dict.fromkeys(expected, 6)
    assert openings_needed(settings) == 4


def test_in_a_gauntlet_the_first_meets_each_of_the_others() -> None:
    games = run(settings_of(Format.GAUNTLET, 4, games=2, rounds=2), by_number)

    assert Counter(two for _, two in meetings(games)) == {frozenset(("E0", f"E{b}")): 2 for b in (1, 2, 3)}


@pytest.mark.parametrize("form", [Format.ROUND_ROBIN, Format.GAUNTLET, Format.KNOCKOUT, Format.SWISS])
@pytest.mark.parametrize("players", [2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_no_engine_has_black_much_more_often_than_white(form: Format, players: int, rounds: int) -> None:
    """With one game, or three, of two engines that meet; two winners of a round may have begun alike."""
    for games in (1, 3):
        settings = settings_of(form, players, games, 1 if form is Format.KNOCKOUT else rounds)
        black, white = Counter[str](), Counter[str]()
        for game in run(settings, by_number):
            black[game.pairing.black] += 1
            white[game.pairing.white] += 1
        most = max(abs(black[name] - white[name]) for name in settings.names)
        assert most <= (2 if form in (Format.KNOCKOUT, Format.SWISS) else 1), (black, white)


def test_the_better_seed_of_a_knockout_does_not_always_begin() -> None:
    first_round = plan(settings_of(Format.KNOCKOUT, 8, games=1), OPENINGS, [])

    assert [pairing.black for pairing in first_round] == ["E0", "E4", "E1", "E5"]


def test_more_swiss_rounds_than_opponents_are_played_all_the_same() -> None:
    games = run(settings_of(Format.SWISS, 4, rounds=6), by_number)

    twice = {frozenset((f"E{a}", f"E{b}")): 2 for a, b in combinations(range(4), 2)}
    assert Counter(two for _, two in meetings(games)) == twice


def test_equal_points_are_ordered_by_the_discs_that_tables_show() -> None:
    """E1 and E2 win with Black only, E2 by more; in a gauntlet E0 takes half of its points, and E3 all of them."""
    level = settings_of(Format.ROUND_ROBIN, 3)
    gauntlet = settings_of(Format.GAUNTLET, 4)
    margins = {"E0": 2, "E1": 4, "E2": 20, "E3": 8}

    assert ranking(level, run(level, lambda black, white: margins[black])) == ["E2", "E1", "E0"]
    games = run(gauntlet, lambda black, white: -8 if white == "E3" else margins[black])
    assert ranking(gauntlet, games) == ["E3", "E2", "E1", "E0"]

    # Everyone wins with Black, two games by resignation. E1 has +12 in three games, E2 +10 in two.
    settings = settings_of(Format.ROUND_ROBIN, 3)
    won_by = {("E0", "E1"): 4, ("E1", "E0"): 20, ("E2", "E1"): 4, ("E2", "E0"): 6}
    games = []
    for pairing in plan(settings, OPENINGS, []):
        margin = won_by.get((pairing.black, pairing.white))
        game = played(pairing, margin or 1)
        games.append(game if margin else replace(game, ending=Ending.RESIGNATION, margin=None))
    shown = Standings(settings, games).scores

    assert [shown[name].points for name in ("E2", "E1", "E0")] == [2, 2, 2]
    assert [shown[name].mean_margin for name in ("E2", "E1")] == [5, 4]
    assert ranking(settings, games) == ["E2", "E1", "E0"]


@pytest.mark.parametrize(("players", "rounds"), [(2, 1), (4, 2), (5, 3), (8, 3), (9, 4)])
def test_the_usual_rounds_leave_one_unbeaten(players: int, rounds: int) -> None:
    assert usual_rounds(Format.SWISS, players) == rounds
    assert usual_rounds(Format.ROUND_ROBIN, players) == 1


@pytest.mark.parametrize("players", [2, 4, 6, 7, 8, 13, 16])
def test_nobody_meets_twice_in_a_swiss_tournament_and_nobody_rests_twice(players: int) -> None:
    rounds = (players - 1).bit_length()
    settings = settings_of(Format.SWISS, players, rounds=rounds)
    games = run(settings, by_number)
    found, order = meetings(games), ranking(settings, games)

    assert order[0] == "E0"
    assert players < 16 or order[-1] == "E15"
    assert len({two for _, two in found}) == len(found) == rounds * (players // 2)
    for round in range(1, rounds + 1):
        assert len(set().union(*(two for number, two in found if number == round))) == 2 * (players // 2)
    rests = Counter(engine for _, two in found for engine in two)
    assert all(rests[f"E{number}"] >= rounds - 1 for number in range(players))


def test_in_a_swiss_tournament_the_leaders_meet_and_the_last_without_a_bye_rests() -> None:
    """Eight engines: the winners of the first round meet each other in the second, upper half first."""
    settings = settings_of(Format.SWISS, 8, rounds=3)
    first, second, _ = (
        [sorted(two) for number, two in meetings(run(settings, by_number)) if number == round]
        for round in (1, 2, 3)
    )

    assert first == [["E0", "E4"], ["E1", "E5"], ["E2", "E6"], ["E3", "E7"]]
    assert second == [["E0", "E2"], ["E1", "E3"], ["E4", "E6"], ["E5", "E7"]]

    settings = settings_of(Format.SWISS, 3, rounds=2)
    games = run(settings, by_number)

    standings = Standings(settings, games)

    assert [sorted(two) for _, two in meetings(games)] == [["E0", "E1"], ["E0", "E2"]]
    assert standings.order == ("E0", "E1", "E2")
    assert [score.byes for score in standings.swiss.values()] == [0, 1, 1]
    assert [[(one.first, one.second, one.points) for one in of_round] for of_round in standings.rounds] == [
        [("E0", "E1", (2, 0)), ("E2", None, (0, 0))],
        [("E2", "E0", (0, 2)), ("E1", None, (0, 0))],
    ]


@pytest.mark.parametrize("games", [2, 1_000_000])
def test_the_last_rests_however_many_games_make_a_difference(games: int) -> None:
    """E0, E1 and E4, which rested, have all the points. Without E3 two engines have to meet that are far apart."""
    met = [
        Meeting(1, first, second, scores=(Score(wins=games),), games=games) for first, second in ("02", "13")
    ]
    second = swiss.paired(swiss.swiss_scores("01234", met), met)

    assert [{*pair} for pair in second] == [{"0", "1"}, {"2", "4"}]


@pytest.mark.parametrize(
    ("players", "seeds"),
    [(2, [0, 1]), (4, [0, 3, 1, 2]), (5, [0, None, 3, 4, 1, None, 2, None]), (8, [0, 7, 3, 4, 1, 6, 2, 5])],
)
def test_the_bracket_keeps_the_best_seeds_apart_for_an_upset(players: int, seeds: list[int | None]) -> None:
    games = run(settings_of(Format.KNOCKOUT, 4), lambda black, white: -by_number(black, white))

    assert knockout.bracket(players) == seeds
    assert [sorted(two) for _, two in meetings(games)] == [["E0", "E3"], ["E1", "E2"], ["E2", "E3"]]


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6, 7, 8, 11, 16])
def test_in_a_knockout_all_but_one_lose_once(players: int) -> None:
    settings = settings_of(Format.KNOCKOUT, players)
    games = run(settings, by_number)

    assert len(games) == 2 * (players - 1)
    assert games_to_be_planned(settings, games) == 0
    assert games_to_be_planned(settings, []) + len(plan(settings, OPENINGS, [])) == len(games)
    assert ranking(settings, games)[0] == "E0"
    assert max(game.pairing.round for game in games) == (players - 1).bit_length()


def test_a_drawn_encounter_goes_on_and_the_discs_decide_in_the_end() -> None:
    """Each wins with Black, E1 by more."""
    settings = settings_of(Format.KNOCKOUT, 2)
    games = run(settings, lambda black, white: 10 if black == "E1" else 8)

    assert len(games) == 2 * (1 + knockout.TIE_BREAKS)
    assert ranking(settings, games) == ["E1", "E0"]
    assert len({game.pairing.opening for game in games}) == openings_needed(settings) == 4
    level = settings_of(Format.KNOCKOUT, 4)  # after nothing but draws the better seed goes on
    assert ranking(level, run(level, lambda black, white: 0)) == ["E0", "E1", "E2", "E3"]


@pytest.mark.parametrize("format", [format for format in Format if format is not Format.STANDING])
def test_a_plan_only_grows_at_its_end_whatever_is_finished_first(format: Format, rng: random.Random) -> None:
    settings = settings_of(format, 2 if format is Format.MATCH else 7, games=2, rounds=3)
    games: list[GameRecord] = []
    planned: tuple[Pairing, ...] = ()
    while waiting := [
        pairing
        for pairing in plan(settings, OPENINGS, games)
        if pairing not in [game.pairing for game in games]
    ]:
        grown = plan(settings, OPENINGS, games)
        assert grown[: len(planned)] == planned
        planned = grown
        games.append(played(rng.choice(waiting), rng.choice([-4, 0, 4])))
    assert len(games) == len(planned) == max(pairing.number for pairing in planned)
    assert openings_needed(settings) >= len({pairing.opening for pairing in planned})


def test_the_bracket_says_why_an_engine_went_on() -> None:
    """E0 rests; E3 and E4 are level but for discs; E1 and E2 rest. E0 wins on points, E1 only in the tie-breaks."""
    settings = settings_of(Format.KNOCKOUT, 5)
    count = Counter[frozenset[str]]()

    def result(black: str, white: str) -> int:
        two = frozenset((black, white))
        count[two] += 1
        if two == {"E3", "E4"}:
            return 10 if black == "E4" else 8
        if two == {"E1", "E2"} and count[two] <= 2:
            return 0
        if two == {"E0", "E1"}:
            return 0
        return by_number(black, white)

    games = run(settings, result)
    duels = [duel for duels in Standings(settings, games).rounds for duel in duels]

    assert [(duel.winner, duel.decision) for duel in duels] == [
        ("E0", "bye"),
        ("E4", "discs"),
        ("E1", "bye"),
        ("E2", "bye"),
        ("E0", "points"),
        ("E1", "tie-break games"),
        ("E0", "seeding"),
    ]
    duel = duels[1]
    assert (duel.first, duel.second, duel.points, duel.discs) == ("E3", "E4", (4, 4), -8)
    assert duel.stages == ((1, 1),) * 4
    assert duel.numbers == tuple(range(1, 9))


@pytest.mark.parametrize("players", [2, 3, 5, 8, 11])
def test_after_every_game_of_a_knockout_no_engine_stands_above_one_that_beat_it(
    players: int, rng: random.Random
) -> None:
    settings = settings_of(Format.KNOCKOUT, players)
    games = run(settings, lambda black, white: rng.choice((-10, -2, 0, 2, 10)))
    for played_so_far in range(len(games) + 1):
        order, rounds, _ = course_of(settings, games[:played_so_far])
        place = {name: number for number, name in enumerate(order)}
        for duels in rounds:
            for duel in duels:
                if duel.winner is not None and duel.second is not None:
                    loser = duel.second if duel.winner == duel.first else duel.first
                    assert place[duel.winner] < place[loser]

    assert order[0] == rounds[-1][0].winner


def test_a_duel_that_goes_on_shows_what_was_played_of_it() -> None:
    settings = settings_of(Format.KNOCKOUT, 4, games=4)
    games = run(settings, by_number)[:3]
    first, second = Standings(settings, games).rounds[0]

    assert (first.points, first.games, len(first.numbers), first.winner) == ((3, 0), 4, 3, None)
    assert (second.points, second.games, second.numbers, second.discs) == ((0, 0), 4, (), None)


def test_a_swiss_table_has_buchholz_and_sonneborn_berger() -> None:
    """Two rounds of three by hand: E0 beat E1, then drew with E2; E2 and E1 rested once."""
    settings = settings_of(Format.SWISS, 3, rounds=2)
    games = run(settings, lambda black, white: 0 if "E2" in (black, white) else by_number(black, white))
    order, _, table = course_of(settings, games)

    assert (table["E0"].points, table["E1"].points, table["E2"].points) == (3, 2, 3)
    assert (table["E0"].buchholz, table["E0"].sonneborn_berger) == (2 + 3, 2 + 1.5)
    assert (table["E1"].buchholz, table["E1"].sonneborn_berger) == (3, 0)
    assert (table["E2"].buchholz, table["E2"].sonneborn_berger) == (3, 1.5)
    assert order == ("E0", "E2", "E1")

    rows = [swiss.SwissScore(2, 6, 2, 0), swiss.SwissScore(2, 6, 4, 0), swiss.SwissScore(2, 7, 0, 0)]

    assert swiss.ranking(dict(zip("ABC", rows, strict=True))) == ["C", "B", "A"]
