"""Reads and writes the records of training positions, and selects the boards that training leaves out."""

import json
import random
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outflank.engine import STARTS, Colour, FileFormatError, Move, Position, Rules, SearchResult
from outflank.engine.search.limits import Percent
from outflank.storage.files import write_whole
from outflank.tools.match.openings.sources import play_random

_HOW_JUDGED = (("depth", "u1"), ("selectivity", "u1"), ("learned", "?"))
RECORD = np.dtype(
    [("own", "<u8"), ("opp", "<u8"), ("result", "i1"), ("guess", "i1"), ("place", "u1"), *_HOW_JUDGED]
)
Records = NDArray[np.void]
_MAGIC = b"OUTFLANK POSITIONS 2\n"
_SUFFIX = ".positions"


def shard_path(folder: Path, number: int) -> Path:
    """Return the path of the shard with this number."""
    return folder / f"{number:06d}{_SUFFIX}"


def write_shard(path: Path, records: Records, made: Mapping[str, Any]) -> None:
    """Write a shard atomically."""
    raw = records.tobytes()
    header = {
        **made,
        "games": int(np.count_nonzero(records["place"] == 0)),
        "positions": len(records),
        "crc32": zlib.crc32(raw),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _MAGIC + json.dumps(header).encode() + b"\n" + zlib.compress(raw, 1))


def read_header(path: Path) -> dict[str, Any]:
    """Return the JSON object in a shard's header. Raises: FileFormatError with the name and the fault of the file."""
    with path.open("rb") as file:
        magic, line = file.readline(len(_MAGIC)), file.readline()
    if magic != _MAGIC:
        raise FileFormatError(f"{path} is not a shard of positions, or has another version")
    try:
        header = json.loads(line)
    except ValueError:
        raise FileFormatError(f"the shard of positions {path} has a damaged header") from None
    if not isinstance(header, dict):
        raise FileFormatError(f"the shard of positions {path} has a damaged header")
    return header


def read_shard(path: Path) -> Records:
    """Return the records of a shard. Raises: FileFormatError with the name and the fault of the file."""
    header = read_header(path)
    try:
        raw = zlib.decompress(path.read_bytes().split(b"\n", 2)[2])
    except zlib.error:
        raise FileFormatError(f"the shard of positions {path} has damaged records") from None
    if zlib.crc32(raw) != header.get("crc32") or len(raw) != header.get("positions", -1) * RECORD.itemsize:
        raise FileFormatError(f"the records of the shard of positions {path} do not match their checksum")
    return np.frombuffer(raw, RECORD)


