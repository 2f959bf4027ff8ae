"""What each opening was worth."""

import pytest

from outflank.tools.match.stats.ratings import OpeningRow, opening_table


def test_each_opening_has_a_row_in_the_order_of_the_games() -> None:
    games = [("x", 1.0, 10.0), ("y", 0.0, -2.0), ("x", 0.5, 0.0), ("x", 0.0, None)]

    assert opening_table(games) == [
        OpeningRow("x", games=3, black_wins=1, draws=1, white_wins=1, margin=5.0),
        OpeningRow("y", games=1, black_wins=0, draws=0, white_wins=1, margin=-2.0),
    ]


def test_without_a_game_played_to_the_end_there_is_no_margin() -> None:
    assert opening_table([("x", 1.0, None)])[0].margin is None
    assert opening_table([]) == []


@pytest.mark.parametrize(
    ("black", "draws", "white", "one_sided"),
    [
        (4, 0, 0, True),
        (0, 0, 4, True),
        (3, 0, 0, False),
        (4, 1, 0, True),
        (3, 1, 0, False),
        (2, 0, 2, False),
        (9, 0, 1, True),
        (1, 0, 9, True),
        (0, 1, 4, True),
        (17, 2, 1, True),
        (1, 2, 17, True),
        (89, 0, 11, False),
        (11, 0, 89, False),
    ],
)
def test_an_opening_that_one_colour_always_wins_is_one_sided(
    black: int, draws: int, white: int, one_sided: bool
) -> None:
    row = OpeningRow("x", black + draws + white, black, draws, white, None)

    assert row.black_share == (black + draws / 2) / (black + draws + white)
    assert row.is_one_sided is one_sided
