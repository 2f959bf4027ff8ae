"""Trains an evaluation from scratch in a given time.

The first generation plays with weights that are all 0. Its games are poor, but play is perfect from `exact_from` empty
squares to the end, so the first fit already learns the late phases. Each further generation plays with the evaluation
of the previous generation. The scores of each generation are accurate a few plies earlier in the game, so accuracy
propagates from the end of the game to the beginning. Later fits use only the solved positions of the first generations.
The tables are fitted to all positions of the other games, since the number of games matters more than their quality.
As soon as two of the last generations, described below, have played, the network uses only the solved positions of all
earlier games. Labelled boards, most of which no game reached, are used only to train the network. The network can
distinguish these boards from positions of good play, but the tables can't.

The last generations play the kind of games that the weights are made for: close games between good players, with a deep
selective search, and a nearly perfect endgame that starts earlier. The same search labels midgame boards that these
games did not reach. Most boards in searches are of this kind. Labelling a board takes a tenth of the time of solving
it. In these generations, the loss of the network is linear for large errors, and rarer configurations have a row. After
the last fit, the heads are calibrated.

The folder records the time of each step, so that interruptions do not use up the time limit. A later run with a larger
time limit adds another generation like the last one.
"""

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Unpack

from outflank.engine import FileFormatError, OutflankError
from outflank.engine.evaluation import weights
from outflank.engine.machine import processors
from outflank.storage.files import write_whole
from outflank.tools.runtime.cluster import Place
from outflank.tools.train import label, probcut, selfplay, weights_file
from outflank.tools.train.dataset import load, read_header, shards_there
from outflank.tools.train.settings import (
    LabelSettings,
    NetworkSettings,
    SearchSettings,
    SelfplaySettings,
    Trust,
)

_MOST = 100_000_000  # the limit on games and boards, which is never reached, since the time runs out first
# The share of the time for each generation. The error model gets the remaining time.
_SHARES = (0.08, 0.08, 0.14, 0.25, 0.43)
_WORTH_ANOTHER = 0.25  # the minimum share of the total time that must be left for another generation
# The share of the first generation's time for games and labels; the fit takes the rest. In later generations, an
# estimate of the fit's time replaces this share.
_FIRST_WORK_SHARE = 0.5
_LEAST_WORK_SHARE = 0.1
# The assumed growth of a fit's time per position from one fit to the next; the measured growth was at most 1.4.
_CAUTION = 1.5
_EARLY_LABEL_SHARE, _LATE_LABEL_SHARE = 0.3, 0.6  # the labels' share of the time for games and labels
_FIRST_FOR_TABLES = 2  # the first generation whose unsolved positions are used in later fits of the tables
_FIRST_LATE = 3
_LATE_OPENINGS = (8, 24)  # the range of random moves of an opening in the last generations
_LATE_DETOURS, _LATE_WIDEST = 0.3, 24
_EARLY_LABELLED, _LATE_LABELLED = (11, 13), (11, 46)  # the ranges of empty squares of labelled boards
_LABELS_SOLVED_FROM = 13
_LATE_MIN_COUNT = 30
_LATE_LINEAR_FROM = 4.0
_STRAY_MOVES = 4
_LINE_TO = 10
_CALIBRATION_BOARDS = 1000
_ERROR_MODEL = "selectivity model"  # the name of the last step
_ERROR_MODEL_DEPTH = 8
_ERROR_MODEL_BOARDS = 30
# Upper bounds from measurements: a processor plays 100 games of 540 bytes in a second if moves are searched to 4 plies,
# and a weights file has ten megabytes.
_BYTES_A_SECOND = 54_000
_BYTES_OF_WEIGHTS = 10_000_000
_MB = 1_000_000


@dataclass(frozen=True, slots=True)
class BootstrapSettings:
    """Settings of the training.

    Attributes:
        folder: the folder for all files. Finished steps in the folder are not repeated.
        seconds: the total time in seconds, including the time of earlier runs in the folder.
        early: the search settings of the first generations.
        late: the search settings of the last generations.
        seed: the seed for the first generation. It increases by 1 with each generation.
        games_a_shard: the number of games, or of labelled boards, in a shard. A shard is the unit of work.
    """

    folder: Path
    seconds: float
    early: SearchSettings
    late: SearchSettings
    seed: int
    games_a_shard: int = 1000

    def games(self, generation: int) -> Path:
        """Return the folder of a generation's games."""
        return self.folder / f"games-{generation}"

    def labels(self, generation: int) -> Path:
        """Return the folder of a generation's labelled boards, most of which no game reached."""
        return self.folder / f"labels-{generation}"

    def weights(self, generation: int) -> Path:
        """Return the file of the weights with which a generation plays. In generation 0 all weights are 0."""
        return self.folder / f"weights-{generation}.bin"

    @property
    def error_model(self) -> Path:
        """The file of the selectivity model, which is fitted to the last generation."""
        return self.folder / "probcut.json"

    @property
    def spent(self) -> Path:
        """The file with the seconds spent on each step."""
        return self.folder / "spent.json"


