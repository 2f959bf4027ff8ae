"""The table of all checks, in the order in which they run."""

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

SECTIONS: dict[ModuleType, str] = {
    greeting: "The first words",
    answers: "Answers",
    numbers: "Numbers of commands",
    lines: "Lines",
    arguments: "Arguments",
    board: "The board",
    passes: "Passes",
    moves: "Moves",
    clock: "The clock",
    conduct: "Conduct",
}


def checks_of(module: ModuleType) -> list[Check]:
    """The checks that a module defines, in its order."""
    return [value for value in vars(module).values() if isinstance(value, Check)]


CHECKS: dict[str, Check] = {check.name: check for module in SECTIONS for check in checks_of(module)}
SECTION_OF: dict[str, str] = {
    check.name: title for module, title in SECTIONS.items() for check in checks_of(module)
}
