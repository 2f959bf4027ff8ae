"""The base of long work: processes or a cluster, progress, whole files, shared searchers, interruptions."""
