"""A search under way: iterated over, watched, stopped at any moment, and the searcher free afterwards."""

import copy
import pickle
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from outflank import engine
from outflank.engine import (
    PASS,
    Clock,
    Game,
    Limit,
    OutflankError,
    Position,
    Rules,
    Searcher,
    SearchResult,
    SettingsError,
    limit_for_level,
)
from outflank.engine.search.analysis import Analysis, Report, start_thread
from outflank.engine.search.searcher import Lease
from outflank.storage import files
from outflank.tests.support.positions import MIDGAME, problems

OVER = Position.parse("O" * 64 + "X")
MUST_PASS = Position.parse("OX------" + "-" * 56 + "X")


class TestStopping:
    @pytest.mark.parametrize(
        ("listen", "error", "words"),
        [
            (lambda searcher: [][1], IndexError, "out of range"),
            (lambda searcher: searcher.search(MIDGAME, Limit(depth=1)), SettingsError, "under way"),
            (lambda searcher: searcher.clear(), SettingsError, "this searcher is busy"),
        ],
        ids=["a fault of its own", "a second search", "clearing what is searched with"],
    )
    def test_a_listener_that_raises_ends_the_search_and_leaves_the_searcher_free(
        self, listen: Callable[[Searcher], object], error: type[Exception], words: str
    ) -> None:
        searcher = Searcher(hash_mb=4)
        with pytest.raises(error, match=words):
            searcher.search(Position.start(), Limit.solve(), on_info=lambda _: listen(searcher))

        searcher.clear()
        assert searcher.search(MIDGAME, Limit(depth=2)).depth == 2

    def test_a_stop_ends_a_search_and_before_the_first_iteration_still_gives_a_legal_move(self) -> None:
        """One before the search does nothing to it."""
        searcher = Searcher(hash_mb=4)
        searcher.stop()
        assert not searcher.search(MIDGAME, Limit(depth=3)).stopped

        with searcher.analyse(MIDGAME) as analysis:
            analysis.stop()
            assert analysis.result().move in MIDGAME.legal_moves()
        with searcher.analyse(Position.start(), Limit.solve()) as analysis:
            next(analysis)
            searcher.stop()
            assert analysis.result().stopped

    @pytest.mark.parametrize("threads", [1, 3])
    def test_searches_may_be_stopped_at_any_moment(self, threads: int) -> None:
        searcher = Searcher(hash_mb=4, threads=threads)
        rng = random.Random(0)
        for _ in range(60):
            timer = threading.Timer(rng.uniform(0, 0.01), searcher.stop)
            timer.start()
            searcher.search(MIDGAME, Limit(seconds=0.05))
            timer.join()
        problem = problems("ffo-1")[0]

        assert searcher.search(problem.position, Limit.solve()).score == problem.score

    @pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
    def test_an_analysis_has_no_copy_that_could_stop_it(self, copied: Callable[[Analysis], object]) -> None:
        with Searcher(hash_mb=4).analyse(Position.start(), Limit.solve()) as analysis:
            with pytest.raises(TypeError, match=r"^an analysis can be neither copied nor pickled"):
                copied(analysis)

            assert not isinstance(next(analysis), SearchResult)

    @pytest.mark.parametrize("begun", [False, True])
    def test_ctrl_c_while_a_search_begins_leaves_the_searcher_free(
        self, begun: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In a thread that runs already, or will do nothing when it comes to run."""
        searcher, start, threads = Searcher(hash_mb=4), threading.Thread.start, []

        def interrupted(thread: threading.Thread) -> None:
            threads.append(thread)
            if begun:
                start(thread)
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", interrupted)
            with pytest.raises(KeyboardInterrupt):
                searcher.analyse(MIDGAME)
        if not begun:
            with searcher.analyse(MIDGAME):
                start(threads[0])
                threads[0].join()
                with pytest.raises(SettingsError, match="under way"):
                    searcher.search(MIDGAME, Limit(depth=1))

        expect_free_soon(searcher)

    @pytest.mark.parametrize("refused", [1, 2, 3, 4])
    def test_a_thread_that_the_system_refuses_ends_the_search_in_words(
        self, refused: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The first is that of the search, the others help it; those that had begun go home."""
        searcher, start, threads = Searcher(hash_mb=4, threads=4), threading.Thread.start, []

        def scarce(thread: threading.Thread) -> None:
            threads.append(thread)
            if len(threads) == refused:
                raise RuntimeError("can't start new thread")
            start(thread)

        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", scarce)
            with pytest.raises(OutflankError, match=r"^can't start a thread for the search: can't"):
                searcher.search(MIDGAME, Limit(depth=9))

        assert len(threads) == refused
        assert not any(thread.is_alive() for thread in threads)
        assert searcher.search(MIDGAME, Limit(depth=4)).depth == 4

    @pytest.mark.parametrize("reported", [0, 1])
    def test_an_exception_outside_of_the_search_reaches_who_waits(self, reported: int) -> None:
        """In its thread, before the first report or after the last one, which counts then."""

        def fail(report: Report) -> None:
            for _ in range(reported):
                report(LookupError("reported"))
            raise LookupError("raised")

        freed: list[bool] = []
        with pytest.raises(LookupError, match="reported" if reported else "raised"):
            Analysis((fail, lambda: None), Lease(lambda: None, lambda: freed.append(True))).result()

        assert freed == [True]

    @pytest.mark.parametrize(
        ("limit", "least"),
        [(Limit(depth=1), 20), (Limit(depth=1, exact_from=0), 40)],
        ids=["brief", "in a thread"],
    )
    def test_ctrl_c_at_any_line_leaves_the_searcher_free(self, limit: Limit, least: int) -> None:
        """A second Ctrl-C may come while the analysis that the first one ended is cleared away."""
        searcher = Searcher(hash_mb=1)
        searcher.search(MIDGAME, limit)  # the first search of a process also reads files
        lines = lines_run_by(lambda: searcher.search(MIDGAME, limit))
        assert len(lines) > least
        for line in lines:
            searcher = Searcher(hash_mb=1)
            with pytest.raises(KeyboardInterrupt), ctrl_c_at(line):
                searcher.search(MIDGAME, limit)

            expect_free_soon(searcher)

    @pytest.mark.parametrize(
        "limit", [Limit(depth=8), Limit(nodes=20_000), Limit(depth=1, seconds=60), limit_for_level(8, 30)]
    )
    @pytest.mark.parametrize("position", [MIDGAME, OVER, MUST_PASS], ids=["to move", "over", "must pass"])
    def test_a_brief_search_runs_without_a_thread_and_finds_the_same(
        self, limit: Limit, position: Position, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with Searcher(hash_mb=1).analyse(position, limit, multipv=3) as analysis:
            expected = analysis.result()

        monkeypatch.setattr(threading.Thread, "start", lambda _: pytest.fail("a thread starts"))
        found = Searcher(hash_mb=1).search(position, limit, multipv=3)

        assert replace(found, seconds=0.0) == replace(expected, seconds=0.0)

    @pytest.mark.parametrize("limit", [Limit(depth=9), Limit(nodes=20_001), Limit(depth=4, exact_from=30)])
    def test_a_longer_search_has_a_thread_so_that_ctrl_c_can_interrupt_it(self, limit: Limit) -> None:
        threads, start = [], threading.Thread.start

        def counted(thread: threading.Thread) -> None:
            threads.append(thread)
            start(thread)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(threading.Thread, "start", counted)
            Searcher(hash_mb=1).search(MIDGAME, replace(limit, seconds=0.01))

        assert len(threads) == 1

    @pytest.mark.parametrize("board", [MIDGAME.board_string(), "OX------" + "-" * 56 + "X"])
    def test_forgetting_an_analysis_runs_no_python_code_that_ctrl_c_could_end(self, board: str) -> None:
        """Also where the search is that of the position after a forced pass."""
        searcher = Searcher(hash_mb=1)
        forgotten = [searcher.analyse(Position.parse(board))]

        assert not lines_run_by(forgotten.clear)
        expect_free_soon(searcher)


def expect_free_soon(searcher: Searcher) -> None:
    for _ in range(1000):
        try:
            searcher.search(MIDGAME, Limit(depth=1))
        except SettingsError:
            time.sleep(0.01)
        else:
            return
    pytest.fail("expected the searcher to be free within ten seconds")


_Line = tuple[CodeType, int]


def lines_run_by(call: Callable[[], object]) -> set[_Line]:
    """Return the lines of the engine's Python files that a call runs in this thread."""
    lines: set[_Line] = set()

    def note(frame: FrameType, event: str, _: object) -> Any:
        if Path(engine.__file__).parent in Path(frame.f_code.co_filename).parents:
            if event == "line":
                lines.add((frame.f_code, frame.f_lineno))
            return note
        return None

    with traced_by(note):
        call()
    return lines


@contextmanager
def ctrl_c_at(line: _Line) -> Iterator[None]:
    """Yield a block in which Ctrl-C comes when this thread first reaches a line."""

    def interrupt(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code is not line[0]:
            return None
        if event == "line" and frame.f_lineno == line[1]:
            raise KeyboardInterrupt  # which also ends the tracing
        return interrupt

    with traced_by(interrupt):
        yield


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_an_interruption_at_any_call_while_a_file_is_opened_comes_as_one(tmp_path: Path) -> None:
    """A descriptor closed twice made it an OSError, and could close another thread's file."""
    path = tmp_path / "some.file"
    path.write_bytes(b"text")
    step = count = 0

    def interrupt(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += frame.f_code.co_filename == files.__file__
        if count == step:
            sys.setprofile(None)
            raise KeyboardInterrupt

    def opened() -> None:
        nonlocal count
        count = 0
        sys.setprofile(interrupt)
        try:
            files.open_regular(path).close()
        finally:
            sys.setprofile(None)

    opened()
    steps = count
    assert steps > 15, "each call of open_regular and each return from one"
    for step in range(1, steps + 1):  # noqa: B007 (`interrupt` reads it)
        with pytest.raises(KeyboardInterrupt):
            opened()


@contextmanager
def traced_by(trace: Callable[[FrameType, str, object], Any]) -> Iterator[None]:
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


# Each first search is that of a process of its own, forked from one that has read nothing yet.
FIRST_SEARCHES = """
import os, signal, sys, threading, time
from outflank.engine import Limit, Position, Searcher, SettingsError

START, LIMITS = Position.start(), (Limit(depth=2), Limit(depth=2, exact_from=0))  # a brief one, one in a thread
# An interruption that comes while Python runs a callback of its own is lost there, and Python says so.
sys.unraisablehook = lambda lost: lost.exc_type is KeyboardInterrupt or sys.__unraisablehook__(lost)


def in_a_child(work):
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        os._exit(work())
    except BaseException as error:
        print(repr(error), file=sys.stderr)
        os._exit(9)


def search_until_free(searcher):
    for _ in range(1000):
        try:
            return searcher.search(START, LIMITS[0]).depth
        except SettingsError:
            time.sleep(0.01)
    raise TimeoutError("busy for good")


def interrupted(delay, limit):
    searcher, came = Searcher(1), False
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, delay)
        searcher.search(START, limit)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        came = True
    assert search_until_free(searcher) == 2
    return came


def raced():
    searcher, together, failed = Searcher(1), threading.Barrier(4), []

    def first(call):
        together.wait()
        try:
            call()
        except BaseException as error:
            failed.append(error)

    calls = [lambda: search_until_free(searcher)] + 3 * [lambda: searcher.evaluate(START)]
    threads = [threading.Thread(target=first, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed
    return search_until_free(searcher) != 2


began = time.monotonic()
assert in_a_child(lambda: search_until_free(Searcher(1)) != 2) == 0
takes = time.monotonic() - began
print(*(in_a_child(lambda: interrupted(takes * (number + 1) / 61, LIMITS[number % 2])) for number in range(60)))
print(*(in_a_child(raced) for _ in range(20)))
"""


def test_interrupts_and_threads_in_the_first_search_of_a_process_leave_the_searcher_whole() -> None:
    """ProbCut's margins were never read after an interruption between them and the evaluation."""
    done = subprocess.run(
        [sys.executable, "-c", FIRST_SEARCHES], capture_output=True, text=True, timeout=300, check=False
    )

    assert done.stderr == ""
    interrupts, races = (list(map(int, line.split())) for line in done.stdout.splitlines())
    assert set(interrupts) <= {0, 1}
    assert sum(interrupts) > 10, "expected the interruptions to come during the search"
    assert races == [0] * 20


class TestWatching:
    def test_every_iteration_comes_in_turn_and_the_end_is_the_result(self) -> None:
        searcher = Searcher(hash_mb=4)
        with searcher.analyse(MIDGAME, Limit(depth=6)) as analysis:
            infos = list(analysis)

            assert [info.depth for info in infos] == [1, 2, 3, 4, 5, 6]
            assert analysis.result().lines == infos[-1].lines
        assert repr(analysis) == "<Analysis (ended, 6 plies)>"
        alone = Searcher(hash_mb=4).search(MIDGAME, Limit(depth=6))
        assert (alone.lines, alone.nodes) == (analysis.result().lines, analysis.result().nodes)

    def test_leaving_the_block_stops_the_search_and_frees_the_searcher(self) -> None:
        searcher = Searcher(hash_mb=4)
        with searcher.analyse(Position.start()) as analysis:
            for info in analysis:
                if info.depth == 3:
                    break

        assert analysis.result().stopped
        assert analysis.result().depth >= 3
        assert searcher.search(MIDGAME, Limit(depth=2)).depth == 2

    def test_the_latest_can_be_looked_at_without_waiting(self) -> None:
        with Searcher(hash_mb=4).analyse(MIDGAME, multipv=3) as analysis:
            next(analysis)
            next(analysis)
            latest = analysis.latest

        assert latest is not None
        assert latest.depth >= 2
        assert len(latest.lines) == 3

    def test_a_forced_pass_is_told_from_the_passing_side(self) -> None:
        position = Position.parse("OX------" + "-" * 56 + "X")
        with Searcher(hash_mb=1).analyse(position, Limit.solve()) as analysis:
            infos = list(analysis)

        assert {info.lines[0].move for info in infos} == {PASS}
        searcher = Searcher(hash_mb=1)
        assert infos[-1].score == -searcher.search(position.pass_(), Limit.solve()).score
        assert searcher.evaluate(position) == -searcher.evaluate(position.pass_())
        assert (infos[-1].result, infos[-1].bound) == ("loss", "exact")

    def test_a_finished_game_has_a_result_and_no_iteration(self) -> None:
        over = Position.parse("X" * 40 + "O" * 24 + " O")
        with Searcher(hash_mb=1).analyse(over) as analysis:
            assert list(analysis) == []
            result = analysis.result()
        assert (result.move, result.score, result.result) == (PASS, -16, "loss")
        assert (result.exact, result.pv) == (True, ())

    @pytest.mark.parametrize("limit", [Limit(), Limit(selectivity=73), Limit(wld=True), Limit(exact_from=20)])
    def test_a_search_without_a_limit_is_refused(self, limit: Limit) -> None:
        searcher = Searcher(hash_mb=1)
        with pytest.raises(
            SettingsError,
            match=r"^a search needs a limit: depth, nodes, seconds, level, or a Limit with a clock or Limit.solve..$",
        ):
            searcher.search(Position.start(), limit)

        assert searcher.search(MIDGAME, Limit(depth=1)).depth == 1


class TestArguments:
    def test_a_limit_may_be_given_by_its_parts_and_a_position_by_its_game(self) -> None:
        searcher, game = Searcher(hash_mb=1), Game.from_transcript("f5d6c3")
        level = limit_for_level(5, game.position.empties)

        assert searcher.search(game, depth=4).depth == 4
        assert searcher.search(game, level=5).depth == level.depth
        assert searcher.search(game, level=20, nodes=1).depth < 20
        assert searcher.search(game, seconds=0.01).move in game.legal_moves()
        assert searcher.evaluate(game) == searcher.evaluate(game.position)
        with searcher.analyse(game, depth=3) as analysis:
            assert analysis.result().depth == 3

    @pytest.mark.parametrize(
        ("given", "sentence"),
        [
            (
                {},
                "a search needs a limit: depth, nodes, seconds, level, or a Limit with a clock or Limit.solve()",
            ),
            ({"limit": 8}, "expected a Limit, such as Limit(depth=8), or depth=8; got 8"),
            (
                {"limit": Limit(depth=8), "seconds": 1},
                "give a Limit or the arguments depth, nodes, seconds, level, not both",
            ),
            (
                {"depth": 8, "level": 10},
                "level and depth are mutually exclusive: a level sets its own depth",
            ),
        ],
    )
    def test_no_limit_and_two_limits_are_refused(self, given: dict[str, Any], sentence: str) -> None:
        with pytest.raises(SettingsError) as refused:
            Searcher(hash_mb=1).search(Position.start(), **given)

        assert str(refused.value) == sentence

    @pytest.mark.parametrize(
        ("call", "sentence"),
        [
            (
                lambda: Searcher(hash=64),  # type: ignore[call-arg]
                "Searcher() has no argument 'hash': did you mean 'hash_mb'?",
            ),
            (
                lambda: Limit(time=0.1),  # type: ignore[call-arg]
                "Limit() has no argument 'time': did you mean 'seconds'?",
            ),
            (
                lambda: Clock(remains=1),  # type: ignore[call-arg]
                "Clock() has no argument 'remains': did you mean 'remaining'?",
            ),
            (
                lambda: Searcher(1).search(MIDGAME, movetime=1),  # type: ignore[call-arg]
                "search() has no argument 'movetime': did you mean 'seconds'?",
            ),
            (
                lambda: Searcher(1).analyse(MIDGAME, x=1),  # type: ignore[call-arg]
                "analyse() has no argument 'x': the arguments are depth, nodes, seconds, level, moves, multipv",
            ),
            (
                lambda: Searcher(1).search("f5", depth=1),  # type: ignore[arg-type]
                "expected a Position or a Game, got 'f5' (str)",
            ),
        ],
    )
    def test_a_wrong_argument_is_refused_with_the_one_that_is_meant(
        self, call: Callable[[], object], sentence: str
    ) -> None:
        with pytest.raises(TypeError) as refused:
            call()

        assert str(refused.value) == sentence


def test_all_who_wait_for_the_result_get_it() -> None:
    found: list[int] = []
    with Searcher(hash_mb=4).analyse(Position.start(), Limit(depth=9)) as analysis:
        waiting = [
            threading.Thread(target=lambda: found.append(analysis.result().depth), daemon=True)
            for _ in range(3)
        ]
        for thread in waiting:
            thread.start()
        for thread in waiting:
            thread.join(timeout=60)

    assert found == [9, 9, 9]


def test_a_pass_that_leads_to_a_draw_is_worth_zero_without_a_sign() -> None:
    position = Position.parse("XXOOOX-OXXXXXXXOXXOOOOOXOOXXXOOOOXXXOXOXOXXXXXXXOOXOXXOXOXXXOOOO X")

    assert position.must_pass
    assert str(Searcher(hash_mb=4).search(position, Limit.solve()).score) == "0.0"


def test_a_thread_that_waits_for_work_is_not_taken_for_one_without_a_processor() -> None:
    """Its wait counted as time that the machine gave to others: the search ended as much earlier."""
    position = Position.parse(
        "XOOOXOXXO-X-XOXOXO--OXOOXOXO-O-OX---XX-XXOOOXOOOX-XX---OXXOOOXOO X", Rules.parse("ravensburger-1987")
    )
    used: list[float] = []
    while not used or (max(used) < 0.88 and len(used) < 4):  # a busy machine may really take some of the time
        found = Searcher(hash_mb=16, threads=2).search(position, Limit(seconds=1.0, exact_from=64))
        used.append(1.0 if found.exact else found.seconds)

    assert max(used) >= 0.88


def test_an_interrupt_while_a_thread_starts_stays_an_interrupt() -> None:
    class Interrupted(threading.Thread):
        def start(self) -> None:
            try:
                raise KeyboardInterrupt
            finally:
                raise RuntimeError("release unlocked lock")

    with pytest.raises(KeyboardInterrupt):
        start_thread(Interrupted())
