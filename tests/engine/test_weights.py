"""The evaluation's weights files: what is written is read and unpacked, and nothing else is."""

import functools
import json
import random
import sys
import zlib
from array import array
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from outflank import __version__
from outflank.engine import FileFormatError, Position, Searcher
from outflank.engine.evaluation import unpacking, weights
from outflank.engine.evaluation.evaluate import (
    HEADS,
    MOST_IN_ROW,
    MOST_IN_TABLE,
    NUMBERS_OF_A_LAYER,
    ROW_BITS,
    STAGES,
    SUMS,
)
from outflank.engine.evaluation.patterns import PHASES, WEIGHTS_OF_A_PHASE
from outflank.engine.evaluation.weights import SHIPPED, Weights, unpacked
from outflank.tests.support.processes import resident_kib

PACKED = SHIPPED.with_name("weights.bin")
KEPT = 173_926
LAYERS = HEADS * NUMBERS_OF_A_LAYER
START = Position.start()
_MIB = 1024  # KiB
SHARES = (0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 0.99, 0.999)
SHAPE = ("layout", "phases", "weights", "sums", "units")
NO_HEADERS = (b"[]", b"3", b"not json", b"{", b"\xff", b"[" * 100_000)
NO_COUNTS = (7, -1, 1 << 40, None, "1", 2.5)


@pytest.fixture(scope="module")
def some_weights() -> Weights:
    rng = random.Random(21)
    given = Weights.nothing()
    for phase in range(PHASES):
        for place in rng.sample(range(KEPT), 300):
            value = rng.choice((-MOST_IN_TABLE, MOST_IN_TABLE, rng.randint(-500, 500)))
            given.tables[phase * KEPT + place] = value
    for stage in range(STAGES):
        for place in rng.sample(range(KEPT), 3000):
            begin = (stage * KEPT + place) * SUMS
            row = (rng.randint(-MOST_IN_ROW, MOST_IN_ROW) for _ in range(SUMS))
            given.rows[begin : begin + SUMS] = array("b", row)
    layers = array("h", (rng.choice((-32768, 32767, rng.randint(-500, 500))) for _ in range(LAYERS)))
    return replace(given, layers=layers)


