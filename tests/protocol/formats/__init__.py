"""Tests of protocol/formats/."""
