"""What the answers of engines to ``genmove`` mean: moves and their worth."""

import pytest

from outflank.protocol.opponent.choice import Choice, genmove_command, genmove_line, read_choice
from outflank.protocol.opponent.client import Answer

KATA = "info move d3 visits 81 winrate 0.61 scoreMean {0} scoreLead {0} prior 0.2 order 0 pv d3 c3"


def test_the_command_that_tells_most_is_chosen_and_genmove_if_there_is_none() -> None:
    assert genmove_command(frozenset({"genmove", "lz-genmove_analyze"})) == "lz-genmove_analyze"
    assert (
        genmove_command(frozenset({"kata-genmove_analyze", "lz-genmove_analyze"})) == "kata-genmove_analyze"
    )
    assert genmove_command(frozenset()) == "genmove"
    assert genmove_line("genmove", "black") == "genmove black"
    assert genmove_line("kata-genmove_analyze", "white") == "kata-genmove_analyze white 50"


def test_the_last_report_counts() -> None:
    text = f"{KATA.format('1.00')}\n{KATA.format('-2.50')}\nplay d3"

    assert read_choice(Answer(True, text, 0.1)) == Choice(True, "d3", 0.1, -2.5)


def test_the_value_is_that_of_the_move_played() -> None:
    text = f"{KATA.format('1.00')} info move C4 scoreLead 3.5 order 1 pv c4\nplay c4"

    assert read_choice(Answer(True, text, 0.1)).value == 3.5


def test_a_move_without_a_report_has_the_value_of_the_first() -> None:
    assert read_choice(Answer(True, f"{KATA.format('1.00')}\nplay c4", 0.1)).value == 1.0


@pytest.mark.parametrize(
    ("text", "from_book"),
    [
        ("info move d3 scoreLead 1.0 book 1 bound exact pv d3 info move c4 book 0 pv c4\nplay d3", True),
        ("info move c4 book 1 pv c4 info move d3 book 0 pv d3\nplay d3", False),
        ("info move d3 book 1 pv d3\ninfo move d3 book 0 pv d3\nplay D3", False),
        ("info move d3 pv d3 book 1\nplay d3", None),
        ("info move c4 book 1 pv c4\nplay d3", None),
        ("play d3", None),
        ("d3", None),
    ],
)
def test_whether_a_move_came_from_a_book_is_read(text: str, from_book: bool | None) -> None:
    assert read_choice(Answer(True, text, 0.1)).from_book is from_book


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("play d3", "d3"),
        ("info move d3 visits 5 winrate 5312 order 0 pv d3\nplay d3", "d3"),
        ("info move d3 scoreLead 1e9 pv d3\nplay d3", "d3"),
        ("info move d3 scoreLead 400.0 pv d3\nplay d3", "d3"),
        ("info move d3 scoreLead nan pv d3\nplay d3", "d3"),
        ("info move d3 pv d3 scoreLead 5.0\nplay d3", "d3"),
        ("info move pv d3\nplay d3", "d3"),
        ("info move d3\nplay d3", "d3"),
        (f"info move d3 scoreLead {'9' * 5000} pv d3\nplay d3", "d3"),
        ("info nothing at all\nplay resign", "resign"),
        ("info\nplay pass", "pass"),
        ("d3", "d3"),
        ("", ""),
        ("play", ""),
        ("info move d3 scoreLead 1.0 pv d3", "info move d3 scoreLead 1.0 pv d3"),
    ],
)
def test_what_says_nothing_has_no_value(text: str, move: str) -> None:
    choice = read_choice(Answer(True, text, 0.1))

    assert (choice.text, choice.value) == (move, None)


def test_a_block_without_a_move_takes_no_other_with_it() -> None:
    text = f"info move pv c4 {KATA.format('1.00')} info move pv e6\nplay d3"

    assert read_choice(Answer(True, text, 0.1)) == Choice(True, "d3", 0.1, 1.0)


def test_a_failure_stays_a_failure() -> None:
    assert read_choice(Answer(False, "play d3", 0.1)) == Choice(False, "play d3", 0.1)
