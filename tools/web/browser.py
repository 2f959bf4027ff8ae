"""Opens a page in the user's browser without showing its address to other users of this machine."""

import html
import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY")  # the variables that name a screen for windows
_REDIRECT = """<!DOCTYPE html>
<meta charset="utf-8"><meta http-equiv="refresh" content="0;url={url}"><title>Outflank</title>
<p><a href="{url}">Outflank</a></p>
"""


@contextmanager
def opened(url: str) -> Iterator[bool]:
    """Open a page in a browser that can run its script; remove the temporary file at the end of the context.

    Every user of the machine can read the browser's command line. So the browser is given a temporary file that only
    this user can read, and that redirects to the address. Terminal browsers can't run scripts; one is opened only if
    the environment variable BROWSER names it.

    Yields: whether a browser was opened.
    """
    browser = _browser()
    if browser is None:
        yield False
        return
    descriptor, name = tempfile.mkstemp(prefix="outflank-", suffix=".html")  # its mode is 600
    file = Path(name)
    with open(descriptor, "w") as written:
        written.write(_REDIRECT.format(url=html.escape(url)))
    try:
        # In a thread, since ``open`` blocks until a browser that runs in the foreground is closed.
        threading.Thread(target=browser.open, args=(file.as_uri(),), daemon=True).start()
        yield True
    finally:
        with suppress(OSError):
            file.unlink()


def _browser() -> webbrowser.BaseBrowser | None:
    with suppress(webbrowser.Error):
        browser = webbrowser.get()
        if os.environ.get("BROWSER"):
            return browser
        has_windows = sys.platform in ("win32", "darwin") or any(map(os.environ.get, _DISPLAYS))
        if has_windows and type(browser) is not webbrowser.GenericBrowser:
            return browser
    return None
