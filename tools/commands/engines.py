"""``outflank engines``, ``compliance`` and ``selftest``: list installed engines, and test an engine's behaviour."""

import json
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path

import click

from outflank import __version__
from outflank.engine import NotationError, OutflankError, Rules
from outflank.protocol.drivers.catalogue import catalogue
from outflank.protocol.drivers.command import join_command
from outflank.protocol.drivers.spec import EngineSpec, command_line, is_ours, read_keys
from outflank.protocol.drivers.spec_values import Protocol
from outflank.tools.checks.examination import CATALOGUES, SECTION_OF, verdict
from outflank.tools.checks.show import (
    broken_rules,
    check_lines,
    engine_facts,
    engine_lines,
    facts_text,
    find_engine,
    outcome_text,
    shown_examination,
)
from outflank.tools.checks.tapped_drivers import PATIENCE_SECONDS, THINKING_SECONDS
from outflank.tools.cli.command import Command, completed_by
from outflank.tools.cli.options import drawn_seed_option, json_option, rules_option
from outflank.tools.cli.types import EXISTING_FOLDER, SECONDS, WholeNumber, read_by
from outflank.tools.match.game.mirror import mirror_fault, outcome_of, pair_facts, play_mirror_pair
from outflank.tools.match.openings.sources import random_openings
from outflank.tools.runtime.progress import counted, json_line
from outflank.tools.runtime.signals import Interrupts

_ENGINE = 'cmd="outflank gtp --level 4" restart=yes'
_MOST_MOVES = 40


@click.command(cls=Command)
@click.argument("folders", nargs=-1, type=EXISTING_FOLDER, metavar="[FOLDER]...")
@click.option(
    "--check", is_flag=True, help="Run the checks of outflank compliance on each, about a minute per engine."
)
@click.option("--facts", is_flag=True, help="Show what is known about each engine, with source and date.")
@json_option
def engines(folders: tuple[Path, ...], check: bool, facts: bool, as_json: bool) -> None:
    """List the catalogue's engines, and start those installed here.

    Engines are looked up in each FOLDER and its subfolders bin and build, then on PATH and in /usr/games. A match
    accepts them as --engine catalogue:NAME, with dir=FOLDER for an engine not on PATH; docs/engines.md has the details.
    """
    with Interrupts() as interrupts:
        for known in catalogue().values():
            found = find_engine(known, folders, check, interrupts)
            if as_json:
                click.echo(json_line(found | ({"facts": engine_facts(known)} if facts else {})))
            else:
                click.echo("\n".join([*engine_lines(found), *(facts_text(known) if facts else ())]))


def _examined(words: tuple[str, ...]) -> EngineSpec:
    """Parse the engine. Outflank itself gets no book unless its arguments name a book, so that it must search."""
    text = words[0] if len(words) == 1 else join_command(words)
    if text.startswith("catalogue:"):
        return EngineSpec.parse(text)
    entry = EngineSpec.from_settings({"name": "the engine", **read_keys(text)})
    return replace(entry, book="none") if is_ours(entry) and "--book" not in text else entry


