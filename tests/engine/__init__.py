"""Tests of `outflank.engine`."""
