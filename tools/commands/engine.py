"""``outflank gtp``, ``nboard`` and ``uci``: Outflank as an engine for another program."""

import time
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from random import SystemRandom
from threading import Lock
from typing import Any

import click

from outflank.engine import Parameters, Rules, Searcher, SettingsError
from outflank.engine.search.limits import DEFAULT_LEVEL, HIGHEST_LEVEL, USUAL_OVERHEAD
from outflank.protocol.server.booksource import NO_BOOK, BookSource, named_book, shipped_books
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.protocol.server.movesource import USUAL_PLIES, MoveVariety, SearchSource
from outflank.protocol.server.serve import Wire, serve
from outflank.protocol.server.session import Session, Strength
from outflank.tools.commands.options import (
    COUNT,
    LOG_FILE,
    SECONDS,
    Command,
    Number,
    WholeNumber,
    group,
    handing,
    hash_option,
    param_option,
    played_book_option,
    rules_option,
    threads_option,
    varied_seed_option,
    weights_option,
)
from outflank.tools.runtime.files import writing
from outflank.tools.runtime.progress import warn


class VarietyType(click.ParamType):  # type: ignore[type-arg]  # generic in newer versions of click alone
    """``DISCS[:PLIES]``, as ``1.5:12``."""

    name = "DISCS[:PLIES]"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> MoveVariety:
        """Read it."""
        if isinstance(value, MoveVariety):
            return value
        discs, _, plies = value.partition(":")
        try:
            return MoveVariety(float(discs), int(plies) if plies else USUAL_PLIES)
        except SettingsError as error:
            self.fail(str(error), param, ctx)
        except ValueError:
            self.fail(f"expected discs and perhaps plies, as 1.5:12, got {value!r}", param, ctx)


elo_option = click.option(
    "--elo",
    type=WholeNumber(LOWEST_ELO, HIGHEST_ELO),
    help="Play at the strength of a human player, without a book; docs/play.md has our scale.  "
    "[default: full strength]",
)


def expect_one_strength(level: int | None, elo: int | None) -> None:
    """Raise click.UsageError if a strength is given in two ways."""
    if level is not None and elo is not None:
        raise click.UsageError("--level and --elo exclude each other: each sets the whole strength")


