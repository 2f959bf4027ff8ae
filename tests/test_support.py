"""What tests rest on: the oracle against published counts and facts that anyone can check by hand, and the stalls."""

import pytest

from outflank.tests.support import processes, reference
from outflank.tests.support.processes import StallMeter, judge_calmly


@pytest.mark.parametrize(
    ("start", "published"),
    [("diagonal", [1, 4, 12, 56, 244, 1396]), ("parallel-north", [1, 4, 14, 68, 292, 1690])],
)
def test_counts_the_published_leaves(start: str, published: list[int]) -> None:
    board = reference.start_board(start)

    assert published == [reference.leaves(board, "X", "all", depth, pass_is_free=False) for depth in range(6)]


def test_has_eight_different_symmetries_with_the_identity_first() -> None:
    board = reference.board_of("XO-O" + "-" * 60)
    images = [reference.text_of(image(board)) for image in reference.SYMMETRIES]

    assert images[0] == reference.text_of(board)
    assert len(set(images)) == 8


def test_a_quarter_turn_takes_the_top_left_corner_to_the_top_right() -> None:
    corner = reference.board_of("X" + "-" * 63)

    assert reference.SYMMETRIES[1](corner)[0][7] == "X"


def test_a_pass_is_a_ply_unless_it_is_free() -> None:
    """Black has to pass; White then turns b1 and b3 in either order, Black passing in between."""
    board = reference.board_of("OX------" + "-" * 8 + "OX------" + "-" * 40)

    assert reference.choices(board, "X", "all") == ["pass"]
    assert [reference.leaves(board, "X", "all", depth, False) for depth in range(5)] == [1, 1, 2, 2, 2]
    assert [reference.leaves(board, "X", "all", depth, True) for depth in range(4)] == [1, 2, 2, 2]


def test_deals_a_side_without_a_disc_in_hand_one_of_the_other_sides() -> None:
    """Black moves three times running while White can't: two discs are his own, the third was White's."""
    rows = ["XXXXXXXX"] * 8
    for row in (0, 3, 6):
        rows[row] = "XO-XXXXX"
    game = reference.Game(reference.Sheet(), reference.board_of("".join(rows)))
    hands = [(game.hand["X"], game.hand["O"])]
    for move in ("c1", "pass", "c4", "pass", "c7"):
        game.play(move)
        hands.append((game.hand["X"], game.hand["O"]))

    assert hands == [(2, 1), (1, 1), (1, 1), (0, 1), (0, 1), (0, 0)]
    assert game.choices() == []


@pytest.mark.parametrize("name", list(reference.CENTRES))
def test_every_start_has_two_discs_of_each_colour(name: str) -> None:
    board = reference.start_board(name)

    assert [reference.count(board, letter) for letter in "XO-"] == [2, 2, 60]


def fails(meter: StallMeter) -> None:
    """Last long enough to be watched, and fail."""
    while not meter.seconds:
        pass
    raise AssertionError("too late")


def test_what_fails_once_may_pass_the_next_time() -> None:
    seen: list[StallMeter] = []

    def judge(meter: StallMeter) -> None:
        seen.append(meter)
        assert len(seen) == 2

    judge_calmly(judge)

    assert len(seen) == 2


@pytest.mark.parametrize(("running", "outcome"), [(1, pytest.fail.Exception), (1000, pytest.skip.Exception)])
def test_what_always_fails_is_the_machines_doing_only_where_that_is_crowded(
    running: int, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_running", lambda: running)

    with pytest.raises(outcome, match="too late"):
        judge_calmly(fails)
