"""Results of a long command outlive it, whatever ends it, and are believed only if they answer the same question."""

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from outflank.engine import Limit, Move, Position, Searcher, SearchInfo
from outflank.protocol.formats.obf import Problem
from outflank.tests.support.books import no_file_beyond
from outflank.tests.support.positions import problems
from outflank.tools.runtime import kept
from outflank.tools.runtime.kept import KeptResults, search_keeping
from outflank.tools.solving import claims
from outflank.tools.solving.claims import Claim
from outflank.tools.solving.jobs import work
from outflank.tools.solving.proofs import make

KEYS = range(10)


@dataclass(frozen=True)
class Part:
    move: Move
    score: float
    bound: Literal["lower", "exact"] | None


@dataclass(frozen=True)
class Found:
    position: Position
    parts: tuple[Part, ...]
    scores: Mapping[Move, int]
    line: Sequence[Move]
    keys: set[bytes]
    words: tuple[str, bool]


def found(key: int) -> Found:
    move = Move.parse("f5")
    parts = (Part(move, key / 4, None), Part(move, 2.0, "lower"))
    return Found(Position.start(), parts, {move: key}, [move, move], {b"\x00\xff"}, ("é", key > 2))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(kept, "_SECONDS_BETWEEN_WRITES", 0.0)
    return tmp_path / "outflank" / "unfinished"


def answered(
    stop: int | None = None, question: object = 1, kind: object = Found
) -> tuple[list[object], list[int]]:
    """Return the results of a command, which may be interrupted before a key, and the keys that were worked on."""
    worked: list[int] = []

    def run(keys: Iterable[int]) -> Iterator[object]:
        for key in keys:
            if key == stop:
                raise KeyboardInterrupt
            worked.append(key)
            yield found(key)

    results: list[object] = []
    try:
        with KeptResults("try", kind, question=question) as keeping:
            results += keeping.in_order(KEYS, str, run)
    except KeyboardInterrupt:
        pass
    return results, worked


def test_the_same_command_takes_what_is_known_and_removes_its_file(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answered(stop=4)
    assert "4 results kept: run the same command to continue" in capsys.readouterr().err
    assert len(list(folder.iterdir())) == 1

    results, worked = answered(stop=8)
    assert worked == [4, 5, 6, 7]
    assert "continuing an interrupted command: 4 results known" in capsys.readouterr().err

    results, worked = answered()
    assert results == [found(key) for key in KEYS]
    assert worked == [8, 9]
    assert list(folder.iterdir()) == []


def test_known_results_do_not_wait_for_a_later_one(folder: Path) -> None:
    answered(stop=4)
    worked: list[int] = []

    def run(keys: Iterable[int]) -> Iterator[Found]:
        for key in keys:
            worked.append(key)
            yield found(key)

    with KeptResults("try", Found, question=1) as keeping:
        results = keeping.in_order(KEYS, str, run)
        assert [next(results) for _ in range(4)] == [found(key) for key in range(4)]
        assert worked == []
        assert [*results] == [found(key) for key in range(4, 10)]
        assert worked == [4, 5, 6, 7, 8, 9]


def test_another_question_begins_at_the_start(folder: Path) -> None:
    answered(stop=4)
    _, worked = answered(question=2)

    assert worked == [*KEYS]
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE result SET value = '[]'",
        "UPDATE result SET value = 5, checksum = 'x'",
        "UPDATE result SET task = x'00' WHERE rowid = 1",
        "UPDATE kept SET value = 'x' WHERE name = 'question'",
        "DROP TABLE result",
        "DELETE FROM result",
    ],
)
def test_results_that_were_changed_are_found_again(folder: Path, change: str) -> None:
    answered(stop=4)
    (file,) = folder.iterdir()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(change.replace("rowid = 1", "task = (SELECT min(task) FROM result)"))
    results, worked = answered()

    assert results == [found(key) for key in KEYS]
    assert len(worked) >= 7


def test_results_of_another_type_are_found_again() -> None:
    answered(stop=4)
    for kind in (Part, list[int], tuple[int, str], dict[str, int], Literal["a"], int | None):
        _, worked = answered(stop=4, kind=kind)
        assert worked == [0, 1, 2, 3], kind


def test_a_full_disk_or_a_missing_folder_only_keeps_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with no_file_beyond(100):
        results, _ = answered()
    assert results == [found(key) for key in KEYS]
    for nowhere in (
        "/proc/none",
        str(tmp_path / ("x" * 300)),
    ):  # the system refuses to look for the second one
        monkeypatch.setenv("XDG_STATE_HOME", nowhere)
        assert answered()[0] == [found(key) for key in KEYS]


def test_a_short_command_writes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_SECONDS_BETWEEN_WRITES", 10.0)
    answered(stop=4)

    assert not folder.exists()


