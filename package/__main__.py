"""``python -m outflank`` is the program `outflank`."""

from outflank.tools.cli.start import main

if __name__ == "__main__":
    main()
