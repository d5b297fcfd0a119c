#include "train/crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SPINS = 2000 };

typedef struct member {
    nd_crew *crew;
    pthread_t thread;
    int number;
} member;

struct nd_crew {
    int threads;
    atomic_int next, arrived, stage;
    pthread_mutex_t lock;
    pthread_cond_t changed;
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

static void *live(void *argument)
{
    member *self = argument;
    nd_crew *crew = self->crew;
    for (unsigned done = 0;; done++) {
        pthread_mutex_lock(&crew->lock);
        while (crew->run == done && !crew->over) pthread_cond_wait(&crew->changed, &crew->lock);
        const bool over = crew->over;
        pthread_mutex_unlock(&crew->lock);
        if (over) return NULL;
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
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    /* Signals are for the threads of the caller. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    crew->threads = 1;
    nd_status status = ND_OK;
    for (int i = 1; i < threads; i++) {
        member *m = &crew->members[i];
        m->crew = crew, m->number = i;
        if (pthread_create(&m->thread, NULL, live, m)) {
            status = ND_NO_MEMORY;
            break;
        }
        crew->threads++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status == ND_OK)
        *out = crew;
    else
        nd_crew_free(crew);
    return status;
}

void nd_crew_free(nd_crew *crew)
{
    if (!crew) return;
    pthread_mutex_lock(&crew->lock);
    crew->over = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    for (int i = 1; i < crew->threads; i++) pthread_join(crew->members[i].thread, NULL);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

void nd_crew_run(nd_crew *crew, void (*work)(void *, int), void *context)
{
    pthread_mutex_lock(&crew->lock);
    crew->work = work;
    crew->context = context;
    atomic_store(&crew->next, 0);
    crew->run++;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
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
        pthread_mutex_lock(&crew->lock);
        atomic_store(&crew->stage, stage + 1);
        pthread_cond_broadcast(&crew->changed);
        pthread_mutex_unlock(&crew->lock);
        return;
    }
    for (int i = 0; i < SPINS; i++) {
        if (atomic_load(&crew->stage) != stage) return;
        rest();
    }
    pthread_mutex_lock(&crew->lock);
    while (atomic_load(&crew->stage) == stage) pthread_cond_wait(&crew->changed, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}