_STDIN, _STDOUT = 0, 1
_OPTIONS = (
    group(
        "Strength",
        click.option(
            "--level",
            type=WholeNumber(0, HIGHEST_LEVEL),
            help="Strength, see docs/search.md.  "
            f"[default: {DEFAULT_LEVEL} if neither another option nor a clock limits the search]",
        ),
        click.option("--depth", type=COUNT, help="Plies to search.  [default: no limit]"),
        click.option(
            "--time",
            "seconds",
            type=SECONDS,
            help="Seconds for each move.  [default: the game's clock, if one is set]",
        ),
        click.option("--nodes", type=COUNT, help="Boards to reach for each move.  [default: no limit]"),
        elo_option,
    ),
    group(
        "Books and chance",
        played_book_option,
        click.option(
            "--book-variety",
            type=Number(0, 64),
            metavar="DISCS",
            default=0.0,
            help="Draw book moves at random (--seed); in a game they lose at most this many discs by its scores.",
        ),
        click.option(
            "--variety",
            type=VarietyType(),
            help="Choose moves by chance (--seed) in the first PLIES, where no book knows the position: "
            f"among the moves within DISCS of the best.  [default: off; {USUAL_PLIES} plies]",
        ),
        varied_seed_option,
    ),
    group(
        "How it searches",
        threads_option,
        hash_option,
        param_option,
        weights_option,
        click.option(
            "--overhead",
            "overhead_ms",
            type=Number(0, 60_000),
            metavar="MS",
            default=1000 * USUAL_OVERHEAD,
            help="Reserve for each move in ms. Fixed time per move: this or 2 % (the larger), at most 25 %. "
            "Game clock: five times this or 2 %, at most 10 %.",
        ),
        click.option(
            "--log", "log_file", type=LOG_FILE, help="Append the dialogue to FILE.  [default: no log]"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How Outflank plays: the options of an engine, by their names."""

    level: int | None
    depth: int | None
    seconds: float | None
    nodes: int | None
    elo: int | None
    threads: int
    hash_mb: int
    parameters: Parameters
    overhead_ms: float
    book: str | None
    book_variety: float
    variety: MoveVariety | None
    seed: int | None
    log_file: Path | None
    ponder: bool = False

    def answer(self, wire: Wire, rules: Rules | None = None) -> None:
        """Be an engine on standard input and output until the controller ends the session.

        Raises: OutflankError; OSError.
        """
        searcher = Searcher(self.hash_mb, self.threads, self.seed, parameters=self.parameters)
        expect_one_strength(self.level, self.elo)
        steady = (
            searcher
            if self.seed is None
            else Searcher(self.hash_mb, self.threads, parameters=self.parameters)
        )
        session = Session(
            SearchSource(searcher, steady, self.seed, self.variety),
            books=books_to_play(self.book, self.book_variety, self.seed),
            strength=Strength(
                self.level, self.depth, self.seconds, self.nodes, self.overhead_ms / 1000, self.elo
            ),
            rules=rules or Rules(),
            ponders=self.ponder,
        )
        serve(session, wire, _STDIN, _STDOUT, _Log(self.log_file) if self.log_file else _no_log)


_KINDS = {"options": EngineOptions}


@click.command(cls=Command)
@handing(
    _KINDS,
    *_OPTIONS,
    group(
        "How it searches",
        click.option("--ponder", is_flag=True, help="Search on the opponent's time.  [default: off]"),
        rules_option,
    ),
)
def gtp(rules: Rules, options: EngineOptions) -> None:
    """Answer GTP commands (version 2) on standard input, as an engine for a GUI or a match runner.

    docs/gtp.md describes every command. If no option limits the search, the controller's clock does.
    """
    from outflank.protocol.server.gtp.commands import (
        Gtp,  # not at the top: each command needs its own protocol alone
    )

    options.answer(Gtp(), rules)


@click.command(cls=Command)
@handing(_KINDS, *_OPTIONS)
def nboard(options: EngineOptions) -> None:
    """Answer NBoard commands (version 2) on standard input, as an engine for the GUI NBoard.

    docs/nboard.md describes every command. The depth that the controller sets takes the place of --level.
    """
    from outflank.protocol.server.nboard.commands import NBoard

    options.answer(NBoard())


@click.command(cls=Command)
@handing(_KINDS, *_OPTIONS)
def uci(options: EngineOptions) -> None:
    """Answer UCI commands on standard input, as an engine for the variant flipello (Othello).

    Moves are P@f5, as Fairy-Stockfish has them. docs/engines.md has the details.
    """
    from outflank.protocol.server.uci import Uci

    options.answer(Uci())


def books_to_read(given: str | None) -> list[Path]:
    """The books to look positions up in: the one that is named, or those that the package brings."""
    if given is None:
        return shipped_books()
    if given == NO_BOOK:
        return []
    if not named_book(given).exists():
        raise click.BadParameter(f"there is no file {given!r}", param_hint="--book")
    return [named_book(given)]


def books_to_play(given: str | None, variety: float, seed: int | None) -> list[BookSource]:
    """The opening books to play from.

    Variety needs chance: without a seed it gets a random one, which the engine's description names.
    """
    if given == NO_BOOK:
        return []
    if variety and seed is None:
        seed = SystemRandom().randrange(2**31)
    if given is None:
        return [BookSource(path, warn, discs=variety, seed=seed, shipped=True) for path in shipped_books()]
    return [BookSource(named_book(given), warn, discs=variety, seed=seed)]


def _no_log(sign: str, data: bytes) -> None:
    """Keep no log."""


class _Log:
    """Writes the dialogue to a file, stamped with the seconds since the start; ends at the first failure.

    Raises: UnwritableError if the file can't be opened.
    """

    def __init__(self, path: Path) -> None:
        # Unbuffered: nothing is lost whatever ends us, and pieces written by two threads never mix.
        with writing(path):
            self._file: FileIO | None = FileIO(path, "a")
        self._began = time.monotonic()
        self._lock = Lock()  # pieces come from two threads

    def __call__(self, sign: str, data: bytes) -> None:
        """Write a line that came (``<``) or a piece of an answer (``>``)."""
        with self._lock:
            if self._file is None:
                return
            try:
                self._file.write(f"{time.monotonic() - self._began:10.3f} {sign} ".encode() + data)
            except OSError as error:
                self._file.close()
                self._file = None
                warn(f"the log ends here, since it can't be written: {error.strerror}")
