/* The state of the search: which cells of which rows are hidden, and who fits whom.
 *
 *   fits.c          from an answer by groups to the state, and the whole of it
 *   fits_release.c  from the state to an answer
 *   fits_views.c    sets of columns by which everybody is looked at, and their patterns
 *   fits_state.c    numbers, and the two moves: a cell is shown, a cell is hidden
 *   fits_show.c     which moves
 *   fits_least.c    the bound from below
 *
 * People are tuples of the base, with their released rows. A row has the columns that it shows and that
 * are known. The promise is held in views: in one of all columns, or in one for each set of them. In a
 * view tuples are folded to those that differ in its columns, and by a pattern, some of these columns,
 * they fall into classes, alike in it: a row fits the tuples of its own tuple's class by what it shows of
 * the view. So the number of people whom it fits follows from pattern and tuple alone, and does not
 * depend on other rows; how many rows fit a person does, and is counted along.
 *
 * A stratum is a column that every row shows: it stands behind the others. */
#ifndef KANON_SEARCH_FITS_FITS_INSIDE_H
#define KANON_SEARCH_FITS_FITS_INSIDE_H

#include "search/fits/fits.h"

#define KAN_FITS_NONE UINT32_MAX

/* The classes of the tuples of a view by some columns. */
typedef struct kan_fits_pattern {
    uint64_t columns;
    uint32_t n_classes;
    uint32_t *class_of;   /* by tuple */
    uint64_t *class_rows; /* by class: released rows of its tuples */
    uint32_t *start;      /* by class, one more at the end, into members; NULL until wanted */
    uint32_t *members;    /* tuples */
} kan_fits_pattern;

typedef struct kan_fits_view {
    uint64_t columns, k;
    size_t n;     /* tuples that differ in these columns */
    uint32_t *of; /* by tuple of the base: which of them; NULL: itself, in a view of all columns */
    uint32_t *start;      /* by tuple here, one more at the end, into tuples; NULL like `of` */
    uint32_t *tuples;     /* of the base */
    uint64_t *rows;       /* by tuple here: released ones; NULL like `of` */
    uint64_t *fitted;     /* by tuple here: rows that fit it */
    uint32_t first_place; /* of its tuples among those of all views */

    size_t n_patterns, most_patterns, pattern_room;
    kan_fits_pattern *patterns;
    size_t n_slots;
    uint32_t *slots; /* of patterns, by columns; a pattern and 1, or 0 */
} kan_fits_view;

typedef struct kan_fits_cell {
    uint32_t row;
    unsigned column;
} kan_fits_cell;

typedef struct kan_fits {
    kan_run *run;
    unsigned n_columns, n_values; /* with the stratum */
    uint64_t may_hide, may_show;  /* columns */
    unsigned n_ranks;
    uint8_t rank[KAN_MAX_ATTRIBUTES];
    double weight[KAN_MAX_ATTRIBUTES];
    bool counts_cells; /* by rank; otherwise weights are what counts */
    size_t n_tuples;   /* of at least one released row */
    uint32_t *value;   /* [tuple * n_values + column] */
    uint64_t *missing; /* by tuple: columns of which it has no value to show */
    uint64_t *n_rows;  /* by tuple */
    size_t n_all;      /* rows, those of a tuple together */
    uint32_t *first;   /* by tuple, one more at the end: its rows */
    uint32_t *tuple_of;
    uint64_t *hidden; /* by row: columns; none that is missing */

    size_t n_views;
    kan_fits_view *views;
    size_t n_places;      /* tuples of all views */
    uint32_t *class_slot; /* scratch: tuples by hash */
    size_t n_class_slots;

    uint64_t n_steps, most_steps; /* tuples that were looked at */
} kan_fits;

