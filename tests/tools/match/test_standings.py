"""Standings: repeated pairs, the verdict of a match, and the same figures game by game as from the whole run."""

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import count, takewhile

import pytest

from outflank.engine import PRESETS, Colour, Game, Symmetry
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support.positions import ONE_WAY, WIPE_OUT, WITH_PASSES
from outflank.tests.support.runs import broken_off, played, random_run, run_of
from outflank.tools.match.game.results import Ending, GameRecord, OffClockTime, Score
from outflank.tools.match.standings import Standings, game_key
from outflank.tools.match.state.run import Format
from outflank.tools.match.stats.sprt import Sprt

# Turns of the board under which Othello's start and who begins stay the same.
TURNS = {
    "half a turn": lambda column, row: (7 - column, 7 - row),
    "mirrored at a1-h8": lambda column, row: (row, column),
    "mirrored at a8-h1": lambda column, row: (7 - row, 7 - column),
}
RUN = random_run(("A", "B"), pairs=40)
PAIRS = list(zip(RUN.games[::2], RUN.games[1::2], strict=True))
POINTS = [sum(game.points_of("A") for game in both) for both in PAIRS]


def turned(transcript: str, how: str) -> str:
    squares = [transcript[index : index + 2] for index in range(0, len(transcript), 2)]
    images = [TURNS[how](ord(square[0]) - ord("a"), int(square[1]) - 1) for square in squares]
    return "".join(f"{'abcdefgh'[column]}{row + 1}" for column, row in images)


def pair(number: int, *, black_first: str = WITH_PASSES, white_first: str = WITH_PASSES) -> list[GameRecord]:
    return [
        played(black_first, number=2 * number - 1, names=("A", "B")),
        played(white_first, number=2 * number, names=("B", "A")),
    ]


@pytest.mark.parametrize("how", TURNS)
@pytest.mark.parametrize("transcript", [WIPE_OUT, WITH_PASSES])
def test_an_image_of_a_game_is_the_same_game(transcript: str, how: str) -> None:
    image = turned(transcript, how)

    assert image != transcript
    assert game_key(played(image)) == game_key(played(transcript))


@pytest.mark.parametrize(("transcript", "rules"), [(WITH_PASSES, "othello"), (ONE_WAY, "ravensburger-1987")])
def test_games_share_a_key_if_and_only_if_their_boards_are_images(transcript: str, rules: str) -> None:
    game = played(transcript, PRESETS[rules])
    wholes = [image(game, symmetry) for symmetry in Symmetry]
    cuts = [shortened(each) for each in wholes]
    records = [*wholes, *cuts]

    assert len({boards(record) for record in wholes}) > 1
    for one in records:
        images = {boards(image(one, symmetry)) for symmetry in Symmetry}
        for other in records:
            assert (game_key(one) == game_key(other)) is (boards(other) in images)


def boards(game: GameRecord) -> tuple[str, ...]:
    return (*(turn.before.board_string() for turn in game.turns), game.final_position.board_string())


def shortened(game: GameRecord) -> GameRecord:
    return replace(game, turns=game.turns[:-1])


def image(game: GameRecord, symmetry: Symmetry) -> GameRecord:
    turned = Game(first=game.first_position.transformed(symmetry))
    for turn in game.turns:
        turned.play(symmetry.move(turn.move))
    return replace(game, turns=AnnotatedGame.of(turned).moves)


def test_other_moves_other_rules_and_another_ending_make_another_game() -> None:
    game = broken_off(Ending.TIME, Colour.BLACK)

    keys = {
        game_key(game),
        game_key(broken_off(Ending.TIME, Colour.WHITE)),
        game_key(broken_off(Ending.CRASH, Colour.BLACK)),
        game_key(broken_off(Ending.TIME, Colour.BLACK, transcript="f5d6c4")),
        game_key(replace(game, rules=PRESETS["ravensburger-2006"])),
    }
    assert len(keys) == 5
    assert game_key(played(ONE_WAY, PRESETS["ravensburger-1987"])) != game_key(played(WITH_PASSES))
    assert game_key(broken_off(Ending.CRASH, Colour.BLACK, transcript="")) != game_key(played(WIPE_OUT))


def repeats(*games: GameRecord) -> dict[int, int]:
    return Standings(run_of(games, ("A", "B", "C")).settings, games).repeats


def test_a_pair_that_was_played_before_by_the_same_engines_and_colours_repeats_its_first_time() -> None:
    """Whichever of them ends first."""
    image = turned(WITH_PASSES, "half a turn")
    games = [
        *pair(4),
        *pair(1),
        *pair(2, white_first=WIPE_OUT),
        *pair(3, black_first=image),
        *pair(5, black_first=WIPE_OUT),
        *moved(pair(7, white_first=WIPE_OUT), 6)[::-1],
    ]

    assert repeats(*games) == {3: 1, 4: 1, 6: 2}

    one, two = pair(1, black_first=WITH_PASSES, white_first=WIPE_OUT)
    other = [played(WITH_PASSES, number=3, names=("A", "C")), played(WIPE_OUT, number=4, names=("C", "A"))]
    swapped = [played(WITH_PASSES, number=5, names=("B", "A")), played(WIPE_OUT, number=6, names=("A", "B"))]

    assert repeats(one, two, *other, *swapped) == {}