def test_two_processes_do_not_share_a_file(folder: Path) -> None:
    answered(stop=4)
    with KeptResults("try", Found, question=1):
        _, worked = answered()
        assert len(list(folder.glob("*.results"))) == 1

    assert worked == [*KEYS]


def test_files_that_nobody_continues_are_removed(folder: Path) -> None:
    answered(stop=4, question="old")
    (old,) = folder.iterdir()
    not_renamed = folder / f".{old.name}.0123456789ab"
    not_renamed.touch()
    for file in old, not_renamed:
        os.utime(file, (time.time() - 40 * 86400,) * 2)
    answered(stop=4, question="new")

    assert not old.exists()
    assert len(list(folder.iterdir())) == 1


def test_results_come_as_they_are_ready_too() -> None:
    def run(keys: Iterable[int]) -> Iterator[tuple[int, Found]]:
        for key in reversed([*keys]):
            if key == 5 and not again:
                raise KeyboardInterrupt
            yield key, found(key)

    again = False
    with pytest.raises(KeyboardInterrupt), KeptResults("try", Found) as keeping:
        list(keeping.as_ready(KEYS, str, run))
    again = True
    with KeptResults("try", Found) as keeping:
        results = list(keeping.as_ready(KEYS, str, run))

    assert [key for key, _ in results] == [6, 7, 8, 9, 5, 4, 3, 2, 1, 0]
    assert dict(results) == {key: found(key) for key in KEYS}


class TestASearchThatIsBrokenOff:
    """It goes on with what its table had found."""

    PROBLEM = problems("ffo-1")[18]
    SOLVE, AT_LEAST = Limit.solve(), Limit.solve(at_least=PROBLEM.score)

    @pytest.fixture(autouse=True)
    def any_position(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(kept, "_LEAST_EMPTIES", 0)
        monkeypatch.setattr(kept, "_SECONDS_BETWEEN_WRITES", 0.01)

    def searched(self, limit: Limit = SOLVE, interrupt: bool = False) -> int:
        """Return the nodes of a search by a new searcher, which may be interrupted just before it tells its result."""

        def look(info: SearchInfo) -> None:
            is_last = info.depth == self.PROBLEM.position.empties and info.selectivity in (
                100,
                limit.selectivity,
            )
            if interrupt and is_last:
                raise KeyboardInterrupt

        found = search_keeping(Searcher(hash_mb=4), self.PROBLEM.position, limit, on_info=look)
        assert found.score == self.PROBLEM.score
        return found.nodes

    def test_the_same_search_goes_on_and_removes_the_file(self, folder: Path) -> None:
        whole = self.searched()
        assert list(folder.iterdir()) == []
        with pytest.raises(KeyboardInterrupt):
            self.searched(interrupt=True)
        (file,) = folder.iterdir()

        assert self.searched(self.AT_LEAST) < whole
        assert list(folder.iterdir()) == [file]  # of another question
        assert self.searched() < whole / 5
        assert list(folder.iterdir()) == []

    @pytest.mark.parametrize(
        ("limit", "task"),
        [
            (SOLVE, lambda problem: make._solve(problem.position, 4, 1)),
            (SOLVE, lambda problem: work._search_whole(problem.position, Limit.solve(), 100, 4, 1)),
            (AT_LEAST, lambda problem: work._search_bound(problem.position, problem.score, 4, 1)),
            (AT_LEAST, lambda problem: claims._solve_again(4, Claim(problem.position, problem.score, 64, 1))),
        ],
        ids=["proof make", "job start: a position", "job start: a board of the tree", "proof audit"],
    )
    def test_workers_continue_searches(
        self, folder: Path, limit: Limit, task: Callable[[Problem], object]
    ) -> None:
        with pytest.raises(KeyboardInterrupt):
            self.searched(limit, interrupt=True)
        before = list(folder.iterdir())
        task(self.PROBLEM)

        assert len(before) == 1
        assert list(folder.iterdir()) == []

    def test_a_damaged_file_is_not_believed(self, folder: Path) -> None:
        whole = self.searched()
        with pytest.raises(KeyboardInterrupt):
            self.searched(interrupt=True)
        (file,) = folder.iterdir()
        good = file.read_bytes()
        for damaged in b"", b"abc", good[:-1], b"\0" * 100, good[:100] + b"\0" + good[101:], good + good:
            file.write_bytes(damaged)

            assert self.searched() == whole

    @pytest.mark.parametrize("limit", [Limit.solve(selectivity=73), Limit(exact_from=64, seconds=60)])
    def test_nothing_is_kept_where_the_score_could_depend_on_it(self, folder: Path, limit: Limit) -> None:
        with pytest.raises(KeyboardInterrupt):
            self.searched(limit, interrupt=True)

        assert not folder.exists()

    def test_a_full_disk_or_a_missing_folder_only_keeps_nothing(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with no_file_beyond(100):
            self.searched()
        monkeypatch.setenv("XDG_STATE_HOME", "/proc/none")
        self.searched()
