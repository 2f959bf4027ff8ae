"""Tests of tools/schedule/."""
