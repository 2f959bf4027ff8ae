"""Measures books for docs/book.md: ``python -m outflank.measure.books TASK ...``.

``curve LOG PICTURE`` draws the growth of a book. LOG is a file that ``outflank book build --log`` wrote. The suffix of
PICTURE determines its format. ``speed BOOK`` measures the time of probes. ``theory BOOK [PREFIX]`` compares a book with
the named openings.
"""

import json
import random
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from outflank.book import Book
from outflank.book.names import Opening, openings
from outflank.engine import Colour, Game, Position, Searcher, limit_for_level

_DRAW = 0  # the result of perfect play (Takizawa, Othello is Solved, 2023)
_PROBES = 5000
_LEVEL, _END_LEVEL, _LINE_LEVEL = 18, 24, 20
_EVEN = 2  # the maximum absolute score of an even line, in discs


def draw_growth(log: Path, path: Path) -> None:
    """Draw the number of positions, the processor time and the root's error against the time in minutes.

    Args:
        log: the log. Lines without a root are skipped.
        path: the path of the image.
    """
    # The imports are not at the top, since most programs that import this file draw nothing.
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    from outflank.tools.train.plot import save_figure

    lines: list[dict[str, Any]] = [json.loads(line) for line in log.read_text().splitlines()]
    shown = [line for line in lines if line["root"]]
    minutes = [line["seconds"] / 60 for line in shown]
    figure = Figure(figsize=(7, 5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    above.plot(minutes, [line["positions"] / 1000 for line in shown])
    above.set(ylabel="thousand positions", ylim=(0, None))
    worked = above.twinx()
    worked.plot(minutes, [line["processor_seconds"] / 60 for line in shown], color="grey", linestyle=":")
    worked.set(ylabel="processor minutes (dotted)", ylim=(0, None))
    roots = [line["root"] for line in shown]
    low, middle, high = ([root[name] - _DRAW for root in roots] for name in ("lower", "score", "upper"))
    below.fill_between(minutes, low, high, step="mid", alpha=0.2, label="its bounds")
    below.step(minutes, middle, where="mid", label="the root's error")
    below.set(xlabel="minutes", ylabel="discs")
    below.yaxis.set_major_locator(MaxNLocator(integer=True))
    below.legend(loc="lower right")
    for axes in (above, worked, below):
        axes.tick_params(right=False)
    for axes in (above, below):
        axes.grid(alpha=0.3)
    save_figure(figure, path)


def time_probes(path: Path) -> None:
    """Print probe times for random positions in the book, and for random positions one move outside the book."""
    rng = random.Random(1)
    with Book.open(path) as book:
        entries = list(book.entries())
        known = [rng.choice(entries).position for _ in range(_PROBES)]
        outside = [
            after
            for entry in entries
            for move in entry.moves
            if not move.linked and not (after := entry.position.play(move.move)).is_over
        ]
        unknown = [rng.choice(outside) for _ in range(_PROBES)]
        print(f"{len(entries):,} positions, {path.stat().st_size / len(entries):.0f} bytes each")
        for name, positions in (("in the book", known), ("not in the book", unknown)):
            for position in positions[:200]:
                book.probe(position)
            print(f"{name:<16} {_percentiles(book, positions)}")


def _percentiles(book: Book, positions: Sequence[Position]) -> str:
    times = []
    for position in positions:
        began = time.perf_counter_ns()
        book.probe(position)
        times.append((time.perf_counter_ns() - began) / 1000)
    times.sort()
    median, late = times[len(times) // 2], times[len(times) * 99 // 100]
    return f"p50 {median:.0f} us, p99 {late:.0f} us, longest {times[-1]:.0f} us"


_searcher = cache(lambda: Searcher(256))


@cache
def searched(position: Position, level: int) -> tuple[int, str]:
    """Search a position at a level, and return the score in discs for Black and the best move."""
    _searcher().clear()
    result = _searcher().search(position, limit_for_level(level, position.empties))
    score = round(result.score)
    return score if position.side is Colour.BLACK else -score, str(result.move)


def judged(book: Book, opening: Opening) -> tuple[int, str]:
    """Return the score of a line in discs for Black, and a description of the part of the line that is in the book.

    The score is from the book, or from a search if the book lacks the last position of the line.
    """
    game = Game.from_transcript(opening.moves)
    positions = [turn.before for turn in game.turns] + [game.position]
    known = max(at for at, position in enumerate(positions) if position in book)
    entry = book.probe(game.position)
    if entry is None:
        score, _ = searched(game.position, _LEVEL)
    else:
        score = entry.score if game.position.side is Colour.BLACK else -entry.score
    return score, "whole" if known == len(game.turns) else f"{known} of {len(game.turns)} moves"


def blamed(opening: Opening) -> str:
    """Return the last cells of an opening's row in the second table: score, most costly move, and a better move.

    The score is from a search of the position after the opening, at ``_END_LEVEL``. A move that the search chooses, or
    a symmetric image of this move, has no cost, regardless of the scores.
    """
    game = Game.from_transcript(opening.moves)
    end, _ = searched(game.position, _END_LEVEL)
    positions = [turn.before for turn in game.turns] + [game.position]
    judged = [searched(position, _LINE_LEVEL) for position in positions]
    losses = []
    for number, turn in enumerate(game.turns):
        (before, better), (after, _) = judged[number : number + 2]
        if turn.before.play(better).canonical()[0] != positions[number + 1].canonical()[0]:
            losses.append(((before - after) * (1 if turn.colour is Colour.BLACK else -1), -number, better))
    lost, number, better = max(losses, default=(0, 0, ""))
    blame = f"{1 - number}. {game.turns[-number].move}, {lost} | {better}" if lost > 0 else " | "
    return f"{end:+d} | {blame}"


def compare(path: Path, prefix: str = "f5d6") -> None:
    """Compare a book with the named openings, in the two tables of docs/book.md.

    Both tables have named lines that begin with the prefix. The first table has the lines whose score is within two
    discs of even. The second table has the other lines, with results of deeper searches and the most costly moves.
    """
    with Book.open(path) as book:
        lines = [
            (opening, *judged(book, opening))
            for opening in sorted(openings(), key=lambda opening: opening.moves)
            if opening.names and opening.moves.startswith(prefix)
        ]
    even = [line for line in lines if abs(line[1]) <= _EVEN]
    print(f"{len(even)} of {len(lines)} lines within {_EVEN} discs\n")
    for opening, score, known in even:
        print(f"| `{opening.moves}` | {opening} | {score:+d} | {known} |", flush=True)
    print()
    for opening, score, _ in lines:
        if abs(score) > _EVEN:
            print(f"| `{opening.moves}` | {opening} | {score:+d} | {blamed(opening)} |", flush=True)


if __name__ == "__main__":
    task, path, *others = sys.argv[1:]
    if task == "curve":
        draw_growth(Path(path), Path(*others))
    elif task == "speed":
        time_probes(Path(path))
    else:
        compare(Path(path), *others)
