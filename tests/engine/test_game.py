"""Games: history, undo and redo, implied passes, hands and transcripts, against the oracle."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from outflank.engine import (
    PASS,
    PRESETS,
    Colour,
    Game,
    IllegalMoveError,
    NotationError,
    Position,
    Rules,
    Turn,
)
from outflank.tests import reference, strategies
from outflank.tests.masks import COLOURS, position_of, rules_of

BLACK_MUST_PASS = Position.parse("OX------" + "-" * 8 + "OX------" + "-" * 40 + "X")
"""White can turn b1 and b3; Black can do nothing, now or later."""


class GameAgainstOracle(RuleBasedStateMachine):
    """A game under rules of any kind, its calls legal and illegal, with the oracle's game beside it."""

    @initialize(named=strategies.sheets())
    def begin(self, named: tuple[str, reference.Sheet]) -> None:
        self.oracle = reference.Game(named[1])
        self.game = Game(rules_of(*named))
        self.undone: list[str] = []

    @precondition(lambda self: self.oracle.choices())
    @rule(pick=st.integers(0, 255), named=st.booleans())
    def play(self, pick: int, named: bool) -> None:
        options = self.oracle.choices()
        move = options[pick % len(options)]
        made = self.game.play(move, COLOURS[self.oracle.side] if named else None)
        self.oracle.play(move)
        self.undone.clear()

        assert str(made) == move

    @rule(move=strategies.bad_moves)
    def play_what_is_no_move(self, move: str) -> None:
        with pytest.raises(NotationError):
            self.game.play(move)

    @rule(square=st.integers(0, 63))
    def play_an_illegal_square(self, square: int) -> None:
        name = reference.name_of(square // 8, square % 8)
        both = {**self.moves("X"), **self.moves("O")}
        if not any(move.startswith(name) for move in both):
            with pytest.raises(IllegalMoveError):
                self.game.play(name)

    @rule()
    def pass_out_of_turn(self) -> None:
        if self.oracle.choices() != ["pass"]:
            with pytest.raises(IllegalMoveError):
                self.game.pass_()

    @rule()
    def undo(self) -> None:
        assert self.game.undo() == bool(self.oracle.played)
        if self.oracle.played:
            self.undone.append(self.oracle.played[-1][3])
            self.oracle.undo()

    @rule()
    def redo(self) -> None:
        assert self.game.redo() == bool(self.undone)
        if self.undone:
            self.oracle.play(self.undone.pop())

    def moves(self, side: str) -> dict[str, Any]:
        return dict(reference.moves(self.oracle.board, side, self.oracle.sheet.turns))

    @invariant()
    def agrees_with_the_oracle(self) -> None:
        position = self.game.position

        assert position == position_of(self.oracle.board, self.oracle.side, self.game.rules)
        assert [str(turn.move) for turn in self.game.turns] == [move for *_, move in self.oracle.played]
        assert {letter: self.game.hand(colour) for letter, colour in COLOURS.items()} == self.oracle.hand


def test_any_sequence_of_calls_agrees_with_the_oracle() -> None:
    run_state_machine_as_test(GameAgainstOracle, settings=settings(max_examples=30, stateful_step_count=60))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_many_long_sequences_of_calls_agree_with_the_oracle() -> None:
    run_state_machine_as_test(GameAgainstOracle, settings=settings(max_examples=500, stateful_step_count=150))


@pytest.mark.parametrize("name", strategies.PRESETS)
@settings(max_examples=30)
@given(data=st.data())
def test_undo_to_the_start_and_redo_to_the_end_visit_the_oracles_boards(
    name: str, data: st.DataObject
) -> None:
    oracle = data.draw(strategies.games(reference.SHEETS[name], whole=True))
    game = Game(PRESETS[name])
    for *_, move in oracle.played:
        game.play(move)
    positions = [position_of(board, side, PRESETS[name]) for board, side, *_ in oracle.played]
    last = position_of(oracle.board, oracle.side, PRESETS[name])

    seen = [game.position]
    while game.undo():
        seen.append(game.position)
    assert seen == [last, *reversed(positions)]
    seen = [game.position]
    while game.redo():
        seen.append(game.position)
    assert seen == [*positions, last]


class TestPlaying:
    """``play``, ``pass_`` and whose turn it is."""

    def test_returns_the_move_and_records_it(self) -> None:
        game = Game()
        made = game.play("F5")

        assert str(made) == "f5"
        assert game.turns == (Turn(Position.start(), made),)
        assert game.turns[0].colour is Colour.BLACK
        assert game.position == Position.start().play("f5")

    def test_begins_with_the_start_of_its_rules_or_with_a_given_position(self) -> None:
        assert Game().position == Position.start()
        assert Game(PRESETS["obversi"]).first == Position.start(PRESETS["obversi"])
        assert Game(first=BLACK_MUST_PASS).first == BLACK_MUST_PASS

    def test_games_are_equal_if_start_and_moves_are(self) -> None:
        game, other = Game.from_transcript("f5d6c3"), Game.from_transcript("F5 D6 C3")
        written, implied = Game(first=BLACK_MUST_PASS), Game(first=BLACK_MUST_PASS)
        written.pass_()
        for game_with_pass in (written, implied):
            game_with_pass.play("c1")

        assert game == other == game.copy()
        assert written == implied
        assert other.undo()
        assert game != other
        assert Game(PRESETS["obversi"]) != Game(PRESETS["ravensburger-1987"])
        assert game != game.turns

    def test_a_move_of_the_other_side_implies_a_forced_pass(self) -> None:
        for colour in (None, Colour.WHITE):
            game = Game(first=BLACK_MUST_PASS)
            game.play("c1", colour)

            assert [str(turn.move) for turn in game.turns] == ["pass", "c1"]
            assert [turn.implied for turn in game.turns] == [True, False]
            assert game.turns[1].colour is Colour.WHITE

    def test_a_colour_may_come_as_its_word(self) -> None:
        """The word for Black was taken for the other side, whose move was made."""
        black: Any = "black"
        white: Any = "white"
        game = Game(first=BLACK_MUST_PASS)
        with pytest.raises(IllegalMoveError, match=r"^expected Black to play pass, got c1$"):
            game.play("c1", black)
        assert len(game) == 0

        game.play("c1", white)
        assert game.turns[1].colour is Colour.WHITE
        assert game.hand(black) == game.hand(Colour.BLACK)

    def test_an_implied_pass_is_undone_and_redone_with_its_move(self) -> None:
        game = Game(first=BLACK_MUST_PASS)
        game.play("c1")

        assert game.undo()
        assert game.position == BLACK_MUST_PASS
        assert game.redo()
        assert [str(turn.move) for turn in game.turns] == ["pass", "c1"]

    def test_a_pass_that_was_written_is_undone_alone(self) -> None:
        game = Game(first=BLACK_MUST_PASS)
        game.pass_()
        game.play("c1")

        assert game.undo()
        assert [turn.move for turn in game.turns] == [PASS]

    def test_a_move_out_of_turn_is_refused_unless_the_other_side_must_pass(self) -> None:
        game = Game()
        with pytest.raises(IllegalMoveError, match=r"^Black is to move, got a move for White$"):
            game.play("d3", Colour.WHITE)

        assert game.turns == ()

    @pytest.mark.parametrize("preset", PRESETS)
    def test_refusals_name_the_colours_as_the_rules_print_them(self, preset: str) -> None:
        """The board says "Gold to move", so nobody reads "expected white to play" below it."""
        rules = PRESETS[preset]
        mover, other = rules.colour_name(rules.begins), rules.colour_name(rules.begins.other)
        for bad, colour, words in (
            ("a1", None, f"expected {mover} to play "),
            ("pass", None, f"expected {mover} to play "),
            ("a1", rules.begins.other, f"{mover} is to move, got a move for {other}"),
        ):
            with pytest.raises(IllegalMoveError, match=f"^{words}"):
                Game(rules).play(bad, colour)

    def test_a_failed_move_behind_an_implied_pass_changes_nothing(self) -> None:
        game = Game(first=BLACK_MUST_PASS)
        game.play("c1")
        game.undo()
        for bad in ("h8", "zz"):
            with pytest.raises((IllegalMoveError, NotationError)):
                game.play(bad, Colour.WHITE)

        assert game.turns == ()
        assert game.position == BLACK_MUST_PASS
        assert game.redo()

    def test_a_new_move_forgets_what_was_undone(self) -> None:
        game = Game()
        game.play("f5")
        game.undo()
        game.play("d3")

        assert not game.redo()

    def test_nothing_to_undo_or_redo_is_not_an_error(self) -> None:
        assert not Game().undo()
        assert not Game().redo()

    def test_a_directed_move_is_recorded_without_its_direction_where_there_is_no_choice(self) -> None:
        """d3 brackets to the south only."""
        game = Game(Rules(turns="one"))

        assert str(game.play("d3/s")) == "d3"


class TestHands:
    """Discs in hand."""

    def test_each_side_has_thirty_left_when_four_lie_on_the_board(self) -> None:
        assert [Game().hand(colour) for colour in Colour] == [30, 30]

    def test_each_disc_played_comes_from_the_players_hand(self) -> None:
        game = Game()
        game.play("f5")

        assert (game.hand(Colour.BLACK), game.hand(Colour.WHITE)) == (29, 30)

    def test_an_odd_disc_is_the_first_players(self) -> None:
        game = Game(first=Position.parse("OX-" + "X" * 61 + "O"))

        assert (game.hand(Colour.BLACK), game.hand(Colour.WHITE)) == (0, 1)
