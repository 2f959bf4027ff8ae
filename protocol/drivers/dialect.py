"""The commands by which a GTP engine gets its clock.

- No limit: nothing is sent; an engine that was never given a clock has none.
- ``spec``: ``time_settings`` with its meaning in the GTP specification; seconds a move are a Canadian period
  of one move. Times are rounded down and an increment is left out, which errs on the safe side; if nothing is
  left after rounding, nothing is sent.
- ``fischer``: ``kata-time_settings``, which knows fractions and increments.
- ``per-move``: as ``spec``, but seconds a move are sent as a main time with one move in no period, and before
  the board is cleared. So Edax has it; less than a second is sent as a main time of 0, for which it takes its
  shortest time, 0.1 s.
- ``increment``: ``time_settings MAIN INCREMENT 0``, seconds a move with a main time of 0. So neural-reversi has
  it; the specification has no increment.
- ``auto``: ``per-move`` for Edax by its name. Of other engines: ``spec`` where it says all that is to be said,
  ``fischer`` where it does not, if the engine lists it and the kind that is needed, else ``spec`` as well as it
  can.

``time_left`` follows before each ``genmove`` if it is listed, with fractions only for engines that take
``kata-time_settings``, since a strict engine refuses them.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum

from outflank.engine import NotationError
from outflank.protocol.clock import TimeControl, seconds_text

_KATA = "kata-time_settings"


class Dialect(StrEnum):
    """The words in which a GTP engine gets its clock."""

    AUTO = "auto"
    SPEC = "spec"
    FISCHER = "fischer"
    PER_MOVE = "per-move"
    INCREMENT = "increment"

    @classmethod
    def _missing_(cls, value: object) -> "Dialect":
        raise NotationError(f"expected a dialect out of {' '.join(cls)}, got {value!r}")


@dataclass(frozen=True, slots=True)
class TimeDialect:
    """The commands that send an engine its clock.

    Attributes:
        settings: the command that sets its clock, sent before each game; None if it takes or needs none.
        sends_left: whether ``time_left`` follows before each of its moves.
        fractions: whether ``time_left`` may carry fractions of seconds.
        before_board: whether `settings` is sent before ``clear_board`` and not after it.
    """

    settings: str | None = None
    sends_left: bool = False
    fractions: bool = False
    before_board: bool = False

    def time_left(self, colour: str, seconds: float, moves: int) -> str:
        """Return the ``time_left`` command. A rounded time is at least 1: 0 would say that the flag has fallen."""
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
        commands: the commands that it lists.
        kata_kinds: the kinds of ``kata-time_settings`` that it lists.
        dialect: the words of the commands.
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
    """Return whether an engine calls itself Edax, which has ways of its own."""
    return name.lower().startswith("edax")


def _kata_settings(control: TimeControl) -> str:
    main = seconds_text(control.main)
    if control.period_moves:
        return f"{_KATA} canadian {main} {seconds_text(control.period)} {control.period_moves}"
    if control.increment:
        return f"{_KATA} fischer {main} {seconds_text(control.increment)}"
    return f"{_KATA} absolute {main}"


def _spec_settings(control: TimeControl) -> str | None:
    """Return the command in the words of the specification; None if rounding down leaves nothing."""
    main, period = int(control.main), int(control.period)
    if control.period_moves and period:
        return f"time_settings {main} {period} {control.period_moves}"
    return f"time_settings {main} 0 0" if main else None


def _per_move_settings(control: TimeControl) -> str | None:
    if control.main == 0 and control.period_moves == 1:
        return f"time_settings {int(control.period)} {int(control.period < 1)} 1"
    return _spec_settings(control)


def _increment_settings(control: TimeControl) -> str | None:
    """Return main time and increment, or seconds a move as an increment; of a Canadian period the main time alone."""
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
