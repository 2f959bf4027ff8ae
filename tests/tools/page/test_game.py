"""The rules and lines of ``game.js``, run by Node.js or Chromium, against the engine; and how modules are joined."""

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from outflank.engine import PRESETS, Game, Position
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.tests.support.browser import CHROMIUM, Chromium
from outflank.tests.support.positions import ONE_WAY, WITH_PASSES, random_game
from outflank.tools.page import bundle
from outflank.tools.page.bundle import bundled
from outflank.tools.page.replay import Replay

NODE = shutil.which("node")
Evaluate = Callable[[str], Any]


@pytest.fixture(scope="module")
def evaluate(tmp_path_factory: pytest.TempPathFactory) -> Evaluate:
    """Return a function that evaluates an expression next to ``game.js``."""
    script = bundled("game.js")
    if NODE is not None:

        def in_node(expression: str) -> Any:
            program = f"{script}\nconsole.log(JSON.stringify({expression}));"
            done = subprocess.run([NODE, "-"], input=program, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout)

        return in_node
    if CHROMIUM is None:
        pytest.skip("neither Node.js nor Chromium is installed")

    def in_chromium(expression: str) -> Any:
        with Chromium(tmp_path_factory.mktemp("profile")) as browser:
            return browser.run(f"{script}\n{expression}")

    return in_chromium


def record(game: Game, **more: Any) -> str:
    return json.dumps({**Replay.of(AnnotatedGame.of(game)).facts(), **more})


@pytest.mark.parametrize("name", PRESETS)
def test_every_position_has_the_moves_of_the_engine(evaluate: Evaluate, name: str) -> None:
    """Boards, sides, legal moves, passes and ends of random games by every rule sheet."""
    rng = random.Random(name)
    games = [random_game(rng, PRESETS[name]) for _ in range(6)]
    expected = [
        [
            [
                position.board_string(),
                sorted(str(move) for move in position.legal_moves() if not move.is_pass),
                position.must_pass,
                position.is_over,
            ]
            for position in game.positions
        ]
        for game in games
    ]
    made = evaluate(
        f"[{','.join(map(record, games))}].map(one => new Game(one).positions.map(each =>"
        " [each.toString(), [...each.moves].sort(), each.mustPass, each.isOver]))"
    )

    assert sum(len(game.turns) for game in games) > 300
    assert made == expected


def test_an_illegal_move_throws_and_changes_nothing(evaluate: Evaluate) -> None:
    script = """(game => {
      const attempt = move => { try { game.follow(2, [move]); return "played"; } catch { return "thrown"; } };
      const said = ["a1", "pass", "f5/n"].map(attempt);
      return [said, game.moves, game.variations.length];
    })(new Game(%s))"""
    said, moves, variations = evaluate(script % record(Game.from_transcript("f5d6c3")))

    assert said == ["thrown"] * 3
    assert (moves, variations) == (["f5", "d6", "c3"], 0)


def test_other_moves_make_variations_and_known_ones_are_followed(evaluate: Evaluate) -> None:
    """A tree: a variation of a variation, one that is found again, and a game of a file that stays as it was."""
    script = """(game => {
      const first = game.follow(2, ["c4", "d3"])[0], again = game.follow(2, ["c4"]);
      const deeper = first.follow(3, ["b3"])[0], beside = first.follow(2, ["c5"])[0];
      const longer = game.follow(3, ["d3"])[0], made = [first, deeper, beside, longer];
      const nameOf = one => one === game ? "game" : one === first ? "first" : "other";
      return {again: again[0] === first && again[1], trunks: made.map(one => nameOf(one.trunk)),
              lines: game.lines().map(one => one.moves.join("")), left: [first.left, deeper.left, beside.left],
              ended: [game.toRecord().ending, first.toRecord().ending]};
    })(new Game(%s))"""
    game = record(Game.from_transcript("f5d6c3"), is_recorded=True, ending="resignation", winner="X")
    found = evaluate(script % game)

    assert found["again"] == 3
    assert found["trunks"] == ["game", "first", "game", "game"]
    assert found["lines"] == ["f5d6c3", "f5d6c4d3", "f5d6c4b3", "f5d6c5", "f5d6c3d3"]
    assert found["left"] == [2, 3, 2]
    assert found["ended"] == ["resignation", None]


def test_a_forced_pass_belongs_to_the_line(evaluate: Evaluate) -> None:
    """After d3c3e6d2d1e1b2c1 Black has no move."""
    script = "(game => [game.follow(7, ['c1', 'a3'])[1], game.moves])(new Game(%s))"
    ply, moves = evaluate(script % record(Game.from_transcript("d3c3e6d2d1e1b2")))

    assert moves[-3:] == ["c1", "pass", "a3"]
    assert ply == 10


def test_turns_are_added_and_taken_back_with_their_facts(evaluate: Evaluate) -> None:
    script = """(game => {
      game.play("d3", {seconds: 1.5});
      const added = [game.moves.length, game.fact("seconds", 3), game.column("exact").length];
      game.cut(1);
      return [added, game.moves, game.column("seconds"), game.final.toString()];
    })(new Game(%s))"""
    added, moves, seconds, final = evaluate(
        script % record(Game.from_transcript("f5d6c3"), seconds=[0.5, None, 2])
    )

    assert added == [4, 1.5, 5]
    assert (moves, seconds) == (["f5"], [0.5])
    assert final == Position.start().play("f5").board_string()


@pytest.mark.parametrize(("transcript", "preset"), [(WITH_PASSES, "othello"), (ONE_WAY, "ravensburger-1987")])
def test_a_game_returns_from_the_page_as_it_was_sent(
    evaluate: Evaluate, transcript: str, preset: str
) -> None:
    sent = json.loads(
        record(Game.from_transcript(transcript, PRESETS[preset]), black="A", comment="x", clock="5m+3s")
    )
    returned = evaluate(f"(game => (game.moves, game.toRecord()))(new Game({json.dumps(sent)}))")

    assert {name: returned[name] for name in sent if name != "exact"} == {
        name: value for name, value in sent.items() if name != "exact"
    }


def test_modules_are_joined_once_and_in_order() -> None:
    script = bundled("desk.js")

    assert script.index("class Position") < script.index("class PlayMode") < script.index("class Desk")
    assert script.count("class Viewer") == 1
    assert "import {" not in script
    assert "\nexport " not in script


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {
                "a.js": 'import {b} from "./b.js";\nconst c = 1;\n',
                "b.js": "export const b = 1;\nconst c = 2;\n",
            },
            "c is declared by",
        ),
        ({"a.js": 'import * as b from "./b.js";\n', "b.js": ""}, "a form of import"),
        ({"a.js": 'import {b} from "./b.js";\n', "b.js": 'import {a} from "./a.js";\n'}, "imports itself"),
    ],
)
def test_what_can_not_be_joined_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], reason: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(bundle, "PROGRAM", tmp_path)

    with pytest.raises(ValueError, match=reason):
        bundled.__wrapped__("a.js")
