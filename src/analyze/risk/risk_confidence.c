/* Rows are counted by group, and by group and value; then every pair is a share of its group. */
#include "analyze/risk/risk_confidence.h"

#include "analyze/verify/verify.h"

enum { ROWS_BETWEEN_CHECKS = 1 << 14 };

typedef struct {
    size_t group, code;
} pair;

typedef struct {
    kan_tuples groups;
    size_t n_columns;
    kan_tuples *pairs; /* by column */
} counting;

static kan_status count_rows(kan_run *run, const kan_confidence_question *question, uint32_t *key,
                             counting *c) {
    for (uint64_t row = 0; row < question->n_rows; row++) {
        pair one = {0, 0};
        size_t index;
        if (row % ROWS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(run));
        if (!question->find_group(question->context, row, key))
            continue;
        KAN_TRY(kan_tuples_add(&c->groups, key, row, &one.group));
        for (size_t i = 0; i < c->n_columns; i++) {
            one.code = kan_column_code(question->columns[i], row);
            KAN_TRY(kan_tuples_add(&c->pairs[i], &one, row, &index));
        }
    }
    return KAN_OK;
}

static kan_status take_column(kan_run *run, const kan_tuples *groups, const kan_tuples *pairs,
                              uint32_t n_codes, kan_confidence *out) {
    kan_confidence found = {0};
    uint8_t *is_seen;
    KAN_TRY(kan_alloc_zero(run, n_codes, 1, &is_seen));
    for (size_t i = 0; i < pairs->n; i++) {
        const pair *at = kan_tuples_at(pairs, i);
        const uint64_t part = pairs->count[i], whole = groups->count[at->group];
        if (found.whole == 0 || kan_model_compare(part, whole, found.part, found.whole) > 0) {
            found.part = part;
            found.whole = whole;
        }
        found.n_rows_certain += part == whole ? whole : 0;
        found.n_values += !is_seen[at->code];
        is_seen[at->code] = 1;
    }
    kan_free(run, is_seen);
    *out = found;
    return KAN_OK;
}

kan_status kan_confidence_measure(kan_run *run, const kan_confidence_question *question,
                                  kan_confidence *out) {
    counting c = {0};
    uint32_t *key = NULL;
    kan_status status;
    kan_tuples_init(&c.groups, run, question->n_words * sizeof *key);
    KAN_TRY_DONE(kan_alloc_zero(run, question->n_words, sizeof *key, &key));
    KAN_TRY_DONE(kan_alloc_zero(run, question->n_columns, sizeof *c.pairs, &c.pairs));
    for (; c.n_columns < question->n_columns; c.n_columns++)
        kan_tuples_init(&c.pairs[c.n_columns], run, sizeof(pair));
    KAN_TRY_DONE(count_rows(run, question, key, &c));
    for (size_t i = 0; i < c.n_columns; i++)
        KAN_TRY_DONE(
            take_column(run, &c.groups, &c.pairs[i], question->columns[i]->dictionary.n, &out[i]));
done:
    for (size_t i = 0; i < c.n_columns; i++)
        kan_tuples_destroy(&c.pairs[i]);
    kan_tuples_destroy(&c.groups);
    kan_free(run, c.pairs);
    kan_free(run, key);
    return status;
}
