"""The tests lie where the code that they test lies."""

from pathlib import Path

from outflank.tests.installation import ROOT
from outflank.tests.test_layers import LAYERS, SUFFIXES, imports, package_of


def files(folder: Path) -> list[Path]:
    """The sources of a folder, headers included, but for what builds make."""
    return [path for path in folder.rglob("*") if path.suffix in (*SUFFIXES, ".h")]


def test_the_tests_mirror_the_folders() -> None:
    """A folder of tests has the name of the folder it tests."""
    mirrored = [
        path.relative_to(ROOT / "tests") for layer in LAYERS for path in packages(ROOT / "tests" / layer)
    ]

    assert len(mirrored) > 10
    assert [str(path) for path in mirrored if not (ROOT / path).is_dir()] == []


def test_what_lies_below_the_tools_is_tested_without_them() -> None:
    """Tests of the engine import nothing of tools, nor do those of the book and the protocol."""
    found = [
        f"{path.relative_to(ROOT)} line {line}: imports {module}"
        for layer in LAYERS[:-1]
        for path in files(ROOT / "tests" / layer)
        for line, module in imports(path, package_of(path, ROOT))
        if module.startswith(("outflank.tools", "outflank.tests.tools"))
    ]

    assert found == []


def packages(folder: Path) -> list[Path]:
    """A folder and those below it that hold tests."""
    return [path.parent for path in folder.rglob("__init__.py")]
