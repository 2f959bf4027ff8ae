"""An engine's process: what it is given, how it ends and how we tell, and that all that it has started ends with it."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from outflank.protocol.drivers import GtpDriver, descendants, process
from outflank.protocol.drivers.errors import EngineCrash, EngineStartError, EngineTimeout
from outflank.protocol.drivers.process import ChildProcess
from outflank.protocol.drivers.spawn import Spawned, spawn
from outflank.protocol.drivers.spec import ProcessSettings
from outflank.tests.support import fake_engine
from outflank.tests.support.dialogue import driver_of, started
from outflank.tests.support.processes import (
    children,
    linux_alone,
    living_members,
    living_with,
    open_files,
    processes_with,
)

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)\nsys.exit(7)"
KILLED = "print(input(), flush=True)\nimport os\nos.kill(os.getpid(), 9)"
ANSWER = "input(); print('=', flush=True); print(flush=True); input()"
# As daemons are made: a session of its own, and a parent that is gone.
DAEMON = f"""if True:
    import os, time
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        for pipe in range(3):
            os.close(pipe)
        time.sleep(1000)
        os._exit(0)
    os.wait()
    {ANSWER}
"""
# Each is the parent of the next, in a session of its own.
CHAIN = f"""if True:
    import os, sys, time
    for generation in range(int(sys.argv[1])):
        if os.fork():
            break
        os.setsid()
    if not generation:
        {ANSWER}
    time.sleep(1000)
"""
PASSING = f"""if True:
    import os
    if not os.fork():
        if not os.fork():
            os._exit(0)
        os._exit(0)
    os.wait()
    {ANSWER}
