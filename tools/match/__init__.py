"""Matches and tournaments: games, openings, schedules, runs and statistics."""
