"""A reader of TOML files that people write."""

import tomllib
from pathlib import Path
from typing import Any

from outflank.errors import FileFormatError
from outflank.storage.files import open_regular

_MOST_BYTES = 1 << 18  # enough for a thousand engines
_MOST_DOTS = 64  # in a line; tomllib's time is quadratic in the parts of a dotted key


def read_toml(path: Path, *, from_pipe: bool = False) -> dict[str, Any]:
    """Return the tables of a file, whose values can all be printed.

    Args:
        path: the file.
        from_pipe: True if the file may be a pipe, which may never deliver data.

    Raises: FileFormatError naming the file, also if it can't be read.
    """
    try:
        with open(path, "rb") if from_pipe else open_regular(path) as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ValueError(f"it has more than {_MOST_BYTES:,} bytes")
        text = data.decode("utf-8-sig")
        if max((line.count(".") for line in text.splitlines()), default=0) > _MOST_DOTS:
            raise ValueError(f"more than {_MOST_DOTS} dots in a line")
        found = tomllib.loads(text)
        repr(found)  # ValueError if a hexadecimal number has more digits than can be shown
        return found
    except OSError as error:
        raise FileFormatError(f"can't read {str(path)!r} ({error.strerror})") from None
    except RecursionError:
        raise FileFormatError(
            f"{path}: not TOML that can be read: its brackets are nested too deeply"
        ) from None
    except ValueError as error:  # tomllib's error, or Python's for a number of thousands of digits
        has_long_number = "set_int_max_str_digits" in str(error)
        reason = "a number has too many digits" if has_long_number else str(error)
        raise FileFormatError(f"{path}: not TOML: {reason}") from None
