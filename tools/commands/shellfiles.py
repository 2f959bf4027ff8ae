"""The manual for ``man`` and the completions of shells, made from the commands.

``python -m outflank.tools.commands.shellfiles share`` writes them below ``share``.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from outflank import __version__
from outflank.tools.commands.program import cli

_PROGRAM = "outflank"
_MANUAL = "man/man1/outflank.1"
# Where each shell looks for the file that completes a program of that name, below share/.
_COMPLETIONS = {
    "bash": "bash-completion/completions/outflank",
    "zsh": "zsh/site-functions/_outflank",
    "fish": "fish/vendor_completions.d/outflank.fish",
}


def shell_files() -> dict[str, str]:
    """The manual and the completion of each shell, by their names below ``share``."""
    return {_MANUAL: manual(), **{name: _completion(shell) for shell, name in _COMPLETIONS.items()}}


def manual() -> str:
    """The manual as a page for ``man``: every command with its usage, its help and its options."""
    root = click.Context(cli, info_name=_PROGRAM)
    lines = [
        f'.TH OUTFLANK 1 "" "outflank {__version__}" "User Commands"',
        ".SH NAME",
        "outflank \\- a Reversi/Othello engine for tournaments",
        ".SH SYNOPSIS",
        *_usage(root),
        ".SH DESCRIPTION",
        *_paragraphs(cli.help or ""),
        ".SH OPTIONS",
        *_options(root),
        ".SH COMMANDS",
        *(line for context in _commands(root) for line in _entry(context)),
        ".SH SEE ALSO",
        *_paragraphs(
            "The pages of docs/ in the sources describe protocols, formats, matches and the search."
        ),
    ]
    return "\n".join([*lines, ""])


def _commands(group: click.Context) -> Iterator[click.Context]:
    """The context of each command of a group, those of groups below it after the group itself."""
    assert isinstance(group.command, click.Group)
    for name in group.command.list_commands(group):
        command = group.command.get_command(group, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=group)
        yield context
        if isinstance(command, click.Group):
            yield from _commands(context)


def _entry(context: click.Context) -> list[str]:
    words = context.command_path.removeprefix(f"{_PROGRAM} ")
    return [
        f".SS {_plain(words)}",
        *_usage(context),
        ".PP",
        *_paragraphs(context.command.help or ""),
        *_options(context),
    ]


def _usage(context: click.Context) -> list[str]:
    pieces = " ".join(context.command.collect_usage_pieces(context))
    return [f"\\fB{_plain(context.command_path)}\\fR {_plain(pieces)}"]


def _options(context: click.Context) -> list[str]:
    """A paragraph for each option; the one for help only at the top."""
    lines = []
    for parameter in context.command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or ("--help" in parameter.opts and context.parent is not None):
            continue
        names, text = record
        lines += [".TP", f"\\fB{_plain(names)}\\fR", *_paragraphs(text)]
    return lines


def _paragraphs(text: str) -> list[str]:
    """Text with its paragraphs; click's mark of those that keep their lines is dropped."""
    joined = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.replace("\b", "").strip())]
    return _plain("\n.PP\n".join(filter(None, joined))).split("\n")


def _plain(text: str) -> str:
    """Text without meaning to roff, but for the lines that begin a paragraph."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join(f"\\&{line}" if line[:1] in ".'" and line != ".PP" else line for line in lines)


def _completion(shell: str) -> str:
    """The script by which a shell asks the program itself what could come next."""
    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(cli, {}, _PROGRAM, f"_{_PROGRAM.upper()}_COMPLETE")
    return made.source_template % made.source_vars()


def main(folder: Path) -> None:
    """Write the files below `folder`.

    Raises: OSError.
    """
    for name, text in shell_files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
