"""A check of much memory in little time."""

from outflank.engine.evaluation.memory import Bytes

def checksum(memory: Bytes) -> int:
    """A number of 64 bits that depends on every byte of `memory` and on where it stands.

    Any change within eight bytes in a row changes it; another one is missed with a chance of about 2^-64. It is no
    guard against someone who means to deceive.

    Args:
        memory: a multiple of 64 bytes.

    Raises: ValueError if it is not.
    """
