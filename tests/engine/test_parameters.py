"""The numbers of the search that can be set."""

import pytest

from outflank.engine import Clock, Limit, Parameters, Searcher, SettingsError
from outflank.engine.search.iterations import plan
from outflank.engine.search.parameters import PARAMETERS, Parameter
from outflank.tests.support.positions import reached

DEFAULTS = Parameters()
SELECTIVE = Limit(depth=12, selectivity=73)
# Numbers of a clock, and those that a search to a depth never asks for.
IDLE = (
    "time_",
    "solve_",
    "end_plies",
    "window_end",
    "presearch1_from_empties",
    "presearch2_from_empties",
    "leaf_late",
    "mpc_t_late",
)


def extremes() -> list[tuple[Parameter, float]]:
    return [(each, value) for each in PARAMETERS.values() for value in (each.least, each.most)]


def changed(parameter: Parameter, value: float) -> Parameters:
    return DEFAULTS.changed({parameter.name: f"{value:g}"})


def nodes_with(parameters: Parameters) -> int:
    """Return the nodes of a selective search in which every idea of the midgame has its chance."""
    searcher = Searcher(hash_mb=4, parameters=parameters)
    return (
        sum(searcher.search(reached(seed, 36), SELECTIVE).nodes for seed in (1, 2))
        + searcher.search(reached(3, 46), Limit(depth=10, selectivity=73)).nodes
    )


def test_every_default_lies_in_its_range_and_every_name_is_a_field() -> None:
    for name, parameter in PARAMETERS.items():
        assert parameter.least <= parameter.default <= parameter.most
        assert getattr(DEFAULTS, name) == parameter.default


def test_settings_are_the_values_that_differ_from_the_defaults() -> None:
    assert DEFAULTS.settings() == []
    assert DEFAULTS.changed({"window": "5", "mpc_probe": "0.75"}).settings() == ["mpc_probe=0.75", "window=5"]


def test_exact_scores_do_not_depend_on_any_parameter() -> None:
    position = reached(5, 14)
    score = Searcher(hash_mb=4).search(position, Limit.solve()).score

    for parameter, value in extremes():
        searcher = Searcher(hash_mb=4, parameters=changed(parameter, value))
        assert searcher.search(position, Limit.solve()).score == score, parameter.name


@pytest.mark.parametrize(
    ("parameter", "value"), extremes(), ids=lambda each: getattr(each, "name", str(each))
)
def test_every_search_ends_with_a_legal_move_at_both_ends_of_a_range(
    parameter: Parameter, value: float
) -> None:
    searcher = Searcher(hash_mb=4, parameters=changed(parameter, value))
    for seed, empties in ((1, 20), (2, 44)):
        position = reached(seed, empties)
        for limit in (Limit(nodes=20_000), Limit(clock=Clock(0.2)), Limit(depth=7, selectivity=73)):
            assert searcher.search(position, limit).move in position.legal_moves()


def test_every_number_of_the_midgame_changes_the_search() -> None:
    usual = nodes_with(DEFAULTS)
    for name, parameter in PARAMETERS.items():
        if not name.startswith(IDLE):
            ends = {nodes_with(changed(parameter, value)) for value in (parameter.least, parameter.most)}
            assert ends != {usual}, name


def test_every_number_of_the_clock_changes_the_plan_or_the_iterations() -> None:
    shares = {
        plan(Clock(60), 50, changed(PARAMETERS[name], PARAMETERS[name].least))
        for name in ("time_solve", "time_before")
    }

    assert len(shares | {plan(Clock(60), 50)}) == 3
    assert plan(Clock(1), 4, DEFAULTS.changed({"time_most": "0.05"})).most < plan(Clock(1), 4).most


def test_two_searchers_have_parameters_of_their_own() -> None:
    bold, shy = (
        Searcher(hash_mb=4, parameters=DEFAULTS.changed({"mpc_t_middle_low": text})) for text in ("0.5", "3")
    )
    position = reached(1, 36)
    found = [searcher.search(position, SELECTIVE).nodes for searcher in (bold, shy)]
    alone = Searcher(hash_mb=4, parameters=bold.parameters).search(position, SELECTIVE).nodes

    assert alone == found[0] < found[1]


def test_a_searcher_that_is_set_searches_as_one_that_was_made_so() -> None:
    other = DEFAULTS.changed({"mpc_probe": "1", "lmr_from_move": "6", "window": "5"})
    used, position = Searcher(hash_mb=4), reached(1, 36)
    used.set_parameters(other)

    made = Searcher(hash_mb=4, parameters=other).search(position, SELECTIVE)
    assert used.search(position, SELECTIVE).nodes == made.nodes
    assert used.parameters == other


def test_threads_that_help_use_the_parameters_too() -> None:
    parameters = DEFAULTS.changed({"mpc_from_depth": "64", "lmr_plies": "0"})
    position = reached(1, 36)
    scores = {
        Searcher(hash_mb=4, threads=threads, parameters=parameters)
        .search(position, Limit(depth=8, selectivity=73))
        .score
        for threads in (1, 3)
    }

    assert scores == {Searcher(hash_mb=4).search(position, Limit(depth=8)).score}


def test_a_busy_searcher_keeps_its_parameters() -> None:
    searcher = Searcher(hash_mb=4)
    with searcher.analyse(reached(1, 40)), pytest.raises(SettingsError, match="busy"):
        searcher.set_parameters(DEFAULTS.changed({"window": "5"}))

    assert searcher.parameters == DEFAULTS


@pytest.mark.parametrize("text", ["", "nan", "inf", "-1", "3.6", "2.9e400", "0x1", "x" * 5000])
def test_a_value_outside_the_range_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(
        SettingsError, match=r"^expected a number from 0.3 to 3.5 for mpc_t_early_low, got"
    ) as error:
        DEFAULTS.changed({"mpc_t_early_low": text})
    assert len(str(error.value)) < 120


def test_a_whole_number_is_asked_for_where_there_is_no_other() -> None:
    with pytest.raises(SettingsError, match="expected a whole number from 1 to 64 for window"):
        DEFAULTS.changed({"window": "2.5"})
    with pytest.raises(SettingsError, match="there is no parameter 'windows'"):
        DEFAULTS.changed({"windows": "2"})
