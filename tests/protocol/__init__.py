"""Tests of `outflank.protocol`."""
