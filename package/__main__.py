"""``python -m outflank`` is the program `outflank`."""

from outflank.tools.commands.start import main

if __name__ == "__main__":
    main()
