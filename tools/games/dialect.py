"""How an engine is told about its clock, chosen from the commands it lists.

- No limit: nothing is told; an engine that was never given a clock has none.
- Whole seconds, no increment: ``time_settings`` with its meaning in the GTP specification; seconds a move
  are a Canadian period of one move.
- Fractions or an increment: ``kata-time_settings``, if the engine lists it and the kind that is needed.
- Else ``time_settings`` with the times rounded down and the increment left out, which errs on the safe side;
  if nothing is left after rounding, nothing is told.

``time_left`` follows before each ``genmove`` if it is listed, with fractions only for engines that take
``kata-time_settings``, since a strict engine refuses them.
"""

from dataclasses import dataclass

from outflank.tools.games.clock import TimeControl, seconds_text


@dataclass(frozen=True, slots=True)
class TimeDialect:
    """What an engine is told.

    Attributes:
        settings: the command that sets its clock, sent before each game; None if it can't or needn't be told.
        tells_left: whether ``time_left`` follows before each of its moves.
        fractions: whether ``time_left`` may carry fractions of seconds.
    """

    settings: str | None = None
    tells_left: bool = False
    fractions: bool = False

    def time_left(self, colour: str, seconds: float, moves: int) -> str:
        """The ``time_left`` command. A rounded time is at least 1: 0 would say that the flag has fallen."""
        told = seconds_text(seconds) if self.fractions else str(max(1, int(seconds)))
        return f"time_left {colour} {told} {moves}"


def choose_dialect(
    control: TimeControl, commands: frozenset[str], kata_kinds: frozenset[str] = frozenset()
) -> TimeDialect:
    """The dialect for an engine that lists `commands` and these kinds of ``kata-time_settings``."""
    if not control.is_limited:
        return TimeDialect()
    kata = _kata_settings(control) if "kata-time_settings" in commands else None
    if kata and kata.split()[1] not in kata_kinds:
        kata = None
    spec = _spec_settings(control) if "time_settings" in commands else None
    exact = spec is not None and control.is_whole and not control.increment
    settings = spec if exact else kata or spec
    tells_left = settings is not None and "time_left" in commands
    return TimeDialect(settings, tells_left, fractions="kata-time_settings" in commands)


def _kata_settings(control: TimeControl) -> str:
    """The command in KataGo's words."""
    main = seconds_text(control.main)
    if control.period_moves:
        return f"kata-time_settings canadian {main} {seconds_text(control.period)} {control.period_moves}"
    if control.increment:
        return f"kata-time_settings fischer {main} {seconds_text(control.increment)}"
    return f"kata-time_settings absolute {main}"


def _spec_settings(control: TimeControl) -> str | None:
    """The command in the words of the specification; None if rounding down leaves nothing."""
    main, period = int(control.main), int(control.period)
    if control.period_moves and period:
        return f"time_settings {main} {period} {control.period_moves}"
    return f"time_settings {main} 0 0" if main else None
