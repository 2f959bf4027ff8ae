"""The signals that end a program; in a file of their own, since it heeds them before it imports what takes time."""

import signal

ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
