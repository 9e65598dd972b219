/* The bound from below. Whom a row fits follows from what it shows, and others have no part in that. So
 * the fewest cells that it has to hide are found by looking at all sets of columns: each row needs so
 * many, whatever the others do, and their sum is a bound. By rank each row has a least vector, in the
 * order of ranks, and the least sum of vectors is the sum of the least ones: adding keeps that order.
 * It leaves out that every person has to be fitted by k rows, and so may be below what is possible. */
#include "search/fits/fits_inside.h"

/* Tuples times sets of columns. */
#define MOST_WORK  (UINT64_C(1) << 26)
#define MOST_LOOKS (UINT64_C(1) << 27)
enum { MOST_COLUMNS = 23 };

typedef struct {
    kan_fits *fits;
    uint64_t *
        *enough; /* by view: [pattern * words + word], a bit for each tuple whose class suffices */
    size_t *words;                         /* of a pattern, by view */
    uint64_t of_rank[KAN_MAX_ATTRIBUTES];  /* columns */
    unsigned place_of[KAN_MAX_ATTRIBUTES]; /* of the number of a rank in a key */
    uint64_t n_looks;
} bound;

/* The columns that are in `of`, as the first so many. */
static uint64_t squeeze(uint64_t columns, uint64_t of) {
    uint64_t squeezed = 0;
    for (unsigned i = 0; of; of &= of - 1, i++)
        squeezed |= (columns >> __builtin_ctzll(of) & 1) << i;
    return squeezed;
}

static uint64_t spread(uint64_t squeezed, uint64_t of) {
    uint64_t columns = 0;
    for (; of; of &= of - 1, squeezed >>= 1)
        columns |= (squeezed & 1) << __builtin_ctzll(of);
    return columns;
}

static uint64_t columns_of(const bound *b, size_t view) {
    return b->fits->views[view].columns & kan_fits_first_columns(b->fits->n_columns);
}

/* Which tuples have enough people in their class when these columns of the view are hidden. */
static kan_status look(bound *b, size_t v, uint64_t squeezed, kan_fits_pattern *pattern) {
    const kan_fits_view *view = &b->fits->views[v];
    uint64_t *bits = b->enough[v] + (size_t)squeezed * b->words[v];
    KAN_TRY(kan_fits_classify(b->fits, view, view->columns & ~spread(squeezed, columns_of(b, v)),
                              pattern));
    for (size_t t = 0; t < view->n; t++)
        bits[t / 64] |= (uint64_t)(pattern->class_rows[pattern->class_of[t]] >= view->k)
                        << (t % 64);
    return KAN_OK;
}

static kan_status look_all(bound *b, size_t v, bool *is_done) {
    const size_t n = b->fits->views[v].n;
    const uint64_t n_patterns = UINT64_C(1) << __builtin_popcountll(columns_of(b, v));
    kan_fits_pattern pattern = {.columns = 0};
    kan_status status = KAN_OK;
    b->words[v] = (n + 63) / 64;
    KAN_TRY(kan_alloc_zero(b->fits->run, (size_t)n_patterns * b->words[v], sizeof **b->enough,
                           &b->enough[v]));
    for (uint64_t p = 0; p < n_patterns && *is_done && status == KAN_OK; p++) {
        *is_done = !kan_should_stop(b->fits->run);
        status = look(b, v, p, &pattern);
    }
    kan_fits_pattern_destroy(b->fits, &pattern);
    return status;
}

/* What hiding these columns costs: numbers by rank, the first in the highest place. */
static uint64_t key_of(const bound *b, uint64_t hidden) {
    uint64_t key = 0;
    for (unsigned r = 0; r < b->fits->n_ranks; r++)
        key |= (uint64_t)__builtin_popcountll(hidden & b->of_rank[r]) << b->place_of[r];
    return key;
}

