"""Tests of tools/games/."""
