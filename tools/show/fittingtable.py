"""A table for any width: what does not fit beside the names goes below, under the names again; no number is cut."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

_GAP = 2


@dataclass(frozen=True, slots=True)
class FittingTable:
    """Something that rich prints.

    Attributes:
        headings: of the columns; the first has names, the others numbers.
        rows: as many texts each.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """One table after the other, each no wider than there is room."""
        widths = [max(map(cell_len, column)) for column in zip(self.headings, *self.rows, strict=True)]
        for columns in _parts(widths, options.max_width):
            yield self._table(columns, options.max_width)

    def _table(self, columns: Sequence[int], room: int) -> Table:
        table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, _GAP, 0, 0), show_edge=False)
        # Only names may be folded, and only where a number would not fit beside them.
        table.add_column(self.headings[0], overflow="fold", max_width=room)
        for column in columns:
            table.add_column(self.headings[column], justify="right", no_wrap=True)
        for row in self.rows:
            table.add_row(Text(row[0]), *(Text(row[column]) for column in columns))
        return table


def _parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """The columns after the first, in as many parts as need be; names wider than half the room are folded."""
    names = min(widths[0], room // 2)
    parts: list[list[int]] = [[]]
    used = names
    for column, width in enumerate(widths[1:], 1):
        if parts[-1] and used + _GAP + width > room:
            parts.append([])
            used = names
        parts[-1].append(column)
        used += _GAP + width
    return parts
