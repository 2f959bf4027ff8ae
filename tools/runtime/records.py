"""Decodes untrusted JSON messages and files, and validates them against the types of records."""

from typing import Any

import msgspec

from outflank.engine import NotationError
from outflank.protocol.lines import printable

_LONGEST_REASON = 200


def read_record(text: str | bytes, schema: Any) -> Any:
    """Decode JSON as a msgspec type, or as a union of types; unknown fields are ignored.

    Raises: NotationError that names the field.
    """
    try:
        return msgspec.json.decode(text, type=schema)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        reason = str(error).replace("`", "").replace(" - at $.", " for ").replace("Object missing", "missing")
        if isinstance(error, msgspec.ValidationError):
            reason = reason[:1].lower() + reason[1:]
        raise NotationError(printable(reason, _LONGEST_REASON)) from None