"""


class Running(ChildProcess):
    """A Python program that is ended whatever happens."""

    def __init__(self, program: str, on_bytes: Callable[[str, bytes], object] | None = None) -> None:
        super().__init__([sys.executable, "-I", "-S", "-c", program], "the child", on_bytes=on_bytes)

    def close(self) -> None:
        self.stop(b"", 0.1)


@pytest.mark.parametrize(
    ("program", "code", "end"),
    [(ECHO, 7, "exited with code 7"), (KILLED, -signal.SIGKILL, "was killed by SIGKILL")],
)
def test_a_child_ends_with_its_input_or_by_a_signal(program: str, code: int, end: str) -> None:
    with closing(Running(program)) as child:
        assert child.exit_code is None
        child.send(b"hello\n")
        assert child.read_line(time.perf_counter() + 10) == b"hello"

        child.end_input()
        with pytest.raises(EngineCrash, match=f"the child {end}"):
            child.read_line(time.perf_counter() + 10)

        assert child.exit_code == code
    assert child.exit_code == code


def test_each_byte_that_is_sent_or_read_is_passed_on_as_it_is() -> None:
    heard: list[tuple[str, bytes]] = []
    with closing(Running(ECHO, lambda *each: heard.append(each))) as child:
        child.send(b"\x07a\t\r\n\r\n\n")
        assert child.read_line(time.perf_counter() + 10) == b"\x07a\t\r"
        child.send(b"b\n")
        child.skip_line_feeds()
        while child.read_line(time.perf_counter() + 10) != b"b":
            pass
    sent, read = (b"".join(data for sign, data in heard if sign == direction) for direction in "><")

    assert sent == read == b"\x07a\t\r\n\r\n\nb\n"


def test_an_answer_that_came_while_the_reader_had_no_processor_is_read_after_the_deadline() -> None:
    with closing(Running(ECHO)) as child:
        child.send(b"e6\n")
        assert child.read_line(time.perf_counter() + 10) == b"e6"
        child.send(b"f5\n")
        time.sleep(0.3)

        assert child.read_line(time.perf_counter() - 0.1) == b"f5"
        with pytest.raises(EngineTimeout):
            child.read_line(time.perf_counter() - 0.1)


def test_output_can_be_seen_no_earlier_than_its_time() -> None:
    """Where a thread reads, another one may ask for the time as soon as there is an answer."""
    found = []

    class Watched(bytearray):
        def __iadd__(self, chunk: Any) -> Any:  # type: ignore[misc]  # differs from bytearray's __add__ in its type
            found.append(child.last_read)
            return super().__iadd__(chunk)

    with closing(Running(ECHO)) as child:
        child._received = Watched()
        sent = time.perf_counter()
        child.send(b"e6\n")
        assert child.read_line(sent + 10) == b"e6"

    assert found[0] > sent


def test_what_is_sent_after_the_end_of_the_input_is_dropped() -> None:
    with closing(Running("import time; time.sleep(60)")) as child:
        child.send(b"x" * 1_000_000)  # more than the pipe takes
        child.end_input()
        child.send(b"y")

        assert child.is_running


def test_a_child_is_ours_though_its_start_took_the_last_descriptor(monkeypatch: pytest.MonkeyPatch) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def spawn_last(*wanted: Any) -> Spawned:
        child = spawn(*wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
        return child

    monkeypatch.setattr(process, "spawn", spawn_last)
    try:
        child = Running(ECHO)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with closing(child):
        child.send(b"hello\n")

        assert child.read_line(time.perf_counter() + 10) == b"hello"


@pytest.mark.parametrize("program", ["./engine", "engine"])
def test_a_program_is_found_in_its_folder_or_on_its_path(tmp_path: Path, program: str) -> None:
    (tmp_path / "engine").write_text("#!/bin/sh\nread line; printf '= found\\n\\n'\n")
    (tmp_path / "engine").chmod(0o755)
    settings = ProcessSettings(tmp_path, {"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    with driver_of([program], settings=settings) as client:
        assert client.order("anything") == "found"


def test_an_engine_has_the_folder_environment_processors_and_memory_it_is_given(tmp_path: Path) -> None:
    script = r"""while read line; do printf '= %s %s %s\n\n' "$PWD" "$LEVEL" $(ulimit -v); done"""
    ours = os.sched_getaffinity(0)
    settings = ProcessSettings(tmp_path, {"LEVEL": "7"}, cpus=(min(ours),), memory=64 << 20)
    with driver_of(["sh", "-c", script], settings=settings) as client:
        assert client.order("where") == f"{tmp_path} 7 {64 << 10}"
        assert os.sched_getaffinity(client.pid) == {min(ours)}

    assert os.sched_getaffinity(0) == ours


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (ProcessSettings(Path("no/such/folder")), "its folder 'no/such/folder' does not exist"),
        (ProcessSettings(cpus=(9999,)), r"can't run on processors 9999: this process may use \d"),
    ],
)
def test_settings_that_cannot_be_had_are_named(settings: ProcessSettings, sentence: str) -> None:
    ours = os.sched_getaffinity(0)
    with pytest.raises(EngineStartError, match=f"^engine A: {sentence}"):
        started(settings=settings)

    assert os.sched_getaffinity(0) == ours


def test_processor_time_is_that_of_the_engine_and_of_its_children() -> None:
    script = r"""
        while read line; do
            sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; printf "= \n\n"; sleep 1000' &
        done
    """
    with driver_of(["sh", "-c", script]) as client:
        began = time.monotonic()
        client.order("work", 60)
        took = time.monotonic() - began

        assert 0.02 < client.usage.cpu_seconds < took + 0.05


@linux_alone
def test_an_engine_waits_for_a_processor_while_others_have_it() -> None:
    """Two of them on one processor, and both want all of it."""
    cpu = min(os.sched_getaffinity(0))
    command = ["taskset", "-c", str(cpu), "sh", "-c", "read line; printf '= \\n\\n'; while :; do :; done"]
    with driver_of(command) as first, driver_of(command) as second:
        for client in (first, second):
            client.order("go", 60)
        time.sleep(0.5)

        threads = [*first.usage.threads.values(), *second.usage.threads.values()]
        assert sum(thread.waited for thread in threads) > 0.1
        assert {thread.processors for thread in threads} == {frozenset([cpu])}
        assert (
            first.ready_threads | second.ready_threads
            == first.usage.threads.keys() | second.usage.threads.keys()
        )


@linux_alone
def test_an_engine_that_sleeps_has_no_ready_thread() -> None:
    with driver_of([sys.executable, "-c", ANSWER]) as client:
        client.order("go", 60)
        time.sleep(0.3)

        assert client.usage.threads
        assert not client.ready_threads


def test_an_engine_outlives_the_thread_that_started_it() -> None:
    """The system kills it with its parent, and takes the thread for that."""
    clients: list[GtpDriver] = []
    starting = threading.Thread(target=lambda: clients.append(started()))
    starting.start()
    starting.join()
    time.sleep(0.1)

    with clients[0] as client:
        assert client.order("name") == fake_engine.NAME


IGNORES_ITS_END = """if True:
        import os, sys, time
        from outflank.tests.support.dialogue import driver_of
        engine = "import time; input(); print('= here', flush=True); print(flush=True); time.sleep(1000)"
        engine = [sys.executable, "-c", engine]
