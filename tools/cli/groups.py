"""Groups of commands: their lists, their completion, and what they say of a mistyped command."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class CommandGroup(click.Group):
    """A click group that lists its commands in their order, each with the first paragraph of its help."""

    @property
    def summaries(self) -> Mapping[str, str]:
        """The first paragraph of each command's help, by its name, in the order of the list."""
        helps = ((name, command.help or "") for name, command in self.commands.items())
        return {name: " ".join(text.partition("\n\n")[0].split()) for name, text in helps}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(self.summaries)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words name; the error about a mistyped one suggests a similar name."""
        name = args[0]
        if name not in self.summaries and not name.startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"No such command {name!r}.{self.suggestion(name)}")
        return super().resolve_command(ctx, args)

    def suggestion(self, name: str) -> str:
        """Return a sentence about the command that an unknown name may stand for; empty if there is none."""
        close = get_close_matches(name, self.summaries)
        return f" Did you mean {close[0]!r}?" if close else ""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list["CompletionItem"]:
        """Return the commands in their order with their summaries, and the options after a dash."""
        from click.shell_completion import CompletionItem  # not at the top: an engine starts without it

        found = self.summaries.items() if not incomplete.startswith("-") else ()
        names = [CompletionItem(name, help=text) for name, text in found if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for ``--help``."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))
