"""A test about times fails by its own fault and is skipped by the machine's."""

import pytest

from outflank.tests import stalls
from outflank.tests.stalls import StallMeter, judge_calmly


def fails(meter: StallMeter) -> None:
    """Last long enough to be watched, and fail."""
    while not meter.seconds:
        pass
    raise AssertionError("too late")


def test_what_fails_once_may_pass_the_next_time() -> None:
    seen: list[StallMeter] = []

    def judge(meter: StallMeter) -> None:
        seen.append(meter)
        assert len(seen) == 2

    judge_calmly(judge)

    assert len(seen) == 2


@pytest.mark.parametrize(("running", "outcome"), [(1, pytest.fail.Exception), (1000, pytest.skip.Exception)])
def test_what_always_fails_is_the_machines_doing_only_where_that_is_crowded(
    running: int, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stalls, "_running", lambda: running)

    with pytest.raises(outcome, match="too late"):
        judge_calmly(fails)
