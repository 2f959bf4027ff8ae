"""Fuzzing: everything that reads bytes from outside is tested with unusual bytes (see docs/reliability.md)."""