def _check_names(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if name not in SECTION_OF:
            close = get_close_matches(name, SECTION_OF, 1)
            meant = f"; did you mean {close[0]!r}?" if close else ";"
            raise NotationError(f"there is no check {name!r}{meant} --list shows all")
    return names


def _list_checks(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    for line in check_lines():
        click.echo(line)
    ctx.exit()


@click.command(cls=Command)
@click.argument("entry", nargs=-1, required=True, metavar="CMD...", callback=read_by(_examined))
@click.option(
    "--protocol",
    type=click.Choice([protocol.value for protocol in CATALOGUES]),
    help="Protocol of the engine.  [default: gtp, or the one in the catalogue]",
)
@click.option(
    "--only",
    "names",
    multiple=True,
    callback=read_by(_check_names),
    shell_complete=completed_by(*SECTION_OF),
    metavar="NAME",
    help="Run only this check; may be repeated.  [default: all]",
)
@click.option(
    "--list",
    "listed",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_checks,
    help="List all checks with descriptions, and exit.",
)
@click.option("--strict", is_flag=True, help="Treat recommendations as requirements.")
@click.option("--dialogue", is_flag=True, help="Show the dialogue of failed checks.")
@click.option(
    "--patience",
    type=SECONDS,
    default=PATIENCE_SECONDS,
    help="Seconds for answers that need no search.",
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
    """Check that an engine follows its protocol and good conduct.

    CMD starts the engine: a command, in quotes if it has options, such as 'my-engine --gtp', or catalogue:edax
    (docs/engines.md). The exit code is 1 if the engine breaks a required rule. docs/compliance.md lists the rules.
    """
    protocol = protocol or entry.protocol
    if protocol not in CATALOGUES:
        raise click.BadParameter(
            f"there are no checks for engines that speak {protocol}", ctx, param_hint="CMD"
        )
    driver, known = CATALOGUES[Protocol(protocol)]
    command = command_line(entry)
    for name in names:
        if name not in known:
            raise click.BadParameter(
                f"{protocol} has no check {name!r}: --list shows them", ctx, param_hint="--only"
            )
    checks = [check for name, check in known.items() if not names or name in names]
    if not as_json:
        click.echo(f"outflank {__version__}, {len(checks)} of {len(known)} checks of {join_command(command)}")
    findings = shown_examination(partial(driver, entry, patience, thinking), checks, dialogue, as_json)
    counts = verdict(findings)
    complies = not counts["failed"]
    if as_json:
        about = {"outflank": __version__, "command": join_command(command)}
        click.echo(json_line({**about, **counts, "complies": complies}))
    else:
        click.echo(f"\n{outcome_text(counts)}")
        if complies:
            click.secho("The engine follows all required rules.", fg="green", bold=True)
        else:
            click.secho(f"The engine breaks required rules: {broken_rules(findings)}.", fg="red", bold=True)
    ctx.exit(0 if complies and not (strict and counts["warned"]) else 1)


@click.command(cls=Command)
@click.option(
    "--engine",
    "entry",
    callback=read_by(EngineSpec.parse),
    default=_ENGINE,
    help="Engine to check. It must use one thread and a fixed level, depth or number of nodes, to be reproducible.",
)
@click.option("--pairs", type=WholeNumber(1, 10_000), default=5, help="Number of pairs of games.")
@click.option(
    "--moves", type=WholeNumber(0, _MOST_MOVES), default=8, help="Random moves at the start of each game."
)
@rules_option
@drawn_seed_option("Seed for the random moves.")
@json_option
def selftest(entry: EngineSpec, pairs: int, moves: int, rules: Rules, seed: int, as_json: bool) -> None:
    """Play an engine against itself in pairs of mirrored games.

    The two games of a pair must be mirror images. If they are not, the engine or the referee depends on something that
    it should not: the colour, earlier games or the time. The exit code is then 1. docs/compliance.md has the details.
    """
    if not as_json:
        click.echo(f"outflank {__version__}, {entry.cmd}, {counted(pairs, 'pair')} of {rules}, seed {seed}")
    broken = 0
    with Interrupts() as interrupts:
        for number, opening in enumerate(random_openings(moves, pairs, rules, seed), 1):
            pair = play_mirror_pair(entry, rules, opening, number, interrupts.check)
            fault = mirror_fault(*pair)
            broken += bool(fault)
            if as_json:
                click.echo(json.dumps(pair_facts(number, fault, pair)))
            else:
                click.echo(f"pair {number:<4d} {fault or f'mirrored: {outcome_of(pair[0])}'}")
    if broken:
        raise OutflankError(f"not mirror images: {broken} of {counted(pairs, 'pair')} (named above)")
    if not as_json:
        click.echo("All pairs are mirror images.")
