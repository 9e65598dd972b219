/* Rules of models that recode whole combinations of values.
 *
 * A distinct row of labels is a box: all combinations of values that its labels cover. Disjoint
 * boxes are a function of the combination, and one that maps all of a box alike, so that the rules
 * of full-subgraph and of ordered regions are that no two boxes have a combination in common; it is
 * read off the labels alone. Two nodes of a hierarchy have a value in common exactly if one of them
 * lies above the other, and then every value below the lower one, whichever the data has; so values
 * of the data decide it for those that it lacks, too.
 *
 * Boxes are compared through the column in which the fewest pairs of them meet: only pairs whose
 * labels there meet are looked at further. For each column a table says how many values each two
 * labels share, none, one or more; of ordered models also numbers that no row has, by the bounds of
 * ranges. */
#include <stdlib.h>

#include "analyze/recodings/spans.h"

enum { MOST_LABELS = 8192, SHARES_MANY = 2 };
/* Pairs of boxes that are compared before it is too much: some ten seconds. */
#define MOST_PAIRS (UINT64_C(1) << 32)

/* Labels that two boxes show in a column, and what they share. */
typedef struct {
    size_t n;
    uint32_t *label_of; /* by code of the release: its number, shown ones alone */
    uint8_t *shared;    /* n * n */
    uint64_t *n_boxes;  /* by label */
} meetings;

typedef struct {
    const kan_shape *shape;
    meetings columns[KAN_MAX_ATTRIBUTES];
    size_t *boxes; /* by tuple, sorted by the label in the column `by` */
    size_t *start; /* where those of a label begin */
    size_t by;
    uint8_t most; /* values that two boxes may share in some column to be apart */
    bool is_ordered;
} comparison;

/* ---- what labels share ---------------------------------------------------------------------- */

static void share(meetings *m, size_t a, size_t b) {
    uint8_t *count = &m->shared[a * m->n + b];
    *count = *count < SHARES_MANY ? *count + 1 : *count;
}

static kan_status number_labels(const kan_shape *shape, const kan_labels *l, meetings *out) {
    KAN_TRY(kan_alloc(shape->run, l->n, sizeof *out->label_of, &out->label_of));
    for (uint32_t code = 0; code < l->n; code++)
        out->label_of[code] = l->first_row[code] ? (uint32_t)out->n++ : KAN_NO_CODE;
    return KAN_OK;
}

static kan_status count_shared(const kan_shape *shape, size_t c, meetings *m) {
    const kan_labels *l = &shape->labels[c];
    size_t n_here;
    uint32_t *here; /* labels that cover a value */
    KAN_TRY(kan_alloc_zero(shape->run, m->n * m->n, sizeof *m->shared, &m->shared));
    KAN_TRY(kan_alloc_zero(shape->run, m->n, sizeof *m->n_boxes, &m->n_boxes));
    for (size_t i = 0; i < shape->tuples.n; i++)
        if (!kan_shape_skips(shape, i))
            m->n_boxes[m->label_of[kan_shape_tuple(shape, i)[c]]]++;
    KAN_TRY(kan_alloc(shape->run, m->n, sizeof *here, &here));
    for (uint32_t value = 0; value < l->n_values; value++) {
        n_here = 0;
        for (uint32_t code = 0; code < l->n; code++)
            if (l->first_row[code] && kan_relation_covers(&l->relation, code, value))
                here[n_here++] = m->label_of[code];
        for (size_t a = 0; a < n_here; a++)
            for (size_t b = 0; b < n_here; b++)
                share(m, here[a], here[b]);
    }
    kan_free(shape->run, here);
    return kan_check_cancel(shape->run);
}

/* Ranges overlap by their bounds, whether or not there is a value. */
static kan_status compare_ranges(const kan_shape *shape, size_t c, meetings *m) {
    kan_spans s;
    const kan_status status = kan_spans_make(shape->run, &shape->labels[c], &s);
    for (size_t i = 0; i < s.n && status == KAN_OK; i++)
        for (size_t j = i + 1; j < s.n && s.spans[j].lo <= s.spans[i].hi; j++) {
            const size_t a = m->label_of[s.spans[i].code], b = m->label_of[s.spans[j].code];
            for (unsigned n = kan_span_shares(&s.spans[i], &s.spans[j]);
                 a != b && m->shared[a * m->n + b] < n;) {
                share(m, a, b);
                share(m, b, a);
            }
        }
    kan_spans_destroy(&s);
    return status;
}

