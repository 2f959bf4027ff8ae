"""Storage: atomic writes, writer locks, SQLite files, and readers of untrusted JSON and TOML."""
