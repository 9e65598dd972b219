/* Rows by their texts: a stable sort by each column, the last one first. */
#include "job/release/shown_order.h"

#include <stdlib.h>

typedef struct {
    kan_slice text;
    uint32_t code;
} named_label;

static int compare_labels(const void *a, const void *b) {
    const named_label *x = a, *y = b;
    const int order = kan_slice_compare(x->text, y->text);
    return order != 0 ? order : (x->code > y->code) - (x->code < y->code);
}

/* rank[code] of each label, rank[n_labels] of a hidden one; equal texts have one rank. */
static kan_status rank_labels(kan_run *run, const kan_release_column *column, uint32_t *rank) {
    const uint32_t n = column->n_labels + 1;
    named_label *labels;
    KAN_TRY(kan_alloc(run, n, sizeof *labels, &labels));
    for (uint32_t code = 0; code < column->n_labels; code++)
        labels[code] = (named_label){column->labels[code], code};
    labels[column->n_labels] = (named_label){kan_slice_of("*"), column->n_labels};
    qsort(labels, n, sizeof *labels, compare_labels);
    for (uint32_t i = 0, at = 0; i < n; i++) {
        at += i > 0 && kan_slice_compare(labels[i - 1].text, labels[i].text) != 0;
        rank[labels[i].code] = at;
    }
    kan_free(run, labels);
    return KAN_OK;
}

typedef struct {
    uint32_t *rank;
    uint64_t *first; /* by rank: where its rows begin */
    uint64_t *to;
} sorting;

static void sort_by(const kan_release *release, const kan_release_column *column, const sorting *s,
                    const uint64_t *from) {
    const uint32_t n = column->n_labels + 1;
    for (uint32_t i = 0; i <= n; i++)
        s->first[i] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t i = 0; i < release->n_rows; i++) {
            const uint64_t row = from[i];
            const uint32_t rank = kan_release_hides(release, column, row)
                                      ? s->rank[column->n_labels]
                                      : s->rank[kan_release_code(release, column, row)];
            if (pass == 0)
                s->first[rank + 1]++;
            else
                s->to[s->first[rank]++] = row;
        }
        for (uint32_t i = 0; i < n && pass == 0; i++)
            s->first[i + 1] += s->first[i];
    }
}

static kan_status sort_rows(kan_run *run, const kan_release *release, uint64_t **order,
                            uint64_t **other) {
    for (size_t c = release->n_columns; c-- > 0;) {
        const kan_release_column *column = &release->columns[c];
        sorting s = {.to = *other};
        KAN_ASSERT(!column->passes_through);
        KAN_TRY(kan_check_cancel(run));
        kan_status status = kan_alloc(run, (size_t)column->n_labels + 1, sizeof *s.rank, &s.rank);
        if (status == KAN_OK)
            status = kan_alloc(run, (size_t)column->n_labels + 2, sizeof *s.first, &s.first);
        if (status == KAN_OK)
            status = rank_labels(run, column, s.rank);
        if (status == KAN_OK)
            sort_by(release, column, &s, *order);
        kan_free(run, s.rank);
        kan_free(run, s.first);
        KAN_TRY(status);
        uint64_t *const before = *order;
        *order = *other;
        *other = before;
    }
    return KAN_OK;
}

kan_status kan_shown_order(kan_run *run, const kan_release *release, uint64_t **out) {
    uint64_t *order, *other;
    KAN_TRY(kan_alloc(run, (size_t)release->n_rows, sizeof *order, &order));
    kan_status status = kan_alloc(run, (size_t)release->n_rows, sizeof *other, &other);
    if (status == KAN_OK) {
        for (uint64_t row = 0; row < release->n_rows; row++)
            order[row] = row;
        status = sort_rows(run, release, &order, &other);
        kan_free(run, other);
    }
    if (status == KAN_OK)
        *out = order;
    else
        kan_free(run, order);
    return status;
}
