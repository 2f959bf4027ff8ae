"""The file that complete proofs are appended to, and a second file with the incomplete proofs.

Both files are synced before the next step, so a crash loses only the running tasks of the workers. If a process is
interrupted while it appends a proof, the incomplete proof is removed when the file is opened again.
"""

import json
import lzma
import os
import re
import sqlite3
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Self

from outflank import __version__
from outflank.engine import FileFormatError, Move, Position, Rules, SettingsError
from outflank.storage.database import DatabaseKind, remove_database, transaction
from outflank.storage.files import file_of, open_regular, writing
from outflank.storage.lock import WriterLock
from outflank.tools.runtime.progress import counted
from outflank.tools.solving.proofs.write import VERSION, ProofState

PART_SUFFIX = ".part"
"""The suffix of the name of the file with the incomplete proofs."""
_PARTS = DatabaseKind(
    "a file of incomplete proofs",
    application=0x4F464C50,  # "OFLP"
    tables="""
CREATE TABLE proofs (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE part (
    board TEXT PRIMARY KEY, score INTEGER NOT NULL, facts TEXT NOT NULL, lines INTEGER NOT NULL, half INTEGER NOT NULL,
    path TEXT NOT NULL, proven BLOB NOT NULL, seconds REAL NOT NULL, checksum INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE chunk (
    board TEXT NOT NULL, number INTEGER NOT NULL, lines BLOB NOT NULL, PRIMARY KEY (board, number)
) WITHOUT ROWID;
""",
    whole=True,
    longest=1 << 26,
)
_HEAD = re.compile(
    rb"outflank proof (\d+)\nrules (.*)\nturns .*\nscoring .*\nboard ([-XO]{64} [XO])\nscore ([+-]\d\d?)\n"
    rb"searched (\d\d?)\nlower\n"
)
_END = b"\nend\n"
_BLOCK_BYTES = 1 << 20
_HEAD_BYTES = 1 << 10
# The memory of the decompressor is limited, since an xz dictionary may be larger than the file.
_MOST_MEMORY = 1 << 28


@dataclass(frozen=True, slots=True)
class WrittenProof:
    """A complete proof in the file.

    Attributes:
        line: the number of the proof's first line, 1 for the first line of the file.
        lines: the number of the proof's lines.
    """

    rules: str
    board: str
    score: int
    searched: int
    line: int
    lines: int


@dataclass(frozen=True, slots=True)
class ProofPart:
    """An incomplete proof.

    Attributes:
        score: the exact score of the position, in discs for the side to move.
        facts: the principal variation, nodes and seconds of the search for the score, as JSON data.
        state: the point that the writer has reached.
        seconds: the time spent on writing, in seconds.
    """

    score: int
    facts: dict[str, Any]
    state: ProofState
    seconds: float