"""


@linux_alone
def test_an_engine_that_a_forked_process_starts_ends_with_that_one() -> None:
    """The thread that starts engines does not live on there."""
    driver = f"""{IGNORES_ITS_END}
        with driver_of(engine) as first:
            first.order("anything")
            if not os.fork():
                client = driver_of(engine)
                client.order("anything")
                print(client.pid, flush=True)
                os._exit(0)
            os.wait()
            assert first.is_running
    """
    ended = subprocess.run([sys.executable, "-c", driver], capture_output=True, timeout=60, check=True)

    assert living_members(int(ended.stdout)) == []


@linux_alone
def test_an_engine_that_ignores_the_end_of_its_input_does_not_outlive_us() -> None:
    """Whoever drives it is killed by SIGKILL and can do nothing any more."""
    driver = f"""{IGNORES_ITS_END}
        client = driver_of(engine)
        client.order("anything")
        print(client.pid, flush=True)
        time.sleep(1000)
    """
    with subprocess.Popen([sys.executable, "-c", driver], stdout=subprocess.PIPE) as driving:
        assert driving.stdout is not None
        engine = int(driving.stdout.readline())
        driving.kill()

    assert living_members(engine) == []


def engine(program: str, variable: str, *arguments: str) -> list[str]:
    """Return the command of the program; all that descends from it has this variable in its environment."""
    return ["env", variable, sys.executable, "-I", "-S", "-c", program, *arguments]


def wait_for(variable: str, count: int) -> None:
    """Wait until `count` processes have the variable."""
    deadline = time.monotonic() + 60 + count  # a crowded machine takes a minute for a thousand
    while len(processes_with(variable)) < count:
        assert time.monotonic() < deadline, f"{len(processes_with(variable))} of {count} processes"
        time.sleep(0.05)


def test_a_daemon_that_an_engine_has_made_ends_with_it_and_with_no_other(tmp_path: Path) -> None:
    first, second = f"DAEMON={tmp_path}/1", f"DAEMON={tmp_path}/2"
    with driver_of(engine(DAEMON, first)) as client:
        client.order("anything")
        with driver_of(engine(DAEMON, second)) as other:
            other.order("anything")
            wait_for(second, 2)
        assert living_with(second) == []
        assert other.pid not in children(os.getpid())
        assert len(processes_with(first)) == 2
    assert living_with(first) == []


@pytest.mark.parametrize(
    "length", [40, pytest.param(1000, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])]
)
def test_a_chain_of_children_ends_too(tmp_path: Path, length: int) -> None:
    """Looking for a thousand ended in a RecursionError, and for want of descriptors most were left alive."""
    variable, before = f"CHAIN={tmp_path}", open_files()
    with driver_of(engine(CHAIN, variable, str(length))) as client:
        client.order("anything", 60)
        wait_for(variable, length)

    assert living_with(variable) == []
    assert open_files() == before


def test_a_chain_may_be_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    last = 100_000
    monkeypatch.setattr(descendants, "PORTABLE", False)
    monkeypatch.setattr(descendants, "_children", lambda pid: [pid + 1] if pid < last else [])

    assert sorted(descendants.descendants(1)) == list(range(2, last + 1))


def test_a_child_that_one_look_has_missed_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that forks and ends again and again is not always seen."""
    sleepers = [subprocess.Popen(["sleep", "60"]) for _ in range(2)]
    first, second = (psutil.Process(sleeper.pid) for sleeper in sleepers)
    looks = iter([{first}, set(), {second}])
    monkeypatch.setattr(descendants, "living", lambda *arguments: next(looks, set()))
    try:
        descendants.kill(None, descendants.new_mark())
        codes = [sleeper.wait(20) for sleeper in sleepers]
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait()

    assert codes[1] in (-signal.SIGKILL, 0)  # 0 if `kill` has reaped it


