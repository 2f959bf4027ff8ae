"""Practice on the page: spaced repetition of problems and openings."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from outflank.engine import FileFormatError, NotationError, OutflankError, Rules
from outflank.protocol.formats import obf
from outflank.protocol.formats.samples import samples
from outflank.storage.files import write_whole
from outflank.storage.folders import user_folder
from outflank.storage.lock import WriterLock
from outflank.tools.runtime.records import read_record

SHIPPED_PROBLEMS = samples()["problems"]
"""The file of shipped problems, easiest first: positions with a single winning move, and the scores of all moves."""
_MOST_PROBLEMS = 1_000

_DAYS = (0, 1, 3, 7, 16, 35, 80)  # by box: the number of days until its cards are asked again
_SECONDS_A_DAY = 86_400
_SOON_SECONDS = 60.0  # the time until a card with a wrong answer is asked again
_MOST_CARDS = 20_000
_MOST_ANSWERS = 1_000_000_000
_LATEST = 1e11  # the latest valid due time, in seconds since 1970: about 3,000 years after 1970
_LONGEST_KEY = 300
_LOCK_SECONDS = 5.0  # the longest wait for the lock of the file
_RETRY_SECONDS = 0.01


def progress_file() -> Path:
    """Return the path of this user's progress file: ``outflank/practice.json`` in the XDG data folder."""
    return user_folder("data") / "practice.json"


class Card(msgspec.Struct):
    """The card of a question: its past answers and its next due time.

    Attributes:
        box: the number of the box, which sets the interval until the question is asked again.
        due: the next time to ask the question, in seconds since 1970.
        right: the number of right answers.
        wrong: the number of wrong answers.
    """

    box: Annotated[int, Meta(ge=0, le=len(_DAYS) - 1)]
    due: Annotated[float, Meta(ge=0, le=_LATEST)]
    right: Annotated[int, Meta(ge=0, le=_MOST_ANSWERS)]
    wrong: Annotated[int, Meta(ge=0, le=_MOST_ANSWERS)]

    @property
    def answers(self) -> int:
        """The number of answers."""
        return self.right + self.wrong


Cards = dict[Annotated[str, Meta(min_length=1, max_length=_LONGEST_KEY)], Card]


class Progress(msgspec.Struct):
    """The content of a progress file. ``cards`` maps the key of a question to its card."""

    cards: Annotated[Cards, Meta(max_length=_MOST_CARDS)]
    version: Literal[1] = 1


def cards(path: Path) -> Cards:
    """Return the cards of a progress file by their keys; an empty dict if the file does not exist yet.

    A right answer moves a card to the next box, which has a longer interval; a wrong answer moves it to the first.

    Raises: NotationError if the file is damaged.
    """
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return {}
    try:
        return read_progress(text).cards
    except NotationError as error:
        raise NotationError(f"{str(path)!r} can't be used: {error}") from None


def note_answer(path: Path, key: str, is_right: bool) -> Card:
    """Record an answer to a question, and return the question's card. Raises: OutflankError, OSError."""
    with _changing(path) as known:
        if not 0 < len(key) <= _LONGEST_KEY or (key not in known and len(known) >= _MOST_CARDS):
            raise NotationError(f"expected one of at most {_MOST_CARDS} cards, got {key[:40]!r}")
        card = known.setdefault(key, Card(0, 0, 0, 0))
        card.box = min(card.box + 1, len(_DAYS) - 1) if is_right else 0
        card.due = round(time.time() + (_DAYS[card.box] * _SECONDS_A_DAY if is_right else _SOON_SECONDS))
        card.right = min(card.right + is_right, _MOST_ANSWERS)
        card.wrong = min(card.wrong + (not is_right), _MOST_ANSWERS)
    return card


def merge_cards(path: Path, text: bytes) -> Cards:
    """Merge another progress file into this one, and return all cards.

    Of two cards with the same key, the one with more answers is kept.

    Raises: NotationError if the text is not a progress file or there would be too many cards; OutflankError or OSError
        if the file at `path` can't be changed.
    """
    with _changing(path) as known:
        for key, card in read_progress(text).cards.items():
            if key not in known or card.answers > known[key].answers:
                known[key] = card
        if len(known) > _MOST_CARDS:
            raise NotationError(f"expected at most {_MOST_CARDS} cards, got {len(known)}")
    return known


def read_progress(text: bytes) -> Progress:
    """Read the text of a progress file. Raises: NotationError."""
    progress: Progress = read_record(text, Progress)
    return progress


@contextmanager
def _changing(path: Path) -> Iterator[Cards]:
    """Yield a file's cards for modification, and write them at the end of the block unless an error is raised.

    A lock prevents programs that share the file from losing each other's answers.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            lock = WriterLock(path, "expected one program at a time to record an answer")
            break
        except FileFormatError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_SECONDS)
    with lock:
        known = cards(path)
        yield known
        write_whole(path, json.dumps(msgspec.to_builtins(Progress(known)), indent=1).encode())


def problems(text: str, rules: Rules) -> tuple[list[dict[str, Any]], int]:
    """Return the first problems of an OBF file with the ``scores`` of their moves, and the number of all problems.

    Positions without a choice of moves are left out. ``scores`` is empty if the file does not score all their moves.

    Raises: NotationError if no problem is left.
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
