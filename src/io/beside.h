/* What a file has beside its table: other sheets, comments, notes, labels of values that no row shows.
 * Whoever opens the file sees it, and who checks the table alone does not. A source lists it
 * (kan_source_kind.find_beside); what a sink of ours writes with every table is not listed. */
#ifndef KANON_IO_BESIDE_H
#define KANON_IO_BESIDE_H

#include "core/memory.h"
#include "core/text.h"

typedef struct kan_beside_text {
    const char *what; /* "comments", "sheet 'raw'" */
    kan_slice text;   /* a text in it; empty: it is there, and was not looked into */
} kan_beside_text;

typedef struct kan_beside {
    kan_run *run;
    kan_arena arena;
    kan_beside_text *texts;
    size_t n, capacity;
} kan_beside;

void kan_beside_init(kan_beside *beside, kan_run *run);
void kan_beside_destroy(kan_beside *beside);
/* Both are copied. */
KAN_MUST_USE kan_status kan_beside_add(kan_beside *beside, const char *what, kan_slice text);

#endif
