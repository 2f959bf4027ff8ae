"""A catalogue of known engines that a user may have installed, with their programs, commands and settings.

The entries are in ``catalogue.toml`` in the same folder. The program of an entry is searched for on this machine.
"""

import functools
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outflank.engine import NotationError
from outflank.protocol.drivers.command import join_command

_FILE = Path(__file__).with_name("catalogue.toml")
_PROGRAM = "{program}"
_GAMES = ("/usr/games", "/usr/local/games")  # Debian's folders for games, which may be missing from PATH
_BESIDE = (".", "bin", "build")  # the folders that are searched, relative to each folder of ``find``


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """An engine of the catalogue.

    Attributes:
        key: the name in the notation ``catalogue:NAME``.
        title: the name in tables.
        programs: the possible file names of the program, the preferred one first; ``*`` matches any characters.
        cmd: the command; ``{program}`` stands for the path of the program.
        seen: a description of how this entry was checked.
        home: a file that the engine needs in its working folder; empty if the engine needs no such file.
        given: the arguments that are appended to the command if a setting is given; the keys are the settings' names.
        without: the arguments that are appended to the command if a setting is missing, with keys as in `given`.
        settings: the default settings of the engine in a match, by key.
        facts: the facts for the user; each is a mapping with ``fact`` (one or two sentences), ``source`` and ``date``.
    """

    key: str
    title: str
    programs: Sequence[str]
    cmd: str
    seen: str
    home: str = ""
    given: Mapping[str, str] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    facts: Sequence[Mapping[str, Any]] = ()

    def find(self, folders: Iterable[Path]) -> Path | None:
        """Return the program's path in `folders` or their subfolders ``bin`` and ``build``; None if it is not found."""
        needs_no_permission = not self.cmd.startswith(_PROGRAM)  # an interpreter runs the file
        for folder in folders:
            for place, name in ((place, name) for name in self.programs for place in _BESIDE):
                for path in sorted((folder / place).glob(name)):
                    if path.is_file() and (needs_no_permission or os.access(path, os.X_OK)):
                        return path.absolute()
        return None


@functools.cache
def catalogue() -> dict[str, CatalogueEntry]:
    """Return all engines of the catalogue by their keys."""
    tables = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {key: CatalogueEntry(key, **table) for key, table in tables.items()}


def search_path() -> list[Path]:
    """Return the folders that are searched for programs: PATH and Debian's folders for games."""
    named = [*os.environ.get("PATH", os.defpath).split(os.pathsep), *_GAMES]
    return [Path(folder) for folder in dict.fromkeys(named) if folder]


def completed(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return `given`, completed by the settings of the catalogue entry ``given["catalogue"]``.

    If ``cmd`` is not given, the program is searched for in the folder ``dir``; if ``dir`` is missing too, in the
    folders of ``search_path``.

    Raises: NotationError if the entry, its program or a file that the program needs is not found.
    """
    settings = dict(given)
    key = settings.pop("catalogue")
    if not isinstance(key, str) or key not in catalogue():
        raise NotationError(f"the catalogue has no engine {key!r}, only {', '.join(catalogue())}")
    known = catalogue()[key]
    if settings.get("book") == "none" and "book" not in known.settings:
        del settings["book"]  # an engine without a book setting needs no book=none
    if "cmd" not in settings:
        settings |= _started(known, settings)
    return {"name": known.title, **known.settings, **settings}


def _started(known: CatalogueEntry, settings: Mapping[str, Any]) -> dict[str, str]:
    asked = settings.get("dir")
    folders = [Path(str(asked)).expanduser()] if asked else search_path()
    program = known.find(folders)
    if program is None:
        where = f"in {asked!r}" if asked else "on PATH"
        raise NotationError(
            f"{known.title} was not found {where} ({' or '.join(known.programs)}): set dir= to its folder, or use cmd="
        )
    options = settings.get("options")
    values = {**settings, **(options if isinstance(options, Mapping) else {})}
    words = [known.cmd.replace(_PROGRAM, join_command([str(program)]))]
    words += [text for name, text in known.given.items() if name in values]
    words += [text for name, text in known.without.items() if name not in values]
    return {"cmd": " ".join(words), **_home(known, program)}


def _home(known: CatalogueEntry, program: Path) -> dict[str, str]:
    if not known.home:
        return {}
    for folder in _around(program):
        if (folder / known.home).exists():
            return {"dir": str(folder)}
    raise NotationError(f"{known.title} ({program}) needs {known.home} in its folder or the one above it")


def _around(program: Path) -> Iterator[Path]:
    for path in (program, program.resolve()):
        yield from (path.parent, path.parent.parent)
