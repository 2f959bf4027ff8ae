"""Runs the program `outflank` as ``python -m outflank``."""

from outflank.tools.commands.start import main

if __name__ == "__main__":
    main()