def test_any_number_of_children_takes_one_look_at_all_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only psutil is there: a look at all of them for each took 39 s with 400 children."""
    looks = 0
    everything = psutil.process_iter

    def look() -> Iterator[psutil.Process]:
        nonlocal looks
        looks += 1
        yield from everything()

    monkeypatch.setattr(descendants, "PORTABLE", True)
    monkeypatch.setattr(psutil, "process_iter", look)
    children = [subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) for _ in range(5)]
    try:
        assert {child.pid for child in children} <= set(descendants.descendants(os.getpid()))
        assert looks == 1
    finally:
        for child in children:
            child.communicate()


@linux_alone
def test_what_an_engine_leaves_to_us_and_ends_is_buried(tmp_path: Path) -> None:
    """Else each would take a process id for as long as the runner lives."""
    child = ChildProcess(engine(PASSING, "PASSING=1"), "the child")
    try:
        child.send(b"anything\n")
        child.read_line(time.perf_counter() + 30)
        deadline = time.monotonic() + 30
        while _orphans_of(child.pid) and time.monotonic() < deadline:
            descendants.reap_orphans(child.pid)
            time.sleep(0.01)
        assert _orphans_of(child.pid) == []
    finally:
        child.stop(b"\n", 1)


def _orphans_of(session: int) -> list[int]:
    """Our children in the session of an engine."""
    return [pid for pid in children(os.getpid()) if pid != session and os.getsid(pid) == session]


@linux_alone
def test_a_daemon_that_has_wiped_its_environment_ends_with_its_engine(tmp_path: Path) -> None:
    daemon = (
        f"env -i setsid sh -c 'echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid; exec sleep 1000'"
    )
    with driver_of(["sh", "-c", f"({daemon} &); while read line; do printf '= \\n\\n'; done"]) as client:
        client.order("anything")
        while not (tmp_path / "pid").exists():
            time.sleep(0.01)
        hidden = int((tmp_path / "pid").read_text())
        assert Path(f"/proc/{hidden}/environ").read_bytes().count(b"\0") < 10

    assert not Path(f"/proc/{hidden}").exists()


BYSTANDERS = """if True:
    import os, subprocess, sys, time
    from pathlib import Path
    from outflank.protocol.drivers import descendants
    from outflank.tests.support.dialogue import driver_of
    # One that has our parents' session, one that has its own, and one that comes to us as an orphan.
    started = [subprocess.Popen(["sleep", "1000"]), subprocess.Popen(["setsid", "sleep", "1000"])]
    os.environ["LEFT"] = "1"
    descendants.adopt_orphans()
    subprocess.run(["sh", "-c", "setsid sleep 1000 & echo $! >" + sys.argv[1]])
    del os.environ["LEFT"]
    orphan = int(Path(sys.argv[1]).read_text())
    client = driver_of(["sh", "-c", "(setsid sleep 1000 &) ; while read line; do printf '= \\\\n\\\\n'; done"])
    client.order("anything")
    others = [process.pid for process in started] + [orphan]
    if sys.argv[2] == "close":
        client.close()
    else:
        descendants.kill_engines()
    alive = [pid for pid in others if Path(f"/proc/{pid}/stat").read_text().split()[2] not in "ZX"]
    ours = [pid for pid in descendants.descendants(os.getpid()) if pid not in others]
    left = [pid for pid in ours if Path(f"/proc/{pid}/stat").read_text().split()[2] not in "ZX"]
    for pid in alive:
        os.kill(pid, 9)
    print(len(alive), left)
"""


@pytest.mark.parametrize("end", ["close", "kill_engines"])
def test_engines_end_with_all_that_is_theirs_and_nobody_else_does(tmp_path: Path, end: str) -> None:
    command = [sys.executable, "-c", BYSTANDERS, str(tmp_path / "pid"), end]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)

    assert ended.stdout == "3 []\n"


def test_a_mark_is_that_of_one_engine_of_one_process() -> None:
    program = "from outflank.protocol.drivers.descendants import new_mark; print(new_mark())"
    another = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    first, second = descendants.new_mark(), descendants.new_mark()

    assert len({first, second, int(another.stdout)}) == 3


@pytest.mark.parametrize("gone", [2**22 + 1, 2**31 - 1])
def test_who_is_gone_has_no_descendants(gone: int) -> None:
    assert descendants.descendants(gone) == []


def test_the_id_of_an_engine_that_has_ended_does_not_lead_to_another_process() -> None:
    """It may have been given away since."""
    with subprocess.Popen(["sh", "-c", "sleep 1000; :"]) as bystander:
        gone = psutil.Process(bystander.pid)
        gone._ident = (gone.pid, 0.0)  # type: ignore[attr-defined]  # of a process that began earlier
        while not (child := descendants.descendants(bystander.pid)):
            time.sleep(0.01)
        descendants.kill(gone, descendants.new_mark(), [gone])
        assert bystander.poll() is None
        os.kill(child[0], signal.SIGKILL)
