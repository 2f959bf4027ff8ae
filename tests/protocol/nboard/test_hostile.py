"""Whatever a controller sends: every line that comes back is one of the protocol, and a failure changes nothing."""

from hypothesis import example, given
from hypothesis import strategies as st

from outflank.protocol.lines import LINE_CAP
from outflank.protocol.nboard.commands import COMMANDS
from outflank.protocol.nboard.grammar import parse
from outflank.tests.protocol.nboard.dialogue import Dialogue, ggf

QUIET = sorted(COMMANDS.keys() - {"analyze"})
LINES = st.one_of(
    st.binary(max_size=80),
    st.builds(lambda name, rest: f"{name} {rest}".encode(), st.sampled_from(QUIET), st.text(max_size=40)),
    st.builds(
        lambda moves: f"set game (;GM[Othello]{''.join(moves)};)".encode(),
        st.lists(
            st.sampled_from(["B[F5]", "W[D6]", "W[PA]", "B[", "]", "TI[9]", "BO[8 x]", "(;", "W[F6/1/-2]"])
        ),
    ),
    st.builds(
        lambda square, rest: f"move {square}{rest}".encode(),
        st.sampled_from(["f5", "d6", "F6", "pa", "C3", "z9", ""]),
        st.sampled_from(["", "/", "//", "/1", "/1/2", "//1e9", "//-7", "//nan", "/inf/inf"]),
    ),
)


@given(st.lists(LINES, max_size=12))
@example([b"set game (;GM[Othello]TI[1];)", b"move f5//99999999", b"go"])
@example([b"\xef\xbb\xbfnboard 2", b"nboard\t2", b"no\x00board 2", b"set\x0b depth 3"])
def test_nothing_makes_it_say_what_the_protocol_does_not_know(lines: list[bytes]) -> None:
    """``Dialogue.send`` looks at every line."""
    dialogue = Dialogue()
    for line in lines:
        before = dialogue.state()
        told = dialogue.send(line)
        if line.split()[:1] != [b"hint"] and any(text.startswith("status expected") for text in told):
            assert dialogue.state() == before, line
        assert not [text for text in told if "internal error" in text], line


@given(st.binary(max_size=60))
@example(b"a1/\xcc")
def test_no_line_confuses_the_grammar(line: bytes) -> None:
    command = parse(line, COMMANDS)

    assert command is None or command.name in COMMANDS


def test_a_line_that_is_too_long_fails_once_and_changes_nothing() -> None:
    dialogue = Dialogue()
    game = ggf("B[F5]" + " " * LINE_CAP)
    before = dialogue.state()

    assert dialogue.send(f"set game {game}"[: LINE_CAP + 1]) == [
        f"status the line is longer than {LINE_CAP} bytes"
    ]
    assert dialogue.state() == before
    assert dialogue.send(b"x" * (LINE_CAP + 1)) == []


def test_odd_bytes_in_names_do_no_harm() -> None:
    dialogue = Dialogue()

    assert dialogue.send(b"set game (;GM[Othello]PB[J\xf6rg \xff\x1b[1m]PW[\xe5\xad\x97]B[F5];)") == []
    assert dialogue.session.game.transcript() == "f5"
    assert dialogue.send("move a1\x1b[2J")[0].startswith("status expected ")


def test_a_record_of_many_moves_is_read_at_once() -> None:
    dialogue = Dialogue()

    assert dialogue.send(f"set game {ggf('W[F5]' * 20_000)}")[0].startswith("status move 1: ")
