"""The entry point of the `outflank` program, which installs signal handlers before slow imports."""

from outflank.tools.runtime.signals import end_at_once


def main() -> None:
    """Run the program."""
    end_at_once()
    from outflank.tools.cli.program import main  # this import takes a tenth of a second

    main()


if __name__ == "__main__":
    main()
