"""``outflank serve``, ``join`` and ``arena``: programs that meet on loopback, and survive each other's end."""

import json
import random
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from urllib.request import urlopen

import pytest
from click.testing import Result

from outflank.tests.support.arenas import totals, wait
from outflank.tests.support.processes import children, living_members
from outflank.tests.support.program import certificate, outflank, running, started
from outflank.tests.support.runs import conduct, fake, settings
from outflank.tests.support.transcripts import run
from outflank.tools.match.game.results import Ending
from outflank.tools.match.state.run import Format
from outflank.tools.match.state.store import read_run

ENGINE = f"cmd={shlex.quote(fake('x').cmd)}"
SEED = 3


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class Club:
    def __init__(self, folder: Path, engines: Sequence[str] = (), **keys: object) -> None:
        self.port = free_port()
        self.file = folder / "club.toml"
        given = {"listen": f"127.0.0.1:{self.port}", "openings": "random:8", "seed": SEED, **keys}
        options = "".join(f"{key} = {json.dumps(value)}\n" for key, value in given.items())
        tables = "".join(
            f"[[engine]]\nname = '{name}'\ncmd = {json.dumps(fake('x').cmd)}\nrestart = true\n"
            for name in engines
        )
        self.file.write_text(options + tables)
        self.run_folder = folder / "club" / "run"

    def arena(self, *words: str, code: int = 0) -> Result:
        return run("arena", words[0], self.file, *words[1:], code=code)

    @contextmanager
    def serving(self, *before: str) -> Iterator["subprocess.Popen[str]"]:
        """Yield the server, started by the command `before`."""
        with running("serve", self.file, before=before, stdin=subprocess.DEVNULL) as server:
            yield server

    def joining(self, name: str, *options: str, scheme: str = "http", port: int = 0) -> list[str]:
        token = self.arena("token", name).stdout.strip()
        url = f"{scheme}://127.0.0.1:{port or self.port}"
        return ["join", url, "--token", token, "--engine", ENGINE, *options]


def lines_until(program: "subprocess.Popen[str]", text: str) -> list[str]:
    assert program.stderr is not None
    found = []
    for line in program.stderr:
        found.append(line)
        if text in line:
            return found
    raise AssertionError(f"{text!r} did not come: {''.join(found)}")


def test_a_tournament_is_played_to_its_end_and_everybody_goes_home(tmp_path: Path) -> None:
    club = Club(tmp_path, entrants=2, games=2)
    with club.serving() as server:
        lines_until(server, "the arena is open at")
        with running(*club.joining("Ann")) as ann:
            lines_until(server, "Ann is connected with fake")
            with running(*club.joining("Bob", "--concurrency", "2")) as bob:
                out, err = server.communicate(timeout=60)
                said = ann.communicate(timeout=10)[1]
                assert (server.returncode, ann.returncode, bob.wait(10)) == (0, 0, 0)

    assert "round-robin of 2 engines" in out
    assert "game 1" in err
    assert "fake has joined as Ann, time none" in said
    assert "the tournament is over" in said
    run("report", club.run_folder, "-o", tmp_path / "r.html")
    assert len(run("export", club.run_folder, "--format", "ggf").stdout) > 100
    again = outflank("serve", str(club.file))
    assert (again.returncode, again.stdout) == (0, out)


@pytest.mark.parametrize(
    ("games", "kills"),
    [(12, 2), pytest.param(600, 50, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])],
)
def test_a_server_and_clients_that_are_killed_change_no_total(tmp_path: Path, games: int, kills: int) -> None:
    rng = random.Random(SEED)
    specs = (fake("A"), fake("B"))
    here = conduct(settings(*specs, format=Format.ROUND_ROBIN, games=games, seed=SEED), tmp_path / "here")
    club = Club(tmp_path, entrants=2, games=games, patience=600)
    commands = {name: club.joining(name) for name in ("A", "B")}
    clients: dict[str, subprocess.Popen[str]] = {}
    try:
        for attempt in range(kills + 1):
            with club.serving() as server:
                for name in commands:
                    if name not in clients or clients[name].poll() is not None:
                        nowhere = subprocess.DEVNULL
                        clients[name] = started(*commands[name], stdout=nowhere, stderr=nowhere)
                    lines_until(server, f"{name} is connected") if not attempt else None
                if attempt < kills:
                    wait(partial(has_more_than, club, played(club)), seconds=120)
                    time.sleep(rng.uniform(0, 0.3))
                    victim = clients[rng.choice("AB")]
                    engines = children(victim.pid)
                    server.send_signal(signal.SIGKILL)
                    victim.kill()
                    victim.wait()
                    assert all(living_members(engine) == [] for engine in engines)
                else:
                    server.communicate(timeout=600)
                    assert server.returncode == 0
        assert {client.wait(60) for client in clients.values()} == {0}
    finally:
        for client in clients.values():
            client.kill()
            client.wait()

    assert totals(read_run(club.run_folder)) == totals(here)


def has_more_than(club: Club, games: int) -> bool:
    return played(club) > games


def played(club: Club) -> int:
    """Return games that have ended; as many as there can be once the run is over."""
    if not (club.run_folder / "run.db").exists():
        return 0
    so_far = read_run(club.run_folder)
    return 10**9 if so_far.finished else len(so_far.games)


