"""The documentation is true: its examples run, its options exist, it names what is there, copies are up to date."""

import ast
import doctest
import json
import lzma
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import click
import pytest

import outflank
from outflank.engine import Colour
from outflank.measure.reference import PARTS, parts_of, with_parts
from outflank.protocol.formats import read_games
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.samples import samples
from outflank.protocol.server.gtp import commands as gtp_commands
from outflank.protocol.server.nboard import commands as nboard_commands
from outflank.tests.support.installation import HURRY, ROOT, clone, doors
from outflank.tests.support.transcripts import execute, fitted, steps, text_lines
from outflank.tests.test_layers import LAYERS, folder_of
from outflank.tools.cli.program import cli

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
MADE = [page for page in PAGES if page.parent.name == "docs" and parts_of(page.read_text())]
COMMANDS: dict[str, Mapping[str, object]] = {"gtp": gtp_commands.COMMANDS, "nboard": nboard_commands.COMMANDS}
README = (ROOT / "README.md").read_text()


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Those of a page one after the other, like one session in which our program is on the path."""
    monkeypatch.chdir(tmp_path)  # where an example may write
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    names: dict[str, object] = {}
    for code in blocks(page, "python"):
        if ">>>" in code:
            example = doctest.DocTestParser().get_doctest(code, names, page.name, None, 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            assert runner.run(example, clear_globs=False).failed == 0
            names = example.globs
        else:
            exec(compile(code, page.name, "exec"), names)


def test_the_first_example_of_the_api_page_passes_strict_type_checks(tmp_path: Path) -> None:
    """And a name that does not exist is an error. As those who install us, it sees no errors of other files."""
    (tmp_path / "example.py").write_text(
        f"{blocks(ROOT / 'docs' / 'api.md', 'python')[0]}\noutflank.nosuch\n"
    )
    words = f"--strict --follow-imports=silent --ignore-missing-imports --no-site-packages --cache-dir {os.devnull}"
    command = [sys.executable, "-m", "mypy", *words.split(), "example.py"]
    path = {**os.environ, "MYPYPATH": str(ROOT / "build" / "cimport")}

    checked = subprocess.run(command, cwd=tmp_path, env=path, capture_output=True, text=True)

    assert re.findall("error: (.*)", checked.stdout) == ['Module has no attribute "nosuch"  [attr-defined]']


def notebook_cells() -> tuple[list[str], list[str]]:
    """Return the code of the notebook's cells, those before the part with pandas and those of this part."""
    cells = json.loads((ROOT / "examples" / "games.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    (first,) = [number for number, cell in enumerate(code) if "import pandas" in cell]
    return code[:first], code[first:]


def run_cells(code: list[str]) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for number, cell in enumerate(code, 1):
        exec(compile(cell, f"cell {number}", "exec"), names)
    return names


def test_the_notebook_runs_and_uses_the_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    code, _ = notebook_cells()
    run_cells(code)
    names = run_cells(code)  # in the same folder, as after a restart of the notebook

    assert [row.games for row in names["table"].moves] in ([2], [1, 1])
    assert len(names["review"].judgements) == len(names["games"][0].moves) + 1
    assert names["curve"] == (tmp_path / "curve.svg").read_text()
    assert code[-1].splitlines()[-1] == "SVG(picture)"
    assert names["picture"] != names["position"].svg()
    assert {name for name in outflank._BEYOND_ENGINE if f"outflank.{name}" in "".join(code)} >= {
        "Archive",
        "ReviewSettings",
        "build_archive",
        "curve_svg",
        "read_games",
        "review_game",
    }


def test_the_notebook_ends_with_a_table_and_a_plot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for package in ("pandas", "matplotlib"):
        pytest.importorskip(package, reason=f"{package} is not installed: only an example has it")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")  # as on a machine without a screen
    before, pandas = notebook_cells()
    names = run_cells([*before, *pandas])

    assert list(names["lines"]["move"]) == [line.move for line in names["found"].lines]
    assert (names["lines"]["score"].dtype, names["moves"]["lost"].dtype) == (float, float)
    (curve,) = names["axes"].lines
    assert list(curve.get_ydata()) == [each.black_score for each in names["review"].judgements[:-1]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_console_examples_print_what_they_show(page: Path) -> None:
    """Commands without output are not run: they take their time, or write files."""
    for dialogue in blocks(page, "console"):
        for step in filter(lambda step: step.shown, steps(dialogue)):
            assert fitted(step.shown, text_lines(execute(step.command, ROOT).both)) == step.shown


WRITTEN_BY_USERS = {
    "ARENA.toml",
    "engines.toml",
    "run.toml",
    "swiss.toml",
    "claims.csv",
    "book.egbk3",
    "names.txt",
}
"""Files of examples that their pages describe, or that come from other programs."""
MADE_BY_COMMANDS = re.compile(
    r"(?:-o|--out(?:put)?|--save(?:-config)?|--html|--svg|--sgf|--ggf|--needed|--proof|--log|--plot|>|"
    r"book (?:build|import \S+)|train all mini)\s+(\S+)"
)
FILE = re.compile(
    r"(?<![\w/.*-])[\w*./-]+\.(?:obf|wtb|sgf|ggf|txt|archive|proof|db|book|csv|jsonl|toml|dat|egbk3|bin)(?:\.xz)?\b"
)


def test_every_file_that_an_example_reads_is_made_by_another_one_or_comes_with_the_package() -> None:
    made = set(WRITTEN_BY_USERS)
    read = []
    for page in PAGES:
        text = page.read_text().replace("\\\n", " ")
        for line in re.findall(r"^(?:    |\$ )((?:.*\| )?outflank .*)", text, re.MULTILINE):
            command = re.sub(r"option\.\S+|\s# .*", "", line)
            written = set(MADE_BY_COMMANDS.findall(command))
            made |= written
            read += [(page.name, name, line) for name in FILE.findall(command) if name not in written]

    assert len(read) > 10
    missing = [
        each
        for each in read
        if not ({each[1], Path(each[1]).parts[0]} & {*made, "mini"} or (ROOT / each[1]).exists())
    ]
    assert missing == []


def test_the_page_of_formats_lists_every_sample() -> None:
    page = (ROOT / "docs" / "formats.md").read_text()
    (section,) = re.findall(r"^## Samples\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)

    assert set(re.findall(r"`([a-z]+(?:-[0-9]+)?)`", section)) == set(samples())


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_the_examples_about_games_run_in_a_plain_installation(tmp_path: Path) -> None:
    """The user's defaults make reviews search less, which takes seconds instead of minutes."""
    (tmp_path / "outflank").mkdir()
    (tmp_path / "outflank" / "config.toml").write_text("[review]\nlevel = 4\nexact-from = 10\n")
    for name in ("formats", "review", "archive"):
        text = (ROOT / "docs" / f"{name}.md").read_text()
        for command in re.findall(r"^(?:    |\$ )((?:.*\| )?outflank (?!export)[^#\n]*)", text, re.MULTILINE):
            made = subprocess.run(
                command,
                shell=True,
                cwd=tmp_path,
                env={
                    **os.environ,
                    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                    "XDG_CONFIG_HOME": str(tmp_path),
                },
                capture_output=True,
                text=True,
            )
            assert (command, made.returncode, made.stderr if made.returncode else "") == (command, 0, "")


def test_commands_and_options_in_examples_exist() -> None:
    """Continuation lines are joined."""
    text = "".join(page.read_text() for page in PAGES).replace("\\\n", " ")
    for line in re.findall(r"^(?:    |\$ )(?:\$ )?(outflank .*)", text, re.MULTILINE):
        words = shlex.split(line, comments=True)[1:]
        command: click.Command | None = cli
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            command = command.get_command(click.Context(command), words.pop(0))
        assert command is not None, f"no such command: {line}"
        known = {
            option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)
        }

        assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known | {"--help"}, line


def options() -> Iterator[tuple[str, list[str]]]:
    """Yield each option of the program, as its command and its names."""

    def below(group: click.Group, words: str) -> Iterator[tuple[str, list[str]]]:
        for name in group.list_commands(click.Context(group)):
            command = group.get_command(click.Context(group), name)
            assert command is not None
            for each in command.params:
                if isinstance(each, click.Option) and not each.hidden:
                    yield f"{words}{name}", [*each.opts, *each.secondary_opts]
            if isinstance(command, click.Group):
                yield from below(command, f"{words}{name} ")

    assert isinstance(cli, click.Group)
    return below(cli, "")


def test_every_option_stands_on_a_page_about_its_command() -> None:
    """One that three or more commands share may stand on any page; a file of options has it without the dashes."""
    named = {
        page: {
            *re.findall(r"(?<![\w-])-{1,2}[\w-]+", page),
            *(f"--{key}" for key in re.findall(r"(?:^|`)([\w-]+) = ", page, re.MULTILINE)),
        }
        for page in (path.read_text() for path in PAGES if path.name != "CHANGELOG.md")
    }
    commands: dict[str, set[str]] = {}
    for command, names in options():
        for name in names:
            commands.setdefault(name, set()).add(command.split()[0])
    missing = [
        f"{command} {names[0]}"
        for command, names in options()
        if not any(
            name in words and (len(commands[name]) > 2 or f"outflank {command.split()[0]}" in page)
            for page, words in named.items()
            for name in names
        )
    ]

    assert missing == []


def readme_lines() -> list[str]:
    """Return README's commands for a shell in their order, without comments, continuation lines joined."""
    text = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL).replace("\\\n", " ")
    return [line.partition("  # ")[0].strip() for line in re.findall(r"^ {4}(\S.*)$", text, re.MULTILINE)]


@pytest.mark.parametrize(
    ("needed", "by"),
    [
        (r"apt-get install .*\bgit\b", "git clone"),
        (r"apt-get install .*\bmake gcc python3-dev python3-venv\b", "make"),
        (r"git clone .* outflank && cd outflank$", "make"),
        (r"make match$", r"\. \.venv/bin/activate$"),
        (r"\. \.venv/bin/activate$", "outflank "),
    ],
)
def test_a_line_of_the_readme_follows_the_one_it_needs(needed: str, by: str) -> None:
    first, second = (
        min(number for number, line in enumerate(readme_lines()) if re.match(each, line))
        for each in (needed, by)
    )

    assert first < second


def test_the_readme_is_short_and_reads_no_file() -> None:
    """So that each of its lines works as typed."""
    words = re.findall(r"(-o|--\w+)? ([\w/]+\.[a-z]{3,4})\b", "\n".join(readme_lines()))

    assert {option for option, _ in words} <= {"-o"}
    assert len(README.splitlines()) <= 150


@pytest.mark.parametrize("page", ["README.md", "docs/install.md"])
def test_the_doors_are_in_the_order_of_who_asks(page: str) -> None:
    asking = [
        next(word for word in ("player", "author", "programmer") if word in door.who) for door in doors(page)
    ]

    assert list(dict.fromkeys(asking)) == ["player", "author", "programmer"]
    assert asking == sorted(asking, key=["player", "author", "programmer"].index)


def test_the_readme_and_the_page_of_the_installation_name_the_same_doors() -> None:
    """Those for Windows are tried in test_wine.py, those with Python in test_installing.py."""
    short, long = (
        sorted(command for door in doors(page) for command in door.commands)
        for page in ("README.md", "docs/install.md")
    )

    assert short == long


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_lines_of_the_readme_can_be_typed_in_order(tmp_path: Path) -> None:
    """By one shell that starts in the home folder with the packages installed; Ctrl-C ends what takes long."""
    clone(tmp_path)
    own = str(Path(sys.executable).parent)
    variables = {
        name: value for name, value in os.environ.items() if not re.match("ARGS|MAKE|PYTHON|VIRTUAL", name)
    }
    variables |= {
        "HOME": str(tmp_path),
        "PATH": os.pathsep.join(each for each in os.environ["PATH"].split(os.pathsep) if each != own),
        "BROWSER": "true",
        "PYTEST_ADDOPTS": "--collect-only -qqq",  # or `make test` would run this test
        **HURRY,
    }
    script = "set -ex"
    for line in readme_lines():
        if line.startswith("outflank "):
            line = f"timeout --preserve-status --signal=INT 20 {line} || test $? = 130"
        if not line.startswith("apt-get "):
            script += "\n" + line.removeprefix("git clone <this repository> outflank && ")

    typed = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )

    assert typed.returncode == 0, typed.stdout
    assert (tmp_path / "outflank" / "review.html").is_file()


def test_the_map_names_every_room() -> None:
    """The root folders, and the packages right below those of the program."""
    roots = {ROOT / name for name in (*LAYERS[1:], "package", "tests", "measure", "docs", "examples")}
    rooms = {init.parent for root in roots - {ROOT / "tests"} for init in root.glob("*/__init__.py")}

    assert mapped() == roots | rooms


def test_every_path_to_an_answer_leads_to_it() -> None:
    """The rows of "Where is ...?": folder, file, and names that stand in it."""
    design = (ROOT / "docs" / "design.md").read_text()
    rows = re.findall(r"^\| [^|]*\? \| `(.*)` \| `(.*)` \| (.*) \|$", design, re.MULTILINE)
    missing = [
        f"{folder}{file}: {name}"
        for folder, file, names in rows
        for name in re.findall(r"`(?:\w+\.)?(\w+)`", names)
        if not re.search(rf"\b{name}\b", (ROOT / folder / file).read_text())
    ]

    assert len(rows) >= 10
    assert missing == []


def test_every_folder_says_what_lies_in_it() -> None:
    folders = [
        init
        for layer in LAYERS
        for init in folder_of(layer).rglob("__init__.py")
        if "builds" not in init.parts
    ]

    assert len(folders) > 20
    assert [str(init) for init in folders if not ast.get_docstring(ast.parse(init.read_text()))] == []


def test_the_api_page_names_every_public_name() -> None:
    named = set(re.findall(r"\b\w+\b", (ROOT / "docs" / "api.md").read_text()))

    assert set(outflank.__all__) <= named


@pytest.mark.parametrize("page", MADE, ids=lambda page: page.name)
def test_a_page_has_what_the_program_says_of_itself(page: Path) -> None:
    assert page.read_text() == with_parts(page.read_text()), "python -m outflank.measure.reference"


def test_every_part_stands_in_the_pages_once() -> None:
    assert Counter(part for page in MADE for part in parts_of(page.read_text())) == Counter(list(PARTS))


@pytest.mark.parametrize("protocol", COMMANDS)
def test_every_command_is_documented_once_with_its_arguments_answer_and_failures(protocol: str) -> None:
    """An item that a docstring misspells would stay in the description, and the usual one take its place."""
    page = (ROOT / "docs" / f"{protocol}.md").read_text()
    entries = re.findall(r"^### (`.*?)\n(.*?)^(?=#|<)", page, re.MULTILINE | re.DOTALL)

    for heading, entry in entries:
        items = re.findall(r"^(?:- )?([A-Z]\w+): \S", entry, re.MULTILINE)
        assert items == ["Arguments", "Answer", "Fails"], heading
    assert sorted(re.findall(r"`([^`]+)`", " ".join(heading for heading, _ in entries))) == sorted(
        COMMANDS[protocol]
    )


def test_the_rated_games_give_the_points_of_their_table() -> None:
    page = (ROOT / "docs" / "ratings.md").read_text()
    (section,) = re.findall(r"^## 0.1 s a move\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    table = re.findall(r"^\| (.+?) \| [^|]+ \| ([\d.]+) of (\d+) \|", section, re.MULTILINE)
    points, games = Counter[str](), Counter[str]()
    for game in read_games(BytesIO(lzma.decompress((ROOT / "docs" / "ratings-0.1.ggf.xz").read_bytes()))):
        assert isinstance(game, AnnotatedGame)
        assert game.result is not None
        for name, side in ((game.black, Colour.BLACK), (game.white, Colour.WHITE)):
            games[name] += 1
            points[name] += {side: 2, None: 1}.get(game.result.winner, 0)  # in half points

    assert len(table) == 19
    assert {name: (points[name] / 2, games[name]) for name in games} == {
        name: (float(scored), int(number)) for name, scored, number in table
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not (page.parent / link).exists()] == []


def test_the_links_of_the_pages_in_a_wheel_lead_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    pages = runpy.run_path("setup.py")["pages"]()
    installed = {Path(folder, Path(file).name): Path(file) for folder, files in pages for file in files}
    linked = [
        (file, Path(os.path.normpath(path.parent / link)))
        for path, file in installed.items()
        if path.suffix == ".md"
        for link in links(file)
    ]

    assert len(linked) > 100
    assert [(file, target) for file, target in linked if target not in installed] == []


def links(page: Path) -> list[str]:
    """Return the links of a page that lead to other files."""
    return re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())


def mapped() -> set[Path]:
    """Return the folders that README's map names; what is indented lies in the folder above it."""
    (lines,) = re.findall(r"^```\n(package/.*?)^```$", README, re.MULTILINE | re.DOTALL)
    named, above = set(), ROOT
    for line in lines.splitlines():
        names = re.split(r" {3,}", line.strip())[0].split()
        if not line.startswith(" "):
            above = ROOT
        named |= {above / name for name in names}
        if not line.startswith(" "):
            above = ROOT / names[0]
    return named
