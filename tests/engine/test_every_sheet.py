"""Every sentence of docs/rules.md about all sheets: what they share, boards given by hand, and what a search sees."""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import PRESETS, Colour, IllegalMoveError, Limit, Position, Rules, Searcher
from outflank.engine.rules import Scoring, Tie, Turns
from outflank.tests.support import reference, strategies
from outflank.tests.support.positions import (
    EIGHT_WAYS_FROM_D4,
    EMPTY,
    FULL_AND_EQUAL,
    OVER_WITH_THREE_EMPTY,
    board,
    mask_of_names,
    position_of,
    rows,
    rules_of,
    squares,
    start,
)

BLACK, WHITE = Colour
TIES: tuple[tuple[Tie, Colour], ...] = (("draw", BLACK), ("second", BLACK), ("second", WHITE))


@pytest.mark.parametrize("name", strategies.PRESETS)
class TestEverySheet:
    def position(self, name: str, text: str) -> Position:
        return Position.parse(text, PRESETS[name])

    @pytest.mark.parametrize(
        ("black", "white", "move", "turned"),
        [
            *(pytest.param(end, run, "d4", run, id=way) for way, run, end in EIGHT_WAYS_FROM_D4),
            # B1 lies between two black discs that were there before: nothing happens to it.
            pytest.param("a1 c1 d3", "b1 c3", "b3", "c3", id="the disc just played must bracket"),
            pytest.param("a1", "b1 d1", "c1", "b1", id="an empty square ends the line"),
            # No move turns a part of the run, or nothing.
            pytest.param("a1", "b1 c1 d1 h8", "e1", "b1 c1 d1", id="turning is compulsory"),
        ],
    )
    def test_the_only_move_turns_what_it_brackets(
        self, name: str, black: str, white: str, move: str, turned: str
    ) -> None:
        position = self.position(name, board(black, white) + " X")

        assert squares(position) == move
        assert position.turned(move) == mask_of_names(turned)
        assert position.play(move).white == mask_of_names(white) & ~mask_of_names(turned)

    def test_a_move_that_turns_nothing_and_a_voluntary_pass_are_illegal(self, name: str) -> None:
        position = start(name)
        for square in ("a1", "e6" if "e6" not in squares(position) else "e3", "d4"):
            with pytest.raises(IllegalMoveError):
                position.play(square)
        with pytest.raises(IllegalMoveError, match="a pass is legal only without a move"):
            position.pass_()

    def test_a_side_without_a_move_passes(self, name: str) -> None:
        position = self.position(name, board(black="b1", white="a1") + " X")

        assert position.must_pass
        assert squares(position) == "pass"
        assert position.pass_() == position.with_side(WHITE)

    @pytest.mark.parametrize("side", "XO")
    def test_the_game_ends_when_neither_side_can_move(self, name: str, side: str) -> None:
        for text in (
            OVER_WITH_THREE_EMPTY,
            FULL_AND_EQUAL,
            board(black="c3"),
            board(black="a1", white="h8"),
            EMPTY,
        ):
            position = self.position(name, f"{text} {side}")

            assert position.is_over
            assert not position.must_pass
            assert position.legal_moves() == ()
            with pytest.raises(IllegalMoveError, match="the game is over"):
                position.pass_()

    def test_white_e7_with_c5_and_e3_white_turns_d6_e6_e5_e4(self, name: str) -> None:
        position = self.position(name, board(black="d6 e6 e5 e4", white="c5 e3") + " O")
        if position.rules.one_direction:
            assert position.turned("e7/nw") == mask_of_names("d6")
            assert position.turned("e7/n") == mask_of_names("e6 e5 e4")
        else:
            assert position.turned("e7") == mask_of_names("d6 e6 e5 e4")

    def test_scoring_overrides_the_presets(self, name: str) -> None:
        for scoring, score in (("empties", 41 - 23), ("count", 38 - 23)):
            rules = Rules.parse(f"{name},scoring={scoring}")

            assert Position.parse(OVER_WITH_THREE_EMPTY, rules).score() == score

    def test_a_suffix_exists_only_where_one_direction_is_turned(self, name: str) -> None:
        if not PRESETS[name].one_direction:
            move = f"{start(name).legal_moves()[0]}/s"
            with pytest.raises(IllegalMoveError, match=r"a move turns every direction, so .* can't name one"):
                start(name).play(move)

    def test_any_board_may_be_the_start(self, name: str) -> None:
        rules = Rules.parse(f"{name},start={OVER_WITH_THREE_EMPTY}")

        assert Position.start(rules).is_over
        assert Position.start(rules).side is rules.begins


