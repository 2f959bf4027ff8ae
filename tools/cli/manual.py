"""Man pages and shell completions, generated from the commands.

``python -m outflank.tools.cli.manual share`` writes the files to folders in ``share``.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from outflank import __version__
from outflank.tools.cli.command import option_groups
from outflank.tools.cli.program import COMMANDS, SECTIONS, cli

_PROGRAM = "outflank"
_FOLDER = "man/man1"
# The path, relative to share/, at which each shell expects a program's completion file.
_COMPLETIONS = {
    "bash": "bash-completion/completions/outflank",
    "zsh": "zsh/site-functions/_outflank",
    "fish": "fish/vendor_completions.d/outflank.fish",
}
# The sections after the commands. An indented line is an example; a tab separates a term from its meaning.
_SECTIONS = {
    "EXIT STATUS": """\
0\tSuccess.
1\tFailure: for example, a file can't be read, an engine can't be started, or a check fails.
2\tWrong usage: an option or an argument that the command does not accept.
128 + n\tEnded by signal n: 130 after Ctrl-C.""",
    "ENVIRONMENT": """\
OUTFLANK_BUILD\tThe engine build to use, such as x86-64-v2; by default the best one that the CPU supports.
NO_COLOR\tIf set, boards and tables are shown without colours.""",
    "FILES": """\
runs/match-DATE-TIME, runs/tournament-DATE-TIME\tThe records of a run, unless --out names another folder:
run.db, from which the run can be resumed, and the report, tables and games made from it.
share/doc/outflank/docs\tThe pages that the help calls docs/..., in the installation folder;
outflank --help shows where they are.""",
    "EXAMPLES": """\
An engine for a GUI, with half a second per move:

    outflank gtp --time 0.5

The best moves of a position:

    outflank analyze f5d6c3 --level 12

A hundred games between two engines:

    outflank match ./new ./old --games 100 --tc 0.1

What the moves of a game cost:

    outflank review game.sgf -o review.html""",
    "SEE ALSO": """\
Each command has its own page, such as outflank-match(1).

The pages of docs/ describe protocols, formats, matches and the search.""",
}


def shell_files() -> dict[str, str]:
    """Return the man pages and the completion file of each shell, keyed by their paths relative to ``share``."""
    return {**manual_pages(), **{name: _completion(shell) for shell, name in _COMPLETIONS.items()}}


def manual_pages() -> dict[str, str]:
    """Return the man pages, keyed by path: one for the program, and one for each command with its subcommands."""
    root = click.Context(cli, info_name=_PROGRAM, **cli.context_settings)
    pages = {f"{_FOLDER}/{_PROGRAM}.1": _page(_PROGRAM, _program_page(root))}
    for context in _contexts(root, COMMANDS):
        title = f"{_PROGRAM}-{context.info_name}"
        pages[f"{_FOLDER}/{title}.1"] = _page(title, _command_page(title, context))
    return pages


def _page(title: str, lines: Iterable[str]) -> str:
    return "\n".join([f'.TH {title.upper()} 1 "" "outflank {__version__}" "User Commands"', *lines, ""])


def _program_page(root: click.Context) -> Iterator[str]:
    yield from (".SH NAME", "outflank \\- a Reversi/Othello engine for tournaments")
    yield from (".SH SYNOPSIS", *_usage(root), ".SH DESCRIPTION", *_paragraphs(cli.help or ""))
    yield from (".SH OPTIONS", *_options(root))
    for title, summaries in SECTIONS.items():
        yield f".SH {title.upper()}"
        for name, summary in summaries.items():
            yield from (".TP", f"\\fB{_PROGRAM}\\-{name}\\fR(1)", *_paragraphs(summary))
    for heading, text in _SECTIONS.items():
        yield from (f".SH {heading}", *_section(text))


def _command_page(title: str, context: click.Context) -> Iterator[str]:
    name = str(context.info_name)
    yield from (".SH NAME", f"{_plain(title)} \\- {_plain(COMMANDS[name])}")
    yield from (".SH SYNOPSIS", *_usage(context))
    yield from (".SH DESCRIPTION", *_paragraphs(context.command.help or ""))
    if options := _options(context):
        yield from (".SH OPTIONS", *options)
    if isinstance(context.command, click.Group):
        yield ".SH COMMANDS"
        for each in _contexts(context, context.command.list_commands(context)):
            yield from _entry(each)
    yield from (".SH SEE ALSO", f"\\fB{_PROGRAM}\\fR(1)")


def _contexts(group: click.Context, names: Iterable[str]) -> Iterator[click.Context]:
    """Yield a click context for each named command of a group."""
    assert isinstance(group.command, click.Group)
    for name in names:
        command = group.command.get_command(group, name)
        assert command is not None
        yield click.Context(command, info_name=name, parent=group)


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
    lines = []
    for title, records in option_groups(context).items():
        shown = [record for record in records if context.parent is None or "--help" not in record[0]]
        if shown and title != "Options":
            lines += [".PP", f"\\fI{_plain(title)}\\fR"]
        for names, text in shown:
            lines += [".TP", f"\\fB{_plain(names)}\\fR", *_paragraphs(text)]
    return lines


def _paragraphs(text: str) -> list[str]:
    """Return the text as roff paragraphs, without click's mark for paragraphs that keep their line breaks."""
    joined = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text.replace("\b", "").strip())]
    return _plain("\n.PP\n".join(filter(None, joined))).split("\n")


def _section(text: str) -> Iterator[str]:
    if "\t" in text:
        for entry in re.split(r"\n(?=[^\n]*\t)", text):
            term, _, meaning = entry.partition("\t")
            yield from (".TP", f"\\fB{_plain(term)}\\fR", *_paragraphs(meaning))
        return
    for paragraph in text.split("\n\n"):
        example = paragraph.startswith("    ")
        yield from (
            ".PP",
            *(
                [".nf", f".RS\n{_plain(paragraph.strip())}\n.RE", ".fi"]
                if example
                else _paragraphs(paragraph)
            ),
        )


def _plain(text: str) -> str:
    """Escape roff's special characters, except in ``.PP`` lines, which separate paragraphs."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").split("\n")
    return "\n".join(f"\\&{line}" if line[:1] in ".'" and line != ".PP" else line for line in lines)


def _completion(shell: str) -> str:
    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(cli, {}, _PROGRAM, f"_{_PROGRAM.upper()}_COMPLETE")
    return made.source_template % made.source_vars()


def main(folder: Path) -> None:
    """Write the man pages and completion files below `folder`. Raises: OSError."""
    for name, text in shell_files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
