"""Checks of the line protocol: lines, ids, arguments, answers, and the engine's name, version and commands."""

import re
import time
from collections.abc import Callable
from contextlib import suppress

from outflank.engine import Game
from outflank.tools.checks.check import CheckSkipped, Violation, expect, expect_nothing, must, should, shown
from outflank.tools.checks.tapped_drivers import WHITE_WINS, RawAnswer, TappedGtpDriver, beginning, set_up

REQUIRED = frozenset(
    ("protocol_version", "name", "version", "known_command", "list_commands", "quit")
    + ("boardsize", "clear_board", "komi", "play", "genmove")
)
_NONSENSE = "outflank-no-such-command"


@must(alone=True)
def says_nothing_first(engine: TappedGtpDriver) -> None:
    """Nothing is written to standard output before the first command: no banner and no prompt."""
    engine.send(b"protocol_version\n")  # sent without ``ask``, which discards earlier output
    expect_nothing(engine.reply().strays)


@must()
def speaks_version_2(engine: TappedGtpDriver) -> None:
    """`protocol_version` returns `2`."""
    version = engine.succeed("protocol_version")
    expect(version == "2", "'2'", repr(version))


@must()
def has_a_name(engine: TappedGtpDriver) -> None:
    """`name` returns one line of text."""
    name = engine.succeed("name")
    expect(bool(name) and "\n" not in name, "one line", repr(name))


@must()
def has_a_version(engine: TappedGtpDriver) -> None:
    """`version` returns one line of text, or nothing."""
    version = engine.succeed("version")
    expect("\n" not in version, "one line", repr(version))


@must()
def lists_a_command_on_each_line(engine: TappedGtpDriver) -> None:
    """`list_commands` returns one name per line."""
    lines = engine.succeed("list_commands").split("\n")
    odd = [line for line in lines if len(line.split()) != 1]
    expect(not odd, "one name per line", repr("\n".join(odd)[:100]))


@should()
def lists_no_command_twice(engine: TappedGtpDriver) -> None:
    """`list_commands` names each command once."""
    names = engine.succeed("list_commands").split()
    expect(len(names) == len(set(names)), "each name once", sorted({n for n in names if names.count(n) > 1}))


@must()
def lists_what_is_required(engine: TappedGtpDriver) -> None:
    """`list_commands` names the eleven commands that every engine must have.

    They are `protocol_version`, `name`, `version`, `known_command`, `list_commands`, `quit`, `boardsize`,
    `clear_board`, `komi`, `play` and `genmove`.
    """
    listed = engine.listed()
    missing = sorted(REQUIRED.difference(listed))
    expect(not missing, "all eleven required commands", f"a list without {', '.join(missing)}")


@must()
def knows_what_it_lists(engine: TappedGtpDriver) -> None:
    """`known_command` returns `true` for every command that is listed."""
    for name in engine.succeed("list_commands").split():
        known = engine.succeed(f"known_command {name}")
        expect(known == "true", f"'true' for 'known_command {name}'", repr(known))


@must()
def knows_nothing_else(engine: TappedGtpDriver) -> None:
    """`known_command` returns `false` for a name that is not a command."""
    known = engine.succeed(f"known_command {_NONSENSE}")
    expect(known == "false", "'false'", repr(known))


@must()
def fails_unknown_commands(engine: TappedGtpDriver) -> None:
    """A command that does not exist fails."""
    engine.refuse(_NONSENSE)


@should()
def says_unknown_command(engine: TappedGtpDriver) -> None:
    """The error message for an unknown command begins with GTP's words `unknown command`."""
    engine.refuse_in_words(_NONSENSE, "unknown command")


@should(see=("fails-unknown-commands",))
def tells_case_apart(engine: TappedGtpDriver) -> None:
    """Command names are case-sensitive: `NAME` is not `name`."""
    engine.refuse("NAME")


_PROMPT_SECONDS = 0.5
_PLAIN = ("protocol_version", "name", "list_commands", "known_command name", "clear_board", "showboard")
_NOT_SENT = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]")


@must()
def begins_with_a_sign_and_a_blank(engine: TappedGtpDriver) -> None:
    """An answer with text consists of `=`, one blank, and the text."""
    raw = engine.ask("name").raw
    expect(re.match(rb"= [^ \n]", raw) is not None, "'= ' and a name", raw[:40])