/* A label meets itself, whatever it covers: two rows that show it may have the same value. */
static bool meet(const comparison *x, size_t c, uint32_t a, uint32_t b) {
    const meetings *m = &x->columns[c];
    return m->shared[m->label_of[a] * m->n + m->label_of[b]] > x->most;
}

/* Pairs of boxes that meet in a column. */
static uint64_t count_pairs(const meetings *m, uint8_t most) {
    uint64_t n = 0;
    for (size_t a = 0; a < m->n; a++)
        for (size_t b = 0; b < m->n; b++)
            if (m->shared[a * m->n + b] > most)
                n += m->n_boxes[a] * m->n_boxes[b];
    return n;
}

/* ---- boxes ---------------------------------------------------------------------------------- */

static bool boxes_meet(const comparison *x, const uint32_t *a, const uint32_t *b) {
    for (size_t c = 0; c < x->shape->n_columns; c++)
        if (!meet(x, c, a[c], b[c]))
            return false;
    return true;
}

/* Boxes by their label in the chosen column: a counting sort. */
static kan_status sort_boxes(comparison *x) {
    const kan_shape *shape = x->shape;
    const meetings *m = &x->columns[x->by];
    KAN_TRY(kan_alloc(shape->run, shape->tuples.n, sizeof *x->boxes, &x->boxes));
    KAN_TRY(kan_alloc_zero(shape->run, m->n + 2, sizeof *x->start, &x->start));
    for (size_t label = 0; label < m->n; label++)
        x->start[label + 2] = x->start[label + 1] + (size_t)m->n_boxes[label];
    for (size_t i = 0; i < shape->tuples.n; i++)
        if (!kan_shape_skips(shape, i))
            x->boxes[x->start[m->label_of[kan_shape_tuple(shape, i)[x->by]] + 1]++] = i;
    return KAN_OK;
}

static kan_status compare_boxes(const comparison *x, kan_shape_verdict *out, const char *fault) {
    const kan_shape *shape = x->shape;
    const meetings *m = &x->columns[x->by];
    for (size_t a = 0; a < m->n; a++) {
        KAN_TRY(kan_check_cancel(shape->run));
        for (size_t b = a; b < m->n; b++) {
            if (m->shared[a * m->n + b] <= x->most)
                continue;
            for (size_t i = x->start[a]; i < x->start[a + 1]; i++)
                for (size_t j = a == b ? i + 1 : x->start[b]; j < x->start[b + 1]; j++)
                    if (boxes_meet(x, kan_shape_tuple(shape, x->boxes[i]),
                                   kan_shape_tuple(shape, x->boxes[j]))) {
                        kan_shape_blame(out, NULL, shape->tuples.first_row[x->boxes[i]] + 1,
                                        shape->tuples.first_row[x->boxes[j]] + 1, fault);
                        return KAN_OK;
                    }
        }
    }
    return KAN_OK;
}

/* ---- the rule ------------------------------------------------------------------------------- */

static const char too_much[] = "whether any two rows overlap: there are too many different ones";

/* Labels of each column, and the column in which the fewest pairs meet. False: too many. */
static kan_status prepare(comparison *x, bool *is_possible) {
    const kan_shape *shape = x->shape;
    uint64_t fewest = UINT64_MAX;
    *is_possible = true;
    for (size_t c = 0; c < shape->n_columns; c++) {
        KAN_TRY(number_labels(shape, &shape->labels[c], &x->columns[c]));
        if (x->columns[c].n > MOST_LABELS) {
            *is_possible = false;
            return KAN_OK;
        }
    }
    for (size_t c = 0; c < shape->n_columns; c++) {
        KAN_TRY(count_shared(shape, c, &x->columns[c]));
        if (x->is_ordered)
            KAN_TRY(compare_ranges(shape, c, &x->columns[c]));
        const uint64_t n = count_pairs(&x->columns[c], x->most);
        if (n < fewest) {
            fewest = n;
            x->by = c;
        }
    }
    *is_possible = fewest <= MOST_PAIRS;
    return *is_possible ? sort_boxes(x) : KAN_OK;
}

static void destroy(comparison *x) {
    for (size_t c = 0; c < x->shape->n_columns; c++) {
        kan_free(x->shape->run, x->columns[c].label_of);
        kan_free(x->shape->run, x->columns[c].shared);
        kan_free(x->shape->run, x->columns[c].n_boxes);
    }
    kan_free(x->shape->run, x->boxes);
    kan_free(x->shape->run, x->start);
}

