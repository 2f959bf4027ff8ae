"""Writes docs/nboard.md from the commands: ``python -m outflank.protocol.nboard.document > docs/nboard.md``."""

import re
from collections.abc import Iterator

from outflank.engine import Position, Searcher
from outflank.protocol.manual import entry
from outflank.protocol.movesource import SearchSource
from outflank.protocol.nboard.commands import COMMANDS
from outflank.protocol.nboard.wire import NBoard
from outflank.protocol.session import Session

PREFACE = """\
# Outflank as an engine for NBoard

`outflank nboard` speaks version 2 of the protocol of the Othello GUI NBoard, on standard input and output.
`outflank nboard --help` lists its options. This page is made from the commands' own documentation
(`python -m outflank.protocol.nboard.document > docs/nboard.md`).

## Into the GUI

In NBoard's window for choosing an opponent press Add Engine. Give it any name, a working directory that exists, and as
command `outflank nboard` with its whole path, such as `/home/me/outflank/.venv/bin/outflank nboard`, since NBoard does
not look at `PATH`. Options may follow: `--threads 4 --hash 512`. The level that is chosen in NBoard is the depth.

Another program that speaks the protocol starts `outflank nboard --book none` and talks to it like this:

{dialogue}

`...` stands for seconds, which differ, and for the iterations between the first and the last. With a book, a move that
it knows comes at once, after a line `book` in place of these iterations.

## Lines

- A command is a line; its name is case-sensitive. A tab counts as a blank, and every other control character is
  dropped. A line that is then empty, or is no command of this page, is ignored without an answer, as the protocol
  demands. At the end of the input a line without its line feed is no command.
- Commands are executed in order, and every command ends the work on those before it, as soon as it arrives: `hint`
  and `analyze` break off, `go` answers the best move so far. A line that is no command ends nothing.
- A command that fails changes nothing and says why in one line, `status` and a sentence. Everything about a
  position is said before the next `pong`.
- Only these lines are sent: `set myname`, `status`, `book`, `search`, `nodestats`, `analysis`, `pong`, `learned` and
  `===`. Squares are in capitals, scores in discs with two decimals, times in seconds. Scores are from the side to
  move, in `analysis` from Black's side. A line of best play is written without blanks: `E6F4PAE3`.
- A line may have 1048576 bytes. A longer one is read to its end and fails once.

## Thinking

`go` ends at the first limit that it meets: the depth that was set, the clock in the game's record, and what the
options `--depth --time --nodes` say; a move that the [opening book](book.md) knows comes at once. `hint` and `analyze`
heed all of them but the clock. Without any limit the engine plays at level 10; [search.md](search.md#levels) says
what a level is.

## The end

`quit` ends the program with code 0, and so does the end of the input; unless the input was a file or held a `quit`,
searches then get no more than half a second. SIGINT and SIGTERM end it at once with code 130 and 143; if its answers
are no longer read, it ends quietly with code 141.

## Commands
"""


_LINES = (
    "nboard 2",
    "set depth 10",
    "set game (;GM[Othello]PC[NBoard]PB[a]PW[b]RE[?]TI[15:00]TY[8]"
    f"BO[8 {Position.start().board_string().replace('X', '*')}]B[F5//2.1]W[F6];)",
    "ping 1",
    "go",
)
_SECONDS = re.compile(r"(?<=\d[ /])\d+\.\d{3}$")


def _dialogue() -> Iterator[str]:
    """Yield the lines of a dialogue with a new session."""
    wire, session = NBoard(), Session(SearchSource(Searcher()))
    for line in _LINES:
        yield f"> {line}"
        answer = "".join(wire.answer(session, line.encode())).splitlines()
        shown = [f"< {_SECONDS.sub('...', said)}" for said in answer]
        if line == "go":
            shown[3:-3] = ["< ..."]  # all but status and first iteration, last iteration and answer
        yield from shown
    yield f"> move {answer[-1].removeprefix('=== ').rpartition('/')[0]}"


def document() -> str:
    """The whole page."""
    dialogue = "\n".join(f"    {line}" for line in _dialogue())
    commands = (entry([name], function) for name, function in COMMANDS.items())
    return "\n".join([PREFACE.replace("{dialogue}", dialogue), *commands])


if __name__ == "__main__":
    print(document(), end="")
