"""Checks of the wire: lines, ids, arguments, answers, and what an engine says of itself."""

import re
import time
from collections.abc import Callable
from contextlib import suppress

from outflank.engine import Game
from outflank.protocol.drivers.errors import EngineError
from outflank.tools.checks.check import must, should
from outflank.tools.checks.subject import (
    WHITE_WINS,
    RawReply,
    Subject,
    Unjudged,
    Violation,
    beginning,
    expect,
    expect_nothing,
    set_up,
)

REQUIRED = frozenset(
    ("protocol_version", "name", "version", "known_command", "list_commands", "quit")
    + ("boardsize", "clear_board", "komi", "play", "genmove")
)
_NONSENSE = "outflank-no-such-command"


@must(alone=True)
def says_nothing_first(subject: Subject) -> None:
    """Nothing is written to standard output before the first command: no banner and no prompt."""
    subject.send(b"protocol_version\n")  # not by ``ask``, which throws earlier output away
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


@should(see=("fails-unknown-commands",))
def tells_case_apart(subject: Subject) -> None:
    """Names of commands differ by case: `NAME` is not `name`."""
    subject.refuse("NAME")


_PROMPT_SECONDS = 0.5
_PLAIN = ("protocol_version", "name", "list_commands", "known_command name", "clear_board", "showboard")
_NOT_SENT = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]")


@must()
def begins_with_a_sign_and_a_blank(subject: Subject) -> None:
    """An answer with text begins with `=`, one blank, and the text."""
    raw = subject.ask("name").raw
    expect(re.match(rb"= [^ \n]", raw) is not None, "'= ' and a name", repr(raw[:40]))


@must()
def answers_nothing_with_a_bare_sign(subject: Subject) -> None:
    """An answer without text is `=` alone (a blank after it is tolerated), then the empty line."""
    raw = subject.ask("clear_board").raw.replace(b"\r", b"")
    expect(raw in (b"=\n\n", b"= \n\n"), "'=' and an empty line", repr(raw[:40]))


@must()
def fails_with_a_question_mark(subject: Subject) -> None:
    """A failure begins with `?`, one blank, and says something."""
    raw = subject.ask(subject.refused()).raw
    expect(re.match(rb"\? [^ \n]", raw) is not None, "'? ' and a text", repr(raw[:40]))


@must()
def ends_with_one_empty_line(subject: Subject) -> None:
    """An answer ends with exactly one empty line; a second one would look like the end of the next answer."""
    for command in (subject.refused(), "name", "clear_board"):
        subject.ask(command)
        extra = subject.trailing()
        blank = bool(extra) and not extra.strip()
        expect(not blank, f"one empty line after the answer to {command!r}", f"{extra[:40]!r} behind it")


@must()
def has_no_empty_line_inside(subject: Subject) -> None:
    """An answer of many lines has no empty line before its end: the first one ends it."""
    subject.succeed("name")
    if subject.trailing().strip():
        raise Unjudged("it writes after an answer of one line too: see answers-each-command-once")
    for command in ("list_commands", *({"showboard"} & subject.commands)):
        subject.succeed(command)
        subject.silence()


@should()
def sends_no_control_characters(subject: Subject) -> None:
    """Answers hold no control characters but line feeds: no carriage return, no tab, no colours."""
    for command in _PLAIN:
        if command.split()[0] in subject.commands:
            found = _NOT_SENT.search(subject.ask(command).raw)
            expect(found is None, f"none in the answer to {command!r}", repr(found and found[0]))


@must()
def answers_each_command_once(subject: Subject) -> None:
    """Every command gets one answer, and nothing is written between answers."""
    for command in ("name", "clear_board", "play black f5", "version", "play white d6"):
        expect_nothing(subject.ask(command).strays)
    subject.silence()


@must()
def says_only_its_move(subject: Subject) -> None:
    """While the engine thinks, and once it has moved, nothing else is written to standard output."""
    subject.succeed("clear_board")
    if subject.trailing().strip():
        raise Unjudged("it writes where it does not think too: see answers-each-command-once")
    try:
        strays = subject.ask("genmove black", subject.thinking).strays
    except EngineError:
        subject.stop()
        raise Unjudged("it does not answer 'genmove black': see opens-legally") from None
    expect_nothing(strays)
    subject.silence()


@should()
def answers_at_once(subject: Subject) -> None:
    """A command that asks for no thinking is answered within half a second: answers are flushed."""
    subject.succeed("name")
    seconds = min(subject.ask("name").seconds for _ in range(3))
    expect(seconds <= _PROMPT_SECONDS, f"an answer within {_PROMPT_SECONDS} s", f"one after {seconds:.2f} s")


_PIPELINED = 30


