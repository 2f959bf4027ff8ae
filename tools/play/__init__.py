"""Plays the solo game at a terminal or through a pipe."""
