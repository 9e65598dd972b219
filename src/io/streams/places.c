/* Windows of a file that is written. */
#include "io/streams/places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WINDOW_BYTES = 1 << 25 };

typedef struct kan_places_window {
    struct kan_places_window *next;
    char *bytes;
    uint64_t at; /* in the file; whole pages */
    size_t size;
    atomic_size_t n_open; /* bytes that are not filled yet */
} window;

struct kan_places {
    kan_run *run;
    int file;
    uint64_t end; /* of the last place */
    window *last; /* and those before it; NULL: there is none yet */
    bool is_refused;
};

kan_status kan_places_open(kan_run *run, int file, uint64_t at, kan_places **out) {
    kan_places *places;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *places, &places));
    places->run = run;
    places->file = file;
    places->end = at;
    *out = places;
    return KAN_OK;
}

/* ---- windows -------------------------------------------------------------------------------- */

/* The file gets room first: a page without it could not be written, which would end the program. */
static char *map_window(int file, uint64_t at, size_t size) {
    if (fallocate(file, 0, (off_t)at, (off_t)size) != 0)
        return NULL;
    char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)at);
    return bytes == MAP_FAILED ? NULL : bytes;
}

/* A window from the end of the last place on, or from the end of the last window. */
static kan_status add_window(kan_places *places, size_t least) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uint64_t at =
        places->last ? places->last->at + places->last->size : places->end / page * page;
    const uint64_t used = places->last ? 0 : places->end - at;
    const size_t need = (size_t)used + least;
    const size_t size = need > WINDOW_BYTES ? (need + page - 1) / page * page : WINDOW_BYTES;
    window *made;
    KAN_TRY(kan_alloc_zero(places->run, 1, sizeof *made, &made));
    made->bytes = map_window(places->file, at, size);
    if (!made->bytes) {
        kan_free(places->run, made);
        places->is_refused = true;
        return KAN_OK;
    }
    made->at = at;
    made->size = size;
    atomic_init(&made->n_open, size - (size_t)used);
    made->next = places->last;
    places->last = made;
    return KAN_OK;
}

static size_t room_left(const kan_places *places) {
    const window *last = places->last;
    return last ? (size_t)(last->at + last->size - places->end) : 0;
}

kan_status kan_places_take(kan_places *places, size_t size, kan_place *out) {
    *out = (kan_place){.at = places->end, .size = size};
    const size_t room = room_left(places);
    window *const before = room > 0 ? places->last : NULL;
    if (size > room && !places->is_refused)
        KAN_TRY(add_window(places, size - room));
    if (!places->is_refused) {
        out->n_first = room > 0 && size > room ? room : size;
        out->windows[0] = before ? before : places->last;
        out->windows[1] = places->last;
    }
    places->end += size;
    return KAN_OK;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static int write_at(int file, const char *bytes, size_t size, uint64_t at) {
    while (size > 0) {
        const ssize_t n = pwrite(file, bytes, size, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        bytes += n;
        at += (uint64_t)n;
        size -= (size_t)n;
    }
    return 0;
}

/* Whether pages are there to be filled. Where the system can, it is asked for all of them at once,
 * and says no instead of ending the program. */
static bool pages_are_there(char *bytes, size_t size) {
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t first = (uintptr_t)bytes / page * page;
    const uintptr_t end = ((uintptr_t)bytes + size + page - 1) / page * page;
    return madvise((void *)first, end - first, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
#else
    (void)bytes;
    (void)size;
    return true;
#endif
}

static int fill_window(const kan_places *places, window *in, uint64_t at, const char *bytes,
                       size_t size) {
    int error = 0;
    char *to = in->bytes + (at - in->at);
    if (size == 0)
        return 0;
    if (pages_are_there(to, size))
        memcpy(to, bytes, size);
    else
        error = write_at(places->file, bytes, size, at);
    if (atomic_fetch_sub(&in->n_open, size) == size) {
        (void)munmap(in->bytes, in->size);
        in->bytes = NULL;
    }
    return error;
}

int kan_places_fill(kan_places *places, const kan_place *place, const char *bytes) {
    if (!place->windows[0])
        return write_at(places->file, bytes, place->size, place->at);
    const int error = fill_window(places, place->windows[0], place->at, bytes, place->n_first);
    return error ? error
                 : fill_window(places, place->windows[1], place->at + place->n_first,
                               bytes + place->n_first, place->size - place->n_first);
}

static void unmap(kan_places *places) {
    while (places->last) {
        window *before = places->last->next;
        if (places->last->bytes)
            (void)munmap(places->last->bytes, places->last->size);
        kan_free(places->run, places->last);
        places->last = before;
    }
}

int kan_places_end(kan_places *places) {
    unmap(places);
    if (ftruncate(places->file, (off_t)places->end) != 0 ||
        lseek(places->file, (off_t)places->end, SEEK_SET) < 0)
        return errno;
    return 0;
}

void kan_places_close(kan_places *places) {
    if (!places)
        return;
    unmap(places);
    kan_free(places->run, places);
}
