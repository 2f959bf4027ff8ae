"""A game with people: what it keeps of itself."""

import pytest

from outflank.engine import Colour, Searcher
from outflank.protocol.clock import TimeControl
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.server.movesource import SearchSource
from outflank.protocol.server.session import Session
from outflank.tools.live.localgame import LocalGame


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
