"""Tests of tools/proofs/."""
