"""What an engine is given and asked besides moves: rules, passes, its view of a position, claims of a result."""

import shlex
from dataclasses import replace

import pytest

from outflank.engine import Rules
from outflank.protocol.opponent.clock import TimeControl
from outflank.protocol.opponent.errors import UnfitEngineError
from outflank.tests import fake_engine
from outflank.tests.sample_games import WITH_PASSES
from outflank.tests.tools.games.refereed import Sit, referee
from outflank.tools.match.game.engines import Entry
from outflank.tools.match.game.players import GtpPlayer
from outflank.tools.match.game.results import Ending


def test_an_engine_that_refuses_a_pass_is_not_asked_again(sit: Sit) -> None:
    heard: list[str] = []
    refusing = sit("refuse pass", heard=heard)
    game = referee(refusing, sit(name="B"), opening=WITH_PASSES[:-4])

    assert game.ending is Ending.DISCS
    assert refusing.manners.implicit_passes
    assert heard.count("A < ? syntax error") == 1
    assert refusing.remarks == [
        "A refuses 'play C pass': forced passes are not announced to it (passes=implicit)"
    ]


def test_an_engine_that_cannot_be_told_the_rules_is_unfit() -> None:
    entry = Entry("A", shlex.join(fake_engine.command()), TimeControl())
    player = GtpPlayer(entry, Rules.parse("obversi"))
    with pytest.raises(UnfitEngineError, match=r"expected it to list outflank-rules, .* set obversi"):
        player.make_ready()
    player.stop(0.1)


@pytest.mark.parametrize("rules", ["othello,scoring=count", "othello,tie=second"])
def test_rules_with_the_same_moves_need_not_be_told(rules: str) -> None:
    player = GtpPlayer(Entry("A", shlex.join(fake_engine.command()), TimeControl()), Rules.parse(rules))
    player.make_ready()
    player.stop()


def test_what_an_engine_says_of_its_positions_is_kept_from_blacks_side(sit: Sit) -> None:
    """The fake says that it is a disc ahead for each move it has chosen."""
    game = referee(sit("aloud", turn=90), sit("aloud", turn=90, name="B"), opening="f5d6")

    assert game.ending is Ending.DISCS
    assert game.values[:6] == (None, None, 1.0, -1.0, 2.0, -2.0)
    assert len(game.values) == len(game.turns)
    assert all(
        (value is None) == (took is None) for value, took in zip(game.values, game.seconds, strict=True)
    )


def test_an_engine_that_need_not_think_aloud_is_asked_for_plain_moves(sit: Sit) -> None:
    heard: list[str] = []
    player = sit("aloud", turn=90, heard=heard)
    player.entry = replace(player.entry, analysis=False)
    quiet = GtpPlayer(player.entry, Rules(), on_line=lambda *words: heard.append(" ".join(words)))
    game = referee(quiet, sit(name="B"))
    quiet.stop()

    assert set(game.values) == {None}
    assert "A > genmove black" in heard
    assert not [line for line in heard if "analyze" in line and ">" in line]


def test_an_engine_that_refuses_to_think_aloud_is_asked_for_plain_moves(sit: Sit) -> None:
    heard: list[str] = []
    refusing = sit("deaf aloud", turn=90, heard=heard)
    game = referee(refusing, sit(name="B"))

    assert game.ending is Ending.DISCS
    assert heard.count("A > kata-genmove_analyze black 50") == 1
    assert refusing.remarks == ["A lists kata-genmove_analyze and refuses it: it is asked for plain moves"]


@pytest.mark.parametrize("fault", ["crash", "silence", "illegal", "resign", "refuse", "nonsense", "empty"])
def test_faults_have_the_same_names_when_an_engine_thinks_aloud(sit: Sit, fault: str) -> None:
    """The fault strikes in a command that is longer and answered by several lines."""
    aloud, plain = (referee(sit(name), sit(name="B")) for name in (f"{fault} aloud", fault))

    assert (aloud.ending, aloud.winner) == (plain.ending, plain.winner)


def test_a_false_claim_of_the_score_is_noted_and_changes_nothing(sit: Sit) -> None:
    true, false = sit("true score"), sit("false score", name="B", turn=90)
    games = [referee(true, false) for _ in range(2)]

    assert [game.ending for game in games] == [Ending.DISCS] * 2
    assert true.remarks == []
    (remark,) = false.remarks
    assert remark.startswith("B claims a false score: 'B+1' for ")


def test_a_claim_of_a_megabyte_makes_a_short_remark(sit: Sit) -> None:
    referee(sit("endless score"), claiming := sit("endless score", name="B"))

    (remark,) = claiming.remarks
    assert remark.startswith("B claims a false score: 'B+1B+1")
    assert len(remark) < 400


def test_an_engine_that_hangs_when_the_game_is_over_spoils_nothing(sit: Sit) -> None:
    hanging = sit("no answer to score")
    games = [referee(hanging, sit(name="B")) for _ in range(2)]

    assert [game.ending for game in games] == [Ending.DISCS] * 2
    (remark,) = hanging.remarks
    assert remark.startswith("A fails when a game is over: engine A gave no complete answer in time")


def test_an_engine_may_get_a_new_process_for_each_game(sit: Sit) -> None:
    fresh, kept = sit(restart=True), sit(name="B")
    pids = []
    for _ in range(2):
        referee(fresh, kept)
        pids.append((fresh.make_ready().pid, kept.make_ready().pid))

    assert pids[0][0] != pids[1][0]
    assert pids[0][1] == pids[1][1]
    assert fresh.remarks == []
