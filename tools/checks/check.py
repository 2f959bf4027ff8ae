"""Defines checks: functions that examine an engine. A check's docstring is the rule that it checks."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from outflank.protocol.lines import printable

CheckFunction = Callable[[Any], None]
"""A function that takes the protocol's ``TappedDriver`` and raises an error if the engine breaks the rule."""


class Violation(Exception):
    """The engine breaks the checked rule. The message contains the expected and the actual answer."""


class CheckSkipped(Exception):
    """The rule does not apply to this engine, or can't be checked. The message is the reason."""


def expect(holds: bool, expected: str, got: object) -> None:
    """Raise Violation with the expected and the actual answer unless the rule `holds`."""
    if not holds:
        raise Violation(f"expected {expected}, got {shown(got)}")


def shown(got: object) -> str:
    """Return an engine's output as text for a message. Bytes and lines are quoted; an empty list is ``nothing``."""
    if isinstance(got, bytes):
        return repr(got.decode("utf-8", "backslashreplace"))
    if isinstance(got, list):
        return ", ".join(map(repr, got)) or "nothing"
    return str(got)


def expect_nothing(written: bytes) -> None:
    """Raise Violation if `written` contains anything but blank lines."""
    text = written.decode("utf-8", "replace").strip()
    expect(not text, "no unsolicited output", repr(printable(text)))


Level = Literal["must", "should"]
"""The weight of a rule. An engine that breaks a `must` loses or can't play; some controllers rely on a `should`."""


@dataclass(frozen=True, slots=True)
class Check:
    """A rule, and the function that checks whether an engine obeys the rule.

    Attributes:
        name: the name, in words joined by hyphens.
        level: the weight of the rule.
        rule: the rule in a sentence or two.
        needs: the commands that an engine has to list for the rule to apply to it.
        alone: True if the check gets a process of its own, which no other check uses.
        see: the names of earlier checks that may fail because of the same fault. If one of them has failed, a failure
            of this check is not reported.
        run: a function that raises Violation or an EngineError if the engine breaks the rule.
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
"""A decorator that turns a function into a check of level `must`. Arguments: `*needs`, `alone`, `see` of ``Check``."""
should = partial(_checked, "should")
"""A decorator that turns a function into a check of level `should`. Arguments: see `must`."""