class ProofFile:
    """A file of proofs and its file of incomplete proofs, locked for a single writer; a context manager.

    Attributes:
        done: the complete proofs, by the text of their boards.
        parts: the incomplete proofs, by the text of their boards.
    """

    def __init__(self, path: Path, rules: Rules, searched: int) -> None:
        """Open the files.

        Raises: FileFormatError if another process has the lock, or if `path` is not a file of proofs; SettingsError if
            the file has proofs under other rules or with another value of `searched`; UnwritableError if a file can't
            be written.
        """
        self.path, self._rules, self._searched = path, rules, searched
        self.done: dict[str, WrittenProof] = {}
        self.parts: dict[str, ProofPart] = {}
        with writing(path), ExitStack() as undo:
            self._file = file_of(path)
            self._lock = WriterLock(self._file, f"only one process may write proofs to {str(path)!r}")
            undo.callback(self._lock.release)
            self._size = self._read_done() if self._file.exists() else 0
            self._part_path = self._file.with_name(self._file.name + PART_SUFFIX)
            self._connection = self._open_parts()
            undo.callback(self._connection.close)
            with self._in_words():
                self._read_parts()
            undo.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(sqlite3.Error):
            self._connection.close()
        if not self.parts:
            remove_database(self._part_path)
        self._lock.release()

    def expect_about(self, boards: Sequence[str]) -> None:
        """Raise SettingsError if the file has a proof about a board that is not in `boards`."""
        asked = set(boards)
        for board in (*self.done, *self.parts):
            if board not in asked:
                raise SettingsError(
                    f"{str(self.path)!r} has a proof of another position, {board}: use another file"
                )

    def begin(self, position: Position, score: int, facts: dict[str, Any]) -> None:
        """Start the proof of a position by storing its score."""
        self._store(position.board_string(), ProofPart(score, facts, ProofState(), 0.0), None)

    def add(self, position: Position, state: ProofState, lines: bytes, seconds: float) -> None:
        """Store the next lines of a proof, compressed with xz. Raises: FileFormatError; the file is then unchanged."""
        board = position.board_string()
        part = self.parts[board]
        part = ProofPart(part.score, part.facts, state, part.seconds + seconds)
        self._store(board, part, lines)

    def finish(self, position: Position) -> WrittenProof:
        """Append a completed proof to the file of proofs. Raises: UnwritableError, FileFormatError."""
        board = position.board_string()
        part = self.parts[board]
        first = 1 + sum(proof.lines for proof in self.done.values())
        written = WrittenProof(str(self._rules), board, part.score, self._searched, first, part.state.lines)
        with writing(self.path):
            self._append(board)
        self.done[board] = written
        self._forget(board)
        return written

    def words(self) -> str:
        """Describe the contents of the file in a sentence."""
        if not self.done:
            text = f"no complete proof, so {self.path} was not written"
        else:
            lines = sum(proof.lines for proof in self.done.values())
            text = f"{self.path}: proofs {len(self.done):,}, lines {lines:,}, bytes {self._size:,}"
        if self.parts:
            text += f"; {counted(len(self.parts), 'incomplete proof')}, which the same command continues"
        return text

    def _append(self, board: str) -> None:
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with open(descriptor, "r+b") as file:
                file.seek(self._size)
                missing = self.parts[board].state.lines
                for (packed,) in self._connection.execute(
                    "SELECT lines FROM chunk WHERE board = ? ORDER BY number", (board,)
                ):
                    # The decompression raises an error if the chunk is damaged.
                    missing -= lzma.decompress(packed).count(b"\n")
                    file.write(packed)
                if missing:
                    raise lzma.LZMAError("lines are missing")
                file.flush()
                os.fsync(file.fileno())
                size = file.tell()
        except BaseException as error:
            # The file is already closed, so that no buffer is written after the truncation.
            with suppress(OSError):
                os.truncate(self._file, self._size)
            if isinstance(error, TypeError | lzma.LZMAError | MemoryError):
                self._forget(board)
                raise FileFormatError(
                    f"{str(self._part_path)!r} is damaged: repeat the command to write the proof of {board} again"
                ) from None
            raise
        self._size = size

    def _read_done(self) -> int:
        """Read the complete proofs, truncate the file after the last complete proof, and return the file's size."""
        if not stat.S_ISREG(self._file.stat().st_mode):
            raise SettingsError(f"expected a regular file for proofs, got {str(self.path)!r}")
        with open_regular(self._file) as file:
            whole, proofs = _complete_proofs(file)
            size = file.seek(0, os.SEEK_END)
        if size and not proofs and not self._file.with_name(self._file.name + PART_SUFFIX).exists():
            raise FileFormatError(
                f"{str(self.path)!r} is not a file of proofs compressed by xz: use another file"
            )
        for proof in proofs:
            if (proof.rules, proof.searched) != (str(self._rules), self._searched):
                raise SettingsError(
                    f"{str(self.path)!r} has proofs under the rules {proof.rules} with --searched {proof.searched}: "
                    "use these settings or another file"
                )
            self.done[proof.board] = proof
        if size > whole:
            os.truncate(self._file, whole)
        return whole

    def _open_parts(self) -> sqlite3.Connection:
        with self._in_words():
            if not self._part_path.exists():
                facts = {"outflank": __version__, "rules": str(self._rules), "searched": str(self._searched)}
                _PARTS.create(self._part_path, facts)
            return _PARTS.open_to_write(self._part_path)

    def _read_parts(self) -> None:
        facts = _PARTS.read_facts(self._connection)
        for name, own in (("rules", str(self._rules)), ("searched", str(self._searched))):
            if facts.get(name) != own:
                raise SettingsError(
                    f"{str(self._part_path)!r} has incomplete proofs with {name} {facts.get(name)}: "
                    "use this value or another file"
                )
        lost = []
        for row in self._connection.execute("SELECT * FROM part"):
            part = _read_part(row)
            if part is None or row[0] in self.done or not self._has_chunks(row[0], part.state.lines):
                lost.append(row[0])
            else:
                self.parts[row[0]] = part
        for board in lost:
            self._forget(board)

    def _has_chunks(self, board: str, lines: int) -> bool:
        """Return whether the numbers of the stored chunks are consecutive, so that no lines are missing."""
        query = "SELECT count(*), min(number), max(number) FROM chunk WHERE board = ?"
        ((count, first, last),) = self._connection.execute(query, (board,)).fetchall()
        return (first, last) == (0, count - 1) if lines else not count

    def _forget(self, board: str) -> None:
        """Remove a proof that is complete or damaged from the file of incomplete proofs."""
        with self._in_words(), transaction(self._connection):
            self._connection.execute("DELETE FROM chunk WHERE board = ?", (board,))
            self._connection.execute("DELETE FROM part WHERE board = ?", (board,))
        self.parts.pop(board, None)

    def _store(self, board: str, part: ProofPart, lines: bytes | None) -> None:
        with self._in_words(), transaction(self._connection):
            if lines is not None:
                self._connection.execute(
                    "INSERT INTO chunk SELECT ?, count(*), ? FROM chunk WHERE board = ?",
                    (board, lines, board),
                )
            self._connection.execute(
                "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _part_row(board, part)
            )
        self.parts[board] = part

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:
            said = str(error) or "a size beyond all memory"
            raise FileFormatError(
                f"can't use {str(self._part_path)!r} ({said}); its contents are kept"
            ) from None


