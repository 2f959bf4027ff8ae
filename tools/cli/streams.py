"""Standard streams that are closed, as by ``outflank perft 1 >&-``, or can't write every character."""

import os
import sys
from io import BufferedReader, FileIO, TextIOWrapper


def replace_closed_streams() -> None:
    """Put something in the place of each standard stream that is closed, where no file opened later may come to lie.

    Input is at its end at once, and what is written to standard error is lost. A result must not be lost in silence:
    writing to standard output raises OSError, as it does for programs that know no better.
    """
    if sys.stdin is None:
        sys.stdin = TextIOWrapper(BufferedReader(_nothing(0, "r", "<stdin>")))
    # Not buffered, or what has failed would fail again when the interpreter ends.
    if sys.stdout is None:
        sys.stdout = TextIOWrapper(_nothing(1, "w", "<stdout>", os.O_RDONLY), write_through=True)
    if sys.stderr is None:
        sys.stderr = TextIOWrapper(_nothing(2, "w", "<stderr>", os.O_WRONLY), write_through=True)


def escape_what_can_not_be_written() -> None:
    """Let standard output escape what its encoding lacks, as standard error does.

    A byte of a name that is not UTF-8 becomes an escape that JSON has too.
    """
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _nothing(descriptor: int, mode: str, name: str, flags: int = os.O_RDONLY) -> FileIO:
    """The null device in the place of a descriptor, which processes that are begun inherit."""
    opened = os.open(os.devnull, flags)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)
    os.set_inheritable(descriptor, True)
    file = FileIO(descriptor, mode, closefd=False)
    file.name = name
    return file
