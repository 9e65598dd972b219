/* A release without keys, tied together by what it was made from. */
#include "analyze/forest/forest_inside.h"

/* ---- tying ---------------------------------------------------------------------------------- */

/* row_of read backwards: by row of the original its released row and 1; 0: it is not there. False where a
 * row is there twice. */
static kan_status turn(kan_run *run, const uint64_t *row_of, uint64_t n, uint64_t n_original,
                       uint64_t **out, bool *holds) {
    KAN_TRY(kan_alloc_zero(run, (size_t)n_original, sizeof **out, out));
    for (uint64_t row = 0; row < n && *holds; row++) {
        *holds = row_of[row] < n_original && (*out)[row_of[row]] == 0;
        if (*holds)
            (*out)[row_of[row]] = row + 1;
    }
    return KAN_OK;
}

static void tie_rows(kan_forest *forest, size_t t, const kan_forest *origin, const uint64_t *row_of,
                     const uint64_t *released_parent, bool *holds) {
    const size_t parent = forest->tables[t].parent;
    const uint64_t n = forest->tables[t].table->n_rows;
    for (uint64_t row = 0; row < n && *holds; row++) {
        const uint64_t above = released_parent[origin->parent_row[t][row_of[row]]];
        *holds = above > 0;
        if (!*holds)
            return;
        forest->parent_row[t][row] = above - 1;
        forest->person_of[t][row] = forest->person_of[parent][above - 1];
    }
}

/* Every row of a person who is there is there: as many as the original has. */
static bool is_whole(const kan_forest *forest, size_t t, const kan_forest *origin,
                     const uint64_t *person_row) {
    const kan_forest_rows *all = &origin->of_person[t];
    uint64_t n = 0;
    for (uint64_t p = 0; p < forest->tables[0].table->n_rows; p++)
        n += all->start[person_row[p] + 1] - all->start[person_row[p]];
    return n == forest->tables[t].table->n_rows;
}

static bool covers(const kan_forest *forest, size_t t, const kan_forest *origin,
                   const uint64_t *row_of) {
    for (uint64_t row = 0; row < forest->tables[t].table->n_rows; row++)
        if (!kan_forest_covers_row(&forest->tables[t], row, &origin->tables[t], row_of[row]))
            return false;
    return true;
}

kan_status kan_forest_tie(kan_run *run, const kan_forest_table *tables, size_t n,
                          const kan_forest *origin, uint64_t *const *row_of, kan_forest *out,
                          bool *holds) {
    kan_status status = KAN_OK;
    uint64_t *released[KAN_FOREST_TABLES] = {NULL};
    *out = (kan_forest){.run = run, .n = n, .tables = tables};
    *holds = true;
    for (size_t t = 0; t < n; t++)
        KAN_TRY_DONE(turn(run, row_of[t], tables[t].table->n_rows, origin->tables[t].table->n_rows,
                          &released[t], holds));
    KAN_TRY_DONE(kan_forest_begin_people(out));
    for (size_t t = 1; t < n && *holds; t++) {
        const size_t n_rows = (size_t)tables[t].table->n_rows;
        KAN_TRY_DONE(kan_alloc(run, n_rows, sizeof(uint64_t), &out->parent_row[t]));
        KAN_TRY_DONE(kan_alloc(run, n_rows, sizeof(uint64_t), &out->person_of[t]));
        tie_rows(out, t, origin, row_of[t], released[tables[t].parent], holds);
    }
    for (size_t t = 0; t < n && *holds; t++) {
        *holds = is_whole(out, t, origin, row_of[0]) && covers(out, t, origin, row_of[t]);
        KAN_TRY_DONE(kan_forest_list_rows(out, t));
        KAN_TRY_DONE(kan_check_cancel(run));
    }
done:
    for (size_t t = 0; t < n; t++)
        kan_free(run, released[t]);
    return status;
}
