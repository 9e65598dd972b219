/* Labels that mean less than they say: see kan_shape_count_narrow. A label is narrow if more values of released
 * rows lie below it than rows show by it. O(rows), and memory for distinct pairs of a label and a value. */
#include "analyze/recodings/labels.h"

typedef struct {
    uint64_t *n_cells; /* by label: rows that show it, of those whose original is known */
    uint64_t *n_shown; /* values below it that such a row shows by it */
    uint64_t *n_below; /* values below it that such a row has */
    uint8_t *is_met;   /* by value: such a row has it */
    uint64_t n_met;
} usage;

/* A label of level 0 alone is one value, and intervals are named by what they hold. */
static bool is_node(const kan_labels *l, uint32_t code) {
    return l->levels[code] > 1;
}

static kan_status read_rows(const kan_shape *shape, const kan_labels *l, usage *u) {
    enum { ROWS_BETWEEN_CHECKS = 1 << 16 };
    const kan_shape_question *q = shape->question;
    kan_tuples pairs;
    kan_status status = KAN_OK;
    kan_tuples_init(&pairs, shape->run, 2 * sizeof(uint32_t));
    for (uint64_t row = 0; row < q->release->n_rows; row++) {
        if (q->row_of[row] == KAN_NO_ROW)
            continue;
        const uint32_t pair[2] = {kan_column_code(l->column, row),
                                  kan_column_code(l->relation.original, q->row_of[row])};
        const size_t n_pairs = pairs.n;
        size_t number = n_pairs;
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY_DONE(kan_check_cancel(shape->run));
        u->n_cells[pair[0]]++;
        u->n_met += !u->is_met[pair[1]];
        u->is_met[pair[1]] = 1;
        if (!is_node(l, pair[0]))
            continue;
        KAN_TRY_DONE(kan_tuples_add(&pairs, pair, row, &number));
        u->n_shown[pair[0]] +=
            number == n_pairs && kan_relation_covers(&l->relation, pair[0], pair[1]);
    }
done:
    kan_tuples_destroy(&pairs);
    return status;
}

static bool is_on_path(const kan_relation *relation, uint32_t value, unsigned n, uint32_t code) {
    const uint32_t *shown_as = relation->shown_as + (size_t)value * relation->n_levels;
    for (unsigned level = 0; level < n; level++)
        if (shown_as[level] == code)
            return true;
    return false;
}

/* By the hierarchy each label above a value, once; by what a label lists what is not above it anyway. */
static void count_below(const kan_labels *l, usage *u) {
    const kan_relation *relation = &l->relation;
    for (uint32_t value = 0; value < l->n_values; value++)
        for (unsigned level = 0; u->is_met[value] && level < relation->n_levels; level++) {
            const uint32_t code = relation->shown_as[value * (size_t)relation->n_levels + level];
            if (code != KAN_NO_CODE && !is_on_path(relation, value, level, code))
                u->n_below[code]++;
        }
    for (uint32_t code = 0; code < l->n && relation->run_start; code++)
        for (size_t i = relation->run_start[code];
             is_node(l, code) && i < relation->run_start[code + 1]; i++)
            for (uint32_t value = relation->runs[i].first; value < relation->runs[i].end; value++)
                u->n_below[code] +=
                    u->is_met[value] && !is_on_path(relation, value, relation->n_levels, code);
    if (relation->star != KAN_NO_CODE)
        u->n_below[relation->star] = u->n_met;
}

static kan_status count_column(const kan_shape *shape, const kan_labels *l, uint64_t *count) {
    kan_run *run = shape->run;
    usage u = {0};
    bool has_nodes = false;
    kan_status status;
    *count = 0;
    for (uint32_t code = 0; code < l->n && !has_nodes; code++)
        has_nodes = is_node(l, code);
    if (!has_nodes)
        return KAN_OK;
    KAN_TRY_DONE(kan_alloc_zero(run, l->n, sizeof *u.n_cells, &u.n_cells));
    KAN_TRY_DONE(kan_alloc_zero(run, l->n, sizeof *u.n_shown, &u.n_shown));
    KAN_TRY_DONE(kan_alloc_zero(run, l->n, sizeof *u.n_below, &u.n_below));
    KAN_TRY_DONE(kan_alloc_zero(run, l->n_values, sizeof *u.is_met, &u.is_met));
    KAN_TRY_DONE(read_rows(shape, l, &u));
    count_below(l, &u);
    for (uint32_t code = 0; code < l->n; code++)
        if (is_node(l, code) && u.n_shown[code] < u.n_below[code])
            *count += u.n_cells[code];
done:
    kan_free(run, u.n_cells);
    kan_free(run, u.n_shown);
    kan_free(run, u.n_below);
    kan_free(run, u.is_met);
    return status;
}

kan_status kan_shape_count_narrow(kan_run *run, const kan_shape_question *question,
                                  uint64_t *counts) {
    kan_shape shape;
    kan_status status = kan_shape_make(run, question, false, &shape);
    for (size_t c = 0; c < question->n_columns && status == KAN_OK; c++)
        status = count_column(&shape, &shape.labels[c], &counts[c]);
    kan_shape_destroy(&shape);
    return status;
}
