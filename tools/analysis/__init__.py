"""Answers requests for analysis: one position with a table to watch, or a stream of them, many at once."""
