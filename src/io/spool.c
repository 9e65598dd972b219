/* Spooling: one buffer that doubles; when the budget does not allow the next doubling, what it
 * holds goes to a temporary file, and it becomes the small buffer in front of that. */
#include "io/spool.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/spill.h"

enum { LEAST_ROOM = 1 << 16, FILE_BUFFER = 1 << 20 };

void kan_spool_init(kan_spool *spool, kan_run *run, size_t pad) {
    *spool = (kan_spool){.run = run, .pad = pad, .file = -1};
}

void kan_spool_destroy(kan_spool *spool) {
    kan_free(spool->run, spool->bytes);
    if (spool->file >= 0) {
        (void)close(spool->file);
        kan_spill_uncount(spool->run, spool->n_in_file);
    }
    kan_spool_init(spool, spool->run, spool->pad);
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
    if (need <= spool->capacity)
        return KAN_OK;
    if (spool->file >= 0)
        return write_out(spool);
    if (spool->capacity >= FILE_BUFFER && !kan_spill_fits(spool->run, spool->capacity))
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
