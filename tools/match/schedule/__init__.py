"""The schedule: which engines meet, in which order, with which opening."""
