"""Tests of protocol/gtp/."""
