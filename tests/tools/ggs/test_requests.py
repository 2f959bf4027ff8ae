"""Requests, logins and words on a game server of our own: what is accepted, refused in a sentence, or skipped."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from outflank.tests.support.ggs import ANY_BOARD, GgsServer, Guest
from outflank.tests.support.program import outflank


@pytest.mark.parametrize(
    ("kind", "clock", "settings", "reason"),
    [
        ("8k", "05:00", {}, "I play no komi games"),
        ("8a", "05:00", {}, "I play no anti games"),
        ("10", "05:00", {}, "I play on a board of 8 by 8 only"),
        ("8", "00:10", {}, "I play with 60 to 3600 seconds on my clock"),
        ("8", "05:00", {"rated": "never"}, "I play no rated games"),
        ("8", "05:00", {"synchro": "only"}, "I play synchro games only"),
        ("s8", "05:00", {"synchro": "never"}, "I play no synchro games"),
        ("s8", "05:00", {"games": 1}, "I play one game at once"),
        ("8", "05:00", {"random": "only"}, "I play games from random discs only"),
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
        ("s8 5:00 bob", 1, "I play one game at once"),
        ("8k 5:00 bob", 2, "I play no komi games"),
    ],
)
def test_a_match_that_would_be_resigned_is_not_asked_for(
    server: GgsServer, tmp_path: Path, ask: str, games: int, reason: str
) -> None:
    with Guest(server, "alice", tmp_path, asks=(ask,), games=games) as alice:
        alice.wait()

    assert str(alice.failure) == f"'{ask}' can't be asked for: {reason}"
    assert not server.lines_of("alice")


def test_a_wrong_password_and_a_second_login_are_one_sentence(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path, password="guess") as refused:
        refused.wait()
    with Guest(server, "alice", tmp_path) as alice:
        server.says("alice", ": User alice disconnected you.")
        alice.wait()

    assert str(refused.failure) == "the server refuses the login: : ERR Password is incorrect."
    assert "> ********" in refused.log
    assert str(alice.failure) == "the server has ended the line: : User alice disconnected you."


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

    assert "the server refuses: /os: ask ERR user 'nobody' not found." in alice.said
    assert "match .7 is resigned: I play no komi games" in alice.said


def test_matches_without_number_are_bounded(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path) as alice:
        server.says("alice", *(f"/os: + match .{number} 1 alice 1 mallory 8 R" for number in range(500)))
        server.wait(lambda: sum("left out" in line for line in alice.said) == 500 - 32)


def test_words_of_others_are_shown_on_request_alone(server: GgsServer, tmp_path: Path) -> None:
    with Guest(server, "alice", tmp_path, chat=True) as alice, Guest(server, "bob", tmp_path) as bob:
        for name in ("alice", "bob"):
            server.says(name, ".chat carol: hello\033[31m there", "/os: .5 A 1720 carol: good game")
        server.wait(lambda: len([line for line in alice.said if "carol" in line]) == 1)

    assert ".chat carol: hello [31m there" in alice.said
    assert not any("carol" in line for line in bob.said)
    assert "chann + .chat" in server.lines_of("alice")
    assert "chann + .chat" not in server.lines_of("bob")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--user x", "expected a login of 2 to 8 characters"),
        ("--user .abc", "expected a login of 2 to 8 characters"),
        ("--server nowhere", "expected HOST:PORT, got 'nowhere'"),
        (f"--server {64 * 'a'}:5000", "expected HOST:PORT, got 'aaa"),
        ("--engine 'cmd=x tc=5'", "the server sets the time of each game: leave tc= out"),
        ("--ask 'quit'", "expected a request such as 's8r20 5:00 NAME', got 'quit'"),
        ("--ask '8 5:00 bob\nquit'", "expected a request such as"),
        ("--tournament 'x'", "expected the id of a tournament such as .7, got 'x'"),
        ("--min-time 2h", "--min-time is more than --max-time"),
        ("--games 0", "expected a whole number from 1 to 64"),
    ],
)
def test_wrong_usage_is_one_sentence(tmp_path: Path, words: str, sentence: str) -> None:
    given = ["--user", "alice", "--engine", "cmd=x", *shlex.split(words.replace("\\n", "\n"))]
    done = outflank("ggs", *given, cwd=tmp_path)

    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())


@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xff\n", b"x" * 1000])
def test_without_a_password_nothing_begins(tmp_path: Path, content: bytes | None) -> None:
    options = []
    if content is not None:
        (tmp_path / "password").write_bytes(content)
        options = ["--password-file", tmp_path / "password"]
    done = outflank("ggs", "--user", "alice", "--engine", "cmd=x", *options, cwd=tmp_path)

    assert done.returncode == 1
    assert "password" in done.stderr
    assert not (tmp_path / "ggs.ggf").exists()
