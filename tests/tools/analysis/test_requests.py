"""What a line asks for, and what is said of one that can't be understood."""

import json
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import Game, Position, Rules
from outflank.tools.analysis.requests import (
    Action,
    Defaults,
    Item,
    Query,
    Remark,
    SearchRequest,
    read_request,
)
from outflank.tools.analysis.service import requests_of

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
    assert refused == [Remark({"id": None, "line": number}, sentence) for number in (1, 2)]
    assert answered.tags == {"id": "é", "turn": 0}
    assert long == Remark({"id": None, "line": 1}, "the line has 65536 bytes or more, which is too long")


def test_an_unknown_field_is_a_warning_and_thousands_are_a_few() -> None:
    warning, answered = read({"id": "a", "depht": 4})
    *warnings, also_answered = read({"id": "a", **{f"k{number}": 1 for number in range(3_000)}})

    assert isinstance(warning, Remark)
    assert (warning.is_warning, warning.field) == (True, "depht")
    assert isinstance(answered, Query)
    assert isinstance(also_answered, Query)
    assert len(warnings) == 21
    assert warnings[-1] == Remark({"id": "a"}, "2980 more fields are unknown", is_warning=True)


@pytest.mark.parametrize(
    ("fields", "field", "sentence"),
    [
        ({"moves": "f5f5"}, "moves", "move 2 of the transcript: f5 is illegal; legal for White: f4 d6 f6"),
        ({"moves": 5}, "moves", "expected a text or a list of texts for moves, got 5"),
        ({"moves": False}, "moves", "expected a text or a list of texts for moves, got false"),
        ({"moves": ["f5", 6]}, "moves", "expected a text or a list of texts for moves, got"),
        ({"position": "XO"}, "position", "expected a board of 64 squares, got 2"),
        ({"rules": "chess"}, "rules", "expected rules out of"),
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
            "a level says how deep and how selectively to search: give it, or depth and selectivity",
        ),
        ({"selectivity": 90, "depth": 1}, "selectivity", "expected a selectivity out of 73 87 95 98 99 100"),
        ({"selectivity": 95}, "selectivity", "it needs a limit too: depth, nodes or time"),
        ({"multipv": 0}, "multipv", "expected a whole number from 1"),
        ({"stable": 1}, "stable", "expected true or false for stable, got 1"),
        ({"stable": True, "rules": "ravensburger-1987"}, "stable", "stable discs are known only where"),
        ({"report_every": "1"}, "report_every", "expected seconds from 0 to 1000000000 for report_every"),
        ({"report_every": 10**400}, "report_every", "expected seconds from 0 to 1000000000 for report_every"),
        ({"priority": "high"}, "priority", "expected a whole number from -1000000 to 1000000"),
        ({"allow": ["a1"]}, "allow", "a1 is illegal; legal for Black: d3 c4 f5 e6"),
        ({"avoid": "d3c4"}, "avoid", "expected a square from a1 to h8, got 'd3c4'"),
        ({"avoid": "d3 c4 f5 e6"}, "avoid", "no legal move is left to search"),
        ({"allow": ""}, "allow", "no legal move is left to search"),
        ({"allow": "d3", "avoid": "d3"}, "avoid", "no legal move is left to search"),
        ({"allow": "f5", "turns": [0, 1], "moves": "f5"}, "allow", "allow goes with one turn only"),
        ({"action": "jump"}, "action", "expected an action out of query_version terminate terminate_all"),
        ({"action": "terminate"}, "terminate_id", "expected a text or a whole number for terminate_id"),
    ],
)
def test_what_can_not_be_answered_is_named(fields: dict[str, Any], field: str, sentence: str) -> None:
    (remark,) = read({"id": "a", **fields})

    assert isinstance(remark, Remark)
    assert (remark.tags, remark.field, remark.is_warning) == ({"id": "a"}, field, False)
    assert remark.sentence.startswith(sentence)


@pytest.mark.parametrize(
    ("line", "field", "sentence"),
    [
        ("nonsense", None, "expected a JSON object, got 'nonsense'"),
        ("[1, 2]", None, "expected a JSON object, got '[1, 2]'"),
        ("{}", "id", "expected a text or a whole number for id, got nothing"),
        ('{"id": null}', "id", "expected a text or a whole number for id, got nothing"),
        ('{"id": 1.5}', "id", "expected a text or a whole number for id, got 1.5"),
        ('{"id": true}', "id", "expected a text or a whole number for id, got true"),
        ("[" * 100_000, None, "expected a JSON object, got '[[[["),
        ('{"id": ' + "9" * 5000 + "}", "id", "expected a text or a whole number for id, got Infinity"),
        ('{"id": "\\ud800"}', None, "expected Unicode text, got half of a surrogate pair"),
        ('{"id": "' + "i" * 1001 + '"}', "id", "expected a text of at most 1000 characters for id, got 1001"),
    ],
)
def test_a_line_without_an_id_is_named_by_its_number(line: str, field: str | None, sentence: str) -> None:
    (remark,) = read(line)

    assert isinstance(remark, Remark)
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
        if isinstance(item, Remark):
            assert len(item.sentence.split()) > 3
            assert item.sentence.isprintable()
            assert len(item.sentence) < 500
