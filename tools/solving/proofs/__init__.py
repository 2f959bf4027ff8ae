"""Proofs of exact scores: a writer, and a checker that shares no code with the engine."""
