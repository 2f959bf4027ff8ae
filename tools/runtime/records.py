"""Messages and files from outside, decoded into records whose types say what is allowed."""

from typing import Any

import msgspec

from outflank.engine import NotationError
from outflank.storage.outside_json import read_json_object


def read_record(text: str | bytes, schema: Any) -> Any:
    """Read a JSON object as a structure of msgspec, or as one of a union of them; other fields are dropped.

    Raises: NotationError that names the field.
    """
    try:
        return msgspec.convert(read_json_object(text), schema)
    except msgspec.ValidationError as error:
        sentence = (
            str(error).replace("`", "").replace(" - at $.", " for ").replace("Object missing", "missing")
        )
        raise NotationError(sentence[:1].lower() + sentence[1:]) from None