def generation_seconds(seconds: float, generation: int, earlier: float) -> float:
    """Return the seconds for one of the first generations: its share, and the time that the earlier ones did not use.

    Args:
        seconds: the total seconds of the training.
        generation: the number of the generation, less than the number of shares.
        earlier: the seconds that the earlier generations used. If they used too many, this generation gets half of its
            share at least.
    """
    until = seconds * sum(_SHARES[: generation + 1])
    return max(until - earlier, seconds * _SHARES[generation] / 2)


def work_seconds(seconds: float, known: int, found: float = 0.0, fitted: float = 0.0) -> float:
    """Return the seconds that a generation spends on games and labels. The fit to all positions takes the rest.

    Args:
        seconds: the total seconds for the generation.
        known: the number of positions of the earlier generations.
        found: the number of positions per second that the previous generation's games and labels gave; 0 if unknown.
        fitted: the expected seconds of the fit per position.
    """
    if not found:
        return seconds * _FIRST_WORK_SHARE
    foreseen = (seconds - known * fitted) / (1 + found * fitted)
    return max(foreseen, seconds * _LEAST_WORK_SHARE)


def bootstrap(settings: BootstrapSettings, report: Callable[[str], None], **place: Unpack[Place]) -> None:
    """Run all generations, then fit the selectivity model. `report` receives a sentence about each step.

    After an interruption the latest weights are usable, and the same call continues the training. A later call with
    more time continues from the earlier result.

    Raises: FileFormatError if the folder has games that were made with other settings.
    """
    settings.folder.mkdir(parents=True, exist_ok=True)
    _write_nothing(settings.weights(0))
    generation = next(number for number in count() if not settings.weights(number + 1).exists())
    while seconds := _seconds(settings, generation):
        played, solved = _run_generation(settings, generation, seconds, place)
        generation += 1
        report(
            f"generation {generation - 1}: {played} games, {solved} boards labelled, "
            f"weights in {settings.weights(generation)}"
        )
    with spending(settings.spent, _ERROR_MODEL):
        _fit_error_model(settings, generation - 1, place)
    report(f"selectivity model in {settings.error_model}")


