/* The state of the search: which cells of which rows are hidden, and who fits whom.
 *
 *   fits.c         from an answer to the state, and back
 *   fits_state.c   patterns, numbers, and the two moves: a cell is shown, a cell is hidden
 *   fits_show.c    which moves
 *   fits_least.c   the bound from below
 *
 * People are tuples of the base, with their released rows. A row has the columns that it shows and that
 * are known, its pattern. By a pattern tuples fall into classes, alike in its columns: a row fits the
 * tuples of its own tuple's class. So the number of people whom it fits follows from pattern and tuple
 * alone, and does not depend on other rows; how many rows fit a person does, and is counted along. */
#ifndef KANON_SEARCH_FITS_FITS_INSIDE_H
#define KANON_SEARCH_FITS_FITS_INSIDE_H

#include "search/fits/fits.h"

#define KAN_FITS_NONE UINT32_MAX

/* The classes of all tuples by some columns. */
typedef struct kan_fits_pattern {
    uint64_t columns;
    uint32_t n_classes;
    uint32_t *class_of;   /* by tuple */
    uint64_t *class_rows; /* by class: released rows of its tuples */
    uint32_t *start;      /* by class, one more at the end, into members; NULL until wanted */
    uint32_t *members;    /* tuples */
} kan_fits_pattern;

typedef struct kan_fits_cell {
    uint32_t row;
    unsigned column;
} kan_fits_cell;

typedef struct kan_fits {
    kan_run *run;
    uint64_t k;
    unsigned n_columns;
    uint64_t may_hide, may_show; /* columns */
    double weight[KAN_MAX_ATTRIBUTES];
    size_t n_tuples;   /* of at least one released row */
    uint32_t *value;   /* [tuple * n_columns + column] */
    uint64_t *missing; /* by tuple: columns of which it has no value to show */
    uint64_t *n_rows;  /* by tuple */
    size_t n_all;      /* rows, those of a tuple together */
    uint32_t *first;   /* by tuple, one more at the end: its rows */
    uint32_t *tuple_of;
    uint64_t *hidden; /* by row: columns; none that is missing */
    uint64_t *fitted; /* by tuple: rows that fit it */

    size_t n_patterns, most_patterns, pattern_room;
    kan_fits_pattern *patterns;
    size_t n_slots;
    uint32_t *slots;      /* of patterns, by columns; a pattern and 1, or 0 */
    uint32_t *class_slot; /* scratch: tuples by hash */
    size_t n_class_slots;

    uint64_t n_steps, most_steps; /* tuples that were looked at */
} kan_fits;

/* ---- fits_state.c ---------------------------------------------------------------------------- */

void kan_fits_destroy(kan_fits *fits);
/* The numbers of a state whose members up to `hidden` are there. */
KAN_MUST_USE kan_status kan_fits_count(kan_fits *fits);

static inline uint64_t kan_fits_shown(const kan_fits *fits, uint32_t row) {
    const uint64_t all = fits->n_columns == 64 ? UINT64_MAX : (UINT64_C(1) << fits->n_columns) - 1;
    return all & ~fits->hidden[row] & ~fits->missing[fits->tuple_of[row]];
}

static inline uint32_t kan_fits_value(const kan_fits *fits, uint32_t tuple, unsigned column) {
    return fits->value[(size_t)tuple * fits->n_columns + column];
}

/* The pattern of these columns, with its members where they are wanted. *out is NULL where there are as
 * many patterns as may be; it stays where it is until the next one is wanted. */
KAN_MUST_USE kan_status kan_fits_find(kan_fits *fits, uint64_t columns, bool has_members,
                                      const kan_fits_pattern **out);
/* One that is made for now, in place of `pattern`, which is all 0 or another such. */
KAN_MUST_USE kan_status kan_fits_classify(kan_fits *fits, uint64_t columns,
                                          kan_fits_pattern *pattern);
void kan_fits_pattern_destroy(kan_fits *fits, kan_fits_pattern *pattern);

typedef enum kan_fits_answer {
    KAN_FITS_CAN,
    KAN_FITS_CANNOT, /* its row would fit too few, whatever the others show */
    KAN_FITS_BLOCKED /* somebody would be fitted by too few: *by */
} kan_fits_answer;

/* Whether the promise still holds when a hidden cell is shown. */
KAN_MUST_USE kan_status kan_fits_may_show(kan_fits *fits, kan_fits_cell cell, kan_fits_answer *out,
                                          uint32_t *by);
/* Shows a hidden cell, whatever becomes of the promise. The pattern of its row was found before. */
KAN_MUST_USE kan_status kan_fits_show(kan_fits *fits, kan_fits_cell cell);
/* Hides a cell that is shown; *is_done: false where there are too many patterns. */
KAN_MUST_USE kan_status kan_fits_hide(kan_fits *fits, kan_fits_cell cell, bool *is_done);

/* ---- fits_show.c ----------------------------------------------------------------------------- */

/* Shows cells while there are any, then exchanges some. *bound: it may end with so many hidden. */
KAN_MUST_USE kan_status kan_fits_search(kan_fits *fits, const uint64_t *bound);

/* ---- fits_least.c ---------------------------------------------------------------------------- */

/* The fewest cells that have to be hidden for every row to fit k people; has_least is false where it
 * would take long. */
KAN_MUST_USE kan_status kan_fits_least(kan_fits *fits, kan_fits_found *found);

#endif
