"""How level, depth, nodes, threads and options reach an engine."""

import sys
from pathlib import Path

import pytest

from outflank.protocol.opponent.errors import UnfitEngineError
from outflank.tools.match.game.engines import Entry
from outflank.tools.match.game.setup import command_line, instructions

NOTHING: frozenset[str] = frozenset()
OURS = "cmd='outflank gtp'"


def test_outflank_is_the_program_of_this_installation_and_gets_options() -> None:
    entry = Entry.parse(f"{OURS} level=4 nodes=1000 threads=2 option.hash=16")
    program, *arguments = command_line(entry)

    assert Path(program).parent == Path(sys.executable).parent
    assert arguments == ["gtp", "--level=4", "--nodes=1000", "--threads=2", "--hash=16"]
    assert instructions(entry, NOTHING) == []


def test_outflank_of_another_installation_gets_options_too() -> None:
    entry = Entry.parse("cmd='/opt/other/bin/outflank nboard --hash 16' level=4 book=none")

    assert command_line(entry) == [
        "/opt/other/bin/outflank",
        "nboard",
        "--hash",
        "16",
        "--level=4",
        "--book=none",
    ]
    assert instructions(entry, NOTHING) == []


def test_a_place_in_the_command_is_filled() -> None:
    entry = Entry.parse("cmd='edax -l {level} -n {threads} {hash}' level=4 option.hash='a b'")

    assert command_line(entry) == ["edax", "-l", "4", "-n", "1", "a b"]
    assert instructions(entry, NOTHING) == []


def test_a_place_in_a_command_of_the_engine_is_filled() -> None:
    entry = Entry.parse("cmd=x nodes=50 command='limit nodes {nodes}' command=clear_cache")

    assert instructions(entry, NOTHING) == ["limit nodes 50", "clear_cache"]


def test_braces_of_others_stay() -> None:
    assert command_line(Entry.parse("cmd='x {} {size}'")) == ["x", "{}", "{size}"]


def test_an_engine_with_commands_for_it_is_told_by_them() -> None:
    entry = Entry.parse("cmd=x level=4 nodes=50 option.maxTime=2 command=hello")

    assert instructions(entry, frozenset({"set_level", "kata-set-param"})) == [
        "set_level 4",
        "kata-set-param nodes 50",
        "kata-set-param maxTime 2",
        "hello",
    ]


@pytest.mark.parametrize("name", ["level", "depth", "nodes", "option.size"])
def test_an_engine_that_cannot_be_told_is_unfit(name: str) -> None:
    word = name.removeprefix("option.")
    with pytest.raises(
        UnfitEngineError, match=f"engine x: expected {{{word}}} in its command, or set_{word} "
    ):
        instructions(Entry.parse(f"cmd=x {name}=4"), NOTHING)


def test_a_number_of_threads_may_be_a_mere_declaration() -> None:
    assert instructions(Entry.parse("cmd=x threads=4"), NOTHING) == []
