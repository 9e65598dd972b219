/* Writing to several places of a file at once.
 *
 * The system lets one thread at a time write to a file, so that writing would take as long on
 * sixteen threads as on one. What many threads can fill at once is the file's pages in memory: it
 * is mapped window by window, and a window goes as soon as it is full. Room on the disk is asked
 * for before, and where anything of this is refused, bytes are written as ever.
 *
 * Order of calls: open; take, by one thread at a time; fill, by any; close. */
#ifndef KANON_IO_STREAMS_PLACES_H
#define KANON_IO_STREAMS_PLACES_H

#include "core/memory.h"

typedef struct kan_places kan_places;

/* So many bytes of the file, in one window or two. */
typedef struct kan_place {
    uint64_t at;
    size_t size;
    struct kan_places_window *windows[2]; /* NULL: it is not mapped */
    size_t n_first;                       /* bytes in the first window */
} kan_place;

/* `at` is where the file ends now. */
KAN_MUST_USE kan_status kan_places_open(kan_run *run, int file, uint64_t at, kan_places **out);
/* The next place. */
KAN_MUST_USE kan_status kan_places_take(kan_places *places, size_t size, kan_place *out);
/* 0, or the error's number. */
int kan_places_fill(kan_places *places, const kan_place *place, const char *bytes);
/* The file ends behind the last place, and the next write goes there. 0, or the error's number. */
int kan_places_end(kan_places *places);
void kan_places_close(kan_places *places);

#endif
