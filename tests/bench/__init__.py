"""Measurements of hot code, by pytest-benchmark: `make bench`."""
