"""The `outflank` program: its commands in ``commands``, and a room for each subject that they use."""
