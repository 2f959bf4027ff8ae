"""Makes the evaluation from nothing: self-play, labels, fits, and a match against the one before."""