def _ask(subject: Subject, id: str, command: str) -> RawReply:
    """The answer to a command with an id, which has to bear it; a blank before it is the first check's."""
    reply = subject.ask(f"{id} {command}".strip())
    expect(reply.id == id, f"the id {id!r} in the answer", reply)
    return reply


@must(alone=True)
def repeats_an_id(subject: Subject) -> None:
    """An id is repeated glued to the sign: `7 name` is answered `=7 ...`."""
    reply = subject.ask("7 name")
    expect(reply.id == "7" and reply.glued, "the id '7' glued to the sign", reply)


@must(alone=True, see=("repeats-an-id",))
def repeats_an_id_without_text(subject: Subject) -> None:
    """An id is repeated where the answer has no text: `7 clear_board` is answered `=7`."""
    _ask(subject, "7", "clear_board")


@must(alone=True, see=("repeats-an-id",))
def repeats_an_id_in_a_failure(subject: Subject) -> None:
    """An id is repeated in a failure: an unknown command with the id 7 is answered `?7 ...`."""
    reply = _ask(subject, "7", subject.refused())
    expect(not reply.ok, "a failure", reply)


@must(alone=True, see=("repeats-an-id",))
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


@must(alone=True, see=("repeats-an-id",))
def answers_in_order(subject: Subject) -> None:
    """Commands that are sent without waiting are all answered, in their order."""
    texts = {command: subject.succeed(command) for command in ("name", "list_commands")}
    asked = [(str(id), "name" if id % 3 else "list_commands") for id in range(1, _PIPELINED + 1)]
    replies = subject.replies([" ".join(each) for each in asked])
    for (id, command), reply in zip(asked, replies, strict=True):
        # An engine that repeats no ids is judged by its texts.
        in_place = reply.id == id if reply.id else reply.text == texts[command]
        expect(in_place, f"the answer to '{id} {command}' in its place", reply)


_LONG = 100_000
_PAUSE_SECONDS = 0.05
_TWO_WORDS = ("known_command name", "boardsize 8")  # an engine may lack the first


def _plain(subject: Subject) -> tuple[bytes, str]:
    """A command of two words that the engine takes, and its answer.

    Raises: Unjudged if it takes none; EngineError.
    """
    for command in _TWO_WORDS:
        reply = subject.ask(command)
        if reply.ok:
            return command.encode(), reply.text
    raise Unjudged(f"it takes neither {' nor '.join(map(repr, _TWO_WORDS))}")


def _answers_once(subject: Subject, dressed: Callable[[bytes], bytes]) -> None:
    """Bytes that hold one command, and what `dressed` adds, get the one answer that the command gets alone."""
    command, text = _plain(subject)
    subject.send(data := dressed(command))
    reply = subject.reply()
    expect(reply.ok and reply.text == text, f"{f'= {text}'.strip()!r} for {data[:40]!r}", reply)
    subject.no_second_answer()


@must()
def ignores_blank_lines(subject: Subject) -> None:
    """A line that is empty, or holds only blanks, gets no answer."""
    _answers_once(subject, lambda command: b"\n  \n\t\n" + command + b"\n\n")


@must(see=("ignores-blank-lines",))
def ignores_lines_of_comment(subject: Subject) -> None:
    """A line that begins with `#` gets no answer."""
    _answers_once(subject, lambda command: b"# a comment\n  # another\n" + command + b"\n")


@must()
def ignores_comments_behind_commands(subject: Subject) -> None:
    """What follows `#` is no part of a command."""
    _comment_sign(subject)


def _comment_sign(subject: Subject) -> bytes:
    """The beginning of a comment after a command; whether a blank has to stand before ``#`` is another check's subject.

    Raises: Violation if the engine ignores no comment there.
    """
    with suppress(Violation):
        _answers_once(subject, lambda command: command + b" # is there one?\n")
        return b" #"
    _answers_once(subject, lambda command: command + b"# is there one?\n")
    return b"#"


@must()
def ignores_carriage_returns(subject: Subject) -> None:
    """A carriage return before the line feed is dropped."""
    _answers_once(subject, lambda command: command + b"\r\n")


@must()
def takes_tabs_for_blanks(subject: Subject) -> None:
    """A tab separates words as a blank does."""
    _answers_once(subject, lambda command: command.replace(b" ", b"\t") + b"\n")


@must()
def takes_any_number_of_blanks(subject: Subject) -> None:
    """Blanks before, between and after the words make no difference."""
    _answers_once(subject, lambda command: b"  " + command.replace(b" ", b"   ") + b"  \n")


@should()
def drops_control_characters(subject: Subject) -> None:
    """Other control characters are dropped, wherever they stand."""
    _answers_once(
        subject, lambda command: command[:5] + b"\x07" + command[5:-2] + b"\x01" + command[-2:] + b"\x7f\n"
    )