def _complete_proofs(file: BinaryIO) -> tuple[int, list[WrittenProof]]:
    """Return the size of the complete proofs at the beginning of a file, and a list of these proofs.

    A proof consists of one or more xz streams. The last line of a proof is the last line of a stream.
    """
    proofs: list[WrittenProof] = []
    whole = size = lines = 0
    head = last = rest = b""
    line = 1
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, _MOST_MEMORY)
    while block := rest or file.read(_BLOCK_BYTES):
        try:
            for text in _unpacked(unpacker, block):
                lines += text.count(b"\n")
                head, last = (head + text)[:_HEAD_BYTES], (last + text)[-len(_END) :]
        except lzma.LZMAError:
            break
        rest = unpacker.unused_data
        size += len(block) - len(rest)
        if not unpacker.eof:
            continue
        unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, _MOST_MEMORY)
        if last == _END:
            found = _HEAD.match(head)
            if found is None or int(found[1]) != VERSION:
                break
            rules, board, score, searched = found.groups()[1:]
            proofs.append(
                WrittenProof(
                    rules.decode("utf-8", "replace"), board.decode(), int(score), int(searched), line, lines
                )
            )
            whole, line, lines, head, last = size, line + lines, 0, b"", b""
    return whole, proofs


def _unpacked(unpacker: lzma.LZMADecompressor, block: bytes) -> Iterator[bytes]:
    """Decompress a block, and yield the contents in parts of bounded size."""
    yield unpacker.decompress(block, _BLOCK_BYTES)
    while not unpacker.needs_input and not unpacker.eof:
        yield unpacker.decompress(b"", _BLOCK_BYTES)


def _part_row(board: str, part: ProofPart) -> tuple[object, ...]:
    state = part.state
    path, facts = json.dumps(state.path), json.dumps(part.facts)
    values = (board, part.score, facts, state.lines, state.half, path, state.proven, part.seconds)
    return (*values, zlib.crc32(repr(values).encode()))


def _read_part(row: Sequence[Any]) -> ProofPart | None:
    """Return the incomplete proof in a row; None if the row is damaged, so that the proof must be written again."""
    _, score, facts, lines, half, path, proven, seconds, checksum = row
    if zlib.crc32(repr(tuple(row[:-1])).encode()) != checksum:
        return None
    try:
        steps = tuple((str(answer), int(begun)) for answer, begun in json.loads(path))
        found = json.loads(facts)
        pv, nodes, used = tuple(map(str, found["pv"])), int(found["nodes"]), float(found["seconds"])
        for move in pv:
            Move.parse(move)
        state = ProofState(int(lines), int(half), steps, bytes(proven))
        return ProofPart(int(score), {"pv": pv, "nodes": nodes, "seconds": used}, state, float(seconds))
    except (TypeError, ValueError, KeyError, OverflowError):  # NotationError is a ValueError
        return None
