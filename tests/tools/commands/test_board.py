"""``outflank board``: colours and pixels; what it prints is in transcripts/board.console."""

from pathlib import Path

import pytest

from outflank.engine import PRESETS, Game, Position
from outflank.engine.boardsvg import DISC_COLOURS
from outflank.tests.support.program import outflank
from outflank.tools.report.board import board_text


def test_svg_is_the_positions_own() -> None:
    wanted = Game.from_transcript("f5d6c3").position.svg(size=200, last="c3", legal=False, line=["d3", "c4"])

    words = ("board", "f5d6c3", "--svg", "--size", 200, "--no-legal", "--line", "d3c4")
    assert outflank(*words).stdout == wanted


def test_a_png_has_the_size_that_was_asked_for_and_the_boards_colours(tmp_path: Path) -> None:
    from matplotlib.image import imread

    file = tmp_path / "board.png"
    outflank("board", "f5d6c3", "-o", file, "--size", 90, check=True)
    image = imread(file)

    assert image.shape[:2] == (90, 90)
    d5, c3, h8 = (
        (round(255 * value) for value in image[y, x][:3]) for x, y in ((40, 50), (30, 30), (80, 80))
    )
    assert tuple(d5) == (0xF6, 0xF4, 0xEE)
    assert tuple(h8) == (0x2F, 0x7D, 0x4F)
    assert tuple(c3) == (0xFF, 0x6A, 0x3D)


@pytest.mark.parametrize("name", PRESETS)
def test_a_terminal_shows_the_discs_in_the_colours_of_the_box(name: str) -> None:
    rules = PRESETS[name]
    text = board_text(Position.start(rules), coloured=True)

    for colour in rules.colour_names:
        assert text.count(f"\x1b[38;5;{DISC_COLOURS[colour].terminal}m") == 3  # two on the board, one below
