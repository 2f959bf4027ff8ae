"""Tests of tools/checks/nboard/."""
