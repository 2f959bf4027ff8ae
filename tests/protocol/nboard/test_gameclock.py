"""The clock stands in the record of the game; depth and clock bound a search."""

import re

import pytest

from outflank.engine import Clock, Colour
from outflank.protocol.session import Strength
from outflank.tests.protocol.nboard.dialogue import Dialogue, ggf

BLACK, WHITE = Colour.BLACK, Colour.WHITE


def clocks(*lines: str) -> tuple[Clock | None, Clock | None]:
    """Both clocks after these lines, which are all taken."""
    dialogue = Dialogue()
    for line in lines:
        assert dialogue.send(line) == []
    return dialogue.session.time_left(BLACK), dialogue.session.time_left(WHITE)


def test_what_the_moves_took_is_gone_and_increments_are_added() -> None:
    game = ggf("B[F5//10.5]W[F6/1.00/20]B[E6]", TI="1:00/0:02")

    assert clocks(f"set game {game}") == (Clock(53.5, increment=2.0), Clock(42.0, increment=2.0))


def test_a_move_takes_its_time_from_its_players_clock() -> None:
    told = clocks(f"set game {ggf(TI='1:00')}", "move F5//10", "move F6/150", "move E6/0/5.5")

    assert told == (Clock(44.5), Clock(60.0))


@pytest.mark.parametrize("control", ["0", "0:00//2:00"])
def test_a_clock_without_time_is_none(control: str) -> None:
    assert clocks(f"set game {ggf(TI=control)}") == (None, None)


def test_a_game_without_a_clock_has_none() -> None:
    assert clocks(f"set game {ggf('B[F5//10]')}", "move F6//3") == (None, None)
    assert clocks(f"set game {ggf(TI='1:00')}", f"set game {ggf()}") == (None, None)


def test_the_extension_is_given_once_and_only_to_who_needs_it() -> None:
    game = ggf("B[F5//70]W[F6//5]", TI="1:00//0:30")

    assert clocks(f"set game {game}") == (Clock(20.0), Clock(55.0))
    assert clocks(f"set game {game}", "move E6//25") == (Clock(0.0), Clock(55.0))


def test_a_clock_that_cannot_be_read_is_told_and_the_game_is_set() -> None:
    dialogue = Dialogue()

    (told,) = dialogue.send(f"set game {ggf('B[F5]', TI='a while')}")

    assert told == "status expected a clock such as 15:00 or 5:00/0:10/2:00, got 'a while'"
    assert dialogue.session.game.transcript() == "f5"
    assert dialogue.session.time_left(BLACK) is None


def test_a_clock_that_is_too_long_is_told_and_each_go_is_answered() -> None:
    dialogue = Dialogue()

    (told,) = dialogue.send(f"set game {ggf(TI='99999999.00:00:00')}")

    assert told == "status expected a clock of at most 1000000000 seconds, got '99999999.00:00:00'"
    assert dialogue.session.time_left(BLACK) is None
    assert dialogue.send("go")[-1].startswith("=== ")


def test_each_go_is_answered_while_the_longest_clock_grows() -> None:
    dialogue = Dialogue()
    moves = "B[F5//-999999999]W[D6//-999999999]B[C5//-999999999]W[F4//-999999999]"

    assert dialogue.send(f"set game {ggf(moves, TI='16666666:40/16666666:40/16666666:40')}") == []
    assert dialogue.send("go")[-1].startswith("=== ")


def depths(lines: list[str]) -> list[int]:
    return [int(found[1]) for line in lines if (found := re.match(r"search \S+ \S+ 0 (\d+)", line))]


def test_a_search_for_a_move_ends_at_the_depth_though_the_clock_has_much() -> None:
    dialogue = Dialogue(strength=Strength())
    dialogue.send("set depth 3")
    dialogue.send(f"set game {ggf('B[F5]', TI='99:00:00')}")

    assert depths(dialogue.send("go")) == [1, 2, 3]


def test_a_search_for_a_move_ends_by_the_clock_though_the_depth_allows_much() -> None:
    dialogue = Dialogue(strength=Strength())
    dialogue.send("set depth 60")
    dialogue.send(f"set game {ggf('B[F5//59]W[F6]', TI='1:00')}")

    assert depths(dialogue.send("go"))[-1] < 30


def test_a_hint_is_not_bound_by_the_clock() -> None:
    dialogue = Dialogue(strength=Strength())
    dialogue.send("set depth 5")
    dialogue.send(f"set game {ggf('B[F5//60]W[F6//60]', TI='1:00')}")

    assert depths(dialogue.send("hint 1")) == [1, 2, 3, 4, 5]
