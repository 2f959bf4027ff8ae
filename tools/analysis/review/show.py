"""Prints reviews on the terminal and writes them to files."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from outflank.protocol.formats import ggf, sgf
from outflank.protocol.formats.annotated import AnnotatedGame
from outflank.storage.files import write_whole
from outflank.tools.analysis.review.game import GameReview, ReviewSettings
from outflank.tools.analysis.review.output import (
    PlayerSummary,
    PointOfView,
    annotated,
    count_game,
    game_facts,
    game_line,
    game_text,
    move_text,
    player_facts,
    players_text,
    ranked,
)
from outflank.tools.analysis.review.page import curve_svg, render_review
from outflank.tools.archive.table import Explorer
from outflank.tools.report.board import say
from outflank.tools.runtime.streams import terminal_width

FORMS = (".html", ".sgf", ".ggf", ".svg")
"""The suffixes of the files that ``write_reviews`` writes."""


def write_reviews(
    reviews: Sequence[GameReview],
    settings: ReviewSettings,
    files: Sequence[Path],
    view: PointOfView,
    played: Sequence[str],
) -> None:
    """Write the reviews to each file, in the format of its suffix."""
    if not reviews:
        return
    made: Mapping[str, Callable[[], str]] = {
        ".html": lambda: render_review(reviews, settings, view, played),
        ".svg": lambda: curve_svg(reviews[0]),
        ".sgf": lambda: _records(sgf.write, reviews),
        ".ggf": lambda: _records(ggf.write, reviews),
    }
    for file in files:
        write_whole(file, made[file.suffix.lower()]().encode("utf-8", "replace"))


def _records(write: Callable[[AnnotatedGame], str], reviews: Iterable[GameReview]) -> str:
    return "".join(write(annotated(review)) for review in reviews)


class ReviewOutput:
    """Prints reviews as they are added: a single review in full, several reviews as one line each.

    Attributes:
        games: the number of reviews.
        kept: the reviews if `keep` was True, else empty.
    """

    def __init__(
        self, as_json: bool, view: PointOfView, number: int | None, keep: bool, explorer: Explorer | None
    ) -> None:
        self.games = 0
        self.kept: list[GameReview] = []
        self._view, self._number, self._keep, self._explorer = view, number, keep, explorer
        self._as_json = as_json
        self._players: dict[str, PlayerSummary] = {}
        self._first: GameReview | None = None  # stored until a second review is added or `end` is called

    def add(self, review: GameReview, file: str, number: int) -> None:
        """Print a review as JSON data or as a line. The first line is printed only when a second review is added."""
        self.games += 1
        count_game(self._players, review)
        if self._keep:
            self.kept.append(review)
        if self._as_json:
            click.echo(json.dumps(game_facts(review, file, number) | self._archive_facts(review.game)))
        elif self.games == 1:
            self._first = review
        else:
            if self._first is not None:
                _print(game_line(self._first, 1, terminal_width()))
                self._first = None
            _print(game_line(review, self.games, terminal_width()))

    def end(self) -> None:
        """Print the review in full if it is the only one, else a summary of the players."""
        if self._first is not None:
            if self._number is None:
                _print(game_text(self._first, self._view, terminal_width()))
            else:
                _print(move_text(self._first, self._number, self._view))
            if lines := [*self.archive_text(self._first.game)]:
                _print(["", *lines])
        elif self._as_json and self.games:
            click.echo(json.dumps(player_facts(ranked(self._players))))
        elif self.games:
            click.echo()
            _print(players_text(ranked(self._players), terminal_width()))

    def _archive_facts(self, game: AnnotatedGame) -> dict[str, Any]:
        if self._explorer is None:
            return {}
        if game.rules != self._explorer.archive.rules or (left := self._explorer.exit_of(game)) is None:
            return {"archive": None}
        ply, played = left
        return {"archive": {"ply": ply, "move": str(played.move), **self._explorer.facts(played.before)}}

    def archive_text(self, game: AnnotatedGame) -> Iterator[str]:
        """Yield the archive's table of the game's last position that another game reached, if there is an archive."""
        if self._explorer is None:
            return
        self._explorer.archive.expect(game.rules)
        left = self._explorer.exit_of(game)
        if left is None:
            yield "Archive: no move of this game departs from the other games"
            return
        ply, played = left
        yield f"Archive: no other game has move {ply}, {played.move}; table of the position before it:"
        yield from self._explorer.text(played.before)


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        say(line)
