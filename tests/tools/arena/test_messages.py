"""Messages between an arena and a client: valid ones are read, all others are rejected in a sentence."""

import json
import random
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outflank.engine import NotationError
from outflank.tools.arena.messages import CLIENT, SERVER, MoveMessage, read, write

MOVE = '{"type": "move", "id": 7, "move": "f5", "score": 1.5, "book": true}'
NESTED = st.recursive(st.none() | st.integers() | st.text(), st.lists)


def test_a_message_reads_back_as_it_was_written_without_what_is_not_known_or_not_of_the_schema() -> None:
    short = write(MoveMessage(7, "f5"))

    assert write(MoveMessage(7, "f5", 1.5, True)) == MOVE
    assert read(MOVE, CLIENT) == MoveMessage(7, "f5", 1.5, True)
    assert short == '{"type": "move", "id": 7, "move": "f5"}'
    assert read(short, CLIENT) == read(short[:-1] + ', "score": null}', CLIENT) == MoveMessage(7, "f5")
    assert write(read(MOVE[:-1] + ', "run": "rm"}', CLIENT)) == MOVE


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "expected a JSON object, got ''"),
        ("{", "expected a JSON object, got '{'"),
        ("[" * 16_000, "expected a JSON object"),
        ("[]", r"expected a JSON object, got '\[\]'"),
        ('{"type": "think", "id": 1}', "expected a message of type hello open ready"),
        ('{"type": ["move"]}', "expected a message of type"),
        ('{"type": "ready"}', "expected whole number, 1 or more for id in the message 'ready', got None"),
        ('{"type": "ready", "id": true}', "got True"),
        ('{"type": "ready", "id": 1.0}', "got 1.0"),
        ('{"type": "ready", "id": -1}', "got -1"),
        ('{"type": "ready", "id": 1e400}', "got inf"),
        ('{"type": "ready", "id": NaN}', "got nan"),
        ('{"type": "ready", "id": 9007199254740993}', "expected whole number, 1 or more for id"),
        ('{"type": "move", "id": 1, "move": "f5", "score": NaN}', "expected number for score"),
        ('{"type": "move", "id": 1, "move": "f5", "score": 1' + 400 * "0" + "}", "expected number for score"),
        ('{"type": "ready", "id": ' + 5000 * "9" + "}", "got inf"),
        ('{"type": "failed", "id": 1, "fault": "crash", "reason": "\\ud800"}', "half of a surrogate pair"),
        (
            b'{"type": "failed", "id": 1, "fault": "crash", "reason": "\xed\xa0\x80"}',
            "half of a surrogate pair",
        ),
        ('{"type": "move", "id": 1, "move": "f5", "score": 65}', "expected number for score"),
        ('{"type": "move", "id": 1, "move": "fffffffffffffffffffffff"}', "expected text, at most 20"),
        (
            '{"type": "failed", "id": 1, "fault": "won", "reason": ""}',
            "`crash` or `protocol error` or `stall`",
        ),
        (b'{"type": "ready", "id": 1\xff', "expected a JSON object"),
        ("x" * 20_000, "expected a message of at most 16384 bytes, got 20000"),
    ],
)
def test_what_is_no_message_is_refused_in_a_sentence(text: str | bytes, sentence: str) -> None:
    with pytest.raises(NotationError, match=sentence) as refusal:
        read(text, CLIENT)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 400


@given(st.one_of(st.text(), st.binary(), NESTED.map(json.dumps)))
def test_anything_is_a_message_or_refused(text: str | bytes) -> None:
    for schema in (CLIENT, SERVER):
        with suppress(NotationError):
            assert read(text, schema).type in schema


@pytest.mark.parametrize("count", [3_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_mangled_messages_are_read_or_refused(rng: random.Random, count: int) -> None:
    values: list[Any] = [None, True, -1, 0, 1, 2**70, 1e308, "", "x" * 3_000, [], [[]], {}, "\ud800", "\0"]
    refused = 0
    for _ in range(count):
        schema = rng.choice([CLIENT, SERVER])
        kind = rng.choice(list(schema))
        message = {"type": kind, **{name: rng.choice(values) for name in schema[kind].__struct_fields__}}
        data = bytearray(json.dumps(message).encode())
        for _ in range(rng.randrange(3)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            found = read(bytes(data[: rng.choice([len(data), rng.randrange(len(data))])]), schema)
            assert read(write(found), schema) == found
        except NotationError:
            refused += 1
    assert count / 2 < refused < count
