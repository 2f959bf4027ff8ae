"""The commands of the `outflank` program: one file for each, named after it."""
