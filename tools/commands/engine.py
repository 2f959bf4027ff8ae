"""``outflank gtp``, ``nboard`` and ``uci``: Outflank as an engine for another program."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

import click

from outflank.engine import Parameters, Rules, Searcher
from outflank.engine.search.limits import DEFAULT_LEVEL, USUAL_OVERHEAD
from outflank.protocol.server.human_strength import HIGHEST_ELO, LOWEST_ELO
from outflank.protocol.server.movesource import USUAL_PLIES, MoveVariety, SearchSource
from outflank.protocol.server.serve import Wire, serve
from outflank.protocol.server.session import Session, Strength
from outflank.storage.files import open_to_append
from outflank.tools.cli.books import book_variety, books_to_play
from outflank.tools.cli.command import Command, group, handing
from outflank.tools.cli.options import (
    level_option,
    played_book_option,
    rules_option,
    search_options,
    varied_seed_option,
)
from outflank.tools.cli.types import COUNT, LOG_FILE, SECONDS, Number, WholeNumber, read_by
from outflank.tools.runtime.progress import warn

elo_option = click.option(
    "--elo",
    type=WholeNumber(LOWEST_ELO, HIGHEST_ELO),
    help="Play at the strength of a human of this Elo, without a book; docs/play.md explains the scale.  "
    "[default: full strength]",
)


ONE_STRENGTH = ("--level", "--elo")
"""The options that each determine the strength, and therefore exclude each other."""
_STDIN, _STDOUT = 0, 1
_engine_options = handing(
    {"strength": Strength},
    group(
        "Strength",
        level_option(
            "Search level; see docs/search.md.  "
            f"[default: {DEFAULT_LEVEL} if no other option or clock limits the search]"
        ),
        click.option("--depth", type=COUNT, help="Plies to search.  [default: no limit]"),
        click.option(
            "--time",
            "seconds",
            type=SECONDS,
            help="Seconds for each move.  [default: the game's clock, if any]",
        ),
        click.option("--nodes", type=COUNT, help="Nodes to search for each move.  [default: no limit]"),
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
            help="Choose book moves randomly (--seed), giving away at most DISCS per game according to the book.",
        ),
        click.option(
            "--variety",
            callback=read_by(book_variety),
            metavar="DISCS[:PLIES]",
            help="In the first PLIES, outside the book, choose randomly (--seed) among the moves within DISCS "
            f"of the best.  [default: off; {USUAL_PLIES} plies]",
        ),
        varied_seed_option,
    ),
    group(
        "How it searches",
        search_options,
        click.option(
            "--overhead",
            type=Number(0, 60_000),
            callback=read_by(lambda milliseconds: milliseconds / 1000),
            metavar="MS",
            default=1000 * USUAL_OVERHEAD,
            help="Time reserve in ms. Fixed time per move: this or 2 % (the larger), at most 25 %. Game clock: the "
            "largest of 2 %, 5 times this (at most 10 %) and twice this (at most 25 %).",
        ),
        click.option(
            "--log", "log_file", type=LOG_FILE, help="Append the dialogue to FILE.  [default: no log]"
        ),
    ),
)


def _serve(
    wire: Wire,
    rules: Rules | None = None,
    *,
    strength: Strength,
    threads: int,
    hash_mb: int,
    parameters: Parameters,
    book: str | None,
    book_variety: float,
    variety: MoveVariety | None,
    seed: int | None,
    log_file: Path | None,
    ponder: bool = False,
) -> None:
    searcher = Searcher(hash_mb, threads, seed, parameters=parameters)
    steady = searcher if seed is None else Searcher(hash_mb, threads, parameters=parameters)
    log = _log_to(log_file) if log_file else lambda sign, data: None
    with books_to_play(book, book_variety, seed) as books:
        session = Session(
            SearchSource(searcher, steady, seed, variety),
            books=books,
            strength=strength,
            rules=rules or Rules(),
            ponders=ponder,
        )
        serve(session, wire, _STDIN, _STDOUT, log)


@click.command(cls=Command, exclusive=[ONE_STRENGTH])
@_engine_options
@group(
    "How it searches",
    click.option("--ponder", is_flag=True, help="Search on the opponent's time.  [default: off]"),
    rules_option,
)
def gtp(**given: Any) -> None:
    """Run as a GTP engine (version 2) for a GUI or match runner.

    Commands are read from standard input; docs/gtp.md describes each one. If no option limits the search, the
    controller's clock does.
    """
    from outflank.protocol.server.gtp.commands import Gtp  # imported late: only this command needs it

    _serve(Gtp(), **given)


@click.command(cls=Command, exclusive=[ONE_STRENGTH])
@_engine_options
def nboard(**given: Any) -> None:
    """Run as an NBoard engine (version 2) for the NBoard GUI.

    Commands are read from standard input; docs/nboard.md describes each one. A depth that the controller sets replaces
    --level.
    """
    from outflank.protocol.server.nboard.commands import NBoard

    _serve(NBoard(), **given)


@click.command(cls=Command, exclusive=[ONE_STRENGTH])
@_engine_options
def uci(**given: Any) -> None:
    """Run as a UCI engine for the variant flipello (Othello).

    Commands are read from standard input. Moves have the form P@f5, as in Fairy-Stockfish. docs/engines.md has the
    details.
    """
    from outflank.protocol.server.uci import Uci

    _serve(Uci(), **given)


def _log_to(path: Path) -> Callable[[str, bytes], None]:
    """Return a function that logs the dialogue to a file, in the format of a match's ``--log``.

    The function takes a sign and bytes: ``>`` and a received line, or ``<`` and a part of an answer. After its first
    error, it logs nothing more.

    Raises: UnwritableError if the file can't be opened; SettingsError if it is a run, a book or an archive.
    """
    file = open_to_append(path)
    began = time.monotonic()
    lock = Lock()  # two threads write to the log

    def log(sign: str, data: bytes) -> None:
        with lock:
            if file.closed:
                return
            try:
                file.buffer.write(f"{time.monotonic() - began:9.3f} engine {sign} ".encode() + data)
                file.flush()  # after each line, so that a crash loses nothing
            except OSError as error:
                with suppress(OSError):  # the same error again
                    file.close()
                warn(f"the log ends here, since it can't be written: {error.strerror}")

    return log
