/* Arrays on disk: mappings of files that have no name.
 *
 * A file is opened without a name where the file system can do that (O_TMPFILE); elsewhere it has
 * one for the moment between its making and its removal. All of its room is taken at once, so that
 * a full disk is an error here, and not a signal when a page is touched. The descriptor is closed
 * as soon as the file is mapped: it lives as long as its mapping.
 *
 * A large array has a mapping of its own; small ones share one (16 MiB), which goes when the last
 * of them does, because a system does not have endless mappings. The run holds a list of them: a
 * few, so finding the one around an address is a walk over it.
 *
 * Dropping pages of a shared mapping (MADV_DONTNEED) takes them from this process alone; what was
 * written stays in the system's cache, and goes to the disk when that is short of room. */
#include "core/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/run_internal.h"
#include "core/text.h"

enum {
    LEAST_BYTES = 1 << 16,  /* what is smaller is not worth a page fault */
    LARGE = 16,             /* an array above this part of the budget never is plain memory */
    SHARED_BYTES = 1 << 24, /* of a mapping for small arrays */
    OWN_BYTES = 1 << 22,    /* from here on an array has a mapping of its own */
    HEAD_BYTES = 64         /* in front of each array; keeps it aligned */
};

_Static_assert((int)sizeof(kan_block_head) <= HEAD_BYTES, "the head must fit");

struct kan_spill {
    struct kan_spill *next;
    char *base;
    size_t bytes, used;
    size_t n_arrays;
};

/* ---- the folder ----------------------------------------------------------------------------- */

const char *kan_run_tmp(const kan_run *run) {
    const char *folder = run->tmp ? run->tmp : getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

kan_status kan_run_set_tmp(kan_run *run, const char *folder) {
    struct stat state;
    const char *copy;
    if (!folder) {
        run->tmp = NULL;
        return KAN_OK;
    }
    if (stat(folder, &state) != 0)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: temporary files cannot be kept there: %s; name another place with "
                        "--tmp",
                        folder, strerror(errno));
    if (!S_ISDIR(state.st_mode))
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: temporary files cannot be kept there: it is not a directory; name one "
                        "with --tmp",
                        folder);
    KAN_TRY(kan_arena_copy(&run->arena, folder, strlen(folder), &copy));
    run->tmp = copy;
    return KAN_OK;
}

void kan_run_set_spool_limit(kan_run *run, uint64_t bytes) {
    run->spool_limit = bytes;
}

uint64_t kan_run_spool_limit(const kan_run *run) {
    return run->spool_limit;
}

kan_status kan_spill_fail(kan_run *run, uint64_t bytes, int error) {
    char asked[32];
    if (error == ENOMEM)
        return kan_fail(run, KAN_FAILED, "out of memory: %s of temporary data could not be mapped",
                        kan_bytes_text(bytes, asked));
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        return kan_fail(run, KAN_FAILED,
                        "%s: no room for %s of temporary data: %s; free some, name another place "
                        "with --tmp, or allow more with --memory",
                        kan_run_tmp(run), kan_bytes_text(bytes, asked), strerror(error));
    return kan_fail(run, KAN_FAILED,
                    "%s: %s of temporary data cannot be kept there: %s; name another place with "
                    "--tmp, or allow more with --memory",
                    kan_run_tmp(run), kan_bytes_text(bytes, asked), strerror(error));
}

/* A file that has a name for a moment. -1 with errno on failure. */
static int open_and_unlink(const char *folder) {
    char path[4096];
    int size = snprintf(path, sizeof path, "%s/.kanon-XXXXXX", folder);
    if (size < 0 || (size_t)size >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int file = mkostemp(path, O_CLOEXEC);
    if (file >= 0)
        (void)unlink(path);
    return file;
}

/* -1 with errno on failure. */
static int open_file(const char *folder) {
#ifdef O_TMPFILE
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0)
        return file;
#endif
    return open_and_unlink(folder);
}

kan_status kan_spill_file(kan_run *run, int *out) {
    int file = open_file(kan_run_tmp(run));
    if (file < 0)
        return kan_fail(run, KAN_FAILED,
                        "%s: temporary files cannot be created there: %s; name another place with "
                        "--tmp, or allow more with --memory",
                        kan_run_tmp(run), strerror(errno));
    *out = file;
    return KAN_OK;
}

/* ---- the account ---------------------------------------------------------------------------- */

void kan_spill_count(kan_run *run, uint64_t bytes) {
    uint64_t used = atomic_fetch_add(&run->disk_used, bytes) + bytes;
    uint64_t peak = atomic_load(&run->disk_peak);
    while (used > peak && !atomic_compare_exchange_weak(&run->disk_peak, &peak, used)) {
    }
}

void kan_spill_uncount(kan_run *run, uint64_t bytes) {
    atomic_fetch_sub(&run->disk_used, bytes);
}

uint64_t kan_run_temporary_bytes(const kan_run *run) {
    return atomic_load(&run->disk_used);
}

uint64_t kan_run_peak_temporary(const kan_run *run) {
    return atomic_load(&run->disk_peak);
}

bool kan_spill_fits(const kan_run *run, uint64_t bytes) {
    const uint64_t half = run->memory_budget / 2, used = atomic_load(&run->memory_used);
    return run->memory_budget == 0 ||
           (bytes <= run->memory_budget / LARGE && used <= half && bytes <= half - used);
}

/* ---- mappings ------------------------------------------------------------------------------- */

/* Takes all of the file's room. 0, or the error's number. */
static int take_room(const kan_run *run, int file, size_t bytes) {
    int error;
    do
        error = posix_fallocate(file, 0, (off_t)bytes);
    while (error == EINTR && !kan_run_is_cancelled(run));
    return error;
}

