"""The opening books that options select. Commands look positions up in them, or play from them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import SystemRandom

import click

from outflank.engine import NotationError
from outflank.protocol.server.booksource import NO_BOOK, BookSource, named_book, shipped_books
from outflank.protocol.server.movesource import USUAL_PLIES, MoveVariety
from outflank.tools.runtime.progress import warn


def book_variety(text: str) -> MoveVariety:
    """Parse ``DISCS[:PLIES]``, such as ``1.5:12``."""
    discs, _, plies = text.partition(":")
    try:
        number, count = float(discs), int(plies) if plies else USUAL_PLIES
    except ValueError:
        raise NotationError(f"expected DISCS or DISCS:PLIES, such as 1.5:12, got {text!r}") from None
    return MoveVariety(number, count)


def books_to_read(name: str | None) -> list[Path]:
    """Return the books in which a command looks positions up: the named book, or the shipped books by default."""
    if name is None:
        return shipped_books()
    if name == NO_BOOK:
        return []
    if not named_book(name).exists():
        raise click.BadParameter(f"there is no file {name!r}", param_hint="--book")
    return [named_book(name)]


@contextmanager
def books_to_play(name: str | None, variety: float, seed: int | None) -> Iterator[list[BookSource]]:
    """Yield the opening books that the engine plays from, and close the books when the context exits.

    Variety needs a seed for random choices. If `seed` is None, it is drawn; the engine's description contains the seed.
    """
    if variety and seed is None:
        seed = SystemRandom().randrange(2**31)
    paths = [] if name == NO_BOOK else shipped_books() if name is None else [named_book(name)]
    with ExitStack() as stack:
        yield [
            stack.enter_context(BookSource(path, warn, discs=variety, seed=seed, shipped=name is None))
            for path in paths
        ]
