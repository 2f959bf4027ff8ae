"""Work says how far it is, and goes on if nobody is there to read it."""

import os
import sys

import pytest

from outflank.tools.work.progress import progress_bar


def test_the_bar_counts_what_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("fit", 3, "phases", done=1) as advance:
        advance(1)
    printed = capsys.readouterr()

    assert printed.out == ""
    assert "2/3 phases" in printed.err


def test_a_reader_that_goes_away_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = 0
    with os.fdopen(writing, "w") as gone:
        monkeypatch.setattr(sys, "stderr", gone)
        with progress_bar("fit", 3, "phases") as advance:
            for _ in range(3):
                advance(1)
                done += 1

    assert done == 3
