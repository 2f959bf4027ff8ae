"""The NBoard protocol, version 2: what Outflank answers to the GUIs and programs that speak it."""