@must()
def answers_nothing_with_a_bare_sign(engine: TappedGtpDriver) -> None:
    """An answer without text is `=` alone (a blank after it is tolerated), followed by the empty line."""
    raw = engine.ask("clear_board").raw.replace(b"\r", b"")
    expect(raw in (b"=\n\n", b"= \n\n"), "'=' and an empty line", raw[:40])


@must()
def fails_with_a_question_mark(engine: TappedGtpDriver) -> None:
    """A failure consists of `?`, one blank, and an error message."""
    raw = engine.ask(engine.refused()).raw
    expect(re.match(rb"\? [^ \n]", raw) is not None, "'? ' and an error message", raw[:40])


@must()
def ends_with_one_empty_line(engine: TappedGtpDriver) -> None:
    """An answer ends with exactly one empty line; a second one would look like the end of the next answer."""
    for command in (engine.refused(), "name", "clear_board"):
        engine.ask(command)
        extra = engine.trailing()
        blank = bool(extra) and not extra.strip()
        expect(
            not blank,
            f"one empty line after the answer to {command!r}",
            f"one followed by {shown(extra[:40])}",
        )


@must()
def has_no_empty_line_inside(engine: TappedGtpDriver) -> None:
    """An answer of several lines has no empty line before its end, since the first empty line ends the answer."""
    engine.succeed("name")
    if engine.trailing().strip():
        raise CheckSkipped("it also writes after one-line answers: see answers-each-command-once")
    for command in ("list_commands", *({"showboard"} & engine.commands)):
        engine.succeed(command)
        engine.silence()


@should()
def sends_no_control_characters(engine: TappedGtpDriver) -> None:
    """Answers contain no control characters except line feeds: no carriage returns, tabs or colour codes."""
    for command in _PLAIN:
        if command.split()[0] in engine.commands:
            found = _NOT_SENT.search(engine.ask(command).raw)
            expect(found is None, f"no control characters in the answer to {command!r}", found and found[0])


@must()
def answers_each_command_once(engine: TappedGtpDriver) -> None:
    """Every command gets one answer, and nothing is written between answers."""
    for command in ("name", "clear_board", "play black f5", "version", "play white d6"):
        expect_nothing(engine.ask(command).strays)
    engine.silence()


@must()
def says_only_its_move(engine: TappedGtpDriver) -> None:
    """During a search and after it, nothing but the move is written to standard output."""
    engine.succeed("clear_board")
    if engine.trailing().strip():
        raise CheckSkipped("it also writes without a search: see answers-each-command-once")
    if not (reply := engine.ask_or_close("genmove black", engine.thinking)):
        raise CheckSkipped("it does not answer 'genmove black': see opens-legally")
    expect_nothing(reply.strays)
    engine.silence()


@should()
def answers_at_once(engine: TappedGtpDriver) -> None:
    """A command that needs no search is answered within half a second: answers are flushed."""
    engine.succeed("name")
    seconds = min(engine.ask("name").seconds for _ in range(3))
    expect(seconds <= _PROMPT_SECONDS, f"an answer within {_PROMPT_SECONDS} s", f"one after {seconds:.2f} s")


_PIPELINED = 30


def _ask(engine: TappedGtpDriver, id: str, command: str) -> RawAnswer:
    reply = engine.ask(f"{id} {command}".strip())
    expect(reply.id == id, f"the id {id!r} in the answer", reply)
    return reply


@must(alone=True)
def repeats_an_id(engine: TappedGtpDriver) -> None:
    """The answer repeats an id, without a blank after the sign: `7 name` is answered with `=7 ...`."""
    reply = engine.ask("7 name")
    expect(reply.id == "7" and reply.glued, "the id '7' directly after the sign", reply)


@must(alone=True, see=("repeats-an-id",))
def repeats_an_id_without_text(engine: TappedGtpDriver) -> None:
    """An answer without text repeats the id too: `7 clear_board` is answered with `=7`."""
    _ask(engine, "7", "clear_board")


@must(alone=True, see=("repeats-an-id",))
def repeats_an_id_in_a_failure(engine: TappedGtpDriver) -> None:
    """A failure repeats the id too: an unknown command with the id 7 is answered with `?7 ...`."""
    reply = _ask(engine, "7", engine.refused())
    expect(not reply.ok, "a failure", reply)


@must(alone=True, see=("repeats-an-id",))
def repeats_small_and_large_ids(engine: TappedGtpDriver) -> None:
    """Ids range from 0 to 2147483647."""
    for id in ("0", "2147483647"):
        _ask(engine, id, "name")


