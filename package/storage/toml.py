"""Reads TOML files that users have written."""

import tomllib
from pathlib import Path
from typing import Any

from outflank.errors import FileFormatError
from outflank.storage.files import open_regular

_MOST_BYTES = 1 << 18  # the maximum size of a file; enough for a thousand engines
_MOST_DOTS = 64  # the maximum per line, since tomllib's time is quadratic in the parts of a dotted key


def read_toml(path: Path, *, from_pipe: bool = False) -> dict[str, Any]:
    """Return the contents of a file as a dict.

    Args:
        path: the path of the file.
        from_pipe: True to accept a pipe too, although it may never deliver data.

    Raises: FileFormatError, whose message names the file, if the file can't be read, is not TOML, or has a number that
        is too long to be printed.
    """
    try:
        with open(path, "rb") if from_pipe else open_regular(path) as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ValueError(f"more than {_MOST_BYTES:,} bytes")
        text = data.decode("utf-8-sig")
        if max((line.count(".") for line in text.splitlines()), default=0) > _MOST_DOTS:
            raise ValueError(f"more than {_MOST_DOTS} dots in a line")
        found = tomllib.loads(text)
        repr(found)  # raises ValueError if a hexadecimal number has more digits than Python prints
        return found
    except OSError as error:
        raise FileFormatError(f"can't read {str(path)!r} ({error.strerror})") from None
    except RecursionError:
        raise FileFormatError(f"{path}: not readable TOML: its brackets are nested too deeply") from None
    except ValueError as error:  # an error of tomllib, or Python's error for a number of thousands of digits
        has_long_number = "set_int_max_str_digits" in str(error)
        reason = "a number has too many digits" if has_long_number else str(error)
        raise FileFormatError(f"{path}: not TOML: {reason}") from None
