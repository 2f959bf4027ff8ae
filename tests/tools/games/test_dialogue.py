"""What is kept of the words on the wire."""

from outflank.tools.match.conduct.table import Dialogue


def test_lines_have_their_time_their_speaker_and_no_control_characters() -> None:
    dialogue = Dialogue()
    dialogue.add("A", ">", "genmove black")
    dialogue.add("A", "<", "= \x1b[31m" + "x" * 70_000)
    first, second = dialogue.lines()

    assert first.endswith(" A > genmove black")
    assert float(first.split()[0]) < 1
    assert " A < =  [31mxxx" in second
    assert len(second) < 300


def test_of_a_flood_the_beginning_and_the_end_are_kept() -> None:
    dialogue = Dialogue()
    for number in range(100_000):
        dialogue.add("A", "!", str(number))
    lines = dialogue.lines()

    assert lines[0].endswith(" A ! 0")
    assert lines[-1].endswith(" A ! 99999")
    assert lines[2_000] == "... 96000 lines left out ..."
    assert len(lines) == 4_001


def test_the_next_game_begins_with_nothing() -> None:
    dialogue = Dialogue()
    dialogue.add("A", ">", "quit")
    dialogue.begin()

    assert dialogue.lines() == ()
