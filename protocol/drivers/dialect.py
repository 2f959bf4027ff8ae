"""The commands that send a GTP engine its time control and the time left.

- Without a time limit, no command is sent, since an engine has no limit until it gets a clock.
- ``spec``: ``time_settings`` as in the GTP specification. Time per move is sent as a Canadian period of one move.
  Times are rounded down, and an increment is left out, so that the engine never has less time than the command says. If
  all times round to 0, no command is sent.
- ``fischer``: ``kata-time_settings``, which supports fractions and increments.
- ``per-move``: like ``spec``, but time per move is sent as ``time_settings SECONDS 0 1``, and the command is sent
  before the board is cleared. Edax expects this. A time per move of less than a second is sent as a main time of 0, for
  which Edax uses its minimum of 0.1 s.
- ``increment``: ``time_settings MAIN INCREMENT 0``. Time per move is sent as an increment with a main time of 0.
  neural-reversi expects this; the specification has no increment.
- ``auto``: ``per-move`` for an engine named Edax. For other engines, ``spec`` if it can express the time control
  exactly; otherwise ``fischer`` if the engine supports it; otherwise ``spec`` with rounded times and no increment.

``time_left`` is sent before each ``genmove`` if the time control was sent and the engine lists ``time_left``. Fractions
of seconds are sent only to engines that list ``kata-time_settings``, since a strict engine rejects fractions.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum

from outflank.engine import NotationError
from outflank.protocol.clock import TimeControl, seconds_text

_KATA = "kata-time_settings"


class Dialect(StrEnum):
    """The way in which a GTP engine gets its clock; the module's docstring describes each dialect."""

    AUTO = "auto"
    SPEC = "spec"
    FISCHER = "fischer"
    PER_MOVE = "per-move"
    INCREMENT = "increment"

    @classmethod
    def _missing_(cls, value: object) -> "Dialect":
        raise NotationError(f"expected dialect to be one of {' '.join(cls)}, got {value!r}")


@dataclass(frozen=True, slots=True)
class TimeDialect:
    """The clock commands for one engine.

    Attributes:
        settings: the command that sets the time control, sent before each game; None to send no command.
        sends_left: True if ``time_left`` is sent before each of the engine's moves.
        fractions: True if ``time_left`` may contain fractions of seconds.
        before_board: True if `settings` is sent before ``clear_board`` instead of after it.
    """

    settings: str | None = None
    sends_left: bool = False
    fractions: bool = False
    before_board: bool = False

    def time_left(self, colour: str, seconds: float, moves: int) -> str:
        """Return the ``time_left`` command. Whole seconds are at least 1, since 0 would mean a time forfeit."""
        text = seconds_text(seconds) if self.fractions else str(max(1, int(seconds)))
        return f"time_left {colour} {text} {moves}"


def choose_dialect(
    control: TimeControl,
    name: str,
    commands: Collection[str],
    kata_kinds: Collection[str] = (),
    dialect: Dialect = Dialect.AUTO,
) -> TimeDialect:
    """Return the commands that send an engine its clock.

    Args:
        control: the engine's time control.
        name: the engine's own name.
        commands: the commands that the engine lists.
        kata_kinds: the time systems that the engine lists for ``kata-time_settings``.
        dialect: the requested dialect.
    """
    if not control.is_limited:
        return TimeDialect()
    if dialect is Dialect.AUTO:
        says_all = control.is_whole and not control.increment and "time_settings" in commands
        knows_kata = _KATA in commands and _kata_settings(control).split()[1] in kata_kinds
        dialect = Dialect.FISCHER if knows_kata and not says_all else Dialect.SPEC
        if is_edax(name):
            dialect = Dialect.PER_MOVE
    settings = _SETTINGS[dialect](control)
    if settings is not None and settings.split()[0] not in commands:
        settings = None
    return TimeDialect(
        settings,
        sends_left=settings is not None and "time_left" in commands,
        fractions=_KATA in commands,
        before_board=dialect is Dialect.PER_MOVE,
    )


def is_edax(name: str) -> bool:
    """Return whether an engine reports the name Edax, whose GTP differs from the specification."""
    return name.lower().startswith("edax")


def _kata_settings(control: TimeControl) -> str:
    main = seconds_text(control.main)
    if control.period_moves:
        return f"{_KATA} canadian {main} {seconds_text(control.period)} {control.period_moves}"
    if control.increment:
        return f"{_KATA} fischer {main} {seconds_text(control.increment)}"
    return f"{_KATA} absolute {main}"


def _spec_settings(control: TimeControl) -> str | None:
    """Return the command of the dialect ``spec``; None if all times round down to 0."""
    main, period = int(control.main), int(control.period)
    if control.period_moves and period:
        return f"time_settings {main} {period} {control.period_moves}"
    return f"time_settings {main} 0 0" if main else None


def _per_move_settings(control: TimeControl) -> str | None:
    if control.main == 0 and control.period_moves == 1:
        return f"time_settings {int(control.period)} {int(control.period < 1)} 1"
    return _spec_settings(control)


def _increment_settings(control: TimeControl) -> str | None:
    """Return the command of the dialect ``increment``; None if all its times would be 0.

    Time per move becomes the increment, and Canadian overtime is left out.
    """
    main, each = int(control.main), int(control.increment or control.period)
    if control.period_moves > 1 or (control.period and control.main):
        return f"time_settings {main} 0 0" if main else None
    return f"time_settings {main} {each} 0" if main or each else None


_SETTINGS: dict[Dialect, Callable[[TimeControl], str | None]] = {
    Dialect.SPEC: _spec_settings,
    Dialect.FISCHER: _kata_settings,
    Dialect.PER_MOVE: _per_move_settings,
    Dialect.INCREMENT: _increment_settings,
}
