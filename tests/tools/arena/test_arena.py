"""Engines on other machines play the same games as local ones, even over a bad connection."""

import asyncio
import json
import random
import shlex
import socket
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import Mock

import pytest
from msgspec import structs
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.sync.server import ServerConnection
from websockets.sync.server import serve as listen

from outflank.engine import NotationError
from outflank.protocol.clock import NO_LIMIT, TimeControl
from outflank.protocol.drivers.errors import UnfitEngineError
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.drivers.spec_values import Protocol
from outflank.tests.support import fake_engine
from outflank.tests.support.arenas import LocalArena, Relay, heard, totals, wait
from outflank.tests.support.processes import resident_kib
from outflank.tests.support.runs import conduct, fake, instant, instant_settings
from outflank.tools.arena import connection
from outflank.tools.arena.arena import Arena
from outflank.tools.arena.joining import Joiner, join_address
from outflank.tools.arena.messages import (
    VERSION,
    AnswerMessage,
    DropMessage,
    HelloMessage,
    OpenMessage,
    PingMessage,
    PongMessage,
    ReadyMessage,
    Refusal,
    RefusedMessage,
    WelcomeMessage,
    write,
)
from outflank.tools.arena.pool import ArenaPool
from outflank.tools.arena.standing import StandingConductor
from outflank.tools.match.game.results import Ending
from outflank.tools.match.schedule.formats import plan
from outflank.tools.match.state.events import Event, GameEnded, LiveUpdate, Thought
from outflank.tools.match.state.run import Format
from outflank.tools.match.state.store import read_run
from outflank.tools.runtime import progress
from outflank.tools.runtime.address import Address
from outflank.tools.web.server import WebServer

SLOW = [pytest.mark.slow, pytest.mark.timeout(1200)]


def test_a_run_of_joined_engines_is_that_of_engines_here(tmp_path: Path) -> None:
    here = conduct(instant_settings(tmp_path, games=6), tmp_path / "here")
    with LocalArena(tmp_path) as local, local.entrant("A"), local.entrant("B"):
        run = local.play(local.settings("A", "B", games=6))

    assert totals(run) == totals(here)
    assert totals(read_run(tmp_path / "run")) == totals(here)


def test_an_engine_that_speaks_nboard_plays_over_a_line(tmp_path: Path) -> None:
    cmd = shlex.join(fake_engine.command(speak="nboard"))
    nboard = EngineSpec("x", cmd, TimeControl(), protocol=Protocol.NBOARD, depth=1)
    with LocalArena(tmp_path) as local, local.entrant("N", nboard), local.entrant("G", fake("x")):
        run = local.play(local.settings("N", "G", games=2))

    assert [game.ending for game in run.games] == [Ending.DISCS] * 2


@pytest.mark.parametrize(
    ("fault", "ending", "detail"),
    [
        ("crash", Ending.CRASH, "engine A failed on its own machine"),
        ("illegal", Ending.ILLEGAL_MOVE, "a1 is illegal"),  # seen by the referee
    ],
)
def test_a_fault_on_the_other_machine_loses_the_game_with_its_name(
    tmp_path: Path, fault: str, ending: Ending, detail: str
) -> None:
    with LocalArena(tmp_path) as local, local.entrant("A", fake("x", fault)), local.entrant("B", fake("x")):
        run = local.play(local.settings("A", "B", games=2))

    assert [(game.ending, game.winner_name) for game in run.games] == [(ending, "B")] * 2
    assert detail in run.games[0].detail
    assert any('"think"' in line for line in run.games[0].dialogue)


@pytest.mark.parametrize(("games", "cuts"), [(20, 20), pytest.param(600, 500, marks=SLOW)])
def test_a_line_that_is_cut_again_and_again_changes_no_result(
    tmp_path: Path, rng: random.Random, games: int, cuts: int
) -> None:
    here = conduct(instant_settings(tmp_path, games=games), tmp_path / "here")
    over = threading.Event()

    def cut(local: LocalArena, relay: Relay) -> None:
        while not over.is_set() and relay.cuts < cuts:
            in_a_greeting = rng.random() < 0.1
            while not in_a_greeting and not over.is_set() and len(local.arena.present()) < 2:
                time.sleep(0.01)
            time.sleep(rng.uniform(0, 0.1))
            if rng.random() < 0.3:
                relay.cut_in_a_message()
            else:
                relay.cut(rng)

    with LocalArena(tmp_path, patience=100) as local, Relay(local.port) as relay:
        url = f"http://127.0.0.1:{relay.port}"
        with local.entrant("A", url=url) as a, local.entrant("B", url=url):
            threading.Thread(target=cut, args=(local, relay), daemon=True).start()
            try:
                run = local.play(local.settings("A", "B", games=games))
            finally:
                over.set()

    assert totals(run) == totals(here)
    assert not a.failure
    assert relay.cuts >= cuts


