"""Where a path leads through symbolic links; what is written goes there, and the link stays."""

import errno
import os
from pathlib import Path


def file_of(path: Path) -> Path:
    """The file that a path leads to through all links; it may be yet to be made.

    Raises: OSError if the links lead in a circle.
    """
    file = Path(os.path.realpath(path))
    if file.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return file
