"""A run is there whole or not at all, also if its runner is killed while it makes or changes the file."""

import signal
import subprocess
import sys
from pathlib import Path

from outflank.tests.tools.state.test_store import create
from outflank.tools.state import schema
from outflank.tools.state.store import Store, read_run

_KILLED_WHILE_IT_BEGINS = """
import os, signal, sys
from pathlib import Path
from outflank.tests.tools.state.test_store import create
from outflank.tools.state import schema
schema.put_in_place = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
create(Path(sys.argv[1]))
"""

_KILLED_IN_A_CHANGE = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN IMMEDIATE")
for number in range(1000):
    connection.execute("INSERT INTO opening (number, moves) VALUES (?, ?)", (number + 100, "f5" * 100))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_run_that_was_killed_while_it_began_is_begun_again(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _KILLED_WHILE_IT_BEGINS, str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not (tmp_path / schema.RUN_FILE).exists()
    assert (tmp_path / schema.UNFINISHED[0]).exists()

    with create(tmp_path) as store:
        assert store.read().games == ()
        assert not any((tmp_path / name).exists() for name in schema.UNFINISHED)


def test_a_run_whose_runner_was_killed_in_a_change_is_read(tmp_path: Path) -> None:
    create(tmp_path).end(finished=False)
    file = tmp_path / schema.RUN_FILE
    killed = subprocess.run([sys.executable, "-c", _KILLED_IN_A_CHANGE, str(file)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (
        file.with_name(f"{file.name}-journal").stat().st_size > 0
    )  # what the change has to be taken back by

    assert read_run(tmp_path).games == ()
    with Store.resume(tmp_path) as store:
        assert len(store.openings(store.read().settings.rules)) == 2
