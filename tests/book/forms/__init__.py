"""Tests of `outflank.book.forms`."""