@should()
def bears_foreign_letters(subject: Subject) -> None:
    """Bytes beyond ASCII do no harm in a comment."""
    try:
        sign = _comment_sign(subject)
        _answers_once(subject, lambda command: b"# another\n" + command + b"\n")
    except Violation:
        raise Unjudged("it does not ignore comments") from None
    _answers_once(subject, lambda command: command + sign + " Zürich, 将棋\n".encode() + b"# \xe9\xff\n")


@must()
def waits_for_the_line_to_end(subject: Subject) -> None:
    """A command that arrives in pieces is one command."""
    command, text = _plain(subject)
    for piece in (command[:9], command[9:-2], command[-2:] + b"\n"):
        subject.send(piece)
        time.sleep(_PAUSE_SECONDS)
    reply = subject.reply()
    expect(reply.ok and reply.text == text, f"{f'= {text}'.strip()!r} for a command in three pieces", reply)


@should(see=("fails-unknown-commands",))
def bears_a_long_line(subject: Subject) -> None:
    """A line of 100,000 bytes is answered once, and does no harm."""
    subject.succeed("name")
    subject.send(b"x" * _LONG + b"\n")
    reply = subject.reply()
    expect(not reply.ok, "one failure for a long line", reply)
    subject.no_second_answer()
    subject.succeed("name")


_WRONG = ("play", "play red a1", "play black z9", "play black d4", "genmove red", "boardsize 1000")


@must()
def takes_colours_in_any_case(subject: Subject) -> None:
    """A colour is `b`, `w`, `black` or `white`, in any case."""
    for black, white in (("b", "w"), ("black", "white"), ("B", "W"), ("Black", "White"), ("BLACK", "WHITE")):
        subject.succeed("clear_board")
        subject.succeed(f"play {black} f5")
        subject.succeed(f"play {white} d6")


@must()
def takes_vertices_in_any_case(subject: Subject) -> None:
    """A vertex is `f5` or `F5`."""
    for vertex in ("f5", "F5"):
        subject.succeed("clear_board")
        subject.succeed(f"play black {vertex}")


@must()
def refuses_bad_vertices(subject: Subject) -> None:
    """`play` fails where the vertex is not on the board."""
    subject.succeed("clear_board")
    for vertex in ("z9", "a0", "a9", "i1", "5f", "f", "f55", "-"):
        subject.refuse(f"play black {vertex}")


@must()
def refuses_bad_colours(subject: Subject) -> None:
    """`play` and `genmove` fail where the colour is none."""
    answers = _answers_genmove(subject, "black")
    subject.succeed("clear_board")
    for command in ("play red f5", *(("genmove red", "genmove 1") if answers else ())):
        subject.refuse(command)


def _answers_genmove(subject: Subject, colour: str) -> bool:
    """Whether ``genmove`` succeeds at the start, with any answer, for checks that are not about its move."""
    try:
        subject.ask("clear_board")
        return subject.ask(f"genmove {colour}", subject.thinking).ok
    except EngineError:
        subject.stop()
        return False


@must()
def refuses_missing_arguments(subject: Subject) -> None:
    """A command that lacks an argument fails; the engine goes on."""
    # An engine that ignores the colour is another check's.
    heeds_colours = _answers_genmove(subject, "black") and not _answers_genmove(subject, "red")
    subject.succeed("clear_board")
    for command in ("play", "play black", *(("genmove",) if heeds_colours else ()), "boardsize"):
        subject.refuse(command)


@should()
def refuses_what_is_no_number(subject: Subject) -> None:
    """`boardsize` and `komi` fail where the argument is no number."""
    takes_any_size = subject.ask("boardsize 1000").ok  # which is another check's
    for command in ("komi little",) if takes_any_size else ("boardsize eight", "komi little"):
        subject.refuse(command)


@must()
def changes_nothing_when_it_fails(subject: Subject) -> None:
    """A command that fails leaves the position as it is."""
    failed = [_changes_nothing(subject, command) for command in _WRONG]
    if not any(failed):
        raise Unjudged(f"it refuses none of {', '.join(_WRONG)}")


def _changes_nothing(subject: Subject, command: str) -> bool:
    """Whether the engine refuses a command; one that it takes, or does not answer, is another check's.

    Raises: Violation if the position is another one after the refusal.
    """
    set_up(subject, beginning(WHITE_WINS, 10))
    shown = "showboard" in subject.commands
    before = shown and subject.succeed("showboard")
    try:
        if subject.ask(command).ok:
            return False
    except EngineError:
        subject.stop()
        return False
    after = shown and subject.succeed("showboard")
    expect(after == before, f"the same board after {command!r} failed", "another one")
    for turn in Game.from_transcript(WHITE_WINS).turns[10:12]:
        told = subject.ask(f"play {turn.colour} {turn.move}")
        expect(told.ok, f"the next moves to be legal after {command!r} failed", told)
    return True
