"""Tests of tools/stats/."""
