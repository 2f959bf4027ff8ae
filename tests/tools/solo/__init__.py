"""Tests of tools/solo/."""
