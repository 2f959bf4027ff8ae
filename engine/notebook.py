"""Tables for notebooks."""

from collections.abc import Iterable, Mapping


def html_table(rows: Iterable[Mapping[str, object]], caption: str = "") -> str:
    """Return an HTML table. All rows have the same columns. Floats have at most two decimals; None is an empty cell."""
    from html import escape  # imported here, so that the engine starts faster

    def cell(value: object) -> str:
        text = (
            ""
            if value is None
            else f"{value:.2f}".rstrip("0").rstrip(".")
            if isinstance(value, float)
            else str(value)
        )
        return f"<td>{escape(text)}</td>"

    listed = list(rows)
    head = "".join(f"<th>{escape(name)}</th>" for name in (listed[0] if listed else ()))
    body = "".join(f"<tr>{''.join(map(cell, row.values()))}</tr>" for row in listed)
    return f"<table><caption>{escape(caption)}</caption><tr>{head}</tr>{body}</table>"
