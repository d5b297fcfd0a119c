#include "nets/internal.h"

#if defined(__x86_64__)
static bool has_sse2(void) { return true; }
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt");
}
static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}
static bool has_vnni(void) { return has_avx512() && __builtin_cpu_supports("avx512vnni"); }
#endif
static bool always(void) { return true; }

/* Slowest first. */
static const struct {
    const nd_kernels *set;
    bool (*runs)(void);
} sets[] = {
    {&nd_kernels_baseline, always},
#if defined(__x86_64__)
    {&nd_kernels_sse2, has_sse2},     {&nd_kernels_avx2, has_avx2},
    {&nd_kernels_avx512, has_avx512}, {&nd_kernels_avx512vnni, has_vnni},
#elif defined(__aarch64__)
    {&nd_kernels_neon, always},
#endif
};
enum { SETS = sizeof sets / sizeof *sets };

const nd_kernels *nd_kernels_get(const char *name)
{
    for (int i = SETS - 1; i >= 0; i--)
        if ((!name || strcmp(name, sets[i].set->name) == 0) && sets[i].runs()) return sets[i].set;
    return NULL;
}

/* Whoever has a set has those before it: the answer is one of these, ended by NULL. */
static const char *const lists[SETS][SETS + 1] = {
#if defined(__x86_64__)
    {"baseline"},
    {"baseline", "sse2"},
    {"baseline", "sse2", "avx2"},
    {"baseline", "sse2", "avx2", "avx512"},
    {"baseline", "sse2", "avx2", "avx512", "avx512vnni"},
#elif defined(__aarch64__)
    {"baseline"},
    {"baseline", "neon"},
#else
    {"baseline"},
#endif
};

const char *const *nd_kernels_list(void)
{
    int last = SETS - 1;
    while (!sets[last].runs()) last--;
    return lists[last];
}

const char *nd_kernels_name(const nd_kernels *kernels) { return kernels->name; }
