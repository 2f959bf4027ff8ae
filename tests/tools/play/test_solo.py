"""The solo game at the terminal: its coloured board, and the figures of many deals."""

import json

import click
import pytest

from outflank.engine import Colour
from outflank.engine.solo.game import DEFAULT_LAYOUT, Chip, Deal, DealerView, Variant
from outflank.tools.play.solo import SoloPrinter, picture, play_many, styled_chip


@pytest.mark.parametrize(
    ("scores", "mean", "deviation", "share"), [([24, 20, 22], 22, 2, 0.3333), ([5], 5, 0, 0)]
)
def test_the_figures_of_many_deals_are_those_of_their_scores(
    scores: list[int], mean: float, deviation: float, share: float, capsys: pytest.CaptureFixture[str]
) -> None:
    printer = SoloPrinter(Variant.CHIPS, True)
    play_many(lambda deal, seed, variant: scores[seed], range(len(scores)), DEFAULT_LAYOUT, printer)

    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (figures["mean"], figures["deviation"], figures["perfect"]) == (mean, deviation, share)


def test_the_picture_has_the_letters_of_the_view_in_columns_and_two_colours() -> None:
    game = DealerView.start(Deal.shuffled(1))
    lines = click.unstyle(picture(game.player_view())).splitlines()
    for _ in range(20):
        view = game.player_view()
        plain = [line.split() for line in click.unstyle(picture(view)).splitlines()]
        assert plain == [line.split() for line in str(view).splitlines()]
        if game.is_over:
            break
        game = game.play(game.legal_moves()[-1])

    assert {line.index("X") for line in lines[4:6] if "X" in line} == {15, 19}
    assert (lines[0].index("d"), lines[0].index("e")) == (15, 19)
    assert click.unstyle(styled_chip(Chip(Colour.BLACK, 7))) == "b7"
    assert styled_chip(Chip(Colour.BLACK, 7)) != styled_chip(Chip(Colour.WHITE, 7)).replace("g", "b")
