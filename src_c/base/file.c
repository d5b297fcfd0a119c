#include "base/file.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUFFIX = 48, ATTEMPTS = 10000 };

#ifdef _WIN32

#include <windows.h>

static wchar_t *wide(const char *path)
{
    const int n = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, NULL, 0);
    wchar_t *w = n > 0 ? malloc((size_t)n * sizeof *w) : NULL;
    if (w) MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, w, n);
    return w;
}

nd_status nd_file_view(const char *path, nd_view *out)
{
    *out = (nd_view){0};
    wchar_t *name = wide(path);
    if (!name) return ND_IO;
    const HANDLE file = CreateFileW(name, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, NULL,
                                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    free(name);
    if (file == INVALID_HANDLE_VALUE) return ND_IO;
    LARGE_INTEGER size;
    nd_status status = GetFileSizeEx(file, &size) ? ND_OK : ND_IO;
    /* Read, not mapped: a mapped file could not be replaced while anybody has it open. */
    if (status == ND_OK && size.QuadPart > 0) {
        out->bytes = (size_t)size.QuadPart;
        out->data = out->owned = malloc(out->bytes);
        if (!out->owned) status = ND_NO_MEMORY;
        for (size_t at = 0; status == ND_OK && at < out->bytes;) {
            const size_t rest = out->bytes - at;
            DWORD got = 0;
            if (!ReadFile(file, (char *)out->owned + at, rest > 1u << 30 ? 1u << 30 : (DWORD)rest,
                          &got, NULL) ||
                got == 0)
                status = ND_IO;
            at += got;
        }
    }
    CloseHandle(file);
    if (status != ND_OK) nd_file_release(out);
    return status;
}

void nd_file_release(nd_view *view)
{
    free(view->owned);
    *view = (nd_view){0};
}

typedef HANDLE handle;
static const handle no_file = INVALID_HANDLE_VALUE;

static handle create_new(const char *path, bool *taken)
{
    wchar_t *name = wide(path);
    const HANDLE file =
        name ? CreateFileW(name, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL)
             : INVALID_HANDLE_VALUE;
    *taken = file == INVALID_HANDLE_VALUE && name && GetLastError() == ERROR_FILE_EXISTS;
    free(name);
    return file;
}

static bool write_all(handle file, const char *data, size_t bytes)
{
    while (bytes > 0) {
        DWORD done = 0;
        if (!WriteFile(file, data, bytes > 1u << 30 ? 1u << 30 : (DWORD)bytes, &done, NULL))
            return false;
        data += done, bytes -= done;
    }
    return true;
}

static bool flush(handle file) { return FlushFileBuffers(file) != 0; }
static bool finish(handle file) { return CloseHandle(file) != 0; }

static bool move(const char *from, const char *to)
{
    wchar_t *a = wide(from), *b = wide(to);
    const bool ok = a && b && MoveFileExW(a, b, MOVEFILE_REPLACE_EXISTING);
    free(a), free(b);
    return ok;
}

static void discard(const char *path)
{
    wchar_t *name = wide(path);
    if (name) DeleteFileW(name);
    free(name);
}

static unsigned long process(void) { return GetCurrentProcessId(); }

#else

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static nd_status read_all(int file, nd_view *out)
{
    out->data = out->owned = malloc(out->bytes);
    if (!out->owned) return ND_NO_MEMORY;
    for (size_t at = 0; at < out->bytes;) {
        const ssize_t got = read(file, (char *)out->owned + at, out->bytes - at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return ND_IO;
        at += (size_t)got;
    }
    return ND_OK;
}

nd_status nd_file_view(const char *path, nd_view *out)
{
    *out = (nd_view){0};
    /* Without O_NONBLOCK a named pipe in the file's place would hang us. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return ND_IO;
    struct stat info;
    nd_status status = ND_OK;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || (uintmax_t)info.st_size > SIZE_MAX) {
        status = ND_IO;
    } else if (info.st_size > 0) {
        out->bytes = (size_t)info.st_size;
        void *data = mmap(NULL, out->bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (data != MAP_FAILED)
            out->data = data;
        else
            status = read_all(file, out);
    }
    close(file);
    if (status != ND_OK) nd_file_release(out);
    return status;
}

void nd_file_release(nd_view *view)
{
    if (view->owned)
        free(view->owned);
    else if (view->data)
        munmap((void *)(uintptr_t)view->data, view->bytes);
    *view = (nd_view){0};
}

typedef int handle;
static const handle no_file = -1;

static handle create_new(const char *path, bool *taken)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    *taken = file < 0 && errno == EEXIST;
    return file;
}

static bool write_all(handle file, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t done = write(file, data, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        data += done, bytes -= (size_t)done;
    }
    return true;
}

/* On macOS fsync leaves it in the disk's own memory. */
static bool flush(handle file)
{
#ifdef F_FULLFSYNC
    if (fcntl(file, F_FULLFSYNC) == 0) return true; /* not every file system has it */
#endif
    return fsync(file) == 0;
}

static bool finish(handle file) { return close(file) == 0; }
static bool move(const char *from, const char *to) { return rename(from, to) == 0; }
static void discard(const char *path) { unlink(path); }
static unsigned long process(void) { return (unsigned long)getpid(); }

#endif

nd_status nd_file_replace(const char *path, const nd_span *spans, int count)
{
    const size_t size = strlen(path) + SUFFIX;
    char *temporary = malloc(size);
    if (!temporary) return ND_NO_MEMORY;

    /* The process number keeps processes apart, creating exclusively keeps threads apart. */
    handle file = no_file;
    bool taken = true;
    for (int i = 0; taken && i < ATTEMPTS; i++) {
        snprintf(temporary, size, "%s.%lu-%d.tmp", path, process(), i);
        file = create_new(temporary, &taken);
    }
    bool ok = file != no_file;
    if (ok) {
        for (int i = 0; ok && i < count; i++) ok = write_all(file, spans[i].data, spans[i].bytes);
        ok = ok && flush(file);
        ok = finish(file) && ok;
        ok = ok && move(temporary, path);
        if (!ok) discard(temporary);
    }
    free(temporary);
    return ok ? ND_OK : ND_IO;
}
