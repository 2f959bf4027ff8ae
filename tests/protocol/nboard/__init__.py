"""Tests of the NBoard protocol."""
