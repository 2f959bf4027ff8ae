"""Proofs of exact scores: one program writes them, another that shares no code with the engine checks them."""
