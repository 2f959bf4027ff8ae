"""Tests of tools/person/."""
