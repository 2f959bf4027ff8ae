"""Writes proofs of exact scores, and checks proofs with a program that shares no code with the engine."""
