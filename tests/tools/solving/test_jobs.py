"""A job answers as brute force does, keeps what it has found whatever ends it, and believes no file."""

import json
import multiprocessing
import os
import random
import signal
import sqlite3
import subprocess
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from outflank.book.keys import key_of
from outflank.engine import FileFormatError, Limit, OutflankError, Position, Rules, Searcher
from outflank.protocol.formats.samples import samples
from outflank.tests.support.installation import python_script
from outflank.tests.support.positions import problems, reached
from outflank.tests.support.program import started
from outflank.tests.support.transcripts import run
from outflank.tools.runtime.executor import open_executor
from outflank.tools.solving.jobs.file import JOB_FILE, BoardResult, JobFacts, JobFile
from outflank.tools.solving.jobs.tree import Tree
from outflank.tools.solving.jobs.work import (
    JobSolver,
    Progress,
    Workers,
    estimate_limit,
    thresholds,
    usual_frontier,
)

RULES = [
    Rules.parse(text)
    for text in ("othello", "othello,scoring=count", "ravensburger-2006", "othello,tie=second")
]
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 8))]
SUITE = samples()["ffo-20"]
LARGER = problems("ffo-1")[12]  # 16 empty squares


class Here(Executor):
    """Does what it is given at once, in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **named))
        return future


@contextmanager
def here(places: int = 2) -> Iterator[tuple[Executor, int]]:
    yield Here(), places


alone = partial(here, 1)


@contextmanager
def dying() -> Iterator[tuple[Executor, int]]:
    with open_executor(1) as (executor, places):

        class Dying(Here):
            def submit(self, fn: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
                return executor.submit(os._exit, 1)

        yield Dying(), places


def facts(position: Position, frontier: int | None = None) -> JobFacts:
    return JobFacts(position.rules, (position.board_string(),), frontier)


def nothing(progress: Progress) -> None:
    """Show no progress."""


def worked(
    folder: Path,
    position: Position,
    frontier: int | None,
    asked: Sequence[int] | None = None,
    workers: Workers | None = None,
    show: Callable[[Progress], object] = nothing,
) -> JobSolver:
    asked = thresholds(position, False, None) if asked is None else asked
    with JobFile.open(folder, facts(position, frontier)) as job, workers or Workers(here, 1) as found:
        return JobSolver(job, position, asked, found, show).run()


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_scores_moves_and_winners_are_those_of_a_plain_search(
    seed: int, rules: Rules, tmp_path: Path
) -> None:
    """Of positions with passes, early ends and games that are over, on both sides of a frontier of four squares."""
    position = reached(seed, 9, rules)
    plain = Searcher(1).search(position, Limit.solve())
    found = worked(tmp_path / "score", position, 4)
    winner = worked(tmp_path / "winner", position, 4, thresholds(position, True, None))

    assert found.lower == found.upper == plain.score
    assert winner.lower <= plain.score <= winner.upper
    wins, loses = rules.least_win(position.side), 1 - rules.least_win(position.side.other)
    assert plain.result == ("win" if winner.lower >= wins else "loss" if winner.upper < loses else "draw")
    if found.move is not None and found.lower > -64:
        assert -Searcher(1).search(position.play(found.move), Limit.solve()).score == found.lower


def test_what_is_known_is_not_searched_again_nor_are_its_images(tmp_path: Path) -> None:
    position, image = LARGER.position, LARGER.position.symmetries()[5]
    first, again = worked(tmp_path, position, 12), worked(tmp_path, position, 12)
    with JobFile.open(tmp_path) as job, Workers(here, 1) as workers:
        of_image = JobSolver(job, image, thresholds(image, False, None), workers, nothing).run()

    assert first.lower == first.upper == LARGER.score
    assert first.searches > 0
    assert (again.searches, again.nodes, of_image.searches) == (0, 0, 0)
    assert (again.lower, again.upper, again.move) == (first.lower, first.upper, first.move)
    assert 0 < len(first.needed) <= len(first.visited) <= 2 * len(first.needed)


def test_a_worker_that_dies_is_replaced_unless_they_die_again_and_again(tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(progress: Progress) -> None:
        if not killed:
            killed.extend(child.pid or 0 for child in multiprocessing.active_children())
            os.kill(killed[0], signal.SIGKILL)

    position = problems("ffo-40")[0]
    found = worked(
        tmp_path, position.position, 15, workers=Workers(partial(open_executor, 2, None), 1), show=kill
    )

    assert killed
    assert found.lower == found.upper == position.score
    with pytest.raises(OutflankError, match="workers died 3 times without a result"):
        worked(tmp_path / "dying", reached(1, 12), 6, workers=Workers(dying, 1))


def run_job(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    return started("job", *arguments[:1], folder, "--hash", 1, *arguments[1:])


def rows(folder: Path) -> int:
    """Return the number of boards that a job has kept; 0 before there is a file."""
    if not (folder / JOB_FILE).exists():
        return 0
    # After a kill the file may have a change to roll back, which needs the right to write.
    with closing(sqlite3.connect(f"file:{folder / JOB_FILE}?mode=rw", uri=True, timeout=10)) as connection:
        return int(connection.execute("SELECT count(*) FROM solved").fetchone()[0])


@pytest.mark.parametrize("times", [4, pytest.param(50, marks=[pytest.mark.slow, pytest.mark.timeout(900)])])
def test_a_job_that_is_killed_at_random_moments_loses_nothing_and_goes_on(
    tmp_path: Path, times: int, rng: random.Random
) -> None:
    folder = tmp_path / "job"
    first = SUITE.read_text().splitlines()[6]  # FFO #26: a draw with 20 empty squares
    begin = ["start", "--board", first, "--frontier", "15", "--check"]
    kept = 0
    for _ in range(times):
        running = run_job(folder, *begin)
        time.sleep(rng.uniform(0.3, 1.5))
        running.kill()
        running.communicate()

        assert rows(folder) >= kept
        kept = rows(folder)
    with run_job(folder, "start", "--resume", "--check") if kept else run_job(folder, *begin) as running:
        out, err = running.communicate(timeout=300)

    assert (running.returncode, err) == (0, ""), err
    assert "1 solved" in out


def test_a_folder_that_is_in_use_or_has_no_job_or_another_one_is_named_and_left_alone(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="has no job: start one with 'outflank job start DIR POSITION'"):
        JobFile.open(tmp_path / "none")
    with (
        JobFile.open(tmp_path / "job", facts(LARGER.position, 12)),
        pytest.raises(FileFormatError, match="only one process may work on the job in"),
    ):
        JobFile.open(tmp_path / "job")
    (tmp_path / "letter").write_text("dear")
    for folder, other, sentence in (
        (tmp_path / "job", facts(reached(1, 12)), "has other positions"),
        (tmp_path / "job", facts(LARGER.position.with_rules(RULES[1])), "has the rules othello, not "),
        (tmp_path / "job", facts(LARGER.position, 13), "started with another --frontier"),
        (tmp_path, facts(LARGER.position), "needs a new or empty folder"),
    ):
        with pytest.raises(FileFormatError, match=sentence):
            JobFile.open(folder, other)

    assert {path.name for path in tmp_path.iterdir()} == {"letter", "job"}


def sql(folder: Path, *statements: str) -> None:
    """Change the file of a job behind its back."""
    with closing(sqlite3.connect(folder / JOB_FILE)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("DROP TABLE solved", r"can't read .* as the file of a job .*the table 'solved' is missing"),
        ("DELETE FROM job", "do not match their checksum"),
        ({"frontier": "99999"}, "its settings are invalid"),
        ({"frontier": "3"}, "its settings are invalid"),
        ({"workers": "0"}, "its settings are invalid"),
        ({"workers": "9" * 5000}, r"can't read .* as the file of a job"),
        ({"rules": "ravensburger-1987"}, "its settings are invalid"),
        ({"rules": None}, "the fact 'rules' is missing"),
        ({"positions": ""}, "its settings are invalid"),
        ({"positions": "XO X"}, r"can't read .* as the file of a job"),
        ({"question": "--at-least 99"}, r"can't read .* as the file of a job"),
        ({"question": "who"}, r"can't read .* as the file .* \(expected the question of a job, got 'who'\)"),
    ],
)
def test_a_file_that_is_none_of_a_job_or_says_something_impossible_is_refused(
    change: str | dict[str, str | None], sentence: str, tmp_path: Path
) -> None:
    """What it says of itself has the checksum that belongs to it."""
    with JobFile.open(tmp_path, facts(LARGER.position)):
        pass
    if isinstance(change, str):
        sql(tmp_path, change)
    else:
        written(tmp_path, **change)
    before = (tmp_path / JOB_FILE).read_bytes()
    with pytest.raises(FileFormatError, match=sentence):
        JobFile.open(tmp_path)

    assert (tmp_path / JOB_FILE).read_bytes() == before


def test_a_job_of_an_earlier_version_takes_the_question_it_is_given(tmp_path: Path) -> None:
    with JobFile.open(tmp_path, facts(LARGER.position)):
        pass
    written(tmp_path, question=None)
    asked = replace(facts(LARGER.position), question=Limit.solve(wld=True))
    with JobFile.open(tmp_path, asked) as job:
        assert job.question == Limit.solve(wld=True)
    with JobFile.open(tmp_path) as job:
        assert job.question == Limit.solve()


def written(folder: Path, **changed: str | None) -> None:
    """Change what a job says of itself, None to leave it out, and its checksum with it."""
    with closing(sqlite3.connect(folder / JOB_FILE)) as connection, connection:
        values = dict(connection.execute("SELECT name, value FROM job WHERE name != 'checksum'").fetchall())
        values = {name: value for name, value in (values | changed).items() if value is not None}
        text = json.dumps(sorted(values.items()), ensure_ascii=False)
        connection.execute("DELETE FROM job")
        values["checksum"] = f"{zlib.crc32(text.encode()):08x}"
        connection.executemany("INSERT INTO job VALUES (?, ?)", values.items())


@pytest.mark.parametrize(
    "damage", ["lower = lower + 2", "upper = 'many'", "nodes = nodes + 1", "checksum = 0", "board = x'00'"]
)
def test_a_damaged_row_is_solved_again(damage: str, tmp_path: Path) -> None:
    first = worked(tmp_path, LARGER.position, 12)
    sql(tmp_path, f"UPDATE solved SET {damage} WHERE board = (SELECT board FROM solved LIMIT 1)")
    with JobFile.open(tmp_path) as job:
        assert job.damaged == 1
    again = worked(tmp_path, LARGER.position, 12)

    assert (again.lower, again.upper) == (first.lower, first.upper)


def test_searches_that_contradict_each_other_end_the_job(tmp_path: Path) -> None:
    with JobFile.open(tmp_path, facts(LARGER.position)) as job:
        job.add(b"\0" * 16, BoardResult(4, 64, 1, 10, 0.1))
        with pytest.raises(OutflankError, match="contradict each other"):
            job.add(b"\0" * 16, BoardResult(-64, 2, 1, 10, 0.1))

        assert job.solved[b"\0" * 16].bounds == (4, 64)


def two_machines(folder: Path) -> tuple[Path, Path]:
    """Two jobs about different positions, with different frontiers."""
    worked(folder / "a", LARGER.position, 12)
    worked(folder / "b", problems("ffo-1")[13].position, 11)
    return folder / "a", folder / "b"


def known(folder: Path) -> dict[bytes, tuple[int, int]]:
    with JobFile.read(folder) as job:
        return job.bounds


def test_a_merged_job_has_what_its_jobs_have_found(tmp_path: Path) -> None:
    a, b = two_machines(tmp_path)
    told = run("job", "merge", tmp_path / "c", a, b)

    assert f"job {tmp_path / 'c'}: 2 positions, {len(known(a) | known(b)):,} boards known" in told.stdout
    assert known(tmp_path / "c") == known(a) | known(b)
    shown = run("job", "show", tmp_path / "c").stdout
    assert "2 of 2 positions solved" in shown
    assert f"with results from {a}: {len(known(a))} boards" in shown
    assert f"{LARGER.score:+d}" in shown
    with JobFile.open(tmp_path / "c") as job:
        before = dict(job.solved)
    again = run("job", "merge", tmp_path / "c", a)
    assert " 0 of them new" in again.stdout
    with JobFile.open(tmp_path / "c") as job:
        assert job.solved == before
    assert "0 boards known" not in run("job", "start", tmp_path / "c", "--resume", "--workers", 1).stdout


def test_jobs_that_do_not_go_together_are_named_and_left_alone(tmp_path: Path) -> None:
    a, b = two_machines(tmp_path)
    with JobFile.open(b) as job:
        key, solved = next((key, each) for key, each in known_exactly(a).items())
        wrong = solved.lower + 2 if solved.lower < 62 else solved.lower - 2
        job.add(key, BoardResult(wrong, wrong, 1, 1, 0.1))
    before = (a / JOB_FILE).read_bytes()
    for target in (tmp_path / "c", a):
        sentence = run("job", "merge", target, a, b, code=1).stderr
        assert f"the job in '{a}' and the job in '{b}' contradict each other about" in sentence
    assert not (tmp_path / "c").exists()
    worked(tmp_path / "other", LARGER.position.with_rules(RULES[1]), 12)
    assert "has the rules othello,scoring=count, but the job in" in (
        run("job", "merge", tmp_path / "c", a, tmp_path / "other", code=1).stderr
    )
    assert not (tmp_path / "c").exists()
    assert (a / JOB_FILE).read_bytes() == before


def known_exactly(folder: Path) -> dict[bytes, BoardResult]:
    with JobFile.read(folder) as job:
        return {key: solved for key, solved in job.solved.items() if solved.lower == solved.upper}


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_boards_are_exported_as_claims_and_imported_again(rules: Rules, tmp_path: Path) -> None:
    position = reached(3, 9, rules)
    worked(tmp_path / "a", position, 7)
    run("job", "export", tmp_path / "a", "-o", tmp_path / "a.csv")
    with JobFile.open(tmp_path / "b", facts(position, 7)):
        pass
    run("job", "import", tmp_path / "b", tmp_path / "a.csv")
    again = worked(tmp_path / "b", position, 7)

    assert known(tmp_path / "a").items() <= known(tmp_path / "b").items()
    assert again.searches == 0
    rows = [row.split(",") for row in (tmp_path / "a.csv").read_text().splitlines()[1:]]
    board, score = next((board, int(lower)) for board, lower, upper in rows if lower == upper)
    wrong = score - 2 if score > -60 else score + 2
    (tmp_path / "wrong.csv").write_text(f"{board},{wrong},{wrong}\n")
    before = known(tmp_path / "b")
    sentence = run("job", "import", tmp_path / "b", tmp_path / "wrong.csv", code=1).stderr

    assert f"wrong.csv and the job in '{tmp_path / 'b'}' contradict each other about" in sentence
    assert known(tmp_path / "b") == before


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
from outflank.engine import OutflankError, Position
from outflank.tools.solving.jobs.file import JobFacts, JobFile, BoardResult
position = Position.start()
with JobFile.open(Path(sys.argv[1]), JobFacts(position.rules, (position.board_string(),), None)) as job:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
    try:
        for number in range(10000):
            job.add(number.to_bytes(16, "big"), BoardResult(0, 2, 1, 10, 0.5))
    except OutflankError as error:
        print(len(job.solved), error)
"""


