"""Commands that set the clocks; see ``TimeControl`` for what they mean."""

from collections.abc import Callable

from outflank.protocol.clock import NO_LIMIT, TimeControl
from outflank.protocol.server.gtp.arguments import Arguments
from outflank.protocol.server.session import Session


def time_settings(session: Session, arguments: Arguments) -> str:
    """Sets both clocks: `main` seconds, after which `stones` moves must be made in every `period` seconds.

    A period of 0 is absolute time. A period with 0 stones, as in `0 1 0`, is no limit at all. Fractions are
    accepted.

    Arguments: `main` `period` `stones`
    Fails: `syntax error` if a number is missing or below 0
    """
    session.set_time(_canadian(arguments))
    return ""


def time_left(session: Session, arguments: Arguments) -> str:
    """Corrects the clock of one side. Between two of these we count our own thinking by a monotonic clock.

    Arguments: `colour` `seconds` [`stones`]: 0 stones (or none given) in main time, else the moves still due
      in this period, or the periods left where `kata-time_settings byoyomi` was set. Fractions are accepted,
      and less than 0 counts as 0. It is believed even if no limit was set.
    Fails: `syntax error` if a number is missing
    """
    colour, seconds = arguments.colour(), arguments.number("seconds left")
    session.clocks[colour].set_left(seconds, arguments.whole("stones", 0, default=0))
    return ""


def kata_list_time_settings(session: Session, arguments: Arguments) -> str:
    """Lists the kinds of clock that `kata-time_settings` takes.

    Answer: `none absolute byoyomi canadian fischer`, each in a line of its own
    """
    return "\n".join(_SETTINGS)


def kata_time_settings(session: Session, arguments: Arguments) -> str:
    """Sets both clocks; all times in seconds, fractions accepted.

    Arguments: `none` | `absolute` main | `byoyomi` main period periods | `canadian` main period stones |
      `fischer` main increment
    Fails: `syntax error` if the kind is another or a number is missing or below 0
    """
    session.set_time(_SETTINGS[arguments.choice("a kind of clock", tuple(_SETTINGS))](arguments))
    return ""


def _seconds(arguments: Arguments, name: str) -> float:
    return arguments.number(f"{name} seconds", least=0)


def _byoyomi(arguments: Arguments) -> TimeControl:
    main, period = _seconds(arguments, "main"), _seconds(arguments, "period")
    if arguments.whole("periods", 0) == 0 or period == 0:
        return TimeControl(main)
    return TimeControl(main, period=period, period_moves=1, counts_periods=True)


def _canadian(arguments: Arguments) -> TimeControl:
    main, period = _seconds(arguments, "main"), _seconds(arguments, "period")
    return TimeControl.canadian(main, period, arguments.whole("stones", 0))


_SETTINGS: dict[str, Callable[[Arguments], TimeControl]] = {
    "none": lambda arguments: NO_LIMIT,
    "absolute": lambda arguments: TimeControl(_seconds(arguments, "main")),
    "byoyomi": _byoyomi,
    "canadian": _canadian,
    "fischer": lambda arguments: TimeControl(
        _seconds(arguments, "main"), increment=_seconds(arguments, "increment")
    ),
}
