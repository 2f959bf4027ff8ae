"""Plays a run: the pools of workers, on this machine or on a cluster, and the conductor."""
