"""Detects the features of the CPU, so that a suitable build of the other modules can be chosen.

This module itself runs on any CPU of its architecture.
"""

def cpu_features() -> frozenset[str]:
    """Return the names of the CPU's features that a build may need. The set is empty on CPUs other than x86-64.

    The names are the compiler's macros in lower case, without underscores around them. A feature is left out if the
    operating system does not save its registers.
    """

def cpu_name() -> str:
    """Return the name of the CPU; an empty text if it has no name, as on Arm."""
