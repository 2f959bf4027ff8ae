"""Infrastructure of the commands: worker processes, the cluster, progress, signals, streams, network addresses."""
