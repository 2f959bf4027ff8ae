"""One copy of the weights, ready for the search, for all engine processes of a user: made once, mapped by each of them.

The copy lies in ``$XDG_CACHE_HOME/outflank``, or ``~/.cache/outflank``, and is named after the weights file's
checksums. A process that can't read or write one makes the weights ready in memory of its own in
half a second.

    64 bytes         magic and byte order; the weights file's checksums; how many bytes of rows follow; zeros
    the numbers      as `ReadyWeights` has them: rows, entries, layers, starts; zeros up to a multiple of 64 bytes
    64 bytes         the checksum of all before, zeros

A copy is used only if folder and file belong to the user, no other user may write to them, neither is a symbolic link,
it says that it was made of these weights, and its length and its checksum, taken over the whole at each mapping,
are right. Any other one is replaced. Whatever its entries say, no row outside the copy is read. It appears under its
name when it is complete, so several processes may make it at once.

Nobody may write to a copy, so nobody but root, or its owner after a chmod, can shorten one that engines have mapped:
that would end them by SIGBUS, after a sentence. Removing or replacing it does them no harm.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

from outflank.engine.evaluation.evaluate import HEADS, NUMBERS_OF_A_LAYER, STAGES, SUMS
from outflank.engine.evaluation.packing import MOST_ROWS, checksum, distinct_rows, reserve, shared, with_rows
from outflank.engine.evaluation.patterns import PHASES, WEIGHTS_OF_A_PHASE
from outflank.engine.evaluation.weights import SHIPPED, Numbers, Weights, identity, read


@dataclass(frozen=True, slots=True)
class ReadyWeights:
    """All numbers of an evaluation, each row once.

    Attributes:
        rows: int8, the different rows of each stage, stage by stage, SUMS numbers each.
        entries: int32, PHASES * WEIGHTS_OF_A_PHASE, phase by phase; evaluate.pxd says what they mean.
        layers: int16, as `Weights` has them.
        starts: int32, STAGES, the number of each stage's first row.
    """

    rows: Numbers
    entries: Numbers
    layers: Numbers
    starts: Numbers

    @classmethod
    def of(cls, weights: Weights) -> ReadyWeights:
        """The contents of a weights file, made ready.

        Raises: ValueError if mirrored configurations have rows of their own, so that there are too many.
        """
        rows, starts, numbers = distinct_rows(weights.rows, SUMS, STAGES)
        return cls(rows, with_rows(weights.tables, numbers, PHASES, STAGES), weights.layers, starts)


_BLOCK = 64
_HEAD = struct.Struct("=32s16sQ8x")
_END = struct.Struct("=Q56x")
_MAGIC = f"OUTFLANK READY WEIGHTS 2 {sys.byteorder}".encode().ljust(32)
# Bytes of what follows the rows: entries, layers, starts.
_AFTER_ROWS = (4 * PHASES * WEIGHTS_OF_A_PHASE, 2 * HEADS * NUMBERS_OF_A_LAYER, 4 * STAGES)
# Of other weights, by when they were last used. Processes that have mapped a copy keep it when its name goes.
_OTHERS_KEPT = 2
# A file begun longer ago than this was left by a process that died.
_SECONDS_TO_MAKE_ONE = 3600


def load(path: Path = SHIPPED) -> ReadyWeights:
    """The weights of a file, in memory that processes share if that can be had.

    A copy that was made of them is used even if the file has been damaged after its header since.

    Raises: FileFormatError naming the file and its fault.
    """
    original = identity(path)
    try:
        folder = _open_folder()
    except OSError:
        return ReadyWeights.of(read(path))
    try:
        return _mapped(folder, original) or _made(folder, original, path)
    finally:
        os.close(folder)


def _name(original: str) -> str:
    """The name of the copy of weights with this identity; another version's layout has another name."""
    return f"weights-{original}-ready-2.bin"


def _open_folder() -> int:
    """A descriptor of the folder of the copies, which is made if it is missing.

    Raises: OSError if there is none, or if somebody else could change its contents.
    """
    above = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(above):  # to be ignored, says the XDG Base Directory Specification
        above = os.path.expanduser("~/.cache")
    if not os.path.isabs(above):
        raise FileNotFoundError
    path = os.path.join(above, "outflank")
    os.makedirs(above, mode=0o700, exist_ok=True)
    with suppress(FileExistsError):
        os.mkdir(path, 0o700)
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    if not _only_ours(os.fstat(folder)):
        os.close(folder)
        raise PermissionError
    return folder


