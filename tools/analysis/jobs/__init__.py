"""Solving that outlives its process: a proof search above, positions with fewer empty squares in workers below."""