static bool is_enough(bound *b, uint32_t tuple, uint64_t hidden) {
    for (size_t v = 0; v < b->fits->n_views; v++) {
        const uint64_t columns = columns_of(b, v);
        const uint64_t p =
            b->fits->views[v].of ? squeeze(hidden, columns) : hidden; /* of all columns */
        const uint32_t t = kan_fits_in_view(&b->fits->views[v], tuple);
        b->n_looks++;
        if (!(b->enough[v][(size_t)p * b->words[v] + t / 64] >> (t % 64) & 1))
            return false;
    }
    return true;
}

/* The least that a row of the tuple has to hide. What is missing is hidden for nothing; all of it
 * suffices, as all people are enough. */
static uint64_t least_of(bound *b, uint32_t tuple) {
    const uint64_t all = kan_fits_first_columns(b->fits->n_columns);
    const uint64_t missing = b->fits->missing[tuple];
    uint64_t best = key_of(b, all & ~missing);
    for (uint64_t hidden = missing; hidden <= all && best > 0; hidden = (hidden + 1) | missing) {
        const uint64_t key = key_of(b, hidden & ~missing);
        b->n_looks++;
        if (key < best && is_enough(b, tuple, hidden))
            best = key;
    }
    return best;
}

static void place_ranks(bound *b) {
    unsigned place = 0;
    for (unsigned a = 0; a < b->fits->n_columns; a++)
        b->of_rank[b->fits->rank[a]] |= UINT64_C(1) << a;
    for (unsigned r = b->fits->n_ranks; r-- > 0;) {
        const unsigned most = (unsigned)__builtin_popcountll(b->of_rank[r]);
        b->place_of[r] = place;
        for (unsigned left = most; left; left >>= 1)
            place++;
    }
}

/* The numbers of a key, so many times. */
static void add_key(const bound *b, uint64_t key, uint64_t times, kan_fits_found *found) {
    uint64_t above = UINT64_MAX;
    for (unsigned r = 0; r < b->fits->n_ranks; r++) {
        const uint64_t n = (key & above) >> b->place_of[r];
        found->least_by[r] += n * times;
        found->least += n * times;
        above = kan_fits_first_columns(b->place_of[r]);
    }
}

static void sum_up(bound *b, kan_fits_found *found) {
    kan_fits_found sum = *found;
    for (uint32_t t = 0; t < b->fits->n_tuples; t++) {
        if (b->n_looks > MOST_LOOKS)
            return;
        add_key(b, least_of(b, t), b->fits->n_rows[t], &sum);
    }
    sum.has_least = true;
    *found = sum;
}

static bool takes_long(const kan_fits *fits) {
    uint64_t work = 0;
    if (fits->n_columns > MOST_COLUMNS)
        return true;
    for (size_t v = 0; v < fits->n_views; v++) {
        const uint64_t columns = fits->views[v].columns & kan_fits_first_columns(fits->n_columns);
        work += (uint64_t)fits->views[v].n << __builtin_popcountll(columns);
    }
    return work > MOST_WORK;
}

kan_status kan_fits_least(kan_fits *fits, kan_fits_found *found) {
    kan_status status;
    bool is_done = true;
    bound b = {.fits = fits};
    if (takes_long(fits))
        return KAN_OK;
    place_ranks(&b);
    KAN_TRY_DONE(kan_alloc_zero(fits->run, fits->n_views, sizeof *b.enough, &b.enough));
    KAN_TRY_DONE(kan_alloc_zero(fits->run, fits->n_views, sizeof *b.words, &b.words));
    for (size_t v = 0; v < fits->n_views && is_done; v++)
        KAN_TRY_DONE(look_all(&b, v, &is_done));
    if (is_done)
        sum_up(&b, found);
done:
    for (size_t v = 0; v < fits->n_views && b.enough; v++)
        kan_free(fits->run, b.enough[v]);
    kan_free(fits->run, b.enough);
    kan_free(fits->run, b.words);
    return status;
}