@pytest.fixture(scope="module")
def content(some_weights: Weights, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("weights") / "some.bin"
    path.write_bytes(weights.packed(some_weights, {"command": "made for a test"}))
    return path.read_bytes()


def refusal(tmp_path: Path, content: bytes) -> str:
    path = tmp_path / "damaged.bin"
    path.write_bytes(content)
    with pytest.raises(FileFormatError) as refused:
        weights.read(path)
    assert str(path) in str(refused.value)
    return str(refused.value)


def with_header(content: bytes, **changed: object) -> bytes:
    magic, header, packed = content.split(b"\n", 2)
    return b"\n".join((magic, json.dumps({**json.loads(header), **changed}).encode(), packed))


def sealed(content: bytes, packed: bytes) -> bytes:
    """Return the file with other compressed weights, and the checksum that belongs to them."""
    header = json.loads(content.split(b"\n", 2)[1])
    del header["crc32"]
    checksum = zlib.crc32(packed, zlib.crc32(json.dumps(header, sort_keys=True).encode()))
    return with_header(b"\n".join((*content.split(b"\n", 2)[:2], packed)), crc32=checksum)


def test_what_is_written_is_read(tmp_path: Path, content: bytes, some_weights: Weights) -> None:
    path = tmp_path / "copy.bin"
    path.write_bytes(content)

    assert weights.read(path) == some_weights
    assert weights.provenance(path) == {"command": "made for a test"}


def test_every_kept_weight_stands_for_itself_and_its_mirror_image() -> None:
    columns = unpacking.columns(WEIGHTS_OF_A_PHASE)
    counts = np.bincount(columns)

    assert len(columns) == WEIGHTS_OF_A_PHASE
    assert len(counts) == KEPT
    assert set(counts) == {1, 2}


def test_unpacked_weights_have_the_number_and_the_row_of_each_weight(some_weights: Weights) -> None:
    found_rows, found_entries, _, starts = unpacked(some_weights)

    columns = np.array(unpacking.columns(WEIGHTS_OF_A_PHASE))
    tables = np.array(some_weights.tables).reshape(PHASES, KEPT)[:, columns]
    rows = np.array(some_weights.rows).reshape(STAGES, KEPT, SUMS)[:, columns]
    entries = np.asarray(found_entries).reshape(PHASES, WEIGHTS_OF_A_PHASE)
    distinct = np.asarray(found_rows).reshape(-1, SUMS)
    for phase, numbers in enumerate(entries):
        stage = phase * STAGES // PHASES
        row_numbers = starts[stage] + (numbers & (1 << ROW_BITS) - 1)
        assert np.array_equal(numbers >> ROW_BITS, tables[phase])
        assert np.array_equal(distinct[row_numbers], rows[stage])
    assert len(distinct) == sum(len({row.tobytes() for row in stage}) for stage in rows)  # each once


def test_more_rows_than_an_entry_can_number_are_refused(
    monkeypatch: pytest.MonkeyPatch, some_weights: Weights
) -> None:
    monkeypatch.setattr(unpacking, "ROW_BITS", 11)

    with pytest.raises(ValueError, match="expected at most 2048 distinct rows in a stage, got 3001"):
        unpacked(some_weights)


@pytest.mark.parametrize("number", [8192, -8193, 32767, -32768])
def test_a_number_that_an_entry_has_no_room_for_is_refused(some_weights: Weights, number: int) -> None:
    tables = some_weights.tables[:]
    numbers, _ = zip(*unpacking.numbered_rows(weights._SHAPE, some_weights.rows), strict=True)
    for fitting in (8191, -8192):
        tables[-1] = fitting
        last = array("i", list(unpacking.entries(weights._SHAPE, tables, numbers))[-1])[-1]
        assert last >> ROW_BITS == fitting
    tables[-1] = number

    with pytest.raises(ValueError, match="a table value beyond 14 bits"):
        list(unpacking.entries(weights._SHAPE, tables, numbers))


def test_the_built_file_holds_what_the_packed_one_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As the smaller file of a wheel does. Also its name: the checksum of the packed file."""
    expected, in_wheel = weights.load(PACKED), tmp_path / "weights.unpacked"
    in_wheel.write_bytes(unpacking.unpacked_file(PACKED.read_bytes(), spread=False))
    for file in (SHIPPED, in_wheel):
        monkeypatch.setattr(weights, "SHIPPED", file)
        built = weights.load(file)
        assert all(map(np.array_equal, built, expected))

    monkeypatch.undo()
    assert in_wheel.stat().st_size < 0.75 * SHIPPED.stat().st_size
    assert SHIPPED.read_bytes() == unpacking.unpacked_file(PACKED.read_bytes())
    assert unpacking.ROW_BITS == ROW_BITS
    assert weights.checksum() == weights.checksum(PACKED)
    assert weights.provenance() == weights.provenance(PACKED)


def test_processes_share_the_built_file_and_can_not_write_to_it() -> None:
    _, entries, _, _ = weights.load()

    mapped = [
        line
        for line in Path("/proc/self/maps").read_text().splitlines()
        if line.endswith(str(SHIPPED.resolve()))
    ]
    assert mapped
    assert all(" r--s " in line for line in mapped)
    with pytest.raises(TypeError, match="read-only"):
        entries[0] = 1


@pytest.mark.parametrize(
    ("damage", "wrong"),
    [
        (lambda content: b"", "the wrong file type or version"),
        (lambda content: content.replace(b"WEIGHTS 2", b"WEIGHTS 1", 1), "the wrong file type or version"),
        (
            lambda content: content.replace(sys.byteorder.encode(), b"middle", 1),
            "the wrong file type or version",
        ),
        (
            lambda content: content.replace(b'"phases"', b'"phrases"', 1),
            "phases other than this engine's 30",
        ),
        (lambda content: content.replace(b'"row_bits": 18', b'"row_bits": 17', 1), "row_bits other than"),
        (lambda content: content[:-1], "truncated or overlong"),
        (lambda content: content + b"\0", "truncated or overlong"),
        (None, r"No such file or directory\); run make build"),
    ],
)
def test_a_built_file_that_does_not_fit_is_refused_by_its_header_and_length(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: Callable[[bytes], bytes] | None, wrong: str
) -> None:
    monkeypatch.setattr(weights, "SHIPPED", tmp_path / "weights.unpacked")
    if damage is not None:
        weights.SHIPPED.write_bytes(damage(SHIPPED.read_bytes()))

    with pytest.raises(FileFormatError, match=f"weights.unpacked .*{wrong}"):
        weights.load(weights.SHIPPED)


def test_the_shipped_file_says_how_it_was_made() -> None:
    made = weights.provenance()

    # trained on, touched up, trained at first
    for before in (made, made["tables"], made["tables"]["tables"]):
        assert before["command"].startswith("outflank train network")
    assert made["tables"]["tables"]["tables"]["command"].startswith("outflank train fit")
    assert sum(games["games"] for games in made["games"]) > 10_000


def with_header_line(content: bytes, header: bytes) -> bytes:
    magic, _, packed = content.split(b"\n", 2)
    return b"\n".join((magic, header, packed))


def announcing(content: bytes, count: object) -> bytes:
    changed = with_header(content, bytes=count)
    return sealed(changed, changed.split(b"\n", 2)[2])


def one_row_less(content: bytes) -> bytes:
    """Return a file whose last row is missing, and not missed by its header."""
    raw = zlib.decompress(content.split(b"\n", 2)[2])[:-SUMS]
    return sealed(with_header(content, bytes=len(raw)), zlib.compress(raw))


def too_large_sum(content: bytes) -> bytes:
    """Return a file whose first weight of the last phase is 32767, and one more in the phase before."""
    raw = bytearray(zlib.decompress(content.split(b"\n", 2)[2]))
    high_bytes = PHASES * KEPT
    raw[0], raw[high_bytes] = 0xFF, 0x7F
    raw[KEPT], raw[high_bytes + KEPT] = 1, 0
    return sealed(content, zlib.compress(raw, 1))


def bomb(content: bytes) -> bytes:
    """Return a file that unpacks to several times what it should."""
    return sealed(content, zlib.compress(bytes(1 << 27), 1))


DAMAGES: list[tuple[Callable[[bytes], bytes], str]] = [
    *((lambda content, share=share: content[: int(len(content) * share)], "") for share in SHARES),
    *((lambda content, last=last: content[:-last], "") for last in range(1, 12)),
    (lambda content: content + b"\0", ""),
    (lambda content: content.replace(b"WEIGHTS 6", b"WEIGHTS 5", 1), "version"),
    *((lambda content, key=key: with_header(content, **{key: 7}), key) for key in SHAPE),
    (lambda content: with_header(content, crc32=1), "checksum"),
    (lambda content: with_header(content, crc32="1"), "a header without a checksum"),
    *((lambda content, header=header: with_header_line(content, header), "") for header in NO_HEADERS),
    (bomb, "overlong"),
    (one_row_less, "a number of rows that does not match the header"),
    (too_large_sum, "a table value beyond 16 bits"),
    *(
        (lambda content, count=count: announcing(content, count), "an uncompressed size outside")
        for count in NO_COUNTS
    ),
    (lambda content: sealed(content, zlib.compress(bytes(100))), "truncated"),
]


@pytest.mark.parametrize(("damage", "word"), DAMAGES)
def test_a_damaged_file_is_refused(
    tmp_path: Path, content: bytes, damage: Callable[[bytes], bytes], word: str
) -> None:
    assert word in refusal(tmp_path, damage(content))


def test_a_flipped_bit_is_noticed(tmp_path: Path, content: bytes) -> None:
    rng = random.Random(30)
    begin = content.index(b"\n", len(b"OUTFLANK WEIGHTS 6\n")) + 1
    for place in (0, 5, begin - 2, *(rng.randrange(begin, len(content)) for _ in range(20))):
        damaged = bytearray(content)
        damaged[place] ^= 1 << rng.randrange(8)
        refusal(tmp_path, bytes(damaged))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"nowhere\.bin"):
        weights.read(tmp_path / "nowhere.bin")


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("tables", array("h", [1, 2, 3])),
        ("tables", array("i", bytes(4 * PHASES * KEPT))),
        ("rows", array("b", [1])),
        ("layers", array("h", [1])),
    ],
)
def test_numbers_of_another_shape_are_refused(some_weights: Weights, part: str, wrong: "array[int]") -> None:
    with pytest.raises(ValueError, match=f"expected {part} of"):
        replace(some_weights, **{part: wrong})


@pytest.mark.parametrize(
    ("part", "most", "beyond"),
    [
        *(("rows", MOST_IN_ROW, beyond) for beyond in (MOST_IN_ROW + 1, -MOST_IN_ROW - 1, 127, -128)),
        *(("tables", MOST_IN_TABLE, beyond) for beyond in (MOST_IN_TABLE + 1, -MOST_IN_TABLE - 1, -(2**15))),
    ],
)
def test_numbers_that_the_engine_could_not_add_or_has_no_room_for_are_refused(
    some_weights: Weights, part: str, most: int, beyond: int
) -> None:
    numbers = getattr(some_weights, part)[:]
    numbers[12345] = numbers[-1] = beyond

    with pytest.raises(ValueError, match=f"{part} of numbers up to {most}, got {abs(beyond)}"):
        replace(some_weights, **{part: numbers})


def test_the_checksum_is_the_crc_32_of_the_whole_packed_file(tmp_path: Path, content: bytes) -> None:
    """It names the evaluation in the version."""
    assert weights.version() == f"{__version__}, evaluation {weights.checksum()}"
    (tmp_path / "file").write_bytes(content)

    assert weights.checksum() == f"{zlib.crc32(PACKED.read_bytes()):08x}"
    assert weights.checksum(tmp_path / "file") == f"{zlib.crc32(content):08x}"
    (tmp_path / "file").write_bytes(b"123456789")
    with pytest.raises(FileFormatError, match="the wrong file type"):
        weights.checksum(tmp_path / "file")


@functools.cache
def alike(value: int) -> bytes:
    """Return the contents of a file of weights that are all alike."""
    same = Weights.of_tables(array("h", [value]) * (PHASES * KEPT))
    return weights.packed(same, {"command": f"value {value}"})


def write(path: Path, value: int) -> Path:
    path.write_bytes(alike(value))
    return path


def test_a_file_rewritten_at_its_path_is_read_again_and_no_path_costs_memory_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    first = Searcher(1, weights=write(path, 0))
    assert first.evaluate(START) == 0

    second = Searcher(1, weights=write(path, 20))
    assert second.evaluate(START) > 0
    assert first.evaluate(START) == 0  # it keeps what it has read
    assert Searcher(1, weights=str(path)).evaluate(START) == second.evaluate(START)

    del first, second
    before = resident_kib()
    for number in range(2):
        Searcher(1, weights=write(tmp_path / f"{number}.bin", 20 * number)).evaluate(START)

    assert resident_kib() - before < 75 * _MIB  # 2 more would be 140
