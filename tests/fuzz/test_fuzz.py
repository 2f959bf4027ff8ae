"""Every target survives the corpus and what small changes make of it; ``make fuzz`` looks for more with atheris."""

import random
import time
from pathlib import Path

import pytest

from outflank.tests.fuzz.corpus import add, samples
from outflank.tests.fuzz.targets import TARGETS, survive

_SPICE = b"\0 \xff \n ( ; [ ] ) -1 99999999999999999999 1e400 \xef\xbb\xbf"
SPICE = (*_SPICE.split(b" "), b"9" * 5000)  # more than Python makes a number of
MUTANTS = 25  # of each sample
SLOW_SECONDS = 1800  # of each target


def mutant(data: bytes, rng: random.Random) -> bytes:
    """Return data with a few bytes changed, added, repeated or cut off."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        at, length = rng.randint(0, len(changed)), rng.randint(0, 12)
        kind = rng.randrange(5)
        if kind == 0 and changed:
            changed[at % len(changed)] = rng.randrange(256)
        elif kind == 1:
            changed[at:at] = rng.choice(SPICE)
        elif kind == 2:
            del changed[at : at + length]
        elif kind == 3:
            changed[at:at] = changed[at : at + length] * rng.randint(1, 50)
        else:
            del changed[at:]
    return bytes(changed[: 1 << 16])


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_survives_its_corpus_and_changes_of_it(name: str, rng: random.Random) -> None:
    corpus = samples(name)
    assert corpus
    for data in corpus.values():
        survive(TARGETS[name], data)
        for _ in range(MUTANTS):
            survive(TARGETS[name], mutant(data, rng))


@pytest.mark.slow
@pytest.mark.timeout(2 * SLOW_SECONDS)
@pytest.mark.parametrize("name", TARGETS)
def test_a_target_survives_half_an_hour(name: str, rng: random.Random) -> None:
    pool = list(samples(name).values())
    deadline = time.monotonic() + SLOW_SECONDS
    while time.monotonic() < deadline:
        survive(TARGETS[name], mutant(rng.choice(pool), rng))


@pytest.mark.parametrize(
    "data", [b"", b"one line", b"two\r\nlines\n\n", "\u2028é".encode(), b"\xff", b"\0\n" * 9]
)
def test_a_sample_that_is_added_comes_back_as_it_was(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "corpus.json"
    file.write_text("{}")
    add("gtp", "b", b"another", file)
    add("gtp", "a", data, file)

    assert samples("gtp", file) == {"a": data, "b": b"another"}
    with pytest.raises(ValueError, match="already has a sample named a"):
        add("gtp", "a", b"", file)
