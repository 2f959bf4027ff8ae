"""Tests of tools/play/."""
