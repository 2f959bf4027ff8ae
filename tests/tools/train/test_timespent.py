"""Time counts over all interruptions of a run."""

import time
from pathlib import Path

import pytest

from outflank.engine import FileFormatError
from outflank.tools.train.timespent import TimeSpent


def test_time_is_kept_from_run_to_run(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"
    with TimeSpent(path).spending("games"):
        time.sleep(0.02)
    first = TimeSpent(path).on("games")

    spent = TimeSpent(path)
    with spent.spending("games"):
        time.sleep(0.02)
    with spent.spending("fit"):
        pass

    assert first >= 0.02
    assert first + 0.02 <= spent.on("games") <= spent.on("games", "fit", "labels")
    assert TimeSpent(path).on("games", "fit") == spent.on("games", "fit")


def test_a_step_that_is_interrupted_has_cost_its_time(tmp_path: Path) -> None:
    path = tmp_path / "spent.json"

    def interrupted() -> None:
        with TimeSpent(path).spending("games"):
            time.sleep(0.01)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert TimeSpent(path).on("games") >= 0.01


@pytest.mark.parametrize("content", ["", "[]", "{", '{"games": "long"}', '{"games": null}'])
def test_another_file_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "spent.json"
    path.write_text(content)

    with pytest.raises(FileFormatError, match=r"expected the seconds of each step in .*spent\.json"):
        TimeSpent(path)
