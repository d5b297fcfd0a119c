/* Work in numbered chunks over several threads, and the flag that stops it.
 *
 * Threads are created and joined inside one call, so nothing survives it: no pool to shut down, and
 * a forked child may call again. Which worker runs which chunk is not defined; results that are
 * stored by chunk number and added in chunk order are the same for any number of threads.
 */
#ifndef ND_BASE_THREADS_H
#define ND_BASE_THREADS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/status.h"

/* Raised by anyone, at any time, from any thread; looked at between chunks. Zero = not raised. */
typedef struct nd_stop {
    atomic_int raised;
} nd_stop;

static inline void nd_stop_raise(nd_stop *stop)
{
    atomic_store_explicit(&stop->raised, 1, memory_order_relaxed);
}

/* False for NULL, which means: cannot be stopped. */
static inline bool nd_stop_raised(const nd_stop *stop)
{
    /* C11 atomic_load takes no pointer to const in older compilers. */
    return stop && atomic_load_explicit((atomic_int *)&stop->raised, memory_order_relaxed) != 0;
}

enum { ND_MAX_THREADS = 256 };

/* Processors this process may use, 1..ND_MAX_THREADS. */
int nd_processors(void);

/* Workers that nd_parallel would use, for sizing scratch: 1..ND_MAX_THREADS, at most `chunks`.
 * `threads` 0 or less means one per processor. */
int nd_workers(int threads, int chunks);

/* One chunk of the work. `worker` is 0..nd_workers-1 and names the scratch that is this thread's. */
typedef nd_status nd_chunk(void *context, int chunk, int worker);

/* Calls fn(context, c, worker) once for each chunk c in 0..chunks-1, and returns when all have
 * ended. Chunks are handed out in rising order; the calling thread is worker 0. Workers have
 * signals blocked and 8 MB of stack. If a thread cannot be created, the others do its work.
 *
 * ND_OK: every chunk ran and returned ND_OK. After a chunk has failed no new one is begun, and the
 * status of the lowest-numbered chunk that failed is returned: every lower one has run, so it is
 * the same on every run. ND_CANCELLED: `stop` was raised before the last chunk was begun; the
 * chunks that ran are 0..k for some k. */
nd_status nd_parallel(int threads, int chunks, nd_chunk *fn, void *context, const nd_stop *stop);

#endif
