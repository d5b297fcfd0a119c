/* The whole test framework: CHECK counts and reports, check_end says how it went. */
#ifndef ND_TESTS_CHECK_H
#define ND_TESTS_CHECK_H

#include <stdio.h>
#include <string.h>

static int checks_made, checks_failed;

#define CHECK(condition) check_that(!!(condition), __FILE__, __LINE__, #condition)
#define CHECK_INT(got, wanted)                                                                     \
    check_int((long long)(got), (long long)(wanted), __FILE__, __LINE__, #got)

static inline void check_that(int ok, const char *file, int line, const char *what)
{
    checks_made++;
    if (ok) return;
    checks_failed++;
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

static inline void check_int(long long got, long long wanted, const char *file, int line,
                             const char *what)
{
    checks_made++;
    if (got == wanted) return;
    checks_failed++;
    fprintf(stderr, "%s:%d: %s is %lld, should be %lld\n", file, line, what, got, wanted);
}

/* The value of main. A program that checked nothing has failed too. */
static inline int check_end(const char *name)
{
    const int ok = checks_made > 0 && checks_failed == 0;
    printf("%-12s %d checks, %d failed\n", name, checks_made, checks_failed);
    return ok ? 0 : 1;
}

#endif
