"""What a run may hold, whoever wrote its file: every value of its type and in its range, every name one of its."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from outflank.tools.games.results import Outside
from outflank.tools.state.run import Run, RunSettings, Void

LONGEST_SENTENCE = 2_000  # characters; engines have a say in what most of them are about
LONGEST_DIALOGUE = 1 << 20  # more than `Dialogue` keeps of a game
_GAP = " ... left out ... "
_MOST = 1_000_000_000
_LONGEST_TEXT = 1 << 20
_DISCS = 64
_MOST_PLACES = 1000
_MOST_EMPTIES = 60
_SEEDS = 2**63
_Check = Callable[[Any], bool]


def _whole(least: int, most: int) -> _Check:
    return lambda value: type(value) is int and least <= value <= most


def _number(least: float, most: float) -> _Check:
    return lambda value: type(value) in (int, float) and math.isfinite(value) and least <= value <= most


def _text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT


def _or_none(check: _Check) -> _Check:
    return lambda value: value is None or check(value)


_COUNT = _whole(1, _MOST)
_MARGIN = _or_none(_whole(-_DISCS, _DISCS))
_GAME: dict[str, _Check] = {
    **dict.fromkeys(("number", "attempt", "pair", "round"), _COUNT),
    **dict.fromkeys(("black", "white", "rules", "opening", "started", "ending", "detail"), _text),
    **dict.fromkeys(("winner", "dialogue", "void", "blamed"), _or_none(_text)),
    "margin": _MARGIN,
}
_TURN: dict[str, _Check] = {
    "move": _text,
    "seconds": _or_none(_number(0, _MOST)),
    "value": _or_none(_number(-_MOST, _MOST)),
    "exact": _MARGIN,
    "book": _or_none(_whole(0, 1)),
}
_SETTINGS: dict[str, _Check] = {
    "games": _COUNT,
    "rounds": _COUNT,
    "seed": _whole(0, _SEEDS),
    "stall": _number(0, _MOST),
    "adjudicate": _whole(0, _MOST_EMPTIES),
    "solve": _whole(0, _MOST_EMPTIES),
    "concurrency": _whole(1, _MOST_PLACES),
    "replay_crashes": lambda value: isinstance(value, bool),
}


def cut(text: str, longest: int) -> str:
    """`text` with at most `longest` characters: its middle is left out, since the end of a dialogue has the fault."""
    if len(text) <= longest:
        return text
    kept = longest - len(_GAP)
    return text[: kept - kept // 2] + _GAP + text[-(kept // 2) :]


def check_game(row: dict[str, Any], turns: Sequence[Sequence[Any]]) -> None:
    """Check the row of a game that has ended and those of its turns.

    Raises: ValueError.
    """
    _check(row, _GAME)
    datetime.fromisoformat(row["started"])
    for turn in turns:
        _check(dict(zip(_TURN, turn, strict=True)), _TURN)


def check_outside(taken: Outside) -> None:
    """Check what an engine took outside the commands for its moves.

    Raises: ValueError.
    """
    _check(
        asdict(taken),
        {"moves": _whole(0, _MOST), **dict.fromkeys(("seconds", "longest", "setup"), _number(0, _MOST))},
    )


def check_settings(settings: RunSettings) -> None:
    """Check the numbers of settings, and that each engine has a name of its own.

    Raises: ValueError.
    """
    _check({name: getattr(settings, name) for name in _SETTINGS}, _SETTINGS)
    if len(set(settings.names)) != len(settings.names) or len(settings.names) < 2:
        raise ValueError(
            f"a run needs two engines or more with different names, not {', '.join(settings.names) or 'none'}"
        )


def check_run(run: Run) -> None:
    """Check that games and remarks belong to the run.

    Raises: ValueError.
    """
    datetime.fromisoformat(run.started)
    if not all(map(_text, (*run.remarks, run.machine))):
        raise ValueError("a remark or the machine is no text")
    if run.seconds is not None and not _number(0, _MOST)(run.seconds):
        raise ValueError(f"expected seconds from 0 on, got {run.seconds}")
    numbers = [game.pairing.number for game in run.games]
    if len(set(numbers)) != len(numbers):
        raise ValueError("a game counts twice")
    for game in (*run.games, *(void.game for void in run.voids)):
        names = set(game.pairing.names.values())
        if len(names) != 2 or not names <= set(run.settings.names):
            raise ValueError(
                f"a game is not between two engines of the run, but between {' and '.join(sorted(names))}"
            )
    for void in run.voids:
        _check_void(void, run.settings)


def _check_void(void: Void, settings: RunSettings) -> None:
    if void.engine is not None and void.engine not in settings.names:
        raise ValueError(f"a void blames {void.engine!r}, which is no engine of the run")


def _check(values: dict[str, Any], checks: dict[str, _Check]) -> None:
    for name, check in checks.items():
        if not check(values[name]):
            raise ValueError(f"its {name} can't be {str(values[name])[:40]!r}")
