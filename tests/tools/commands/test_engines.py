"""``outflank engines`` where transcripts/engines.console is not enough."""

import json
import subprocess
from pathlib import Path

import pytest

from outflank.protocol.drivers.catalogue import catalogue
from outflank.tests.support.program import outflank

RHINO = Path("/usr/games/gtp-rhino")


def engines(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return outflank("engines", *map(str, words))


def test_json_has_a_line_for_each_engine_of_the_catalogue(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in engines(tmp_path, "--json").stdout.splitlines()]

    assert [row["engine"] for row in rows] == list(catalogue())


def test_the_facts_are_shown_with_their_sources(tmp_path: Path) -> None:
    shown = engines(tmp_path, "--facts").stdout

    for known in catalogue().values():
        assert known.seen in shown
        assert all(f"{fact['fact']} [{fact['source']}, {fact['date']}]\n" in shown for fact in known.facts)


@pytest.mark.skipif(not RHINO.exists(), reason="GRhino is not installed")
def test_grhino_is_found_though_it_may_be_on_no_path() -> None:
    assert f"grhino                GTP GRhino 0.16.1\n    program: {RHINO}\n" in engines().stdout
