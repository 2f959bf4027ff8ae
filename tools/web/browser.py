"""Opens a page in the user's browser without showing the page's address to other users of this machine.

``outflank web`` without arguments serves the user's page. If another process already serves this page, the command
opens the page and exits.
"""

import html
import os
import re
import sys
import tempfile
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from outflank import __version__
from outflank.errors import FileFormatError
from outflank.storage.folders import user_folder
from outflank.storage.lock import WriterLock

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")  # the environment variables that name a display
_REDIRECT = """<!DOCTYPE html>
<meta charset="utf-8"><meta http-equiv="refresh" content="0;url={url}"><title>Outflank</title>
<p><a href="{url}">Outflank</a></p>
"""


_HELD = "expected one program to serve the user's page"
_START_SECONDS = 30.0  # the longest wait for the page of another process that has just started
_RETRY_SECONDS = 0.05
_ANSWER_SECONDS = 5.0


class ServedAlready(Exception):
    """Another process of this user serves the user's page at `url`. `file` redirects to `url`."""

    def __init__(self, file: Path, url: str) -> None:
        super().__init__(url)
        self.file = file
        self.url = url


@contextmanager
def user_page() -> Iterator[Path | None]:
    """Claim the right to serve this user's page until the context ends.

    Yields: the path at which ``opened`` creates the file that redirects to the page. It is None if the file can't be
        created, or if the other process that has claimed the page does not answer.

    Raises: ServedAlready if another process serves the page, after a wait if that process has just started.
    """
    file = user_folder("state") / f"page-{__version__}.html"
    lock, deadline = None, time.monotonic() + _START_SECONDS
    while lock is None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            lock = WriterLock(file, _HELD)
        except OSError:
            break
        except FileFormatError as error:
            if not str(error).startswith(_HELD) or time.monotonic() > deadline:
                break
            if (url := _redirection(file)) is not None:
                if _answers(url):
                    raise ServedAlready(file, url) from None
                break
            time.sleep(_RETRY_SECONDS)
    if lock is None:
        yield None
        return
    with lock:
        file.unlink(missing_ok=True)  # a killed process may have left the file behind
        try:
            yield file
        finally:
            with suppress(OSError):
                file.unlink()


def _redirection(file: Path) -> str | None:
    """Return the address to which a file redirects; None if the file is missing or incomplete."""
    with suppress(OSError):
        if found := re.search('<a href="(.*?)">', file.read_text()):
            return html.unescape(found[1])
    return None


def _answers(url: str) -> bool:
    """Return whether a server answers at this address, which another machine may have written to a shared folder."""
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(url, timeout=_ANSWER_SECONDS):
            return True
    except (OSError, ValueError):
        return False


@contextmanager
def opened(url: str, file: Path | None = None) -> Iterator[bool]:
    """Open a page in a browser that can run scripts. At the end of the context, remove the redirecting file.

    Every user of the machine can read the browser's command line. So the browser gets a file that redirects to the
    address and that only this user can read: `file`, or a temporary file if `file` is None. A terminal browser can't
    run scripts, so it is opened only if the environment variable BROWSER names it.

    Yields: whether a browser was opened.
    """
    browser = _browser()
    if browser is None and file is None:
        yield False
        return
    if file is None:
        descriptor, name = tempfile.mkstemp(prefix="outflank-", suffix=".html")  # the file's mode is 600
    else:
        name = str(file)
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    redirect = Path(name)
    with open(descriptor, "w") as written:
        written.write(_REDIRECT.format(url=html.escape(url)))
    try:
        if browser is not None:
            # A thread calls ``open``, which blocks until a browser that runs in the foreground is closed.
            threading.Thread(target=browser.open, args=(redirect.as_uri(),), daemon=True).start()
        yield browser is not None
    finally:
        with suppress(OSError):
            redirect.unlink()


def open_again(file: Path) -> bool:
    """Open a redirecting file in a browser that can run scripts. Return whether a browser was opened."""
    browser = _browser()
    return browser is not None and browser.open(file.as_uri())


def _browser() -> webbrowser.BaseBrowser | None:
    with suppress(webbrowser.Error):
        browser = webbrowser.get()
        if os.environ.get("BROWSER"):
            return browser
        has_windows = sys.platform in ("win32", "darwin") or any(map(os.environ.get, _DISPLAYS))
        if has_windows and type(browser) is not webbrowser.GenericBrowser:
            return browser
    return None