def shards_there(folder: Path) -> list[Path]:
    """Return the paths of the shards in a folder, in the order of their numbers; empty if the folder does not exist."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


def games_there(folder: Path, settings: Mapping[str, Any]) -> dict[int, int]:
    """Return the number of games in each shard of a folder, by the shard's number.

    Raises: FileFormatError if a shard was made with other settings.
    """
    found = {}
    expected = json.loads(json.dumps(settings))  # converts tuples to lists, as in the headers
    for path in shards_there(folder):
        header = read_header(path)
        made = header.get("settings")
        unnamed = isinstance(made, dict) and "evaluation" not in made  # version 1.0.0 stored no checksum
        wanted = {name: value for name, value in expected.items() if name != "evaluation" or not unnamed}
        if made != wanted:
            raise FileFormatError(f"expected {path} to be made with {wanted}, got {made}")
        found[int(path.stem)] = int(header["games"])
    return found


def shards(folders: Iterable[Path]) -> list[Path]:
    """Return the shards of folders, folder after folder. Raises: FileFormatError if a folder has no shards."""
    found = []
    for folder in folders:
        here = shards_there(folder)
        if not here:
            raise FileFormatError(f"{folder} has no shards of positions")
        found += here
    return found


def load(folders: Iterable[Path]) -> Records:
    """Return the records of all shards of folders. The records of a game are contiguous.

    Raises: FileFormatError, see ``read_shard`` and ``shards``.
    """
    return np.concatenate([read_shard(path) for path in shards(folders)])


def load_solved(folders: Iterable[Path]) -> Records:
    """Return the records of positions that were searched to the end of the game.

    The results of these records are accurate even if the games were played badly.

    Raises: FileFormatError, see ``read_shard`` and ``shards``.
    """
    return np.concatenate([_solved(path) for path in shards(folders)])


def _solved(path: Path) -> Records:
    records = read_shard(path)
    game = game_numbers(records)
    ended = solved(records)
    found, game = records[ended].copy(), game[ended]
    found["place"] = np.append(0, np.diff(game) == 0)[: len(found)]
    return found


def game_numbers(records: Records) -> NDArray[np.int64]:
    """Return the number of the game that each record belongs to, from 0."""
    return np.asarray(np.cumsum(records["place"] == 0) - 1)


def solved(records: Records) -> NDArray[np.bool_]:
    """Return a mask of the positions that were searched to the end of the game, at any selectivity."""
    return np.asarray(records["depth"] >= empties(records))


def empties(records: Records) -> NDArray[np.int64]:
    """Return the number of empty squares of each position."""
    return np.asarray(64 - np.bitwise_count(records["own"] | records["opp"]).astype(np.int64))


# One board in 16 is set aside for matches and dev sets. Training leaves out these boards.
_SHARE_SET_ASIDE = 16
_START_POSITIONS = {start: Position.start(Rules(start=start)) for start in STARTS}


def set_aside(position: Position) -> bool:
    """Return whether a board is set aside. The result is the same for all symmetric images of a board."""
    canonical, _ = position.canonical()
    return zlib.crc32(f"{canonical.own:x} {canonical.opp:x}".encode()) % _SHARE_SET_ASIDE == 0


def random_opening(rng: random.Random, moves: int, *, matches: bool, start: str = "diagonal") -> Position:
    """Return a position after `moves` random moves, not counting passes. The side to move has a legal move.

    If `matches` is True, the position is one of the boards that are set aside; otherwise, training may use the
    position.
    """
    while True:
        played = play_random(rng, _START_POSITIONS[start], moves)
        if played is not None and set_aside(played[0]) == matches:
            return played[0]


Judged = tuple[Position, float, int, Percent]
"""A position with a legal move, and the score, the depth and the selectivity of its search.

The score is in discs for the side to move. The depth is in plies; it is the number of empty squares if the search
reached the end of the game. The selectivity is in percent.
"""


def judged(position: Position, found: SearchResult) -> Judged:
    """Return a position with the score, depth and selectivity of its search."""
    return position, found.score, found.depth, found.selectivity


def judged_line(position: Position, found: SearchResult, down_to: int = 0) -> Iterator[Judged]:
    """Yield the positions of the best line of a search to the end of the game, down to `down_to` empty squares.

    The searched position is always included.
    """
    for there in _played_line(position, found.pv):
        if there.empties < down_to and there is not position:
            return
        score = found.score if there.side is position.side else -found.score
        yield there, score, there.empties, found.selectivity


def _played_line(position: Position, moves: Iterable[Move]) -> Iterator[Position]:
    for move in moves:
        if not position.must_pass:
            yield position
        position = position.play(move)


def as_records(game: Iterable[Judged], score: float, side: Colour) -> Records:
    """Return the records of a game that ended with `score` for `side`."""
    rows = []
    for place, (there, guess, depth, selectivity) in enumerate(game):
        result = score if there.side is side else -score
        rows.append((there.own, there.opp, result, guess, place, depth, selectivity, not set_aside(there)))
    return np.array(rows, RECORD)


def position_of(record: np.void) -> Position:
    """Return the position of a record with Black to move, since records do not store the colour."""
    return Position(int(record["own"]), int(record["opp"]), Colour.BLACK)
