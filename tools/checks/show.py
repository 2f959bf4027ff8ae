"""Prints engines of the catalogue for ``outflank engines``, and findings for ``outflank compliance``."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from textwrap import fill

import click

from outflank.engine import NotationError, Rules
from outflank.protocol.drivers import make_driver
from outflank.protocol.drivers.catalogue import CatalogueEntry, search_path
from outflank.protocol.drivers.errors import EngineError
from outflank.protocol.drivers.process_driver import START_SECONDS
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.lines import printable
from outflank.tools.checks.check import Check
from outflank.tools.checks.examination import (
    CATALOGUES,
    OTHER_PROTOCOL,
    SECTION_OF,
    Finding,
    examine,
    verdict,
)
from outflank.tools.checks.tapped_drivers import TappedDriver
from outflank.tools.runtime.progress import json_line, warn
from outflank.tools.runtime.signals import Interrupts

_LONGEST_TROUBLE = 400
_INDENT = " " * 10
_SILENT_SECONDS = 3.0  # the time without an answer after which a user is warned


def check_lines() -> Iterator[str]:
    """Yield lines with the names of all checks and what they check."""
    for protocol, (_, checks) in CATALOGUES.items():
        yield f"{protocol.value}: {len(checks)} checks\n"
        for name, check in checks.items():
            yield f"  {name}{'' if check.level == 'must' else ' (recommended)'}"
            yield fill(check.rule, 100, initial_indent=_INDENT, subsequent_indent=_INDENT)
        yield ""


def find_engine(
    known: CatalogueEntry, folders: tuple[Path, ...], check: bool, interrupts: Interrupts
) -> dict[str, str | None]:
    """Start an engine of the catalogue to learn its name.

    Returns: the engine's key; its file, or None if the file was not found; the name and version that the engine
        reports; the reason why the engine can't play, empty if it answers; and the outcome of the protocol's checks,
        empty if the checks were not run.
    """
    folder = next((folder for folder in folders if known.find([folder])), None)
    program = known.find([*folders, *search_path()])
    found = {"engine": known.key, "program": None, "calls_itself": "", "trouble": "", "compliance": ""}
    if program is None:
        return found
    found["program"] = str(program)
    settings = {"catalogue": known.key, **({"dir": str(folder)} if folder else {})}
    try:
        entry = EngineSpec.from_settings(settings)
        with make_driver(entry, Rules(), on_wait=interrupts.check) as driver:
            driver.open()
            found["calls_itself"] = printable(driver.identity)
        if check:
            found["compliance"] = _checked(entry, interrupts)
    except (NotationError, EngineError) as error:
        found["trouble"] = printable(str(error), _LONGEST_TROUBLE)
    return found


def _checked(entry: EngineSpec, interrupts: Interrupts) -> str:
    if entry.protocol not in CATALOGUES:
        return f"there are no checks for {entry.protocol}"
    driver, checks = CATALOGUES[entry.protocol]
    with driver(entry, on_wait=interrupts.check) as engine:
        findings = list(examine(engine, checks.values()))
    broken = broken_rules(findings)
    return outcome_text(verdict(findings)) + (f" (failed: {broken})" if broken else "")


def outcome_text(counts: dict[str, int]) -> str:
    """Return the numbers of checks by outcome as a line of text."""
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items())


def broken_rules(findings: Iterable[Finding]) -> str:
    """Return the names of the broken `must` rules, separated by commas."""
    return ", ".join(finding.check.name for finding in findings if finding.fails("must"))


def engine_lines(found: dict[str, str | None]) -> Iterator[str]:
    """Yield the result of ``find_engine`` as lines of text."""
    program = found["program"]
    outcome = (
        (found["trouble"] or found["calls_itself"] or "answers without a name") if program else "not found"
    )
    yield f"{found['engine']:<21s} {outcome}"
    if program:
        yield f"    program: {printable(program, None)}"
    if found["compliance"]:
        yield f"    compliance: {found['compliance']}"


def facts_text(known: CatalogueEntry) -> Iterator[str]:
    """Yield the facts about an engine of the catalogue, with their sources."""
    yield f"    command: {' '.join([known.cmd, *known.without.values()])}"
    yield from (f"    {name}={value}" for name, value in known.settings.items())
    yield f"    {known.seen}"
    yield from (f"    {fact['fact']} [{fact['source']}, {fact['date']}]" for fact in known.facts)


def engine_facts(known: CatalogueEntry) -> list[dict[str, str]]:
    """Return the facts about an engine of the catalogue as plain data."""
    return [{**fact, "date": str(fact["date"])} for fact in known.facts]


def shown_examination(
    open_driver: Callable[..., TappedDriver], checks: Iterable[Check], dialogue: bool, as_json: bool
) -> list[Finding]:
    """Run the checks on an engine; print and return the findings. Warn once if no answer comes for some seconds.

    `open_driver` returns the driver of the engine for the argument ``on_wait``. Raises: EngineError if the program
    can't be started or does not speak the protocol; Interrupted after a signal.
    """
    findings: list[Finding] = []
    section = ""
    warning_due = time.monotonic() + _SILENT_SECONDS

    def wait() -> None:
        nonlocal warning_due
        interrupts.check()
        if time.monotonic() > warning_due:
            warning_due = math.inf  # so that the warning is not repeated
            warn(
                f"no answer within {_SILENT_SECONDS:g} s (a start may take up to {START_SECONDS:g} s); {OTHER_PROTOCOL}"
            )

    with Interrupts() as interrupts, open_driver(on_wait=wait) as engine:
        for finding in examine(engine, checks):
            warning_due = math.inf
            findings.append(finding)
            if as_json:
                click.echo(json_line(_finding_facts(finding)))
                continue
            if SECTION_OF[finding.check.name] != section:
                section = SECTION_OF[finding.check.name]
                click.secho(f"\n{section}", bold=True)
            _print_finding(finding, dialogue)
    return findings


def _print_finding(finding: Finding, dialogue: bool) -> None:
    word, colour = _word(finding)
    why = f" ({printable(finding.detail, None)})" if finding.outcome == "skipped" else ""
    click.echo(f"  {click.style(f'{word:4s}', fg=colour)}  {finding.check.name}{why}")
    if finding.outcome == "failed":
        lines = [finding.check.rule, finding.detail, *(finding.dialogue if dialogue else ())]
        click.echo("".join(f"{_INDENT}{printable(line, None)}\n" for line in lines), nl=False)


def _word(finding: Finding) -> tuple[str, str | None]:
    if finding.outcome == "passed":
        return "ok", "green"
    if finding.outcome == "skipped":
        return "-", None
    return ("FAIL", "red") if finding.check.level == "must" else ("warn", "yellow")


def _finding_facts(finding: Finding) -> dict[str, object]:
    check = finding.check
    return {
        "check": check.name,
        "section": SECTION_OF[check.name],
        "level": check.level,
        "rule": check.rule,
        "outcome": finding.outcome,
        "detail": finding.detail,
        "dialogue": finding.dialogue,
    }
