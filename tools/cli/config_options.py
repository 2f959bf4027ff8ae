"""``--config``, ``--save-config`` and ``--engines``: a run and its engines in TOML files."""

from pathlib import Path
from typing import Any

import click

from outflank.engine import FileFormatError
from outflank.tools.cli.config_file import read_config
from outflank.tools.cli.options import together
from outflank.tools.cli.outputs import OUTPUT_FILE

_FILE = click.Path(dir_okay=False, path_type=Path)


def _use(ctx: click.Context, option: click.Parameter, path: Path | None) -> None:
    """Let what the file says stand wherever the command line says nothing."""
    if path is not None:
        ctx.default_map = {**(ctx.default_map or {}), **_defaults(ctx.command, path)}


def _defaults(command: click.Command, path: Path) -> dict[str, Any]:
    """The values in the file by the names of the command's parameters."""
    options = {
        word.removeprefix("--"): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name not in ("config", "save_config", "help")
        for word in parameter.opts
        if word.startswith("--")
    }
    found: dict[str, Any] = {}
    for key, value in read_config(path).items():
        if key not in options:
            raise FileFormatError(f"{path}: expected keys out of {' '.join(sorted(options))}, got {key!r}")
        if options[key].is_flag != isinstance(value, bool):
            expected = "true or false" if options[key].is_flag else "a value"
            raise FileFormatError(f"{path}: expected {expected} for {key}, got {value!r}")
        found[str(options[key].name)] = value
    return found


config_options = together(
    click.option(
        "--config",
        type=_FILE,
        metavar="FILE",
        callback=_use,
        is_eager=True,
        expose_value=False,
        help="TOML file with options by their long names and a table [[engine]] for each engine; "
        "the command line comes first.",
    ),
    click.option(
        "--save-config",
        type=OUTPUT_FILE,
        metavar="FILE",
        help="Write what these options play, and how, to a new FILE for --config, and play nothing; where it is kept, "
        "shown and played (--out, --no-records, --json, --cluster) is left out.",
    ),
    click.option(
        "--engines",
        "engines_file",
        type=_FILE,
        metavar="FILE",
        help="TOML file with a table [[engine]] for each; --engine NAME chooses from it.  [default: all]",
    ),
)
"""``--config``, and the parameters ``save_config`` and ``engines_file``, paths or None."""