def _only_ours(status: os.stat_result) -> bool:
    """Whether something belongs to the user and no other user may write to it."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _mapped(folder: int, original: str) -> ReadyWeights | None:
    """The weights of a copy of those with this identity; None if there is none that can be trusted."""
    try:
        # Without waiting: a file of this name might be a pipe.
        file = os.open(_name(original), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or not _only_ours(status):
            return None
        weights = _unwrapped(shared(file, status.st_size), original)
        with suppress(OSError):
            os.utime(file)  # used just now
        return weights
    except (OSError, ValueError):  # it can't be mapped, or is another thing or damaged
        return None
    finally:
        os.close(file)


def _unwrapped(memory: mmap.mmap, original: str) -> ReadyWeights:
    """The weights in a copy's bytes; `original` is the identity of what it has to be a copy of.

    Raises: ValueError if they are no such copy, or one that has been changed.
    """
    view = memoryview(memory)
    if len(view) < 2 * _BLOCK:
        raise ValueError("another length")
    magic, made_of, rows_size = _HEAD.unpack_from(view)
    if (magic, made_of) != (_MAGIC, original.encode()):
        raise ValueError("a copy of another kind or of other weights")
    sizes = (rows_size, *_AFTER_ROWS)
    if rows_size % SUMS or len(view) != _whole_length(sizes):
        raise ValueError("another length")
    if view[-_BLOCK:] != _END.pack(checksum(view[:-_BLOCK])):
        raise ValueError("another checksum")
    borders = pairwise(accumulate(sizes, initial=_BLOCK))
    rows, entries, layers, starts = (view[begin:end] for begin, end in borders)
    weights = ReadyWeights(rows.cast("b"), entries.cast("i"), layers.cast("h"), starts.cast("i"))
    # An entry has room for the numbers 0 to MOST_ROWS - 1: of those rows even the last one lies in the copy.
    most = (len(view) - _BLOCK) // SUMS - MOST_ROWS
    if not all(0 <= start <= min(most, rows_size // SUMS) for start in weights.starts):
        raise ValueError("rows outside the copy")
    return weights


def _whole_length(sizes: Sequence[int]) -> int:
    """Bytes of a copy whose parts have these sizes."""
    return _BLOCK + -(-sum(sizes) // _BLOCK) * _BLOCK + _BLOCK


def _wrapped(weights: ReadyWeights, original: str) -> mmap.mmap:
    """A copy's bytes.

    Raises: OSError if there is no memory for them.
    """
    parts = [
        memoryview(numbers).cast("B")
        for numbers in (weights.rows, weights.entries, weights.layers, weights.starts)
    ]
    memory = reserve(_whole_length([len(part) for part in parts]))
    memory.write(_HEAD.pack(_MAGIC, original.encode(), len(parts[0])))
    for part in parts:
        memory.write(part)
    _END.pack_into(memory, len(memory) - _BLOCK, checksum(memoryview(memory)[:-_BLOCK]))
    return memory


def _made(folder: int, original: str, path: Path) -> ReadyWeights:
    """The weights of a file, from a copy made of them if possible.

    Raises: FileFormatError as ``load``.
    """
    weights = ReadyWeights.of(read(path))
    if identity(path) != original:  # the file has been replaced meanwhile
        return weights
    try:
        _write(folder, _name(original), _wrapped(weights, original))
        _remove_others(folder, _name(original))
    except OSError:
        return weights
    return _mapped(folder, original) or weights


def _write(folder: int, name: str, content: mmap.mmap) -> None:
    """Put a file into the folder, complete from the moment it has its name.

    Raises: OSError if that fails; nothing is left behind.
    """
    temporary = f".{name}.{os.urandom(8).hex()}"
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o400, dir_fd=folder)
    try:
        try:
            # At once, so that the system may keep it in huge pages.
            if os.write(file, content) != len(content):
                raise OSError("the disk is full")
        finally:
            os.close(file)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:  # Ctrl-C too
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _remove_others(folder: int, name: str) -> None:
    """Remove copies of other weights but those last used, and what others have left unfinished.

    Raises: OSError if the folder can't be read.
    """
    copies, now = [], time.time()
    for other in os.listdir(folder):
        unfinished = other.startswith(".weights-")
        if other == name or not (unfinished or other.startswith("weights-")):
            continue
        with suppress(OSError):
            used = os.stat(other, dir_fd=folder, follow_symlinks=False).st_mtime
            if not unfinished:
                copies.append((used, other))
            elif now - used > _SECONDS_TO_MAKE_ONE:
                os.unlink(other, dir_fd=folder)
    for _, other in sorted(copies, reverse=True)[_OTHERS_KEPT:]:
        with suppress(OSError):
            os.unlink(other, dir_fd=folder)
