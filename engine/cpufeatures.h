/* Detects the CPU's features, so that a suitable build of the other modules can be chosen. This file itself is compiled
for the baseline CPU of an architecture.

The features are read with cpuid, since __builtin_cpu_supports needs gcc's runtime library, which zig does not have.
*/
#ifndef OUTFLANK_CPUFEATURES_H
#define OUTFLANK_CPUFEATURES_H

#include <string.h>

struct cf_feature {
    const char *name;         /* the compiler's macro in lower case, without underscores; setup.py reads these names */
    unsigned leaf, reg, bit;  /* the feature's bit in cpuid; register 0 is eax, leaf 0x17 means leaf 7, subleaf 1 */
    unsigned saved;           /* the mask of registers that the system must save: 6 for 256 bits, 0xe6 for 512 */
};

/* The features that a compiler may use for plain C, or that the kernels use by intrinsics. A hypervisor may hide any of
them. */
static const struct cf_feature cf_features[] = {
    {"popcnt", 1, 2, 23, 0},       {"lzcnt", 0x80000001, 2, 5, 0}, {"bmi", 7, 1, 3, 0},
    {"bmi2", 7, 1, 8, 0},          {"movbe", 1, 2, 22, 0},         {"sse4_2", 1, 2, 20, 0},
    {"avx", 1, 2, 28, 6},          {"avx2", 7, 1, 5, 6},           {"fma", 1, 2, 12, 6},
    {"gfni", 7, 2, 8, 0},          {"avx512f", 7, 1, 16, 0xe6},    {"avx512bw", 7, 1, 30, 0xe6},
    {"avx512cd", 7, 1, 28, 0xe6},  {"avx512dq", 7, 1, 17, 0xe6},   {"avx512vl", 7, 1, 31, 0xe6},
    {"avx512vbmi", 7, 2, 1, 0xe6}, {"avx512vbmi2", 7, 2, 6, 0xe6}, {"avx512bitalg", 7, 2, 12, 0xe6},
    {"avx512vpopcntdq", 7, 2, 14, 0xe6}, {"avxvnni", 0x17, 0, 4, 6}, {"avx512fp16", 7, 3, 23, 0xe6},
    {"avx512bf16", 0x17, 0, 5, 0xe6},
};
enum { CF_COUNT = sizeof cf_features / sizeof *cf_features };

#if defined(__x86_64__)
#include <cpuid.h>

static int cf_has(int index) {
    struct cf_feature f = cf_features[index];
    unsigned r[4] = {0}, low, high;
    if (f.saved) { /* xgetbv returns the registers that the system saves; it may be used only if bit 27 is set */
        if (!__get_cpuid(1, r, r + 1, r + 2, r + 3) || !(r[2] >> 27 & 1)) return 0;
        __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
        if ((low & f.saved) != f.saved) return 0;
    }
    memset(r, 0, sizeof r);
    if (!__get_cpuid_count(f.leaf == 0x17 ? 7 : f.leaf, f.leaf == 0x17, r, r + 1, r + 2, r + 3)) return 0;
    return r[f.reg] >> f.bit & 1;
}

/* Write the CPU's name to `name`, padded with zeros to 48 characters. The name is empty if the CPU has none. */
static void cf_name(char *name) {
    unsigned r[12] = {0};
    if (__get_cpuid_max(0x80000000, 0) >= 0x80000004)
        for (unsigned i = 0; i < 3; i++) __get_cpuid(0x80000002 + i, r + 4 * i, r + 4 * i + 1, r + 4 * i + 2, r + 4 * i + 3);
    memcpy(name, r, sizeof r);
}
#else
static int cf_has(int index) { return 0 * index; }
static void cf_name(char *name) { memset(name, 0, 48); }
#endif

#endif
