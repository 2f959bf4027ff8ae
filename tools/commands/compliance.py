"""``outflank compliance``: whether an engine keeps the rules of its protocol and of good conduct."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from textwrap import fill

import click

from outflank import __version__
from outflank.protocol.drivers.command import join_command
from outflank.protocol.drivers.spec import EngineSpec, Protocol, command_line, is_ours
from outflank.protocol.lines import printable
from outflank.tools.checks.check import Check
from outflank.tools.checks.examination import CATALOGUES, SECTION_OF, Finding, examine, verdict
from outflank.tools.checks.tapped_drivers import PATIENCE_SECONDS, THINKING_SECONDS
from outflank.tools.commands.options import SECONDS, completed_by, json_option, read_by
from outflank.tools.runtime.progress import json_line
from outflank.tools.runtime.signals import Interrupts

_INDENT = " " * 10


def _entry(text: str) -> EngineSpec:
    """The engine; Outflank plays without a book unless its arguments name one, so that it has to think.

    Raises: NotationError.
    """
    if text.startswith("catalogue:"):
        return EngineSpec.parse(text)
    entry = EngineSpec.from_settings({"name": "the engine", "cmd": text})
    return replace(entry, book="none") if is_ours(entry) and "--book" not in text else entry


def _known(ctx: click.Context, option: click.Parameter, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of checks. Raises: click.BadParameter with the name that was probably meant."""
    for name in names:
        if name not in SECTION_OF:
            close = get_close_matches(name, SECTION_OF, 1)
            meant = f"; did you mean {close[0]!r}?" if close else ";"
            raise click.BadParameter(f"there is no check {name!r}{meant} --list shows all", ctx, option)
    return names


def _list_checks(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    """A block for each protocol; a check that an engine may fail is marked as a recommendation."""
    if not wanted or ctx.resilient_parsing:
        return
    for protocol, (_, catalogue) in CATALOGUES.items():
        click.echo(f"{protocol.value}: {len(catalogue)} checks\n")
        for name, check in catalogue.items():
            level = "" if check.level == "must" else " (recommended)"
            click.echo(
                f"  {name}{level}\n{fill(check.rule, 100, initial_indent=_INDENT, subsequent_indent=_INDENT)}"
            )
        click.echo()
    ctx.exit()


@click.command()
@click.argument("entry", metavar="CMD", callback=read_by(_entry))
@click.option(
    "--protocol",
    type=click.Choice([protocol.value for protocol in CATALOGUES]),
    help="Protocol of the engine.  [default: gtp, or the one that the catalogue names]",
)
@click.option(
    "--only",
    "names",
    multiple=True,
    callback=_known,
    shell_complete=completed_by(*SECTION_OF),
    metavar="NAME",
    help="Run this check alone; may be given more than once.  [default: all]",
)
@click.option(
    "--list",
    "listed",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_checks,
    help="List the names of all checks and what they check, and end.",
)
@click.option("--strict", is_flag=True, help="Count recommendations as much as requirements.")
@click.option("--dialogue", is_flag=True, help="Show the dialogue of the checks that failed.")
@click.option(
    "--patience",
    type=SECONDS,
    default=PATIENCE_SECONDS,
    help="Seconds for an answer that asks for no thinking.",
)
@click.option(
    "--thinking", type=SECONDS, default=THINKING_SECONDS, help="Seconds for a move without a clock."
)
@json_option
@click.pass_context
def compliance(
    ctx: click.Context,
    entry: EngineSpec,
    protocol: str | None,
    names: tuple[str, ...],
    strict: bool,
    dialogue: bool,
    patience: float,
    thinking: float,
    as_json: bool,
) -> None:
    """Check the engine that CMD starts against the rules of its protocol and of good conduct.

    CMD is one word for the shell, such as 'my-engine --gtp' or catalogue:edax (docs/engines.md). Exit code 1 says
    that it breaks a rule that it must keep. docs/compliance.md lists the rules.
    """
    protocol = protocol or entry.protocol
    if protocol not in CATALOGUES:
        raise click.BadParameter(
            f"there are no checks of engines that speak {protocol}", ctx, param_hint="CMD"
        )
    driver, catalogue = CATALOGUES[Protocol(protocol)]
    command = command_line(entry)
    for name in names:
        if name not in catalogue:
            raise click.BadParameter(
                f"{protocol} has no check {name!r}: --list shows them", ctx, param_hint="--only"
            )
    checks = [check for name, check in catalogue.items() if not names or name in names]
    if not as_json:
        click.echo(
            f"outflank {__version__}, {len(checks)} of {len(catalogue)} checks of {join_command(command)}"
        )
    with (
        Interrupts() as interrupts,
        driver(entry, patience, thinking, on_wait=interrupts.check) as engine,
    ):
        findings = list(_shown(examine(engine, checks), dialogue, as_json))
    counts = verdict(findings)
    complies = not counts["failed"]
    if as_json:
        about = {"outflank": __version__, "command": join_command(command)}
        click.echo(json_line({**about, **counts, "complies": complies}))
    else:
        _print_verdict(counts, findings)
    ctx.exit(0 if complies and not (strict and counts["warned"]) else 1)


def _shown(findings: Iterable[Finding], dialogue: bool, as_json: bool) -> Iterator[Finding]:
    """The findings, each printed as it comes."""
    section = ""
    for finding in findings:
        check = finding.check
        if as_json:
            click.echo(json_line(_finding_summary(finding)))
        else:
            if SECTION_OF[check.name] != section:
                section = SECTION_OF[check.name]
                click.secho(f"\n{section}", bold=True)
            _print_finding(finding, dialogue)
        yield finding


def _print_finding(finding: Finding, dialogue: bool) -> None:
    word, colour = _word(finding)
    why = f" ({printable(finding.detail, None)})" if finding.outcome == "skipped" else ""
    click.echo(f"  {click.style(f'{word:4s}', fg=colour)}  {finding.check.name}{why}")
    if finding.outcome == "failed":
        lines = [finding.check.rule, finding.detail, *(finding.dialogue if dialogue else ())]
        click.echo("".join(f"{_INDENT}{printable(line, None)}\n" for line in lines), nl=False)


def _word(finding: Finding) -> tuple[str, str | None]:
    """The outcome in a word, and its colour."""
    if finding.outcome == "passed":
        return "ok", "green"
    if finding.outcome == "skipped":
        return "-", None
    return ("FAIL", "red") if finding.check.level == "must" else ("warn", "yellow")


def _print_verdict(counts: dict[str, int], findings: Iterable[Finding]) -> None:
    click.echo("\n" + ", ".join(f"{count} {what}" for what, count in counts.items()))
    if not counts["failed"]:
        click.secho("The engine keeps every rule that it must keep.", fg="green", bold=True)
    else:
        broken = ", ".join(finding.check.name for finding in findings if finding.fails("must"))
        click.secho(f"The engine breaks rules that it must keep: {broken}.", fg="red", bold=True)


def _finding_summary(finding: Finding) -> dict[str, object]:
    check: Check = finding.check
    return {
        "check": check.name,
        "section": SECTION_OF[check.name],
        "level": check.level,
        "rule": check.rule,
        "outcome": finding.outcome,
        "detail": finding.detail,
        "dialogue": finding.dialogue,
    }
