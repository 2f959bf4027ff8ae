"""The protocols in which an engine can be spoken to."""

from enum import StrEnum


class Protocol(StrEnum):
    """A line protocol."""

    GTP = "gtp"
    NBOARD = "nboard"
