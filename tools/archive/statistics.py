"""Computes statistics of games in files: players, events, openings, results, years and lengths."""

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any

import click

from outflank.book.names import opening_of
from outflank.engine import Rules, Symmetry
from outflank.protocol.formats import FormatName
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.protocol.formats.clocks import year_of
from outflank.tools.cli.game_filter import RESULTS, GameFilter, ResultName, result_of
from outflank.tools.cli.positions import ReadGames
from outflank.tools.report.board import say
from outflank.tools.runtime.progress import counted, json_line

_TABLES = {symmetry: bytes([*map(symmetry.square, range(64)), *range(64, 256)]) for symmetry in Symmetry}
_MOST_COMMON = 10


def is_new(game: AnnotatedGame, known: set[bytes]) -> bool:
    """Add the 16-byte hash of the game to `known`. Return whether the hash was new."""
    before = len(known)
    known.add(_key(game))
    return len(known) > before


def _key(game: AnnotatedGame) -> bytes:
    """Return a hash of the rules, the first position and the moves except passes.

    Symmetric games share the hash, except under one-direction rules.
    """
    moves = [played.move for played in game.moves if not played.move.is_pass]
    first, rules = game.first, str(game.rules).encode()
    if game.rules.one_direction:
        images = [" ".join([first.board_string(), *map(str, moves)]).encode()]
    else:
        squares = bytes(move.square or 0 for move in moves)
        images = [
            first.transformed(symmetry).board_string().encode() + squares.translate(table)
            for symmetry, table in _TABLES.items()
        ]
    return blake2b(rules + min(images), digest_size=16).digest()


def print_statistics(
    files: Sequence[str],
    source: FormatName | None,
    rules: Rules,
    wanted: GameFilter,
    unique: bool,
    as_json: bool,
) -> None:
    """Print statistics of the wanted games in files."""
    read, statistics = ReadGames(), GameStatistics()
    for _, _, game in read.of(files, source, rules, files_only=True):
        if wanted.allows(game):
            statistics.add(game, unique)
    read.end()
    if not read.bad.count:
        wanted.expect_found(statistics.games, read.unnamed)
    if as_json:
        click.echo(json_line(statistics.facts() | {"bad": read.bad.count}))
    elif statistics.games:
        for line in statistics.lines():
            say(line)
    read.expect_good()


class GameStatistics:
    """Counts games by players, events, openings, results, years and lengths."""

    def __init__(self) -> None:
        self.games = 0
        self._results: Counter[ResultName] = Counter()
        self._margins = self._decided = 0
        self._lengths: Counter[int] = Counter()
        self._years: Counter[int] = Counter()
        self._names: dict[str, Counter[str]] = {name: Counter() for name in ("players", "events", "openings")}
        self._known: set[bytes] = set()
        self._repeated = 0

    def add(self, game: AnnotatedGame, unique: bool) -> None:
        """Count a game. With `unique`, leave out a game that repeats an earlier game."""
        if not is_new(game, self._known):
            self._repeated += 1
            if unique:
                return
        self.games += 1
        self._results[result_of(game)] += 1
        outcome = game.outcome
        if outcome is not None and outcome.margin is not None:
            self._margins += outcome.margin
            self._decided += 1
        self._lengths[game.discs_played] += 1
        if (year := year_of(game.date)) is not None:
            self._years[year] += 1
        players = dict.fromkeys((game.black, game.white))  # if both sides have the same name, it counts once
        self._names["players"].update(name for name in players if name not in ("", "?"))
        self._names["events"].update(filter(None, [game.event]))
        opening = opening_of(game.positions)
        self._names["openings"].update([opening.name] if opening else [])

    def facts(self) -> dict[str, Any]:
        """Return the statistics as JSON data."""
        return {
            "games": self.games,
            "repeated": self._repeated,
            "results": {name: self._results[name] for name in RESULTS},
            "mean_margin": round(self._margins / self._decided, 3) if self._decided else None,
            "lengths": {str(length): count for length, count in sorted(self._lengths.items())},
            "years": {str(year): count for year, count in sorted(self._years.items())},
            **{name: dict(counts.most_common()) for name, counts in self._names.items()},
        }

    def lines(self) -> Iterator[str]:
        """Yield the statistics as lines of text."""
        yield f"games     {self.games:,}; {self._repeated:,} repeat the moves of an earlier one"
        shares = (
            f"{name} {self._results[name]:,} ({self._results[name] / self.games:.1%})" for name in RESULTS
        )
        yield f"results   {', '.join(shares)}"
        if self._decided:
            yield f"margin    {self._margins / self._decided:+.2f} discs for Black on average"
        full = counted(self._lengths[60], "game")
        yield f"length    {min(self._lengths)} to {max(self._lengths)} discs played, {full} of 60"
        if self._years:
            ((most, _),) = self._years.most_common(1)
            yield f"years     {min(self._years)} to {max(self._years)}, most games in {most}"
        for name, counts in self._names.items():
            first = ", ".join(f"{each} {count:,}" for each, count in counts.most_common(_MOST_COMMON))
            yield f"{name:<9} {len(counts):,}{': ' if first else ''}{first}"
