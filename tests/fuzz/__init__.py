"""The fuzz room: what reads bytes from outside is given bytes that nobody would write; docs/reliability.md says how."""
