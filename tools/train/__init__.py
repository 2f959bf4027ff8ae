"""Trains the evaluation from scratch: self-play, labels, fits, and a match against the previous evaluation."""
