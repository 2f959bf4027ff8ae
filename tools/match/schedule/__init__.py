"""The schedule of a run: the engines, the order and the openings of its games."""
