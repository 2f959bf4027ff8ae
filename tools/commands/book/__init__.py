"""``outflank book``: grows, inspects and exchanges opening books."""

import click

from outflank.tools.commands.program import LazyGroup

COMMANDS = {
    "build": "Let the book PATH grow from the start of the game, best-first; a new one is made if there is none.",
    "deepen": "Judge again the positions of the book PATH that were judged at a lower level.",
    "extend": "Add the positions of every GAME to the book PATH.",
    "learn": "Let the book PATH learn from every GAME or RUN: it grows where their games left it.",
    "set": "Set by hand the SCORE of a POSITION of the book PATH, in discs from the side to move.",
    "prune": "Remove from the book PATH what costs too much, is too deep, or can't be reached.",
    "merge": "Add to the book PATH what every OTHER book knows.",
    "show": "Show what BOOK knows about a position: its moves, their scores and lines, the opening's name.",
    "lines": "List the main lines of BOOK, first those in which both sides give away the least.",
    "tree": "Draw the main lines of BOOK as a tree, an SVG image.",
    "stats": "Count what is in BOOK: coverage by ply, scores, and depths of the searches.",
    "export": "Write BOOK in another form: our own text, or one of Edax's.",
    "import": "Make the book PATH from FILE: our own text, or a book of Edax or Egaroucid.",
    "check": "Check BOOK: file, rows, links, scores, and a sample of them against a new search.",
}
"""By name, what each does, as its own help says it."""


_MODULES = {
    **dict.fromkeys(("build", "deepen", "extend", "learn", "set"), "grow"),
    **dict.fromkeys(("show", "lines", "tree", "stats", "check"), "look"),
    **dict.fromkeys(("merge", "prune", "import", "export"), "change"),
}


@click.group(cls=LazyGroup, package=__name__, summaries=COMMANDS, modules=_MODULES)
def book() -> None:
    """Grow, check and exchange opening books.

    A BOOK is a file, or standard or parallel, the books that come with the package; standard if left out. docs/book.md
    says what a book is, and how the shipped ones were made.
    """
