"""What the answers of engines to ``genmove`` mean, and how engines are told about their clocks."""

from dataclasses import replace

import pytest

from outflank.protocol.drivers.choice import Reply, genmove_command, genmove_line, read_reply
from outflank.protocol.drivers.client import Answer
from outflank.protocol.drivers.clock import TimeControl
from outflank.protocol.drivers.dialect import Dialect, EngineCapabilities, choose_dialect

KATA = "info move d3 visits 81 winrate 0.61 scoreMean {0} scoreLead {0} prior 0.2 order 0 pv d3 c3"
COMMANDS = frozenset({"time_settings", "time_left"})
SPEC = EngineCapabilities("strict", COMMANDS)
KATA_SPEAKER = EngineCapabilities(
    "free",
    COMMANDS | {"kata-time_settings", "kata-list_time_settings"},
    frozenset({"none", "absolute", "canadian", "fischer"}),
)


def test_the_command_that_tells_most_is_chosen_and_genmove_if_there_is_none() -> None:
    assert genmove_command(frozenset({"genmove", "lz-genmove_analyze"})) == "lz-genmove_analyze"
    assert (
        genmove_command(frozenset({"kata-genmove_analyze", "lz-genmove_analyze"})) == "kata-genmove_analyze"
    )
    assert genmove_command(frozenset()) == "genmove"
    assert genmove_line("genmove", "black") == "genmove black"
    assert genmove_line("kata-genmove_analyze", "white") == "kata-genmove_analyze white 50"


def test_the_last_report_counts() -> None:
    text = f"{KATA.format('1.00')}\n{KATA.format('-2.50')}\nplay d3"

    assert read_reply(Answer(True, text, 0.1)) == Reply("d3", 0.1, -2.5)


def test_the_score_is_that_of_the_move_played() -> None:
    text = f"{KATA.format('1.00')} info move C4 scoreLead 3.5 order 1 pv c4\nplay c4"

    assert read_reply(Answer(True, text, 0.1)).score == 3.5


def test_a_move_without_a_report_has_the_score_of_the_first() -> None:
    assert read_reply(Answer(True, f"{KATA.format('1.00')}\nplay c4", 0.1)).score == 1.0


@pytest.mark.parametrize(
    ("text", "from_book"),
    [
        ("info move d3 scoreLead 1.0 book 1 bound exact pv d3 info move c4 book 0 pv c4\nplay d3", True),
        ("info move c4 book 1 pv c4 info move d3 book 0 pv d3\nplay d3", False),
        ("info move d3 book 1 pv d3\ninfo move d3 book 0 pv d3\nplay D3", False),
        ("info move d3 pv d3 book 1\nplay d3", None),
        ("info move c4 book 1 pv c4\nplay d3", None),
        ("play d3", None),
        ("d3", None),
    ],
)
def test_whether_a_move_came_from_a_book_is_read(text: str, from_book: bool | None) -> None:
    assert read_reply(Answer(True, text, 0.1)).from_book is from_book


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("play d3", "d3"),
        ("info move d3 visits 5 winrate 5312 order 0 pv d3\nplay d3", "d3"),
        ("info move d3 scoreLead 1e9 pv d3\nplay d3", "d3"),
        ("info move d3 scoreLead 400.0 pv d3\nplay d3", "d3"),
        ("info move d3 scoreLead nan pv d3\nplay d3", "d3"),
        ("info move d3 pv d3 scoreLead 5.0\nplay d3", "d3"),
        ("info move pv d3\nplay d3", "d3"),
        ("info move d3\nplay d3", "d3"),
        (f"info move d3 scoreLead {'9' * 5000} pv d3\nplay d3", "d3"),
        ("info nothing at all\nplay resign", "resign"),
        ("info\nplay pass", "pass"),
        ("d3", "d3"),
        ("", ""),
        ("play", ""),
        ("info move d3 scoreLead 1.0 pv d3", "info move d3 scoreLead 1.0 pv d3"),
    ],
)
def test_what_says_nothing_has_no_score(text: str, move: str) -> None:
    reply = read_reply(Answer(True, text, 0.1))

    assert (reply.text, reply.score) == (move, None)


def test_a_block_without_a_move_takes_no_other_with_it() -> None:
    text = f"info move pv c4 {KATA.format('1.00')} info move pv e6\nplay d3"

    assert read_reply(Answer(True, text, 0.1)) == Reply("d3", 0.1, 1.0)


