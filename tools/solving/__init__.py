"""Solving: jobs that can be resumed, proofs of exact scores, imported claims, and output of solutions."""
