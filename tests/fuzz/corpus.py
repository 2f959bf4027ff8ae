"""Samples for each target by name, in corpus.json; here they are read and added.

A sample is kept as text, a list of lines if it has several, or as base64 if it is no UTF-8 or holds a NUL. When a fault
is fixed, add what it was found with, under a name that says what is odd about it:

    python -m outflank.tests.fuzz.corpus gtp build/fuzz/gtp/crash-0123 a_number_of_5000_digits
"""

import base64
import json
import re
import sys
from pathlib import Path

CORPUS = Path(__file__).with_suffix(".json")


def samples(target: str, file: Path = CORPUS) -> dict[str, bytes]:
    return {name: _unpacked(sample) for name, sample in json.loads(file.read_text())[target].items()}


def add(target: str, name: str, data: bytes, file: Path = CORPUS) -> None:
    """Keep a sample.

    Raises: ValueError if the target has one of that name.
    """
    corpus = json.loads(file.read_text())
    kept = corpus.setdefault(target, {})
    if name in kept:
        raise ValueError(f"the corpus of {target} already has a sample named {name}: choose another name")
    corpus[target] = dict(sorted([*kept.items(), (name, _packed(data))]))
    file.write_text(json.dumps(dict(sorted(corpus.items())), indent=1, ensure_ascii=False) + "\n")


def _packed(data: bytes) -> object:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}
    if "\0" in text:
        return {"base64": base64.b64encode(data).decode()}
    lines = re.split("(?<=\n)(?=.)", text, flags=re.DOTALL)
    return lines if len(lines) > 1 else text


def _unpacked(sample: str | list[str] | dict[str, str]) -> bytes:
    return base64.b64decode(sample["base64"]) if isinstance(sample, dict) else "".join(sample).encode()


if __name__ == "__main__":
    target, file, name = sys.argv[1:]
    add(target, name, Path(file).read_bytes())
