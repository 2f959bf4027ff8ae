"""At the terminal: what a game keeps of itself, and the solo game's coloured board and figures of many deals."""

import json

import click
import pytest

from outflank.engine import Colour, Searcher
from outflank.engine.solo.game import DEFAULT_LAYOUT, Chip, Deal, DealerView, Variant
from outflank.protocol.clock import TimeControl
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.session import Session
from outflank.tools.play.localgame import LocalGame
from outflank.tools.play.solo import SoloPrinter, picture, play_many, styled_chip


@pytest.mark.parametrize(
    ("control", "clock"),
    [
        ("none", ""),
        ("10m+0", "10:00"),
        ("5m+3s", "5:00/0:03"),
        ("5m+30s/10", "300 s, overtime 10/30 canadian"),
        ("30s", "0 s, overtime 1/30 canadian"),
        ("60+0.5", "60 s, overtime 0.5 fischer"),
    ],
)
def test_the_clock_is_recorded_as_game_files_have_it(control: str, clock: str) -> None:
    session = Session(SearchSource(Searcher(1)))
    game = LocalGame(session, AnnotatedGame(), frozenset(Colour), TimeControl.parse(control), "Ada")

    assert game.record().clock == clock


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
