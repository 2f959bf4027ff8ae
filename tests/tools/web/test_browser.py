"""The user's browser is opened: nobody else learns the address, and no signal waits for it."""

import signal
import stat
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from outflank.tests.support.arenas import wait
from outflank.tests.support.browser import Served


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
    with Served(command=["web"], BROWSER=browser(tmp_path, "firefox"), TMPDIR=str(tmp_path)) as served:
        wait(noted.exists)
        opened = Path(unquote(urlsplit(noted.read_text().strip()).path))
        content, mode = opened.read_text(), stat.S_IMODE(opened.stat().st_mode)
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(20) == 143

    assert f"url={served.page}" in content
    assert mode == 0o600
    assert not opened.exists()


def test_a_signal_does_not_wait_for_a_browser_in_the_foreground(tmp_path: Path) -> None:
    script = browser(tmp_path, "slow", "exec sleep 60")
    with Served(command=["web"], BROWSER=script, TMPDIR=str(tmp_path)) as served:
        wait((tmp_path / "arguments").exists)
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(20) == 130


@pytest.mark.parametrize("name", ["w3m", "lynx"])
def test_a_text_browser_is_not_opened_and_what_is_needed_is_said(tmp_path: Path, name: str) -> None:
    browser(tmp_path, name)
    here = {"BROWSER": "", "DISPLAY": "", "WAYLAND_DISPLAY": "", "PATH": f"{tmp_path}:/usr/bin:/bin"}
    with Served(command=["web"], **here) as served:
        assert served.process.stderr is not None
        said = served.process.stderr.readline()

    assert "no browser with a window can be opened here" in said
    assert "--listen HOST:PORT" in said
    assert not (tmp_path / "arguments").exists()