def plan(settings: BootstrapSettings, workers: int | None) -> str:
    """Return a sentence about the time and the disk space that the training will take.

    Raises: OutflankError if the disk has too little space; ModuleNotFoundError if PyTorch is missing. Without this
        check the error would not appear until the first fit.
    """
    if find_spec("torch") is None:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")
    left = max(settings.seconds - sum(_seconds_of_steps(settings.spent).values()), 0.0)
    needed = round(
        _BYTES_A_SECOND * left * (workers or processors()) * _FIRST_WORK_SHARE
    ) + _BYTES_OF_WEIGHTS * len(_SHARES)
    there = next(path for path in (settings.folder, *settings.folder.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    if free < needed:
        raise OutflankError(
            f"the games of {_duration(left)} may take {needed // _MB:,} MB, but {settings.folder} has only "
            f"{free // _MB:,} MB free: use a shorter --budget or another folder"
        )
    until = datetime.now() + timedelta(seconds=left)
    room = f"at most about {needed // _MB:,} MB of the {free // _MB:,} MB free"
    return f"{_duration(left)} of work, until about {until:%H:%M}, and {room} in {settings.folder}"


def _duration(seconds: float) -> str:
    if seconds >= 7200:
        return f"{seconds / 3600:.1f} hours"
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def _steps(generation: int) -> tuple[str, str, str]:
    return f"games {generation}", f"labels {generation}", f"fit {generation}"


def _seconds(settings: BootstrapSettings, generation: int) -> float:
    earlier = spent_on(settings.spent, *(step for number in range(generation) for step in _steps(number)))
    if generation < len(_SHARES):
        return generation_seconds(settings.seconds, generation, earlier)
    left = settings.seconds - earlier - spent_on(settings.spent, _ERROR_MODEL)
    return left if left >= settings.seconds * _WORTH_ANOTHER else 0.0


def _work_seconds(settings: BootstrapSettings, generation: int, seconds: float) -> float:
    games, labels, fit = _steps(generation - 1)
    worked, known = spent_on(settings.spent, games, labels), _positions(settings, generation)
    if not worked:
        return work_seconds(seconds, known)
    made = known - _positions(settings, generation - 1)
    return work_seconds(seconds, known, made / worked, _CAUTION * spent_on(settings.spent, fit) / known)


def _run_generation(
    settings: BootstrapSettings, generation: int, seconds: float, place: Place
) -> tuple[int, int]:
    games, labels, fit = _steps(generation)
    work = _work_seconds(settings, generation, seconds)
    share = _LATE_LABEL_SHARE if generation >= _FIRST_LATE else _EARLY_LABEL_SHARE
    with spending(settings.spent, games):
        played = _play(settings, generation, work * (1 - share) - spent_on(settings.spent, games), place)
    with spending(settings.spent, labels):
        solved = _label(settings, generation, work * share - spent_on(settings.spent, labels), place)
    with spending(settings.spent, fit):
        _fit_generation(settings, generation, place)
    return played, solved


def _play(settings: BootstrapSettings, generation: int, seconds: float, place: Place) -> int:
    seed = settings.seed + generation
    playing = SelfplaySettings(settings.weights(generation), settings.early, seed, settings.games_a_shard)
    if generation >= _FIRST_LATE:
        playing = replace(
            playing,
            judging=settings.late,
            random_moves=_LATE_OPENINGS,
            detours=_LATE_DETOURS,
            widest=_LATE_WIDEST,
        )
    folder = settings.games(generation)
    return selfplay.selfplay(folder, playing, _MOST, seconds=seconds, **place)


def _label(settings: BootstrapSettings, generation: int, seconds: float, place: Place) -> int:
    late = generation >= _FIRST_LATE
    fewest, most = _LATE_LABELLED if late else _EARLY_LABELLED
    judging = settings.late if late else settings.early
    labelling = LabelSettings(
        settings.weights(generation),
        replace(judging, exact_from=_LABELS_SOLVED_FROM),
        seed=settings.seed + generation,
        fewest=fewest,
        most=most,
        stray=_STRAY_MOVES,
        line_to=_LINE_TO,
        boards_a_shard=settings.games_a_shard,
    )
    games, folder = load([settings.games(generation)]), settings.labels(generation)
    return label.label(folder, labelling, games, _MOST, seconds=seconds, **place)


def _positions(settings: BootstrapSettings, generation: int) -> int:
    numbers = range(generation)
    folders = [*map(settings.games, numbers), *map(settings.labels, numbers)]
    return sum(int(read_header(path)["positions"]) for folder in folders for path in shards_there(folder))


def _write_nothing(path: Path) -> None:
    if not path.exists():
        write_whole(
            path, weights.packed(weights.Weights.nothing(), {"command": "nothing: all weights are 0"})
        )


def _fit_generation(settings: BootstrapSettings, generation: int, place: Place) -> None:
    # The first generation plays with weights that are all 0, so its search scores are useless.
    trust = Trust() if generation else Trust(1.0, 1.0)
    tables = settings.folder / "tables.unfinished"
    weights_file.fit_folders(*_games(settings, generation, _FIRST_FOR_TABLES), tables, trust)
    games, earlier = _games(
        settings, generation, _FIRST_LATE if generation > _FIRST_LATE else _FIRST_FOR_TABLES
    )
    labels = [settings.labels(number) for number in range(generation + 1)]
    training = NetworkSettings(trust=trust, seed=settings.seed)
    if generation >= _FIRST_LATE:
        training = replace(training, linear_from=_LATE_LINEAR_FROM, min_count=_LATE_MIN_COUNT)
    both = settings.folder / "weights.unfinished"
    weights_file.train_network(tables, [*games, *labels], earlier, both, training)
    if generation >= len(_SHARES) - 1:
        weights_file.calibrate_heads(
            both, games[-1:], both, boards=_CALIBRATION_BOARDS, seed=settings.seed, **place
        )
    both.rename(settings.weights(generation + 1))
    tables.unlink()


def _games(settings: BootstrapSettings, generation: int, first: int) -> tuple[list[Path], list[Path]]:
    """Return the folders of the games from generation `first` to `generation`, and the folders of earlier games.

    A fit uses all positions of the former, but only the solved positions of the latter. If `first` is later than
    `generation`, `generation` replaces it.
    """
    folders = [settings.games(number) for number in range(generation + 1)]
    known = min(generation, first)
    return folders[known:], folders[:known]


def _fit_error_model(settings: BootstrapSettings, last: int, place: Place) -> None:
    weights_made = settings.weights(last + 1)
    if settings.error_model.exists() and probcut.is_fitted_to(settings.error_model, weights_made):
        return
    measured = probcut.measure(
        weights_made, [settings.games(last)], _ERROR_MODEL_BOARDS, _ERROR_MODEL_DEPTH, settings.seed, **place
    )
    probcut.write(settings.error_model, probcut.fit(measured), measured, weights_made, settings.seed)


def spent_on(path: Path, *steps: str) -> float:
    """Return the total seconds spent on these steps; 0 if the file does not exist.

    Raises: FileFormatError if the file is damaged or of another kind.
    """
    seconds = _seconds_of_steps(path)
    return sum(seconds.get(step, 0.0) for step in steps)


@contextmanager
def spending(path: Path, step: str) -> Iterator[None]:
    """Add the duration of the ``with`` block to a step, even if the block raises. A killed process adds nothing.

    Raises: FileFormatError if the file is damaged or of another kind.
    """
    seconds, began = _seconds_of_steps(path), time.monotonic()
    try:
        yield
    finally:
        seconds[step] = seconds.get(step, 0.0) + time.monotonic() - began
        write_whole(path, (json.dumps(seconds, indent=1) + "\n").encode())


def _seconds_of_steps(path: Path) -> dict[str, float]:
    try:
        return {str(step): float(seconds) for step, seconds in json.loads(path.read_bytes()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, TypeError):
        raise FileFormatError(f"{path} does not contain the seconds of each step") from None
