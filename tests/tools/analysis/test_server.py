"""One process as an analysis server: requests on standard input, answers as they are done."""

import json
import signal
import subprocess
import threading
import time
from typing import Any

import pytest

from outflank import __version__
from outflank.engine import Game, Limit, Position, Searcher, SearchResult
from outflank.engine.evaluation.weights import checksum
from outflank.tests.support.program import started
from outflank.tools.analysis import service
from outflank.tools.analysis.requests import Query, Remark, SearchRequest
from outflank.tools.analysis.service import AnalysisService, answers

ENDGAME = "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X"


class Server:
    """``outflank analyze -`` with some options; as a context manager it ends the input and the process."""

    def __init__(self, *options: str) -> None:
        self.process = started("analyze", "-", *options, stdin=subprocess.PIPE)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ask(self, **fields: Any) -> None:
        self.send(json.dumps(fields))

    def send(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server has gone"
        return dict(json.loads(line))

    def end(self) -> tuple[list[dict[str, Any]], int, str]:
        """End the input: the answers still to come, the exit code, and what stands on standard error."""
        out, err = self.process.communicate(timeout=60)
        return [json.loads(line) for line in out.splitlines()], self.process.returncode, err


def test_answers_come_as_they_are_done_each_with_its_id() -> None:
    with Server("--concurrency", "2") as server:
        server.ask(id="long", time=60)
        server.ask(id="short", moves="f5d6", depth=4)
        assert server.answer()["id"] == "short"

        server.ask(id="end it", action="terminate", terminate_id="long")
        answers = {answer["id"]: answer for answer in (server.answer(), server.answer())}
        assert answers["end it"]["terminated"] == 1
        assert answers["long"]["stopped"]
        assert answers["long"]["lines"][0]["move"] in ("d3", "c4", "f5", "e6")
        assert server.end()[:2] == ([], 0)


def test_the_end_of_the_input_finishes_what_is_outstanding_in_order_if_wanted() -> None:
    with Server("--concurrency", "2", "--ordered") as server:
        server.ask(id="long", time=0.7)
        for number in range(9):
            server.ask(id=number, moves="f5d6c3", depth=4)
        answers, code, _ = server.end()

    assert [answer["id"] for answer in answers] == ["long", *range(9)]
    assert code == 0


def test_an_error_names_its_request_and_the_others_go_on() -> None:
    with Server() as server:
        server.ask(id="bad", moves="f5f5")
        error = server.answer()
        server.send("nonsense")
        assert server.answer()["line"] == 2
        server.ask(id="long", time=10**400)
        assert server.answer()["field"] == "time"
        server.send('{"id": "' + "x" * 200_000)
        assert server.answer()["error"] == "the line has 65536 bytes or more, which is too long"
        server.ask(id="good", moves="f5d6", depth=2)
        good = server.answer()
        _, code, said = server.end()

    assert (error["id"], error["kind"], error["field"]) == ("bad", "error", "moves")
    assert (good["id"], good["kind"]) == ("good", "result")
    assert code == 1
    assert said.endswith("outflank: 4 positions can't be read (named above)\n")


def test_a_search_that_fails_is_named_and_the_others_go_on() -> None:
    class Broken(SearchRequest):
        def limit(self, empties: int) -> Limit:
            if empties == 59:
                raise MemoryError("no room")
            return super().limit(empties)

    positions = [Position.start(), Game.from_transcript("f5").position]
    items = [Query({"id": number}, at, Broken(depth=1)) for number, at in enumerate(reversed(positions))]
    failed, answered = answers(AnalysisService([Searcher(hash_mb=1)]), items, ordered=True)

    assert failed.item == Remark({"id": 0}, "the search has failed: MemoryError('no room')")
    assert answered.found is not None
    assert answered.found.depth == 1


def test_a_long_search_gives_way_to_another_client_and_is_still_answered_in_full(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(service, "FIRST_SLICE_SECONDS", 0.1)
    shared = AnalysisService([Searcher(hash_mb=1)])
    order: list[tuple[str, bool]] = []

    def ask(name: str, yields: bool = False, **search: Any) -> threading.Thread:
        query = Query({"id": name}, Position.start(), SearchRequest(**search), yields=yields)
        stream = answers(shared, [query])

        def note() -> None:
            for answer in stream:
                assert isinstance(answer.found, SearchResult)
                order.append((name, answer.found.stopped))

        asking = threading.Thread(target=note)
        asking.start()
        return asking

    long = ask("long", seconds=2)
    time.sleep(0.5)
    for each in [*(ask(f"short {number}", depth=4) for number in range(3)), long]:
        each.join(20)

    yielding = ask("yielding", yields=True, seconds=20)
    time.sleep(0.5)
    for each in (ask("last", depth=4), yielding):
        each.join(10)

    assert sorted(order[4:]) == [("last", False), ("yielding", True)]
    assert sorted(order[:3]) == [(f"short {number}", False) for number in range(3)]
    assert order[3] == ("long", False)


def test_what_has_not_begun_is_terminated_at_once() -> None:
    with Server() as server:
        server.ask(id="long", time=60, report_every=0)
        assert server.answer()["kind"] == "info"
        server.ask(id="waits", moves="f5d6c3", turns=[0, 1, 2])
        server.ask(id="some", action="terminate", terminate_id="waits", turns=[0, 2])
        answers: list[dict[str, Any]] = []
        while len(answers) < 3:
            answer = server.answer()
            if answer["kind"] != "info":
                answers.append(answer)
        server.ask(id="all", action="terminate_all")
        rest, code, _ = server.end()

    terminated = [(answer["turn"], answer["stopped"], answer["lines"]) for answer in answers[:2]]
    assert terminated == [(0, True, []), (2, True, [])]
    assert answers[2]["terminated"] == 2
    finished = {answer["id"]: answer for answer in rest if answer["kind"] != "info"}
    assert finished["all"]["terminated"] == 2
    assert finished["long"]["stopped"]
    assert (finished["waits"]["turn"], finished["waits"]["lines"]) == (1, [])
    assert code == 0


def test_the_version_can_be_asked_for_and_progress_is_reported_as_often_as_wanted() -> None:
    with Server() as server:
        server.ask(id="v", action="query_version")
        version = server.answer()
        server.ask(id=1, moves="f5d6c3", depth=6, report_every=0)
        answers, code, said = server.end()

    made = {"version": __version__, "evaluation": checksum()}
    assert (version, code) == ({"id": "v", "kind": "action", "action": "query_version", **made}, 0)
    assert said.startswith(
        f"outflank {__version__}, evaluation {checksum()}, 1 thread, table of 64 MB, othello, level 10\n"
    )
    assert [answer["kind"] for answer in answers] == [*["info"] * 6, "result"]
    assert [answer["depth"] for answer in answers] == [1, 2, 3, 4, 5, 6, 6]


def test_those_with_a_higher_priority_are_searched_first() -> None:
    with Server() as server:
        server.ask(id="first", time=60, priority=9)  # it may begin after the others have been read
        for number in range(4):
            server.ask(id=number, depth=1, priority=number)
        server.ask(id="all are read", action="query_version")
        assert server.answer()["kind"] == "action"
        server.ask(id="go on", action="terminate", terminate_id="first")
        answers, _, _ = server.end()

    done = [answer["id"] for answer in answers if answer["kind"] == "result"]
    assert done == ["first", 3, 2, 1, 0]


def test_an_answer_does_not_depend_on_what_else_is_asked() -> None:
    def numbers(*options: str) -> list[tuple[object, ...]]:
        with Server("--ordered", "--level", "6", *options) as server:
            server.ask(id=0, moves="f5d6c3d3c4f4f6f3e6e7", turns="all")
            server.ask(id=1, position=ENDGAME, level=12)
            answers, _, _ = server.end()
        return [(each["id"], each["turn"], each["score"], each["nodes"], each["lines"]) for each in answers]

    one = numbers()
    assert len(one) == 12
    assert numbers("--concurrency", "3") == one


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("searching", [True, False])
def test_a_signal_ends_it_at_once_and_quietly(number: signal.Signals, searching: bool) -> None:
    with Server("--concurrency", "2") as server:
        server.ask(id=1, action="query_version")
        server.answer()
        if searching:
            server.ask(id=2, time=60, report_every=0)
            server.answer()
        server.process.send_signal(number)

        assert server.process.wait(10) == 128 + number
        assert server.process.stderr is not None
        assert len(server.process.stderr.read().splitlines()) == 1


def test_a_reader_that_goes_away_ends_it() -> None:
    with Server("--depth", "1") as server:
        server.ask(id=1)
        server.answer()
        assert server.process.stdout is not None
        server.process.stdout.close()
        server.ask(id=2)

        assert server.process.wait(20) == 128 + signal.SIGPIPE