def test_a_full_disk_is_told_and_keeps_what_was_solved(tmp_path: Path) -> None:
    ran = python_script("-c", FULL_DISK, str(tmp_path / "job"))
    solved, _, sentence = ran.stdout.partition(" ")

    assert "its contents are kept" in sentence, ran.stderr
    with JobFile.open(tmp_path / "job") as job:
        assert len(job.solved) >= int(solved) > 0


def test_more_workers_get_smaller_boards_and_estimates_take_a_small_share() -> None:
    """One worker gets the whole unless that would take long."""
    depths = [estimate_limit(frontier).depth or 0 for frontier in (6, 14, 18, 26, 30)]

    assert depths == sorted(depths)
    assert (depths[0], depths[-1]) == (2, 12)
    assert [usual_frontier(24, workers) for workers in (2, 3, 4, 16)] == [21, 21, 20, 18]
    assert usual_frontier(40, 2) == 26
    assert [usual_frontier(empties, 1) for empties in (24, 30, 31, 40)] == [24, 30, 26, 26]


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_search_of_the_whole_answers_every_question(seed: int, rules: Rules, tmp_path: Path) -> None:
    """Of positions with passes, early ends and games that are over."""
    position = reached(seed, 9, rules)
    plain = Searcher(1).search(position, Limit.solve())
    for name, asked in (
        ("score", thresholds(position, False, None)),
        ("winner", thresholds(position, True, None)),
        ("bound", [3]),
    ):
        found = worked(tmp_path / name, position, 9, asked, Workers(alone, 1))
        again = worked(tmp_path / name, position, 9, asked, Workers(dying, 1))

        assert found.lower <= plain.score <= found.upper
        assert not any(found.lower < discs <= found.upper for discs in asked)
        assert found.searches == (0 if position.is_over else 1)
        assert again.nodes == 0
        assert (again.lower, again.upper, again.move) == (found.lower, found.upper, found.move)


