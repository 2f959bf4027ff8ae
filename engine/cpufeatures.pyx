"""Detects the features of the CPU; cpufeatures.pyi documents the functions."""

cdef extern from "cpufeatures.h" nogil:
    struct cf_feature:
        const char *name
    const cf_feature *cf_features
    int CF_COUNT
    bint cf_has(int index)
    void cf_name(char *name)


def cpu_features():
    """Return the names of the CPU's features that a build may need."""
    return frozenset([cf_features[index].name.decode() for index in range(CF_COUNT) if cf_has(index)])


def cpu_name():
    """Return the name of the CPU; an empty text if it has no name."""
    cdef char name[49]
    name[48] = 0
    cf_name(name)
    return " ".join((<bytes>name).decode("ascii", "replace").split())
