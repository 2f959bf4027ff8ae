"""Standard streams that are closed, full, or can't encode a letter."""

import os
import shutil
import sys
from io import BufferedReader, FileIO, TextIOWrapper
from typing import Any


def terminal_width() -> int | None:
    """Return the number of columns of the terminal that stdout is; None if it is a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def replace_closed_streams() -> None:
    """Replace each standard stream that is closed, so that no file opened later gets its descriptor.

    Input is at its end at once, and output to standard error is lost. A result must not be lost in silence:
    writing to standard output raises OSError, as it does for programs that know no better.
    """
    if sys.stdin is None:
        sys.stdin = TextIOWrapper(BufferedReader(_nothing(0, "r", "<stdin>")))
    # Not buffered, or a failed write would fail again when the interpreter ends.
    if sys.stdout is None:
        sys.stdout = TextIOWrapper(_nothing(1, "w", "<stdout>", os.O_RDONLY), write_through=True)
    if sys.stderr is None:
        sys.stderr = TextIOWrapper(_nothing(2, "w", "<stderr>", os.O_WRONLY), write_through=True)


class _Lossy(FileIO):
    """Standard error that may be full or closed: output that can't be written is dropped, and the command continues."""

    def write(self, data: Any) -> int:
        """Write the bytes, if anybody is there to read them."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


def keep_standard_error_from_failing() -> None:
    """Let no failure to write a warning or progress end the program."""
    is_console = sys.platform == "win32" and sys.stderr.isatty()  # a console takes text, not bytes
    if isinstance(sys.stderr, TextIOWrapper) and not is_console:
        raw = _Lossy(sys.stderr.fileno(), "w", closefd=False)
        raw.name = sys.stderr.name
        sys.stderr = TextIOWrapper(raw, sys.stderr.encoding, sys.stderr.errors, write_through=True)


def drop_unwritable_output() -> None:
    """Flush standard output; if that fails, discard what is left, or its failure would replace the exit code."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):  # ValueError if it is closed
        sys.stdout = TextIOWrapper(_nothing(1, "w", "<stdout>", os.O_WRONLY), write_through=True)


def escape_what_can_not_be_written() -> None:
    """Let standard output escape letters that its encoding lacks, as standard error does.

    A byte of a name that is not UTF-8 becomes an escape that JSON has too. On Windows both streams are UTF-8.
    """
    encoding = "utf-8" if sys.platform == "win32" else None
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _nothing(descriptor: int, mode: str, name: str, flags: int = os.O_RDONLY) -> FileIO:
    """Open the null device in place of a descriptor; child processes inherit it."""
    opened = os.open(os.devnull, flags)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)
    os.set_inheritable(descriptor, True)
    file = FileIO(descriptor, mode, closefd=False)
    file.name = name
    return file