def test_a_failure_stays_a_failure() -> None:
    assert read_reply(Answer(False, "play d3", 0.1)) == Reply("play d3", 0.1, ok=False)


@pytest.mark.parametrize(
    ("time", "spec", "kata"),
    [
        ("60+0", "time_settings 60 0 0", "time_settings 60 0 0"),
        ("60+10/5", "time_settings 60 10 5", "time_settings 60 10 5"),
        ("2", "time_settings 0 2 1", "time_settings 0 2 1"),
        ("60+1", "time_settings 60 0 0", "kata-time_settings fischer 60 1"),
        ("2.5", "time_settings 0 2 1", "kata-time_settings canadian 0 2.5 1"),
        ("10.5+0", "time_settings 10 0 0", "kata-time_settings absolute 10.5"),
        ("0.5", None, "kata-time_settings canadian 0 0.5 1"),
        ("0.5+0.1", None, "kata-time_settings fischer 0.5 0.1"),
        ("none", None, None),
    ],
)
def test_the_exact_form_is_preferred_and_rounding_never_grants_time(
    time: str, spec: str | None, kata: str | None
) -> None:
    control = TimeControl.parse(time)

    assert choose_dialect(control, SPEC).settings == spec
    assert choose_dialect(control, KATA_SPEAKER).settings == kata


def test_a_kind_that_is_not_listed_is_not_used() -> None:
    speaker = replace(KATA_SPEAKER, kata_kinds=frozenset({"none", "absolute"}))
    dialect = choose_dialect(TimeControl.parse("60+1"), speaker)

    assert dialect.settings == "time_settings 60 0 0"


def test_an_engine_without_time_commands_is_told_nothing() -> None:
    dialect = choose_dialect(
        TimeControl.parse("60+0"), EngineCapabilities("deaf", frozenset({"play", "genmove"}))
    )

    assert (dialect.settings, dialect.sends_left) == (None, False)


def test_the_time_left_has_fractions_only_for_engines_that_take_them() -> None:
    strict = choose_dialect(TimeControl.parse("10+0"), SPEC)
    free = choose_dialect(TimeControl.parse("10+0"), KATA_SPEAKER)

    assert strict.time_left("black", 7.9, 0) == "time_left black 7 0"
    assert free.time_left("black", 7.9, 0) == "time_left black 7.9 0"


def test_a_rounded_time_never_says_that_the_flag_has_fallen() -> None:
    assert choose_dialect(TimeControl.parse("10+0"), SPEC).time_left("white", 0.4, 0) == "time_left white 1 0"


@pytest.mark.parametrize(
    ("dialect", "time", "settings"),
    [
        (Dialect.SPEC, "60+1", "time_settings 60 0 0"),
        (Dialect.SPEC, "0.5", None),
        (Dialect.FISCHER, "60+0", "kata-time_settings absolute 60"),
        (Dialect.FISCHER, "2", "kata-time_settings canadian 0 2 1"),
        (Dialect.PER_MOVE, "2", "time_settings 2 0 1"),
        (Dialect.PER_MOVE, "0.5", None),
        (Dialect.PER_MOVE, "60+0", "time_settings 60 0 0"),
        (Dialect.PER_MOVE, "60+10/1", "time_settings 60 10 1"),
        (Dialect.INCREMENT, "60+2", "time_settings 60 2 0"),
        (Dialect.INCREMENT, "2", "time_settings 0 2 0"),
        (Dialect.INCREMENT, "60+0", "time_settings 60 0 0"),
        (Dialect.INCREMENT, "60+10/5", "time_settings 60 0 0"),
        (Dialect.INCREMENT, "0.5+0.5", None),
    ],
)
def test_a_dialect_that_is_named_is_spoken(dialect: Dialect, time: str, settings: str | None) -> None:
    assert choose_dialect(TimeControl.parse(time), KATA_SPEAKER, dialect).settings == settings


def test_edax_is_known_by_its_name_and_told_its_time_before_the_board_is_cleared() -> None:
    told = choose_dialect(TimeControl.parse("2"), EngineCapabilities("Edax 4.6", COMMANDS))

    assert (told.settings, told.before_board) == ("time_settings 2 0 1", True)
    assert not choose_dialect(TimeControl.parse("2"), SPEC).before_board


def test_a_dialect_whose_command_is_not_listed_can_tell_nothing() -> None:
    assert choose_dialect(TimeControl.parse("60+1"), SPEC, Dialect.FISCHER).settings is None
