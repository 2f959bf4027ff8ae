"""The user's folders for Outflank, by the XDG base directory specification."""

import os
from pathlib import Path

_DEFAULTS = {"config": "~/.config", "data": "~/.local/share", "state": "~/.local/state"}


def user_folder(kind: str) -> Path:
    """Return the user's folder ``outflank`` of a kind (``config``, ``data`` or ``state``). It need not exist.

    An environment variable such as ``XDG_DATA_HOME`` is used only if its value is an absolute path, as the
    specification requires.
    """
    folder = Path(os.environ.get(f"XDG_{kind.upper()}_HOME", ""))
    return (folder if folder.is_absolute() else Path(_DEFAULTS[kind]).expanduser()) / "outflank"
