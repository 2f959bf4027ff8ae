"""What ``help`` shows of a compiled module is the beginning of what its stub says."""

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from outflank import engine

FIELDS = {f"Position.{name}" for name in ("own", "opp", "side", "rules")}  # Cython gives fields no docstring
STUBS = sorted(path.stem for path in Path(engine.__file__).parent.glob("*.pyi"))


@pytest.mark.parametrize("name", STUBS)
def test_the_first_line_is_that_of_the_stub(name: str) -> None:
    stub = ast.parse((Path(engine.__file__).parent / f"{name}.pyi").read_text())
    module = importlib.import_module(f"outflank.engine.{name}")

    wrong = [
        f"{where}: expected {expected!r}, got {told!r}"
        for where, expected, told in _pairs(stub, module)
        if expected != told
    ]

    assert not wrong


def _pairs(node: ast.Module | ast.ClassDef, owner: object, path: str = "") -> Iterator[tuple[str, str, str]]:
    """Where a docstring stands, its first line in the stub, and at run time; of what a program defines itself."""
    for found in node.body:
        if not isinstance(found, ast.ClassDef | ast.FunctionDef):
            continue
        where, said = f"{path}{found.name}", ast.get_docstring(found)
        if said and where not in FIELDS:
            yield where, _first_line(said), _first_line(inspect.getdoc(getattr(owner, found.name)) or "")
        if isinstance(found, ast.ClassDef):
            yield from _pairs(found, getattr(owner, found.name), f"{where}.")


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
