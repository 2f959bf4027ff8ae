"""The commands of the `outflank` program, in modules named after the commands."""
