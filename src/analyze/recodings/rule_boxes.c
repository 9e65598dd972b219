/* Rules of models that recode whole combinations of values.
 *
 * A distinct row of labels is a box: all combinations of values that its labels cover. Disjoint
 * boxes are a function of the combination, and one that maps all of a box alike, so that the rules
 * of full-subgraph and of ordered regions are that no two boxes have a combination in common; it is
 * read off the labels alone. Two nodes of a hierarchy have a value in common exactly if one of them
 * lies above the other, and then every value below the lower one, whichever the data has; so values
 * of the data decide it for those that it lacks, too.
 *
 * Boxes are divided as a kd-tree divides points: at the place of the column (extents.h) that leaves the most of
 * them on its smaller side, and few on both sides; who is on both sides goes to both. Pairs that are
 * never together lie apart in some column, and few boxes that stay together are compared pair by pair.
 * Boxes that were made by cuts are divided by these cuts: O(n log n) of them. Others may take up to
 * all pairs, and are given up where that is too much. */
#include <stdlib.h>

#include "analyze/recodings/extents.h"

enum { FEW = 8 }; /* boxes that are compared pair by pair */
/* Labels that are looked at before it is too much: some ten seconds. */
#define MOST_WORK (UINT64_C(1) << 33)

typedef struct {
    const kan_shape *shape;
    kan_extents extents[KAN_MAX_ATTRIBUTES];
    uint8_t most; /* values that two boxes may share in some column to be apart */
    const char *fault;
    uint32_t *begun, *ended; /* scratch: by position, or sorted */
    uint64_t work;
    bool is_done; /* two boxes meet, or it is too much */
    kan_shape_verdict *out;
} comparison;

/* ---- pairs ---------------------------------------------------------------------------------- */

static bool boxes_meet(comparison *x, const uint32_t *a, const uint32_t *b) {
    for (size_t c = 0; c < x->shape->n_columns; c++)
        if (kan_extents_share(&x->extents[c], a[c], b[c], &x->work) <= x->most)
            return false;
    return true;
}

static void compare_pairs(comparison *x, const uint32_t *boxes, size_t n) {
    const kan_shape *shape = x->shape;
    for (size_t i = 0; i < n && !x->is_done; i++)
        for (size_t j = i + 1; j < n && !x->is_done; j++) {
            /* who went to both sides of a cut may be here twice */
            if (boxes[i] == boxes[j] ||
                !boxes_meet(x, kan_shape_tuple(shape, boxes[i]), kan_shape_tuple(shape, boxes[j])))
                continue;
            kan_shape_blame(x->out, NULL, shape->tuples.first_row[boxes[i]] + 1,
                            shape->tuples.first_row[boxes[j]] + 1, x->fault);
            x->is_done = true;
        }
    x->work += n * n;
}

/* ---- cuts ----------------------------------------------------------------------------------- */

/* Before a position of a column: boxes that end there are to the left, boxes that begin behind to the right. */
typedef struct {
    size_t column;
    uint32_t position;
    size_t n_left, n_right;
    int64_t gain; /* the smaller side, less those on both */
} cut;

typedef struct {
    uint32_t lower, upper;
} reach;

/* Boxes that reach nothing in common are apart. Where they may share a value, a cut goes through it. */
static reach reach_of(const comparison *x, size_t column, uint32_t box) {
    const kan_extent *e = &x->extents[column].of[kan_shape_tuple(x->shape, box)[column]];
    if (x->most == 0)
        return (reach){e->lower, e->upper};
    return (reach){2 * e->lower + e->lower % 2, 2 * e->upper - e->upper % 2};
}

static void offer(cut *best, size_t column, uint32_t position, size_t n, size_t n_left,
                  size_t n_right) {
    const int64_t both = (int64_t)(n - n_left - n_right);
    const int64_t gain = (int64_t)(n_left < n_right ? n_left : n_right) - both;
    if (gain > best->gain)
        *best = (cut){column, position, n_left, n_right, gain};
}

