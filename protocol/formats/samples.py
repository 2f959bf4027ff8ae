"""Positions and games that come with the package, taken by name wherever a file of them is."""

import os
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("data")
_SUFFIXES = (".obf", ".sgf")


@cache
def samples() -> dict[str, Path]:
    """Return the files of the samples by name: ``ffo-40``, ``dev-24``, ``problems``, ``sample`` and others."""
    return {path.stem: path for path in sorted(_FOLDER.iterdir()) if path.suffix in _SUFFIXES}


def named_file(name: str) -> str:
    """Return the name of the file, or of the sample if there is no such file; any other name as it is."""
    return name if os.path.exists(name) else os.fspath(samples().get(name, name))
