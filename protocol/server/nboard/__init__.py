"""NBoard's protocol, version 2: Outflank's answers to GUIs and other programs that speak this protocol."""
