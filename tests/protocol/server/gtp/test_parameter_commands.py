"""The numbers of the search by GTP, as KataGo names the commands."""

import json

import pytest

from outflank.engine.search.parameters import PARAMETERS
from outflank.tests.support.dialogue import Dialogue, run_program


def test_every_parameter_is_listed_with_its_default() -> None:
    dialogue = Dialogue()

    assert dialogue.ask("kata-list-params").split() == list(PARAMETERS)
    for name, parameter in PARAMETERS.items():
        assert float(dialogue.ask(f"kata-get-param {name}")) == parameter.default
    assert json.loads(dialogue.ask("kata-get-params")) == {
        name: parameter.default for name, parameter in PARAMETERS.items()
    }


def test_a_parameter_that_is_set_has_its_value_and_the_game_goes_on() -> None:
    dialogue = Dialogue()
    dialogue.ask("play b f5")
    dialogue.ask("kata-set-param mpc_t_middle_low 1.25")

    assert dialogue.ask("kata-get-param mpc_t_middle_low") == "1.25"
    assert "parameters mpc_t_middle_low=1.25" in dialogue.ask("gomill-describe_engine")
    assert dialogue.ask("genmove w") in ("d6", "f6", "f4")


@pytest.mark.parametrize("words", ["", "window", "window 0", "window 2.5", "window nan", "windows 3"])
def test_a_command_that_can_not_be_followed_changes_nothing(words: str) -> None:
    dialogue = Dialogue()
    before = dialogue.ask("kata-get-params")

    assert dialogue.refuse(f"kata-set-param {words}").startswith("syntax error: ")
    assert dialogue.ask("kata-get-params") == before


def test_an_option_of_the_program_sets_the_same_number() -> None:
    answers = run_program(b"kata-get-param lmr_from_move\nquit\n", "--param", "lmr_from_move=5").stdout

    assert answers.startswith(b"= 5\n")