class TestBoardsGivenByHand:
    """Move lists are sized by the board, never by the textbook maximum of 33."""

    MANY_MOVES = rows("""
        X-------
        XO--OXO-
        XO-XXXX-
        -X---XO-
        -OX-OX--
        -OX-XXO-
        -O-OOOX-
        --------
    """)
    MANY_DIRECTED = rows("""
        XXXXXXXX
        OOOOOOOO
        --------
        OOOOOOOO
        XXXXXXXX
        OOOOOOOO
        --------
        -OOXO-OX
    """)

    @pytest.mark.parametrize(
        ("text", "turns", "expected"), [(MANY_MOVES, "all", 34), (MANY_DIRECTED, "one", 63)]
    )
    def test_more_than_33_moves_are_all_listed(self, text: str, turns: Turns, expected: int) -> None:
        position = Position.parse(text + " X", Rules(turns=turns))
        found = [str(move) for move in position.legal_moves()]

        assert len(found) == expected
        assert found == list(reference.moves(reference.board_of(text), "X", turns))


def best_result(game: reference.Game, side: str) -> tuple[int, int]:
    """Minimax over the oracle: for `side`, 1, 0 or -1 as it wins, draws or loses, and its lead in discs."""
    options = game.choices()
    if not options:
        won = reference.winner(game.board, game.sheet)
        lead = game.score() if side == "X" else -game.score()
        return (0 if won is None else 1 if won == side else -1), lead
    results = []
    for move in options:
        game.play(move)
        results.append(best_result(game, side))
        game.undo()
    return max(results) if game.side == side else min(results)


class TestSearchObeysTheSheet:
    @settings(max_examples=60)
    @given(data=st.data(), named=strategies.sheets())
    def test_the_search_plays_for_the_sheets_own_result(
        self, data: st.DataObject, named: tuple[str, reference.Sheet]
    ) -> None:
        """A tie ranks strictly between a win by one and a loss by one, whoever it is counted for."""
        game = data.draw(strategies.endgames(named[1], 5))
        position = position_of(game.board, game.side, rules_of(*named))
        result = Searcher(hash_mb=1).search(position, Limit.solve())

        assert result.exact
        assert result.score == best_result(game, game.side)[1]

    @settings(max_examples=60)
    @given(data=st.data(), begins=strategies.sides, scoring=st.sampled_from(["empties", "count"]))
    def test_win_or_loss_solving_never_answers_draw_where_the_second_player_wins_ties(
        self, data: st.DataObject, begins: str, scoring: str
    ) -> None:
        sheet = replace(reference.SHEETS["ravensburger-2006"], begins=begins, scoring=scoring)
        game = data.draw(strategies.endgames(sheet, 5))
        position = position_of(game.board, game.side, rules_of("ravensburger-2006", sheet))
        result = Searcher(hash_mb=1).search(position, Limit.solve(wld=True))

        assert result.result == {1: "win", -1: "loss"}[best_result(game, game.side)[0]]

    @pytest.mark.parametrize("side", "XO")
    def test_win_or_loss_solving_of_a_tie_names_the_second_player(self, side: str) -> None:
        position = Position.parse(f"{FULL_AND_EQUAL} {side}", PRESETS["ravensburger-2006"])

        result = Searcher(hash_mb=1).search(position, Limit.solve(wld=True))

        assert (result.result, result.score) == ("win" if side == "X" else "loss", 0)

    @settings(max_examples=20)
    @given(data=st.data())
    def test_a_table_filled_under_one_sheet_never_answers_under_another(self, data: st.DataObject) -> None:
        """The same board is searched under every way of turning, scoring and breaking ties, in any order."""
        game = data.draw(strategies.endgames(reference.SHEETS["othello"], 6))
        family = [
            Rules(turns=turns, scoring=scoring, tie=tie, begins=begins)
            for turns in get_args(Turns)
            for scoring in get_args(Scoring)
            for tie, begins in TIES
        ]
        searcher = Searcher(hash_mb=1)
        for rules in data.draw(st.permutations(family)):
            position = position_of(game.board, game.side, rules)

            fresh = Searcher(hash_mb=1).search(position, Limit.solve())
            assert searcher.search(position, Limit.solve()).score == fresh.score
