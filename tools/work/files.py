"""Writes a file whole or not at all."""

import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its old self, then put it in its place: a full disk leaves the old one as it was.

    What is no file, a pipe or a device, is written to as it is.

    Raises: OSError.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    new = path.with_name(f".{path.name}.new")
    try:
        new.write_bytes(data)
        os.replace(new, path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
