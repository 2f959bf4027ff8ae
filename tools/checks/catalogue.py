"""The tables of all checks, in the order in which they run."""

from types import ModuleType

from outflank.tools.checks import (
    answers,
    arguments,
    board,
    clock,
    conduct,
    greeting,
    lines,
    moves,
    numbers,
    passes,
)
from outflank.tools.checks.check import Check
from outflank.tools.checks.nboard import play, words
from outflank.tools.checks.nboard.subject import NBoardSubject
from outflank.tools.checks.subject import Subject
from outflank.tools.games.protocols import Protocol

SECTIONS: dict[ModuleType, str] = {
    greeting: "The first words",
    answers: "Answers",
    numbers: "Numbers of commands",
    lines: "Lines",
    arguments: "Arguments",
    board: "The board",
    moves: "Moves",
    passes: "Passes",
    clock: "The clock",
    conduct: "Conduct",
}
NBOARD_SECTIONS: dict[ModuleType, str] = {words: "Words", play: "Play"}


def checks_of(module: ModuleType) -> list[Check]:
    """The checks that a module defines, in its order."""
    return [value for value in vars(module).values() if isinstance(value, Check)]


def _checks(sections: dict[ModuleType, str]) -> dict[str, Check]:
    return {check.name: check for module in sections for check in checks_of(module)}


CHECKS: dict[str, Check] = _checks(SECTIONS)
"""Those of an engine that speaks GTP."""
NBOARD_CHECKS: dict[str, Check] = _checks(NBOARD_SECTIONS)
CATALOGUES: dict[Protocol, tuple[type[Subject], dict[str, Check]]] = {
    Protocol.GTP: (Subject, CHECKS),
    Protocol.NBOARD: (NBoardSubject, NBOARD_CHECKS),
}
"""For each protocol who is examined, and by which checks."""
SECTION_OF: dict[str, str] = {
    check.name: title
    for module, title in {**SECTIONS, **NBOARD_SECTIONS}.items()
    for check in checks_of(module)
}
