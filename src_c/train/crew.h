/* A few threads that do the same work together: tasks taken one by one, meetings between stages. It
 * lives through many short stages (base/threads.h starts its threads anew for each call). */
#ifndef ND_TRAIN_CREW_H
#define ND_TRAIN_CREW_H

#include "base/threads.h"

typedef struct nd_crew nd_crew;

/* `threads` >= 1, the caller of nd_crew_run being one of them. */
nd_status nd_crew_new(int threads, nd_crew **out);
void nd_crew_free(nd_crew *crew);

/* work(context, thread) on every thread at once; returns when all have returned. */
void nd_crew_run(nd_crew *crew, void (*work)(void *context, int thread), void *context);

/* Inside work: the next task number of this stage, 0, 1, 2 ... */
int nd_crew_next(nd_crew *crew);

/* Inside work: wait for all. The last to arrive calls finish(context) (may be NULL) before anyone
 * goes on, and task numbers start again from 0. Waits by spinning for some microseconds, then
 * sleeps. */
void nd_crew_meet(nd_crew *crew, void (*finish)(void *context), void *context);

#endif
