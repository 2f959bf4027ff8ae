"""Games: history, undo, passes and hands, against the oracle; as Python's own types are used; and how they end."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
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
    Outcome,
    Position,
    Rules,
    SettingsError,
)
from outflank.tests.support import reference, strategies
from outflank.tests.support.positions import BLACK_MUST_PASS, COLOURS, position_of, rules_of

WIPE_OUT = "f5d6c5f4e3f6g5e6e7"
BLACK, WHITE = Colour


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


class TestPlaying:
    def test_games_are_equal_if_start_and_moves_are(self) -> None:
        game, other = Game.from_transcript("f5d6c3"), Game.from_transcript("F5 D6 C3")
        written, implied = Game(first=BLACK_MUST_PASS), Game(first=BLACK_MUST_PASS)
        written.pass_()
        for game_with_pass in (written, implied):
            game_with_pass.play("c1")

        assert game == other == game.copy()
        assert written == implied
        assert written.undo()
        assert [turn.move for turn in written.turns] == [PASS]
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
            assert game.undo()
            assert game.position == BLACK_MUST_PASS
            assert game.redo()
            assert [str(turn.move) for turn in game.turns] == ["pass", "c1"]

    def test_a_colour_may_come_as_its_word(self) -> None:
        """The word for Black was taken for the other side, whose move was made."""
        black: Any = "black"
        white: Any = "white"
        game = Game(first=BLACK_MUST_PASS)
        with pytest.raises(IllegalMoveError, match=r"^c1 is illegal; legal for Black: pass$"):
            game.play("c1", black)
        assert len(game) == 0

        game.play("c1", white)
        assert game.turns[1].colour is Colour.WHITE
        assert game.hand(black) == game.hand(Colour.BLACK)

    @pytest.mark.parametrize("preset", PRESETS)
    def test_refusals_name_the_colours_as_the_rules_print_them(self, preset: str) -> None:
        """The board says "Gold to move", so nobody reads "legal for White" below it."""
        rules = PRESETS[preset]
        mover, other = rules.colour_name(rules.begins), rules.colour_name(rules.begins.other)
        for bad, colour, words in (
            ("a1", None, f"a1 is illegal; legal for {mover}: "),
            ("pass", None, f"a pass is legal only if there is no other move; legal for {mover}: "),
            ("a1", rules.begins.other, f"expected a move for {mover}, got a move for {other}"),
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

    def test_a_directed_move_is_recorded_without_its_direction_where_there_is_no_choice(self) -> None:
        """d3 brackets to the south only."""
        game = Game(Rules(turns="one"))

        assert str(game.play("d3/s")) == "d3"
        assert Position.start(game.rules).play("d3/s") == game.position


def test_a_game_is_the_sequence_of_its_turns() -> None:
    game = Game.from_transcript("f5d6c3")

    assert len(game) == 3
    assert tuple(game) == game.turns
    assert (game[0], game[-1], game[1:]) == (game.turns[0], game.turns[2], game.turns[1:])
    assert [str(turn.move) for turn in reversed(game)] == ["c3", "d6", "f5"]
    assert len(Game()) == 0
    assert Game(), "a game without turns is no false value"
    assert game[np.int64(1)] == game.turns[1]  # type: ignore[call-overload]
    with pytest.raises(IndexError):
        game[3]


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


def test_a_game_is_printed_as_its_board_and_its_repr_has_the_first_one() -> None:
    given = Game(first=Position.parse("OX------" + "-" * 56 + "X", Rules.parse("reversi")))

    assert eval(repr(given)).first == given.first
    assert str(Game()) == str(Position.start())
    assert str(Game.from_transcript("f5d6")) == str(Position.start().play("f5").play("d6"))


@pytest.mark.parametrize(
    ("board", "rules", "outcome", "text"),
    [
        ("X" * 40 + "O" * 24, "othello", Outcome(BLACK, 16, "full board", "discs"), "B+16"),
        ("X" * 32 + "O" * 32, "othello", Outcome(None, 0, "full board", "draw"), "0"),
        ("X" * 32 + "O" * 32, "ravensburger-2006", Outcome(BLACK, 0, "full board", "second"), "B+0"),
        ("OO" + "-" * 62, "othello", Outcome(WHITE, 64, "wipe-out", "discs"), "W+64"),
        ("OO" + "-" * 62, "reversi", Outcome(WHITE, 2, "wipe-out", "discs"), "W+2"),
        ("OO" + "-" * 61 + "X", "othello", Outcome(WHITE, 63 - 1, "no moves", "discs"), "W+62"),
        ("OO" + "-" * 61 + "X", "reversi", Outcome(WHITE, 1, "no moves", "discs"), "W+1"),
    ],
)
def test_the_end_of_a_game_is_told_with_its_reasons(
    board: str, rules: str, outcome: Outcome, text: str
) -> None:
    for side in "XO":
        assert Position.parse(f"{board} {side}", PRESETS[rules]).outcome() == outcome
    assert str(outcome) == text
    assert outcome.margin_of(WHITE) == -outcome.margin_of(BLACK)
    assert (outcome.margin_of(BLACK) < 0) == text.startswith("W")


def test_a_game_begins_with_the_start_of_its_rules_or_with_a_position() -> None:
    position = Position.start(Rules.parse("reversi"))
    game = Game(position)

    assert (game.first, game.rules, game.position) == (position, position.rules, position)
    assert Game().position == Position.start()
    assert Game(PRESETS["obversi"]).first == Position.start(PRESETS["obversi"])
    assert Game(first=BLACK_MUST_PASS).first == BLACK_MUST_PASS
    assert Game(position, position) == game == Game.from_transcript("", position)
    with pytest.raises(SettingsError, match=r"^expected one starting position, got "):
        Game(position, Position.start())


def test_a_game_knows_its_moves_its_end_and_what_is_legal() -> None:
    game = Game.from_transcript("f5d6c3")

    assert game.moves == tuple(turn.move for turn in game.turns)
    assert list(map(str, game.moves)) == ["f5", "d6", "c3"]
    assert game.legal_moves() == game.position.legal_moves()
    assert "d3" in game.legal_moves()
    assert not game.is_over
    assert Game(Position.parse("X" * 64)).is_over
