"""A game as Python's own types are used: counted, iterated over, copied, shown."""

import copy
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import Game, Position, Rules
from outflank.tests import reference, strategies
from outflank.tests.masks import rules_of

WIPE_OUT = "f5d6c5f4e3f6g5e6e7"


def test_a_game_is_the_sequence_of_its_turns() -> None:
    game = Game.from_transcript("f5d6c3")

    assert len(game) == 3
    assert tuple(game) == game.turns
    assert (game[0], game[-1], game[1:]) == (game.turns[0], game.turns[2], game.turns[1:])
    assert [str(turn.move) for turn in reversed(game)] == ["c3", "d6", "f5"]
    assert len(Game()) == 0
    assert Game(), "a game without turns is no false value"


def test_a_turn_that_was_not_played_is_an_index_error() -> None:
    with pytest.raises(IndexError):
        Game.from_transcript("f5d6c3")[3]


def test_a_turn_is_found_by_any_whole_number() -> None:
    game, number = Game.from_transcript("f5d6"), np.int64(1)

    assert game[number] == game.turns[1]  # type: ignore[call-overload]


def test_the_outcome_is_that_of_the_last_position() -> None:
    game = Game.from_transcript(WIPE_OUT[:-2])
    assert game.outcome() is game.result() is None

    game.play(WIPE_OUT[-2:])
    assert str(game.outcome()) == "B+64"
    assert game.result() == game.outcome()


@pytest.mark.parametrize("copied", [Game.copy, copy.copy, copy.deepcopy])
def test_a_copy_goes_its_own_way(copied: Callable[[Game], Game]) -> None:
    game = Game.from_transcript("f5d6c3")
    game.undo()
    copy = copied(game)

    assert (copy.turns, copy.position, copy.rules) == (game.turns, game.position, game.rules)
    assert copy.redo()
    assert (len(copy), len(game)) == (3, 2)
    copy.undo()
    copy.play("c4")
    assert game.redo()
    assert (game.transcript(), copy.transcript()) == ("f5d6c3", "f5d6c4")


@settings(max_examples=50)
@given(data=st.data(), named=strategies.sheets())
def test_the_repr_of_a_game_gives_it_again(data: st.DataObject, named: tuple[str, reference.Sheet]) -> None:
    """Under rules of any kind, wherever it stands."""
    game = Game(rules_of(*named))
    for *_, move in data.draw(strategies.games(named[1])).played:
        game.play(move)
    again = eval(repr(game))

    assert [turn.move for turn in again] == [turn.move for turn in game]
    assert (again.position, again.rules) == (game.position, game.rules)


def test_the_repr_of_a_game_from_another_board_has_the_board() -> None:
    game = Game(first=Position.parse("OX------" + "-" * 56 + "X", Rules.parse("reversi")))

    assert eval(repr(game)).first == game.first