def test_a_line_that_does_not_come_back_loses_the_game(tmp_path: Path) -> None:
    with LocalArena(tmp_path, patience=0.5) as local, local.entrant("B", fake("x")):
        slow = fake("x", "silence")
        with local.entrant("A", slow) as leaver:
            threading.Timer(0.5, leaver.go).start()
            run = local.play(local.settings("A", "B", games=2))

    assert {(game.ending, game.winner_name) for game in run.games} == {(Ending.LINE_LOST, "B")}
    assert run.games[0].detail == "the connection to engine A was lost for more than 0.5 s in this game"


@pytest.mark.parametrize(("most", "least_charged", "most_charged"), [(0.5, 0.0, 0.03), (0.02, 0.05, 0.15)])
def test_what_a_line_takes_is_allowed_up_to_the_cap(
    tmp_path: Path, most: float, least_charged: float, most_charged: float
) -> None:
    with (
        LocalArena(tmp_path, time="60+0", most=most) as local,
        Relay(local.port, delay=0.04) as relay,
        local.entrant("A", url=f"http://127.0.0.1:{relay.port}"),
        local.entrant("B"),
    ):
        wait(lambda: local.arena.connection_of("A").allowance >= min(most, 0.07))
        game = local.play(local.settings("A", "B", games=1)).games[0]
    timed = [turn for turn in game.turns if turn.seconds is not None]
    own = sorted(turn.seconds or 0 for turn in timed if game.pairing.names[turn.colour] == "A")

    assert game.ending is Ending.DISCS
    assert least_charged <= own[len(own) // 2] <= most_charged


def test_an_engine_plays_as_many_games_at_once_as_it_has_slots(tmp_path: Path) -> None:
    most = dict.fromkeys("ABC", 0)
    with (
        LocalArena(tmp_path) as local,
        local.entrant("A", slots=2),
        local.entrant("B", slots=3),
        local.entrant("C"),
    ):
        settings = local.settings(*"ABC", games=4, concurrency=4, format=Format.ROUND_ROBIN)

        def count(*_: object) -> None:
            playing = [{game["black"], game["white"]} for game in local.arena.status()["playing"]]
            for name in most:
                most[name] = max(most[name], sum(name in duo for duo in playing))

        run = local.play(settings, on_event=count)

    assert len(run.games) == 12
    assert most["A"] == 2
    assert most["C"] == 1


@pytest.mark.parametrize("messages", [1, 2], ids=["half open", "open"])
def test_a_second_line_of_an_entrant_takes_the_place_of_the_first(tmp_path: Path, messages: int) -> None:
    with LocalArena(tmp_path) as local:
        hello = local.hello()[:messages]
        with local.stranger(*hello) as first:
            assert json.loads(first.recv(10))["type"] == "welcome"
            wait(lambda: messages == 1 or local.is_there("X"))
            with local.stranger(*hello):
                reason = heard(first)[-1]["reason"]

    assert reason == "another connection for X has replaced this one"


@pytest.mark.parametrize("messages", [1, 2], ids=["half open", "open"])
def test_no_connection_outlives_its_token(tmp_path: Path, messages: int) -> None:
    with LocalArena(tmp_path) as local:
        hello = local.hello("X")
        with local.stranger(*hello) as open_one:
            wait(lambda: local.is_there("X"))
            with local.stranger(*hello[:messages]) as socket:
                assert json.loads(socket.recv(10))["type"] == "welcome"
                local.arena.kick("X")
                assert heard(socket)[-1]["reason"] == "the organiser has removed this engine"
            heard(open_one)
        hello = local.hello("Y")
        with local.stranger(*hello[:messages]) as socket:
            assert json.loads(socket.recv(10))["type"] == "welcome"
            local.arena.renew("Y")
            assert heard(socket)[-1]["reason"] == "the organiser has issued a new token; ask for it"


@pytest.mark.parametrize(
    ("shut", "reason"),
    [
        (lambda arena: arena.tokens.expel("X"), "unknown token; ask the organiser for one"),
        (lambda arena: arena.close_entries(["A"]), "the tournament has already begun"),
    ],
)
def test_a_token_that_became_void_opens_no_line(
    tmp_path: Path, shut: Callable[[Arena], object], reason: str
) -> None:
    with LocalArena(tmp_path) as local:
        hello, opening = local.hello()
        with local.stranger(hello) as socket:
            assert json.loads(socket.recv(10))["type"] == "welcome"
            shut(local.arena)
            socket.send(opening)
            assert heard(socket)[-1]["reason"] == reason


def test_a_goodbye_is_no_lost_line(tmp_path: Path) -> None:
    with LocalArena(tmp_path) as local, local.entrant("A") as a, Relay(local.port) as relay:
        a.go()
        wait(lambda: not local.arena.present())
        with local.entrant("B", url=f"http://127.0.0.1:{relay.port}"):
            relay.cut(random.Random(1))
            wait(lambda: local.arena.connection_of("B").losses)

    assert local.arena.connection_of("A").losses == 0
    assert local.said[:2] == ["A is connected with fake", "A has disconnected"]
    assert "B has lost its connection" in local.said


def test_who_is_sent_away_does_not_come_back(tmp_path: Path) -> None:
    with LocalArena(tmp_path) as local, local.entrant("A") as a:
        local.arena.kick("A")
        wait(lambda: a.failure)

    assert str(a.failure) == "the server refuses: the organiser has removed this engine"


@pytest.mark.parametrize("last", ["welcome", "ping"])
def test_the_reason_is_read_from_a_line_that_ended_before_the_client_wrote(last: str) -> None:
    """The client answers its last message only after the server has closed the socket."""
    refusing, reading, refused = threading.Event(), threading.Event(), threading.Event()
    welcome = write(WelcomeMessage(VERSION, "A", "session", "othello", "none", 1.0))

    def greet(socket: ServerConnection) -> None:
        socket.recv()
        if last == "ping":
            socket.send(welcome)
            socket.recv()
        refusing.set()
        assert reading.wait(10)
        socket.send(welcome if last == "welcome" else write(PingMessage(1, 0.0)))
        reason = "unknown token" if refused.is_set() else "the organiser has removed this engine"
        socket.send(write(RefusedMessage(reason)))
        socket.close()
        refused.set()

    def check() -> None:
        if refusing.is_set():
            reading.set()
            assert refused.wait(10)

    with listen(greet, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        with pytest.raises(Refusal, match="the organiser has removed this engine"):
            Joiner(address, "token", fake("A"), check=check).run()


def test_the_page_of_the_games_is_told_from_an_arena() -> None:
    """The page of a match, for example, leads to no arena."""
    with WebServer([], Address().listen()) as page:
        joiner = Joiner(join_address(page.url), "token", EngineSpec("A", "x", NO_LIMIT))
        with pytest.raises(
            Refusal, match=r"is not the address of an arena \(HTTP 403\): join at the address"
        ):
            joiner.run()


@pytest.mark.parametrize("malformed", [2, 3])
def test_a_client_comes_back_after_malformed_messages_but_not_for_ever(malformed: int) -> None:
    goodbyes: list[int | None] = []

    def greet(socket: ServerConnection) -> None:
        socket.recv()
        socket.send(write(WelcomeMessage(VERSION, "A", "session", "othello", "none", 1.0)))
        socket.recv()
        socket.send('{"type": "thi' if len(goodbyes) < malformed else '{"type": "over"}')
        with suppress(ConnectionClosed):
            socket.recv()
        goodbyes.append(socket.close_code)

    said: list[str] = []
    with listen(greet, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        joiner = Joiner(address, "token", fake("A"), say=said.append)
        if malformed == 3:
            with pytest.raises(NotationError, match="expected a JSON object"):
                joiner.run()
        else:
            joiner.run()

    assert [line for line in said if "trying again" in line] == [
        'expected a JSON object, got \'{"type": "thi\'; trying again'
    ] * 2
    assert said[-1] == "the tournament is over" or malformed == 3
    assert CloseCode.GOING_AWAY not in goodbyes[:2]
    assert malformed == 2 or goodbyes[2:] == [CloseCode.GOING_AWAY]


def test_answers_to_questions_are_no_flood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_BURST", "_UNASKED_A_SECOND", "_UNASKED_A_SLOT"):
        monkeypatch.setattr(connection, name, 0)
    with LocalArena(tmp_path) as local, local.entrant("A"), local.entrant("B"):
        run = local.play(local.settings("A", "B", games=4))

    assert len(run.games) == 4
    assert sum(line.losses for line in local.arena.connections) == 0


def test_one_kind_of_refusal_is_one_line_in_ten_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusals(local: LocalArena) -> list[str]:
        for number in range(5):
            with local.stranger(f'{{"type": {number}}}') as socket:
                heard(socket)
        return [one for one in local.said if "refused" in one]

    with LocalArena(tmp_path) as local:
        assert len(refusals(local)) == 1
        monkeypatch.setattr(progress, "_FOLDED_SECONDS", 0.0)
        assert refusals(local)[1].endswith("(and 4 more like this)")


def test_a_text_that_no_file_can_hold_ends_its_connection_and_no_run(tmp_path: Path) -> None:
    with LocalArena(tmp_path) as local, local.entrant("A"), local.entrant("B"):
        with local.stranger(
            *local.hello(), '{"type": "failed", "id": 1, "fault": "crash", "reason": "\\ud800"}'
        ) as socket:
            assert "half of a surrogate pair" in heard(socket)[-1]["reason"]
        run = local.play(local.settings("A", "B", games=2))

    assert [game.ending for game in run.games] == [Ending.DISCS] * 2


def test_the_end_of_a_connection_is_not_lost_when_a_message_comes_with_it() -> None:
    """It was heard ten seconds later, when the line had been silent for so long."""

    async def end_with_a_message() -> None:
        coming = asyncio.get_running_loop().create_future()

        async def receive() -> object:
            return await coming

        client = connection.ClientSocket(Mock(receive=receive))
        reading = asyncio.ensure_future(client.receive(connection.SILENCE_SECONDS))
        await asyncio.sleep(0)
        coming.set_result({"type": "websocket.receive", "text": write(PongMessage(1))})
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading

    asyncio.run(end_with_a_message())


def test_a_paused_arena_begins_no_game(tmp_path: Path) -> None:
    with LocalArena(tmp_path) as local, local.entrant("A"), local.entrant("B"):
        settings = local.settings("A", "B", games=2)
        with ArenaPool(settings, local.arena.connection_of, None, lambda: local.arena.is_paused) as pool:
            local.arena.on_change(pool.look)
            local.arena.pause(True)
            openings = list(settings.openings.take(1, settings.rules, 1))
            pool.submit(plan(settings, openings, []), settings.engines)
            assert pool.news.take() == []
            local.arena.pause(False)
            wait(pool.news.take)


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        (write(HelloMessage(VERSION, "guessed")), "unknown token; ask the organiser for one"),
        (write(HelloMessage(99, "x")), "this server uses version 1 of the messages, but the client uses 99"),
        (write(OpenMessage(1, "x")), "expected hello as the first message, got open"),
        ("{", "expected a JSON object, got '{'"),
        (
            '{"type": "hello"}',
            "expected whole number, 0 or more for protocol in the message 'hello', got None",
        ),
    ],
)
def test_a_stranger_is_refused_in_a_sentence(tmp_path: Path, message: str, sentence: str) -> None:
    with LocalArena(tmp_path) as local, local.stranger(message) as socket:
        assert heard(socket)[-1]["reason"].startswith(sentence)


def test_a_message_beyond_all_size_and_a_flood_of_messages_end_the_connection(tmp_path: Path) -> None:
    with LocalArena(tmp_path) as local:
        hello = local.hello()
        with local.stranger(*hello) as socket:
            wait(lambda: local.is_there("X"))
            socket.send("x" * 100_000)
            heard(socket)
            wait(lambda: not local.arena.present())
        with local.stranger(*hello) as socket:
            wait(lambda: local.is_there("X"))
            with suppress(ConnectionClosed):
                for number in range(3_000):
                    socket.send(write(ReadyMessage(number + 1)))
            wait(lambda: not local.arena.present())
        sentence = "too many messages that answer no request: 210 a second are allowed; reconnect in 10 s"
        wait(lambda: any(sentence in one for one in local.said))


def test_messages_that_come_twice_change_nothing(tmp_path: Path) -> None:
    with LocalArena(tmp_path) as local, local.entrant("A"), local.entrant("B"):
        line = local.arena.connection_of("A")
        take = line.take

        def take_twice(message: AnswerMessage) -> bool:
            was_open, *_ = [take(copy) for copy in (message, message, structs.replace(message, id=1))]
            return was_open

        line.take = take_twice  # type: ignore[method-assign]
        run = local.play(local.settings("A", "B", games=4))

    assert [game.ending for game in run.games] == [Ending.DISCS] * 4


def test_engines_of_both_machines_meet_in_an_arena_and_in_no_match(tmp_path: Path) -> None:
    with LocalArena(tmp_path) as local, local.entrant("A"):
        settings = local.settings("A", "B", games=2)
        run = local.play(replace(settings, engines=(settings.engines[0], instant("House"))))
        with pytest.raises(UnfitEngineError, match="A runs on another machine: only outflank serve supports"):
            conduct(settings, tmp_path / "match")

    assert {game.ending for game in run.games} == {Ending.DISCS}


def test_those_who_watch_hear_what_a_joined_engine_thinks(tmp_path: Path) -> None:
    updates: list[LiveUpdate] = []
    with LocalArena(tmp_path) as local, local.entrant("A", fake("x", "aloud")), local.entrant("B", fake("x")):
        local.play(local.settings("A", "B", games=1), on_update=updates.append)
    thoughts = [update for update in updates if isinstance(update, Thought)]

    assert {thought.engine for thought in thoughts} == {"A"}
    assert thoughts[0].line.startswith("info move ")


def test_a_line_that_reads_nothing_is_closed_and_keeps_no_memory(tmp_path: Path) -> None:
    with LocalArena(tmp_path) as local, local.stranger(*local.hello()):
        wait(lambda: local.is_there("X"))
        line = local.arena.connection_of("X")
        before = resident_kib()
        for _ in range(20_000):
            line.tell(DropMessage(1))
        wait(lambda: not local.arena.present())

        assert resident_kib() - before < 8_000
        # Buffers of the system may take all of it; then the line is closed as a silent one.
        reasons = ("the client does not read its messages", "the client was silent")
        wait(lambda: any(reason in one for one in local.said for reason in reasons))


def test_half_a_greeting_holds_up_nobody(tmp_path: Path) -> None:
    with LocalArena(tmp_path) as local:
        halves = [socket.create_connection(("127.0.0.1", local.port)) for _ in range(20)]
        for half in halves:
            half.sendall(b"GET /join HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgr")
        with local.entrant("A"):
            pass
        for half in halves:
            half.close()


@pytest.mark.parametrize("connections", [60, pytest.param(5_000, marks=SLOW)])
def test_mangled_messages_are_refused_and_the_arena_goes_on(
    tmp_path: Path, rng: random.Random, connections: int
) -> None:
    memory: list[int] = []
    failures: list[Exception] = []

    def send_nonsense(local: LocalArena) -> None:
        hello, opening = local.hello()
        try:
            for _ in range(connections):
                kind = rng.choice(["hello", "move", "failed", "pong"])
                data = bytearray(json.dumps({"type": kind, "id": 1, "move": "f5"}).encode())
                for _ in range(3):
                    data[rng.randrange(len(data))] = rng.randrange(256)
                begun = [hello, opening][: rng.randrange(3)]
                with suppress(ConnectionClosed, TimeoutError), local.stranger(*begun) as visitor:
                    visitor.send(bytes(data[: rng.randrange(1, len(data))]))
                    visitor.recv(timeout=0.01 if rng.random() < 0.5 else 5)
                memory.append(resident_kib())
        except Exception as error:
            failures.append(error)

    with LocalArena(tmp_path) as local, local.entrant("A"), local.entrant("B"):
        siege = threading.Thread(target=send_nonsense, args=(local,))
        siege.start()
        run = local.play(local.settings("A", "B", games=10))
        siege.join()

    assert [game.ending for game in run.games] == [Ending.DISCS] * 10
    assert failures == []
    assert len(memory) == connections
    assert memory[-1] - memory[connections // 5] < 20_000


@pytest.mark.parametrize(("engines", "games"), [(8, 20), pytest.param(50, 20_000, marks=SLOW)])
def test_many_engines_come_and_play(tmp_path: Path, engines: int, games: int) -> None:
    names, memory = [f"E{number:02}" for number in range(1, engines + 1)], list[int]()

    def look(event: Event) -> None:
        if isinstance(event, GameEnded):
            memory.append(resident_kib())
            if len(memory) == games:
                raise TimeoutError

    with LocalArena(tmp_path) as local, ExitStack() as stack:
        for name in names:
            stack.enter_context(local.entrant(name))
        settings = local.settings(*names, games=2, concurrency=engines // 2, format=Format.STANDING)
        conductor = partial(StandingConductor, lambda: [(local.arena.engine_of(name), 1) for name in names])
        with suppress(TimeoutError):
            local.play(settings, conductor, look)
        losses = sum(line.losses for line in local.arena.connections)
    played = read_run(tmp_path / "run").games

    assert {game.ending for game in played} == {Ending.DISCS}
    assert len({name for game in played for name in game.pairing.names.values()}) == engines
    assert losses == 0
    assert memory[-1] - memory[len(memory) // 2] < 20_000 + 4 * len(memory)
