"""Where a stream's requests come from: lines of JSON, or the games of files, whose last positions are meant."""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from outflank.engine import IllegalMoveError, NotationError
from outflank.protocol.formats.annotated import AnnotatedGame, BadGame
from outflank.protocol.formats.textlines import TOO_LONG, read_lines
from outflank.tools.analysis.requests import Defaults, Item, Query, Remark, read_request
from outflank.tools.cli.positions import Given, shown

Entry = AnnotatedGame | BadGame
_ESCAPED_BYTE = re.compile(r"[\udc80-\udcff]")


def items_of(names: Sequence[str], defaults: Defaults) -> Iterator[Item]:
    """All that is asked in files, on standard input and on the command line; games are numbered from 1 on.

    Raises: OSError.
    """
    count = itertools.count(1)
    for name in names:
        with Given(name) as given:
            stream = given.requests()
            if stream is not None:
                yield from requests_of(stream, defaults)
                continue
            try:
                yield from games_as_items(given.games(defaults.rules), name, defaults, count)
            except (NotationError, IllegalMoveError) as error:
                yield Remark({"id": next(count), "file": name}, str(error))


def requests_of(stream: BinaryIO, defaults: Defaults) -> Iterator[Item]:
    """The requests of a stream, one on each line that is not blank."""
    # With other bytes replaced, two ids that differ in them would be the same.
    for number, line, is_whole in read_lines(stream, "surrogateescape"):
        tags = {"id": None, "line": number}
        if not is_whole:
            yield Remark(tags, TOO_LONG)
        elif _ESCAPED_BYTE.search(line):
            yield Remark(tags, "this line is not UTF-8")
        elif line.strip():
            yield from read_request(line, number, defaults)


def games_as_items(
    entries: Iterator[Entry], name: str, defaults: Defaults, count: Iterator[int]
) -> Iterator[Item]:
    """The last position of each game as a query, and a remark for each that can't be read."""
    for number, entry in enumerate(entries, 1):
        tags = {"id": next(count), "file": shown(name), "number": number}
        if isinstance(entry, BadGame):
            yield Remark(tags, str(entry))
        else:
            yield Query(tags, entry.final, defaults.wish)
