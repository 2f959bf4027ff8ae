"""A check: a function that examines an engine, its docstring being the rule that it checks."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.protocol.lines import printable

CheckFunction = Callable[[Any], None]
"""A function of the ``TappedDriver`` of the protocol."""


class Violation(Exception):
    """The engine breaks the rule that is being checked; the text has the expected and the actual answer."""


class CheckSkipped(Exception):
    """The rule does not apply to this engine, or can't be judged; the text is a clause with the reason."""


def expect(holds: bool, expected: str, got: object) -> None:
    """Raise Violation with the expected and the actual answer unless the rule `holds`."""
    if not holds:
        raise Violation(f"expected {expected}, got {shown(got)}")


def shown(got: object) -> str:
    """Return what an engine wrote as a reader quotes it: bytes and lines of a list in quotes, nothing in words."""
    if isinstance(got, bytes):
        return repr(got.decode("utf-8", "backslashreplace"))
    if isinstance(got, list):
        return ", ".join(map(repr, got)) or "nothing"
    return str(got)


def expect_nothing(written: bytes) -> None:
    """Raise Violation if anything but blank lines was written."""
    text = written.decode("utf-8", "replace").strip()
    expect(not text, "no output that answers no command", repr(printable(text)))


Level = Literal["must", "should"]
"""The weight of a rule: an engine that breaks it loses games or can't play, or some controllers rely on it."""


@dataclass(frozen=True, slots=True)
class Check:
    """A rule, and the function that checks an engine by it.

    Attributes:
        name: words with hyphens.
        level: the weight of the rule.
        rule: the rule in a sentence or two.
        needs: commands that an engine has to list for the rule to apply to it.
        alone: whether the check gets a process of its own, which no later check uses.
        see: names of earlier checks; if the engine failed one of them, a failure of this check shows the same habit.
        run: raises Violation or an EngineError if the engine breaks the rule.
    """

    name: str
    level: Level
    rule: str
    needs: frozenset[str]
    alone: bool
    run: CheckFunction
    see: tuple[str, ...] = ()


def _checked(
    level: Level, *needs: str, alone: bool = False, see: tuple[str, ...] = ()
) -> Callable[[CheckFunction], Check]:
    def check(function: CheckFunction) -> Check:
        rule = " ".join((inspect.getdoc(function) or "").split())
        return Check(function.__name__.replace("_", "-"), level, rule, frozenset(needs), alone, function, see)

    return check


must = partial(_checked, "must")
"""Makes a check of a function, for a rule that an engine has to keep; the arguments are those of ``Check``."""
should = partial(_checked, "should")
"""Makes a check of a function, for a rule that an engine does well to keep."""
