"""tools -> protocol -> book -> engine -> storage, never back; no circle of rooms; tests mirror the code."""

import ast
import functools
import re
from collections.abc import Iterator
from importlib.util import resolve_name
from pathlib import Path

import networkx  # type: ignore[import-untyped]
import pytest

from outflank.tests.support.installation import ROOT, python_script

LAYERS = ("storage", "engine", "book", "protocol", "tools")
"""Lowest first: a file may use its own folder and those before it, and ``outflank.errors``."""
SUFFIXES = (".py", ".pyi", ".pyx", ".pxd")
HELPERS = "outflank.tests.support"

_TRIPLE_QUOTED = re.compile(r'("""|\'\'\').*?\1', re.DOTALL)
_FROM = re.compile(r"^\s*from\s+([\w.]+)\s+c?import\s+(\(.*?\)|[^\n]*)", re.DOTALL | re.MULTILINE)
_PLAIN = re.compile(r"^\s*c?import\s+([^\n]+)", re.MULTILINE)


def violations(root: Path) -> list[str]:
    """Return a sentence for each wrong import in the layers below `root`."""
    return [
        f"{path.relative_to(root)} line {line}: {wrong}"
        for layer in LAYERS
        for path in sources(folder_of(layer, root))
        for line, module in imports(path, package_of(path, root))
        if (wrong := complaint(layer, module))
    ]


def folder_of(layer: str, root: Path = ROOT) -> Path:
    """Return the folder of a layer; the lowest lies in the package itself, as the root has no room for its name."""
    return root / "package" / layer if layer == LAYERS[0] else root / layer


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES)


def rooms_used(root: Path, layer: str = "tools") -> dict[str, set[str]]:
    """Return the rooms of a layer, subfolders of `match` as rooms of their own, and the rooms that each imports."""
    used: dict[str, set[str]] = {}
    for path in sources(root / layer):
        own = room(".".join(["outflank", *path.relative_to(root).with_suffix("").parts]), layer)
        others = {room(module, layer) for _, module in imports(path, package_of(path, root))}
        used.setdefault(own, set()).update(others - {own, ""})
    return used


def room(module: str, layer: str) -> str:
    """``match/state`` for outflank.tools.match.state.run, ``runtime`` for outflank.tools.runtime.games, else empty."""
    parts = module.split(".")
    if parts[:2] != ["outflank", layer]:
        return ""
    return "/".join(parts[2:4] if parts[2:3] == ["match"] else parts[2:3])


def circles(used: dict[str, set[str]]) -> list[str]:
    """Return a sentence for each room that uses itself by way of others."""
    parts = networkx.strongly_connected_components(networkx.DiGraph(used))
    return [
        f"tools/{name} uses {', '.join(sorted(used[name]))}, and one of these uses tools/{name}"
        for name in sorted(name for part in parts if len(part) > 1 for name in part)
    ]


def rooms_told(page: str) -> dict[str, set[str]]:
    """Return the table of a page like docs/design.md: the rooms, and the rooms that each uses."""
    cells = dict(re.findall(r"^\| `(\w+)/` \| .* \| ([^|]+) \|$", page, re.MULTILINE))
    told = {}
    for name, cell in cells.items():
        named = set(re.findall(r"`(\w+)`", cell))
        told[name] = cells.keys() - {name} - named if cell.startswith("all but") else named
    return told


def package_of(path: Path, root: Path) -> str:
    return ".".join(["outflank", *path.relative_to(root).parent.parts]).replace(
        "outflank.package", "outflank"
    )


def complaint(layer: str, module: str) -> str | None:
    """Return a sentence about a wrong import of `module` by `layer`, or None."""
    top, _, rest = module.partition(".")
    if top in (*LAYERS, "package", "tests"):
        return f"imports {module}, expected outflank.{module}: a second copy would be loaded"
    allowed = LAYERS[: LAYERS.index(layer) + 1]
    used = rest.partition(".")[0]
    if top == "outflank" and used not in (*allowed, "errors", "__version__"):
        return f"{layer} imports {module}, expected only {', '.join(allowed)} to be used there"
    return None


@functools.cache
def imports(path: Path, package: str) -> tuple[tuple[int, str], ...]:
    """Line number and dotted name of everything a file in `package` imports or cimports."""
    text = path.read_text()
    read = _python_imports if path.suffix in (".py", ".pyi") else _cython_imports
    return tuple(read(text, package))


