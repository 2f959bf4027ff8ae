"""Tests of `outflank.tools`."""