@must(alone=True)
def forgets_an_id(engine: TappedGtpDriver) -> None:
    """The answer to a command without an id has no id, even after a command with an id."""
    engine.ask("7 name")
    reply = engine.ask("name")
    expect(not reply.id, "no id", reply)


@must(alone=True, see=("repeats-an-id",))
def answers_in_order(engine: TappedGtpDriver) -> None:
    """Commands that are sent without waiting for answers are all answered, in order."""
    texts = {command: engine.succeed(command) for command in ("name", "list_commands")}
    asked = [(str(id), "name" if id % 3 else "list_commands") for id in range(1, _PIPELINED + 1)]
    replies = engine.replies([" ".join(each) for each in asked])
    for (id, command), reply in zip(asked, replies, strict=True):
        # Without an id, only the text shows which command was answered.
        in_place = reply.id == id if reply.id else reply.text == texts[command]
        expect(in_place, f"the answer to '{id} {command}' next", reply)


_LONG = 100_000
_PAUSE_SECONDS = 0.05
_TWO_WORDS = ("known_command name", "boardsize 8")  # commands with one argument, sent until one succeeds


def _plain(engine: TappedGtpDriver) -> tuple[bytes, str]:
    for command in _TWO_WORDS:
        reply = engine.ask(command)
        if reply.ok:
            return command.encode(), reply.text
    raise CheckSkipped(f"it accepts neither {' nor '.join(map(repr, _TWO_WORDS))}")


def _answers_once(engine: TappedGtpDriver, dressed: Callable[[bytes], bytes]) -> None:
    command, text = _plain(engine)
    engine.send(data := dressed(command))
    reply = engine.reply()
    expect(reply.ok and reply.text == text, f"{f'= {text}'.strip()!r} for {shown(data[:40])}", reply)
    engine.no_second_answer()


@must()
def ignores_blank_lines(engine: TappedGtpDriver) -> None:
    """A line that is empty or contains only blanks gets no answer."""
    _answers_once(engine, lambda command: b"\n  \n\t\n" + command + b"\n\n")


@must(see=("ignores-blank-lines",))
def ignores_lines_of_comment(engine: TappedGtpDriver) -> None:
    """A line that begins with `#` gets no answer."""
    _answers_once(engine, lambda command: b"# a comment\n  # another\n" + command + b"\n")


@must()
def ignores_comments_behind_commands(engine: TappedGtpDriver) -> None:
    """Text after `#` is not part of a command."""
    _comment_sign(engine)


def _comment_sign(engine: TappedGtpDriver) -> bytes:
    """Return the bytes that begin a comment after a command: ``" #"`` if the engine accepts them, else ``"#"``."""
    with suppress(Violation):
        _answers_once(engine, lambda command: command + b" # is there one?\n")
        return b" #"
    _answers_once(engine, lambda command: command + b"# is there one?\n")
    return b"#"


@must()
def ignores_carriage_returns(engine: TappedGtpDriver) -> None:
    """A carriage return before the line feed is dropped."""
    _answers_once(engine, lambda command: command + b"\r\n")


@must()
def takes_tabs_for_blanks(engine: TappedGtpDriver) -> None:
    """A tab separates words like a blank."""
    _answers_once(engine, lambda command: command.replace(b" ", b"\t") + b"\n")


@must()
def takes_any_number_of_blanks(engine: TappedGtpDriver) -> None:
    """Additional blanks before, between and after the words make no difference."""
    _answers_once(engine, lambda command: b"  " + command.replace(b" ", b"   ") + b"  \n")


@should()
def drops_control_characters(engine: TappedGtpDriver) -> None:
    """Other control characters are dropped, wherever they occur."""
    _answers_once(
        engine, lambda command: command[:5] + b"\x07" + command[5:-2] + b"\x01" + command[-2:] + b"\x7f\n"
    )


@should()
def bears_foreign_letters(engine: TappedGtpDriver) -> None:
    """Non-ASCII bytes in a comment do no harm."""
    try:
        sign = _comment_sign(engine)
        _answers_once(engine, lambda command: b"# another\n" + command + b"\n")
    except Violation:
        raise CheckSkipped("it does not ignore comments") from None
    _answers_once(engine, lambda command: command + sign + " Zürich, 将棋\n".encode() + b"# \xe9\xff\n")


