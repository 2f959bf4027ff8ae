"""The features of the CPU, by which the build of the other modules is chosen; runs on any CPU of its family."""

def cpu_features() -> frozenset[str]:
    """Return the names of the CPU's features that a build may need, an empty set on other families than x86-64.

    The names are the compiler's macros in lower case, without underscores. A feature whose registers the system does
    not save is left out.
    """

def cpu_name() -> str:
    """Return the name of the CPU, empty if it has none, as on Arm."""
