"""Writes proofs of exact scores, and checks proofs by a program that shares no code with the engine."""
