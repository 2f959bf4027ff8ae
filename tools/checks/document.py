"""Writes docs/compliance.md from the checks: ``python -m outflank.tools.checks.document > docs/compliance.md``."""

from collections.abc import Iterator
from types import ModuleType

from outflank.tools.checks.check import Check
from outflank.tools.checks.examination import CHECKS, NBOARD_CHECKS, NBOARD_SECTIONS, SECTIONS, checks_of

PREFACE = """\
# Does an engine speak GTP? `outflank compliance`

`outflank compliance 'CMD'` starts a GTP engine, puts it through {count} checks of the wire and of good conduct, and
shows which rules it breaks, what was expected and what came.

```console
$ outflank compliance '/usr/games/gtp-rhino -l 3'
$ outflank compliance 'outflank gtp' --json
$ outflank compliance 'python my_engine.py' --only takes-a-pass --dialogue
$ outflank compliance catalogue:edax
```

A rule that an engine **must** keep is one without which games are lost or can't be played; an engine that breaks
one fails, and the exit code is 1. A rule that it **should** keep is one that some controllers rely on; an engine that
breaks one is warned, and the exit code stays 0 unless there is `--strict`. Rules about commands that the engine does
not list are not for it, nor are rules about what the protocol leaves to it.

| option | meaning | default |
| --- | --- | --- |
| `--protocol P` | what the engine speaks: `gtp nboard` | `gtp`, or the [catalogue's](engines.md#engines-by-name) |
| `--only NAME` | run this check alone; may be given more than once | all |
| `--list` | list the names of all checks and what they check, and end | |
| `--strict` | what should be counts as much as what must be | |
| `--dialogue` | show what was said in the checks that failed | |
| `--patience S` | seconds for an answer that asks for no thinking | 5 |
| `--thinking S` | seconds for a move without a clock | 60 |
| `--json` | one JSON object for each check, and at last one for the verdict | |

The first answer of a process may take 30 seconds, in which an engine may load tables. An engine that did not pass a
check, or was given a clock, sent numbered commands or asked to end, is started anew for the next check; otherwise one
process serves many of them. A minute is enough for an engine that moves at once, half of it for the clock.

One bad habit is reported once, by the check that is about it: the others read past it, or say why they can't judge
the engine and are counted as skipped. A command at which the engine has ended or said nothing is reported by the first
check that met it, and so is an engine that ends at commands that have to fail. Moves are those of Othello on a board
of 8 by 8. Outflank itself is started with `--book none` unless the command names a book, so that it has to think.

This page is made from the checks themselves (`python -m outflank.tools.checks.document > docs/compliance.md`).
"""
NBOARD = """\
## Engines that speak NBoard's protocol

`outflank compliance --protocol nboard 'CMD'` puts an engine through {count} checks of that protocol in the same way.

```console
$ outflank compliance --protocol nboard 'outflank nboard'
$ outflank compliance --protocol nboard './ntest x' --only stops-for-a-ping --dialogue
```
"""
EPILOGUE = """\
## An engine against itself: `outflank selftest`

Of two games from the same opening with colours swapped, an engine that plays itself has to play the same game twice,
so each pair comes out level to the disc. Where it does not, the engine or the referee depends on something that it
should not depend on: the colour, earlier games, the time.

```console
$ outflank selftest
$ outflank selftest --pairs 50 --engine 'cmd="outflank gtp" nodes=20000 restart=yes'
$ outflank selftest --engine 'cmd="my_engine --level 4"'
```

The engine has to repeat itself: one thread; a fixed level, depth or number of nodes instead of a clock; no
randomness. With `restart=yes` every game gets a new process; without it `clear_board` has to be enough, which it is
not for Outflank itself, since its table remembers earlier games. The first turn at which two games part is named, and
the exit code is then 1. `--moves` and `--seed` say which random moves come first, `--rules` by which rules.
"""


def document() -> str:
    """The whole page."""
    sections = (_section("##", module, title) for module, title in SECTIONS.items())
    nboard = (_section("###", module, title) for module, title in NBOARD_SECTIONS.items())
    preface, of_nboard = PREFACE.format(count=len(CHECKS)), NBOARD.format(count=len(NBOARD_CHECKS))
    return "\n".join([preface, *sections, of_nboard, *nboard, EPILOGUE])


def _section(heading: str, module: ModuleType, title: str) -> str:
    rows = "".join(_rows(module))
    return f"{heading} {title}\n\n| check | | rule |\n| --- | --- | --- |\n{rows}"


def _rows(module: ModuleType) -> Iterator[str]:
    for check in checks_of(module):
        yield f"| `{check.name}` | {check.level} | {_rule(check)} |\n"


def _rule(check: Check) -> str:
    """The rule, and which engines it is for."""
    if not check.needs:
        return check.rule
    return f"{check.rule} (If {' and '.join(f'`{name}`' for name in sorted(check.needs))} is listed.)"


if __name__ == "__main__":
    print(document(), end="")
