"""Words that go with numbers."""


def counted(number: int, one: str, many: str = "") -> str:
    """``1 pair`` or ``3 pairs``; `many` is for words that do more than take an s."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
