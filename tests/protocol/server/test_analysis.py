"""Analysis while the controller watches: the stream's form, its arguments, and that it ends at once."""

import re
import threading
import time

import pytest

from outflank.engine import SQUARE_NAMES, Colour, Game
from outflank.protocol.lines import Inbox
from outflank.protocol.server.movesource import MoveVariety
from outflank.protocol.server.session import Strength
from outflank.tests.support.dialogue import Dialogue, Program, put
from outflank.tests.support.positions import CUT_SHORT

SEARCHED = r"depth \d+ prob \d+ exact [01] book 0 bound exact pv [a-h][1-8]( [a-h][1-8]| pass)*"
LZ_BLOCK = re.compile(
    rf"info move ([a-h][1-8]) visits \d+ winrate \d+ prior \d+ lcb \d+ order (\d+) {SEARCHED}"
)
KATA_BLOCK = re.compile(
    r"info move ([a-h][1-8]) visits \d+ utility -?\d\.\d+ winrate \d\.\d+ scoreMean -?\d+\.\d+ "
    rf"scoreLead -?\d+\.\d+ prior \d\.\d+ lcb \d\.\d+ order (\d+) {SEARCHED}"
)
# Black to move and lose by ten; only h2, f1 and e2 are legal.
FOUR_EMPTIES = Game.from_transcript(
    "c4c5b6d3c2a7d6e7d7e3b5d2f7b1b7c6e6e8d1a8c7a4b8c3f5e1b3c1b2a2d8f8a1f6g7g4b4a3g8a6g5g6a5h7h3g3g2h6f2g1f4h8h5f3h1h4"
)
PATTERNS = {"lz": LZ_BLOCK, "kata": KATA_BLOCK}


def watch(command: str, seconds: float = 0.3, rules: str = "othello", setup: str = "komi 0") -> list[str]:
    """Return the lines of an analysis that is watched so long, without the opening and the closing one."""
    inbox = Inbox()
    dialogue = Dialogue(inbox=inbox)
    dialogue.ask(f"outflank-rules {rules}")
    dialogue.ask(setup)
    threading.Timer(seconds, put, [inbox, ""]).start()

    answer = dialogue.send(f"7 {command}")

    assert answer.startswith("=7\n")
    assert answer.endswith("\n\n")
    return answer.removeprefix("=7\n")[:-1].splitlines()


def blocks(line: str) -> list[str]:
    return [f"info{part}".rstrip() for part in line.split("info")[1:]]


@pytest.mark.parametrize("kind", ["lz", "kata"])
def test_every_move_is_told_in_order_again_and_again(kind: str) -> None:
    lines = watch(f"{kind}-analyze b 5", 0.5)

    assert len(lines) > 3
    for line in lines:
        matches = [PATTERNS[kind].fullmatch(block) for block in blocks(line)]
        assert all(matches), line
        assert {match[1] for match in matches if match} == {"d3", "c4", "f5", "e6"}
        assert [match[2] for match in matches if match] == ["0", "1", "2", "3"]


def test_the_colour_and_the_interval_may_be_left_out_or_named() -> None:
    assert watch("lz-analyze 5")
    assert watch("lz-analyze interval 5")
    assert watch("lz-analyze b interval 5")
    assert watch("lz-analyze white 5")
    assert not watch("lz-analyze")  # a line each second is the default


def test_moves_may_be_restricted() -> None:
    assert "move d3" not in watch("lz-analyze b 5 avoid b d3,c4 1")[-1]
    assert len(blocks(watch("lz-analyze b 5 allow b d3,c4 1")[-1])) == 2
    assert len(blocks(watch("lz-analyze b 5 avoid w d3,c4 1")[-1])) == 4
    assert len(blocks(watch("lz-analyze b 5 maxmoves 3 minmoves 2")[-1])) == 3


def test_the_root_is_told_behind_all_moves_on_request() -> None:
    """Where KataGo has it: its readers cut the line at ``rootInfo`` and take each block before it for a move."""
    assert "rootInfo" not in watch("kata-analyze b 5 rootInfo false")[-1]
    line = watch("kata-analyze b 5 rootInfo true ownership true")[-1]

    told = blocks(line.partition(" rootInfo ")[0])
    assert len(told) == 4
    assert all(map(KATA_BLOCK.fullmatch, told))
    assert re.search(r" rootInfo visits \d+ winrate 0\.\d+ scoreLead -?\d+\.\d+ utility -?0\.\d+$", line)


def test_a_finished_game_gives_an_empty_stream_and_a_forced_pass_is_analysed() -> None:
    assert watch("lz-analyze b 5", setup="gogui-setup b a1 w h8") == []
    lines = watch("lz-analyze b 5", setup="gogui-play_sequence b d3 w c3 b e6 w d2 b d1 w e1 b b2 w c1")

    assert lines
    assert all(line.startswith("info move pass visits ") for line in lines)


