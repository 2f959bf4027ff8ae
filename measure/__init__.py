"""Measurements and long-running checks, which are neither tests nor installed; each module says how to run it."""
