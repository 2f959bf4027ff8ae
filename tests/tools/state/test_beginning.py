"""A run is there whole or not at all: one that is killed while it begins can be begun again."""

import signal
import subprocess
import sys
from pathlib import Path

from outflank.tests.tools.state.test_store import create
from outflank.tools.state import schema

_KILLED_WHILE_IT_BEGINS = """
import os, signal, sys
from pathlib import Path
from outflank.tests.tools.state.test_store import create
from outflank.tools.state import schema
schema.put_in_place = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
create(Path(sys.argv[1]))
"""


def test_a_run_that_was_killed_while_it_began_is_begun_again(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _KILLED_WHILE_IT_BEGINS, str(tmp_path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert not (tmp_path / schema.RUN_FILE).exists()
    assert (tmp_path / schema.UNFINISHED[0]).exists()

    with create(tmp_path) as store:
        assert store.read().games == ()
        assert not any((tmp_path / name).exists() for name in schema.UNFINISHED)
