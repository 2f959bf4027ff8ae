"""Lines of moves as GoGui reads them."""

import re

from outflank.engine import PASS, Game, Move, Position, Rules
from outflank.protocol.gtp.arguments import variation
from outflank.tests.protocol.dialogue import Dialogue

# By the rules of 1987 every move from here on names a direction.
AMBIGUOUS = "w d6 b e6 w f5 b g6 w g5"


def test_colours_and_vertices_come_in_turn() -> None:
    assert variation(Position.start(), map(Move.parse, ("d3", "c3", "c4"))) == "b D3 w C3 b C4"
    assert variation(Position.start(), ()) == ""


def test_a_forced_pass_is_part_of_it() -> None:
    position = Game.from_transcript("e6f6c4e7e8d8g7f8").position

    assert variation(position, (PASS, Move.parse("g5"))) == "b PASS w G5"


def test_directions_are_left_out_since_gogui_takes_squares_alone() -> None:
    dialogue = Dialogue(rules=Rules.parse("ravensburger-1987"))
    dialogue.ask(f"gogui-play_sequence {AMBIGUOUS}")

    assert all(move.direction for move in dialogue.session.position.legal_moves())
    assert re.fullmatch(r"b [A-H][1-8]( [bw] ([A-H][1-8]|PASS))*", dialogue.ask("outflank-line"))
