"""Workarounds for standard streams that are closed, full, or unable to encode a character."""

import os
import sys
from io import BufferedReader, FileIO, TextIOWrapper
from typing import Any


def terminal_width() -> int | None:
    """Return the width of the terminal in columns; None if stdout is not a terminal."""
    if not sys.stdout.isatty():
        return None
    import shutil  # imported late: engines do not need it, and the module imports compression modules

    return shutil.get_terminal_size().columns


def replace_closed_streams() -> None:
    """Replace closed standard streams, so that no file opened later gets their descriptors.

    A replaced stdin is empty, and output to a replaced stderr is dropped. Writing to a replaced stdout raises OSError,
    since results must not be lost silently.
    """
    if sys.stdin is None:
        sys.stdin = TextIOWrapper(BufferedReader(_nothing(0, "r", "<stdin>")))
    # The streams are unbuffered: otherwise a failed write would be repeated, and fail again, when the interpreter
    # exits.
    if sys.stdout is None:
        sys.stdout = TextIOWrapper(_nothing(1, "w", "<stdout>", os.O_RDONLY), write_through=True)
    if sys.stderr is None:
        sys.stderr = TextIOWrapper(_nothing(2, "w", "<stderr>", os.O_WRONLY), write_through=True)


class _Lossy(FileIO):
    """A stderr that may be full or closed: output that can't be written is dropped, and the command continues."""

    def write(self, data: Any) -> int:
        """Write the bytes, or drop them if the write fails."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


def keep_standard_error_from_failing() -> None:
    """Ignore errors when writing warnings or progress to stderr."""
    is_console = sys.platform == "win32" and sys.stderr.isatty()  # a Windows console takes text, not bytes
    if isinstance(sys.stderr, TextIOWrapper) and not is_console:
        raw = _Lossy(sys.stderr.fileno(), "w", closefd=False)
        raw.name = sys.stderr.name
        sys.stderr = TextIOWrapper(raw, sys.stderr.encoding, sys.stderr.errors, write_through=True)


def drop_unwritable_output() -> None:
    """Flush stdout. If this fails, discard its output, since a failure at exit would replace the exit code."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):  # ValueError if stdout is closed
        sys.stdout = TextIOWrapper(_nothing(1, "w", "<stdout>", os.O_WRONLY), write_through=True)


def escape_what_can_not_be_written() -> None:
    """Make stdout, like stderr, escape characters that its encoding lacks.

    Bytes of a file name that are not UTF-8 become escapes that are valid in JSON too. On Windows, stdout and stderr use
    UTF-8.
    """
    encoding = "utf-8" if sys.platform == "win32" else None
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _nothing(descriptor: int, mode: str, name: str, flags: int = os.O_RDONLY) -> FileIO:
    """Open the null device as this descriptor, which child processes inherit."""
    opened = os.open(os.devnull, flags)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)
    os.set_inheritable(descriptor, True)
    file = FileIO(descriptor, mode, closefd=False)
    file.name = name
    return file
