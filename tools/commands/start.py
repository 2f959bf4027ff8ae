"""The entry point of the `outflank` program; signals are handled from its first line on."""

from outflank.tools.runtime.signals import end_at_once


def main() -> None:
    """Run the program."""
    end_at_once()
    from outflank.tools.cli.program import main  # which takes a tenth of a second to import

    main()


if __name__ == "__main__":
    main()
