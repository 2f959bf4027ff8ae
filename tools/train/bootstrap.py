"""The whole way from nothing to an evaluation, in a given time.

The first generation plays with weights that are all 0: its games are poor, but from `exact_from` empty squares on
their results are those of perfect play, so the late phases are learned at once. Each further generation plays with
the evaluation of the one before, whose searches look a few plies further back than it was right before: what is known
travels from the end of the game to its beginning. The first generations go on serving with what they solved, the later
ones with whole games: how many there are counts for more than how well they are played.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from outflank.engine import weights
from outflank.tools.train import fit, fitting, network, probcut, selfplay

_MOST_GAMES = 100_000_000
_SHARES = (0.08, 0.08, 0.14, 0.25, 0.45)  # of the time for self-play, one for each generation
_SELFPLAY_SHARE = 0.7  # of the time; the rest is for fitting
_FIRST_TO_SERVE_WHOLE = 2
_ERROR_MODEL_DEPTH = 8
_ERROR_MODEL_BOARDS = 30


@dataclass(frozen=True, slots=True)
class Settings:
    """How to go about it.

    Attributes:
        folder: where everything is kept; what is there already is not done again.
        seconds: the time for all of it.
        depth: plies searched for a move.
        exact_from: empty squares from which on games are solved.
        seed: of the first generation; the others follow.
        games_a_shard: games in a file, the unit of work.
    """

    folder: Path
    seconds: float
    depth: int
    exact_from: int
    seed: int
    games_a_shard: int = 1000

    def games(self, generation: int) -> Path:
        """The folder of a generation's games."""
        return self.folder / f"games-{generation}"

    def weights(self, generation: int) -> Path:
        """The weights that a generation plays with; those of generation 0 know nothing."""
        return self.folder / f"weights-{generation}.bin"

    @property
    def error_model(self) -> Path:
        """The selectivity model of the last generation."""
        return self.folder / "probcut.json"


def bootstrap(
    settings: Settings,
    report: Callable[[str], None],
    *,
    workers: int | None = None,
    cluster: str | None = None,
) -> None:
    """Run all generations, telling `report` a sentence about each, then fit the selectivity model.

    Whenever it is interrupted, the weights made so far are usable; the same call then goes on where it was.

    Raises: FileFormatError if the folder holds games of other settings.
    """
    settings.folder.mkdir(parents=True, exist_ok=True)
    _write_nothing(settings.weights(0))
    for generation, share in enumerate(_SHARES):
        if settings.weights(generation + 1).exists():
            continue
        playing = selfplay.Settings(
            settings.weights(generation),
            settings.depth,
            settings.exact_from,
            settings.seed + generation,
            settings.games_a_shard,
        )
        seconds = settings.seconds * _SELFPLAY_SHARE * share
        played = selfplay.selfplay(
            settings.games(generation),
            playing,
            _MOST_GAMES,
            seconds=seconds,
            workers=workers,
            cluster=cluster,
        )
        _fit_generation(settings, generation)
        report(f"generation {generation}: {played} games, weights in {settings.weights(generation + 1)}")
    _fit_error_model(settings, workers, cluster)
    report(f"selectivity model in {settings.error_model}")


def _write_nothing(path: Path) -> None:
    """Write weights that are all 0."""
    if not path.exists():
        weights.write(path, weights.Weights.nothing(), {"command": "nothing: all weights are 0"})


def _fit_generation(settings: Settings, generation: int) -> None:
    """Make the weights of the next generation: the tables first, then the network."""
    known = min(generation, _FIRST_TO_SERVE_WHOLE)
    games = [settings.games(number) for number in range(known, generation + 1)]
    earlier = [settings.games(number) for number in range(known)]
    # The guesses of weights that are all 0 are worth nothing.
    trust = fit.Settings().trust if generation else 1.0
    tables = settings.folder / "tables.unfinished"
    fitting.fit_folders(games, earlier, tables, fit.Settings(trust=trust))
    both = settings.folder / "weights.unfinished"
    training = network.Settings(trust=trust, seed=settings.seed)
    fitting.train_network(tables, games, earlier, both, training)
    both.rename(settings.weights(generation + 1))
    tables.unlink()


def _fit_error_model(settings: Settings, workers: int | None, cluster: str | None) -> None:
    """Fit the selectivity model to the last generation's evaluation."""
    if settings.error_model.exists():
        return
    last = len(_SHARES)
    differences = probcut.measure(
        settings.weights(last),
        [settings.games(last - 1)],
        _ERROR_MODEL_BOARDS,
        _ERROR_MODEL_DEPTH,
        settings.seed,
        workers=workers,
        cluster=cluster,
    )
    probcut.fit(differences).write(
        settings.error_model, {**fitting.made_now(), "weights": settings.weights(last).name}
    )
