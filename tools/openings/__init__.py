"""Openings for matches and for training."""
