/* The wraps behind fault.h: each counts its call and asks whether it is to fail.
 *
 * State is a few atomics, because the library calls from several threads. A fault that is set once
 * is taken by exactly one call: the count is the ticket. */
#include "fault/fault.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

typedef struct {
    atomic_uint_fast64_t calls;
    atomic_uint_fast64_t fail_at; /* in terms of `calls`; 0: never */
    atomic_bool keeps_failing;
    atomic_int error;
} fault_state;

static fault_state states[FAULT_N_CALLS];
static atomic_bool happened;
static atomic_uint_fast64_t bytes_written;
static atomic_uint_fast64_t write_limit = UINT64_MAX; /* in terms of bytes_written */
static atomic_int write_error;
static atomic_uint_fast64_t most_per_write = UINT64_MAX;

void fault_reset(void) {
    for (int i = 0; i < FAULT_N_CALLS; i++) {
        atomic_store(&states[i].fail_at, 0);
        atomic_store(&states[i].keeps_failing, false);
        atomic_store(&states[i].calls, 0);
    }
    atomic_store(&write_limit, UINT64_MAX);
    atomic_store(&bytes_written, 0);
    atomic_store(&most_per_write, UINT64_MAX);
    atomic_store(&happened, false);
}

static void set_fault(fault_call call, uint64_t n, int error, bool keeps_failing) {
    fault_state *state = &states[call];
    atomic_store(&state->error, error);
    atomic_store(&state->keeps_failing, keeps_failing);
    atomic_store(&state->fail_at, n ? atomic_load(&state->calls) + n : 0);
}

void fault_fail_call_at(fault_call call, uint64_t n, int error) {
    set_fault(call, n, error, false);
}

void fault_fail_calls_from(fault_call call, uint64_t n, int error) {
    set_fault(call, n, error, true);
}

void fault_fail_allocation_at(uint64_t n) {
    set_fault(FAULT_ALLOCATE, n, ENOMEM, false);
}

void fault_fail_allocations_from(uint64_t n) {
    set_fault(FAULT_ALLOCATE, n, ENOMEM, true);
}

void fault_fail_write_after(uint64_t bytes, int error) {
    atomic_store(&write_error, error);
    atomic_store(&write_limit, atomic_load(&bytes_written) + bytes);
}

void fault_shorten_writes(uint64_t bytes) {
    atomic_store(&most_per_write, bytes ? bytes : UINT64_MAX);
}

bool fault_happened(void) {
    return atomic_load(&happened);
}

uint64_t fault_calls(fault_call call) {
    return atomic_load(&states[call].calls);
}

uint64_t fault_allocations(void) {
    return fault_calls(FAULT_ALLOCATE);
}

uint64_t fault_bytes_written(void) {
    return atomic_load(&bytes_written);
}

/* Counts the call; true, with errno set, when it is to fail. */
static bool fails(fault_call call) {
    fault_state *state = &states[call];
    uint64_t number = atomic_fetch_add(&state->calls, 1) + 1;
    uint64_t at = atomic_load(&state->fail_at);
    if (at == 0 || number < at || (number > at && !atomic_load(&state->keeps_failing)))
        return false;
    atomic_store(&happened, true);
    errno = atomic_load(&state->error);
    return true;
}

/* How many of `size` bytes may be written now; 0, with errno set, when the disk is full. Holds for
 * one writer at a time: two at once may overshoot the limit by one write. */
static size_t room_to_write(size_t size) {
    uint64_t limit = atomic_load(&write_limit), written = atomic_load(&bytes_written);
    uint64_t most = atomic_load(&most_per_write);
    size = size <= most ? size : (size_t)most;
    if (size == 0 || written + size <= limit)
        return size;
    atomic_store(&happened, true);
    if (written >= limit) {
        errno = atomic_load(&write_error);
        return 0;
    }
    return (size_t)(limit - written);
}

static ssize_t count_written(ssize_t size) {
    if (size > 0)
        atomic_fetch_add(&bytes_written, (uint64_t)size);
    return size;
}

/* ---- memory --------------------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
    return fails(FAULT_ALLOCATE) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size) {
    return fails(FAULT_ALLOCATE) ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    return fails(FAULT_ALLOCATE) ? NULL : __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return fails(FAULT_ALLOCATE) ? NULL : __real_aligned_alloc(alignment, size);
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size) {
    return fails(FAULT_ALLOCATE) ? ENOMEM : __real_posix_memalign(out, alignment, size);
}

/* jansson allocates inside its own library, where the linker does not reach. */
__attribute__((constructor)) static void cover_jansson(void) {
    json_set_alloc_funcs(__wrap_malloc, free);
}

/* ---- files ---------------------------------------------------------------------------------- */

int __real_open(const char *path, int flags, ...);
int __real_openat(int directory, const char *path, int flags, ...);
FILE *__real_fopen(const char *path, const char *mode);
int __real_mkstemp(char *path);
int __real_mkostemp(char *path, int flags);
int __wrap_open(const char *path, int flags, ...);
int __wrap_openat(int directory, const char *path, int flags, ...);
FILE *__wrap_fopen(const char *path, const char *mode);
int __wrap_mkstemp(char *path);
int __wrap_mkostemp(char *path, int flags);

/* The third argument is there exactly when a file may be made. */
static bool takes_mode(int flags) {
    return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
}

int __wrap_open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (takes_mode(flags)) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    return fails(FAULT_OPEN) ? -1 : __real_open(path, flags, mode);
}

int __wrap_openat(int directory, const char *path, int flags, ...) {
    mode_t mode = 0;
    if (takes_mode(flags)) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    return fails(FAULT_OPEN) ? -1 : __real_openat(directory, path, flags, mode);
}

