"""Tests of `outflank train`."""
