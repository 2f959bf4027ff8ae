"""The text after --engine."""

import sys
from pathlib import Path

import pytest

from outflank.engine import NotationError
from outflank.tools.games.clock import TimeControl
from outflank.tools.games.entries import Entry

MATCH_TIME = TimeControl.parse("0.5")


def test_an_engine_has_a_name_a_command_and_the_time_of_the_match() -> None:
    entry = Entry.parse('name=A cmd="outflank gtp --level 4"', MATCH_TIME)

    assert entry == Entry("A", "outflank gtp --level 4", MATCH_TIME)


def test_an_engine_may_have_its_own_time() -> None:
    assert Entry.parse("name=B cmd=engine time=none", MATCH_TIME).time == TimeControl()


def test_the_name_is_the_programs_name_if_none_is_given() -> None:
    assert Entry.parse("cmd='/usr/games/gtp-rhino -l 4'", MATCH_TIME).name == "gtp-rhino"


def test_names_and_arguments_may_hold_blanks() -> None:
    entry = Entry.parse("""name='level 4' cmd="my-engine 'a b' c" """, MATCH_TIME)

    assert entry.name == "level 4"
    assert entry.command() == ["my-engine", "a b", "c"]


def test_outflank_is_the_program_of_this_installation() -> None:
    program = Entry.parse("cmd='outflank gtp'", MATCH_TIME).command()[0]

    assert Path(program).parent == Path(sys.executable).parent


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"expected cmd=\.\.\. with a command"),
        ("name=A", r"expected cmd=\.\.\. with a command"),
        ("name=A cmd=", r"expected cmd=\.\.\. with a command"),
        ("outflank gtp", "expected name=, cmd=, time= in the engine, got 'outflank'"),
        ("cmd=x level=4", "got 'level=4'"),
        ("cmd=x cmd=y", "expected cmd= once"),
        ("cmd='x", "expected balanced quotes"),
        ("""cmd="x 'y" """, "expected balanced quotes"),
        ("cmd=x time=soon", "expected a time of"),
        ("cmd=x name='a\tb'", "expected a printable name"),
        ("cmd=x name=" + "n" * 41, "expected a printable name of at most 40"),
    ],
)
def test_malformed_text_is_named(text: str, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence):
        Entry.parse(text, MATCH_TIME)
