"""What counts: games that are the same up to symmetry count once, and a match ends early by the schedule alone."""

from dataclasses import replace
from itertools import permutations

import pytest

from outflank.engine import PRESETS, Colour, Game, Symmetry
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support.positions import ONE_WAY, WIPE_OUT, WITH_PASSES
from outflank.tests.support.runs import broken_off, played, random_run, run_of
from outflank.tools.match.conduct.ledger import EarlyStop, complete_pairs, game_key, repeats
from outflank.tools.match.game.results import Ending, GameRecord
from outflank.tools.match.stats.sprt import Sprt
from outflank.tools.report.figures import match_points

# Turns of the board under which Othello's start and who begins stay the same.
TURNS = {
    "half a turn": lambda column, row: (7 - column, 7 - row),
    "mirrored at a1-h8": lambda column, row: (row, column),
    "mirrored at a8-h1": lambda column, row: (7 - row, 7 - column),
}
TEST = Sprt(0, 200)
GAMES = random_run(("A", "B"), pairs=40).games
PAIRS = dict(complete_pairs(GAMES))


def turned(transcript: str, how: str) -> str:
    squares = [transcript[index : index + 2] for index in range(0, len(transcript), 2)]
    images = [TURNS[how](ord(square[0]) - ord("a"), int(square[1]) - 1) for square in squares]
    return "".join(f"{'abcdefgh'[column]}{row + 1}" for column, row in images)


def pair(number: int, *, black_first: str = WITH_PASSES, white_first: str = WITH_PASSES) -> list[GameRecord]:
    """Both games of a pair between A and B."""
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
    """Every board of a game with its side to move."""
    return (*(turn.before.board_string() for turn in game.turns), game.final_position.board_string())


def shortened(game: GameRecord) -> GameRecord:
    """The game without its last turn."""
    return replace(game, turns=game.turns[:-1])


def image(game: GameRecord, symmetry: Symmetry) -> GameRecord:
    """The game as it looks when the board is turned."""
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


def test_games_by_one_direction_and_games_without_moves_have_keys() -> None:
    assert game_key(played(ONE_WAY, PRESETS["ravensburger-1987"])) != game_key(played(WITH_PASSES))
    assert game_key(broken_off(Ending.CRASH, Colour.BLACK, transcript="")) != game_key(played(WIPE_OUT))


def test_a_pair_that_was_played_before_repeats_its_first_time() -> None:
    image = turned(WITH_PASSES, "half a turn")
    games = [
        *pair(1),
        *pair(2, white_first=WIPE_OUT),
        *pair(3, black_first=image),
        *pair(4),
        *pair(5, black_first=WIPE_OUT),
    ]

    assert repeats(games) == {3: 1, 4: 1}


def test_the_same_games_by_other_engines_or_with_other_colours_are_no_repetition() -> None:
    one, two = pair(1, black_first=WITH_PASSES, white_first=WIPE_OUT)
    other = [played(WITH_PASSES, number=3, names=("A", "C")), played(WIPE_OUT, number=4, names=("C", "A"))]
    swapped = [played(WITH_PASSES, number=5, names=("B", "A")), played(WIPE_OUT, number=6, names=("A", "B"))]

    assert repeats([one, two, *other, *swapped]) == {}


def test_points_of_pairs_come_in_the_order_of_the_schedule_and_repetitions_are_left_out() -> None:
    first, second, third = pair(1), pair(2, white_first=WIPE_OUT), pair(3)
    points = [sum(game.points_of("A") for game in both) for both in (first, second)]
    games = [
        *third,
        *second,
        *first,
        played(WIPE_OUT, number=7),
        played(WIPE_OUT, number=9, names=("A", "C")),
    ]

    assert points[0] != points[1]
    assert match_points(run_of(games, ("A", "B")), repeats(games)) == points
    assert match_points(run_of(games, ("B", "A")), repeats(games)) == [2 - point for point in points]
    assert [number for number, _ in complete_pairs(games)] == [1, 2, 3]


def watched(pairs: list[tuple[int, list[GameRecord]]]) -> EarlyStop:
    watch = EarlyStop(TEST, "A")
    for number, games in pairs:
        watch.add(number, games)
    return watch


def test_the_order_in_which_pairs_end_makes_no_difference() -> None:
    first = list(PAIRS.items())[:5]
    ratios = {watched(list(order)).ratio for order in permutations(first)}

    assert len(ratios) == 1
    assert ratios != {0.0}


def test_a_pair_waits_for_those_before_it() -> None:
    later = list(PAIRS.items())[1:]

    assert watched(later).ratio == 0.0
    assert watched([*later, (1, PAIRS[1])]).ratio == watched(list(PAIRS.items())).ratio


def test_a_pair_that_repeats_an_earlier_one_adds_nothing() -> None:
    once = watched([(1, PAIRS[1]), (2, PAIRS[2])])
    again = watched([(1, PAIRS[1]), (2, PAIRS[2]), (3, PAIRS[1]), (4, PAIRS[2])])

    assert once.ratio == again.ratio


def test_the_first_verdict_stands() -> None:
    wins = [games for games in PAIRS.values() if sum(game.points_of("A") for game in games) == 2]
    watch = EarlyStop(Sprt(0, 200, alpha=0.45, beta=0.45), "A")
    for number, games in enumerate(wins, 1):
        watch.add(number, games)
    assert watch.verdict is True

    ratio = watch.ratio
    for number, games in enumerate(PAIRS.values(), len(wins) + 1):
        watch.add(number, games)
    assert (watch.verdict, watch.ratio) == (True, ratio)
