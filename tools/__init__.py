"""The `outflank` program: its commands in ``commands``, and a package for each subject that they use."""
