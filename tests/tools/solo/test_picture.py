"""The coloured board shows what the plain one does."""

import click

from outflank.engine import Colour
from outflank.engine.solo.game import Chip, Deal, DealerView
from outflank.tools.play.solo import picture, styled_chip


def test_the_letters_are_those_of_the_view_at_every_move() -> None:
    game = DealerView.start(Deal.shuffled(1))
    for _ in range(20):
        view = game.player_view()
        plain = [line.split() for line in click.unstyle(picture(view)).splitlines()]
        assert plain == [line.split() for line in str(view).splitlines()]
        if game.is_over:
            break
        game = game.play(game.legal_moves()[-1])


def test_columns_stand_below_each_other() -> None:
    lines = click.unstyle(picture(DealerView.start(Deal.shuffled(1)).player_view())).splitlines()

    assert {line.index("X") for line in lines[4:6] if "X" in line} == {15, 19}
    assert (lines[0].index("d"), lines[0].index("e")) == (15, 19)


def test_chips_of_either_colour_look_different() -> None:
    assert click.unstyle(styled_chip(Chip(Colour.BLACK, 7))) == "b7"
    assert styled_chip(Chip(Colour.BLACK, 7)) != styled_chip(Chip(Colour.WHITE, 7)).replace("g", "b")
