"""Infrastructure of the commands: processes or a cluster, progress, shared searchers, signals, streams."""
