"""Every command with arguments it can't use, in every state of a game, and with a fault of ours.

Reliability tests 4 and 9.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank.engine import Colour, Game, Rules, parse_square, square_name
from outflank.engine.evaluation import weights
from outflank.engine.search.parameters import PARAMETERS
from outflank.engine.search.stability import stable_discs
from outflank.engine.squares import SQUARE_NAMES
from outflank.protocol.lines import Inbox
from outflank.protocol.server.booksource import BookSource
from outflank.protocol.server.gtp.commands import COMMANDS, HARMLESS
from outflank.protocol.server.session import Strength
from outflank.tests.support import reference, strategies
from outflank.tests.support.dialogue import Dialogue, Program, check_form, listening, put, run_program
from outflank.tests.support.positions import rules_of

# quit ends the dialogue, and what depends on the clock on the wall can't be compared
PURE = sorted(set(COMMANDS) - {"quit"})
ANALYSES = [name for name in COMMANDS if name.endswith("analyze")]
SEARCHES = ["genmove", "reg_genmove", "outflank-scores", "outflank-line"]
# which play, begin anew or set something and so may succeed without a sensible argument
TAKES_NO_ARGUMENT = {"clear_board", "undo", "gg-undo", "quit", "gogui-play_sequence"}
MANDATORY = (
    "protocol_version name version known_command list_commands quit boardsize clear_board komi play genmove"
)
NOT_FOR_REVERSI = "fixed_handicap place_free_handicap set_free_handicap final_status_list"
_WRONG = (
    "x nan inf -inf 1e400 99999999999999999999 -99999999999999999999 2147483648 é \udcff b/n i9 ' %s%n - /"
)
WRONG = [*_WRONG.split(), "x" * 10000]
THINK = {"outflank-line", "outflank-live"}
CHANGE = {"clear_board", "undo"}


@pytest.fixture
def dialogue() -> Dialogue:
    dialogue = Dialogue(inbox=listening())
    dialogue.ask("gogui-play_sequence b f5 w d6 b c3")
    return dialogue


def accepts(answer: str) -> bool:
    check_form(answer)
    return answer.startswith("=")


@pytest.mark.parametrize("name", PURE)
def test_a_command_without_its_arguments_fails_and_changes_nothing(dialogue: Dialogue, name: str) -> None:
    before = dialogue.state()

    answer = dialogue.send(name)

    if not accepts(answer):
        assert re.match(r"\? (syntax error|cannot score)", answer)
        assert dialogue.state() == before
    elif name not in TAKES_NO_ARGUMENT and "genmove" not in name:
        assert dialogue.state() == before


@pytest.mark.parametrize("name", PURE)
def test_a_command_with_wrong_arguments_fails_and_changes_nothing(dialogue: Dialogue, name: str) -> None:
    patterns = ("{0}", "{0} {0}", "b {0}", "b d2 {0}", "3 {0}", "b 3 {0}")
    for line in (f"{name} {pattern.format(wrong)}" for pattern in patterns for wrong in WRONG):
        before = dialogue.state()

        if not accepts(dialogue.send(line)):
            assert dialogue.state() == before, line


@pytest.mark.parametrize("name", PURE)
def test_a_command_with_a_hundred_arguments_gets_one_answer(dialogue: Dialogue, name: str) -> None:
    for word in ("b", "d3", "8", "w a1"):
        check_form(dialogue.send(f"{name} {' '.join([word] * 100)}"))


FULL = " ".join(f"{'bw'[number % 3 > 1]} {name}" for number, name in enumerate(SQUARE_NAMES))
STATES = {
    "the start": "clear_board",
    "a middle game": "gogui-play_sequence b f5 w d6 b c3",
    "a forced pass": "gogui-play_sequence b d3 w c3 b e6 w d2 b d1 w e1 b b2 w c1",
    "a wipe-out": "gogui-play_sequence b e6 w f4 b e3 w f6 b g5 w d6 b e7 w f5 b c5",
    "a single colour": "gogui-setup b a1",
    "nobody can move": "gogui-setup b a1 w h8",
    "a full board": f"gogui-setup {FULL}",
    "one square left": f"gogui-setup {FULL.removesuffix(' b h8')}",
    "empty centre": "gogui-setup b a1 w b1 w b2 w a2",
}


IN_OTHELLO = [("othello", state) for state in STATES]
# The games above are Othello's; boards set up can be had by any rules.
BY_OTHER_RULES = [
    (rules, state)
    for rules in ("reversi", "ravensburger-1987", "ravensburger-2006")
    for state, command in STATES.items()
    if command.startswith("gogui-setup")
]


@pytest.mark.parametrize(("rules", "state"), IN_OTHELLO + BY_OTHER_RULES)
@pytest.mark.parametrize("colour", ["b", "w"])
def test_a_search_in_any_state_has_a_defined_answer(rules: str, state: str, colour: str) -> None:
    for name in (*SEARCHES, *ANALYSES):
        dialogue = Dialogue(inbox=listening())
        dialogue.ask(f"outflank-rules {rules}")
        dialogue.ask(STATES[state])
        legal = dialogue.ask("gogui-rules_legal_moves").split()
        on_move = dialogue.ask("gogui-rules_side_to_move")[0] == colour
        line = name if name.startswith("outflank") else f"{name} {colour}"

        answer = dialogue.send(line)

        check_form(answer)
        if not on_move and legal not in ([], ["pass"]) and "genmove" in name:
            mover = Rules.parse(rules).colour_name(Colour.BLACK if colour == "w" else Colour.WHITE)
            assert answer == f"? illegal move: {mover} is to move\n\n", line
        else:
            assert answer.startswith("="), line
        if name in ("genmove", "reg_genmove") and answer.startswith("="):
            move = answer[2:-2].partition("/")[0].upper()
            expected = {"PASS"} if not legal or (on_move and legal == ["pass"]) else set(legal)
            assert move in expected or (not on_move and legal == ["pass"]), line


def test_reg_genmove_neither_plays_nor_spends_the_clock() -> None:
    dialogue = Dialogue(strength=Strength(depth=5))
    dialogue.ask("time_settings 100 0 0")
    before = dialogue.state()

    move = dialogue.ask("reg_genmove b")

    assert dialogue.state() == before
    assert dialogue.ask("genmove b") == move
    assert dialogue.state() != before


def test_time_left_without_stones_is_main_time() -> None:
    states = []
    for left in ("7", "7 0", "7 1"):
        dialogue = Dialogue()
        dialogue.ask("time_settings 100 30 5")
        dialogue.ask(f"time_left b {left}")
        states.append(dialogue.state())

    assert states[0] == states[1] != states[2]


def test_clear_board_keeps_the_time_settings_and_fills_the_clocks() -> None:
    dialogue = Dialogue()
    dialogue.ask("time_settings 100 0 0")
    dialogue.ask("time_left b 7 0")
    dialogue.ask("play b d3")

    dialogue.ask("clear_board")

    assert "remaining=100" in dialogue.state()
    assert "remaining=7" not in dialogue.state()


def test_list_commands_lists_what_known_command_knows(dialogue: Dialogue) -> None:
    names = dialogue.ask("list_commands").split("\n")

    assert len(names) == len(set(names))
    assert all(dialogue.ask(f"known_command {name}") == "true" for name in names)
    assert set(MANDATORY.split()) <= set(names) == COMMANDS.keys()
    assert not COMMANDS.keys() & set(NOT_FOR_REVERSI.split())


def test_cputime_counts_up(dialogue: Dialogue) -> None:
    assert 0 <= float(dialogue.ask("cputime")) <= float(dialogue.ask("gomill-cpu_time"))


@pytest.mark.parametrize("ponders", [False, True])
def test_the_description_tells_what_a_repetition_needs(ponders: bool) -> None:
    dialogue = Dialogue(strength=Strength(level=3), seed=7, ponders=ponders)
    dialogue.ask("outflank-rules reversi")

    description = dialogue.ask("gomill-describe_engine")

    for fact in (weights.version(), "rules reversi", "level 3", "threads 1", "table 1 MB", "seed 7"):
        assert fact in description
    assert f"pondering {'on' if ponders else 'off'}" in description


def broken(*arguments: object) -> str:
    raise ZeroDivisionError("no reason")


def broken_later(*arguments: object) -> Iterator[str]:
    yield "info move d3"
    raise ZeroDivisionError("no reason")


@pytest.mark.parametrize(
    ("name", "command", "answer"),
    [
        ("name", broken, "?3 internal error: ZeroDivisionError('no reason')\n\n"),
        ("lz-analyze", broken_later, "=3\ninfo move d3\n\n"),
    ],
)
def test_a_fault_of_ours_ends_the_answer_and_no_more(
    name: str,
    command: object,
    answer: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(COMMANDS, name, command)
    dialogue = Dialogue(inbox=listening())

    assert dialogue.send(f"3 {name}") == answer
    assert "broken" in capsys.readouterr().err
    assert dialogue.ask("protocol_version") == "2"


def test_what_takes_no_arguments_needs_no_line_feed_unless_it_thinks_or_changes_something() -> None:
    bare = {name for name, function in COMMANDS.items() if "Arguments:" not in (function.__doc__ or "")}

    assert bare == HARMLESS | THINK | CHANGE


def test_every_parameter_is_listed_with_its_default() -> None:
    dialogue = Dialogue()

    assert dialogue.ask("kata-list-params").split() == list(PARAMETERS)
    for name, parameter in PARAMETERS.items():
        assert float(dialogue.ask(f"kata-get-param {name}")) == parameter.default
    assert json.loads(dialogue.ask("kata-get-params")) == {
        name: parameter.default for name, parameter in PARAMETERS.items()
    }


# --- The opening book: moves from it, and commands about it


def after_f5(path: Path, seed: int | None = None, inbox: Inbox | None = None) -> Dialogue:
    made = Dialogue(books=[BookSource(path, pytest.fail, discs=8.0, seed=seed)], inbox=inbox)
    made.ask("play b f5")
    return made


def test_an_analysis_marks_the_moves_of_the_book(path: Path) -> None:
    inbox = Inbox()
    made = after_f5(path, inbox=inbox)
    told = ""
    for part in made.wire.answer(made.session, b"lz-analyze w 5"):
        told += part
        if part.startswith("info") and " book 0" in part:
            put(inbox, "")
    marks = dict(re.findall(r"move (\S+) .*? book (\d)", told))

    assert marks == {"d6": "1", "f6": "1", "f4": "0"}


def test_a_book_move_costs_the_clock_next_to_nothing(path: Path) -> None:
    """The search of the reply could take long: level 60 without a clock."""
    made = Dialogue(books=[BookSource(path, pytest.fail)], inbox=listening())
    made.ask("outflank-strength level 60")
    made.ask("time_settings 60 0 0")
    made.ask("play b f5")
    made.ask("genmove w")
    clock = made.session.clocks["white"].reading  # type: ignore[index]

    assert clock is not None
    assert clock.remaining > 59


# --- The book of the program's options


def test_the_program_plays_from_the_book_it_is_given(path: Path) -> None:
    asked = b"play b f5\ngenmove w\nquit\n"
    result = run_program(asked, "--book", str(path), "--level", "1")

    assert (result.stdout, result.stderr) == (b"=\n\n= d6\n\n=\n\n", b"")


def test_a_book_that_nobody_asked_for_is_named_where_it_plays_alone(path: Path) -> None:
    """The package brings books for several rules."""
    for shipped in (True, False):
        made = Dialogue(books=[BookSource(path, lambda _: None, shipped=shipped)])
        mine = f"book {path}, 6 positions, for othello"
        told = {}
        for rules in ("obversi", "othello"):
            made.ask(f"outflank-rules {rules}")
            told[rules] = made.ask("outflank-book")

        assert told["othello"].splitlines()[0] == mine
        assert told["obversi"] == ("book none" if shipped else mine)
        made.ask("outflank-rules obversi")
        assert (mine in made.ask("gomill-describe_engine").splitlines()) is not shipped


# --- What GoGui can draw


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
        assert answer == "TEXT stable discs: unknown under one-direction rules"
    else:
        wanted = stable_discs(position.own, position.opp) | stable_discs(position.opp, position.own)
        assert sum(1 << parse_square(square) for square in marked) == wanted


def test_the_best_line_is_drawn_live_until_a_line_comes() -> None:
    with Program() as program:
        program.write("play b f5\noutflank-live\n")
        assert program.process.stderr is not None
        drawn = b""
        while b"VAR" not in drawn:
            drawn += program.process.stderr.read(1 << 16)
        program.write("# interrupt\nquit\n")
        _, out, rest = program.finish()
    drawings = (drawn.decode() + rest).strip().split("\n\n")

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
