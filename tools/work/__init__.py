"""What long work needs: processes or a cluster, progress, whole files, shared searchers, interruptions."""
