"""The first words: who the engine is and what it can do."""

from outflank.tools.checks.check import must, should
from outflank.tools.checks.subject import Subject, expect, expect_nothing

REQUIRED = frozenset(
    ("protocol_version", "name", "version", "known_command", "list_commands", "quit")
    + ("boardsize", "clear_board", "komi", "play", "genmove")
)
_NONSENSE = "outflank-no-such-command"


@must(alone=True)
def says_nothing_first(subject: Subject) -> None:
    """Nothing is written to standard output before the first command: no banner and no prompt."""
    subject.send(b"protocol_version\n")  # not by ``ask``, which throws away what came before
    expect_nothing(subject.reply().strays)


@must()
def speaks_version_2(subject: Subject) -> None:
    """`protocol_version` answers `2`."""
    version = subject.succeed("protocol_version")
    expect(version == "2", "'2'", repr(version))


@must()
def has_a_name(subject: Subject) -> None:
    """`name` answers one line of text."""
    name = subject.succeed("name")
    expect(bool(name) and "\n" not in name, "one line", repr(name))


@must()
def has_a_version(subject: Subject) -> None:
    """`version` answers one line of text or nothing."""
    version = subject.succeed("version")
    expect("\n" not in version, "one line", repr(version))


@must()
def lists_a_command_on_each_line(subject: Subject) -> None:
    """`list_commands` answers one name on each line."""
    lines = subject.succeed("list_commands").split("\n")
    odd = [line for line in lines if len(line.split()) != 1]
    expect(not odd, "one name on each line", repr("\n".join(odd)[:100]))


@should()
def lists_no_command_twice(subject: Subject) -> None:
    """`list_commands` names each command once."""
    names = subject.succeed("list_commands").split()
    expect(len(names) == len(set(names)), "each name once", sorted({n for n in names if names.count(n) > 1}))


@must()
def lists_what_is_required(subject: Subject) -> None:
    """`list_commands` names the eleven commands that every engine has.

    They are `protocol_version`, `name`, `version`, `known_command`, `list_commands`, `quit`, `boardsize`,
    `clear_board`, `komi`, `play` and `genmove`.
    """
    listed = subject.listed()
    missing = sorted(REQUIRED.difference(listed))
    expect(not missing, "all eleven required commands", f"none called {', '.join(missing)}")


@must()
def knows_what_it_lists(subject: Subject) -> None:
    """`known_command` answers `true` for every command that is listed."""
    for name in subject.succeed("list_commands").split():
        known = subject.succeed(f"known_command {name}")
        expect(known == "true", f"'true' for 'known_command {name}'", repr(known))


@must()
def knows_nothing_else(subject: Subject) -> None:
    """`known_command` answers `false` for a name that is no command."""
    known = subject.succeed(f"known_command {_NONSENSE}")
    expect(known == "false", "'false'", repr(known))


@must()
def fails_unknown_commands(subject: Subject) -> None:
    """A command that the engine does not have fails."""
    subject.refuse(_NONSENSE)


@should()
def says_unknown_command(subject: Subject) -> None:
    """The failure of an unknown command begins with GTP's words `unknown command`."""
    text = subject.complaint(_NONSENSE)
    expect(text.startswith("unknown command"), "'unknown command'", repr(text))


@should()
def tells_case_apart(subject: Subject) -> None:
    """Names of commands differ by case: `NAME` is not `name`."""
    subject.refuse("NAME")
