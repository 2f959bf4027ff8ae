"""The user's own folders, by the XDG base directory specification."""

import os
from pathlib import Path

_DEFAULTS = {"config": "~/.config", "data": "~/.local/share", "state": "~/.local/state"}


def user_folder(kind: str) -> Path:
    """Return the folder ``outflank`` of a kind (``config``, ``data`` or ``state``); it need not exist.

    A variable such as ``XDG_DATA_HOME`` counts if it is an absolute path, as the specification has it.
    """
    folder = Path(os.environ.get(f"XDG_{kind.upper()}_HOME", ""))
    return (folder if folder.is_absolute() else Path(_DEFAULTS[kind]).expanduser()) / "outflank"
