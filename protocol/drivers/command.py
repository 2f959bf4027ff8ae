"""Splits a command line into words, and joins words into a command line.

A command line is quoted as in a POSIX shell; on Windows, it is quoted as in Windows, where backslashes in paths are
plain characters.
"""

import re
import shlex
import subprocess
import sys
from collections.abc import Sequence

_PART = re.compile(r'(\\*)"|(\s+)|([^\s"\\]+|\\+)')


def split_command(text: str, windows: bool = sys.platform == "win32") -> list[str]:
    """Return the words of a command. Raises: ValueError if a quote is not closed."""
    if not windows:
        return shlex.split(text)
    words: list[str] = []
    is_quoted = is_begun = False
    for slashes, blank, plain in _PART.findall(text):
        if blank and not is_quoted:
            is_begun = False
            continue
        if not is_begun:
            words.append("")
            is_begun = True
        if blank or plain:
            words[-1] += blank or plain
        elif len(slashes) % 2:
            words[-1] += slashes[: len(slashes) // 2] + '"'
        else:
            words[-1] += slashes[: len(slashes) // 2]
            is_quoted = not is_quoted
    if is_quoted:
        raise ValueError("No closing quotation")
    return words


def join_command(words: Sequence[str], windows: bool = sys.platform == "win32") -> str:
    """Return the command line that ``split_command`` splits into these words."""
    return subprocess.list2cmdline(words) if windows else shlex.join(words)
