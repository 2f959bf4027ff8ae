"""Tables about threads are about the same positions in every row."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from outflank.engine import Position
from outflank.measure.threads import (
    Measurement,
    edax_solves,
    ffo_positions,
    game_positions,
    in_turns,
    main,
    measure,
    table,
)

BY_THREADS = [
    Measurement("FFO", "#1", 1, 8_000_000, 8.0, 8.0),
    Measurement("FFO", "#1", 4, 8_800_000, 2.2, 7.7, 0.22),
]


def searched(name: str, seconds: float) -> tuple[str, str, object]:
    return "FFO", name, lambda threads: Measurement("FFO", name, threads, 1000, seconds / threads)


def test_a_position_without_time_for_one_thread_is_left_out_and_so_are_later_ones() -> None:
    searches = [searched("quick", 0.01), searched("slow", 1000.0), searched("later", 0.01)]

    found = list(measure(searches, [1, 2, 4], minutes=1))  # type: ignore[arg-type]

    assert [[each.threads for each in position] for position in found] == [[4, 2, 1]]
    assert found[0][0].position == "quick"


def test_kinds_are_searched_in_turns() -> None:
    few, many = [searched(name, 1) for name in "ab"], [searched(name, 1) for name in "1234"]

    assert [name for _, name, _ in in_turns(few, many)] == ["1", "a", "2", "3", "b", "4"]  # type: ignore[arg-type]


def test_the_table_compares_time_nodes_and_speed_with_one_thread() -> None:
    _, one, four = table(BY_THREADS)

    assert one.split() == ["1", "8.00", "8.0", "1.00", "1.00", "1.00", "1.000", "100%", "0.0%"]
    assert four.split() == ["4", "2.20", "8.8", "4.00", "3.64", "4.00", "1.100", "90%", "2.5%"]


def test_the_games_positions_are_sixty_different_ones() -> None:
    boards = [position for _, position in game_positions()]

    assert len(set(boards)) == len(boards) == 60
    assert {position.empties for position in boards} == {52, 46, 40, 36, 32}


def test_edax_nodes_and_seconds_come_from_its_last_line(tmp_path: Path) -> None:
    program = tmp_path / "edax.py"
    line = "/tmp/one.obf: 33541511 nodes in  1:15.408 (cpu =  0:01.025) ( 2176889 nodes/s)."
    program.write_text(f"import sys; assert '-n-tasks' in sys.argv; print({line!r})")

    found = edax_solves([sys.executable, str(program)], "#45", Position.start(), 4)

    assert (found.nodes, found.seconds, found.threads) == (33541511, 75.408, 4)


@pytest.mark.slow
def test_the_program_prints_a_table_for_each_kind_and_writes_all_searches(tmp_path: Path) -> None:
    file = tmp_path / "threads.json"
    words = ["--threads", "1,2", "--minutes", "0.5", "--depth", "8", "--hash", "16", "--json", str(file)]

    ran = CliRunner().invoke(main, words, catch_exceptions=False)

    found = json.loads(file.read_text())["found"]
    assert "games, " in ran.output
    assert {each["threads"] for each in found} == {1, 2}
    assert dict(ffo_positions()).keys() >= {each["position"] for each in found if each["kind"] == "FFO"}
