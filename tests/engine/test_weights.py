"""The evaluation's weights file: what is written is read, and nothing else is; its entries and its checksum."""

import json
import random
import zlib
from array import array
from pathlib import Path

import numpy as np
import pytest

from outflank import __version__
from outflank.engine import FileFormatError, Position, Searcher
from outflank.engine.evaluation import weights
from outflank.engine.evaluation.evaluate import HEADS, MOST_IN_ROW, NUMBERS_OF_A_LAYER, STAGES, SUMS
from outflank.engine.evaluation.packing import (
    MOST_IN_TABLE,
    MOST_ROWS,
    checksum,
    distinct_rows,
    fold,
    fold_rows,
    representatives,
    unfold,
    unfold_rows,
    weights_kept,
    with_rows,
)
from outflank.engine.evaluation.patterns import PHASES, WEIGHTS_OF_A_PHASE
from outflank.tests.support.processes import resident_kib

COUNT = PHASES * WEIGHTS_OF_A_PHASE
ROWS = STAGES * WEIGHTS_OF_A_PHASE * SUMS
LAYERS = HEADS * NUMBERS_OF_A_LAYER
START = Position.start()
_MIB = 1024  # KiB
WIDTH = 64


def mirrored(numbers: "array[int]", width: int) -> "array[int]":
    """The numbers, `width` for each weight of a phase, with those of each mirrored configuration put in its place."""
    kind = {"b": np.int8, "h": np.int16}[numbers.typecode]
    rows = np.frombuffer(numbers, kind).reshape(-1, WEIGHTS_OF_A_PHASE, width)
    return array(numbers.typecode, rows[:, representatives()].tobytes())


@pytest.fixture(scope="module")
def some_weights() -> weights.Weights:
    """Tables, rows and layers with something in each."""
    rng = random.Random(21)
    layers = array("h", (rng.choice((-32768, 32767, rng.randint(-500, 500))) for _ in range(LAYERS)))
    return weights.Weights(some_tables(), some_rows(), layers)


def some_rows() -> "array[int]":
    """Rows of any numbers in some places, mirrored configurations alike; the others are all 0."""
    rng = random.Random(22)
    representative = representatives()
    found = array("b", bytes(ROWS))
    for stage in range(STAGES):
        for place in rng.sample(range(WEIGHTS_OF_A_PHASE), 3000):
            row = array("b", (rng.randint(-MOST_IN_ROW, MOST_IN_ROW) for _ in range(SUMS)))
            begin = (stage * WEIGHTS_OF_A_PHASE + representative[place]) * SUMS
            found[begin : begin + SUMS] = row
    return mirrored(found, SUMS)


def some_tables() -> "array[int]":
    """Small random weights in some places, mirrored configurations alike."""
    rng = random.Random(20)
    representative = representatives()
    found = array("h", bytes(2 * COUNT))
    for phase in range(PHASES):
        for place in rng.sample(range(WEIGHTS_OF_A_PHASE), 300):
            value = rng.choice((-MOST_IN_TABLE, MOST_IN_TABLE, rng.randint(-500, 500)))
            found[phase * WEIGHTS_OF_A_PHASE + representative[place]] = value
    return mirrored(found, 1)


