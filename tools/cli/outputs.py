"""Options that name a file to write."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from outflank.tools.cli.options import Decorated
from outflank.tools.work.files import STDOUT, expect_writable


class OutputFile(click.Path):
    """A file to write: what can't be written is refused before any work.

    Args:
        whole: whether it is written by ``whole_file``; else it is opened at once anyway, to append to it.
        stdout: whether ``-`` is standard output, and the command gets ``STDOUT`` for it; it is wrong usage otherwise.
    """

    def __init__(self, *, whole: bool = True, stdout: bool = False) -> None:
        super().__init__(path_type=Path, dir_okay=False)
        self._whole, self._stdout = whole, stdout

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Read it.

        Raises: click.BadParameter; UnwritableError; SettingsError if it is a part of a run or a book.
        """
        if os.fspath(value) == str(STDOUT):
            if self._stdout:
                return STDOUT
            self.fail("it needs the name of a file, not '-' for standard output", param, ctx)
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if self._whole:
            expect_writable(path)
        return path


OUTPUT_FILE = OutputFile()
LOG_FILE = OutputFile(whole=False)


def output_option(what: str, otherwise: str = "", **attributes: Any) -> Callable[[Decorated], Decorated]:
    """``--output FILE``, ``-o FILE``: hands the command a path for ``open_output``.

    Args:
        what: help that says what is written.
        otherwise: where it is written without the option, for the help; nothing if it is required.
        attributes: of the option.
    """
    told = f"  [default: {otherwise}]" if otherwise else ""
    return click.option(
        "--output",
        "-o",
        type=OutputFile(stdout=True),
        metavar="FILE",
        help=f"{what}; - is standard output.{told}",
        **attributes,
    )


def shown_output(path: Path) -> str:
    """What to call an output in a sentence."""
    return "standard output" if path is STDOUT else str(path)
