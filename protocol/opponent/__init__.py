"""Drives another engine in a child process, and ends all that it started."""
