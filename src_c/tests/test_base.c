/* Philox against the published known answers; threads against what their header promises. */
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/philox.h"
#include "base/threads.h"
#include "tests/check.h"

/* ---- Philox ---------------------------------------------------------------------------------- */

/* The known answers for philox4x32 with 10 rounds that come with Random123. */
static void philox_known_answers(void)
{
    static const uint32_t known[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8},
        {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0x408F276D,
         0x41C83B0E, 0xA20BC7C6, 0x6D5451FD},
        {0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0, 0xD16CFE09,
         0x94FDCCEB, 0x5001E420, 0x24126EA1},
    };
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        nd_philox(known[i], known[i] + 4, out);
        CHECK(memcmp(out, known[i] + 6, sizeof out) == 0);
        memcpy(out, known[i], sizeof out); /* in place */
        nd_philox(out, known[i] + 4, out);
        CHECK(memcmp(out, known[i] + 6, sizeof out) == 0);
    }
}

static void below(void)
{
    CHECK_INT(nd_below(0, 6), 0);
    CHECK_INT(nd_below(0xFFFFFFFF, 6), 5);
    CHECK_INT(nd_below(0x2AAAAAAA, 6), 0); /* 2^32 / 6 = 0x2AAAAAAA.AA */
    CHECK_INT(nd_below(0x2AAAAAAB, 6), 1);
    CHECK_INT(nd_below(0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFELL);
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { CHUNKS = 1000 };

typedef struct tally {
    int runs[CHUNKS]; /* by chunk: written only by the worker that runs it */
    long by_worker[ND_MAX_THREADS];
    uint64_t value[CHUNKS];
    int fail_at[2];
    nd_stop stop;
    int stop_at; /* chunk that raises the flag */
} tally;

static tally fresh(void)
{
    tally t;
    memset(&t, 0, sizeof t);
    t.fail_at[0] = t.fail_at[1] = t.stop_at = -1;
    return t;
}

static nd_status one(void *context, int chunk, int worker)
{
    tally *const t = context;
    t->runs[chunk]++;
    t->by_worker[worker]++; /* not atomic: one worker number is one thread */
    const uint32_t counter[4] = {(uint32_t)chunk, 0, 0, 0}, key[2] = {1, 2};
    uint32_t out[4];
    nd_philox(counter, key, out);
    t->value[chunk] = (uint64_t)out[0] << 32 | out[1];
    if (chunk == t->stop_at) nd_stop_raise(&t->stop);
    if (chunk == t->fail_at[0]) {
        /* Let a later failure be first in time. */
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        return ND_BAD_FILE;
    }
    return chunk == t->fail_at[1] ? ND_IO : ND_OK;
}

static int total_runs(const tally *t)
{
    int n = 0;
    for (int c = 0; c < CHUNKS; c++) n += t->runs[c];
    return n;
}

static void each_chunk_once(void)
{
    static const int threads[] = {1, 2, 3, 8, ND_MAX_THREADS, 10 * ND_MAX_THREADS, 0};
    uint64_t first = 0;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        tally t = fresh();
        CHECK_INT(nd_parallel(threads[i], CHUNKS, one, &t, i & 1 ? &t.stop : NULL), ND_OK);
        uint64_t sum = 0;
        long workers = 0;
        int all_once = 1;
        for (int c = 0; c < CHUNKS; c++) all_once &= t.runs[c] == 1, sum += t.value[c];
        for (int w = 0; w < nd_workers(threads[i], CHUNKS); w++) workers += t.by_worker[w];
        CHECK(all_once);
        CHECK_INT(workers, CHUNKS); /* so nobody had a higher number */
        if (i == 0) first = sum;
        CHECK(sum == first);
    }
}

static void sizes(void)
{
    CHECK_INT(nd_workers(4, 1000), 4);
    CHECK_INT(nd_workers(4, 3), 3);
    CHECK_INT(nd_workers(4, 0), 1);
    CHECK_INT(nd_workers(0, ND_MAX_THREADS), nd_processors());
    CHECK_INT(nd_workers(100000, 100000), ND_MAX_THREADS);
    CHECK(nd_processors() >= 1 && nd_processors() <= ND_MAX_THREADS);
    tally t = fresh();
    CHECK_INT(nd_parallel(4, 0, one, &t, NULL), ND_OK);
    CHECK_INT(nd_parallel(4, -1, one, &t, NULL), ND_BAD_ARGUMENT);
    CHECK_INT(nd_parallel(4, 0x7FFFFFFF, one, &t, NULL), ND_BAD_ARGUMENT);
    CHECK_INT(total_runs(&t), 0);
}

static void lowest_failure_is_kept(void)
{
    for (int threads = 1; threads <= 8; threads++) {
        tally t = fresh();
        t.fail_at[0] = 100, t.fail_at[1] = 101;
        CHECK_INT(nd_parallel(threads, CHUNKS, one, &t, NULL), ND_BAD_FILE);
        int lower = 0;
        for (int c = 0; c <= 100; c++) lower += t.runs[c];
        CHECK_INT(lower, 101);
        CHECK(total_runs(&t) < CHUNKS);
    }
}

static void stopping(void)
{
    for (int threads = 1; threads <= 4; threads++) {
        tally t = fresh();
        nd_stop_raise(&t.stop);
        CHECK_INT(nd_parallel(threads, CHUNKS, one, &t, &t.stop), ND_CANCELLED);
        CHECK_INT(total_runs(&t), 0);

        t = fresh();
        t.stop_at = 50;
        const nd_status status = nd_parallel(threads, CHUNKS, one, &t, &t.stop);
        const int ran = total_runs(&t);
        /* With several threads the others may, on a very busy machine, finish everything first. */
        CHECK_INT(status, ran == CHUNKS ? ND_OK : ND_CANCELLED);
        if (threads == 1) CHECK_INT(ran, 51);
        int prefix = 0;
        while (prefix < CHUNKS && t.runs[prefix]) prefix++;
        CHECK_INT(prefix, ran); /* what ran is 0..k */

        t = fresh();
        t.stop_at = CHUNKS - 1; /* too late to cancel anything */
        CHECK_INT(nd_parallel(threads, CHUNKS, one, &t, &t.stop), ND_OK);
        CHECK_INT(total_runs(&t), CHUNKS);
    }
    CHECK(!nd_stop_raised(NULL));
}

/* Two threads that wait for one another: fails (by hanging) unless they really run side by side. */
static nd_status meet(void *context, int chunk, int worker)
{
    atomic_int *const arrived = context;
    (void)chunk, (void)worker;
    atomic_fetch_add(arrived, 1);
    while (atomic_load(arrived) < 2) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return ND_OK;
}

static void side_by_side(void)
{
    atomic_int arrived;
    atomic_init(&arrived, 0);
    CHECK_INT(nd_parallel(2, 2, meet, &arrived, NULL), ND_OK);
}

/* A call inside a chunk, and a call in a forked child, are calls like any other. */
static nd_status nested(void *context, int chunk, int worker)
{
    (void)worker;
    tally t = fresh();
    const nd_status status = nd_parallel(2, CHUNKS, one, &t, NULL);
    ((int *)context)[chunk] = total_runs(&t);
    return status;
}

static void nesting(void)
{
    int runs[3] = {0};
    CHECK_INT(nd_parallel(3, 3, nested, runs, NULL), ND_OK);
    for (int i = 0; i < 3; i++) CHECK_INT(runs[i], CHUNKS);
}

static void after_fork(void)
{
    tally t = fresh();
    CHECK_INT(nd_parallel(4, CHUNKS, one, &t, NULL), ND_OK);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        t = fresh();
        const nd_status status = nd_parallel(4, CHUNKS, one, &t, NULL);
        _exit(status == ND_OK && total_runs(&t) == CHUNKS ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    philox_known_answers();
    below();
    sizes();
    each_chunk_once();
    lowest_failure_is_kept();
    stopping();
    side_by_side();
    nesting();
    after_fork();
    return check_end("base");
}
