/* Making calls fail on purpose.
 *
 * Programs in tests/fault are linked so that the library's calls of malloc, write, open and so on
 * come here first (the linker's --wrap). Until a fault is set, every call is passed on and counted.
 *
 *   fault_reset();                        counters to zero, nothing fails
 *   fault_fail_allocation_at(3);          the third allocation from now fails, once
 *   fault_fail_write_after(4096, ENOSPC); the disk is full after 4096 more bytes
 *   fault_fail_call_at(FAULT_RENAME, 1, EIO);
 *
 * The usual shape of a test: count the allocations of a job that succeeds, then for n = 1, 2, ...
 * let the n-th fail until a run has no fault (fault_happened() is false); each run must end in a
 * clean error with a text, no leak (the suite also runs under the address sanitizer) and nothing
 * under the final name.
 *
 * Counted are the calls of the library and of the test itself, and those that jansson makes for
 * them; not the inside of libc, zlib, libzstd and libyaml. Everything here is thread safe. */
#ifndef KANON_TESTS_FAULT_H
#define KANON_TESTS_FAULT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum fault_call {
    FAULT_ALLOCATE, /* malloc, calloc, realloc, aligned_alloc, posix_memalign; error ENOMEM */
    FAULT_OPEN,     /* open, openat, fopen, mkstemp, mkostemp */
    FAULT_READ,     /* read, pread */
    FAULT_WRITE,    /* write, pwrite, writev */
    FAULT_SYNC,     /* fsync, fdatasync */
    FAULT_RENAME,   /* rename, renameat, renameat2, link, linkat */
    FAULT_RESIZE,   /* ftruncate, fallocate, posix_fallocate */
    FAULT_MAP,      /* mmap */
    FAULT_THREAD,   /* pthread_create; error EAGAIN */
    FAULT_RANDOM,   /* getrandom */
    FAULT_CLOSE,    /* close: the descriptor is closed, and the error is told */
    FAULT_N_CALLS
} fault_call;

/* Nothing fails, all counters are zero. */
void fault_reset(void);

/* The n-th call of that kind from now (1 is the next) fails once with `error`. 0 takes it back. */
void fault_fail_call_at(fault_call call, uint64_t n, int error);
/* The n-th and every later one. */
void fault_fail_calls_from(fault_call call, uint64_t n, int error);

/* The same for allocations, the most frequent case. */
void fault_fail_allocation_at(uint64_t n);
void fault_fail_allocations_from(uint64_t n);

/* `bytes` more are written, the last write being cut short as a full disk does it; every later
 * write fails with `error`, such as ENOSPC, EIO or EDQUOT. */
void fault_fail_write_after(uint64_t bytes, int error);

/* No write takes more than `bytes` at a time, which is not a failure: whoever writes must continue.
 * 0 takes it back. */
void fault_shorten_writes(uint64_t bytes);

/* Whether a call failed on purpose since the last reset. */
bool fault_happened(void);
/* Calls of that kind since the last reset, failed ones included. */
uint64_t fault_calls(fault_call call);
uint64_t fault_allocations(void);
uint64_t fault_bytes_written(void);

#endif
