"""``outflank engines`` as a user meets it."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from outflank.protocol.drivers.catalogue import catalogue
from outflank.tests.support import fake_engine
from outflank.tests.support.program import outflank

RHINO = Path("/usr/games/gtp-rhino")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which two engines lie: one that answers, and one that ends at once."""
    for name, script in (
        ("gtp-rhino", f"exec {shlex.join(fake_engine.command())}"),
        ("fairy-stockfish", "echo 'no room' >&2; exit 3"),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def engines(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return outflank("engines", *map(str, words))


def test_it_lists_those_that_are_there_and_those_that_are_not(folder: Path) -> None:
    ran = engines(folder)

    assert ran.returncode == 0
    assert ran.stderr == ""
    assert "edax                  not found\n" in ran.stdout
    assert f"grhino                fake\n    program: {folder}/gtp-rhino\n" in ran.stdout
    assert "fairy-stockfish       engine Fairy-Stockfish exited with code 3" in ran.stdout
    assert "no room" in ran.stdout


def test_those_on_the_path_are_listed_beside_those_of_a_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path_factory.mktemp("other")
    (folder / "gtp-rhino").rename(other / "gtp-rhino")
    monkeypatch.setenv("PATH", str(other), prepend=os.pathsep)

    shown = engines(folder).stdout

    assert f"grhino                fake\n    program: {other}/gtp-rhino\n" in shown
    assert "fairy-stockfish       engine Fairy-Stockfish exited with code 3" in shown


def test_json_has_a_line_for_each_engine_of_the_catalogue(folder: Path) -> None:
    rows = [json.loads(line) for line in engines(folder, "--json", "--facts").stdout.splitlines()]
    found = {row["engine"]: row for row in rows}

    assert list(found) == list(catalogue())
    assert found["ntest"]["program"] is None
    assert (found["grhino"]["calls_itself"], found["grhino"]["trouble"]) == ("fake", "")
    assert found["grhino"]["facts"][0]["source"]
    assert "exited with code 3" in found["fairy-stockfish"]["trouble"]


def test_the_facts_are_shown_with_their_sources(tmp_path: Path) -> None:
    shown = engines(tmp_path, "--facts").stdout

    for known in catalogue().values():
        assert known.seen in shown
        assert all(f"{fact['fact']} [{fact['source']}, {fact['date']}]\n" in shown for fact in known.facts)


def test_the_checks_of_its_protocol_are_run_if_asked_for(folder: Path) -> None:
    (row,) = [
        row
        for row in map(json.loads, engines(folder, "--check", "--json").stdout.splitlines())
        if row["engine"] == "grhino"
    ]

    assert " passed, " in row["compliance"]


@pytest.mark.skipif(not RHINO.exists(), reason="GRhino is not installed")
def test_grhino_is_found_though_it_may_be_on_no_path() -> None:
    assert f"grhino                GTP GRhino 0.16.1\n    program: {RHINO}\n" in engines().stdout


def test_the_checks_take_an_engine_of_the_catalogue(folder: Path) -> None:
    ran = outflank("compliance", "catalogue:fairy-stockfish", "--only", "has-a-name")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "Fairy-Stockfish was not found on PATH" in ran.stderr
