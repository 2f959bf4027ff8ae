"""Solving: jobs that can be resumed, proofs of exact scores, claims of others, solutions in words."""