def _python_imports(text: str, package: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            yield from ((node.lineno, name) for name in _named(module, [name.name for name in node.names]))


def _cython_imports(text: str, package: str) -> Iterator[tuple[int, str]]:
    # Blanked, not removed, so that line numbers stay true.
    text = _TRIPLE_QUOTED.sub(lambda match: "\n" * match[0].count("\n"), text)
    text = re.sub(r"#[^\n]*", "", text)
    for match in _FROM.finditer(text):
        names = [name.split()[0] for name in match[2].strip("()").split(",") if name.strip()]
        line = text.count("\n", 0, match.start(1)) + 1
        yield from ((line, name) for name in _named(resolve_name(match[1], package), names))
    for match in _PLAIN.finditer(text):
        line = text.count("\n", 0, match.start(1)) + 1
        yield from ((line, name.split()[0]) for name in match[1].split(","))


def _named(module: str, names: list[str]) -> list[str]:
    """Return the modules of ``from module import names``: of ``outflank`` and of our helpers the names themselves."""
    return [f"{module}.{name}" for name in names] if module in ("outflank", HELPERS) else [module]


def test_no_layer_imports_a_higher_one() -> None:
    """The premise: there is something of each kind of source, and it imports something of ours."""
    walked = [path for layer in LAYERS for path in sources(folder_of(layer))]
    ours = [
        path for path in walked for _, name in imports(path, package_of(path, ROOT)) if "outflank." in name
    ]

    assert {path.suffix for path in ours} == set(SUFFIXES)
    assert violations(ROOT) == []
    assert [
        name for _, name in imports(ROOT / "package" / "errors.py", "outflank") if "outflank" in name
    ] == []


def test_no_two_rooms_of_the_tools_circle() -> None:
    used = rooms_used(ROOT)

    assert {"commands", "cli", "match/state", "runtime"} <= set(used)
    assert circles(used) == []
    assert [name for name, others in used.items() if "commands" in others] == []


def test_the_design_page_tells_which_rooms_each_room_uses() -> None:
    """It counts the parts of `match` as one room."""
    used: dict[str, set[str]] = {}
    for name, others in rooms_used(ROOT).items():
        own = name.partition("/")[0]
        used.setdefault(own, set()).update({other.partition("/")[0] for other in others} - {own})
    del used["__init__"]
    told = rooms_told((ROOT / "docs" / "design.md").read_text())

    assert told.keys() == used.keys()
    assert [f"{name} uses {', '.join(sorted(used[name]))}" for name in used if told[name] != used[name]] == []


def test_outflank_as_an_engine_and_the_drivers_of_other_engines_do_not_know_each_other() -> None:
    used = rooms_used(ROOT, "protocol")

    assert {"server", "drivers", "formats"} <= set(used)
    assert circles(used) == []
    assert "drivers" not in used["server"]
    assert "server" not in used["drivers"]


def test_a_planted_circle_is_named(tmp_path: Path) -> None:
    for file, used in (
        ("match/state/a.py", "report.b"),
        ("report/b.py", "match.state.a"),
        ("work/c.py", "play.d"),
    ):
        planted = tmp_path / "tools" / file
        planted.parent.mkdir(parents=True)
        planted.write_text(f"import outflank.tools.{used}\n")

    assert circles(rooms_used(tmp_path)) == [
        "tools/match/state uses report, and one of these uses tools/match/state",
        "tools/report uses match/state, and one of these uses tools/report",
    ]


@pytest.mark.parametrize(
    ("file", "text", "sentence"),
    [
        ("engine/a.py", "import outflank.tools.cli", "line 1: engine imports outflank.tools.cli, expected"),
        ("engine/a.py", "def f():\n    from outflank.book import x", "line 2: engine imports outflank.book"),
        ("engine/a.py", "from outflank import protocol", "engine imports outflank.protocol"),
        ("engine/a.py", "from ..tools import cli", "engine imports outflank.tools"),
        ("engine/a.py", "from .. import tools", "engine imports outflank.tools"),
        ("engine/b/a.py", "from ...tools import cli", "engine imports outflank.tools"),
        (
            "engine/b/a.py",
            "import outflank.tests.support.reference",
            "engine imports outflank.tests.support.reference",
        ),
        (
            "engine/a.pyi",
            "from outflank.protocol.server.gtp import x",
            "engine imports outflank.protocol.server.gtp",
        ),
        (
            "engine/a.pyx",
            '"""Two\nlines."""\nfrom outflank.book cimport c',
            "line 3: engine imports outflank.book",
        ),
        ("engine/a.pyx", "from outflank cimport (\n    engine,\n    tools,\n)", "imports outflank.tools"),
        ("engine/a.pxd", "cimport outflank.tools.x as x", "engine imports outflank.tools.x"),
        ("engine/a.pxd", "cimport cython, outflank.book.x", "engine imports outflank.book.x"),
        (
            "package/storage/a.py",
            "from outflank.engine import x",
            "storage imports outflank.engine, expected only",
        ),
        ("book/a.py", "import outflank.protocol", "expected only storage, engine, book to be used there"),
        (
            "protocol/a.py",
            "import outflank.tools",
            "expected only storage, engine, book, protocol to be used there",
        ),
        (
            "tools/a.py",
            "import outflank.tests.support.strategies",
            "tools imports outflank.tests.support.strategies",
        ),
        ("tools/a.py", "from engine import Position", "expected outflank.engine: a second copy"),
        ("engine/a.pyx", "cimport engine.kernels", "expected outflank.engine.kernels"),
    ],
)
def test_a_planted_violation_is_found_and_told_in_words(
    tmp_path: Path, file: str, text: str, sentence: str
) -> None:
    planted = tmp_path / file
    planted.parent.mkdir(parents=True)
    planted.write_text(text + "\n")
    found = violations(tmp_path)

    assert len(found) == 1
    assert found[0].startswith(f"{file} line ")
    assert sentence in found[0]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (
            "tools/a.py",
            "from outflank.engine import Position\nimport outflank.protocol.server.gtp, outflank.book",
        ),
        ("engine/a.py", "from . import moves\nfrom .moves import Move\nimport enginelike"),
        ("package/storage/a.py", "from outflank.errors import OutflankError\nfrom .files import file_of"),
        ("engine/a.pyx", '"""As in\nfrom outflank.tools import x\n"""\nfrom outflank.engine cimport kernels'),
        ("engine/a.pyx", "# cimport outflank.tools.x\ncimport cython"),
    ],
)
def test_what_is_allowed_is_not_reported(tmp_path: Path, file: str, text: str) -> None:
    allowed = tmp_path / file
    allowed.parent.mkdir(parents=True)
    allowed.write_text(text + "\n")

    assert violations(tmp_path) == []


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_cannot_be_imported_as_a_top_level_name(
    layer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = python_script("-c", f"import {layer}", PYTHONPATH="")

    assert result.returncode == 1
    assert f"No module named '{layer}'" in result.stderr


def test_what_plays_starts_without_what_it_does_not_need() -> None:
    """Networks would be a quarter of the time from start to first answer; formats and compression a tenth."""
    loaded = python_script(
        "-c",
        "import sys, outflank.tools.commands.engine, outflank.protocol.server.gtp; print(*sys.modules, sep='\\n')",
    )

    names = set(loaded.stdout.split())
    assert "outflank.engine.search.searcher" in names
    assert names & {"asyncio", "email", "http.client", "socket", "ssl", "urllib.request"} == set()
    assert names & {"bz2", "lzma", "shutil", "outflank.protocol.formats"} == set()


def test_the_tests_mirror_the_folders() -> None:
    """A folder of tests has the name of the folder it tests; only the fuzz room tests all that reads bytes."""
    tests = ROOT / "tests"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py") if path.parent != tests}
    mirrored = sorted(folders - {Path("fuzz")})

    assert len(mirrored) > 10
    assert [str(path) for path in mirrored if not (ROOT / path).is_dir()] == []


def test_what_lies_below_the_tools_is_tested_without_them() -> None:
    """Tests of the engine import nothing of tools, nor do those of the book and the protocol; nor do their helpers."""
    found = [
        f"{path.relative_to(ROOT)} line {line}: imports {module}"
        for layer in LAYERS[:-1]
        for path in sources(folder_of(layer, ROOT / "tests"))
        for line, module in imports(path, package_of(path, ROOT))
        if needs_tools(module)
    ]

    assert found == []


@functools.cache
def needs_tools(module: str) -> bool:
    """Return whether a module is one of the tools or their tests, or a helper that imports one."""
    if module.startswith(("outflank.tools", "outflank.tests.tools")):
        return True
    path = ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py")
    if not module.startswith(f"{HELPERS}.") or not path.is_file():
        return False
    return any(needs_tools(name) for _, name in imports(path, HELPERS))
