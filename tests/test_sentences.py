"""The form of docstrings: a function's begins with a verb, the entry of a field or an argument with a noun phrase."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

from outflank.tests.support.installation import ROOT

FOLDERS = ("package", "engine", "book", "protocol", "tools", "measure", "tests")
_CLAUSES = "what that which who how why where when whether because if since until after before it its this these those"
_PREPOSITIONS = "of by for from in on to with at as"
# ruff's D401, which finds some words such as "Returns", takes these for verbs.
_NO_VERBS = f"{_CLAUSES} {_PREPOSITIONS} all some each every no none any both only the a an".split()
# A flag's entry begins with "True if" or "True to".
_NO_NOUNS = f"{_CLAUSES} {_PREPOSITIONS} while whose behind".split()
_NOUNS = {"property", "cached_property", "fixture", "must", "should"}
"""The decorators of functions that a noun or a sentence describes: properties, fixtures, checks of engines."""
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
_ENTRY = re.compile(r"\s*(\*{0,2}[a-z_]\w*(?:, \*{0,2}[a-z_]\w*)*): +(.+)")
_SECTION = re.compile(r"\s*(Args|Attributes|Returns|Yields|Raises):(.*)")
_COMPILED = re.compile(
    r'^(?<!@property\n) *(?:cpdef|cdef|def)\b(?:(?!\bclass\b)[^"#])*?:(?: *#[^\n]*)?\n\s+"""(.*?)"""',
    re.MULTILINE | re.DOTALL,
)


def complaints(source: str, suffix: str) -> Iterator[tuple[int, str]]:
    """Yield line and sentence for each docstring or entry of a module that has another form."""
    for line, doc, is_of_function in docstrings(source, suffix):
        first = _first_word(doc)
        if is_of_function and (first in _NO_VERBS or re.search(r"[^s]s$", first)):
            yield line, f"expected a verb in the imperative before {doc.strip()[:60]!r}"
        for name, text in entries(doc):
            if _first_word(text) in _NO_NOUNS:
                yield line, f"expected a noun phrase for {name}, got {text[:60]!r}"


def docstrings(source: str, suffix: str) -> Iterator[tuple[int, str, bool]]:
    """Yield line and text of each docstring, and whether it belongs to a function that a verb describes.

    The docstring of a single attribute has the form of an entry.
    """
    if suffix in (".pyx", ".pxd"):
        for found in _COMPILED.finditer(source):
            yield source[: found.start(1)].count("\n") + 1, found[1], True
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _DOCUMENTED) and (doc := ast.get_docstring(node)):
            yield node.body[0].lineno, doc, _is_described_by_verb(node)
        if isinstance(node, ast.ClassDef | ast.Module):
            for field, after in zip(node.body, node.body[1:], strict=False):
                if isinstance(field, ast.AnnAssign | ast.Assign) and (text := _text_of(after)):
                    yield after.lineno, f"Attributes:\n    it: {text}", False


def _is_described_by_verb(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("test_"):
        return False  # the name of a test is its sentence
    decorators = {ast.unparse(each).split("(")[0].split(".")[-1] for each in node.decorator_list}
    return not decorators & _NOUNS


def _text_of(node: ast.stmt) -> str:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return node.value.value if is_text and isinstance(node.value.value, str) else ""  # type: ignore[attr-defined]


def entries(doc: str) -> Iterator[tuple[str, str]]:
    """Yield the names and the texts of the entries of ``Args`` and ``Attributes``."""
    section = ""
    for line in doc.split("\n"):
        if heading := _SECTION.fullmatch(line):
            section = heading[1]
        elif not line.strip():
            section = ""
        elif section in ("Args", "Attributes") and (entry := _ENTRY.fullmatch(line)):
            yield entry[1], entry[2]


def _first_word(text: str) -> str:
    found = re.match(r"[\w']*", text.strip())
    assert found is not None
    return found[0].lower()


def modules() -> Iterator[Path]:
    """Yield our modules, Python's and Cython's."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.p*")):
            if path.suffix in (".py", ".pyi", ".pyx", ".pxd"):
                yield path


def test_functions_are_described_by_verbs_and_fields_by_noun_phrases() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {sentence}"
        for path in modules()
        for line, sentence in complaints(path.read_text("utf-8"), path.suffix)
    ]

    assert not found, "\n".join(found)


def test_other_forms_are_found() -> None:
    source = '''
        class Run:
            """A run.

            Attributes:
                settings: of the run
                folder: the run's folder
                is_over: whether it has ended
            """

            seed = 1
            """What chance depends on."""

        def size(run, twice):
            """Whether the run is long.

            Args:
                run: the run
                twice: that of the caller
            """
    '''

    found = {sentence[:46] for _, sentence in complaints(dedent(source), ".py")}
    assert found == {
        "expected a noun phrase for it, got 'What chanc",
        "expected a noun phrase for settings, got 'of t",
        "expected a noun phrase for is_over, got 'wheth",
        "expected a verb in the imperative before 'Whet",
        "expected a noun phrase for twice, got 'that of",
    }
    compiled = '    cdef int size(self) nogil:  # fast\n        """What is long."""\n'
    assert len([*complaints(compiled, ".pyx")]) == 1
