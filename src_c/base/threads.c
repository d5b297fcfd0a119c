#define _GNU_SOURCE /* sched_getaffinity */
#include "base/threads.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

enum { STACK_BYTES = 8 << 20 };

typedef struct work {
    nd_chunk *fn;
    void *context;
    const nd_stop *stop;
    int chunks;
    atomic_int next;   /* next chunk to hand out */
    atomic_bool ended; /* a chunk failed: hand out no more */
    pthread_mutex_t lock;
    int failed_chunk; /* under lock: lowest chunk that failed, and what it returned */
    nd_status failed;
    bool cancelled; /* under lock */
} work;

typedef struct worker {
    work *work;
    int number;
    pthread_t thread;
} worker;

int nd_processors(void)
{
    long n = 0;
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) n = CPU_COUNT(&set);
#endif
    if (n < 1) n = sysconf(_SC_NPROCESSORS_ONLN);
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
    pthread_mutex_lock(&w->lock);
    if (chunk < w->failed_chunk) w->failed_chunk = chunk, w->failed = status;
    pthread_mutex_unlock(&w->lock);
    atomic_store(&w->ended, true);
}

static void run(work *w, int number)
{
    while (!atomic_load(&w->ended)) {
        if (nd_stop_raised(w->stop)) {
            if (atomic_load(&w->next) >= w->chunks) return; /* too late to matter */
            pthread_mutex_lock(&w->lock);
            w->cancelled = true;
            pthread_mutex_unlock(&w->lock);
            return;
        }
        const int chunk = atomic_fetch_add(&w->next, 1);
        if (chunk >= w->chunks) return;
        const nd_status status = w->fn(w->context, chunk, number);
        if (status != ND_OK) fail(w, chunk, status);
    }
}

static void *run_thread(void *argument)
{
    worker *const me = argument;
    run(me->work, me->number);
    return NULL;
}

/* Creates threads 1..count-1 with all signals blocked; returns how many workers there are. */
static int create(worker *workers, int count, work *w)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return 1;
    /* The default is small on musl and macOS; where it cannot be set it stays as it is. */
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int made = 1;
    while (made < count) {
        workers[made] = (worker){.work = w, .number = made};
        if (pthread_create(&workers[made].thread, &attributes, run_thread, &workers[made]) != 0)
            break;
        made++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
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
    if (pthread_mutex_init(&w.lock, NULL) != 0) return ND_NO_MEMORY;

    worker workers[ND_MAX_THREADS];
    const int wanted = nd_workers(threads, chunks);
    const int count = wanted > 1 ? create(workers, wanted, &w) : 1;
    run(&w, 0);
    for (int i = 1; i < count; i++) pthread_join(workers[i].thread, NULL);
    pthread_mutex_destroy(&w.lock);

    /* Another worker may have handed out the last chunk after this one saw the flag. */
    const bool all_begun = atomic_load(&w.next) >= chunks;
    if (w.failed_chunk != INT_MAX) return w.failed;
    return w.cancelled && !all_begun ? ND_CANCELLED : ND_OK;
}
