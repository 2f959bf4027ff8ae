"""Boards that nothing is trained on, solved exactly: what an evaluation's errors are measured with.

They are boards set aside (openings.py) out of games, one at most of each. The file is OBF, one line a board; it grows
in an order that the seed fixes, so that an interrupted run goes on where it was.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from outflank.engine import Colour, FileFormatError, Limit, Position
from outflank.engine.weights import SHIPPED
from outflank.protocol.formats.obf import Problem
from outflank.tools.train.dataset import Records, empties, game_numbers
from outflank.tools.work.executor import open_executor, run_in_order
from outflank.tools.work.progress import progress_bar
from outflank.tools.work.searcher import cleared_searcher

_Board = tuple[int, int]  # own, opp


@dataclass(frozen=True, slots=True)
class DevsetSettings:
    """Which boards, and what is found out about them.

    Attributes:
        empties: empty squares of each board.
        boards: how many.
        seed: of their choice.
        all_moves: solve each move of a board, not just the board.
    """

    empties: int
    boards: int
    seed: int
    all_moves: bool


def make_devset(
    games: Records,
    out: Path,
    settings: DevsetSettings,
    *,
    workers: int | None = None,
    cluster: str | None = None,
) -> int:
    """Solve boards of the games into a file until it has them all; how many there are, fewer if the games have no more.

    Raises: FileFormatError if the file holds other lines than these settings make.
    """
    boards = boards_set_aside(games, settings)
    done = _lines_there(out, boards)
    with (
        out.open("a") as file,
        open_executor(workers, cluster) as (executor, at_once),
        progress_bar("devset", len(boards), "boards", done) as advance,
    ):
        task = partial(_solved_line, settings.all_moves)
        for line in run_in_order(executor, task, boards[done:], at_once):
            file.write(f"{line}\n")
            file.flush()
            advance(1)
    return len(boards)


def boards_set_aside(games: Records, settings: DevsetSettings) -> list[_Board]:
    """The boards (own, opp), no two of one game and no two alike, in the order that the seed says."""
    here = np.flatnonzero((empties(games) == settings.empties) & ~games["learned"])
    _, first_of_game = np.unique(game_numbers(games)[here], return_index=True)
    rows = games[here[first_of_game]]
    return list(_different(rows[np.random.default_rng(settings.seed).permutation(len(rows))]))[
        : settings.boards
    ]


def _different(rows: Records) -> Iterator[_Board]:
    seen = set()
    for row in rows:
        position = Position(int(row["own"]), int(row["opp"]), Colour.BLACK)
        canonical = position.canonical()[0]
        if (canonical.own, canonical.opp) not in seen:
            seen.add((canonical.own, canonical.opp))
            yield position.own, position.opp


def _lines_there(out: Path, boards: list[_Board]) -> int:
    """How many boards a file has already; a line that was cut short is taken off."""
    lines = out.read_text().splitlines(keepends=True) if out.exists() else []
    whole = [line for line in lines if line.endswith(";\n")]
    for line, board in zip(whole, boards, strict=False):
        if not line.startswith(Position(*board, Colour.BLACK).board_string()):
            raise FileFormatError(
                f"{out} has boards that were chosen with other settings, such as {line.strip()!r}"
            )
    out.write_text("".join(whole))
    return len(whole)


def _solved_line(all_moves: bool, board: _Board) -> str:
    """A line of the file."""
    position = Position(*board, Colour.BLACK)
    count = len(position.legal_moves()) if all_moves else 1
    found = cleared_searcher(SHIPPED).search(position, Limit.solve(), multipv=count)
    if not all_moves:
        return str(Problem(position, own_score=round(found.score)))
    return str(Problem(position, {line.move: round(line.score) for line in found.lines}))