static inline uint64_t kan_fits_first_columns(unsigned n) {
    return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static inline uint64_t kan_fits_shown(const kan_fits *fits, uint32_t row) {
    return kan_fits_first_columns(fits->n_values) & ~fits->hidden[row] &
           ~fits->missing[fits->tuple_of[row]];
}

static inline uint32_t kan_fits_value(const kan_fits *fits, uint32_t tuple, unsigned column) {
    return fits->value[(size_t)tuple * fits->n_values + column];
}

/* ---- fits_views.c ---------------------------------------------------------------------------- */

/* The views of these sets; the members of `fits` up to `hidden` are there. */
KAN_MUST_USE kan_status kan_fits_make_views(kan_fits *fits, size_t n_sets,
                                            const kan_fits_set *sets);
void kan_fits_destroy_views(kan_fits *fits);

static inline uint32_t kan_fits_in_view(const kan_fits_view *view, uint32_t tuple) {
    return view->of ? view->of[tuple] : tuple;
}
/* The value of a tuple of the view in one of its columns. */
static inline uint32_t kan_fits_view_value(const kan_fits *fits, const kan_fits_view *view,
                                           uint32_t tuple, unsigned column) {
    return kan_fits_value(fits, view->of ? view->tuples[view->start[tuple]] : tuple, column);
}

/* The pattern of these columns of the view, with its members where they are wanted. *out is NULL where
 * there are as many patterns as may be; it stays where it is until the view's next one is wanted. */
KAN_MUST_USE kan_status kan_fits_find(kan_fits *fits, kan_fits_view *view, uint64_t columns,
                                      bool has_members, const kan_fits_pattern **out);
/* One that is made for now, in place of `pattern`, which is all 0 or another such. */
KAN_MUST_USE kan_status kan_fits_classify(kan_fits *fits, const kan_fits_view *view,
                                          uint64_t columns, kan_fits_pattern *pattern);
void kan_fits_pattern_destroy(kan_fits *fits, kan_fits_pattern *pattern);

/* ---- fits_state.c ---------------------------------------------------------------------------- */

/* How many rows fit each tuple of each view. */
KAN_MUST_USE kan_status kan_fits_count(kan_fits *fits);

typedef enum kan_fits_answer {
    KAN_FITS_CAN,
    KAN_FITS_CANNOT, /* its row would fit too few, whatever the others show */
    KAN_FITS_BLOCKED /* somebody would be fitted by too few: the place *by */
} kan_fits_answer;

/* Whether the promise still holds when a hidden cell is shown. */
KAN_MUST_USE kan_status kan_fits_may_show(kan_fits *fits, kan_fits_cell cell, kan_fits_answer *out,
                                          uint32_t *by);
/* Shows a hidden cell, whatever becomes of the promise. The patterns of its row were found before. */
KAN_MUST_USE kan_status kan_fits_show(kan_fits *fits, kan_fits_cell cell);
/* Hides a cell that is shown; *is_done: false where there are too many patterns. */
KAN_MUST_USE kan_status kan_fits_hide(kan_fits *fits, kan_fits_cell cell, bool *is_done);

/* ---- fits_show.c ----------------------------------------------------------------------------- */

/* Shows cells while there are any, then exchanges some. It may end where so many are hidden as `bound`
 * says, if that is known. */
KAN_MUST_USE kan_status kan_fits_search(kan_fits *fits, const kan_fits_found *bound);

/* ---- fits_least.c ---------------------------------------------------------------------------- */

/* The fewest cells that have to be hidden for every row to fit enough people; has_least is false where
 * it would take long. */
KAN_MUST_USE kan_status kan_fits_least(kan_fits *fits, kan_fits_found *found);

/* ---- fits_release.c --------------------------------------------------------------------------- */

typedef struct kan_fits_job {
    kan_fits fits;
    const kan_question *question;
    const kan_fits_wants *wants;
    const kan_regions *regions; /* what it begins with */
    uint32_t *tuple_at;         /* of fits: the tuple of the base */
} kan_fits_job;

static inline const kan_hierarchy *kan_fits_hierarchy(const kan_fits_job *job, unsigned a) {
    return job->question->problem->space.dimensions[a].hierarchy;
}

/* The regions of the state; *out stays NULL where there would be too many. */
KAN_MUST_USE kan_status kan_fits_release(const kan_fits_job *job, kan_regions **out);

#endif
