"""Tests of tools/openings/."""
