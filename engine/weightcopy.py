"""One copy of the weights, ready for the search, for all engine processes of a user: made once, mapped by each of them.

The copy lies in ``$XDG_CACHE_HOME/outflank``, or ``~/.cache/outflank``, and is named after the weights file's
checksums. A process that can't read or write one makes the weights ready in memory of its own in
half a second.

    64 bytes         magic and byte order; how many bytes of rows, entries, layers and starts follow
    the numbers      as `ReadyWeights` has them, zeros up to a multiple of 64 bytes
    64 bytes         the checksum of all before, zeros

A copy is used only if folder and file belong to the user, no other user may write to them, neither is a symbolic link,
and the checksum, taken over the whole at each mapping, is right. It appears under its name when it is complete, so
several processes may make it at once.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
import sys
import time
from contextlib import suppress
from itertools import accumulate, pairwise
from pathlib import Path

from outflank.engine.checksum import checksum
from outflank.engine.memory import reserve, shared
from outflank.engine.readyweights import ReadyWeights
from outflank.engine.weights import SHIPPED, identity, read

_BLOCK = 64
_HEAD = struct.Struct("=32s4Q")
_END = struct.Struct("=Q56x")
_MAGIC = f"OUTFLANK READY WEIGHTS 1 {sys.byteorder}".encode().ljust(32)
# Of other weights, by when they were last used. Processes that have mapped a copy keep it when its name goes.
_OTHERS_KEPT = 2
# What was begun longer ago than this is left over from a process that died.
_SECONDS_TO_MAKE_ONE = 3600


def load(path: Path = SHIPPED) -> ReadyWeights:
    """The weights of a file, in memory that processes share if that can be had.

    A copy that was made of them is used even if the file has been damaged behind its header since.

    Raises: FileFormatError naming the file and what is wrong with it.
    """
    name = _name(path)
    try:
        folder = _open_folder()
    except OSError:
        return ReadyWeights.of(read(path))
    try:
        return _mapped(folder, name) or _made(folder, name, path)
    finally:
        os.close(folder)


def _name(path: Path) -> str:
    """What the copy of a weights file is called."""
    return f"weights-{identity(path)}-ready.bin"


def _open_folder() -> int:
    """A descriptor of the folder of the copies, which is made if it is missing.

    Raises: OSError if there is none, or if somebody else could change what is in it.
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


def _mapped(folder: int, name: str) -> ReadyWeights | None:
    """The weights of a copy; None if there is none that can be trusted."""
    try:
        # Without waiting: what bears the name might be a pipe.
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return None
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or not _only_ours(status):
            return None
        weights = _unwrapped(shared(file, status.st_size))
        with suppress(OSError):
            os.utime(file)  # used just now
        return weights
    except (OSError, ValueError):  # it can't be mapped, or is another thing or damaged
        return None
    finally:
        os.close(file)


def _unwrapped(memory: mmap.mmap) -> ReadyWeights:
    """The weights in a copy's bytes.

    Raises: ValueError if they are no copy, or one that has been changed.
    """
    view = memoryview(memory)
    if len(view) < 2 * _BLOCK or len(view) % _BLOCK:
        raise ValueError("another length")
    if view[-_BLOCK:] != _END.pack(checksum(view[:-_BLOCK])):
        raise ValueError("another checksum")
    magic, *sizes = _HEAD.unpack_from(view)
    if magic != _MAGIC:
        raise ValueError("a copy of another kind")
    borders = pairwise(accumulate(sizes, initial=_BLOCK))
    rows, entries, layers, starts = (view[begin:end] for begin, end in borders)
    return ReadyWeights(rows.cast("b"), entries.cast("i"), layers.cast("h"), starts.cast("i"))


def _wrapped(weights: ReadyWeights) -> mmap.mmap:
    """A copy's bytes.

    Raises: OSError if there is no memory for them.
    """
    parts = [
        memoryview(numbers).cast("B")
        for numbers in (weights.rows, weights.entries, weights.layers, weights.starts)
    ]
    size = sum(map(len, parts))
    memory = reserve(_BLOCK + -(-size // _BLOCK) * _BLOCK + _BLOCK)
    memory.write(_HEAD.pack(_MAGIC, *map(len, parts)))
    for part in parts:
        memory.write(part)
    _END.pack_into(memory, len(memory) - _BLOCK, checksum(memoryview(memory)[:-_BLOCK]))
    return memory


def _made(folder: int, name: str, path: Path) -> ReadyWeights:
    """The weights of a file, from a copy made of them if possible.

    Raises: FileFormatError as ``load``.
    """
    weights = ReadyWeights.of(read(path))
    if _name(path) != name:  # the file has been replaced meanwhile
        return weights
    try:
        _write(folder, name, _wrapped(weights))
        _remove_others(folder, name)
    except OSError:
        return weights
    return _mapped(folder, name) or weights


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
