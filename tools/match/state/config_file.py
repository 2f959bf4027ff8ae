"""A run in a TOML file: the options of the command by their long names, and a table for each engine.

games = 200
openings = "random:8"

[[engine]]
name = "level 4"
cmd = "outflank gtp"
level = 4
"""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from outflank.engine import FileFormatError, NotationError
from outflank.protocol.clock import NO_LIMIT, TimeControl
from outflank.protocol.drivers.command import join_command
from outflank.protocol.drivers.spec import EngineSpec, read_engines
from outflank.protocol.drivers.spec_values import as_text
from outflank.storage.files import writing
from outflank.storage.toml import read_toml
from outflank.tools.match.state.run import Format, RunSettings, option_name, plain_settings

_ENGINE = "engine"
_SINGULAR = {"options": "option"}  # NAME in the table ``options`` becomes the key ``option.NAME``


def read_config(path: Path) -> dict[str, Any]:
    """Return the contents of a file as values of options: texts, truth values, and a list of texts for ``engine``.

    Raises: FileFormatError that names the file, and the engine if an engine's table is wrong.
    """
    found: dict[str, Any] = {}
    for key, value in read_toml(path, from_pipe=True).items():
        if key == _ENGINE:
            found[key] = [_line(table) for table in _engines(value, path)]
        elif isinstance(value, Mapping):
            found[key] = _line(value)
        elif isinstance(value, str | int | float):
            found[key] = value if isinstance(value, bool | str) else str(value)
        else:
            raise FileFormatError(f"{path}: expected text, a number, true or false for {key}, got {value!r}")
    return found


def chosen_engines(
    texts: Sequence[str],
    engines: Path | None,
    time: TimeControl = NO_LIMIT,
    each: Mapping[str, object] | None = None,
) -> tuple[EngineSpec, ...]:
    """Return the engines that take part.

    Args:
        texts: the engines, each as a description or as the name of an engine in the file.
        engines: a file with a table for each engine; if `texts` is empty, all engines of the file take part. None if
            `texts` has only descriptions.
        time: the time control of engines that have none of their own.
        each: see ``EngineSpec.from_settings``.

    Raises: NotationError if `texts` are not valid; FileFormatError if the file is not valid.
    """
    if engines is None:
        return read_engines(texts, time, each)
    found = read_toml(engines, from_pipe=True)
    tables = _engines(found.pop(_ENGINE, None), engines)
    if found:
        raise FileFormatError(
            f"{engines}: {', '.join(found)}: --engines reads only [[engine]] tables; --config also reads options"
        )
    names = [spec.name for spec in read_engines(tables)]
    listed = {name: {**table, "name": name} for name, table in zip(names, tables, strict=True)}
    for text in texts:
        if text not in listed and _is_word(text):
            raise NotationError(f"{engines} has no engine {text!r}, only {', '.join(listed)}")
    return read_engines([listed.get(text, text) for text in texts or listed], time, each)


def _is_word(text: str) -> bool:
    """Return whether a text is probably a mistyped engine name: one word, but no command, path or ``key=value``."""
    return not re.search(r"[=\s/\\]", text) and shutil.which(text) is None


def save_config(settings: RunSettings, path: Path) -> None:
    """Write the settings to a new file for ``read_config``. Raises: UnwritableError, also if the file exists."""
    import tomli_w  # imported here, since help texts do not need it

    options = {
        option_name(name): value for name, value in plain_settings(settings).items() if value is not None
    }
    options[_ENGINE] = options.pop("engines")
    if settings.format is Format.MATCH:
        del options["pairing"], options["rounds"]
    with writing(path), path.open("x", encoding="utf-8") as file:
        file.write(tomli_w.dumps(options))


def _engines(tables: object, path: Path) -> list[Mapping[str, Any]]:
    if not isinstance(tables, list) or not tables or not all(isinstance(table, Mapping) for table in tables):
        raise FileFormatError(f"{path}: each engine needs an [[engine]] table")
    at = ""
    try:
        for number, table in enumerate(tables, 1):
            at = f", engine {number}"
            EngineSpec.from_settings(table)
        at = ""
        read_engines(tables)
    except NotationError as error:
        raise FileFormatError(f"{path}{at}: {error}") from None
    return tables


def _line(table: Mapping[str, Any]) -> str:
    """Return a table as the text of an option: ``key=value`` pairs with shell quoting."""
    words = []
    for key, value in table.items():
        if isinstance(value, Mapping):
            words += [(f"{_SINGULAR.get(key, key)}.{name}", item) for name, item in value.items()]
        elif key == "commands":
            words += [("command", item) for item in value]
        else:
            words.append((key, value))
    return join_command([f"{key}={as_text(value)}" for key, value in words])
