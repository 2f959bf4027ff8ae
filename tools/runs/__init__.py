"""Resumes a run, shows it while it is played (terminal, page, JSON lines), and prints its result."""
