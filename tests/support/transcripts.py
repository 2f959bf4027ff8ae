"""Executed transcripts of the command line: commands, their output, and the exit status if it is not 0.

A file of transcripts has subjects (``##``), which have sections (``#``). Each section is a test with its own folder,
which starts with the files that the commands above the first section of its subject have made::

    ## convert

    # A game is written in another format.
    $ cat > game.txt <<'END'
    f5d6c3
    END
    $ outflank convert game.txt --to sgf
    (;FF[4]...
    ! 1 game read, 1 written, 0 bad, <number> s
    $ outflank convert game.txt
    ! Error: no format given: use --to FORMAT, or -o FILE ending in .sgf, .ggf, .txt, .obf or .wtb
    [exit 2]

Lines with ``!`` are standard error, and follow standard output. The usage text above a usage error is left out. ``...``
matches any text within a line; a line with only ``...`` matches any lines. `PLACEHOLDERS` match values that vary.
``OUTFLANK_ACCEPT=1 pytest -k SECTION FILE`` writes the present output into the transcript, and keeps the lines with
placeholders and ``...`` that still match.

A command runs in this process, so that many run in a second. Simple redirections, a here-document, ``$PWD``, and
pipes between simple commands are supported; the commands of a pipe run one after the other, and the last status that
is not 0 is the status of the pipe. Commands that need other features of a shell, or a separate process
(``(outflank ...)``), are run by bash.
"""

import contextlib
import difflib
import functools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby, takewhile
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from outflank import __version__
from outflank.engine.evaluation.weights import checksum
from outflank.tests.support.installation import ROOT
from outflank.tools.cli.program import cli

PLACEHOLDERS = {
    "<number>": r"[+-]?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?(?: ?[kMG](?=[ n]))?",
    "<score>": r"[+-]?\d+(?:\.\d+)?",
    "<move>": r"(?:[a-h][1-8](?:/[nesw]+)?|pass)",
    "<moves>": r"(?:(?:[a-h][1-8](?:/[nesw]+)?|pass) ?)+",
    "<blanks>": " +",
    "<date>": r"\d{4}(?:-\d\d-\d\d)?",
    "<checksum>": "(?:<checksum>|[0-9a-f]{8})",
    "<folder>": "<folder>",  # the folder of the section
    "<checkout>": "<checkout>",
    "<version>": "<version>",
}
# The patterns that OUTFLANK_ACCEPT replaces with placeholders in new lines.
_ALWAYS_VARY = {
    r'("\w*seconds": |"\w+_per_second": )[\d.e+-]+': r"\1<number>",
    r'("nodes": )\d+': r"\1<number>",
    r"\b[\d,]+(?= nodes\b)": "<number>",
    r"\bDT\[\d{4}-\d\d-\d\d\]": "DT[<date>]",
    r"\b[\d,.]+(?= a second\b)": "<number>",
    r"\b\d[\d,]*\.\d+(?= s\b)": "<number>",
    r"\b[\d,.]+(?: [kMG])?(?= ?(?:nodes|games|leaves)/s)": "<number>",
}
_WRITING = re.compile(r"cat > (\S+) <<'(\w+)'\n(.*?)^\2\n?\Z", re.DOTALL | re.MULTILINE)
_HERE = re.compile(r" <<'?(\w+)'?(?=[ \n])")
_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
_USAGE = re.compile(rb"\AUsage: .*?\n(?=Error: )", re.DOTALL)
_NEEDS_BASH = re.compile(r"[;&()$`*?{}~\\]|>>")


class Step(NamedTuple):
    """The lines of a command, with its here-document, and the lines of output in the transcript."""

    typed: list[str]
    shown: list[str]

    @property
    def command(self) -> str:
        """The command with its continuation lines joined."""
        return "\n".join(self.typed).removeprefix("$ ").replace("\\\n", " ")


class Printed(NamedTuple):
    """The output of a command. `both` has stdout and stderr, interleaved if the command ran in this process."""

    out: bytes = b""
    error: bytes = b""
    both: bytes = b""
    code: int = 0


class Section(NamedTuple):
    """A section of a file of transcripts. `preparation` has the commands above the first section of its subject."""

    path: Path
    subject: str
    preparation: str
    heading: str
    text: str

    def __str__(self) -> str:
        return "-".join(
            re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") for name in (self.subject, self.heading)
        )


