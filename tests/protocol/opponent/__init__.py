"""Tests of protocol/opponent/."""
