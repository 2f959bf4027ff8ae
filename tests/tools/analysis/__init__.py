"""Tests of the room that answers requests for analysis."""
