/* Memory, files and threads that fail on demand: the linker leads the core's calls of them here
 * (-Wl,--wrap=NAME for each name of FAULTS in the Makefile). */
#ifndef ND_TESTS_FAULTS_H
#define ND_TESTS_FAULTS_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* What fails, and as what. */
typedef enum fault {
    FAULT_NONE,
    FAULT_MEMORY,      /* the n-th allocation gives NULL */
    FAULT_THREAD,      /* the n-th thread cannot be started */
    FAULT_INTERRUPTED, /* the n-th read or write is interrupted by a signal: EINTR */
    FAULT_SHORT,  /* reads and writes from the n-th on move one byte, or half of what was asked */
    FAULT_FULL,   /* the n-th write finds no space: ENOSPC */
    FAULT_FLUSH,  /* the n-th fsync fails: EIO */
    FAULT_CLOSE,  /* the n-th close of a written file reports what was lost: EIO */
    FAULT_RENAME, /* the n-th rename is refused: EACCES */
    FAULT_READ    /* the n-th read fails: EIO */
} fault;

static fault fault_kind;
static atomic_long fault_left, fault_live; /* calls until it fails; allocations not freed */
static atomic_bool fault_came;
static bool fault_no_mapping; /* files cannot be mapped, so they are read */

static inline void fault_at(fault kind, long n)
{
    fault_kind = kind;
    atomic_store(&fault_left, n);
    atomic_store(&fault_came, false);
}

static inline bool fails_now(fault kind)
{
    if (fault_kind != kind || atomic_fetch_sub(&fault_left, 1) != 0) return false;
    atomic_store(&fault_came, true);
    return true;
}

static inline void *counted(void *memory)
{
    if (memory) atomic_fetch_add(&fault_live, 1);
    return memory;
}

/* The call as it is, and what the linker puts in its place. */
#define LED_HERE(type, name, ...)                                                                  \
    type __real_##name(__VA_ARGS__);                                                               \
    type __wrap_##name(__VA_ARGS__)

LED_HERE(void *, malloc, size_t bytes);
LED_HERE(void *, calloc, size_t n, size_t bytes);
LED_HERE(void *, realloc, void *memory, size_t bytes);
LED_HERE(void *, aligned_alloc, size_t alignment, size_t bytes);
LED_HERE(void, free, void *memory);
LED_HERE(int, pthread_create, pthread_t *id, const pthread_attr_t *how, void *(*work)(void *),
         void *arg);
LED_HERE(ssize_t, read, int file, void *into, size_t bytes);
LED_HERE(ssize_t, write, int file, const void *from, size_t bytes);
LED_HERE(int, fsync, int file);
LED_HERE(int, close, int file);
LED_HERE(int, rename, const char *from, const char *to);
LED_HERE(void *, mmap, void *at, size_t bytes, int protection, int flags, int file, off_t offset);

void *__wrap_malloc(size_t bytes)
{
    return fails_now(FAULT_MEMORY) ? NULL : counted(__real_malloc(bytes));
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return fails_now(FAULT_MEMORY) ? NULL : counted(__real_calloc(n, bytes));
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    if (fails_now(FAULT_MEMORY)) return NULL;
    return memory ? __real_realloc(memory, bytes) : counted(__real_malloc(bytes));
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails_now(FAULT_MEMORY) ? NULL : counted(__real_aligned_alloc(alignment, bytes));
}

void __wrap_free(void *memory)
{
    if (memory) atomic_fetch_sub(&fault_live, 1);
    __real_free(memory);
}

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *how, void *(*work)(void *),
                          void *arg)
{
    return fails_now(FAULT_THREAD) ? EAGAIN : __real_pthread_create(id, how, work, arg);
}

static inline ssize_t refused(int error)
{
    errno = error;
    return -1;
}

/* From the n-th call on only a part is moved, down to one byte at a time. */
static inline size_t moved(size_t bytes)
{
    if (fault_kind != FAULT_SHORT || atomic_fetch_sub(&fault_left, 1) > 0) return bytes;
    atomic_store(&fault_came, true);
    return bytes > 64 ? bytes / 2 : 1;
}

ssize_t __wrap_read(int file, void *into, size_t bytes)
{
    if (fails_now(FAULT_INTERRUPTED)) return refused(EINTR);
    if (fails_now(FAULT_READ)) return refused(EIO);
    return __real_read(file, into, moved(bytes));
}

ssize_t __wrap_write(int file, const void *from, size_t bytes)
{
    if (fails_now(FAULT_INTERRUPTED)) return refused(EINTR);
    if (fails_now(FAULT_FULL)) return refused(ENOSPC);
    return __real_write(file, from, moved(bytes));
}

int __wrap_fsync(int file)
{
    return fails_now(FAULT_FLUSH) ? (int)refused(EIO) : __real_fsync(file);
}

int __wrap_close(int file)
{
    const int closed = __real_close(file);
    return fails_now(FAULT_CLOSE) ? (int)refused(EIO) : closed;
}

int __wrap_rename(const char *from, const char *to)
{
    return fails_now(FAULT_RENAME) ? (int)refused(EACCES) : __real_rename(from, to);
}

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (!fault_no_mapping) return __real_mmap(at, bytes, protection, flags, file, offset);
    errno = ENODEV;
    return MAP_FAILED;
}

#endif