FILE *__wrap_fopen(const char *path, const char *mode) {
    return fails(FAULT_OPEN) ? NULL : __real_fopen(path, mode);
}

int __wrap_mkstemp(char *path) {
    return fails(FAULT_OPEN) ? -1 : __real_mkstemp(path);
}

int __wrap_mkostemp(char *path, int flags) {
    return fails(FAULT_OPEN) ? -1 : __real_mkostemp(path, flags);
}

ssize_t __real_read(int file, void *bytes, size_t size);
ssize_t __real_pread(int file, void *bytes, size_t size, off_t at);
ssize_t __real_write(int file, const void *bytes, size_t size);
ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t at);
ssize_t __real_writev(int file, const struct iovec *parts, int n);
ssize_t __wrap_read(int file, void *bytes, size_t size);
ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t at);
ssize_t __wrap_write(int file, const void *bytes, size_t size);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at);
ssize_t __wrap_writev(int file, const struct iovec *parts, int n);

ssize_t __wrap_read(int file, void *bytes, size_t size) {
    return fails(FAULT_READ) ? -1 : __real_read(file, bytes, size);
}

ssize_t __wrap_pread(int file, void *bytes, size_t size, off_t at) {
    return fails(FAULT_READ) ? -1 : __real_pread(file, bytes, size, at);
}

ssize_t __wrap_write(int file, const void *bytes, size_t size) {
    if (fails(FAULT_WRITE))
        return -1;
    size_t room = room_to_write(size);
    return size && !room ? -1 : count_written(__real_write(file, bytes, room));
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t at) {
    if (fails(FAULT_WRITE))
        return -1;
    size_t room = room_to_write(size);
    return size && !room ? -1 : count_written(__real_pwrite(file, bytes, room, at));
}

ssize_t __wrap_writev(int file, const struct iovec *parts, int n) {
    if (fails(FAULT_WRITE))
        return -1;
    size_t size = 0;
    for (int i = 0; i < n; i++)
        size += parts[i].iov_len;
    size_t room = room_to_write(size);
    if (room == size)
        return count_written(__real_writev(file, parts, n));
    if (!room)
        return -1;
    /* Short: the first part, or as much of it as fits. A part may be empty, so look for one. */
    int first = 0;
    while (parts[first].iov_len == 0)
        first++;
    size_t part = parts[first].iov_len < room ? parts[first].iov_len : room;
    return count_written(__real_write(file, parts[first].iov_base, part));
}

int __real_close(int file);
int __real_ftruncate(int file, off_t size);
int __real_fallocate(int file, int mode, off_t at, off_t size);
int __real_posix_fallocate(int file, off_t at, off_t size);
int __wrap_fsync(int file);
int __wrap_fdatasync(int file);
int __wrap_close(int file);
int __wrap_ftruncate(int file, off_t size);
int __wrap_fallocate(int file, int mode, off_t at, off_t size);
int __wrap_posix_fallocate(int file, off_t at, off_t size);

/* Nothing here has to outlive a power cut: waiting for the disk would be most of a test's time. */
int __wrap_fsync(int file) {
    (void)file;
    return fails(FAULT_SYNC) ? -1 : 0;
}

int __wrap_fdatasync(int file) {
    (void)file;
    return fails(FAULT_SYNC) ? -1 : 0;
}

int __wrap_close(int file) {
    bool must_fail = fails(FAULT_CLOSE);
    int error = errno, result = __real_close(file);
    if (!must_fail)
        return result;
    errno = error;
    return -1;
}

int __wrap_ftruncate(int file, off_t size) {
    return fails(FAULT_RESIZE) ? -1 : __real_ftruncate(file, size);
}

int __wrap_fallocate(int file, int mode, off_t at, off_t size) {
    return fails(FAULT_RESIZE) ? -1 : __real_fallocate(file, mode, at, size);
}

int __wrap_posix_fallocate(int file, off_t at, off_t size) {
    return fails(FAULT_RESIZE) ? errno : __real_posix_fallocate(file, at, size);
}

int __real_rename(const char *from, const char *to);
int __real_renameat(int from_at, const char *from, int to_at, const char *to);
int __real_renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags);
int __real_link(const char *from, const char *to);
int __real_linkat(int from_at, const char *from, int to_at, const char *to, int flags);
int __wrap_rename(const char *from, const char *to);
int __wrap_renameat(int from_at, const char *from, int to_at, const char *to);
int __wrap_renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags);
int __wrap_link(const char *from, const char *to);
int __wrap_linkat(int from_at, const char *from, int to_at, const char *to, int flags);

int __wrap_rename(const char *from, const char *to) {
    return fails(FAULT_RENAME) ? -1 : __real_rename(from, to);
}

int __wrap_renameat(int from_at, const char *from, int to_at, const char *to) {
    return fails(FAULT_RENAME) ? -1 : __real_renameat(from_at, from, to_at, to);
}

int __wrap_renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
    return fails(FAULT_RENAME) ? -1 : __real_renameat2(from_at, from, to_at, to, flags);
}

int __wrap_link(const char *from, const char *to) {
    return fails(FAULT_RENAME) ? -1 : __real_link(from, to);
}

int __wrap_linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    return fails(FAULT_RENAME) ? -1 : __real_linkat(from_at, from, to_at, to, flags);
}

/* ---- the rest ------------------------------------------------------------------------------- */

void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
    return fails(FAULT_MAP) ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
    return fails(FAULT_THREAD) ? errno : __real_pthread_create(thread, attributes, start, argument);
}

/* ---- randomness ----------------------------------------------------------------------------- */

ssize_t __real_getrandom(void *bytes, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags);

ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned flags) {
    return fails(FAULT_RANDOM) ? -1 : __real_getrandom(bytes, size, flags);
}
