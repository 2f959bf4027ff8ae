"""Infrastructure of the commands: processes or a cluster, progress, files, shared searchers, signals, streams."""
