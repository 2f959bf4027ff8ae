"""Tests of tools/show/."""
