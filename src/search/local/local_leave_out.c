/* Rows that are left out before a local recoding begins, where all rows together fail.
 *
 * All rows together are the last resort of every local recoding: while they keep the promise, what
 * is left over can always be shown as they are. (For promises that no merge breaks, all rows
 * failing also means that no recoding of them is possible: alpha-k.txt, Lemma 1.) So as few rows as
 * will do are left out: of a value that is too frequent (local_thin.c), or, where that does not
 * help, of any kinds, fewer rows before more, as long as there are not too many ways. */
#include <stdlib.h>

#include "search/local/local_inside.h"

static int compare_counts(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] < y[1] ? -1 : x[1] > y[1]);
}

/* Leaves out rows of each kind: of tuples with the fewest rows first, for they would lose most. */
static kan_status lose_rows(kan_local_clusters *clusters, uint64_t *rows, kan_kind_rows *gone) {
    const kan_local_space *space = clusters->space;
    kan_status status = KAN_OK;
    uint64_t(*pairs)[2];
    KAN_TRY(kan_alloc(space->run, space->n_tuples, sizeof *pairs, &pairs));
    for (size_t t = 0; t < space->n_tuples; t++) {
        pairs[t][0] = rows[t];
        pairs[t][1] = t;
    }
    qsort(pairs, space->n_tuples, sizeof *pairs, compare_counts);
    for (size_t i = 0; i < space->n_tuples && status == KAN_OK; i++) {
        const size_t t = (size_t)pairs[i][1];
        uint64_t *left = &gone->rows[space->kind[t]];
        const uint64_t n = rows[t] < *left ? rows[t] : *left;
        status = kan_bundles_add(space, &clusters->lost, (uint32_t)t, n);
        clusters->n_lost += n;
        rows[t] -= n;
        *left -= n;
    }
    kan_free(space->run, pairs);
    return status;
}

/* ---- all ways -------------------------------------------------------------------------------- */

enum { MOST_TRIALS = 1 << 18 };

typedef struct {
    const kan_local_space *space;
    kan_local_tally *tally;    /* what stays */
    const kan_kind_rows *rows; /* all rows */
    kan_kind_rows *gone;
    unsigned n_trials;
} removal;

/* Takes n rows out of the kinds from the `first` on, in all ways, until what stays passes. */
static kan_status take_out(removal *r, uint32_t first, uint64_t n, bool *passes) {
    const kan_local_space *space = r->space;
    if (n == 0) {
        r->n_trials++;
        *passes = kan_local_tally_passes(space, r->tally);
        return KAN_OK;
    }
    for (uint32_t i = first; i < r->rows->n_used && r->n_trials < MOST_TRIALS; i++) {
        const uint32_t kind = r->rows->used[i], example = space->example[kind];
        const uint64_t all = r->rows->rows[kind];
        for (uint64_t m = 1; m <= all && m <= n; m++) {
            kan_local_tally_remove(space, r->tally, example, m);
            KAN_TRY(take_out(r, i + 1, n - m, passes));
            if (*passes) {
                kan_kind_rows_add(r->gone, kind, m);
                return KAN_OK;
            }
            KAN_TRY(kan_local_tally_add(space, r->tally, example, m));
        }
    }
    return KAN_OK;
}

/* Kinds follow each other as deep as that goes: a table of few kinds, or a small limit. */
static kan_status try_all(removal *r, bool *passes) {
    enum { MOST_KINDS = 64 };
    const uint64_t limit = r->space->limit;
    for (uint64_t n = 1; n <= limit && n < r->tally->n_rows && !*passes &&
                         r->n_trials < MOST_TRIALS && r->rows->n_used <= MOST_KINDS;
         n++) {
        KAN_TRY(kan_check_cancel(r->space->run));
        KAN_TRY(take_out(r, 0, n, passes));
    }
    return KAN_OK;
}

static kan_status thin(const kan_local_space *space, kan_local_tally *tally, kan_kind_rows *counted,
                       kan_kind_rows *gone, bool *passes) {
    KAN_TRY(kan_local_thin(space, tally, counted, space->limit, gone, passes));
    if (*passes || space->question->promise->absorbs_any)
        return KAN_OK;
    KAN_TRY(kan_local_tally_add_kinds(space, tally, gone)); /* all are there again */
    for (uint32_t i = 0; i < gone->n_used; i++)
        counted->rows[gone->used[i]] += gone->rows[gone->used[i]];
    kan_kind_rows_clear(gone);
    removal all_ways = {.space = space, .tally = tally, .rows = counted, .gone = gone};
    return try_all(&all_ways, passes);
}

/* ---- fitting --------------------------------------------------------------------------------- */

static kan_status fit(kan_local_clusters *clusters, uint64_t *rows, kan_kind_rows *counted,
                      kan_kind_rows *gone, bool *passes) {
    const kan_local_space *space = clusters->space;
    kan_local_tally tally;
    for (size_t t = 0; t < space->n_tuples; t++)
        kan_kind_rows_add(counted, space->kind[t], rows[t]);
    kan_status status = kan_local_tally_make(space, &tally);
    if (status == KAN_OK)
        status = kan_local_tally_add_kinds(space, &tally, counted);
    if (status == KAN_OK) {
        *passes = kan_local_tally_passes(space, &tally);
        if (!*passes)
            status = thin(space, &tally, counted, gone, passes);
    }
    if (status == KAN_OK && *passes && gone->n_used > 0)
        status = lose_rows(clusters, rows, gone);
    kan_local_tally_destroy(space, &tally);
    return status;
}

kan_status kan_local_fit(kan_local_clusters *clusters, uint64_t *rows, bool *passes) {
    const kan_local_space *space = clusters->space;
    kan_kind_rows counted = {.n_used = 0}, gone = {.n_used = 0};
    kan_status status = kan_kind_rows_make(space, &counted);
    if (status == KAN_OK)
        status = kan_kind_rows_make(space, &gone);
    if (status == KAN_OK)
        status = fit(clusters, rows, &counted, &gone, passes);
    kan_kind_rows_destroy(space, &counted);
    kan_kind_rows_destroy(space, &gone);
    return status;
}
