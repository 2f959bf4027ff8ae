"""The errors a caller may meet. Every message says what was expected, then what came."""


class OutflankError(Exception):
    """Base of every error that Outflank raises on purpose."""


class NotationError(OutflankError, ValueError):
    """Text that is no square, move, board, transcript or rules name."""


class IllegalMoveError(OutflankError, ValueError):
    """A move that the rules forbid in this position."""


class SettingsError(OutflankError, ValueError):
    """A limit, level or table size that makes no sense or can't be had."""


class FileFormatError(OutflankError):
    """A file (weights, book, records) that is damaged or of another kind."""
