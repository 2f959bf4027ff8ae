"""Shared parts of the commands: option types, options, defaults, positions, the manual, and the program itself."""
