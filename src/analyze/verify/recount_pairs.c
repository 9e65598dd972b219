/* How often each value of a column stands in each group: pairs are counted as tuples, then put into
 * the order of groups and places. */
#include <stdlib.h>

#include "analyze/verify/recount_model.h"

typedef struct {
    size_t group, place;
} pair;

void kan_model_pairs_init(kan_tuples *pairs, kan_run *run) {
    kan_tuples_init(pairs, run, sizeof(pair));
}

kan_status kan_model_pairs_add(kan_tuples *pairs, const kan_column *column,
                               const kan_model_values *values, uint64_t row, size_t n,
                               const size_t *groups, const uint64_t *counts) {
    pair block[KAN_TUPLES_BLOCK];
    KAN_ASSERT(n <= KAN_TUPLES_BLOCK);
    for (size_t j = 0; j < n; j++)
        block[j] = (pair){groups[j], values->place_of[kan_column_code(column, row + j)]};
    return kan_tuples_add_block(pairs, (const char *)block, n, row, counts);
}

static int compare_places(const void *a, const void *b) {
    const size_t left = ((const struct kan_model_count *)a)->place;
    const size_t right = ((const struct kan_model_count *)b)->place;
    return (left > right) - (left < right);
}

void kan_model_pairs_sort(const kan_tuples *pairs, size_t n_groups, size_t *start,
                          struct kan_model_count *counts) {
    KAN_ASSERT(start[0] == 0 && start[n_groups + 1] == 0);
    for (size_t i = 0; i < pairs->n; i++)
        start[((const pair *)kan_tuples_at(pairs, i))->group + 2]++;
    for (size_t g = 0; g < n_groups; g++)
        start[g + 2] += start[g + 1];
    /* start[g + 1] runs from the beginning of group g to its end, where group g+1 begins. */
    for (size_t i = 0; i < pairs->n; i++) {
        const pair *at = kan_tuples_at(pairs, i);
        counts[start[at->group + 1]++] = (struct kan_model_count){at->place, pairs->count[i]};
    }
    KAN_ASSERT(start[n_groups] == pairs->n);
    for (size_t g = 0; g < n_groups; g++)
        qsort(counts + start[g], start[g + 1] - start[g], sizeof *counts, compare_places);
}

/* ---- all columns ---------------------------------------------------------------------------- */

#define MOST_ROWS (UINT64_C(1) << 47) /* beyond it 128 bits might not suffice */

static kan_status follow(void *context, uint64_t row, size_t n, const size_t *groups) {
    kan_model_groups *g = context;
    if (g->group_of) {
        memcpy(g->group_of + row, groups, n * sizeof *groups);
        return KAN_OK;
    }
    for (size_t i = 0; i < g->n_made; i++)
        KAN_TRY(kan_model_pairs_add(&g->pairs[i], g->sensitive[i], &g->values[i], row, n, groups,
                                    g->counts));
    return KAN_OK;
}

/* The groups of rows are known: sizes and pairs become those of people. */
static kan_status count_people(const kan_model_rows *rows, kan_model_groups *out) {
    kan_tuples *tuples = &out->groups.tuples;
    out->people = (kan_people_rows){rows->table->n_rows, out->group_of, rows->person_of, tuples->n};
    KAN_TRY(kan_people_count(out->run, &out->people, tuples->count));
    for (size_t i = 0; i < out->n_made; i++)
        KAN_TRY(kan_people_pairs(out->run, &out->people, out->sensitive[i], out->values[i].place_of,
                                 &out->pairs[i]));
    return KAN_OK;
}

kan_status kan_model_groups_make(kan_run *run, const kan_model_rows *rows, kan_model_groups *out) {
    const kan_recount_follower follower = {follow, out};
    *out =
        (kan_model_groups){.run = run, .sensitive = rows->sensitive, .counts = rows->table->counts};
    if (rows->person_of && rows->table->counts)
        return kan_fail(run, KAN_FAILED,
                        "internal error: people are counted row by row; please report this");
    if (rows->person_of)
        KAN_TRY(kan_alloc(run, (size_t)rows->table->n_rows, sizeof *out->group_of, &out->group_of));
    KAN_TRY(kan_alloc_zero(run, rows->n_columns, sizeof *out->values, &out->values));
    KAN_TRY(kan_alloc_zero(run, rows->n_columns, sizeof *out->pairs, &out->pairs));
    for (size_t i = 0; i < rows->n_columns; i++) {
        if (kan_table_total(rows->table) >= MOST_ROWS || rows->columns[i].n_rows >= MOST_ROWS)
            return kan_fail(
                run, KAN_FAILED,
                "too many rows for an exact count of sensitive values: the maximum is 2^47");
        KAN_TRY(kan_model_values_make(run, &rows->columns[i], rows->uses_distance,
                                      rows->sensitive[i], rows->table->n_rows, &out->values[i]));
        kan_model_pairs_init(&out->pairs[i], run);
        out->n_made++;
    }
    KAN_TRY(
        kan_recount_group(run, rows->table, rows->quasi, rows->n_quasi, &follower, &out->groups));
    out->has_groups = true;
    return rows->person_of ? count_people(rows, out) : KAN_OK;
}

void kan_model_groups_destroy(kan_model_groups *groups) {
    for (size_t i = 0; i < groups->n_made; i++) {
        kan_model_values_destroy(&groups->values[i]);
        kan_tuples_destroy(&groups->pairs[i]);
    }
    kan_free(groups->run, groups->group_of);
    kan_free(groups->run, groups->values);
    kan_free(groups->run, groups->pairs);
    if (groups->has_groups)
        kan_tuples_destroy(&groups->groups.tuples);
}
