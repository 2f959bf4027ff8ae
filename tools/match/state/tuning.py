"""A tuning as a run: the settings of its games, its values so far, and the match that tests its result."""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from outflank.protocol.drivers.spec import EngineSpec, is_ours
from outflank.protocol.drivers.spec_values import Protocol, name
from outflank.tools.match.state.run import RunSettings
from outflank.tools.match.stats.spsa import TunedParameter, Tuning

_SIDES, _TUNED = ("+", "-"), " tuned"
TEST_FOLDER = "test"  # the subfolder of a tuning for the match of the tuned values against the initial ones
_POINTS = 200  # the approximate number of points in ``Value.path``
_SETTLED_FROM = 0.75  # mean and spread leave out this share of the pairs, counted from the first pair


def tuning_settings(settings: RunSettings, parameters: Sequence[TunedParameter]) -> RunSettings:
    """Return the settings of a run in which the only engine of `settings` plays against itself with varied values.

    The SPRT of `settings` becomes the test of the tuned values against the initial ones after the run.

    Raises: NotationError if a name is too long, or if two parameters have the same name.
    """
    tuning = Tuning(tuple(parameters), lag=2 * settings.concurrency, test=settings.sprt)
    start = tuning.texts([parameter.start for parameter in parameters])
    (engine,) = settings.engines
    if engine.protocol is Protocol.NBOARD and not is_ours(engine):
        texts = (engine.cmd, *engine.commands)
        sent = [each for each in start if not any(f"{{{each}}}" in text for text in texts)]
        engine = replace(
            engine, commands=(*engine.commands, *(f"set {each} {{{each}}}" for each in sorted(sent)))
        )
    engine = engine.with_options(start)
    engines = tuple(_named(engine, side) for side in _SIDES)
    _named(engine, _TUNED)  # raises now, not after the games, if the name for the test is too long
    games = settings.games + settings.games % 2
    return replace(settings, engines=engines, tuning=tuning, games=games, sprt=None)


def _named(engine: EngineSpec, addition: str) -> EngineSpec:
    return replace(engine, name=name("name", f"{engine.name}{addition}"))


@dataclass(frozen=True, slots=True)
class Value:
    """The values of a parameter so far.

    Attributes:
        parameter: the parameter.
        text: the present value in the form that engines get.
        mean: the mean over the last quarter of the pairs so far.
        spread: the standard deviation of the value over the same pairs.
        path: about ``_POINTS`` points: a number of pairs, the value after these pairs, and the step in the last pair.
    """

    parameter: TunedParameter
    text: str
    mean: float
    spread: float
    path: tuple[tuple[int, float, float], ...]


def values_of(settings: RunSettings, results: Sequence[float]) -> list[Value]:
    """Return the values of each parameter of a tuning; empty for other runs.

    Args:
        settings: the settings of the run.
        results: the points of the first engine in each pair, 0 to 2, from the first pair on.
    """
    tuning, path = settings.tuning, settings.value_path()
    if tuning is None or path is None:
        return []
    step, settled = max(len(results) // _POINTS, 1), math.ceil(_SETTLED_FROM * len(results))
    drawn: list[tuple[int, list[float]]] = []
    last_quarter = [array("d") for _ in tuning.parameters]
    for pair in range(len(results) + 1):
        if pair:
            path.add(pair, results[pair - 1])
        if pair % step == 0 or pair == len(results):
            drawn.append((pair, path.values))
        if pair >= settled:
            for kept, value in zip(last_quarter, path.values, strict=True):
                kept.append(value)
    means = [fmean(kept) for kept in last_quarter]
    return [
        Value(
            parameter,
            parameter.text(path.values[place]),
            means[place],
            math.sqrt(fmean((value - means[place]) ** 2 for value in last_quarter[place])),
            tuple((pair, values[place], path.step(parameter, pair)) for pair, values in drawn),
        )
        for place, parameter in enumerate(tuning.parameters)
    ]


def test_of(settings: RunSettings, values: Sequence[Value]) -> RunSettings | None:
    """Return the settings of the match that tests the tuned values; None if there is no test or no changed value."""
    tuning = settings.tuning
    if tuning is None or tuning.test is None:
        return None
    start = tuning.texts([parameter.start for parameter in tuning.parameters])
    found = {value.parameter.name: value.text for value in values}
    if found == start:
        return None
    first = replace(settings.engines[0], name=settings.engines[0].name.removesuffix(_SIDES[0]))
    engines = (_named(first.with_options(found), _TUNED), first)
    # The test gets another seed, so that its openings differ from the openings of the tuning.
    return replace(settings, engines=engines, tuning=None, sprt=tuning.test, seed=settings.seed + 1)