static int compare_numbers(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* By counting how many begin and end at each position from `least` on. */
static void sweep(comparison *x, const uint32_t *boxes, size_t n, size_t column, uint32_t least,
                  uint32_t n_positions, cut *best) {
    size_t n_begun = 0, n_ended = 0;
    memset(x->begun, 0, n_positions * sizeof *x->begun);
    memset(x->ended, 0, n_positions * sizeof *x->ended);
    for (size_t i = 0; i < n; i++) {
        const reach extent = reach_of(x, column, boxes[i]);
        x->begun[extent.lower - least]++;
        x->ended[extent.upper - least]++;
    }
    for (uint32_t at = 0; at < n_positions; at++) {
        if (x->begun[at] > 0)
            offer(best, column, least + at, n, n_ended, n - n_begun);
        n_begun += x->begun[at];
        n_ended += x->ended[at];
    }
}

/* The same, where there are far more positions than boxes. */
static void sweep_few(comparison *x, const uint32_t *boxes, size_t n, size_t column, cut *best) {
    size_t n_ended = 0;
    for (size_t i = 0; i < n; i++) {
        const reach extent = reach_of(x, column, boxes[i]);
        x->begun[i] = extent.lower;
        x->ended[i] = extent.upper;
    }
    qsort(x->begun, n, sizeof *x->begun, compare_numbers);
    qsort(x->ended, n, sizeof *x->ended, compare_numbers);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && x->begun[i] == x->begun[i - 1])
            continue;
        while (n_ended < n && x->ended[n_ended] < x->begun[i])
            n_ended++;
        offer(best, column, x->begun[i], n, n_ended, n - i);
    }
}

static cut find_cut(comparison *x, const uint32_t *boxes, size_t n) {
    cut best = {.gain = 0};
    for (size_t c = 0; c < x->shape->n_columns; c++) {
        uint32_t least = UINT32_MAX, most = 0;
        for (size_t i = 0; i < n; i++) {
            const reach extent = reach_of(x, c, boxes[i]);
            least = extent.lower < least ? extent.lower : least;
            most = extent.upper > most ? extent.upper : most;
        }
        if (most - least < 4 * n)
            sweep(x, boxes, n, c, least, most - least + 1, &best);
        else
            sweep_few(x, boxes, n, c, &best);
    }
    x->work += n * x->shape->n_columns;
    return best;
}

/* Boxes to the left first, then those on both sides, then those to the right. */
static void part(const comparison *x, uint32_t *boxes, size_t n, const cut *at) {
    size_t left = 0, right = n;
    for (size_t i = 0; i < right;) {
        const reach extent = reach_of(x, at->column, boxes[i]);
        const uint32_t box = boxes[i];
        if (extent.upper < at->position) {
            boxes[i++] = boxes[left];
            boxes[left++] = box;
        } else if (extent.lower >= at->position) {
            boxes[i] = boxes[--right];
            boxes[right] = box;
        } else {
            i++;
        }
    }
    KAN_ASSERT(left == at->n_left && n - right == at->n_right);
}

static kan_status divide(comparison *x, uint32_t *boxes, size_t n);

/* Those on both sides come with the right ones a second time: each side orders its own anew. */
static kan_status divide_right(comparison *x, const uint32_t *boxes, size_t n) {
    kan_run *run = x->shape->run;
    uint32_t *copy;
    KAN_TRY(kan_alloc(run, n, sizeof *copy, &copy));
    memcpy(copy, boxes, n * sizeof *copy);
    const kan_status status = divide(x, copy, n);
    kan_free(run, copy);
    return status;
}

/* The smaller side by a call, so that calls nest no deeper than sizes can be halved, more or less. */
static kan_status divide(comparison *x, uint32_t *boxes, size_t n) {
    while (n > 1 && !x->is_done) {
        cut best = {.gain = 0};
        KAN_TRY(kan_check_cancel(x->shape->run));
        if (x->work > MOST_WORK) {
            x->out->unchecked = "whether any two rows overlap: there are too many different ones";
            x->is_done = true;
            return KAN_OK;
        }
        if (n > FEW)
            best = find_cut(x, boxes, n);
        if (best.gain <= 0 && n > FEW && (uint64_t)n * n > MOST_WORK) {
            x->work = MOST_WORK + 1;
            continue;
        }
        if (best.gain <= 0) {
            compare_pairs(x, boxes, n);
            return KAN_OK;
        }
        part(x, boxes, n, &best);
        if (best.n_left + best.n_right < n)
            KAN_TRY(divide_right(x, boxes + best.n_left, n - best.n_left));
        else if (best.n_left < best.n_right)
            KAN_TRY(divide(x, boxes, best.n_left));
        else
            KAN_TRY(divide(x, boxes + best.n_left, best.n_right));
        if (best.n_left + best.n_right == n && best.n_left < best.n_right) {
            boxes += best.n_left;
            n = best.n_right;
        } else {
            n -= best.n_right;
        }
    }
    return KAN_OK;
}

