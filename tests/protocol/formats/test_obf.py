"""OBF: read as published, written so that it reads back, and told by line and column where it is none."""

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import Position, Rules
from outflank.protocol.formats import obf
from outflank.tests import reference, strategies
from outflank.tests.masks import position_of

BOARD = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
PASSES = "X" * 60 + "OO--" + " O"


def parse(line: str) -> obf.Problem:
    return obf.parse(line, Rules())


def test_a_line_is_a_position_and_the_scores_of_its_moves() -> None:
    problem = parse(f"{BOARD}; G8:+18; H1:+12; A2:+6;")

    assert problem.position == Position.parse(BOARD)
    assert {str(move): score for move, score in problem.scores.items()} == {"g8": 18, "h1": 12, "a2": 6}
    assert problem.score == 18


def test_a_score_without_a_move_is_the_positions_own() -> None:
    problem = parse(f"{BOARD}; -8;")

    assert (problem.score, problem.scores) == (-8, {})


def test_a_bare_position_has_no_score() -> None:
    assert parse(f"{BOARD};").score is None


def test_minus_127_marks_what_has_no_score() -> None:
    assert parse(f"{BOARD}; G8:+18; --:-127;").score == 18


def test_the_side_may_follow_the_board_without_a_blank() -> None:
    assert parse(BOARD.replace(" ", "") + "; G8:+18;").position == Position.parse(BOARD)


def test_a_percent_sign_begins_a_comment() -> None:
    assert parse(f"{BOARD}; G8:+18; % the corner").score == 18
    assert obf.read(["% nothing else", "", "   "], "x.obf", Rules()).problems == ()


@pytest.mark.parametrize(
    ("line", "column", "words"),
    [
        (BOARD[:60] + ";", 61, "64 squares"),
        ("Q" + BOARD[1:], 1, "expected X, O or -"),
        (f"{BOARD}; G8:+18; A8:+2;", 77, "a8"),
        (f"{BOARD}; G8:18x;", 69, "expected a move and its score"),
        (f"{BOARD}; G8:+99;", 69, "from -64 to"),
        (f"{BOARD}; G8:+18; G8:+16;", 77, "one score for each move"),
        (f"{BOARD}; G8:+18; +16;", 77, "one score for each move"),
    ],
)
def test_what_is_no_obf_is_told_with_its_column(line: str, column: int, words: str) -> None:
    with pytest.raises(obf.LineError, match=words) as caught:
        parse(line)

    assert caught.value.column == column


def test_a_bad_line_takes_no_other_with_it() -> None:
    suite = obf.read([f"{BOARD}; G8:+18;", "nonsense", f"{BOARD}; G8:+18;"], "x.obf", Rules())

    assert [problem.line for problem in suite.problems] == [1, 3]
    assert [str(error).startswith("x.obf:2:1: expected") for error in suite.errors] == [True]


def test_a_line_that_is_cut_is_told_where_it_ends() -> None:
    data = f"{BOARD}; G8:+18;{' ' * 70_000}H1:+20;\n{BOARD}; G8:+18;\n".encode()
    suite = obf.read_file(BytesIO(data), "x.obf", Rules())

    assert [problem.line for problem in suite.problems] == [2]
    assert list(map(str, suite.errors)) == [
        "x.obf:1:65537: the line has 65536 bytes or more, which is too long"
    ]


@given(data=st.data())
def test_what_is_written_reads_back(data: st.DataObject) -> None:
    game = data.draw(strategies.games(reference.SHEETS["othello"]))
    position = position_of(game.board, game.side, Rules())
    scores = {move: data.draw(st.integers(-64, 64)) for move in position.legal_moves()}
    problem = obf.Problem(position, scores)

    assert parse(str(problem)) == problem