def test_a_solved_position_is_told_again_until_a_line_comes() -> None:
    moves = " ".join(f"{turn.colour} {turn.move}" for turn in FOUR_EMPTIES.turns)
    lines = watch("kata-analyze b 5", 0.6, setup=f"gogui-play_sequence {moves}")

    assert len(lines) > 3
    assert lines[-1] == lines[-2]
    told = re.findall(r"move (..) .*? winrate (\S+) .*? scoreLead (\S+) .*? exact (.)", lines[-1])
    assert sorted(told) == [
        ("e2", "0.0000", "-20.00", "1"),
        ("f1", "0.0000", "-10.00", "1"),
        ("h2", "0.0000", "-10.00", "1"),
    ]


def test_a_tie_that_the_rules_decide_is_won_or_lost() -> None:
    """By this tie rule White wins with a final score of 0."""
    board = "XO-OOOX-XXXXXXXOXXXXXXX-XXXXXOXXOOXXXOOOOOOOXXOXOOO-XOXX-OOOXXXX"
    discs = [
        f"{'b' if board[at] == 'X' else 'w'} {name}"
        for at, name in enumerate(SQUARE_NAMES)
        if board[at] != "-"
    ]
    line = watch("kata-analyze w 5", rules="othello,tie=second", setup=f"gogui-setup {' '.join(discs)}")[-1]

    assert re.search(r" utility 1\.0000 winrate 1\.0000 scoreMean 0\.00 .* exact 1 ", blocks(line)[0])


def test_directions_are_part_of_the_moves() -> None:
    lines = watch("lz-analyze w 5", rules="ravensburger-1987", setup="gogui-play_sequence w f4 b f5")

    assert "info move d6/n " in lines[-1]
    assert "info move d6/ne " in lines[-1]


@pytest.mark.parametrize("kind", ["lz", "kata"])
def test_a_move_may_be_chosen_aloud(kind: str) -> None:
    dialogue = Dialogue(strength=Strength(depth=6))

    answer = dialogue.send(f"3 {kind}-genmove_analyze b 0")

    assert answer.startswith("=3\n")
    *lines, last = answer[3:].strip().splitlines()
    assert lines
    assert all(PATTERNS[kind].fullmatch(line) for line in lines)
    assert re.fullmatch(r"play [a-h][1-8]", last)
    assert dialogue.session.game.transcript() == last.removeprefix("play ")


def test_what_the_chosen_move_rests_on_is_told_however_long_the_interval() -> None:
    dialogue = Dialogue(strength=Strength(depth=6))

    lines = dialogue.ask("kata-genmove_analyze b 100000").strip().splitlines()

    assert [line.split()[0] for line in lines] == ["info", "info", "play"]
    assert " depth 6 " in lines[1]
    assert lines[1].split()[2] == lines[2].split()[1]


def test_the_last_line_is_about_the_move_where_a_limit_cut_the_search() -> None:
    dialogue = Dialogue(strength=Strength(nodes=3000))
    dialogue.session.resume(Game(CUT_SHORT))

    lines = dialogue.ask("lz-genmove_analyze w 0").strip().splitlines()

    assert lines[-2].split()[2] != lines[-3].split()[2]
    assert lines[-2].split()[2] == lines[-1].split()[1]


def test_a_move_drawn_for_variety_is_none_that_is_avoided() -> None:
    for seed in range(20):
        dialogue = Dialogue(seed, variety=MoveVariety(64))

        assert not dialogue.ask("lz-genmove_analyze b avoid b d3 1").endswith("play d3")


def test_a_move_chosen_among_some_takes_its_time_from_the_clock() -> None:
    dialogue = Dialogue(strength=Strength(depth=4))
    dialogue.ask("kata-time_settings absolute 900")
    dialogue.ask("lz-genmove_analyze b avoid b d3 1")
    left = dialogue.session.clocks[Colour.BLACK].reading

    assert left is not None
    assert 890 < left.remaining < 900


@pytest.mark.parametrize(
    "times", [200, pytest.param(5000, marks=[pytest.mark.slow, pytest.mark.timeout(600)])]
)
def test_an_analysis_can_be_stopped_at_any_moment(times: int) -> None:
    """Reliability test 10: analyses stopped after 0 to 5 ms, and no line after the stop."""
    with Program("--hash", "1") as program:
        for number in range(times):
            program.write(f"{number} lz-analyze b 0\n")
            time.sleep(number * 7 % 11 / 2000)
            program.write(f"\n{number}name\n")
            stream = program.read_until(b"\n\n")
            assert stream.startswith(f"={number}\n"), stream
            assert all(line.startswith("info move ") for line in stream.splitlines()[1:-1]), stream
            assert program.answer() == f"={number} Outflank\n\n"
