"""Commands that set the numbers of the search, named as KataGo names its own."""

import json
from dataclasses import asdict

from outflank.engine import SettingsError
from outflank.engine.search.parameters import PARAMETERS, parameter_of
from outflank.protocol.server.gtp.arguments import Arguments
from outflank.protocol.server.gtp.grammar import CommandError
from outflank.protocol.server.session import Session


def kata_list_params(session: Session, arguments: Arguments) -> str:
    """Lists the parameters of the search; [search.md](search.md#parameters) says what each means.

    Answer: their names, separated by blanks
    """
    return " ".join(PARAMETERS)


def kata_get_param(session: Session, arguments: Arguments) -> str:
    """Gives the value of a parameter.

    Arguments: `name`
    Answer: a number
    Fails: `syntax error` if there is no such parameter
    """
    name = arguments.word("a parameter")
    try:
        return str(getattr(session.searcher.parameters, parameter_of(name).name))
    except SettingsError as error:
        raise CommandError("syntax error", str(error)) from None


def kata_get_params(session: Session, arguments: Arguments) -> str:
    """Gives the values of all parameters.

    Answer: a JSON object in one line
    """
    return json.dumps(asdict(session.searcher.parameters))


def kata_set_param(session: Session, arguments: Arguments) -> str:
    """Sets a parameter for all searches to come. What was searched before is forgotten.

    Arguments: `name` `value`
    Fails: `syntax error` if there is no such parameter, or if it can't have the value; nothing is changed then
    """
    name = arguments.word("a parameter")
    value = arguments.word("a value")
    try:
        session.search.set_parameters(session.searcher.parameters.changed({name: value}))
    except SettingsError as error:
        raise CommandError("syntax error", str(error)) from None
    return ""