@must()
def waits_for_the_line_to_end(engine: TappedGtpDriver) -> None:
    """A command that arrives in pieces is executed as one command."""
    command, text = _plain(engine)
    for piece in (command[:9], command[9:-2], command[-2:] + b"\n"):
        engine.send(piece)
        time.sleep(_PAUSE_SECONDS)
    reply = engine.reply()
    expect(
        reply.ok and reply.text == text, f"{f'= {text}'.strip()!r} for a command sent in three pieces", reply
    )


@should(see=("fails-unknown-commands",))
def bears_a_long_line(engine: TappedGtpDriver) -> None:
    """A line of 100,000 bytes is answered once and does no harm."""
    engine.succeed("name")
    engine.send(b"x" * _LONG + b"\n")
    reply = engine.reply()
    expect(not reply.ok, "one failure for a long line", reply)
    engine.no_second_answer()
    engine.succeed("name")


_WRONG = ("play", "play red a1", "play black z9", "play black d4", "genmove red", "boardsize 1000")


@must()
def takes_colours_in_any_case(engine: TappedGtpDriver) -> None:
    """A colour is `b`, `w`, `black` or `white`, in upper or lower case."""
    for black, white in (("b", "w"), ("black", "white"), ("B", "W"), ("Black", "White"), ("BLACK", "WHITE")):
        engine.succeed("clear_board")
        engine.succeed(f"play {black} f5")
        engine.succeed(f"play {white} d6")


@must()
def takes_vertices_in_any_case(engine: TappedGtpDriver) -> None:
    """A vertex may be in lower or upper case: `f5` or `F5`."""
    for vertex in ("f5", "F5"):
        engine.succeed("clear_board")
        engine.succeed(f"play black {vertex}")


@must()
def refuses_bad_vertices(engine: TappedGtpDriver) -> None:
    """`play` fails if the vertex is not on the board."""
    engine.succeed("clear_board")
    for vertex in ("z9", "a0", "a9", "i1", "5f", "f", "f55", "-"):
        engine.refuse(f"play black {vertex}")


@must()
def refuses_bad_colours(engine: TappedGtpDriver) -> None:
    """`play` and `genmove` fail if the first argument is not a colour."""
    answers = _answers_genmove(engine, "black")
    engine.succeed("clear_board")
    for command in ("play red f5", *(("genmove red", "genmove 1") if answers else ())):
        engine.refuse(command)


def _answers_genmove(engine: TappedGtpDriver, colour: str) -> bool:
    """Return whether ``genmove`` succeeds at the start, for checks that do not examine the move."""
    reply = engine.ask_or_close("clear_board") and engine.ask_or_close(f"genmove {colour}", engine.thinking)
    return reply is not None and reply.ok


@must()
def refuses_missing_arguments(engine: TappedGtpDriver) -> None:
    """A command that lacks an argument fails, and the engine continues."""
    # Another check reports an engine that ignores the colour.
    heeds_colours = _answers_genmove(engine, "black") and not _answers_genmove(engine, "red")
    engine.succeed("clear_board")
    for command in ("play", "play black", *(("genmove",) if heeds_colours else ()), "boardsize"):
        engine.refuse(command)


@should()
def refuses_what_is_no_number(engine: TappedGtpDriver) -> None:
    """`boardsize` and `komi` fail if the argument is not a number."""
    takes_any_size = engine.ask("boardsize 1000").ok  # another check reports an engine that takes any size
    for command in ("komi little",) if takes_any_size else ("boardsize eight", "komi little"):
        engine.refuse(command)


@must()
def changes_nothing_when_it_fails(engine: TappedGtpDriver) -> None:
    """A command that fails leaves the position unchanged."""
    failed = [_changes_nothing(engine, command) for command in _WRONG]
    if not any(failed):
        raise CheckSkipped(f"it refuses none of {', '.join(_WRONG)}")


def _changes_nothing(engine: TappedGtpDriver, command: str) -> bool:
    """Return whether the engine refuses a command. Raises: Violation if the refused command changed the position."""
    set_up(engine, beginning(WHITE_WINS, 10))
    shown = "showboard" in engine.commands
    before = shown and engine.succeed("showboard")
    if not (reply := engine.ask_or_close(command)) or reply.ok:
        return False
    after = shown and engine.succeed("showboard")
    expect(after == before, f"the same board after {command!r} failed", "a different one")
    for turn in Game.from_transcript(WHITE_WINS).turns[10:12]:
        told = engine.ask(f"play {turn.colour} {turn.move}")
        expect(told.ok, f"the next moves to be legal after {command!r} failed", told)
    return True
