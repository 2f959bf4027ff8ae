"""Matches and tournaments: one game, openings, the schedule, the state of a run, conducting it, statistics."""
