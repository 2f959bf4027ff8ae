"""The user's own folders."""

from pathlib import Path

import pytest

from outflank.storage.folders import user_folder


@pytest.mark.parametrize(
    ("kind", "default"), [("config", ".config"), ("data", ".local/share"), ("state", ".local/state")]
)
def test_a_folder_is_where_its_variable_says_unless_that_is_relative(
    kind: str, default: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    variable = f"XDG_{kind.upper()}_HOME"

    monkeypatch.delenv(variable, raising=False)
    assert user_folder(kind) == tmp_path / default / "outflank"
    monkeypatch.setenv(variable, "here")
    assert user_folder(kind) == tmp_path / default / "outflank"
    monkeypatch.setenv(variable, str(tmp_path / "mine"))
    assert user_folder(kind) == tmp_path / "mine" / "outflank"
