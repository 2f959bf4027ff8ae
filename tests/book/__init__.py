"""Tests of `outflank.book`."""