def test_an_organiser_looks_pauses_and_sends_away(tmp_path: Path) -> None:
    club = Club(tmp_path, pairing="standing")
    with club.serving() as server, running(*club.joining("Ann")) as ann, running(*club.joining("Bob")):
        lines_until(server, "game 2")
        club.arena("pause")
        wait(lambda: not json.loads(club.arena("status", "--json").stdout)["playing"])
        ended = json.loads(club.arena("status", "--json").stdout)["games_ended"]
        shown = club.arena("status").stdout
        assert json.loads(club.arena("status", "--json").stdout)["games_ended"] == ended
        club.arena("pause", "--end")
        lines_until(server, "game ")
        club.arena("kick", "Ann")
        assert (ann.wait(10), ann.stderr and ann.stderr.read().splitlines()[-1]) == (
            1,
            "outflank: the server refuses: the organiser has removed this engine",
        )
        said = club.arena("kick", "Ann", code=1).stderr
        assert said == "outflank: no entrant called 'Ann' has a token\n"
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=20)

    assert "Ann: connected with fake, 1 slot" in shown
    assert "paused" in shown
    assert server.returncode == 128 + signal.SIGINT
    assert read_run(club.run_folder).settings.format is Format.STANDING
    assert Ending.DISCS in {game.ending for game in read_run(club.run_folder).games}
    said = club.arena("status", code=1).stderr
    assert said == f"outflank: no server is running the arena in '{club.run_folder.parent}'\n"


def test_idle_strangers_cost_no_game_and_shut_nobody_out(tmp_path: Path) -> None:
    """There are more of them than the server may have descriptors, and each game starts both engines."""
    club = Club(tmp_path, engines="LM", pairing="standing", concurrency=2)
    few = ("sh", "-c", 'ulimit -n 400; exec "$@"', "sh")
    with club.serving(*few) as server, ExitStack() as stack:
        lines_until(server, "game 1 ")
        for _ in range(600):
            stack.enter_context(socket.create_connection(("127.0.0.1", club.port), 10))
        before = played(club)
        wait(lambda: played(club) > before + 4, seconds=60)
        # Ann can't come in before idle strangers are dropped; games would be played until then.
        club.arena("pause")
        with running(*club.joining("Ann")) as ann:
            lines_until(ann, "fake has joined as Ann")
        server.send_signal(signal.SIGINT)
        said = server.communicate(timeout=30)[1]
    so_far = read_run(club.run_folder)

    assert {game.ending for game in so_far.games} <= {Ending.DISCS, Ending.LINE_LOST}
    assert so_far.voids == ()
    assert "Traceback" not in said


def test_ctrl_c_ends_a_join_while_it_connects() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        with running("join", url, "--token", "t", "--engine", ENGINE) as joining:
            connection, _ = deaf.accept()
            began = time.monotonic()
            joining.send_signal(signal.SIGINT)
            assert joining.wait(5) == 128 + signal.SIGINT
            assert time.monotonic() - began < 2
            assert joining.stderr is not None
            assert joining.stderr.read() == ""
            connection.close()


def test_before_the_first_game_both_addresses_say_how_to_join(tmp_path: Path) -> None:
    club = Club(tmp_path, pairing="standing", **{"listen-page": f"127.0.0.1:{(live := free_port())}"})
    with club.serving() as server:
        lines_until(server, "the arena is open at")
        for port in (club.port, live):
            text = urlopen(f"http://127.0.0.1:{port}/", timeout=10).read().decode()
            assert f"outflank join http://127.0.0.1:{club.port} --token TOKEN" in text
            assert "Nobody has joined yet" in text
        with running(*club.joining("Ann")), running(*club.joining("Bob")):
            lines_until(server, "The run is shown at")
            wait(lambda: 'id="boards"' in urlopen(f"http://127.0.0.1:{live}/", timeout=10).read().decode())
            assert f"http://127.0.0.1:{live}" in urlopen(f"http://127.0.0.1:{club.port}/").read().decode()


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_an_engine_that_joins_at_the_page_of_the_games_is_led_to_the_arena(host: str, tmp_path: Path) -> None:
    """Before the first game, and while games are played."""
    club = Club(tmp_path, pairing="standing", **{"listen-page": f"{host}:{(page := free_port())}"})
    club.file.write_text(club.file.read_text().replace("127.0.0.1", host))
    with club.serving() as server:
        lines_until(server, "the arena is open at")
        with running(*club.joining("Ann", port=page)):
            lines_until(server, "Ann is connected with fake")
            with running(*club.joining("Bob", port=page)):
                lines_until(server, "The run is shown at")
                wait(
                    lambda: 'id="boards"' in urlopen(f"http://127.0.0.1:{page}/", timeout=10).read().decode()
                )
                with running(*club.joining("Cid", port=page)):
                    lines_until(server, "Cid is connected with fake")


def test_a_line_with_a_certificate_made_at_home(tmp_path: Path) -> None:
    chain, key = certificate(tmp_path)
    secured = {"certificate": str(chain), "key": str(key)}
    club = Club(tmp_path, entrants=2, games=2, **secured)
    trust = ("--trust", str(chain))
    with club.serving() as server, running(*club.joining("A", *trust, scheme="https")):
        with running(*club.joining("B", scheme="https")) as distrustful:
            assert "no connection to wss://" in lines_until(distrustful, "certificate verify failed")[-1]
        with running(*club.joining("B", *trust, scheme="https")):
            server.communicate(timeout=60)

    assert server.returncode == 0
    assert len(read_run(club.run_folder).games) == 2
