"""One process as an analysis server: answers as they are done; what a request asks for, and what is wrong with one."""

import json
import signal
import subprocess
import threading
import time
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank import __version__
from outflank.engine import Game, Limit, Position, Rules, Searcher, SearchResult
from outflank.engine.evaluation.weights import checksum
from outflank.tests.support.program import started
from outflank.tools.analysis import service
from outflank.tools.analysis.requests import (
    Action,
    Defaults,
    Diagnostic,
    Item,
    Query,
    SearchRequest,
    read_request,
)
from outflank.tools.analysis.service import AnalysisService, answers, requests_of

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

    assert failed.item == Diagnostic({"id": 0}, "the search failed: MemoryError('no room')")
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


# --- What a line asks for, and what is said of one that can't be understood


DEFAULTS = Defaults(Rules(), SearchRequest(level=10, multipv=2))


def read(line: str | dict[str, Any]) -> list[Item]:
    return list(read_request(line if isinstance(line, str) else json.dumps(line), 7, DEFAULTS))


def query(**fields: Any) -> Query:
    (item,) = read({"id": "a", **fields})
    assert isinstance(item, Query)
    return item


def test_moves_lead_to_the_position_also_from_another_one_under_other_rules() -> None:
    wanted = Game.from_transcript("f5d6c3").position
    first = Position.parse("OX------" + "-" * 56 + "O", Rules.parse("reversi"))

    for moves in ("f5d6c3", "F5 d6 c3", "f5,d6,c3", ["f5", "d6", "c3"]):
        assert query(moves=moves).position == wanted
    assert query(position=wanted.board_string()).position == wanted
    assert query().position == Position.start()
    assert query(rules="reversi", position=first.board_string(), moves="c1").position == first.play("c1")


@pytest.mark.parametrize(
    ("fields", "search"),
    [
        ({}, DEFAULTS.search),
        ({"multipv": 3}, SearchRequest(level=10, multipv=3)),
        ({"time": 0.5}, SearchRequest(seconds=0.5, multipv=2)),
        ({"depth": 8, "selectivity": 95}, SearchRequest(depth=8, selectivity=95, multipv=2)),
    ],
)
def test_what_a_request_leaves_out_is_as_for_all_but_the_limits(
    fields: dict[str, Any], search: SearchRequest
) -> None:
    assert query(**fields).search == search


def test_each_turn_is_a_query_of_its_own_and_the_moves_to_consider_may_be_chosen() -> None:
    items = read({"id": 5, "moves": "f5d6c3", "turns": [0, 2, 2]})

    assert [item.tags for item in items] == [{"id": 5, "turn": 0}, {"id": 5, "turn": 2}]
    assert len(read({"id": 5, "moves": "f5d6c3", "turns": "all"})) == 4
    assert query(moves="f5d6c3").tags == {"id": "a", "turn": 3}

    assert [str(move) for move in query(allow=["d3", "c4"]).moves or ()] == ["d3", "c4"]
    assert [str(move) for move in query(avoid="d3 c4").moves or ()] == ["f5", "e6"]
    assert query().moves is None


@pytest.mark.parametrize(
    ("fields", "action"),
    [
        ({"terminate_id": "a", "turns": [3]}, Action({"id": 1}, "terminate", "a", (3,))),
        # Without counting the turns.
        ({"terminate_id": "a", "turns": "all"}, Action({"id": 1}, "terminate", "a", range(2**31))),
        ({"action": "terminate_all"}, Action({"id": 1}, "terminate_all")),
    ],
)
def test_actions_are_no_queries(fields: dict[str, Any], action: Action) -> None:
    assert read({"id": 1, "action": "terminate", **fields}) == [action]


def test_bytes_that_are_no_utf_8_are_refused_since_two_ids_might_become_the_same() -> None:
    lines = b'{"id":"\xff"}\n{"id":"\xfe"}\n' + '{"id":"é"}\n'.encode()
    *refused, answered = requests_of(BytesIO(lines), DEFAULTS)
    (long,) = requests_of(BytesIO(b'{"id":"' + 70_000 * "é".encode()), DEFAULTS)

    sentence = "this line is not UTF-8"
    assert refused == [Diagnostic({"id": None, "line": number}, sentence) for number in (1, 2)]
    assert answered.tags == {"id": "é", "turn": 0}
    assert long == Diagnostic({"id": None, "line": 1}, "the line has 65536 bytes or more, which is too long")


