"""The user's browser is opened: nobody else learns the address, no signal waits, and one page serves all starts."""

import os
import signal
import socket
import stat
import subprocess
import urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from outflank import __version__
from outflank.storage.lock import WriterLock
from outflank.tests.support.arenas import wait
from outflank.tests.support.browser import Served
from outflank.tests.support.program import OUTFLANK


def browser(folder: Path, name: str, then: str = "") -> str:
    """Return a browser that notes its arguments."""
    program, noted = folder / name, folder / "arguments"
    program.write_text(f'#!/bin/sh\necho "$@" > {noted}.part\nmv {noted}.part {noted}\n{then}\n')
    program.chmod(0o755)
    return f"{program} %s"


def test_a_browser_gets_a_file_that_leads_to_the_page_and_that_its_user_alone_can_read(
    tmp_path: Path,
) -> None:
    noted = tmp_path / "arguments"
    with Served(BROWSER=browser(tmp_path, "firefox"), TMPDIR=str(tmp_path)) as served:
        wait(noted.exists)
        opened = Path(unquote(urlsplit(noted.read_text().strip()).path))
        content, mode = opened.read_text(), stat.S_IMODE(opened.stat().st_mode)
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(20) == 143

    assert f"url={served.page}" in content
    assert mode == 0o600
    assert not opened.exists()


def test_a_signal_does_not_wait_for_a_browser_in_the_foreground(tmp_path: Path) -> None:
    file = tmp_path / "process"
    script = browser(tmp_path, "slow", f"echo $$ > '{file}.new'; mv '{file}.new' '{file}'; exec sleep 60")
    with Served(BROWSER=script, TMPDIR=str(tmp_path)) as served:
        wait(file.exists)
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(20) == 130
        os.kill(
            int(file.read_text()), signal.SIGTERM
        )  # otherwise it would hold the program's pipes for a minute


@pytest.mark.parametrize("name", ["w3m", "lynx"])
def test_a_text_browser_is_not_opened_and_what_is_needed_is_said(tmp_path: Path, name: str) -> None:
    browser(tmp_path, name)
    here = {"BROWSER": "", "DISPLAY": "", "WAYLAND_DISPLAY": "", "PATH": f"{tmp_path}:/usr/bin:/bin"}
    with Served(**here) as served:
        assert served.process.stderr is not None
        said = served.process.stderr.readline()

    assert "no browser window can be opened here" in said
    assert "--listen HOST:PORT" in said
    assert not (tmp_path / "arguments").exists()


def started(folder: Path, *arguments: str) -> "subprocess.Popen[str]":
    """Start ``outflank web`` with a browser that notes what it opens in `folder`, and its state there too."""
    environment = {**os.environ, "BROWSER": browser(folder, "firefox"), "XDG_STATE_HOME": str(folder)}
    command = [OUTFLANK, "web", *arguments]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def page_of(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().split()[1]


def test_a_second_start_opens_the_page_of_the_first_and_ends(tmp_path: Path) -> None:
    noted = tmp_path / "arguments"
    with started(tmp_path) as first:
        page = page_of(first)
        wait(noted.exists)
        noted.unlink()
        second = started(tmp_path)
        out, err = second.communicate(timeout=60)
        opened = Path(unquote(urlsplit(noted.read_text().strip()).path))
        content, mode = opened.read_text(), stat.S_IMODE(opened.stat().st_mode)
        first.terminate()

    assert (second.returncode, err) == (0, "")
    assert out == f"Page: {page} (served by an outflank web that is already running)\n"
    assert f"url={page}" in content
    assert mode == 0o600
    assert not opened.exists()


def test_of_two_starts_at_once_one_serves(tmp_path: Path) -> None:
    both = [started(tmp_path), started(tmp_path)]
    pages = {page_of(each) for each in both}
    wait(lambda: any(each.poll() == 0 for each in both))
    (serving,) = (each for each in both if each.poll() is None)
    serving.terminate()
    for each in both:
        each.communicate()

    assert len(pages) == 1


@pytest.mark.parametrize("arguments", [["sample"], ["--concurrency", "3"]])
def test_a_start_that_asks_for_something_serves_its_own_page(tmp_path: Path, arguments: list[str]) -> None:
    with started(tmp_path) as first, started(tmp_path, *arguments) as second:
        pages = {page_of(first), page_of(second)}
        first.terminate()
        second.terminate()

    assert len(pages) == 2


def test_a_page_whose_program_was_killed_is_not_opened(tmp_path: Path) -> None:
    with started(tmp_path) as killed:
        old = page_of(killed)
        wait(lambda: any(tmp_path.glob("outflank/*.html")))
        killed.kill()
    with started(tmp_path) as next_one:
        new = page_of(next_one)
        next_one.terminate()

    assert new != old


def test_a_page_that_does_not_answer_is_not_opened(tmp_path: Path) -> None:
    """As that of another machine whose users have the same home folder."""
    page = tmp_path / "outflank" / f"page-{__version__}.html"
    page.parent.mkdir()
    with WriterLock(page, "expected"), socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens there
        dead = f"http://127.0.0.1:{taken.getsockname()[1]}/token/"
        page.write_text(f'<p><a href="{dead}">Outflank</a></p>')
        with started(tmp_path) as own:
            served = page_of(own)
            with urllib.request.urlopen(served) as answer:
                assert b"<title>" in answer.read()
            own.terminate()

    assert served != dead


def test_where_nothing_can_be_kept_each_start_serves_its_own_page(tmp_path: Path) -> None:
    (tmp_path / "outflank").write_text("a file in the place of the folder")
    with started(tmp_path) as first, started(tmp_path) as second:
        pages = {page_of(first), page_of(second)}
        first.terminate()
        second.terminate()

    assert len(pages) == 2
