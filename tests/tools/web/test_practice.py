"""Practice on the page of ``outflank web``: problems and openings, and what the user's file remembers of them."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from outflank.engine import Limit, NotationError, Position, Rules, Searcher
from outflank.tests.support.browser import Browser, Served, in_browser
from outflank.tools.web.practice import SHIPPED_PROBLEMS, cards, merge_cards, note_answer, problems

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Browser]:
    browser.load(served.page + "#practise")
    browser.wait("desk.modeName === 'practise' && desk.modes.practise.asking?.problem !== undefined")
    yield browser
    assert browser.errors == []


@in_browser
def test_a_problem_is_tried_again_and_solved_and_its_failure_is_remembered(page: Browser, data: Path) -> None:
    by_score = page.run(
        "Object.entries(desk.modes.practise.asking.problem.scores).sort((a, b) => a[1] - b[1]).map(one => one[0])"
    )
    key = page.run("desk.modes.practise.asking.key")
    page.square(by_score[0])
    page.wait("at('answer').textContent.endsWith('Try again.')")
    page.square(by_score[-1])
    page.wait(f"at('answer').textContent === 'Right: {by_score[-1]}.'")

    card = json.loads((data / "outflank" / "practice.json").read_bytes())["cards"][key]
    assert (card["box"], card["right"], card["wrong"]) == (0, 0, 1)
    page.run("at('next').click()")
    page.wait(f"desk.modes.practise.asking.key !== {json.dumps(key)} && !desk.modes.practise.asking.isOver")


@in_browser
def test_a_wrong_move_in_a_drill_shows_its_loss_and_its_position_comes_back(page: Browser) -> None:
    page.run("at('drill').click()")
    page.wait("desk.modes.practise.asking?.key === 'opening '")
    page.run("window.ofTheBook = desk.modes.practise.asking; at('drilled-line').value = 'f5d6c3d3c4'")
    page.run("at('drilled').querySelector('.main').click()")
    page.wait("desk.modes.practise.asking !== window.ofTheBook")
    page.square("f5")
    page.wait("desk.modes.practise.asking.key === 'opening f5d6'")
    page.square("c7")
    page.wait("at('answer').textContent.startsWith('c7 loses ')")
    page.square("c3")
    page.wait("desk.modes.practise.asking.key === 'opening f5d6c3d3'")
    page.square("c4")
    page.wait(
        "desk.modes.practise.asking.isOver && at('answer').textContent === 'This is the end of the line.'"
    )
    page.run(
        "Object.values(desk.modes.practise.cards).forEach(card => { card.due -= 3600; }); at('next').click()"
    )
    page.wait("desk.modes.practise.asking.key === 'opening f5d6' && !desk.modes.practise.asking.isOver")


def test_right_answers_are_asked_later_and_later_and_wrong_ones_soon(tmp_path: Path) -> None:
    path = tmp_path / "new" / "practice.json"
    days = [round((note_answer(path, "key", True).due - time.time()) / 86_400) for _ in range(4)]
    wrong = note_answer(path, "key", False)

    assert days == [1, 3, 7, 16]
    assert (wrong.box, wrong.right, wrong.wrong) == (0, 4, 1)
    assert wrong.due < time.time() + 120


def test_progress_of_another_machine_is_added_if_undamaged(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for path, keys in ((here, "ab"), (there, "bbc")):
        for key in keys:
            note_answer(path, key, True)

    merged = merge_cards(here, there.read_bytes())

    assert {key: card.right for key, card in merged.items()} == {"a": 1, "b": 2, "c": 1}
    assert cards(here) == merged


@pytest.mark.parametrize(
    "damaged",
    [
        "{",
        "[]",
        '{"cards": {"a": {"box": "x"}}}',
        '{"cards": {"a": {"box": 1, "due": 1e400, "right": 1, "wrong": 0}}}',
        '{"cards": {"a": {"box": 1, "due": NaN, "right": 1, "wrong": 0}}}',
        '{"cards": {"a": {"box": 7, "due": 1, "right": 1, "wrong": 0}}}',
        '{"cards": {"a": {"box": 1, "due": 1, "right": true, "wrong": 0}}}',
        '{"cards": {"": {"box": 1, "due": 1, "right": 1, "wrong": 0}}}',
    ],
)
def test_damaged_progress_is_refused_as_a_file_and_for_import_and_stays_as_it_is(
    tmp_path: Path, damaged: str
) -> None:
    path, good = tmp_path / "bad.json", tmp_path / "good.json"
    path.write_text(damaged)
    note_answer(good, "key", True)
    before = good.read_bytes()

    with pytest.raises(NotationError):
        merge_cards(good, damaged.encode())
    for use in (lambda: cards(path), lambda: note_answer(path, "key", True)):
        with pytest.raises(NotationError, match=r"bad\.json' can't be used: "):
            use()
    assert (path.read_text(), good.read_bytes()) == (damaged, before)


def test_programs_that_share_a_file_lose_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "practice.json"
    script = (
        "import sys; from pathlib import Path; from outflank.tools.web.practice import note_answer\n"
        "for number in range(25): note_answer(Path(sys.argv[1]), sys.argv[2] + str(number), True)"
    )
    programs = [subprocess.Popen([sys.executable, "-c", script, str(path), name]) for name in "abc"]

    assert [program.wait(60) for program in programs] == [0, 0, 0]
    assert len(cards(path)) == 75


def test_each_shipped_problem_has_one_winning_move() -> None:
    shipped, count = problems(SHIPPED_PROBLEMS.read_text(), Rules())
    first = Position.parse(shipped[0]["position"])
    lines = Searcher(1).search(first, Limit.solve(), multipv=len(first.legal_moves())).lines

    assert count == len(shipped) >= 25
    assert all(sum(score > 0 for score in problem["scores"].values()) == 1 for problem in shipped)
    assert {str(line.move): line.score for line in lines} == shipped[0]["scores"]
    with pytest.raises(NotationError, match="expected problems in OBF"):
        problems("nothing\n", Rules())
