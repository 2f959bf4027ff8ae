"""Numbers of commands: what stands before a command is repeated in its answer."""

from outflank.tools.checks.check import must
from outflank.tools.checks.subject import Reply, Subject, expect

_PIPELINED = 30


def _ask(subject: Subject, id: str, command: str) -> Reply:
    """The answer to a command with an id, which has to bear it."""
    reply = subject.ask(f"{id} {command}".strip())
    expect(reply.id == id, f"the id {id!r} glued to the sign", reply)
    return reply


@must()
def repeats_an_id(subject: Subject) -> None:
    """An id is repeated glued to the sign: `7 name` is answered `=7 ...`."""
    _ask(subject, "7", "name")


@must()
def repeats_an_id_without_text(subject: Subject) -> None:
    """An id is repeated where the answer has no text: `7 clear_board` is answered `=7`."""
    _ask(subject, "7", "clear_board")


@must()
def repeats_an_id_in_a_failure(subject: Subject) -> None:
    """An id is repeated in a failure: `7 play` is answered `?7 ...`."""
    reply = _ask(subject, "7", "play")
    expect(not reply.ok, "a failure", reply)


@must()
def repeats_small_and_large_ids(subject: Subject) -> None:
    """Ids reach from 0 to 2147483647."""
    for id in ("0", "2147483647"):
        _ask(subject, id, "name")


@must()
def forgets_an_id(subject: Subject) -> None:
    """An id belongs to its own command alone: the answer to a command without one has none."""
    _ask(subject, "7", "name")
    reply = subject.ask("name")
    expect(not reply.id, "no id", reply)


@must()
def answers_in_order(subject: Subject) -> None:
    """Commands that are sent without waiting are all answered, in their order."""
    subject.succeed("clear_board")
    commands = [f"{id} {'name' if id % 3 else 'list_commands'}\n" for id in range(1, _PIPELINED + 1)]
    subject.send("".join(commands).encode())
    answered = [subject.reply().id for _ in commands]
    expected = [command.split()[0] for command in commands]
    expect(answered == expected, f"ids 1 to {_PIPELINED} in order", " ".join(answered))
