"""Numbers of commands: what stands before a command is repeated in its answer."""

from outflank.tools.checks.check import must
from outflank.tools.checks.subject import Reply, Subject, expect

_PIPELINED = 30


def _ask(subject: Subject, id: str, command: str) -> Reply:
    """The answer to a command with an id, which has to bear it; a blank before it is the first check's."""
    reply = subject.ask(f"{id} {command}".strip())
    expect(reply.id == id, f"the id {id!r} in the answer", reply)
    return reply


@must(alone=True)
def repeats_an_id(subject: Subject) -> None:
    """An id is repeated glued to the sign: `7 name` is answered `=7 ...`."""
    reply = subject.ask("7 name")
    expect(reply.id == "7" and reply.glued, "the id '7' glued to the sign", reply)


@must(alone=True)
def repeats_an_id_without_text(subject: Subject) -> None:
    """An id is repeated where the answer has no text: `7 clear_board` is answered `=7`."""
    _ask(subject, "7", "clear_board")


@must(alone=True)
def repeats_an_id_in_a_failure(subject: Subject) -> None:
    """An id is repeated in a failure: an unknown command with the id 7 is answered `?7 ...`."""
    reply = _ask(subject, "7", subject.refused())
    expect(not reply.ok, "a failure", reply)


@must(alone=True)
def repeats_small_and_large_ids(subject: Subject) -> None:
    """Ids reach from 0 to 2147483647."""
    for id in ("0", "2147483647"):
        _ask(subject, id, "name")


@must(alone=True)
def forgets_an_id(subject: Subject) -> None:
    """An id belongs to its own command alone: the answer to a command without one has none."""
    subject.ask("7 name")
    reply = subject.ask("name")
    expect(not reply.id, "no id", reply)


@must(alone=True)
def answers_in_order(subject: Subject) -> None:
    """Commands that are sent without waiting are all answered, in their order."""
    texts = {command: subject.succeed(command) for command in ("name", "list_commands")}
    asked = [(str(id), "name" if id % 3 else "list_commands") for id in range(1, _PIPELINED + 1)]
    replies = subject.replies([" ".join(each) for each in asked])
    for (id, command), reply in zip(asked, replies, strict=True):
        # An engine that repeats no ids is known by what it says.
        in_place = reply.id == id if reply.id else reply.text == texts[command]
        expect(in_place, f"the answer to '{id} {command}' in its place", reply)
