"""Opening files: writing follows symbolic links, which stay; reading needs a regular file."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def file_of(path: Path) -> Path:
    """Return the file that a path leads to through all links; it need not exist.

    Raises: OSError if the links form a cycle.
    """
    file = Path(os.path.realpath(path))
    if file.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return file


def open_beside(path: Path, mode: int = 0o666) -> tuple[int, Path]:
    """Create a file in the folder of `path`, to be renamed to `path` when it is complete.

    Its name can't be guessed and did not exist, so no link planted there is followed.

    Returns: the descriptor, and the file's name: a dot, the name of `path`, and a random number. Raises: OSError.
    """
    name = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode), name


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to read it; a pipe or a device might never deliver data.

    Raises: OSError, also if it is not a regular file; ValueError if the name is invalid, such as one with a zero byte.
    """
    _expect_regular(path, os.stat(path).st_mode)  # first, since opening a device may do something
    return open(path, "rb", opener=_opened_regular)


def _opened_regular(path: str, flags: int) -> int:
    """Open a regular file and return its descriptor, which `open` owns: close it here only if this raises."""
    number = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    try:
        _expect_regular(path, os.fstat(number).st_mode)
        return number
    except BaseException:
        os.close(number)
        raise


def _expect_regular(path: str | Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, and has to be a file", str(path))
