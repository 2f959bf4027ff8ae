"""Puzzles from games: finding, rating, files, a page, and a quiz at a terminal."""