def test_a_search_of_the_whole_takes_the_nodes_of_a_plain_search(tmp_path: Path) -> None:
    plain = Searcher(64).search(LARGER.position, Limit.solve())
    workers = Workers(partial(open_executor, 1, None), 64)
    found = worked(tmp_path, LARGER.position, None, workers=workers)

    assert (found.lower, found.upper, found.move) == (plain.score, plain.score, plain.move)
    assert found.nodes == plain.nodes


def test_a_bound_without_its_move_is_searched_again(tmp_path: Path) -> None:
    """Where the position was met as a board of another one's tree."""
    asked = [LARGER.score or 0]
    with JobFile.open(tmp_path, facts(LARGER.position)) as job, Workers(alone, 1) as workers:
        job.add(key_of(LARGER.position)[0], BoardResult(asked[0], 64, 1, 10, 0.1))
        found = JobSolver(job, LARGER.position, asked, workers, nothing).run()

    assert found.searches == 1
    assert found.move is not None
    assert -Searcher(1).search(LARGER.position.play(found.move), Limit.solve()).score == LARGER.score


def test_numbers_of_a_question_say_which_answer_is_nearer() -> None:
    position = LARGER.position
    assert LARGER.score is not None
    for wanted, nearer in ((LARGER.score - 20, True), (LARGER.score + 20, False)):
        proof, disproof = Tree(
            position, wanted, 12, lambda at: Searcher(1).search(at, Limit(depth=4)).score, {}
        ).numbers

        assert (proof < disproof) == nearer


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_cluster_solves_what_one_machine_solves(tmp_path: Path, cluster: str) -> None:
    there = Workers(partial(open_executor, None, cluster), 1)
    found = worked(tmp_path, LARGER.position, 12, workers=there)

    assert found.lower == found.upper == LARGER.score


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("number", [60, 61])
def test_positions_of_ffo_60_to_79_are_solved(number: int, tmp_path: Path) -> None:
    problem = problems("ffo-60")[number - 60]
    workers = Workers(partial(open_executor, 2, None), 64)
    asked = thresholds(problem.position, False, None)
    with JobFile.open(tmp_path, replace(facts(problem.position), workers=2)) as job, workers as found:
        outcome = JobSolver(job, problem.position, asked, found, nothing).run()

    assert outcome.lower == outcome.upper == problem.score
    assert problem.scores[outcome.move or problem.position.legal_moves()[0]] == problem.score
