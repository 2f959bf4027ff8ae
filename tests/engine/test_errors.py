"""The family of errors: what a caller may catch."""

import pytest

from outflank.engine import FileFormatError, IllegalMoveError, NotationError, OutflankError, SettingsError


@pytest.mark.parametrize("kind", [FileFormatError, IllegalMoveError, NotationError, SettingsError])
def test_every_error_is_an_outflank_error(kind: type[Exception]) -> None:
    assert issubclass(kind, OutflankError)


@pytest.mark.parametrize("kind", [IllegalMoveError, NotationError, SettingsError])
def test_a_bad_value_is_a_value_error_too(kind: type[Exception]) -> None:
    assert issubclass(kind, ValueError)


def test_no_kind_hides_another() -> None:
    kinds = [FileFormatError, IllegalMoveError, NotationError, SettingsError]

    assert not [(a, b) for a in kinds for b in kinds if a is not b and issubclass(a, b)]