def sections(path: Path) -> Iterator[Section]:
    """Yield the sections of a file. A heading is at the start, after a blank line, or after another heading."""
    _, *subjects = re.split(r"(?:\A|(?<=\n\n))## (.*)\n", path.read_text())
    for subject, text in zip(subjects[::2], subjects[1::2], strict=True):
        preparation, *parts = re.split(r"(?:\A\n?|(?<=\n\n))# (.*)\n", text)
        for heading, shown in zip(parts[::2], parts[1::2], strict=True):
            yield Section(path, subject, preparation, heading, shown)


def steps(text: str) -> Iterator[Step]:
    lines = text.split("\n")
    while lines:
        typed = [lines.pop(0)]
        if not typed[0].startswith("$ "):
            continue
        while typed[-1].endswith("\\"):
            typed.append(lines.pop(0))
        if here := _HERE.search(f"{typed[-1]}\n"):
            count = lines.index(here[1]) + 1
            typed, lines = typed + lines[:count], lines[count:]
        shown = list(takewhile(lambda line: not line.startswith("$ "), lines))
        lines = lines[len(shown) :]
        yield Step(typed, _without_blank_end(shown))


def check(section: Section, folder: Path) -> None:
    """Run a section in a folder. If the output differs, fail with a diff, or accept the output."""
    shutil.copytree(_prepared(section.preparation).name, folder, symlinks=True, dirs_exist_ok=True)
    shown, found = list[str](), list[str]()
    for step in steps(section.text):
        printed = lines_of(execute(step.command, folder), folder)
        shown += [*step.typed, *step.shown]
        found += [*step.typed, *fitted(step.shown, printed)]
    if shown == found:
        return
    if os.environ.get("OUTFLANK_ACCEPT"):
        for pattern, placeholder in _ALWAYS_VARY.items():
            found = [line if line in shown else re.sub(pattern, placeholder, line) for line in found]
        text = section.path.read_text()
        heading = f"# {section.heading}\n"
        ending = section.text[len(section.text.rstrip("\n")) :]
        section.path.write_text(text.replace(heading + section.text, heading + "\n".join(found) + ending))
        return
    difference = difflib.unified_diff(shown, found, section.path.name, "printed", lineterm="")
    pytest.fail("\n".join(difference), pytrace=False)


@functools.cache
def _prepared(preparation: str) -> tempfile.TemporaryDirectory[str]:
    """Return the folder that the preparation of a subject makes; it is made once for all sections."""
    made = tempfile.TemporaryDirectory()
    for step in steps(preparation):
        printed = lines_of(execute(step.command, Path(made.name)), Path(made.name))
        assert printed == [], f"{step.command}\n{printed}"
    return made


def fitted(shown: Sequence[str], printed: Sequence[str]) -> list[str]:
    """Return the printed lines, but replace each that a line of the transcript matches by this line.

    The result equals `shown` if the whole output matches.
    """
    patterns = [None if line == "..." else _pattern(line) for line in shown]
    # costs[i][j]: the number of lines to delete or insert to get from shown[i:] to printed[j:].
    rows, columns = len(shown) + 1, len(printed) + 1
    costs = [[0] * columns for _ in range(rows)]
    ways = [[""] * columns for _ in range(rows)]
    for i in reversed(range(rows)):
        for j in reversed(range(columns)):
            choices = []
            if i < len(shown):
                pattern = patterns[i]
                choices.append(
                    (costs[i + 1][j] + (pattern is not None), "keep" if pattern is None else "delete")
                )
                if j < len(printed) and pattern is not None and pattern.fullmatch(printed[j]):
                    choices.append((costs[i + 1][j + 1], "match"))
                if j < len(printed) and pattern is None:
                    choices.append((costs[i][j + 1], "skip"))
            if j < len(printed):
                choices.append((costs[i][j + 1] + 1, "insert"))
            costs[i][j], ways[i][j] = min(choices, default=(0, ""))
    result, i, j = list[str](), 0, 0
    while way := ways[i][j]:
        if way in ("keep", "match"):
            result.append(shown[i])
        elif way == "insert":
            result.append(printed[j])
        i += way in ("keep", "match", "delete")
        j += way in ("match", "skip", "insert")
    return result


def lines_of(printed: Printed, folder: Path) -> list[str]:
    error = _USAGE.sub(b"", printed.error) if printed.code == 2 else printed.error
    found = [*text_lines(printed.out), *(f"! {line}".rstrip() for line in text_lines(error))]
    names = {
        str(folder): "<folder>",
        str(ROOT): "<checkout>",
        __version__: "<version>",
        checksum(): "<checksum>",
    }
    for text, name in names.items():
        found = [line.replace(text, name) for line in found]
    return [*found, f"[exit {printed.code}]"] if printed.code else found