static kan_status map_bytes(kan_run *run, size_t bytes, char **out) {
    int file;
    KAN_TRY(kan_spill_file(run, &file));
    int error = take_room(run, file, bytes);
    void *base = MAP_FAILED;
    if (!error) {
        base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        error = base == MAP_FAILED ? errno : 0;
    }
    (void)close(file);
    if (error == EINTR)
        return kan_check_cancel(run);
    if (error)
        return kan_spill_fail(run, bytes, error);
    *out = base;
    return KAN_OK;
}

/* The lock is held. */
static kan_status add_mapping(kan_run *run, size_t bytes, struct kan_spill **out) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct kan_spill *spill;
    bytes = (bytes + page - 1) / page * page;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *spill, &spill));
    kan_status status = map_bytes(run, bytes, &spill->base);
    if (status != KAN_OK) {
        kan_free(run, spill);
        return status;
    }
    spill->bytes = bytes;
    spill->next = run->spills;
    run->spills = spill;
    atomic_fetch_add(&run->n_spills, 1);
    kan_spill_count(run, bytes);
    *out = spill;
    return KAN_OK;
}

/* A mapping with room for so many bytes. The lock is held. */
static kan_status find_room(kan_run *run, size_t need, struct kan_spill **out) {
    if (need >= OWN_BYTES)
        return add_mapping(run, need, out);
    if (!run->spill_shared || run->spill_shared->bytes - run->spill_shared->used < need)
        KAN_TRY(add_mapping(run, SHARED_BYTES, &run->spill_shared));
    *out = run->spill_shared;
    return KAN_OK;
}

static kan_status take_array(kan_run *run, size_t bytes, void **out) {
    const size_t need = HEAD_BYTES + (bytes + HEAD_BYTES - 1) / HEAD_BYTES * HEAD_BYTES;
    struct kan_spill *spill;
    KAN_TRY(find_room(run, need, &spill));
    char *array = spill->base + spill->used + HEAD_BYTES;
    ((kan_block_head *)(void *)array)[-1] = (kan_block_head){bytes, spill};
    spill->used += need;
    spill->n_arrays++;
    *out = array;
    return KAN_OK;
}

kan_status kan_spill_alloc(kan_run *run, size_t n, size_t size, void *out) {
    size_t bytes;
    void *array;
    if (__builtin_mul_overflow(n, size, &bytes) || bytes < LEAST_BYTES || bytes > SIZE_MAX / 4 ||
        kan_spill_fits(run, bytes))
        return kan_alloc(run, n, size, out);
    pthread_mutex_lock(&run->spill_lock);
    kan_status status = take_array(run, bytes, &array);
    pthread_mutex_unlock(&run->spill_lock);
    if (status == KAN_OK)
        memcpy(out, &array, sizeof array);
    return status;
}

kan_status kan_spill_reserve(kan_run *run, size_t need, size_t size, size_t *capacity,
                             void *inout) {
    size_t bytes;
    void *array;
    if (need <= *capacity)
        return KAN_OK;
    if (run->memory_budget == 0 || __builtin_mul_overflow(need, size, &bytes) ||
        bytes < LEAST_BYTES || kan_run_memory_left(run) / 2 >= bytes)
        return kan_reserve(run, need, size, capacity, inout);
    memcpy(&array, inout, sizeof array);
    kan_free(run, array);
    array = NULL;
    memcpy(inout, &array, sizeof array);
    *capacity = 0;
    KAN_TRY(kan_spill_alloc(run, need, size, inout));
    *capacity = need;
    return KAN_OK;
}

/* The part of the range that lies in the mapping leaves resident memory, with its windows. */
static void drop_pages(const struct kan_spill *spill, uintptr_t first, uintptr_t end) {
    const uintptr_t window = KAN_SPILL_WINDOW, base = (uintptr_t)spill->base;
    const uintptr_t limit = base + spill->bytes;
    if (first >= limit || end <= base)
        return;
    first = first / window * window;
    end = (end + window - 1) / window * window;
    first = first < base ? base : first;
    end = end > limit ? limit : end;
    (void)madvise((void *)first, end - first, MADV_DONTNEED); /* a hint: nothing depends on it */
}

void kan_spill_done(kan_run *run, const void *memory, size_t bytes) {
    const uintptr_t first = (uintptr_t)memory;
    if (atomic_load_explicit(&run->n_spills, memory_order_relaxed) == 0 || bytes == 0)
        return;
    pthread_mutex_lock(&run->spill_lock);
    for (const struct kan_spill *spill = run->spills; spill; spill = spill->next)
        drop_pages(spill, first, first + bytes);
    pthread_mutex_unlock(&run->spill_lock);
}

void kan_spill_drop(const kan_run *run, const void *mapped, size_t bytes) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)mapped;
    const uintptr_t from = first / page * page, end = (first + bytes + page - 1) / page * page;
    if (run->memory_budget && bytes > 0)
        (void)madvise((void *)from, end - from, MADV_DONTNEED);
}

void kan_spill_give_back(kan_run *run, kan_block_head *head) {
    struct kan_spill *spill = head->spill, **at;
    pthread_mutex_lock(&run->spill_lock);
    if (--spill->n_arrays > 0) {
        drop_pages(spill, (uintptr_t)head, (uintptr_t)(head + 1) + head->size);
        pthread_mutex_unlock(&run->spill_lock);
        return;
    }
    for (at = &run->spills; *at != spill;)
        at = &(*at)->next;
    *at = spill->next;
    if (run->spill_shared == spill)
        run->spill_shared = NULL;
    (void)munmap(spill->base, spill->bytes);
    atomic_fetch_sub(&run->n_spills, 1);
    pthread_mutex_unlock(&run->spill_lock);
    kan_spill_uncount(run, spill->bytes);
    kan_free(run, spill);
}
