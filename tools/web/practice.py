"""What a person practises on the page: problems and openings, and the day on which each is asked again."""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from outflank.engine import NotationError, OutflankError, Rules
from outflank.protocol.formats import obf
from outflank.protocol.formats.samples import samples
from outflank.storage.files import write_whole
from outflank.storage.outside_json import read_json_object

SHIPPED_PROBLEMS = samples()["problems"]
"""Positions in which one move alone wins, with the scores of all moves, the easiest first."""
_MOST_PROBLEMS = 1_000

_DAYS = (0, 1, 3, 7, 16, 35, 80)  # until a card of each box is asked again
_SECONDS_A_DAY = 86_400
_SOON_SECONDS = 60.0  # until a card that was answered wrongly is asked again
_MOST_CARDS = 20_000
_LONGEST_KEY = 300


def progress_file() -> Path:
    """The file of this user: ``outflank/practice.json`` in the folder for data."""
    folder = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(folder).expanduser() / "outflank" / "practice.json"


def cards(path: Path) -> dict[str, dict[str, float]]:
    """Return the cards of a file of progress by their keys; it is made with the first answer.

    A right answer moves a card on to the next box, which is asked later, a wrong one to the first. A card is an object
    with ``box``, ``due`` in seconds since 1970, and the numbers of ``right`` and ``wrong`` answers. The file is read
    before each change, so that several programs can share it.

    Raises: NotationError if the file is damaged.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return {}
    try:
        return _cards(text)
    except NotationError as error:
        raise NotationError(f"{str(path)!r} can't be used: {error}") from None


def note_answer(path: Path, key: str, is_right: bool) -> dict[str, float]:
    """Note the first answer to a question, and return its card. Raises: OutflankError, OSError."""
    known = cards(path)
    if not 0 < len(key) <= _LONGEST_KEY or (key not in known and len(known) >= _MOST_CARDS):
        raise NotationError(f"expected one of at most {_MOST_CARDS} cards, got {key[:40]!r}")
    old = known.get(key, {"box": 0, "right": 0, "wrong": 0})
    box = min(int(old["box"]) + 1, len(_DAYS) - 1) if is_right else 0
    wait = _DAYS[box] * _SECONDS_A_DAY if is_right else _SOON_SECONDS
    known[key] = {
        "box": box,
        "due": round(time.time() + wait),
        "right": old["right"] + is_right,
        "wrong": old["wrong"] + (not is_right),
    }
    _write(path, known)
    return known[key]


def merge_cards(path: Path, text: bytes) -> dict[str, dict[str, float]]:
    """Add the cards of another file; of two with one key, the one with more answers counts.

    Raises: NotationError if the text is not such a file; OSError.
    """
    known = cards(path)
    for key, card in _cards(text).items():
        if key not in known or _answers(card) > _answers(known[key]):
            known[key] = card
    if len(known) > _MOST_CARDS:
        raise NotationError(f"expected at most {_MOST_CARDS} cards, got {len(known)}")
    _write(path, known)
    return known


def _write(path: Path, known: Mapping[str, Mapping[str, float]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps({"version": 1, "cards": known}, indent=1).encode())


def _answers(card: Mapping[str, float]) -> float:
    return card["right"] + card["wrong"]


def _cards(text: bytes) -> dict[str, dict[str, float]]:
    found = read_json_object(text).get("cards")
    if not isinstance(found, dict):
        raise NotationError("expected a file of progress with cards")
    for key, card in found.items():
        names = ("box", "due", "right", "wrong")
        is_whole = isinstance(card, dict) and sorted(card) == sorted(names)
        if not is_whole or not all(type(card[name]) in (int, float) and card[name] >= 0 for name in names):
            raise NotationError(f"expected a card with {', '.join(names)} for {key[:40]!r}")
    return found


def problems(text: str, rules: Rules) -> tuple[list[dict[str, Any]], int]:
    """Return the first problems of a file in OBF, each with the ``scores`` of its moves, and how many the file has.

    Positions without a choice of moves are left out. ``scores`` is empty where the file does not give all of them.

    Raises: NotationError if none is left.
    """
    found = []
    for line in text.splitlines():
        try:
            problem = obf.parse_problem(line.partition("%")[0], rules)
        except OutflankError:
            continue
        moves = problem.position.legal_moves()
        if len(moves) > 1:
            scores = problem.scores if problem.scores.keys() == set(moves) else {}
            found.append(
                {
                    "position": problem.position.board_string(),
                    "rules": str(rules),
                    "scores": {str(move): score for move, score in scores.items()},
                }
            )
    if not found:
        raise NotationError("expected problems in OBF, a position with the scores of its moves on each line")
    return found[:_MOST_PROBLEMS], len(found)