@pytest.fixture(scope="module")
def content(some_weights: weights.Weights, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("weights") / "some.bin"
    path.write_bytes(weights.packed(some_weights, {"command": "made for a test"}))
    return path.read_bytes()


def refusal(tmp_path: Path, content: bytes) -> str:
    """The sentence with which a file of that content is refused."""
    path = tmp_path / "damaged.bin"
    path.write_bytes(content)
    with pytest.raises(FileFormatError) as refused:
        weights.read(path)
    assert str(path) in str(refused.value)
    return str(refused.value)


def with_header(content: bytes, **changed: object) -> bytes:
    """The file with other values in its header."""
    magic, header, packed = content.split(b"\n", 2)
    return b"\n".join((magic, json.dumps({**json.loads(header), **changed}).encode(), packed))


def sealed(content: bytes, packed: bytes) -> bytes:
    """The file with other compressed weights, and the checksum that belongs to them."""
    header = json.loads(content.split(b"\n", 2)[1])
    del header["crc32"]
    checksum = zlib.crc32(packed, zlib.crc32(json.dumps(header, sort_keys=True).encode()))
    return with_header(b"\n".join((*content.split(b"\n", 2)[:2], packed)), crc32=checksum)


def test_what_is_written_is_read(tmp_path: Path, content: bytes, some_weights: weights.Weights) -> None:
    path = tmp_path / "copy.bin"
    path.write_bytes(content)

    assert weights.read(path) == some_weights
    assert weights.provenance(path) == {"command": "made for a test"}


def test_folding_loses_nothing_but_the_mirrored_copies(some_weights: weights.Weights) -> None:
    representative = representatives()

    tables = fold(some_weights.tables, representative, PHASES)
    flags, rows = fold_rows(some_weights.rows, representative, SUMS)

    assert len(tables) == PHASES * weights_kept(representative) == PHASES * 173_926
    assert weights_kept(representative) == len(set(representative))
    assert unfold(tables, representative, PHASES) == some_weights.tables
    assert 0 < len(rows) < STAGES * SUMS * 173_926
    assert len(rows) == SUMS * int.from_bytes(flags).bit_count()
    assert unfold_rows(flags, memoryview(rows).cast("b"), representative, SUMS, STAGES) == some_weights.rows


@pytest.mark.parametrize(
    ("flags", "rows", "wrong"),
    [
        (b"\7", 2, "too few"),
        (b"\7", 4, "too many"),
        (b"", 0, "another number"),
        (bytes(2), 0, "another number"),
    ],
)
def test_rows_that_do_not_fit_are_refused(flags: bytes, rows: int, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        unfold_rows(flags, memoryview(bytes(rows)).cast("b"), array("i", [0, 1, 1, 3]), 1, 1)


def test_the_shipped_file_says_how_it_was_made() -> None:
    made = weights.provenance()

    # trained on, touched up, trained at first
    for before in (made, made["tables"], made["tables"]["tables"]):
        assert before["command"].startswith("outflank train network")
    assert made["tables"]["tables"]["tables"]["command"].startswith("outflank train fit")
    assert sum(games["games"] for games in made["games"]) > 10_000


@pytest.mark.parametrize("share", [0, 0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 0.99, 0.999])
def test_a_truncated_file_is_refused(tmp_path: Path, content: bytes, share: float) -> None:
    refusal(tmp_path, content[: int(len(content) * share)])


@pytest.mark.parametrize("last", range(1, 12))
def test_a_file_without_its_last_bytes_is_refused(tmp_path: Path, content: bytes, last: int) -> None:
    refusal(tmp_path, content[:-last])


def test_a_longer_file_is_refused(tmp_path: Path, content: bytes) -> None:
    refusal(tmp_path, content + b"\0")


def test_a_flipped_bit_is_noticed(tmp_path: Path, content: bytes) -> None:
    rng = random.Random(30)
    begin = content.index(b"\n", len(b"OUTFLANK WEIGHTS 6\n")) + 1
    for place in (0, 5, begin - 2, *(rng.randrange(begin, len(content)) for _ in range(20))):
        damaged = bytearray(content)
        damaged[place] ^= 1 << rng.randrange(8)
        refusal(tmp_path, bytes(damaged))


@pytest.mark.parametrize("key", ["layout", "phases", "weights", "sums", "units"])
def test_another_shape_is_refused_by_its_name(tmp_path: Path, content: bytes, key: str) -> None:
    assert key in refusal(tmp_path, with_header(content, **{key: 7}))


def test_another_checksum_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "checksum" in refusal(tmp_path, with_header(content, crc32=1))


@pytest.mark.parametrize("header", [b"[]", b"3", b"not json", b"{", b"\xff", b"[" * 100_000])
def test_a_damaged_header_is_refused(tmp_path: Path, content: bytes, header: bytes) -> None:
    magic, _, packed = content.split(b"\n", 2)
    refusal(tmp_path, b"\n".join((magic, header, packed)))


def test_a_file_that_unpacks_to_gigabytes_is_refused_without_doing_so(tmp_path: Path, content: bytes) -> None:
    packer = zlib.compressobj()
    bomb = b"".join(packer.compress(bytes(1 << 24)) for _ in range(64)) + packer.flush()

    assert "overlong" in refusal(tmp_path, sealed(content, bomb))


@pytest.mark.parametrize("announced", [7, -1, 1 << 40, None, "1", 2.5])
def test_another_number_of_bytes_is_refused(tmp_path: Path, content: bytes, announced: object) -> None:
    changed = with_header(content, bytes=announced)

    assert "another number of bytes" in refusal(tmp_path, sealed(changed, changed.split(b"\n", 2)[2]))


def test_a_sealed_file_of_too_few_weights_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "truncated" in refusal(tmp_path, sealed(content, zlib.compress(bytes(100))))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"nowhere\.bin"):
        weights.read(tmp_path / "nowhere.bin")


def test_a_file_of_the_version_before_is_refused(tmp_path: Path, content: bytes) -> None:
    assert "version" in refusal(tmp_path, content.replace(b"WEIGHTS 6", b"WEIGHTS 5", 1))


@pytest.mark.parametrize("wrong", [array("h", [1, 2, 3]), array("i", bytes(4 * COUNT))])
def test_tables_of_another_shape_are_refused(wrong: "array[int]") -> None:
    with pytest.raises(ValueError, match="expected tables of"):
        weights.Weights.of_tables(wrong)


def test_a_network_of_another_shape_is_refused(some_weights: weights.Weights) -> None:
    with pytest.raises(ValueError, match="expected rows of"):
        weights.Weights(some_weights.tables, array("b", [1]), some_weights.layers)
    with pytest.raises(ValueError, match="expected layers of"):
        weights.Weights(some_weights.tables, some_weights.rows, array("h", [1]))


@pytest.mark.parametrize("beyond", [MOST_IN_ROW + 1, -MOST_IN_ROW - 1, 127, -128])
def test_rows_that_the_engine_could_not_add_are_refused(some_weights: weights.Weights, beyond: int) -> None:
    rows = some_weights.rows[:]
    rows[12345] = beyond

    with pytest.raises(ValueError, match=f"rows of numbers up to {MOST_IN_ROW}, got {abs(beyond)}"):
        weights.Weights(some_weights.tables, rows, some_weights.layers)


@pytest.mark.parametrize("beyond", [MOST_IN_TABLE + 1, -MOST_IN_TABLE - 1, -(2**15)])
def test_tables_that_an_entry_has_no_room_for_are_refused(some_weights: weights.Weights, beyond: int) -> None:
    tables = some_weights.tables[:]
    tables[-1] = beyond

    with pytest.raises(ValueError, match=f"tables of numbers up to {MOST_IN_TABLE}, got {abs(beyond)}"):
        weights.Weights(tables, some_weights.rows, some_weights.layers)


def test_the_checksum_is_the_crc_32_of_the_whole_file(tmp_path: Path, content: bytes) -> None:
    """Although only its header is read."""
    (tmp_path / "file").write_bytes(content)

    assert weights.checksum() == f"{zlib.crc32(weights.SHIPPED.read_bytes()):08x}"
    assert weights.checksum(tmp_path / "file") == f"{zlib.crc32(content):08x}"
    (tmp_path / "file").write_bytes(b"123456789")
    with pytest.raises(FileFormatError, match="a file of another kind"):
        weights.checksum(tmp_path / "file")


def test_the_version_names_the_evaluation() -> None:
    assert weights.version() == f"{__version__}, evaluation {weights.checksum()}"


def write(path: Path, value: int) -> Path:
    """A file of weights that are all alike."""
    same = weights.Weights.of_tables(array("h", [value]) * (PHASES * WEIGHTS_OF_A_PHASE))
    path.write_bytes(weights.packed(same, {"command": f"value {value}"}))
    return path


def test_a_file_rewritten_at_its_path_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    first = Searcher(1, weights=write(path, 0))
    assert first.evaluate(START) == 0

    second = Searcher(1, weights=write(path, 20))
    assert second.evaluate(START) > 0
    assert first.evaluate(START) == 0  # it keeps what it has read
    assert Searcher(1, weights=str(path)).evaluate(START) == second.evaluate(START)


def test_each_new_path_does_not_cost_memory_for_ever(tmp_path: Path) -> None:
    def use(number: int) -> None:
        Searcher(1, weights=write(tmp_path / f"{number}.bin", number % 3)).evaluate(START)

    for number in range(3):
        use(number)
    before = resident_kib()
    for number in range(3, 7):
        use(number)

    assert resident_kib() - before < 150 * _MIB  # 4 more would be 280


def test_each_stage_keeps_each_of_its_rows_once() -> None:
    chance = np.random.default_rng(3)
    rows = chance.integers(-1, 2, (2, 5000, 8), np.int8).repeat(8, axis=2)  # 6561 different ones
    rows[1] = rows[1, chance.permutation(5000) // 10]

    distinct, starts, numbers = distinct_rows(array("b", rows.tobytes()), WIDTH, 2)

    kept = np.asarray(distinct).reshape(-1, WIDTH)
    number_of = np.asarray(numbers).reshape(2, -1)
    different = [len(np.unique(stage, axis=0)) for stage in rows]
    assert list(starts) == [0, different[0]]
    assert len(kept) == sum(different)
    for stage in range(2):
        assert np.array_equal(kept[starts[stage] + number_of[stage]], rows[stage])


def test_more_rows_than_an_entry_can_tell_apart_are_refused() -> None:
    rows = np.zeros((MOST_ROWS + 1, WIDTH), np.int8)
    rows[:, :4] = np.arange(MOST_ROWS + 1, dtype=np.int32).view(np.int8).reshape(-1, 4)

    _, _, numbers = distinct_rows(array("b", rows[:-1].tobytes()), WIDTH, 1)
    assert len(set(numbers)) == MOST_ROWS
    with pytest.raises(
        ValueError, match=f"at most {MOST_ROWS} different rows in a stage, got {MOST_ROWS + 1}"
    ):
        distinct_rows(array("b", rows.tobytes()), WIDTH, 1)


def test_an_entry_tells_what_the_weight_says_and_its_row() -> None:
    tables = array("h", [0, MOST_IN_TABLE, -MOST_IN_TABLE, -1, 5, 6, 7, 8])  # four phases, two weights each
    numbers = array("i", [0, MOST_ROWS - 1, 1, 2])  # two stages

    entries = with_rows(tables, numbers, 4, 2)

    assert [entry >> 18 for entry in entries] == list(tables)
    assert [entry & (MOST_ROWS - 1) for entry in entries] == [0, MOST_ROWS - 1, 0, MOST_ROWS - 1, 1, 2, 1, 2]


def test_the_same_bytes_have_the_same_sum_whatever_holds_them() -> None:
    content = random.Random(1).randbytes(640)

    assert checksum(content) == checksum(bytearray(content)) == checksum(memoryview(content))
    assert 0 <= checksum(content) < 1 << 64


def test_every_single_bit_counts() -> None:
    content = random.Random(2).randbytes(256)
    sums = {checksum(content)}
    for bit in range(8 * len(content)):
        changed = bytearray(content)
        changed[bit // 8] ^= 1 << bit % 8
        sums.add(checksum(changed))

    assert len(sums) == 1 + 8 * len(content)


def test_two_changed_bits_do_not_make_up_for_each_other() -> None:
    """Not even the highest ones, which a product alone would never spread."""
    found = set()
    for first in range(7, 1024, 8):
        for second in range(first + 8, 1024, 8):
            changed = bytearray(1024 // 8)
            changed[first // 8] |= 128
            changed[second // 8] |= 128
            found.add(checksum(changed))

    assert len(found) == 128 * 127 // 2


def test_the_place_and_the_length_count() -> None:
    blocks = [bytes([value]) * 64 for value in range(3)]

    assert len({checksum(b"".join(blocks)), checksum(b"".join(reversed(blocks)))}) == 2
    assert len({checksum(bytes(64 * count)) for count in range(20)}) == 20


@pytest.mark.parametrize("size", [1, 63, 65, 100])
def test_another_length_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"expected a multiple of 64 bytes, got {size}"):
        checksum(bytes(size))
