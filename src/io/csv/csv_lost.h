/* Cells of a release that the encoding of its file cannot hold: which columns, and how many. */
#ifndef KANON_IO_CSV_CSV_LOST_H
#define KANON_IO_CSV_CSV_LOST_H

#include "core/memory.h"
#include "data/release.h"

typedef struct kan_csv_lost {
    kan_run *run;
    const kan_release *release;
    const char *encoding;
    char separator;
    uint64_t n_seen; /* characters that were lost when cells were counted last */
    kan_arena arena;
    uint64_t *n_cells; /* by column; NULL: none was lost yet */
    kan_slice *first;  /* by column: the first of these cells */
} kan_csv_lost;

void kan_csv_lost_init(kan_csv_lost *lost, kan_run *run, const kan_release *release,
                       const char *encoding, char separator);
/* Looks at whole records in UTF-8; for those of which something was lost: it takes its time. */
KAN_MUST_USE kan_status kan_csv_lost_count(kan_csv_lost *lost, const char *bytes, size_t size);
/* KAN_BAD_INPUT with all columns, where anything was lost. */
KAN_MUST_USE kan_status kan_csv_lost_check(const kan_csv_lost *lost);
void kan_csv_lost_destroy(kan_csv_lost *lost);

#endif
