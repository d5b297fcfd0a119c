#include "train/crew.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/thread.h"

enum { SPINS = 2000 };

typedef struct member {
    nd_crew *crew;
    nd_thread thread;
    int number;
} member;

struct nd_crew {
    int threads;
    atomic_int next, arrived, stage;
    nd_lock lock;
    nd_condition changed;
    unsigned run; /* under lock: how many runs were started */
    bool over;    /* under lock */
    void (*work)(void *, int);
    void *context;
    member members[];
};

static inline void rest(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void live(void *argument)
{
    member *self = argument;
    nd_crew *crew = self->crew;
    for (unsigned done = 0;; done++) {
        nd_lock_take(&crew->lock);
        while (crew->run == done && !crew->over) nd_condition_wait(&crew->changed, &crew->lock);
        const bool over = crew->over;
        nd_lock_leave(&crew->lock);
        if (over) return;
        crew->work(crew->context, self->number);
        nd_crew_meet(crew, NULL, NULL);
    }
}

nd_status nd_crew_new(int threads, nd_crew **out)
{
    *out = NULL;
    if (threads < 1 || threads > ND_MAX_THREADS) return ND_BAD_ARGUMENT;
    nd_crew *crew = calloc(1, sizeof *crew + (size_t)threads * sizeof crew->members[0]);
    if (!crew) return ND_NO_MEMORY;
    if (!nd_lock_new(&crew->lock)) {
        free(crew);
        return ND_NO_MEMORY;
    }
    if (!nd_condition_new(&crew->changed)) {
        nd_lock_free(&crew->lock);
        free(crew);
        return ND_NO_MEMORY;
    }
    crew->threads = 1;
    nd_status status = ND_OK;
    for (int i = 1; i < threads; i++) {
        member *m = &crew->members[i];
        m->crew = crew, m->number = i;
        if (!nd_thread_start(&m->thread, live, m)) {
            status = ND_NO_MEMORY;
            break;
        }
        crew->threads++;
    }
    if (status == ND_OK)
        *out = crew;
    else
        nd_crew_free(crew);
    return status;
}

void nd_crew_free(nd_crew *crew)
{
    if (!crew) return;
    nd_lock_take(&crew->lock);
    crew->over = true;
    nd_condition_tell_all(&crew->changed);
    nd_lock_leave(&crew->lock);
    for (int i = 1; i < crew->threads; i++) nd_thread_join(&crew->members[i].thread);
    nd_condition_free(&crew->changed);
    nd_lock_free(&crew->lock);
    free(crew);
}

void nd_crew_run(nd_crew *crew, void (*work)(void *, int), void *context)
{
    nd_lock_take(&crew->lock);
    crew->work = work;
    crew->context = context;
    atomic_store(&crew->next, 0);
    crew->run++;
    nd_condition_tell_all(&crew->changed);
    nd_lock_leave(&crew->lock);
    work(context, 0);
    nd_crew_meet(crew, NULL, NULL);
}

int nd_crew_next(nd_crew *crew) { return atomic_fetch_add(&crew->next, 1); }

void nd_crew_meet(nd_crew *crew, void (*finish)(void *), void *context)
{
    const int stage = atomic_load(&crew->stage);
    if (atomic_fetch_add(&crew->arrived, 1) + 1 == crew->threads) {
        if (finish) finish(context);
        atomic_store(&crew->arrived, 0);
        atomic_store(&crew->next, 0);
        nd_lock_take(&crew->lock);
        atomic_store(&crew->stage, stage + 1);
        nd_condition_tell_all(&crew->changed);
        nd_lock_leave(&crew->lock);
        return;
    }
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(&crew->stage) != stage) return;
        rest();
    }
    nd_lock_take(&crew->lock);
    while (atomic_load(&crew->stage) == stage) nd_condition_wait(&crew->changed, &crew->lock);
    nd_lock_leave(&crew->lock);
}
