"""Hours of matches whose engines fail and whose runner is killed: ``python -m outflank.tests.soak``."""
