"""Exact results, and who threw discs away."""

import threading
import time
from dataclasses import replace

import pytest

from outflank.engine import Colour, Game, Position, Rules
from outflank.tests.sample_games import ONE_WAY, WITH_PASSES
from outflank.tests.tools.samples import played
from outflank.tools.match.game.referee import Solver, discs_lost

BLACK, WHITE = Colour.BLACK, Colour.WHITE


def best_margin(position: Position) -> int:
    """The slow and obvious way."""
    if position.is_over:
        return position.score(BLACK)
    if position.must_pass:
        return best_margin(position.pass_())
    margins = [best_margin(position.play(move)) for move in position.legal_moves()]
    return max(margins) if position.side is BLACK else min(margins)


@pytest.mark.parametrize("rules", ["othello", "reversi", "ravensburger-2006"])
def test_the_last_positions_of_a_game_get_their_exact_margins(rules: str) -> None:
    """The sample passes twice near its end."""
    turns = [
        replace(turn, before=turn.before.with_rules(Rules.parse(rules))) for turn in played(WITH_PASSES).turns
    ]
    exact = Solver().margins(turns, 6)

    assert exact == tuple(best_margin(turn.before) if turn.before.empties <= 6 else None for turn in turns)
    assert len([margin for margin in exact if margin is not None]) >= 6


def test_games_of_one_direction_are_solved_too() -> None:
    turns = played(ONE_WAY, Rules.parse("ravensburger-1987")).turns
    exact = Solver().margins(turns, 4)

    assert exact[-4:] == tuple(best_margin(turn.before) for turn in turns[-4:])


def test_discs_are_lost_by_the_one_who_chose_the_move() -> None:
    game = played(WITH_PASSES)
    game = replace(game, exact=Solver().margins(game.turns, 10))
    lost = discs_lost(game)
    (first,) = (
        number
        for number, margin in enumerate(game.exact)
        if margin is not None and game.exact[number - 1] is None
    )
    swing = game.exact[first]

    assert swing is not None
    assert game.margin is not None
    assert min(lost[BLACK][0], lost[WHITE][0]) >= 0
    assert lost[WHITE][0] - lost[BLACK][0] == game.margin - swing
    choices = [turn for turn in game.turns[first:] if not turn.move.is_pass]
    assert lost[BLACK][1] + lost[WHITE][1] == len(choices)


def test_nobody_has_lost_discs_in_a_game_that_never_began() -> None:
    game = replace(played(WITH_PASSES), turns=(), seconds=(), values=(), exact=(), margin=None)

    assert discs_lost(game) == {BLACK: (0, 0), WHITE: (0, 0)}


def test_nobody_has_lost_what_he_was_given_or_what_nobody_solved() -> None:
    game = played(WITH_PASSES)
    given = replace(game, exact=Solver().margins(game.turns, 6), seconds=(None,) * len(game.turns))

    assert discs_lost(game) == discs_lost(given) == {BLACK: (0, 0), WHITE: (0, 0)}


def test_a_solve_can_be_ended_from_another_thread_and_then_none_follows() -> None:
    solver, position = Solver(), Game().position
    found: list[int | None] = []
    thread = threading.Thread(target=lambda: found.append(solver.margin(position)))
    thread.start()
    time.sleep(0.2)
    solver.stop()
    thread.join(10)

    assert found == [None]
    assert solver.margin(played(WITH_PASSES).turns[-1].before) is None
