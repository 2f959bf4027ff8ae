"""Tests of tools/work/."""
