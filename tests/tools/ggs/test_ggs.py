"""Playing on a game server of our own, which speaks as the real one: games, losses, failures; requests, words."""

import os
import random
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import Colour
from outflank.protocol.formats import ggf, sgf
from outflank.protocol.formats.annotated import ResultReason
from outflank.tests.support import fake_engine
from outflank.tests.support.ggs import ANY_BOARD, PLAIN, Game, GgsServer, Guest, fake
from outflank.tests.support.processes import children, living_members
from outflank.tests.support.program import running

CUT_AT = 21
ENDED = "is over: +0.00"  # equal engines win a game each


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clients in this process try again soon after a lost line."""
    monkeypatch.setattr("outflank.tools.ggs.line._PAUSES", (0.1, 0.2, 0.5))


@pytest.fixture
def server() -> Iterator[GgsServer]:
    with GgsServer(random.Random(7)) as server:
        yield server


@contextmanager
def client(
    server: GgsServer, name: str, *options: object, **others: Any
) -> "Iterator[subprocess.Popen[str]]":
    words = ("ggs", "--user", name, "--server", f"127.0.0.1:{server.port}", *options)
    with running(*words, stdout=None, **others) as program:
        server.wait(lambda: server.is_there(name) or program.poll() is not None)
        yield program


@contextmanager
def players(
    server: GgsServer, folder: Path, engine: str = PLAIN, opponent: str = PLAIN, asks: str = ""
) -> Iterator[tuple[Guest, Guest]]:
    """Alice with an engine and Bob with another one, who asks for a match if told to; both leave after one."""
    asked = {"asks": (f"{asks} 5:00 alice",)} if asks else {}
    with (
        Guest(server, "alice", folder, engine, matches=1) as alice,
        Guest(server, "bob", folder, opponent, matches=1, **asked) as bob,
    ):
        yield alice, bob


def test_two_programs_meet_and_play_a_whole_game(server: GgsServer, tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("secret\n")
    files = [tmp_path / "alice.ggf", tmp_path / "bob.ggf"]
    engine = 'cmd="outflank gtp --level 1" grace=1'
    options = ["--engine", engine, "--password-file", password, "--matches", 1]

    def kept(name: str) -> list[object]:
        return [*options, "--save", tmp_path / f"{name}.ggf", "--log", tmp_path / f"{name}.log"]

    with (
        client(server, "alice", *kept("alice")) as alice,
        client(server, "bob", "--ask", "8 5:00 alice", *kept("bob")) as bob,
    ):
        said = [program.communicate(timeout=60)[1] for program in (bob, alice)]

    assert (alice.returncode, bob.returncode) == (0, 0), said
    (one,), (other,) = ([ggf.parse(line) for line in file.read_text().splitlines()] for file in files)
    assert (one.black, one.white) == ("bob", "alice")
    assert one.moves == other.moves
    assert one.final.is_over
    assert one.outcome is not None
    assert one.outcome.ending is ResultReason.DISCS
    assert f"{one.outcome.decided_margin:+.2f}" in server.over[0]
    assert any(move.score is not None for move in one.moves)
    logs = [(tmp_path / f"{name}.log").read_text() for name in ("alice", "bob")]
    assert all("secret" not in log and " > ********" in log for log in logs)


@pytest.mark.parametrize("kind", ["s8", "s8r20", "s8r28"])
def test_both_games_of_a_synchro_pair_go_on_at_once(server: GgsServer, tmp_path: Path, kind: str) -> None:
    with players(server, tmp_path, ANY_BOARD, ANY_BOARD, kind) as (alice, bob):
        bob.wait()
        alice.wait()

    one, other = alice.games()
    assert {one.black, one.white} == {"alice", "bob"}
    assert (one.black, one.white) == (other.white, other.black)
    assert one.first == other.first
    assert 64 - one.first.empties == int(kind.partition("r")[2] or 4)
    assert one.final.is_over
    assert other.final.is_over
    assert len(bob.games()) == 2
    played = [line.split()[3] for line in server.lines_of("alice") if line.startswith("tell /os play")]
    # Neither waits for the other's end.
    assert played.index(".2.1") < len(played) - played[::-1].index(".2.0") - 1


@pytest.mark.parametrize("dialect", ["gtp", "nboard"])
def test_outflank_plays_from_random_discs(server: GgsServer, tmp_path: Path, dialect: str) -> None:
    engine = f'cmd="outflank {dialect} --level 1" protocol={dialect} grace=1'
    with players(server, tmp_path, engine, ANY_BOARD, "s8r24") as (alice, bob):
        bob.wait()
        alice.wait()

    assert [game.final.is_over for game in alice.games()] == [True, True]
    assert not any("refused" in line or "rejected" in line or "restarted" in line for line in alice.said)


def test_several_matches_at_once(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path, games=2, matches=3, synchro="never") as alice:
        assert "tell /os open 2" in server.lines_of("alice")
        others = [Guest(server, name, tmp_path, matches=1) for name in ("bob", "carol", "dave")]
        with others[0], others[1], others[2]:
            for guest in others:
                server.begin("alice", guest.name, "8")
            alice.wait()

    assert sorted(game.white for game in alice.games()) == ["bob", "carol", "dave"]
    assert all(game.final.is_over for game in alice.games())


@pytest.mark.parametrize("kind", ["8", "s8r20"])
@pytest.mark.parametrize("lost", ["alice", "bob"])
def test_a_game_goes_on_after_the_line_of_a_player_was_lost(tmp_path: Path, lost: str, kind: str) -> None:
    done = threading.Event()

    def cut(server: GgsServer, game: Game) -> None:
        if len(game.moves) == CUT_AT and not done.is_set():
            done.set()
            server.drop(lost)

    with (
        GgsServer(random.Random(3), on_update=cut) as server,
        players(server, tmp_path, ANY_BOARD, ANY_BOARD, kind) as (alice, bob),
    ):
        bob.wait()
        alice.wait()

    assert any(f"{lost} left" in end for end in server.over)
    games = alice.games()
    whole = [game for game in games if game.final.is_over]
    assert len(whole) == (2 if kind.startswith("s") else 1)
    for broken in games[: -len(whole)]:
        assert broken.result is None
        again = next(game for game in whole if game.first == broken.first and game.black == broken.black)
        kept = len(broken.moves) - 1  # the server takes a move back for which there is none in the other game
        assert kept >= 15
        assert again.moves[:kept] == broken.moves[:kept]


def test_all_matches_end_though_lines_are_cut_at_random(tmp_path: Path, rng: random.Random) -> None:
    names = ("alice", "bob", "carol")
    pairs = [("alice", "bob"), ("bob", "carol"), ("carol", "alice")]
    with GgsServer(rng) as server, ExitStack() as stack:
        guests = [stack.enter_context(Guest(server, name, tmp_path, ANY_BOARD, games=4)) for name in names]
        for one, other in pairs:
            server.begin(one, other, "s8r20")
        for _ in range(4):
            time.sleep(rng.uniform(0.2, 0.6))
            server.wait(lambda: all(map(server.is_there, names)))
            server.cut(rng.choice(names))
        server.wait(lambda: not server.is_busy, 60)
        for guest in guests:
            server.wait(lambda guest=guest: sum(ENDED in line for line in guest.said) >= 2)  # type: ignore[misc]

    for guest in guests:
        ended = {(game.black, game.white) for game in guest.games() if game.final.is_over}
        assert ended == {pair for pair in (*pairs, *(pair[::-1] for pair in pairs)) if guest.name in pair}


def test_a_server_that_is_away_is_tried_again(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path, games=3) as alice:
        server.cut("alice")
        server.wait(lambda: server.lines_of("alice").count("tell /os continue") == 2)

    assert any("trying again" in line for line in alice.said)
    # A remark about the engine is made once for all its processes.
    assert len([line for line in alice.said if "can't be sent its time control" in line]) == 1


def test_the_engine_plays_by_the_clock_of_the_server(server: GgsServer, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    script = f"tee {heard} | {shlex.join(fake_engine.command('time'))}"
    engine = f"cmd={shlex.quote(shlex.join(['sh', '-c', script]))}"
    with (
        Guest(server, "alice", tmp_path, engine, games=1, matches=1) as alice,
        Guest(server, "bob", tmp_path, matches=1),
    ):
        server.begin("bob", "alice", "8", clock="03:00")
        alice.wait()

    lines = heard.read_text().splitlines()
    settings = [line for line in lines if line.startswith("time_settings")]
    left = [int(line.split()[2]) for line in lines if line.startswith("time_left")]
    assert settings in (["time_settings 180 0 0"], ["time_settings 179 0 0"])
    assert len(left) >= 28
    assert 170 < left[0] <= 178  # without the reserve
    assert left == sorted(left, reverse=True)


def test_the_first_ctrl_c_ends_when_the_match_is_over(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path, fake("slow", 24)) as alice, Guest(server, "bob", tmp_path):
        server.begin("bob", "alice", "8")
        server.wait(lambda: sum("play" in line for line in server.lines_of("alice")) > 22)
        alice.interrupt()
        server.wait(lambda: "tell /os open 0" in server.lines_of("alice"))
        server.says("alice", "/os: + .80 1720.0 bob   05:00//02:00  8 R 1720.0 alice")
        alice.wait()

    assert "tell bob I am about to leave" in server.lines_of("alice")
    assert server.lines_of("alice")[-1] == "quit"
    assert [game.final.is_over for game in alice.games()] == [True]


def test_another_ctrl_c_leaves_at_once_and_no_engine_remains(server: GgsServer, tmp_path: Path) -> None:
    environment = {**os.environ, "OUTFLANK_GGS_PASSWORD": "secret"}
    log = tmp_path / "log"
    options = ["--engine", fake("silence"), "--save", tmp_path / "games.ggf", "--log", log]
    with client(server, "alice", *options, env=environment) as program, Guest(server, "bob", tmp_path):
        engines = children(program.pid)
        inherited = [Path(f"/proc/{engine}/environ").read_bytes() for engine in engines]
        server.begin("alice", "bob", "8")
        server.wait(lambda: "/os: join" in log.read_text())
        program.send_signal(signal.SIGINT)
        server.wait(lambda: "tell /os open 0" in server.lines_of("alice"))
        assert program.poll() is None
        program.send_signal(signal.SIGINT)
        said = program.communicate(timeout=30)[1]

    assert program.returncode == 130, said
    assert len(engines) == 2
    assert all(living_members(engine) == [] for engine in engines)
    assert not any(b"secret" in variables for variables in inherited)
    assert "secret" not in said


@pytest.mark.parametrize("fault", ["crash", "illegal", "refuse", "nonsense"])
def test_an_engine_that_fails_twice_gives_the_game_up(server: GgsServer, tmp_path: Path, fault: str) -> None:
    with players(server, tmp_path, fake(fault)) as (alice, bob):
        server.begin("alice", "bob", "8")
        alice.wait()
        bob.wait()

    assert sum("the engine is restarted" in line for line in alice.said) == 1
    assert sum("the game is resigned" in line for line in alice.said) == 1
    (game,) = bob.games()
    winner = Colour.BLACK if game.black == "bob" else Colour.WHITE
    assert game.result is not None
    assert (game.result.winner, game.result.ending) == (winner, ResultReason.RESIGNATION)


def test_an_engine_that_fails_once_goes_on_in_a_new_process(server: GgsServer, tmp_path: Path) -> None:
    script = f"""
