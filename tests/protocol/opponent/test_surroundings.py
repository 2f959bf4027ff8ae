"""What an engine's process is given, folder, processors, memory, what it uses, and that all of it ends."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from outflank.protocol.opponent.client import GtpClient
from outflank.protocol.opponent.descendants import longest_wait
from outflank.protocol.opponent.errors import EngineStartError
from outflank.protocol.opponent.spawn import Surroundings
from outflank.tests import fake_engine
from outflank.tests.processes import living_members
from outflank.tests.protocol.opponent.clients import started


def test_an_engine_runs_in_its_folder_with_its_environment(tmp_path: Path) -> None:
    script = r"""read line; printf '= %s %s\n\n' "$PWD" "$LEVEL" """
    surroundings = Surroundings(tmp_path, {"LEVEL": "7"})
    with GtpClient(["sh", "-c", script], surroundings=surroundings) as client:
        assert client.order("where") == f"{tmp_path} 7"


@pytest.mark.parametrize("program", ["./engine", "engine"])
def test_a_program_is_found_in_its_folder_or_on_its_path(tmp_path: Path, program: str) -> None:
    (tmp_path / "engine").write_text("#!/bin/sh\nread line; printf '= found\\n\\n'\n")
    (tmp_path / "engine").chmod(0o755)
    surroundings = Surroundings(tmp_path, {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    with GtpClient([program], surroundings=surroundings) as client:
        assert client.order("anything") == "found"


def test_an_engine_stays_on_its_processors_and_we_on_ours() -> None:
    ours = os.sched_getaffinity(0)
    with started(surroundings=Surroundings(cpus=(min(ours),))) as client:
        assert os.sched_getaffinity(client.pid) == {min(ours)}

    assert os.sched_getaffinity(0) == ours


def test_an_engine_has_the_memory_it_is_given() -> None:
    script = r"while read line; do printf '= %s\n\n' $(ulimit -v); done"
    with GtpClient(["sh", "-c", script], surroundings=Surroundings(memory=64 << 20)) as client:
        assert client.order("limit") == str(64 << 10)


@pytest.mark.parametrize(
    ("surroundings", "sentence"),
    [
        (Surroundings(Path("no/such/folder")), "its folder 'no/such/folder' does not exist"),
        (Surroundings(cpus=(9999,)), r"expected processors out of 0.*, got 9999"),
    ],
)
def test_surroundings_that_cannot_be_had_are_named(surroundings: Surroundings, sentence: str) -> None:
    ours = os.sched_getaffinity(0)
    with pytest.raises(EngineStartError, match=f"^engine A: {sentence}"):
        started(surroundings=surroundings)

    assert os.sched_getaffinity(0) == ours


def test_processor_time_is_that_of_the_engine_and_of_its_children() -> None:
    script = r"""
        while read line; do
            sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; printf "= \n\n"; sleep 1000' &
        done
    """
    with GtpClient(["sh", "-c", script]) as client:
        began = time.monotonic()
        client.order("work", 60)
        took = time.monotonic() - began

        assert 0.02 < client.cpu_seconds < took + 0.05


def test_an_engine_waits_for_a_processor_while_others_have_it() -> None:
    """Two of them on one processor, and both want all of it."""
    cpu = min(os.sched_getaffinity(0))
    command = ["taskset", "-c", str(cpu), "sh", "-c", "read line; printf '= \\n\\n'; while :; do :; done"]
    with GtpClient(command) as first, GtpClient(command) as second:
        for client in (first, second):
            client.order("go", 60)
        time.sleep(0.5)

        assert sum(first.waits.values()) + sum(second.waits.values()) > 0.1


OLD_AND_NEW = """
import threading, time
def answer(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end: pass
    print("= \\n", flush=True)
def answer_and_stay(seconds):
    answer(seconds)
    time.sleep(1000)
answer(float(input()))
threading.Thread(target=answer_and_stay, args=(float(input()),), daemon=True).start()
input()
"""


def test_a_new_thread_may_have_waited_most_though_an_old_one_has_waited_longer_in_its_life() -> None:
    """Both beside a program that never rests, on one processor."""
    taskset = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    with subprocess.Popen([*taskset, "sh", "-c", "while :; do :; done"]) as restless:
        try:
            with GtpClient([*taskset, sys.executable, "-c", OLD_AND_NEW]) as client:
                client.order("0.5", 60)
                before = client.waits
                client.order("0.2", 60)
                after = client.waits
        finally:
            restless.kill()

    assert len(after) == len(before) + 1
    assert longest_wait(before, after) > max(0.05, max(after.values()) - max(before.values()))


def test_children_with_a_session_of_their_own_are_killed_too(tmp_path: Path) -> None:
    script = f"""
        setsid sh -c 'echo $$ > {tmp_path}/pid; sleep 1000' &
        while read line; do printf '= \\n\\n'; done
    """
    client = GtpClient(["sh", "-c", script])
    client.order("anything")
    while not (tmp_path / "pid").exists() or not (child := (tmp_path / "pid").read_text().strip()):
        time.sleep(0.01)
    client.close(0.1)

    assert living_members(int(child)) == []


def test_an_engine_outlives_the_thread_that_started_it() -> None:
    """The system kills it with its parent, and takes the thread for that."""
    clients: list[GtpClient] = []
    starting = threading.Thread(target=lambda: clients.append(started()))
    starting.start()
    starting.join()
    time.sleep(0.1)

    with clients[0] as client:
        assert client.order("name") == fake_engine.NAME


def test_an_engine_that_a_forked_process_starts_ends_with_that_one() -> None:
    """The thread that starts engines does not live on there."""
    driver = """if True:
        import os, sys, time
        from outflank.protocol.opponent.client import GtpClient
        engine = "import time; input(); print('= here', flush=True); print(flush=True); time.sleep(1000)"
        engine = [sys.executable, "-c", engine]
        with GtpClient(engine) as first:
            first.order("anything")
            if not os.fork():
                client = GtpClient(engine)
                client.order("anything")
                print(client.pid, flush=True)
                os._exit(0)
            os.wait()
            assert first.is_running
    """
    ended = subprocess.run([sys.executable, "-c", driver], capture_output=True, timeout=60, check=True)

    assert living_members(int(ended.stdout)) == []


def test_an_engine_that_ignores_the_end_of_its_input_does_not_outlive_us() -> None:
    """Whoever drives it is killed by SIGKILL and can do nothing any more."""
    driver = """if True:
        import sys, time
        from outflank.protocol.opponent.client import GtpClient
        engine = "import time; input(); print('= here', flush=True); print(flush=True); time.sleep(1000)"
        client = GtpClient([sys.executable, "-c", engine])
        client.order("anything")
        print(client.pid, flush=True)
        time.sleep(1000)
    """
    with subprocess.Popen([sys.executable, "-c", driver], stdout=subprocess.PIPE) as driving:
        assert driving.stdout is not None
        engine = int(driving.stdout.readline())
        driving.kill()

    assert living_members(engine) == []
