"""Runs the checks on an engine, one after the other. A failure to answer is reported only once."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

from outflank.protocol.drivers.errors import EngineError, EngineTimeout
from outflank.protocol.drivers.spec_values import Protocol
from outflank.tools.checks import board, clock_and_exit, nboard, wire
from outflank.tools.checks.check import Check, CheckSkipped, Level, Violation
from outflank.tools.checks.nboard import TappedNBoardDriver
from outflank.tools.checks.tapped_drivers import TappedDriver, TappedGtpDriver

Outcome = Literal["passed", "failed", "skipped"]
OTHER_PROTOCOL = "it may speak NBoard (check it with --protocol nboard) or UCI (which has no checks)"


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check.

    Attributes:
        check: the check.
        outcome: the outcome of the check.
        detail: the error message of a failed check, or the reason why the check was skipped.
        dialogue: the dialogue of a failed check: ``>`` marks lines to the engine, ``<`` lines from the engine.
    """

    check: Check
    outcome: Outcome
    detail: str = ""
    dialogue: tuple[str, ...] = ()

    def fails(self, level: Level) -> bool:
        """Return whether the check failed and its rule has this level."""
        return self.outcome == "failed" and self.check.level == level


def verdict(findings: Sequence[Finding]) -> dict[str, int]:
    """Return the numbers of checks by outcome: `passed`, `failed`, `warned`, `skipped`.

    A failed check of level `should` counts as `warned`, not as `failed`. The engine complies if `failed` is 0.
    """
    outcomes = [finding.outcome for finding in findings]
    return {
        "passed": outcomes.count("passed"),
        "failed": sum(finding.fails("must") for finding in findings),
        "warned": sum(finding.fails("should") for finding in findings),
        "skipped": outcomes.count("skipped"),
    }


def examine(engine: TappedDriver, checks: Iterable[Check]) -> Iterator[Finding]:
    """Run the checks, and yield the finding of each.

    Raises: EngineError if the program can't be started or does not speak the protocol.
    """
    try:
        engine.learn()
    except EngineTimeout as error:
        raise EngineTimeout(f"{error}: {OTHER_PROTOCOL}") from None
    silences: dict[str, Check] = {}
    reported: dict[str, str] = {}
    for check in checks:
        missing = sorted(check.needs - engine.commands)
        if missing:
            yield Finding(check, "skipped", f"{', '.join(missing)} not listed")
        else:
            yield _run(check, engine, silences, reported)


_REFUSES = ("refuses-", "fails-")  # the prefixes of the names of checks whose commands have to fail


def _run(check: Check, engine: TappedDriver, silences: dict[str, Check], reported: dict[str, str]) -> Finding:
    """Run one check. After a failure the engine may be in any state, so the next check gets a new process.

    Args:
        check: the check.
        engine: the engine.
        silences: the commands that the engine did not answer, each with the check that reported the missing answer.
        reported: the name of the check that reported a fault, keyed by the name of each check that found the fault.
    """
    if check.alone:
        engine.close()
    engine.dialogue.clear()
    try:
        engine.get_ready()
        check.run(engine)
    except CheckSkipped as reason:
        finding = Finding(check, "skipped", str(reason))
    except Violation as error:
        finding = Finding(check, "failed", str(error), tuple(engine.dialogue))
    except EngineError as error:
        # All missing answers to commands that the engine has to refuse count as one fault.
        before = silences.setdefault("" if check.name.startswith(_REFUSES) else engine.asked, check)
        if before is check or (before.level, check.level) == ("should", "must"):
            finding = Finding(check, "failed", str(error), tuple(engine.dialogue))
        else:
            reported[check.name] = before.name
            finding = Finding(check, "skipped", f"no answer to {engine.asked!r}: see {before.name}")
    else:
        finding = Finding(check, "passed")
    if finding.outcome == "failed":
        reporting = next((reported[name] for name in check.see if name in reported), check.name)
        reported[check.name] = reporting
        if reporting != check.name:
            finding = Finding(check, "skipped", f"{finding.detail}: see {reporting}")
    if check.alone or finding.outcome != "passed":
        engine.close()
    return finding


SECTIONS: dict[str, ModuleType] = {
    "The wire": wire,
    "The board": board,
    "Clocks and exit": clock_and_exit,
    "NBoard's protocol": nboard,
}


def checks_of(*modules: ModuleType) -> dict[str, Check]:
    """Return the checks that modules define, with their names as keys, in the order of their definition."""
    return {
        each.name: each for module in modules for each in vars(module).values() if isinstance(each, Check)
    }


CHECKS = checks_of(wire, board, clock_and_exit)
"""The checks of an engine that speaks GTP."""
NBOARD_CHECKS = checks_of(nboard)
CATALOGUES: dict[Protocol, tuple[type[TappedDriver], dict[str, Check]]] = {
    Protocol.GTP: (TappedGtpDriver, CHECKS),
    Protocol.NBOARD: (TappedNBoardDriver, NBOARD_CHECKS),
}
"""The driver class and the checks of each protocol."""
SECTION_OF = {name: title for title, module in SECTIONS.items() for name in checks_of(module)}
