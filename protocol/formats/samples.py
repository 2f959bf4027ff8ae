"""The sample positions and games of the package, whose names may be used in place of file names."""

import os
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("data")
_SUFFIXES = (".obf", ".sgf")


@cache
def samples() -> dict[str, Path]:
    """Return the paths of the samples by name: ``ffo-40``, ``dev-24``, ``problems``, ``sample`` and others."""
    return {path.stem: path for path in sorted(_FOLDER.iterdir()) if path.suffix in _SUFFIXES}


def named_file(name: str) -> str:
    """Return the path of the sample `name` if it exists and no file has this name; otherwise `name`."""
    return name if os.path.exists(name) else os.fspath(samples().get(name, name))
