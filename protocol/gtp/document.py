"""Writes docs/gtp.md from the table of commands: ``python -m outflank.protocol.gtp.document > docs/gtp.md``."""

import inspect
from collections.abc import Iterator
from types import ModuleType

from outflank.protocol.gtp import (
    analysis_commands,
    book_commands,
    commands,
    game_commands,
    gfx_commands,
    gogui_commands,
    parameter_commands,
    rules_commands,
    time_commands,
)
from outflank.protocol.manual import entry

PREFACE = """\
# Outflank as a GTP engine

`outflank gtp` speaks version 2 of the Go Text Protocol on standard input and output, with a board of 8 by
8, squares `a1` (top left) to `h8` and Othello's moves. `outflank gtp --help` lists its options. This page
is made from the commands' own documentation (`python -m outflank.protocol.gtp.document > docs/gtp.md`).

## Lines and answers

- A command is a line `[id] name [argument ...]`. Names of commands are case-sensitive; colours (`b w black
  white`), vertices and other keywords are not. Surplus arguments are ignored.
- `#` begins a comment. A tab counts as a blank; every other control character, and a byte order mark before
  the first line, is dropped. A line that is then empty, or holds only an id, gets no answer. A last line
  without a line feed may have been cut off: it is executed only if it has no arguments and changes
  nothing (`name`, `list_commands`, `showboard`, `final_score` and the other queries, and `quit`).
  `play b d3` or `genmove b` is not executed without its line feed.
- An id is digits, glued to the name or not, and is repeated glued to the sign. A negative number is
  dropped; an id above 2147483647 is answered as 2147483647.
- A line may have 1048576 bytes before its comment. A longer one is read to its end and fails once.
- Every command gets one answer: `=[id] text` or `?[id] text`, closed by an empty line, in the order of the
  commands and at once. Commands may be sent without waiting for answers. Moves are written in lower case.
- A command that fails changes nothing. The text begins with GTP's standard words, and a detail follows:
  `unknown command`, `syntax error: ...` (an argument is missing or can't be read), `illegal move: ...`,
  `cannot undo: ...`, `unacceptable size: ...`, `cannot load file: ...`, `cannot score: ...`. Numbers reach
  from -2147483647 to 2147483647; `nan` and `inf` are not numbers.

## Turns and passes

The letter of GTP lets the controller play any colour at any time; Reversi has an order of turns, so here a
move by the side that is not to move is an `illegal move`, with one exception: while the side to move has no
legal move, its pass may be left out and is then implied. A pass is illegal where a move is possible. Once
neither side can move the game is over: `genmove` answers `pass` and `play` takes `pass`, for either side
and as often as asked.

## Thinking

A search ends at the first limit it meets: those of the options `--level --depth --nodes --time` that were
given, and the clock if the controller has set one. Without any limit the engine plays at level 10;
[search.md](search.md#levels) says what a level is. Searches use a monotonic clock and keep a reserve for the way
to the controller and for a busy machine. Of a time for a single move that is 50 ms (`--overhead`) or 2 %, whichever
is more, but not more than a quarter. Of a game's clock it is five times the overhead or 2 %, but not more than a
tenth. The longest time that a search was left without a processor is added to the reserve.

While the opening book knows the position, `genmove` answers from it at once, without a search ([book.md](book.md)
has more). `--book FILE` chooses the book, `--book none` plays without one, and `--book-variety` lets it choose among
moves that are about equal, which `reg_genmove` never does. If a book can't be read, or is for other rules, a warning
goes to standard error, and the game goes on without it.

Where no book knows the position, `--variety DISCS[:PLIES]` lets `genmove` choose among the moves within DISCS of the
best in the first plies of a game (ten if PLIES is left out), drawn by `--seed`; with `--book none` from the first
move on.

With `--ponder` the engine searches on while the opponent thinks, from its own move until a command changes the
position or asks for a move. Any other command interrupts it for the time of its answer, and a line without a command
until the next one is answered. What it finds stays in its table for the next search.

## The end

`quit` is answered before the program ends with code 0. The end of the input ends it too, with code 0 and
without an answer; unless the input was a file or held a `quit`, searches then get no more than half a
second. SIGINT and SIGTERM end it at once with code 130 and 143; if its answers are no longer read, it
ends quietly with code 141.
"""
SECTIONS: dict[ModuleType, str] = {
    commands: "The protocol and the program",
    game_commands: "The game",
    time_commands: "The clock",
    parameter_commands: "Parameters of the search",
    rules_commands: "The rules",
    gogui_commands: "GoGui",
    gfx_commands: "GoGui's drawings",
    book_commands: "The opening book",
    analysis_commands: "Analysis",
}


def document() -> str:
    """The whole page."""
    return "\n".join([PREFACE, *(part for module in SECTIONS for part in _section(module))])


def _section(module: ModuleType) -> Iterator[str]:
    """The commands that a module defines; those that share a function share an entry."""
    yield f"## {SECTIONS[module]}\n"
    names: dict[commands.CommandFunction, list[str]] = {}
    for name, function in commands.COMMANDS.items():
        if inspect.getmodule(function) is module:
            names.setdefault(function, []).append(name)
    for function, aliases in names.items():
        yield entry(aliases, function)


if __name__ == "__main__":
    print(document(), end="")
