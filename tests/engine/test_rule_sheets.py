"""Every sentence of docs/rules.md about the sheets, tested under its own name, on boards of its own.

The random comparisons with the oracle are in the other files; here each rule stands alone, so that the one
that is broken says so itself. What all sheets share comes last, with what a search sees of it.
"""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import (
    PRESETS,
    Colour,
    Game,
    IllegalMoveError,
    Limit,
    Position,
    Rules,
    Searcher,
)
from outflank.engine.rules import Scoring, Tie, Turns
from outflank.tests.support import reference, strategies
from outflank.tests.support.positions import (
    EIGHT_WAYS_FROM_D4,
    EMPTY,
    FULL_AND_EQUAL,
    OVER_WITH_THREE_EMPTY,
    WHITE_MUST_ALWAYS_PASS,
    board,
    mask_of_names,
    position_of,
    rows,
    rules_of,
    squares,
    start,
    winner_of,
)

BLACK, WHITE = Colour


OTHELLO, DRAW = ("e4 d5", "d4 e5"), None
BOARD_ONLY, TO_THE_WINNER = 38 - 23, 41 - 23  # the score of 38 to 23 with three empty squares


@pytest.mark.parametrize(
    ("name", "colours", "discs", "begins", "tie", "score", "first"),
    [
        ("othello", "Black White", OTHELLO, BLACK, DRAW, TO_THE_WINNER, "d3 c4 f5 e6"),
        ("reveris", "Black White", OTHELLO[::-1], BLACK, DRAW, TO_THE_WINNER, "e3 f4 c5 d6"),
        ("reversi", "Black White", OTHELLO, WHITE, DRAW, BOARD_ONLY, "e3 f4 c5 d6"),
        ("obversi", "Red Yellow", ("d5 e5", "d4 e4"), BLACK, DRAW, BOARD_ONLY, "c3 d3 e3 f3"),
        ("ravensburger-1987", "Red White", OTHELLO, WHITE, DRAW, BOARD_ONLY, "e3 f4 c5 d6"),
        ("ravensburger-2006", "Black Gold", OTHELLO, WHITE, BLACK, BOARD_ONLY, "e3 f4 c5 d6"),
    ],
)
def test_a_sheet_says_the_start_who_begins_ties_and_what_counts(
    name: str,
    colours: str,
    discs: tuple[str, str],
    begins: Colour,
    tie: Colour | None,
    score: int,
    first: str,
) -> None:
    """Where a figure is missing, the start is Othello's, and where a sheet is silent, an equal count is a draw."""
    rules, over = PRESETS[name], Position.parse(OVER_WITH_THREE_EMPTY, PRESETS[name])

    assert rules.colour_names == tuple(colours.split())
    assert start(name).board_string() == board(*discs) + (" X" if begins is BLACK else " O")
    assert squares(start(name)) == first
    assert rules.one_direction == (name == "ravensburger-1987")
    assert rules.shows_hand == (name == "ravensburger-2006")
    assert winner_of(Position.parse(FULL_AND_EQUAL, rules)) is tie
    assert over.is_over
    assert (over.discs(BLACK), over.discs(WHITE), over.empties) == (38, 23, 3)
    assert (over.score(BLACK), over.score(WHITE)) == (score, -score)


def test_othello_is_the_default() -> None:
    assert PRESETS["othello"] == Rules() == Position.start().rules == Game().rules


@pytest.mark.parametrize(
    ("rules", "black", "white", "score"),
    [
        pytest.param("othello", "a1", "h8", 0, id="a draw leaves the empty squares to nobody"),
        pytest.param("othello", "", "c3 d3 e3", -64, id="a wipe-out counts 64 to nothing"),
        pytest.param("othello,scoring=count", "a1 a2 a3", "", 3, id="counted scores may be odd"),
        pytest.param("othello,scoring=count", "", "c3 d3 e3", -3, id="a wipe-out is not 64 if discs count"),
    ],
)
def test_the_score_of_a_finished_game_follows_its_sheet(
    rules: str, black: str, white: str, score: int
) -> None:
    assert Position.parse(board(black, white), Rules.parse(rules)).score() == score


def test_figure_2_black_f5_turning_one_disc_is_legal_from_othello_and_not_from_reveris() -> None:
    assert start("othello").turned("f5") == mask_of_names("e5")
    with pytest.raises(IllegalMoveError, match="f5 is illegal; legal for Black: e3 f4 c5 d6"):
        start("reveris").play("f5")


def test_in_obversi_yellow_f6_turns_d4_and_e5_and_leaves_d6_although_c7_is_yellow() -> None:
    """E5 is turned and would bracket d6 with c7, but only the disc just played brackets."""
    position = Position.parse(board(black="d4 e5 d6", white="c3 c7") + " O", PRESETS["obversi"])

    assert position.turned("f6") == mask_of_names("d4 e5")
    assert position.play("f6").black == mask_of_names("d6")


