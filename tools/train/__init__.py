"""Trains an evaluation from scratch by self-play, labels and fits. Tests it by a match against another evaluation."""
