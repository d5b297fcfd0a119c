#include "base/threads.h"

#include <limits.h>

#include "base/thread.h"

typedef struct work {
    nd_chunk *fn;
    void *context;
    const nd_stop *stop;
    int chunks;
    atomic_int next;   /* next chunk to hand out */
    atomic_bool ended; /* a chunk failed: hand out no more */
    nd_lock lock;
    int failed_chunk; /* under lock: lowest chunk that failed, and what it returned */
    nd_status failed;
    bool cancelled; /* under lock */
} work;

typedef struct worker {
    work *work;
    int number;
    nd_thread thread;
} worker;

int nd_processors(void)
{
    const long n = nd_system_processors();
    return n < 1 ? 1 : n > ND_MAX_THREADS ? ND_MAX_THREADS : (int)n;
}

int nd_workers(int threads, int chunks)
{
    if (threads <= 0) threads = nd_processors();
    if (threads > ND_MAX_THREADS) threads = ND_MAX_THREADS;
    if (threads > chunks) threads = chunks;
    return threads < 1 ? 1 : threads;
}

static void fail(work *w, int chunk, nd_status status)
{
    nd_lock_take(&w->lock);
    if (chunk < w->failed_chunk) w->failed_chunk = chunk, w->failed = status;
    nd_lock_leave(&w->lock);
    atomic_store(&w->ended, true);
}

static void run(work *w, int number)
{
    while (!atomic_load(&w->ended)) {
        if (nd_stop_raised(w->stop)) {
            if (atomic_load(&w->next) >= w->chunks) return; /* too late to matter */
            nd_lock_take(&w->lock);
            w->cancelled = true;
            nd_lock_leave(&w->lock);
            return;
        }
        const int chunk = atomic_fetch_add(&w->next, 1);
        if (chunk >= w->chunks) return;
        const nd_status status = w->fn(w->context, chunk, number);
        if (status != ND_OK) fail(w, chunk, status);
    }
}

static void run_thread(void *argument)
{
    worker *const me = argument;
    run(me->work, me->number);
}

/* Starts threads 1..count-1; returns how many workers there are. */
static int create(worker *workers, int count, work *w)
{
    int made = 1;
    while (made < count) {
        worker *const next = &workers[made];
        next->work = w, next->number = made;
        if (!nd_thread_start(&next->thread, run_thread, next)) break;
        made++;
    }
    return made;
}

nd_status nd_parallel(int threads, int chunks, nd_chunk *fn, void *context, const nd_stop *stop)
{
    /* Each worker overruns the counter once at the end. */
    if (chunks < 0 || chunks > INT_MAX - ND_MAX_THREADS) return ND_BAD_ARGUMENT;
    work w = {
        .fn = fn, .context = context, .stop = stop, .chunks = chunks, .failed_chunk = INT_MAX};
    atomic_init(&w.next, 0);
    atomic_init(&w.ended, false);
    if (!nd_lock_new(&w.lock)) return ND_NO_MEMORY;

    worker workers[ND_MAX_THREADS];
    const int wanted = nd_workers(threads, chunks);
    const int count = wanted > 1 ? create(workers, wanted, &w) : 1;
    run(&w, 0);
    for (int i = 1; i < count; i++) nd_thread_join(&workers[i].thread);
    nd_lock_free(&w.lock);

    /* Another worker may have handed out the last chunk after this one saw the flag. */
    const bool all_begun = atomic_load(&w.next) >= chunks;
    if (w.failed_chunk != INT_MAX) return w.failed;
    return w.cancelled && !all_begun ? ND_CANCELLED : ND_OK;
}
