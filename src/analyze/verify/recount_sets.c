/* Groups by sets of columns, counted again: every set of the promised sizes, one after the other, with
 * what its columns show as a tuple. Nothing is inferred from other sets. O(groups) for each. */
#include <string.h>

#include "analyze/verify/recount_model.h"

typedef struct {
    kan_run *run;
    const kan_models_question *question;
    const kan_tuples *groups;
    size_t *part;    /* by group: which tuple of the set's it shows */
    uint32_t *tuple; /* room for one */
    size_t *columns; /* of the set in hand: numbers of quasi-identifiers, ascending */
    kan_set_recount out;
} set_counting;

static kan_status count_set(set_counting *c, size_t m, uint64_t k) {
    const kan_models_question *q = c->question;
    const kan_tuples *groups = c->groups;
    kan_tuples parts;
    kan_status status = KAN_OK;
    kan_tuples_init(&parts, c->run, m * sizeof *c->tuple);
    for (size_t g = 0; g < groups->n && status == KAN_OK; g++) {
        for (size_t i = 0; i < m; i++)
            c->tuple[i] = kan_column_code(&q->release->columns[q->quasi[c->columns[i]]],
                                          groups->first_row[g]);
        status = kan_tuples_add_rows(&parts, c->tuple, groups->first_row[g], groups->count[g],
                                     &c->part[g]);
    }
    for (size_t g = 0; g < groups->n && status == KAN_OK; g++) {
        const uint64_t rows = parts.count[c->part[g]];
        c->out.fewest = c->out.fewest == 0 || rows < c->out.fewest ? rows : c->out.fewest;
        c->out.is_rare[g] |= rows < k;
    }
    kan_tuples_destroy(&parts);
    KAN_TRY(status);
    return kan_check_cancel(c->run);
}

/* The next set of m among n, in lexicographic order; false behind the last. */
static bool next_set(size_t *columns, size_t m, size_t n) {
    size_t i = m;
    while (i > 0 && columns[i - 1] == n - m + i - 1)
        i--;
    if (i == 0)
        return false;
    columns[i - 1]++;
    for (; i < m; i++)
        columns[i] = columns[i - 1] + 1;
    return true;
}

static kan_status count_sets(set_counting *c, size_t m, uint64_t k) {
    for (size_t i = 0; i < m; i++)
        c->columns[i] = i;
    do
        KAN_TRY(count_set(c, m, k));
    while (next_set(c->columns, m, c->question->n_quasi));
    return KAN_OK;
}

kan_status kan_recount_sets(kan_run *run, const kan_models_question *question,
                            const kan_tuples *groups, kan_set_recount *out) {
    const kan_column_sets *sets = &question->claim->subsets;
    const size_t n = question->n_quasi;
    set_counting c = {.run = run, .question = question, .groups = groups};
    kan_status status;
    if (kan_column_sets_most_columns(sets) > n)
        return kan_fail(run, KAN_BAD_INPUT,
                        "--subsets: there are no sets of %llu columns among %zu %s; write at most "
                        "%zu, which is all of them at once",
                        (unsigned long long)kan_column_sets_most_columns(sets), n,
                        kan_plural(n, "quasi-identifier", "quasi-identifiers"), n);
    KAN_TRY_DONE(kan_alloc_zero(run, groups->n + 1, 1, &c.out.is_rare));
    KAN_TRY_DONE(kan_alloc(run, groups->n + 1, sizeof *c.part, &c.part));
    KAN_TRY_DONE(kan_alloc_zero(run, n + 1, sizeof *c.tuple, &c.tuple));
    KAN_TRY_DONE(kan_alloc(run, n + 1, sizeof *c.columns, &c.columns));
    for (unsigned i = 0; i < sets->n; i++)
        KAN_TRY_DONE(count_sets(&c, (size_t)sets->sizes[i].m, sets->sizes[i].k));
    *out = c.out;
    c.out.is_rare = NULL;
done:
    kan_free(run, c.out.is_rare);
    kan_free(run, c.part);
    kan_free(run, c.tuple);
    kan_free(run, c.columns);
    return status;
}
