"""What GoGui can draw: stable discs, regions by parity, and the best line while it is searched."""

import re
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import Game, Rules, parse_square, square_name
from outflank.engine.search.stability import stable_discs
from outflank.protocol.server.session import Strength
from outflank.tests.support import reference, strategies
from outflank.tests.support.dialogue import PROGRAM, Dialogue
from outflank.tests.support.positions import rules_of

# a1 b1 a2 are empty and touch; so do h8 and g7, by a corner; d4 is alone.
REGIONS = "--XXXXXX-XXXXXXXXXXXXXXXXXX-XXXXOOOOOOOOOOOOOOOOOOOOOO-OOOOOOOO-"
ENDGAME = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X--------"


def set_up(dialogue: Dialogue, board: str) -> None:
    discs = [
        f"{'b' if letter == 'X' else 'w'} {square_name(square)}"
        for square, letter in enumerate(board)
        if letter != "-"
    ]
    dialogue.ask(f"gogui-setup {' '.join(discs)}")


def coloured(answer: str) -> dict[str, set[str]]:
    return {
        colour: set(squares.split())
        for colour, squares in re.findall(r"^COLOR (#[0-9a-f]{6}) (.*)$", answer, re.MULTILINE)
    }


def test_stable_discs_have_a_colour_for_each_side() -> None:
    dialogue = Dialogue()
    set_up(dialogue, "XXX-----XX------" + "-" * 47 + "O")

    assert dialogue.ask("outflank-stable").splitlines() == [
        "COLOR #6f8fc4 A1 B1 C1 A2 B2",
        "COLOR #e0b870 H8",
        "TEXT stable discs: Black 5, White 1",
    ]


@settings(max_examples=30)
@given(data=st.data(), named=strategies.sheets())
def test_stable_discs_are_those_that_the_search_knows(
    data: st.DataObject, named: tuple[str, reference.Sheet]
) -> None:
    game = Game(rules_of(*named))
    for *_, move in data.draw(strategies.games(named[1])).played:
        game.play(move)
    dialogue = Dialogue()
    dialogue.session.resume(game)
    answer, position = dialogue.ask("outflank-stable"), game.position
    marked = {square for squares in coloured(answer).values() for square in squares}
    if game.rules.one_direction:
        assert answer == "TEXT stable discs: unknown by rules that turn one direction"
    else:
        wanted = stable_discs(position.own, position.opp) | stable_discs(position.opp, position.own)
        assert sum(1 << parse_square(square) for square in marked) == wanted


def test_regions_are_coloured_by_parity() -> None:
    dialogue = Dialogue()
    set_up(dialogue, REGIONS)
    answer = dialogue.ask("outflank-parity")

    assert coloured(answer) == {"#d98880": {"A1", "B1", "A2", "D4"}, "#7dbb8a": {"G7", "H8"}}
    assert answer.splitlines()[2:] == [
        "LABEL A1 3",
        "LABEL D4 1",
        "LABEL G7 2",
        "TEXT regions: 2 odd, 1 even",
    ]


def test_regions_do_not_reach_round_the_edge() -> None:
    dialogue = Dialogue()
    set_up(dialogue, "X" * 7 + "-" + "-" + "X" * 55)

    assert dialogue.ask("outflank-parity").splitlines()[1:3] == ["LABEL H1 1", "LABEL A2 1"]


def test_the_start_is_one_even_region() -> None:
    assert Dialogue().ask("outflank-parity").splitlines()[-1] == "TEXT regions: 0 odd, 1 even"


def live(*lines: str) -> tuple[str, str]:
    """Standard output and error of the program: the last line is sent once something has been drawn."""
    with subprocess.Popen(
        PROGRAM, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin is not None
        assert program.stderr is not None
        *first, last = lines
        program.stdin.write("".join(f"{line}\n" for line in first))
        program.stdin.flush()
        drawn = ""
        while "VAR" not in drawn:
            drawn += program.stderr.readline()
        program.stdin.write(f"{last}\nquit\n")
        program.stdin.close()
        assert program.stdout is not None
        return program.stdout.read(), drawn + program.stderr.read()


def test_the_best_line_is_drawn_live_until_a_line_comes() -> None:
    out, err = live("play b f5", "outflank-live", "# interrupt")
    drawings = err.strip().split("\n\n")

    for drawing in drawings[:-1]:
        assert re.fullmatch(
            r"gogui-gfx:\nVAR w [A-H][1-8]( [bw] [A-H][1-8])*\nTEXT [+-]\S+, \d+ plies at \d+ %, \d+ nodes",
            drawing,
        )
    assert drawings[-1] == "gogui-gfx:\nCLEAR"
    assert re.fullmatch(r"=\n\n= VAR w (.*)\nTEXT (.*) nodes\n\n=\n\n", out)


def test_a_solved_game_ends_it() -> None:
    dialogue = Dialogue(strength=Strength(depth=1))
    set_up(dialogue, ENDGAME)
    dialogue.session.inbox.wait_for_input = lambda seconds: False  # type: ignore[method-assign, assignment, misc]
    answer = dialogue.ask("outflank-live")

    assert answer.startswith("VAR b A2 ")
    assert "PASS" in answer
    assert re.search(r"TEXT \+38, exact, \d+ nodes$", answer)


def test_a_game_that_is_over_has_no_line() -> None:
    dialogue = Dialogue()
    dialogue.ask("gogui-play_sequence b f5 w d6 b c5 w f4 b e3 w f6 b g5 w e6 b e7")

    assert dialogue.ask("outflank-live") == "TEXT the game is over"


@pytest.mark.parametrize("command", ["outflank-stable", "outflank-parity"])
def test_drawing_changes_nothing(command: str) -> None:
    dialogue = Dialogue(rules=Rules.parse("reversi"))
    before = dialogue.state()
    dialogue.ask(command)

    assert dialogue.state() == before