static kan_status check_apart(const kan_shape *shape, uint8_t most, bool is_ordered,
                              const char *fault, kan_shape_verdict *out) {
    comparison x = {.shape = shape, .most = most, .is_ordered = is_ordered};
    bool is_possible;
    kan_status status = prepare(&x, &is_possible);
    if (status == KAN_OK && is_possible)
        status = compare_boxes(&x, out, fault);
    else if (status == KAN_OK)
        out->unchecked = too_much;
    destroy(&x);
    return status;
}

kan_status kan_rule_full_subgraph(const kan_shape *shape, kan_shape_verdict *out) {
    kan_rule_shows_nodes(shape, out);
    return check_apart(shape, 0, false, "cover the same combination of values", out);
}

/* What a label covers of numbers or dates is not interrupted by a value that it does not cover. */
static void check_intervals(const kan_labels *l, kan_shape_verdict *out) {
    const kan_dictionary *values = &l->relation.original->dictionary;
    for (uint32_t code = 0; code < l->n && values->type != KAN_TYPE_TEXT; code++) {
        bool has_begun = false, is_over = false;
        for (uint32_t value = 0; l->first_row[code] && value < values->n; value++) {
            if (kan_value_is_unknown(kan_dictionary_value(values, value)))
                continue;
            const bool is_in = kan_relation_covers(&l->relation, code, value);
            if (is_in && is_over)
                kan_shape_blame(out, l, l->first_row[code], 0,
                                "shows a set of values that is no interval of their order");
            is_over = has_begun && !is_in;
            has_begun |= is_in;
        }
    }
}

static void check_all_intervals(const kan_shape *shape, kan_shape_verdict *out) {
    for (size_t c = 0; c < shape->n_columns; c++)
        check_intervals(&shape->labels[c], out);
}

kan_status kan_rule_ordered_regions(const kan_shape *shape, kan_shape_verdict *out) {
    check_all_intervals(shape, out);
    return check_apart(shape, 0, true, "cover the same combination of values", out);
}

/* A cut leaves its two sides one value in common at most, and nothing that follows gives them more;
 * that is all that two boxes owe each other. */
kan_status kan_rule_relaxed_regions(const kan_shape *shape, kan_shape_verdict *out) {
    check_all_intervals(shape, out);
    return check_apart(shape, 1, true, "have more than a border in common in every column", out);
}

/* ---- unrestricted --------------------------------------------------------------------------- */

/* Each combination of values is shown by one row of labels. */
static kan_status check_tuples(const kan_shape *shape, kan_tuples *tuples, uint64_t *shown_in,
                               kan_shape_verdict *out) {
    const kan_shape_question *q = shape->question;
    uint32_t tuple[KAN_MAX_ATTRIBUTES];
    for (uint64_t row = 0; row < q->release->n_rows && out->holds; row++) {
        size_t number;
        if (q->row_of[row] == KAN_NO_ROW || kan_shape_leaves_out(shape, row))
            continue;
        for (size_t c = 0; c < shape->n_columns; c++)
            tuple[c] = kan_column_code(shape->labels[c].relation.original, q->row_of[row]);
        const size_t n_before = tuples->n;
        KAN_TRY(kan_tuples_add(tuples, tuple, row, &number));
        if (number == n_before)
            shown_in[number] = row;
        for (size_t c = 0; c < shape->n_columns; c++)
            if (kan_column_code(shape->labels[c].column, row) !=
                kan_column_code(shape->labels[c].column, shown_in[number]))
                kan_shape_blame(out, NULL, shown_in[number] + 1, row + 1,
                                "show the same combination of values differently");
    }
    return KAN_OK;
}

kan_status kan_rule_unrestricted_multi(const kan_shape *shape, kan_shape_verdict *out) {
    const kan_shape_question *q = shape->question;
    kan_tuples tuples;
    uint64_t *shown_in;
    kan_rule_shows_nodes(shape, out);
    if (!q->row_of || !q->knows_all)
        out->unchecked =
            q->row_of ? "whether a combination is shown alike in rows whose original is not known"
                      : "whether a combination of values is shown alike in all rows";
    if (!q->row_of)
        return KAN_OK;
    KAN_TRY(kan_alloc(shape->run, q->release->n_rows, sizeof *shown_in, &shown_in));
    kan_tuples_init(&tuples, shape->run, shape->n_columns * sizeof(uint32_t));
    const kan_status status = check_tuples(shape, &tuples, shown_in, out);
    kan_tuples_destroy(&tuples);
    kan_free(shape->run, shown_in);
    return status;
}
