/* Groups by sets of columns, counted again: every set of the promised sizes, one after the other, with
 * what its columns show as a tuple. Nothing is inferred from other sets. O(groups) for each. Matches by
 * sets of columns likewise: each is counted by itself, as all columns are. */
#include <inttypes.h>
#include <string.h>

#include "analyze/verify/recount_fits.h"
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

/* ---- matches ---------------------------------------------------------------------------------- */

enum { MOST_SETS = 100000 };

typedef struct {
    kan_run *run;
    const kan_fits_question *question;
    kan_fits_recount *sum;
    size_t chosen[KAN_FITS_COLUMNS]; /* places, ascending */
} telling;

static kan_status refuse_size(kan_run *run, uint64_t m, size_t n_columns) {
    return kan_fail(run, KAN_BAD_INPUT,
                    "--subsets: there are no sets of %" PRIu64 " columns among %zu "
                    "quasi-identifiers; write at most as many as there are",
                    m, n_columns);
}

/* What is worst counts. */
static void take_worst(kan_fits_recount *sum, const kan_fits_recount *one) {
    if (sum->n_sets++ == 0) {
        const uint64_t n_failing = sum->n_failing_sets, n_hidden = sum->n_hidden;
        *sum = *one;
        sum->n_sets = 1;
        sum->n_failing_sets = n_failing;
        sum->n_hidden = n_hidden;
    }
    sum->holds &= one->holds;
    sum->n_failing_sets += !one->holds;
    sum->k = one->k > sum->k ? one->k : sum->k;
    if (one->fewest_people < sum->fewest_people)
        sum->fewest_people = one->fewest_people;
    if (one->fewest_rows < sum->fewest_rows)
        sum->fewest_rows = one->fewest_rows;
    if (one->n_small_people > sum->n_small_people)
        sum->n_small_people = one->n_small_people;
    if (one->n_open_rows > sum->n_open_rows)
        sum->n_open_rows = one->n_open_rows;
    if (one->n_open_people > sum->n_open_people)
        sum->n_open_people = one->n_open_people;
    if (one->average_risk > sum->average_risk)
        sum->average_risk = one->average_risk;
    if (one->n_small_rows > sum->n_small_rows || sum->n_examples == 0) {
        sum->n_examples = one->n_examples;
        for (size_t i = 0; i < one->n_examples; i++)
            sum->examples[i] = one->examples[i];
    }
    if (one->n_small_rows > sum->n_small_rows)
        sum->n_small_rows = one->n_small_rows;
}

static kan_status match_set(telling *t, size_t m, uint64_t k) {
    const kan_fits_question *whole = t->question;
    size_t released[KAN_FITS_COLUMNS], originals[KAN_FITS_COLUMNS];
    kan_fits_question asked = *whole;
    kan_fits_recount one;
    for (size_t i = 0; i < m; i++) {
        released[i] = whole->released[t->chosen[i]];
        originals[i] = whole->originals[t->chosen[i]];
    }
    if (whole->has_strata) {
        released[m] = whole->released[whole->n_columns - 1];
        originals[m] = whole->originals[whole->n_columns - 1];
    }
    asked.released = released;
    asked.originals = originals;
    asked.n_columns = m + whole->has_strata;
    asked.k = k;
    asked.sizes = NULL;
    if (t->sum->n_sets >= MOST_SETS)
        return kan_fail(t->run, KAN_BAD_INPUT,
                        "--subsets: more than %d sets of columns are too many to be counted; name "
                        "fewer quasi-identifiers, or smaller sets",
                        (int)MOST_SETS);
    KAN_TRY(kan_verify_fits(t->run, &asked, &one));
    take_worst(t->sum, &one);
    return KAN_OK;
}

/* Cells of * and missing ones, column by column. */
static uint64_t count_cells(const kan_fits_question *q) {
    uint64_t n = 0;
    for (size_t c = 0; c < q->n_columns - q->has_strata; c++) {
        const kan_column *column = &q->release->columns[q->released[c]];
        for (uint64_t row = 0; row < q->release->n_rows; row++) {
            const kan_slice shown = kan_column_value(column, row);
            if ((shown.size == 0 || kan_slice_is(shown, "*")) &&
                !(q->is_unseen && q->is_unseen[row]))
                n += q->release->counts ? q->release->counts[row] : 1;
        }
    }
    return n + q->least_blank * (q->n_columns - q->has_strata);
}

kan_status kan_verify_fits_sets(kan_run *run, const kan_fits_question *question,
                                const kan_column_sets *subsets, kan_fits_recount *out) {
    const size_t n = question->n_columns - question->has_strata;
    telling t = {.run = run, .question = question, .sum = out};
    if (subsets->n == 0)
        return kan_verify_fits(run, question, out);
    if (question->n_columns > KAN_FITS_COLUMNS)
        return kan_fail(run, KAN_BAD_INPUT, "--missing-matches looks at up to %d columns",
                        (int)KAN_FITS_COLUMNS);
    *out = (kan_fits_recount){.n_hidden = count_cells(question)};
    for (unsigned i = 0; i < subsets->n; i++) {
        if (subsets->sizes[i].m == 0 || subsets->sizes[i].m > n)
            return refuse_size(run, subsets->sizes[i].m, n);
        const size_t m = (size_t)subsets->sizes[i].m;
        for (size_t c = 0; c < m; c++)
            t.chosen[c] = c;
        do
            KAN_TRY(match_set(&t, m, subsets->sizes[i].k));
        while (next_set(t.chosen, m, n));
    }
    return KAN_OK;
}
