"""Tests of the checks of engines."""