import os, pathlib
mark = pathlib.Path({str(tmp_path / "mark")!r})
fault = "none" if mark.exists() else "crash"
mark.touch()
os.execv({sys.executable!r}, {fake_engine.command()[:-4]!r} + ["--fault", fault, "--turn", "5"])
"""
    engine = f"cmd={shlex.quote(shlex.join([sys.executable, '-c', script]))}"
    with (
        Guest(server, "alice", tmp_path, engine, games=1, matches=1) as alice,
        Guest(server, "bob", tmp_path, matches=1),
    ):
        server.begin("alice", "bob", "8")
        alice.wait()

    assert sum("the engine is restarted" in line for line in alice.said) == 1
    assert [game.final.is_over for game in alice.games()] == [True]


def test_an_illegal_move_of_the_server_is_refused_and_the_game_is_asked_for_again(
    server: GgsServer, tmp_path: Path
) -> None:
    with players(server, tmp_path, opponent=fake("slow", 2)) as (alice, _):
        id = server.begin("alice", "bob", "8")
        server.wait(lambda: any("play" in line for line in server.lines_of("bob")))
        game = server.games(id)[0]
        last, next_one = (f"|{len(game.moves) + more:3}: " for more in (0, 1))
        wrong = [line.replace(last, f"{next_one}a1 ") for line in game.update()]
        server.says("alice", *wrong)
        server.wait(lambda: f"tell /os watch + {id}" in server.lines_of("alice"))
        alice.interrupt(at_once=True)

    assert any("the server's message is rejected: move" in line and "a1" in line for line in alice.said)
    assert not any("resign" in line for line in server.lines_of("alice"))


def test_a_game_that_stays_contradictory_is_resigned(server: GgsServer, tmp_path: Path) -> None:
    silent = fake("silence")
    with Guest(server, "alice", tmp_path, silent) as alice, Guest(server, "bob", tmp_path):
        id = server.begin("alice", "bob", "8")
        for number in range(3):
            server.wait(lambda count=number: sum(" join " in line for line in alice.log) > count)  # type: ignore[misc]
            wrong = server.games(id)[0].update()
            server.says("alice", wrong[0], "|  1: a1", *wrong[2:])
        server.wait(lambda: f"tell /os resign {id}" in server.lines_of("alice"))

    assert sum("the server's message is rejected" in line for line in alice.said) == 3


@pytest.mark.parametrize(("kind", "ending"), [("8", ResultReason.RESIGNATION), ("s8", None)])
def test_an_engine_resigns_a_single_game_and_never_both_games_of_a_pair(
    server: GgsServer, tmp_path: Path, kind: str, ending: ResultReason | None
) -> None:
    with players(server, tmp_path, fake("resign", 5)) as (alice, _):
        server.begin("alice", "bob", kind)
        alice.wait()

    assert [game.final.is_over for game in alice.games()] == [ending is None] * (2 if ending is None else 1)
    for game in alice.games() if ending else ():
        assert game.result is not None
        assert (game.result.winner, game.result.ending) == (Colour.WHITE, ending)


def test_a_game_that_is_told_twice_is_asked_about_once(server: GgsServer, tmp_path: Path) -> None:
    with players(server, tmp_path, fake("slow")) as (alice, _):
        id = server.begin("alice", "bob", "8")
        for _ in range(3):
            server.says("alice", *server.games(id)[0].join())
        server.wait(lambda: len(server.games(id)[0].moves) > 2)
        alice.interrupt(at_once=True)

    plays = [line.split()[4].partition("/")[0] for line in server.lines_of("alice") if "/os play" in line]
    assert len(plays) == len(set(plays))
    assert not any("refused" in line or "rejected" in line for line in alice.said)


def test_a_missing_package_ends_the_program_and_is_named(
    server: GgsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sgf._grammar.cache_clear()  # an earlier test may have loaded it
    monkeypatch.setitem(sys.modules, "sgfmill", None)
    engine = 'cmd="outflank gtp --level 1"'
    with Guest(server, "alice", tmp_path, engine) as alice, Guest(server, "bob", tmp_path, ANY_BOARD):
        server.begin("alice", "bob", "s8r20")
        alice.wait()

    assert isinstance(alice.failure, ModuleNotFoundError)


# --- Requests, logins and words


@pytest.mark.parametrize(
    ("kind", "clock", "settings", "reason"),
    [
        ("8k", "05:00", {}, "I don't play komi games"),
        ("8a", "05:00", {}, "I don't play anti games"),
        ("10", "05:00", {}, "I only play on a board of 8 by 8"),
        ("8", "00:10", {}, "I only play with 60 to 3600 seconds on my clock"),
        ("8", "05:00", {"rated": "never"}, "I don't play rated games"),
        ("8", "05:00", {"synchro": "only"}, "I only play synchro games"),
        ("s8", "05:00", {"synchro": "never"}, "I don't play synchro games"),
        ("s8", "05:00", {"games": 1}, "I only play one game at a time"),
        ("8", "05:00", {"random": "only"}, "I only play games from random discs"),
        ("s8r20", "05:00", {}, "my engine can't begin from random discs"),
    ],
)
def test_a_request_beyond_the_rules_is_declined_in_words(
    server: GgsServer, tmp_path: Path, kind: str, clock: str, settings: dict[str, Any], reason: str
) -> None:
    with Guest(server, "alice", tmp_path, **settings):
        server.says("alice", f"/os: +   .8 1720.0 mallory  {clock}//02:00   {kind:>6} R 1720.0 alice")
        server.wait(lambda: f"tell mallory {reason}" in server.lines_of("alice"))

        assert "tell /os decline .8" in server.lines_of("alice")


def test_requests_to_others_and_our_own_are_left_alone(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path):
        server.says("alice", "/os: +  .8 1720.0 bob   05:00//02:00  8 R 1720.0 carol")
        server.says("alice", "/os: +  .9 1720.0 alice 05:00//02:00  8 R 1720.0 carol")
        server.says("alice", "/os: +  .7 1720.0 bob   05:00//02:00  8 R *      *")
        server.says("alice", "/os: + .10 1720.0 bob   05:00//02:00  8 R 1720.0 alice")
        server.wait(lambda: "tell /os accept .10" in server.lines_of("alice"))

        assert not [line for line in server.lines_of("alice") if ".8" in line or ".9" in line or ".7" in line]


def test_a_tournament_is_joined_and_its_matches_are_played_whatever_the_rules(
    server: GgsServer, tmp_path: Path
) -> None:
    picky: dict[str, Any] = {"synchro": "never", "least": 1000}
    with Guest(server, "alice", tmp_path, ANY_BOARD, tournaments=(".7",), matches=1, **picky) as alice:
        assert "tell /td join .7" in server.lines_of("alice")
        with Guest(server, "bob", tmp_path, ANY_BOARD):
            server.says("alice", ".tourney /td: starting round 1 of tournament 7")
            server.begin("bob", "alice", "s8r20")
            alice.wait()

    assert ".tourney /td: starting round 1 of tournament 7" in alice.said
    assert [game.final.is_over for game in alice.games()] == [True, True]


def test_prompts_without_a_line_feed_are_answered(tmp_path: Path) -> None:
    with GgsServer(line_feed="") as server, Guest(server, "alice", tmp_path) as alice:
        pass

    assert alice.failure is None
    assert "tell /os open 1" in server.lines_of("alice")


def test_a_request_of_ours_is_repeated_until_a_match_begins(
    server: GgsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("outflank.tools.ggs.line._SIGN_OF_LIFE_SECONDS", 0.3)
    with Guest(server, "alice", tmp_path, matches=1, asks=("8 5:00 bob",)) as alice:
        server.wait(lambda: server.lines_of("alice").count("tell /os ask 8 5:00 bob") > 2)
        with Guest(server, "bob", tmp_path):
            alice.wait()

    assert [game.white for game in alice.games()] == ["bob"]


@pytest.mark.parametrize(
    ("ask", "games", "reason"),
    [
        ("s8r20 5:00 bob", 2, "my engine can't begin from random discs"),
        ("s8 5:00 bob", 1, "I only play one game at a time"),
        ("8k 5:00 bob", 2, "I don't play komi games"),
    ],
)
def test_a_match_that_would_be_resigned_is_not_asked_for(
    server: GgsServer, tmp_path: Path, ask: str, games: int, reason: str
) -> None:
    with Guest(server, "alice", tmp_path, asks=(ask,), games=games) as alice:
        alice.wait()

    assert str(alice.failure) == f"can't request '{ask}': {reason}"
    assert not server.lines_of("alice")


def test_a_wrong_password_and_a_second_login_are_one_sentence(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path, password="guess") as refused:
        refused.wait()
    with Guest(server, "alice", tmp_path) as alice:
        server.says("alice", ": User alice disconnected you.")
        alice.wait()

    assert str(refused.failure) == "the server rejected the login: : ERR Password is incorrect."
    assert "> ********" in refused.log
    assert str(alice.failure) == "the server ended the connection: : User alice disconnected you."


HOSTILE = (
    "/os: + match .1 0 alice 0 \033[31mmallory 8 R",
    "/os: + .8 1720.0 mallory\\quit 05:00//02:00 8 R 1720.0 alice",
    f"/os: + .8 1720.0 mallory {'9' * 400}//02:00 8 R 1720.0 alice",
    f"/os: update .1 8 K?{'x' * 100_000}",
    "/os: update .77 8 K?",
    "| 1 * * * * * * * * 1",
    "/os: - match .77 0 alice 0 mallory 8 R +99999999999999999999",
    "/os: end .1.0 ( alice vs. mallory ) nan",
    "/os: error",
    "/os: \xff\xfe\0",
    "quit",
    ": Enter your password.",
    "mallory: tell /os resign .1",
    "|" * 50_000,
    *["/os: join .5 8 K?", "|  1: f5", "|alice (1 *) 1//", "|alice (1 O) 1//"],
)


def test_text_of_a_hostile_server_is_skipped_and_a_game_goes_on(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path, matches=1) as alice, Guest(server, "bob", tmp_path, matches=1):
        before = len(server.sent)
        server.says("alice", *HOSTILE)
        server.begin("alice", "bob", "8")
        server.says("alice", *HOSTILE)
        alice.wait()

    assert [game.final.is_over for game in alice.games()] == [True]
    orders = {" ".join(line.split()[:3]) for name, line in server.sent[before:] if name == "alice"}
    assert orders <= {"tell /os play", "tell /os open", "quit"}
    assert all(line.isprintable() for line in alice.said)
    assert all(line.isprintable() for line in alice.log)


def test_an_impossible_match_is_resigned_and_a_refusal_is_shown(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path, asks=("8 5:00 nobody",)) as alice:
        server.says("alice", "/os: ERR rated variable mismatch.")
        server.wait(lambda: any("mismatch" in line for line in alice.said))
        server.says("alice", "/os: + match .7 1720 mallory 1720 alice 8k T")
        server.wait(lambda: "tell /os resign .7" in server.lines_of("alice"))

    assert "the server reports an error: /os: ask ERR user 'nobody' not found." in alice.said
    assert "match .7 is resigned: I don't play komi games" in alice.said


def test_matches_without_number_are_bounded(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path) as alice:
        server.says("alice", *(f"/os: + match .{number} 1 alice 1 mallory 8 R" for number in range(500)))
        server.wait(lambda: sum("is ignored" in line for line in alice.said) == 500 - 32)


def test_words_of_others_are_shown_on_request_alone(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path, chat=True) as alice, Guest(server, "bob", tmp_path) as bob:
        for name in ("alice", "bob"):
            server.says(name, ".chat carol: hello\033[31m there", "/os: .5 A 1720 carol: good game")
        server.wait(lambda: len([line for line in alice.said if "carol" in line]) == 1)

    assert ".chat carol: hello [31m there" in alice.said
    assert not any("carol" in line for line in bob.said)
    assert "chann + .chat" in server.lines_of("alice")
    assert "chann + .chat" not in server.lines_of("bob")
