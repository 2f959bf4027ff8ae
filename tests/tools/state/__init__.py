"""Tests of tools/state/."""
