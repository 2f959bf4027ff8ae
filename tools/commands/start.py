"""The way into the `outflank` program, from whose first line on signals are heeded."""

from outflank.tools.work.signals import end_at_once


def main() -> None:
    """Run the program."""
    end_at_once()
    from outflank.tools.commands.program import main  # which takes a tenth of a second to import

    main()


if __name__ == "__main__":
    main()
