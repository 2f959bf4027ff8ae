"""Tests of tools/cli/."""
