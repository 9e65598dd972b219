/* Spooling: one buffer that doubles; when the budget does not allow the next doubling, what it
 * holds goes to a temporary file, and it becomes the small buffer in front of that. */
#include "io/streams/spool.h"

#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/spill.h"
#include "core/text.h"

enum { LEAST_ROOM = 1 << 16, FILE_BUFFER = 1 << 20 };

void kan_spool_init(kan_spool *spool, kan_run *run, const char *name, size_t pad) {
    *spool = (kan_spool){.run = run, .name = name, .limit = UINT64_MAX, .pad = pad, .file = -1};
}

void kan_spool_set_limit(kan_spool *spool) {
    struct statvfs disk;
    spool->limit = kan_run_spool_limit(spool->run);
    if (spool->limit == 0)
        spool->limit = statvfs(kan_run_tmp(spool->run), &disk) == 0
                           ? (uint64_t)disk.f_bavail * disk.f_frsize / 2
                           : UINT64_MAX;
}

/* What nobody asked for is about the disk alone: memory has a measure of its own. */
static bool is_over_limit(const kan_spool *spool, bool is_in_file) {
    return (is_in_file || kan_run_spool_limit(spool->run) > 0) &&
           spool->n_in_file + spool->used > spool->limit;
}

static kan_status fail_limit(const kan_spool *spool) {
    const bool is_said = kan_run_spool_limit(spool->run) > 0;
    char most[32];
    return kan_fail(spool->run, KAN_FAILED,
                    "%s: more than %s came out of it, %s%s; unpack or save it to a file, name "
                    "another folder with --tmp, or allow more with --spool-limit SIZE",
                    spool->name, kan_bytes_text(spool->limit, most),
                    is_said ? "the limit of --spool-limit" : "half of the free space of ",
                    is_said ? "" : kan_run_tmp(spool->run));
}

/* Whether what has come stays in memory if it doubles. */
static bool stays_in_memory(const kan_spool *spool) {
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (kan_run_memory_budget(spool->run) == 0 && pages > 0 && page > 0)
        return spool->capacity <= (uint64_t)pages * (uint64_t)page / 8;
    return kan_spill_fits(spool->run, spool->capacity);
}

void kan_spool_destroy(kan_spool *spool) {
    kan_free(spool->run, spool->bytes);
    if (spool->file >= 0) {
        (void)close(spool->file);
        kan_spill_uncount(spool->run, spool->n_in_file);
    }
    kan_spool_init(spool, spool->run, spool->name, spool->pad);
}

static kan_status write_out(kan_spool *spool) {
    for (size_t at = 0; at < spool->used;) {
        ssize_t n = write(spool->file, spool->bytes + at, spool->used - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return kan_spill_fail(spool->run, spool->n_in_file + spool->used - at, errno);
        at += (size_t)n;
        spool->n_in_file += (uint64_t)n;
        kan_spill_count(spool->run, (uint64_t)n);
    }
    spool->used = 0;
    return KAN_OK;
}

static kan_status move_to_file(kan_spool *spool) {
    if (is_over_limit(spool, true))
        return fail_limit(spool);
    KAN_TRY(kan_spill_file(spool->run, &spool->file));
    KAN_TRY(write_out(spool));
    if (spool->capacity > FILE_BUFFER) {
        KAN_TRY(kan_resize(spool->run, FILE_BUFFER, 1, &spool->bytes));
        spool->capacity = FILE_BUFFER;
    }
    return KAN_OK;
}

static kan_status make_room(kan_spool *spool) {
    const size_t need = spool->used + LEAST_ROOM + spool->pad;
    if (is_over_limit(spool, spool->file >= 0))
        return fail_limit(spool);
    if (need <= spool->capacity)
        return KAN_OK;
    if (spool->file >= 0)
        return write_out(spool);
    if (spool->capacity >= FILE_BUFFER && !stays_in_memory(spool))
        return move_to_file(spool);
    return kan_reserve(spool->run, need, 1, &spool->capacity, &spool->bytes);
}

kan_status kan_spool_room(kan_spool *spool, char **at, size_t *room) {
    KAN_TRY(make_room(spool));
    *at = spool->bytes + spool->used;
    *room = spool->capacity - spool->used - spool->pad;
    return KAN_OK;
}

void kan_spool_add(kan_spool *spool, size_t size) {
    KAN_ASSERT(size + spool->pad <= spool->capacity - spool->used); /* of kan_spool_room */
    spool->used += size;
}

kan_status kan_spool_end(kan_spool *spool) {
    char *at;
    size_t room;
    if (spool->file < 0) {
        KAN_TRY(kan_spool_room(spool, &at, &room));
        if (spool->file < 0) {
            memset(at, 0, spool->pad);
            return KAN_OK;
        }
    }
    KAN_TRY(write_out(spool));
    kan_free(spool->run, spool->bytes);
    spool->bytes = NULL;
    spool->capacity = 0;
    return KAN_OK;
}