/* ---- the rule ------------------------------------------------------------------------------- */

/* Boxes that cover nothing in some column, or no more than they may share, meet none. */
static size_t list_boxes(const comparison *x, uint32_t *boxes) {
    const kan_shape *shape = x->shape;
    size_t n = 0;
    for (size_t i = 0; i < shape->tuples.n; i++) {
        bool is_empty = kan_shape_skips(shape, i);
        for (size_t c = 0; c < shape->n_columns && !is_empty; c++) {
            const kan_extent *e = &x->extents[c].of[kan_shape_tuple(shape, i)[c]];
            const bool is_value = e->lower == e->upper && e->lower % 2 == 1;
            is_empty = e->lower > e->upper || (is_value && x->most > 0);
        }
        if (!is_empty)
            boxes[n++] = (uint32_t)i;
    }
    return n;
}

static kan_status compare(comparison *x) {
    kan_run *run = x->shape->run;
    const size_t n = x->shape->tuples.n;
    uint32_t *boxes = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *boxes, &boxes));
    KAN_TRY_DONE(kan_alloc(run, 4 * n + 1, sizeof *x->begun, &x->begun));
    KAN_TRY_DONE(kan_alloc(run, 4 * n + 1, sizeof *x->ended, &x->ended));
    KAN_TRY_DONE(divide(x, boxes, list_boxes(x, boxes)));
done:
    kan_free(run, boxes);
    kan_free(run, x->begun);
    kan_free(run, x->ended);
    return status;
}

/* What a label covers of numbers or dates is not interrupted by a value that it does not cover. */
static void check_intervals(const kan_extents *e, kan_shape_verdict *out) {
    const kan_labels *l = e->labels;
    for (uint32_t code = 0; code < l->n; code++)
        if (l->first_row[code] && l->relation.original->dictionary.type != KAN_TYPE_TEXT &&
            kan_extents_has_gap(e, code))
            kan_shape_blame(out, l, l->first_row[code], 0,
                            "shows a set of values that is not an interval of their order");
}

static kan_status check_apart(const kan_shape *shape, uint8_t most, bool is_ordered,
                              const char *fault, kan_shape_verdict *out) {
    comparison x = {.shape = shape, .most = most, .fault = fault, .out = out};
    kan_status status = KAN_OK;
    size_t n_made = 0;
    while (n_made < shape->n_columns && status == KAN_OK) {
        status =
            kan_extents_make(shape->run, &shape->labels[n_made], is_ordered, &x.extents[n_made]);
        n_made++;
        if (status == KAN_OK && most > 0)
            status = kan_extents_take_bins(&x.extents[n_made - 1]);
    }
    for (size_t c = 0; c < n_made && status == KAN_OK && is_ordered; c++)
        check_intervals(&x.extents[c], out);
    if (status == KAN_OK)
        status = compare(&x);
    for (size_t c = 0; c < n_made; c++)
        kan_extents_destroy(&x.extents[c]);
    return status;
}

kan_status kan_rule_full_subgraph(const kan_shape *shape, kan_shape_verdict *out) {
    kan_rule_shows_nodes(shape, out);
    return check_apart(shape, 0, false, "cover the same combination of values", out);
}

kan_status kan_rule_ordered_regions(const kan_shape *shape, kan_shape_verdict *out) {
    return check_apart(shape, 0, true, "cover the same combination of values", out);
}

/* A cut leaves its two sides one value in common at most, or one bin, and nothing that follows gives
 * them more; that is all that two boxes owe each other. */
kan_status kan_rule_relaxed_regions(const kan_shape *shape, kan_shape_verdict *out) {
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
