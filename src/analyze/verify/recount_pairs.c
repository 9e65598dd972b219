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

/* What the joined tuples show of one column. */
typedef struct {
    const kan_recount_joined *joined;
    const kan_model_values *values;
    size_t at;
    unsigned width;
} joined_column;

static void lay_out_pairs(const void *context, uint64_t row, size_t n, char *block) {
    const joined_column *c = context;
    for (size_t i = 0; i < n; i++) {
        const size_t tuple = (size_t)row + i;
        const uint32_t code = kan_recount_joined_code(c->joined, tuple, c->at, c->width);
        const pair one = {c->joined->group_of[tuple], c->values->place_of[code]};
        memcpy(block + i * sizeof one, &one, sizeof one);
    }
}

/* One pass over the rows for all columns: pairs are counted of what it found. */
static kan_status group_joined(kan_run *run, const kan_model_rows *rows, kan_model_groups *out) {
    kan_recount_joined joined;
    kan_status status = kan_recount_join(run, rows->table, rows->quasi, rows->n_quasi,
                                         rows->sensitive, rows->n_columns, &out->groups, &joined);
    out->has_groups = true;
    KAN_TRY_DONE(status);
    joined_column c = {.joined = &joined, .at = joined.at};
    const kan_tuples_source source = {.context = &c,
                                      .n_rows = joined.tuples.n,
                                      .lay_out = lay_out_pairs,
                                      .counts = joined.tuples.count};
    for (size_t i = 0; i < out->n_made; i++) {
        c.values = &out->values[i];
        c.width = rows->sensitive[i]->width;
        KAN_TRY_DONE(kan_tuples_count(&out->pairs[i], &source));
        c.at += c.width;
    }
done:
    kan_recount_joined_destroy(run, &joined);
    return status;
}

/* The groups become parts of groups, each of people who share a history; `rows` are those of the parts
 * then, and part_of is made for them. */
static kan_status divide(kan_run *run, uint64_t k, size_t *part_of, kan_people_rows *rows,
                         kan_model_groups *out) {
    size_t *history_of;
    KAN_TRY(kan_alloc(run, (size_t)rows->n_rows, sizeof *history_of, &history_of));
    kan_status status = kan_people_histories(run, rows, k, history_of, &out->histories);
    out->has_parts = status == KAN_OK && out->n_made > 0;
    if (out->has_parts)
        status = kan_people_divide(run, rows, history_of, part_of, &out->parts);
    kan_free(run, history_of);
    rows->group_of = part_of;
    rows->n_groups = out->parts.n;
    return status;
}

/* The groups of rows are known: sizes and pairs become those of people. */
static kan_status count_people(const kan_model_rows *rows, kan_model_groups *out) {
    kan_tuples *tuples = &out->groups.tuples;
    out->people = (kan_people_rows){rows->table->n_rows, out->group_of, rows->person_of, tuples->n};
    KAN_TRY(kan_people_count(out->run, &out->people, tuples->count));
    kan_people_rows units = out->people;
    size_t *part_of = NULL;
    kan_status status = KAN_OK;
    if (rows->by_history) {
        KAN_TRY(kan_alloc(out->run, (size_t)units.n_rows, sizeof *part_of, &part_of));
        status = divide(out->run, rows->k, part_of, &units, out);
    }
    for (size_t i = 0; i < out->n_made && status == KAN_OK; i++)
        status = kan_people_pairs(out->run, &units, out->sensitive[i], out->values[i].place_of,
                                  &out->pairs[i]);
    kan_free(out->run, part_of);
    return status;
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
    if (!rows->person_of && rows->n_columns > 0 &&
        kan_recount_can_join(run, rows->table, rows->n_quasi + rows->n_columns))
        return group_joined(run, rows, out);
    const bool is_told = rows->person_of || rows->n_columns > 0;
    KAN_TRY(kan_recount_group(run, rows->table, rows->quasi, rows->n_quasi,
                              is_told ? &follower : NULL, &out->groups));
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
    if (groups->has_parts)
        kan_tuples_destroy(&groups->parts);
}
