"""Whatever an engine has started ends with it, however it was begun."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from outflank.protocol.opponent import descendants
from outflank.protocol.opponent.client import GtpClient
from outflank.protocol.opponent.process import ChildProcess
from outflank.tests.processes import children, living_with, open_files

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


def engine(program: str, variable: str, *arguments: str) -> list[str]:
    """How to start the program; all that descends from it has this variable in its environment."""
    return ["env", variable, sys.executable, "-I", "-S", "-c", program, *arguments]


def wait_for(variable: str, count: int) -> None:
    """Until so many processes have the variable."""
    deadline = time.monotonic() + 60 + count  # a crowded machine takes a minute for a thousand
    while len(_with(variable)) < count:
        assert time.monotonic() < deadline, f"{len(_with(variable))} of {count} processes"
        time.sleep(0.05)


def _with(variable: str) -> Sequence[bytes]:
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            found += [word for word in path.read_bytes().split(b"\0") if word == variable.encode()]
        except OSError:
            continue
    return found


def test_a_daemon_that_an_engine_has_made_ends_with_it(tmp_path: Path) -> None:
    variable = f"DAEMON={tmp_path}"
    with GtpClient(engine(DAEMON, variable)) as client:
        client.order("anything")
        wait_for(variable, 2)

    assert living_with(variable) == []
    assert client.pid not in children(os.getpid())


def test_a_daemon_of_another_engine_lives_on(tmp_path: Path) -> None:
    first, second = f"DAEMON={tmp_path}/1", f"DAEMON={tmp_path}/2"
    with GtpClient(engine(DAEMON, first)) as client:
        client.order("anything")
        with GtpClient(engine(DAEMON, second)) as other:
            other.order("anything")
            wait_for(second, 2)
        assert living_with(second) == []
        assert len(_with(first)) == 2


@pytest.mark.parametrize(
    "length", [40, pytest.param(1000, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])]
)
def test_a_chain_of_children_ends_too(tmp_path: Path, length: int) -> None:
    """Looking for a thousand ended in a RecursionError, and for want of descriptors most were left alive."""
    variable, before = f"CHAIN={tmp_path}", open_files()
    with GtpClient(engine(CHAIN, variable, str(length))) as client:
        client.order("anything", 60)
        wait_for(variable, length)

    assert living_with(variable) == []
    assert open_files() == before


def test_a_chain_may_be_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    last = 100_000
    monkeypatch.setattr(descendants, "_children", lambda pid: [pid + 1] if pid < last else [])

    assert sorted(descendants.descendants(1)) == list(range(2, last + 1))


def test_what_an_engine_leaves_to_us_and_ends_is_buried(tmp_path: Path) -> None:
    """Else each would take a process id for as long as the runner lives."""
    child = ChildProcess(engine(PASSING, "PASSING=1"), "the child")
    try:
        child.send(b"anything\n")
        child.read_line(time.monotonic() + 30)
        deadline = time.monotonic() + 30
        while _orphans_of(child.pid) and time.monotonic() < deadline:
            descendants.bury_session(child.pid)
            time.sleep(0.01)
        assert _orphans_of(child.pid) == []
    finally:
        child.stop(b"\n", 1)


def _orphans_of(session: int) -> list[int]:
    """Our children in the session of an engine."""
    found = []
    for pid in children(os.getpid()):
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        if int(words[3]) == session and pid != session:
            found.append(pid)
    return found


def test_a_daemon_that_has_wiped_its_environment_ends_with_its_engine(tmp_path: Path) -> None:
    daemon = (
        f"env -i setsid sh -c 'echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid; exec sleep 1000'"
    )
    with GtpClient(["sh", "-c", f"({daemon} &); while read line; do printf '= \\n\\n'; done"]) as client:
        client.order("anything")
        while not (tmp_path / "pid").exists():
            time.sleep(0.01)
        hidden = int((tmp_path / "pid").read_text())
        assert Path(f"/proc/{hidden}/environ").read_bytes().count(b"\0") < 10

    assert not Path(f"/proc/{hidden}").exists()


BYSTANDERS = """if True:
    import os, subprocess, sys, time
    from pathlib import Path
    from outflank.protocol.opponent import descendants
    from outflank.protocol.opponent.client import GtpClient
    # One that has our parents' session, one that has its own, and one that comes to us as an orphan.
    started = [subprocess.Popen(["sleep", "1000"]), subprocess.Popen(["setsid", "sleep", "1000"])]
    os.environ["LEFT"] = "1"
    descendants.adopt_orphans()
    subprocess.run(["sh", "-c", "setsid sleep 1000 & echo $! >" + sys.argv[1]])
    del os.environ["LEFT"]
    orphan = int(Path(sys.argv[1]).read_text())
    client = GtpClient(["sh", "-c", "(setsid sleep 1000 &) ; while read line; do printf '= \\\\n\\\\n'; done"])
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


def test_an_id_that_has_come_to_mean_another_process_is_left_alone() -> None:
    with subprocess.Popen(["sleep", "1000"]) as bystander:
        began = int(Path(f"/proc/{bystander.pid}/stat").read_text().rpartition(")")[2].split()[19])
        gone = descendants.Process(bystander.pid, began - 1)
        descendants.kill(None, descendants.Mark.new(), [gone])
        assert bystander.poll() is None
        bystander.kill()


def test_a_mark_is_that_of_one_engine_of_one_process() -> None:
    program = "from outflank.protocol.opponent.descendants import Mark; print(Mark.new().number)"
    another = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    first, second = descendants.Mark.new(), descendants.Mark.new()

    assert first != second
    assert first.is_ours
    assert second.is_ours
    assert not descendants.Mark(int(another.stdout)).is_ours


@pytest.mark.parametrize("gone", [2**22 + 1, 2**31 - 1])
def test_who_is_gone_has_no_descendants(gone: int) -> None:
    assert descendants.descendants(gone) == []
    assert descendants.living(gone, descendants.Mark.new()) == set()


def test_a_thread_knows_how_long_it_had_no_processor() -> None:
    """It shares one with a program that never rests."""
    before, allowed = descendants.own_waited_seconds(), os.sched_getaffinity(0)
    one = {min(allowed)}
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as restless:
        try:
            os.sched_setaffinity(restless.pid, one)
            os.sched_setaffinity(0, one)
            began = time.thread_time()
            while time.thread_time() < began + 0.2:
                pass
        finally:
            os.sched_setaffinity(0, allowed)
            restless.kill()

    assert descendants.own_waited_seconds() - before > 0.05
