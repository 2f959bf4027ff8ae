"""Messages and files from outside, decoded into records whose types say what is allowed."""

from typing import Any

import msgspec

from outflank.engine import NotationError
from outflank.protocol.lines import printable

_LONGEST_REASON = 200


def read_record(text: str | bytes, schema: Any) -> Any:
    """Read JSON as a structure of msgspec, or as one of a union of them; other fields are dropped.

    Raises: NotationError that names the field.
    """
    try:
        return msgspec.json.decode(text, type=schema)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        reason = str(error).replace("`", "").replace(" - at $.", " for ").replace("Object missing", "missing")
        if isinstance(error, msgspec.ValidationError):
            reason = reason[:1].lower() + reason[1:]
        raise NotationError(printable(reason, _LONGEST_REASON)) from None
