/* Thinning: where a value has too large a share of a set of rows, some of its rows are taken out.
 *
 * Of the values that models limit, the most frequent one of a column is the first to be too many,
 * whether its share is bounded (alpha), or the entropy, or the others' rows (recursive l). So rows
 * are taken of it, in growing strides while that is not enough, never below the next frequent one;
 * the last stride is shortened to what is needed. Models that hold values against their shares in the
 * table (t-closeness) are helped most by rows of the value that exceeds its share most: rows above
 * what its share allows are counted then. Where more rows never hurt, taking some out does not help,
 * and nothing is done. A stride takes one look at the values and kinds of the set. */
#include "search/local/local_inside.h"

typedef struct {
    unsigned tail;
    uint32_t value;
    uint64_t n_rows, n_next; /* of it, and of the next frequent one in its column */
} frequent;

/* Rows of a value; above its share in the table, where that is what counts, and at least one. */
static uint64_t count_value(const kan_local_space *space, const kan_local_tally *tally,
                            unsigned tail, size_t at) {
    const kan_problem *problem = space->question->problem;
    const uint64_t n = tally->tails[tail].count[at];
    if (!space->question->promise->is_relative || !problem->tail_rows[tail])
        return n;
    const double share = (double)problem->tail_rows[tail][tally->tails[tail].value[at]] /
                         (double)kan_problem_tail_total(problem, tail);
    const double above = (double)n - share * (double)tally->n_rows;
    return above > 1 ? (uint64_t)above : 1;
}

/* The most frequent limited value of all columns. */
static bool find_frequent(const kan_local_space *space, const kan_local_tally *tally,
                          frequent *out) {
    *out = (frequent){.n_rows = 0};
    for (unsigned i = 0; i < space->n_tails; i++) {
        const struct kan_local_tally_tail *tail = &tally->tails[i];
        frequent found = {.tail = i};
        for (size_t j = 0; j < tail->n; j++) {
            const uint64_t n = count_value(space, tally, i, j);
            if (n <= found.n_next || !kan_local_limits(space, i, tail->value[j]))
                continue;
            if (n > found.n_rows) {
                found.n_next = found.n_rows;
                found.n_rows = n;
                found.value = tail->value[j];
            } else {
                found.n_next = n;
            }
        }
        if (found.n_rows > out->n_rows)
            *out = found;
    }
    return out->n_rows > 0;
}

/* The kind with that value that has the most rows; there is one. */
static uint32_t find_kind(const kan_local_space *space, const kan_kind_rows *rows,
                          const frequent *of) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < rows->n_used; i++) {
        const uint32_t kind = rows->used[i];
        if (space->value[(size_t)space->example[kind] * space->n_tails + of->tail] == of->value &&
            (best == UINT32_MAX || rows->rows[kind] > rows->rows[best]))
            best = kind;
    }
    KAN_ASSERT(best != UINT32_MAX);
    return best;
}

static uint64_t least_of(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* n rows of a tuple were taken out, and the set passes: the fewest with which it does. Leaves so
 * many out. */
static kan_status shorten(const kan_local_space *space, kan_local_tally *tally, uint32_t tuple,
                          uint64_t *n) {
    uint64_t low = 0, high = *n, out = *n; /* fails at low, passes at high */
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (middle < out)
            KAN_TRY(kan_local_tally_add(space, tally, tuple, out - middle));
        else
            kan_local_tally_remove(space, tally, tuple, middle - out);
        out = middle;
        if (kan_local_tally_passes(space, tally))
            high = middle;
        else
            low = middle;
    }
    kan_local_tally_remove(space, tally, tuple, high - out);
    *n = high;
    return KAN_OK;
}

kan_status kan_local_thin(const kan_local_space *space, kan_local_tally *tally, kan_kind_rows *rows,
                          uint64_t most, kan_kind_rows *gone, bool *passes) {
    const kan_promise *promise = space->question->promise;
    uint64_t stride = 1;
    frequent found;
    KAN_ASSERT(gone->n_used == 0);
    *passes = false;
    if (promise->absorbs_any || tally->n_rows <= promise->least_size)
        return KAN_OK;
    most = least_of(most, tally->n_rows - promise->least_size); /* a smaller set fails */
    while (!*passes && most > 0 && find_frequent(space, tally, &found)) {
        const uint32_t kind = find_kind(space, rows, &found), example = space->example[kind];
        const uint64_t above = found.n_rows - found.n_next;
        uint64_t n = least_of(least_of(stride, rows->rows[kind]), most);
        n = least_of(n, above > 0 ? above : 1);
        stride = n == stride ? 2 * stride : n;
        kan_local_tally_remove(space, tally, example, n);
        *passes = kan_local_tally_passes(space, tally);
        if (*passes)
            KAN_TRY(shorten(space, tally, example, &n));
        rows->rows[kind] -= n;
        kan_kind_rows_add(gone, kind, n);
        most -= n;
        if (kan_should_stop(space->run))
            break;
    }
    return KAN_OK;
}
