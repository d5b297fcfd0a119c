#define _GNU_SOURCE /* sched_getaffinity */
#include "base/thread.h"

enum { STACK_BYTES = 8 << 20 };

#ifdef _WIN32

#include <process.h>
#include <stdint.h>
#include <windows.h>

_Static_assert(sizeof(nd_lock) == sizeof(SRWLOCK), "a lock is a word");
_Static_assert(sizeof(nd_condition) == sizeof(CONDITION_VARIABLE), "a condition is a word");

static unsigned __stdcall begin(void *argument)
{
    nd_thread *const me = argument;
    me->work(me->argument);
    return 0;
}

bool nd_thread_start(nd_thread *out, void (*work)(void *argument), void *argument)
{
    *out = (nd_thread){.work = work, .argument = argument};
    out->id = (void *)_beginthreadex(NULL, STACK_BYTES, begin, out,
                                     STACK_SIZE_PARAM_IS_A_RESERVATION, NULL);
    return out->id != NULL;
}

void nd_thread_join(nd_thread *thread)
{
    WaitForSingleObject(thread->id, INFINITE);
    CloseHandle(thread->id);
}

bool nd_lock_new(nd_lock *lock)
{
    InitializeSRWLock((SRWLOCK *)lock);
    return true;
}

void nd_lock_free(nd_lock *lock) { (void)lock; }
void nd_lock_take(nd_lock *lock) { AcquireSRWLockExclusive((SRWLOCK *)lock); }
void nd_lock_leave(nd_lock *lock) { ReleaseSRWLockExclusive((SRWLOCK *)lock); }

bool nd_condition_new(nd_condition *condition)
{
    InitializeConditionVariable((CONDITION_VARIABLE *)condition);
    return true;
}

void nd_condition_free(nd_condition *condition) { (void)condition; }

void nd_condition_wait(nd_condition *condition, nd_lock *lock)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)condition, (SRWLOCK *)lock, INFINITE, 0);
}

void nd_condition_tell_all(nd_condition *condition)
{
    WakeAllConditionVariable((CONDITION_VARIABLE *)condition);
}

long nd_system_processors(void)
{
    DWORD_PTR mine = 0, all = 0;
    long n = 0;
    if (GetProcessAffinityMask(GetCurrentProcess(), &mine, &all))
        for (; mine; mine &= mine - 1) n++;
    return n;
}

#else

#include <sched.h>
#include <signal.h>
#include <unistd.h>

static void *begin(void *argument)
{
    nd_thread *const me = argument;
    me->work(me->argument);
    return NULL;
}

bool nd_thread_start(nd_thread *out, void (*work)(void *argument), void *argument)
{
    *out = (nd_thread){.work = work, .argument = argument};
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    /* The default is small on musl and macOS; where it cannot be set it stays as it is. */
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&out->id, &attributes, begin, out) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

void nd_thread_join(nd_thread *thread) { pthread_join(thread->id, NULL); }

bool nd_lock_new(nd_lock *lock) { return pthread_mutex_init(lock, NULL) == 0; }
void nd_lock_free(nd_lock *lock) { pthread_mutex_destroy(lock); }
void nd_lock_take(nd_lock *lock) { pthread_mutex_lock(lock); }
void nd_lock_leave(nd_lock *lock) { pthread_mutex_unlock(lock); }

bool nd_condition_new(nd_condition *condition) { return pthread_cond_init(condition, NULL) == 0; }
void nd_condition_free(nd_condition *condition) { pthread_cond_destroy(condition); }

void nd_condition_wait(nd_condition *condition, nd_lock *lock)
{
    pthread_cond_wait(condition, lock);
}

void nd_condition_tell_all(nd_condition *condition) { pthread_cond_broadcast(condition); }

long nd_system_processors(void)
{
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

#endif