def run(*words: object, code: int = 0, typed: str | bytes = b"") -> Result:
    """Run the program with these arguments in this process, and assert that its exit code is `code`."""
    result = _call(list(map(str, words)), typed.encode() if isinstance(typed, str) else typed)
    assert result.exit_code == code, result.output
    return result


def _call(words: Sequence[str], typed: bytes, **variables: str) -> Result:
    """Run the program in this process. Uncaught exceptions of the program are raised."""
    with tempfile.TemporaryFile() as file:  # a real file, since some commands need its descriptor
        file.write(typed)
        file.seek(0)
        runner = CliRunner(env=variables)
        return runner.invoke(cli, words, input=file, prog_name="outflank", catch_exceptions=False)


def execute(command: str, folder: Path) -> Printed:
    if written := _WRITING.fullmatch(command):
        (folder / written[1]).write_text(written[3])
        return Printed()
    command = command.replace("$PWD", shlex.quote(str(folder)))
    first, _, body = command.partition("\n")
    if _NEEDS_BASH.search(_QUOTED.sub("", first).replace("2>&1", "")):
        return _start(["bash", "-c", command], folder)
    text, error, code = None, b"", 0
    if here := _HERE.search(command):
        first = _HERE.sub("", f"{first}\n").rstrip("\n")
        text = body.removesuffix(here[1]).encode()
    printed = Printed()
    for is_pipe, words in groupby(shlex.split(first), "|".__eq__):
        if not is_pipe:
            printed = _redirected(list(words), text, folder)
            text, error, code = printed.out, error + printed.error, printed.code or code
    return Printed(printed.out, error, printed.both, code)


def _redirected(words: list[str], text: bytes | None, folder: Path) -> Printed:
    """Run a simple command with variables before it, and with ``< FILE``, ``> FILE``, ``2> FILE`` or ``2>&1``."""
    variables, plain, files, merged = dict[str, str](), list[str](), dict[str, str](), False
    waiting = iter(words)
    for word in waiting:
        if not plain and (variable := re.fullmatch(r"([A-Z_]+)=(.*)", word)):
            variables[variable[1]] = variable[2]
        elif word == "2>&1":
            merged = True
        elif redirection := re.fullmatch(r"(<|2?>)([\w./-]*)", word):
            files[redirection[1]] = redirection[2] or next(waiting)
        else:
            plain.append(word)
    if "<" in files:
        text = (folder / files["<"]).read_bytes()
    if plain[0] == "outflank":
        with contextlib.chdir(folder):
            called = _call(plain[1:], text or b"", **{"COLUMNS": "80", "PATH": _path(), **variables})
        printed = Printed(called.stdout_bytes, called.stderr_bytes, called.output_bytes, called.exit_code)
    else:
        printed = _start(plain, folder, text, variables)
    out, error = printed.out, printed.error
    if merged:
        out, error = printed.both, b""
    if ">" in files:
        (folder / files[">"]).write_bytes(out)
        out = b""
    if "2>" in files:
        (folder / files["2>"]).write_bytes(error)
        error = b""
    return Printed(out, error, printed.both, printed.code)


def _start(
    words: Sequence[str], folder: Path, text: bytes | None = None, variables: dict[str, str] | None = None
) -> Printed:
    """Run a program in a new process, with our programs first on the path."""
    ran = subprocess.run(
        words, cwd=folder, input=text or b"", capture_output=True, timeout=100,
        env={**os.environ, "PATH": _path(), "LC_ALL": "C.UTF-8", "COLUMNS": "80", **(variables or {})},
    )  # fmt: skip
    code = ran.returncode if ran.returncode >= 0 else 128 - ran.returncode
    return Printed(ran.stdout, ran.stderr, ran.stdout + ran.stderr, code)


def _path() -> str:
    """Return the path with our programs first: `outflank`, and the `python` that runs fake engines."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def text_lines(data: bytes) -> list[str]:
    """Return the lines of an output without blank lines at the end; unprintable characters are escaped."""
    lines = data.decode(errors="backslashreplace").split("\n")
    return _without_blank_end(
        [
            "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line).rstrip()
            for line in lines
        ]
    )


def _pattern(line: str) -> re.Pattern[str]:
    """Return the pattern of the lines that a line of a transcript matches."""
    parts = re.split(rf"(\.\.\.|{'|'.join(PLACEHOLDERS)})", line)
    return re.compile(
        "".join(".*" if part == "..." else PLACEHOLDERS.get(part, re.escape(part)) for part in parts)
    )


def _without_blank_end(lines: list[str]) -> list[str]:
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines
