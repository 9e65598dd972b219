/* The inside of analyze/forest. */
#ifndef KANON_ANALYZE_FOREST_FOREST_INSIDE_H
#define KANON_ANALYZE_FOREST_FOREST_INSIDE_H

#include "analyze/forest/forest.h"

/* What a row shows, with all below it. */
typedef struct kan_forest_written {
    uint64_t parent, row; /* the row that it is below, and itself */
    size_t begin, size;
    const char *bytes; /* once all of its table are written */
} kan_forest_written;

typedef struct kan_forest_writer {
    const kan_forest *forest;
    kan_text texts[KAN_FOREST_TABLES];
    kan_forest_written
        *rows[KAN_FOREST_TABLES]; /* of tables below people: by parent, then by text */
} kan_forest_writer;

/* Writes all rows of all tables. Initialised by this call, also when it fails. */
KAN_MUST_USE kan_status kan_forest_write(const kan_forest *forest, kan_forest_writer *out);
void kan_forest_writer_destroy(kan_forest_writer *writer);
int kan_forest_compare_texts(const void *a, const void *b);

/* person_of of the first table; the rows of each person, once person_of of the table is there. */
KAN_MUST_USE kan_status kan_forest_begin_people(kan_forest *forest);
KAN_MUST_USE kan_status kan_forest_list_rows(kan_forest *forest, size_t t);
/* Whether a released row may stand for an original one. */
bool kan_forest_covers_row(const kan_forest_table *release, uint64_t released,
                           const kan_forest_table *original, uint64_t row);

#endif
