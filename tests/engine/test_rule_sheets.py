"""Every sentence of docs/rules.md about one sheet, tested under its own name, on boards of its own.

The random comparisons with the oracle are in the other files; here each rule stands alone, so that the one
that is broken says so itself. test_every_sheet.py has what the sheets share.
"""

from dataclasses import replace

import pytest

from outflank.engine import PRESETS, Colour, Game, IllegalMoveError, Position, Rules
from outflank.tests.support.positions import (
    EIGHT_WAYS_FROM_D4,
    FULL_AND_EQUAL,
    OVER_WITH_THREE_EMPTY,
    WHITE_MUST_ALWAYS_PASS,
    board,
    mask_of_names,
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
