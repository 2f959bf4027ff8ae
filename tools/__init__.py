"""The commands of the `outflank` program, one file each."""
