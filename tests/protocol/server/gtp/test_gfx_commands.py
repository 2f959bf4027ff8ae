"""What GoGui can draw: stable discs, regions by parity, and the best line while it is searched."""

import re
import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import Game, parse_square, square_name
from outflank.engine.search.stability import stable_discs
from outflank.protocol.server.session import Strength
from outflank.tests.support import reference, strategies
from outflank.tests.support.dialogue import PROGRAM, Dialogue
from outflank.tests.support.positions import rules_of

ENDGAME = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X--------"
ENDGAME_DISCS = [
    f"{'bw'['XO'.index(disc)]} {square_name(at)}" for at, disc in enumerate(ENDGAME) if disc != "-"
]


def coloured(answer: str) -> dict[str, set[str]]:
    return {
        colour: set(squares.split())
        for colour, squares in re.findall(r"^COLOR (#[0-9a-f]{6}) (.*)$", answer, re.MULTILINE)
    }


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
    dialogue.ask(f"gogui-setup {' '.join(ENDGAME_DISCS)}")
    dialogue.session.inbox.wait_for_input = lambda seconds: False  # type: ignore[method-assign, assignment, misc]
    answer = dialogue.ask("outflank-live")

    assert answer.startswith("VAR b A2 ")
    assert "PASS" in answer
    assert re.search(r"TEXT \+38, exact, \d+ nodes$", answer)
