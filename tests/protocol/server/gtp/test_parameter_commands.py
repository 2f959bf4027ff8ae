"""The numbers of the search by GTP, as KataGo names the commands."""

import json

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


def test_an_option_of_the_program_sets_the_same_number() -> None:
    answers = run_program(b"kata-get-param lmr_from_move\nquit\n", "--param", "lmr_from_move=5").stdout

    assert answers.startswith(b"= 5\n")
