"""What a command says beside its work."""

import click

from outflank.protocol.lines import printable_lines
from outflank.tools.work.words import counted

_MOST_COMPLAINTS = 20


def warn(sentence: str) -> None:
    """Say a sentence on standard error, the program's name before it; it may quote anything."""
    click.echo(f"outflank: {printable_lines(sentence)}", err=True)


class Complaints:
    """Warnings of one kind, of which a bad file may cause any number: the first twenty are said, all are counted.

    Args:
        one: what there is too many of, such as ``complaint``.
        many: for several of them; with an s if left out.

    Attributes:
        count: how many there were.
    """

    def __init__(self, one: str, many: str = "") -> None:
        self._one, self._many = one, many
        self.count = 0

    def add(self, sentence: str) -> None:
        """One more."""
        self.count += 1
        if self.count <= _MOST_COMPLAINTS:
            warn(sentence)

    def end(self) -> None:
        """Say how many were not said."""
        if self.count > _MOST_COMPLAINTS:
            warn(f"and {counted(self.count - _MOST_COMPLAINTS, self._one, self._many)} more")

    @property
    def where(self) -> str:
        """``named above``, or how many of them are."""
        return (
            "named above" if self.count <= _MOST_COMPLAINTS else f"the first {_MOST_COMPLAINTS} named above"
        )
