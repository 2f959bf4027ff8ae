"""Measures what docs/results.md shows: ``python -m outflank.tests.bench.results``, or ``make results``."""
