"""Tests of what long work needs: processes, progress, whole files."""
