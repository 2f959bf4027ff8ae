"""What long work needs: processes, progress, whole files, interruptions."""
