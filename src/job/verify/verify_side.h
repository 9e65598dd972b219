/* A table that is looked at: the release, the original, or a population. */
#ifndef KANON_JOB_VERIFY_VERIFY_SIDE_H
#define KANON_JOB_VERIFY_VERIFY_SIDE_H

#include "analyze/verify/verify.h"
#include "job/input/input.h"

typedef struct kan_verify_side {
    kan_input input;
    const kan_table *table; /* what is counted, once it is read */
    kan_shown_rows shown;   /* once rows of nothing but * were set aside: `table` has the others */
    bool is_blank;          /* there are no others, and `table` has all */
} kan_verify_side;

/* As the release of an original that was read before, which need not be given; NULL: it is no
 * release. */
KAN_MUST_USE kan_status kan_verify_read_side(kan_verify_side *side, const kan_input *original);
void kan_verify_close_side(kan_verify_side *side);
/* Sets the rows aside that show nothing but *, in every column: `table` is without them. */
KAN_MUST_USE kan_status kan_verify_set_blank_aside(kan_run *run, kan_verify_side *side);

/* KAN_BAD_INPUT where given columns of a table, which was read, show values apart that are counted
 * as one; a note instead where that is no fault. */
KAN_MUST_USE kan_status kan_verify_tell_apart(const kan_input *input, const bool *columns,
                                              bool is_fault);

/* ---- labels --------------------------------------------------------------------------------- */

/* Columns of a release beside those of a raw table, by whose values its labels are read. */
typedef struct kan_verify_labels {
    const kan_job *job;
    const char *name; /* of the raw table, for messages */
    const kan_table *raw, *release;
    const size_t *columns, *shown; /* of the raw table, of the release */
    const char *const *specs;      /* hierarchies as the user wrote them; NULL: none is named */
    size_t n;
} kan_verify_labels;

/* The hierarchies that settings name, bound to the columns of the raw table; one that has none stays NULL. The
 * caller destroys them, also when this fails. KAN_BAD_INPUT where one does not fit. */
KAN_MUST_USE kan_status kan_verify_bind_labels(const kan_verify_labels *labels,
                                               kan_hierarchy **hierarchies);

/* ---- what a file has beside its table ------------------------------------------------------- */

/* Adds it to `out`. */
KAN_MUST_USE kan_status kan_verify_list_beside(const kan_job *job, const kan_source *source,
                                               kan_beside *out);

/* Releases, and what each was made from; all were read. */
typedef struct kan_verify_sides {
    const kan_input *const *releases, *const *originals;
    size_t n;
} kan_verify_sides;

/* *what is the first of it that has a value of an original that no release shows; NULL: none has. */
KAN_MUST_USE kan_status kan_verify_find_hidden(const kan_verify_sides *sides,
                                               const kan_beside *beside, const char **what);

/* Adds what it is, each once; returns how many there are. */
size_t kan_verify_add_beside(const kan_beside *beside, kan_text *text);

#endif
