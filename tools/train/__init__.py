"""Trains the evaluation from scratch by self-play, labels and fits. Tests it by a match against the previous one."""
