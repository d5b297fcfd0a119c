/* A thread, a lock and a condition of the system's own: POSIX or Windows. */
#ifndef ND_BASE_THREAD_H
#define ND_BASE_THREAD_H

#include <stdbool.h>

#ifdef _WIN32
typedef struct nd_lock {
    void *word; /* an SRWLOCK */
} nd_lock;
typedef struct nd_condition {
    void *word; /* a CONDITION_VARIABLE */
} nd_condition;
typedef void *nd_thread_id;
#else
#include <pthread.h>
typedef pthread_mutex_t nd_lock;
typedef pthread_cond_t nd_condition;
typedef pthread_t nd_thread_id;
#endif

typedef struct nd_thread {
    void (*work)(void *argument);
    void *argument;
    nd_thread_id id;
} nd_thread;

/* Starts work(argument) in a thread with all signals blocked, since those are for the threads of the
 * caller, and 8 MB of stack. False where the system gives none. `*out` stays where it is until the
 * thread is joined. */
bool nd_thread_start(nd_thread *out, void (*work)(void *argument), void *argument);
void nd_thread_join(nd_thread *thread);

/* False where the system has none left. */
bool nd_lock_new(nd_lock *lock);
void nd_lock_free(nd_lock *lock);
void nd_lock_take(nd_lock *lock);
void nd_lock_leave(nd_lock *lock);

/* To be waited for with the lock taken, which is left meanwhile. May wake without a reason. */
bool nd_condition_new(nd_condition *condition);
void nd_condition_free(nd_condition *condition);
void nd_condition_wait(nd_condition *condition, nd_lock *lock);
void nd_condition_tell_all(nd_condition *condition);

/* Processors this process may use, as the system counts them; 0 where it does not say. */
long nd_system_processors(void);

#endif
