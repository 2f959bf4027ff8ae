"""``outflank engines`` and ``selftest``: the engines of the catalogue, and whether an engine repeats its games."""

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from outflank import __version__
from outflank.engine import NotationError, OutflankError, Rules
from outflank.protocol.drivers import make_driver
from outflank.protocol.drivers.catalogue import Known, catalogue, search_path
from outflank.protocol.drivers.errors import EngineError
from outflank.protocol.drivers.spec import EngineSpec
from outflank.protocol.lines import printable
from outflank.tools.checks.examination import CATALOGUES, Finding, examine, verdict
from outflank.tools.commands.options import EXISTING_FOLDER, WholeNumber, json_option, read_by, rules_option
from outflank.tools.match.game.mirror import MIRROR_NAMES, mirror_fault, outcome_of, play_mirror_pair
from outflank.tools.match.game.results import GameRecord
from outflank.tools.match.openings.sources import random_openings
from outflank.tools.runtime.progress import counted, json_line
from outflank.tools.runtime.signals import Interrupts

_LONGEST_TROUBLE = 400
_ENGINE = 'cmd="outflank gtp --level 4" restart=yes'
_MOST_MOVES = 40
_SEEDS = 2**31


@dataclass(slots=True)
class Found:
    """An engine of the catalogue on this machine.

    Attributes:
        engine: its key in the catalogue.
        program: its file; None if it was not found.
        calls_itself: name and version in its own words.
        trouble: why it can't be played with; empty if it answers.
        compliance: the outcome of its protocol's checks; empty if they were not run.
    """

    engine: str
    program: str | None = None
    calls_itself: str = ""
    trouble: str = ""
    compliance: str = ""


@click.command()
@click.argument("folders", nargs=-1, type=EXISTING_FOLDER, metavar="[FOLDER]...")
@click.option(
    "--check", is_flag=True, help="Run the checks of outflank compliance on each; a minute for each."
)
@click.option("--facts", is_flag=True, help="Show what is known about each engine, with source and date.")
@json_option
def engines(folders: tuple[Path, ...], check: bool, facts: bool, as_json: bool) -> None:
    """List the engines of the catalogue, and start those that are on this machine.

    They are looked for in each FOLDER and in bin and build below it, then on PATH and in /usr/games. A match takes
    them as --engine catalogue:NAME, with dir=FOLDER if it is not on PATH; docs/engines.md has the details.
    """
    with Interrupts() as interrupts:
        for known in catalogue().values():
            found = _find(known, folders, check, interrupts)
            if as_json:
                click.echo(json_line({**asdict(found), **({"facts": _facts(known)} if facts else {})}))
            else:
                click.echo("\n".join([*_lines(found), *(_told(known) if facts else ())]))


def _find(known: Known, folders: tuple[Path, ...], check: bool, interrupts: Interrupts) -> Found:
    """The engine on this machine, started to learn its name."""
    folder = next((folder for folder in folders if known.find([folder])), None)
    program = known.find([*folders, *search_path()])
    if program is None:
        return Found(known.key)
    found = Found(known.key, str(program))
    settings = {"catalogue": known.key, **({"dir": str(folder)} if folder else {})}
    try:
        entry = EngineSpec.from_settings(settings)
        with make_driver(entry, Rules(), on_wait=interrupts.check) as driver:
            driver.open()
            found.calls_itself = printable(driver.identity)
        if check:
            found.compliance = _checked(entry, interrupts)
    except (NotationError, EngineError) as error:
        found.trouble = printable(str(error), _LONGEST_TROUBLE)
    return found


def _checked(entry: EngineSpec, interrupts: Interrupts) -> str:
    """The outcome of all checks in a line. Raises: EngineError."""
    if entry.protocol not in CATALOGUES:
        return f"there are no checks for {entry.protocol}"
    driver, checks = CATALOGUES[entry.protocol]
    with driver(entry, on_wait=interrupts.check) as engine:
        findings = list(examine(engine, checks.values()))
    counts = ", ".join(f"{count} {outcome}" for outcome, count in verdict(findings).items())
    return f"{counts}{_named(findings)}"


def _named(findings: list[Finding]) -> str:
    broken = ", ".join(finding.check.name for finding in findings if finding.fails("must"))
    return f" (failed: {broken})" if broken else ""


def _lines(found: Found) -> Iterator[str]:
    """The engine in words."""
    outcome = (
        found.trouble or found.calls_itself or "answers without a name" if found.program else "not found"
    )
    yield f"{found.engine:<21s} {outcome}"
    if found.program:
        yield f"    program: {printable(found.program, None)}"
    if found.compliance:
        yield f"    compliance: {found.compliance}"


def _told(known: Known) -> Iterator[str]:
    """The facts in words."""
    yield f"    command: {' '.join([known.cmd, *known.without.values()])}"
    yield from (f"    {name}={value}" for name, value in known.settings.items())
    yield f"    {known.seen}"
    yield from (f"    {fact['fact']} [{fact['source']}, {fact['date']}]" for fact in known.facts)


def _facts(known: Known) -> list[dict[str, str]]:
    return [{**fact, "date": str(fact["date"])} for fact in known.facts]


@click.command()
@click.option(
    "--engine",
    "entry",
    callback=read_by(EngineSpec.parse),
    default=_ENGINE,
    metavar="TEXT",
    help="The engine. Its play has to be reproducible: one thread, and a fixed level, depth or number of nodes.",
)
@click.option("--pairs", type=WholeNumber(1, 10_000), default=5, help="Pairs of games.")
@click.option("--moves", type=WholeNumber(0, _MOST_MOVES), default=8, help="Random moves at the beginning.")
@rules_option
@click.option("--seed", type=WholeNumber(0, _SEEDS - 1), help="Seed of the random moves.  [default: drawn]")
@json_option
def selftest(
    entry: EngineSpec,
    pairs: int,
    moves: int,
    rules: Rules,
    seed: int | None,
    as_json: bool,
) -> None:
    """Play an engine against itself: the two games of a pair must be mirror images.

    If one is not, the referee or the engine depends on something that it should not depend on: the colour, earlier
    games, the time. Exit code 1 says so. docs/compliance.md has more.
    """
    seed = random.randrange(_SEEDS) if seed is None else seed
    if not as_json:
        click.echo(f"outflank {__version__}, {entry.cmd}, {counted(pairs, 'pair')} of {rules}, seed {seed}")
    broken = 0
    with Interrupts() as interrupts:
        for number, opening in enumerate(random_openings(moves, pairs, rules, seed), 1):
            pair = play_mirror_pair(entry, rules, opening, number, interrupts.check)
            fault = mirror_fault(*pair)
            broken += bool(fault)
            told = f"pair {number:<4d} {fault or f'mirrored: {outcome_of(pair[0])}'}"
            click.echo(json.dumps(_summary(number, fault, pair)) if as_json else told)
    if broken:
        raise OutflankError(f"no mirror images: {broken} of {counted(pairs, 'pair')} (named above)")
    if not as_json:
        click.echo("Engine and referee repeat themselves.")


def _summary(number: int, fault: str, games: Iterable[GameRecord]) -> dict[str, object]:
    return {
        "pair": number,
        "mirrored": not fault,
        "trouble": fault,
        "points": sum(game.points_of(MIRROR_NAMES[0]) for game in games),
        "margins": [game.margin for game in games],
        "transcripts": [game.transcript for game in games],
    }