def test_points_of_pairs_come_in_the_order_of_the_schedule_and_repetitions_are_left_out() -> None:
    first, second, third = pair(1), pair(2, white_first=WIPE_OUT), pair(3)
    points = [sum(game.points_of("A") for game in both) for both in (first, second)]
    games = [*third, *second, *first, played(WIPE_OUT, number=7)]
    ours, theirs = (Standings(run_of(games, names).settings, games) for names in ("AB", "BA"))

    assert points[0] != points[1]
    assert ours.match_points == points
    assert theirs.match_points == [2 - point for point in points]
    assert (ours.complete_pairs, len(ours.rated_pairs)) == (3, 3)


@cache
def verdict_after(pairs: int, test: Sprt) -> bool | None:
    """Return the verdict of a test after the first `pairs` pairs of RUN."""
    return test.outcome(POINTS[:pairs])[2]


@pytest.mark.parametrize("error", [0.05, 0.15, 0.25, 0.35, 0.45])
@pytest.mark.parametrize("shuffled", [False, True])
def test_the_verdict_is_the_first_one_on_the_pairs_in_schedule_order(
    shuffled: bool, error: float, rng: random.Random
) -> None:
    """A pair waits for those before it, one that repeats an earlier one adds nothing, and the first verdict stands."""
    twice = [both for both in PAIRS for _ in range(2)]
    pairs = [moved(both, number) for number, both in enumerate(twice, 1)]
    if shuffled:
        rng.shuffle(pairs)
    test = Sprt(0, 100, alpha=error, beta=error)
    standings = Standings(replace(RUN.settings, sprt=test))
    for both in pairs:
        for game in both:
            standings.add(game)
        in_turn = len(list(takewhile(standings.is_complete, count(1))))
        new = (in_turn + 1) // 2
        assert standings.tested_points == POINTS[:new]
        assert standings.verdict == verdict_after(new, test)

    assert standings.match_points == POINTS


def moved(both: Sequence[GameRecord], number: int) -> list[GameRecord]:
    return [
        replace(game, pairing=replace(game.pairing, number=2 * number - 1 + at, pair=number))
        for at, game in enumerate(both)
    ]


@pytest.mark.parametrize(
    ("names", "format"),
    [("AB", Format.MATCH), ("ABCD", Format.ROUND_ROBIN), ("ABCD", Format.SWISS), ("ABCDEF", Format.KNOCKOUT)],
)
def test_standings_that_grow_game_by_game_are_those_of_the_whole_run(names: str, format: Format) -> None:
    """With pairs that say nothing new, and with a game that is taken back and played again."""
    whole = random_run(tuple(names), 4, {"format": format, "rounds": 2 if format is Format.SWISS else 1})
    expected, growing = Standings(whole.settings, whole.games), Standings(whole.settings)
    for game in (*whole.games, *moved(whole.games[:2], 10_000)):
        growing.add(game)
        if game is whole.games[2]:
            assert growing.take_back(game.pairing.pair) == game
            assert growing.take_back(game.pairing.pair) is None
            growing.add(game)

    assert growing.repeats == {10_000: 1}
    assert growing.ratings == expected.ratings
    assert growing.elo == expected.elo
    assert growing.order == expected.order
    assert growing.rounds == expected.rounds
    assert growing.swiss == expected.swiss
    assert sum(score.games for score in growing.scores.values()) == 2 * len(whole.games) + 4


def test_a_game_that_is_taken_back_leaves_nothing_and_an_engine_that_comes_later_has_its_place() -> None:
    """And its time outside moves, which was counted when it ended, is not counted once more."""
    standings = Standings(run_of([]).settings, [replace(played(), outside={"A": OffClockTime(1, 1.0)})])
    taken = standings.take_back(1)

    assert taken == played()
    assert taken.outside == {}
    assert (standings.games, standings.pairs, standings.against) == ({}, {}, {})
    assert set(standings.scores.values()) == {Score()}

    standings = Standings(RUN.settings, RUN.games)
    standings.enter(run_of([], "ABC").settings)

    assert (standings.scores["C"], standings.scores["A"].games) == (Score(), len(RUN.games))
    assert [rating.name for rating in standings.ratings.ratings] == ["A", "B", "C"]


def test_ratings_are_not_computed_anew_for_every_game(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("outflank.tools.match.standings.time.monotonic", lambda: now)
    standings = Standings(RUN.settings)
    rated = [standings.ratings]
    for game in RUN.games[:4]:
        standings.add(game)
        rated.append(standings.ratings)
    now += 1.0
    rated.append(standings.ratings)

    assert [ratings.ratings[0].games for ratings in rated] == [0, 1, 1, 1, 1, 4]