def test_an_unknown_field_is_a_warning_and_thousands_are_a_few() -> None:
    warning, answered = read({"id": "a", "depht": 4})
    *warnings, also_answered = read({"id": "a", **{f"k{number}": 1 for number in range(3_000)}})

    assert isinstance(warning, Diagnostic)
    assert (warning.is_warning, warning.field) == (True, "depht")
    assert isinstance(answered, Query)
    assert isinstance(also_answered, Query)
    assert len(warnings) == 21
    assert warnings[-1] == Diagnostic({"id": "a"}, "2980 more fields are unknown", is_warning=True)


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"moves": "f5f5"}, "moves", "move 2 of the transcript: f5 is illegal; legal for White: f4 d6 f6"),
        ({"moves": 5}, "moves", "expected text or a list of texts for moves, got 5"),
        ({"moves": False}, "moves", "expected text or a list of texts for moves, got false"),
        ({"moves": ["f5", 6]}, "moves", "expected text or a list of texts for moves, got"),
        ({"position": "XO"}, "position", "expected a board of 64 squares, got 2"),
        ({"rules": "chess"}, "rules", "expected one of the presets"),
        ({"turns": [4], "moves": "f5"}, "turns", 'expected "all" or a list of numbers from 0 to 1 for turns'),
        ({"turns": []}, "turns", 'expected "all" or a list of numbers'),
        ({"turns": [True]}, "turns", 'expected "all" or a list of numbers'),
        ({"depth": 0}, "depth", "expected a whole number from 1 to 2147483647 for depth, got 0"),
        ({"depth": True}, "depth", "expected a whole number from 1 to 2147483647 for depth, got true"),
        ({"nodes": 1.5}, "nodes", "expected a whole number from 1"),
        ({"time": -1}, "time", "expected seconds from 0 to 1000000000 for time, got -1"),
        ({"time": float("nan")}, "time", "expected seconds from 0 to 1000000000 for time, got NaN"),
        ({"time": float("inf")}, "time", "expected seconds from 0 to 1000000000 for time, got Infinity"),
        ({"time": True}, "time", "expected seconds from 0 to 1000000000 for time, got true"),
        ({"time": 10**400}, "time", "expected seconds from 0 to 1000000000 for time, got Infinity"),
        ({"level": 61}, "level", "expected a whole number from 0 to 60 for level, got 61"),
        (
            {"level": 5, "depth": 5},
            "level",
            "a level sets depth and selectivity: give either a level, or depth and selectivity",
        ),
        ({"selectivity": 90, "depth": 1}, "selectivity", "expected a selectivity out of 73 87 95 98 99 100"),
        ({"selectivity": 95}, "selectivity", "selectivity also needs a limit: depth, nodes or time"),
        ({"multipv": 0}, "multipv", "expected a whole number from 1"),
        ({"stable": 1}, "stable", "expected true or false for stable, got 1"),
        ({"stable": True, "rules": "ravensburger-1987"}, "stable", "stable discs are listed only under"),
        ({"report_every": "1"}, "report_every", "expected seconds from 0 to 1000000000 for report_every"),
        ({"report_every": 10**400}, "report_every", "expected seconds from 0 to 1000000000 for report_every"),
        ({"priority": "high"}, "priority", "expected a whole number from -1000000 to 1000000"),
        ({"allow": ["a1"]}, "allow", "a1 is illegal; legal for Black: d3 c4 f5 e6"),
        ({"avoid": "d3c4"}, "avoid", "expected a square from a1 to h8, got 'd3c4'"),
        ({"avoid": "d3 c4 f5 e6"}, "avoid", "no legal move is left to search"),
        ({"allow": ""}, "allow", "no legal move is left to search"),
        ({"allow": "d3", "avoid": "d3"}, "avoid", "no legal move is left to search"),
        ({"allow": "f5", "turns": [0, 1], "moves": "f5"}, "allow", "allow applies only to a single turn"),
        ({"action": "jump"}, "action", "expected one of the actions query_version terminate terminate_all"),
        ({"action": "terminate"}, "terminate_id", "expected text or a whole number for terminate_id"),
    ],
)
def test_what_can_not_be_answered_is_named(fields: dict[str, Any], field: str, sentence: str) -> None:
    (remark,) = read({"id": "a", **fields})

    assert isinstance(remark, Diagnostic)
    assert (remark.tags, remark.field, remark.is_warning) == ({"id": "a"}, field, False)
    assert remark.sentence.startswith(sentence)


@pytest.mark.parametrize(
    ("line", "field", "sentence"),
    [
        ("nonsense", None, "expected a JSON object, got 'nonsense'"),
        ("[1, 2]", None, "expected a JSON object, got '[1, 2]'"),
        ("{}", "id", "expected text or a whole number for id, got nothing"),
        ('{"id": null}', "id", "expected text or a whole number for id, got nothing"),
        ('{"id": 1.5}', "id", "expected text or a whole number for id, got 1.5"),
        ('{"id": true}', "id", "expected text or a whole number for id, got true"),
        ("[" * 100_000, None, "expected a JSON object, got '[[[["),
        ('{"id": ' + "9" * 5000 + "}", "id", "expected text or a whole number for id, got Infinity"),
        ('{"id": "\\ud800"}', None, "expected Unicode text, got half of a surrogate pair"),
        ('{"id": "' + "i" * 1001 + '"}', "id", "expected text of at most 1000 characters for id, got 1001"),
    ],
)
def test_a_line_without_an_id_is_named_by_its_number(line: str, field: str | None, sentence: str) -> None:
    (remark,) = read(line)

    assert isinstance(remark, Diagnostic)
    assert (remark.tags, remark.field) == ({"id": None, "line": 7}, field)
    assert remark.sentence.startswith(sentence)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
NAMES = st.sampled_from(
    ["action", "moves", "position", "rules", "turns", "depth", "time", "level", "allow", "avoid", "stable"]
    + ["nodes", "selectivity", "multipv", "report_every", "priority"]
)


@given(fields=st.dictionaries(NAMES | st.text(max_size=3), ANY_JSON, max_size=5))
def test_whatever_stands_in_the_fields_the_answer_has_the_id_and_one_line(fields: dict[str, Any]) -> None:
    items = read({**fields, "id": "a"})

    assert items
    for item in items:
        assert item.tags["id"] == "a"
        if isinstance(item, Diagnostic):
            assert len(item.sentence.split()) > 3
            assert item.sentence.isprintable()
            assert len(item.sentence) < 500