class TestRavensburger1987:
    # d3 is Black's only square; from there he brackets e3 to the east, d4 to the south and c3 to the west.
    CROSS = board(black="b3 f3 d5", white="c3 e3 d4") + " X"

    def cross(self, rules: str = "ravensburger-1987") -> Position:
        return Position.parse(self.CROSS, Rules.parse(rules))

    @pytest.mark.parametrize(("move", "turned"), [("d3/e", "e3"), ("d3/s", "d4"), ("d3/w", "c3")])
    def test_a_move_turns_one_direction_of_the_movers_choice(self, move: str, turned: str) -> None:
        position = self.cross()
        after = position.play(move)

        assert squares(position) == "d3/e d3/s d3/w"
        assert position.turned(move) == mask_of_names(turned)
        assert after.black == mask_of_names(f"b3 f3 d5 d3 {turned}")
        assert after.white == mask_of_names("c3 e3 d4") & ~mask_of_names(turned)

    @pytest.mark.parametrize(
        ("move", "sentence"),
        [
            ("d3", "d3 needs a direction: d3/e or d3/s or d3/w"),
            ("d3/n", "d3/n is illegal; legal for Red: d3/e d3/s d3/w"),
        ],
    )
    def test_another_move_is_an_error_that_lists_the_choices(self, move: str, sentence: str) -> None:
        with pytest.raises(IllegalMoveError) as caught:
            self.cross().play(move)

        assert str(caught.value) == sentence

    @pytest.mark.parametrize(("direction", "run"), [way[:2] for way in EIGHT_WAYS_FROM_D4])
    def test_directions_are_as_seen_on_the_board_with_north_towards_row_1(
        self, direction: str, run: str
    ) -> None:
        """From d4, with all eight directions bracketing at once."""
        _, white, black = (" ".join(words) for words in zip(*EIGHT_WAYS_FROM_D4, strict=True))
        position = Position.parse(board(black, white) + " X", PRESETS["ravensburger-1987"])

        assert position.turned(f"d4/{direction}") == mask_of_names(run)
        assert position.play(f"d4/{direction}").white == mask_of_names(white) & ~mask_of_names(run)
        assert squares(position) == "d4/n d4/ne d4/e d4/se d4/s d4/sw d4/w d4/nw"

    def test_turns_all_is_its_printed_variant(self) -> None:
        position = self.cross("ravensburger-1987,turns=all")

        assert squares(position) == "d3"
        assert position.turned("d3") == mask_of_names("c3 d4 e3")

    def test_transcripts_separate_moves_by_spaces(self) -> None:
        game = Game(first=self.cross())
        game.play("d3/s")

        assert game.transcript() == "d3/s"
        game.play("a3")
        assert game.transcript() == "d3/s a3"
        again = Game.from_transcript("d3/s a3", first=self.cross())
        assert again.position == game.position


class TestRavensburger2006:
    RULES = PRESETS["ravensburger-2006"]

    @pytest.mark.parametrize(
        ("begins", "over", "winner"),
        [
            pytest.param(BLACK, FULL_AND_EQUAL, WHITE, id="the second player is the one that did not begin"),
            pytest.param(WHITE, board("a1", "h8"), BLACK, id="empty squares are nobody's in a tie"),
            pytest.param(WHITE, OVER_WITH_THREE_EMPTY, BLACK, id="38 to 23 is no tie"),
            pytest.param(BLACK, OVER_WITH_THREE_EMPTY, BLACK, id="whoever began"),
        ],
    )
    def test_the_second_player_wins_ties(self, begins: Colour, over: str, winner: Colour) -> None:
        for side in "XO":
            assert winner_of(Position.parse(f"{over} {side}", replace(self.RULES, begins=begins))) is winner

    def test_turns_all_directions_unless_turns_one_asks_for_the_childrens_variant(self) -> None:
        cross = TestRavensburger1987.CROSS
        children = Rules.parse("ravensburger-2006,turns=one")

        assert squares(Position.parse(cross, self.RULES)) == "d3"
        assert squares(Position.parse(cross, children)) == "d3/e d3/s d3/w"
        assert children.tie == "second"

    def test_a_side_with_none_in_hand_is_given_one_by_the_other(self) -> None:
        """Black, who has the odd one of the three discs left, plays them all; the third was White's.

        So the supply of discs never limits a move, and a game from the position has other hands.
        """
        game = Game(first=Position.parse(WHITE_MUST_ALWAYS_PASS + " X", self.RULES))
        hands = [(game.hand(BLACK), game.hand(WHITE))]
        for move in ("c1", "c4", "c7"):
            game.play(move, BLACK)
            hands.append((game.hand(BLACK), game.hand(WHITE)))

        assert hands == [(2, 1), (1, 1), (0, 1), (0, 0)]
        game.undo()
        game.pass_()
        fresh = Game(first=game.position)
        assert (fresh.hand(BLACK), game.hand(BLACK)) == (1, 0)


# --- All sheets


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
        with pytest.raises(IllegalMoveError, match="a pass is legal only if there is no other move"):
            position.pass_()

    def test_a_side_without_a_move_passes(self, name: str) -> None:
        position = self.position(name, board(black="b1", white="a1") + " X")

        assert position.must_pass
        assert squares(position) == "pass"
        assert position.turned("pass") == 0
        assert position.pass_() == position.play("pass") == position.with_side(WHITE)

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
            with pytest.raises(
                IllegalMoveError, match=r"a move turns discs in every direction, so .* can't name one"
            ):
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
