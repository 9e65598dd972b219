/* Leaving out the smallest groups until the models of the whole table hold.
 *
 * Once a model holds, leaving out the smallest group keeps it, so what has to leave are the first
 * groups in the order of their sizes, up to some place; several models want the farthest of their
 * places. The size at that place is found digit by digit: the groups are counted by the digit of
 * their size, and whole digits leave while that is not enough. Of the groups of that size some
 * leave, found in the same way by the digits of their values. */
#include <string.h>

#include "privacy/privacy.h"

enum { DIGIT_BITS = 8, N_DIGITS = 1 << DIGIT_BITS };

/* What is left, and of each model how many rows of small groups there were before any left. */
typedef struct {
    const kan_promise *promise;
    uint64_t n_groups, n_rows;
    uint64_t n_all_rows, n_small_rows[KAN_MAX_MODELS];
} leaving;

static uint64_t small_size(const kan_promise *promise, unsigned m) {
    const kan_privacy_kind *kind = promise->models[m].kind;
    return kind->small_size ? kind->small_size(promise->models[m].state) : 0;
}

/* Whether every model holds when n_groups more have left, with n_rows rows, the smallest of all:
 * those of small groups leave before any other. */
static bool holds_without(const leaving *l, uint64_t n_groups, uint64_t n_rows) {
    const uint64_t n_gone = l->n_all_rows - l->n_rows + n_rows;
    for (unsigned m = 0; m < l->promise->n_models; m++) {
        const kan_privacy_kind *kind = l->promise->models[m].kind;
        const uint64_t n_small = l->n_small_rows[m];
        const kan_groups_left left = {.n_groups = l->n_groups - n_groups,
                                      .n_rows = l->n_rows - n_rows,
                                      .n_small_rows = n_small > n_gone ? n_small - n_gone : 0};
        if (kind->holds && !kind->holds(l->promise->models[m].state, &left))
            return false;
    }
    return true;
}

static uint64_t count_all(const kan_groups *groups, const uint8_t *is_released, leaving *out) {
    uint64_t largest = 0;
    for (size_t g = 0; g < groups->n_groups; g++) {
        out->n_groups += is_released[g];
        out->n_rows += is_released[g] ? groups->count[g] : 0;
        if (is_released[g] && groups->count[g] > largest)
            largest = groups->count[g];
    }
    out->n_all_rows = out->n_rows;
    for (unsigned m = 0; m < out->promise->n_models; m++) {
        const uint64_t least = small_size(out->promise, m);
        for (size_t g = 0; g < groups->n_groups && least > 0; g++)
            if (is_released[g] && groups->count[g] < least)
                out->n_small_rows[m] += groups->count[g];
    }
    return largest;
}

/* ---- the size ------------------------------------------------------------------------------- */

static unsigned top_shift(uint64_t largest) {
    unsigned shift = 0;
    while (shift + DIGIT_BITS < 64 && largest >> shift >> DIGIT_BITS > 0)
        shift += DIGIT_BITS;
    return shift;
}

/* The size of the last group that has to leave. `l` is without all smaller ones afterwards, and
 * *n_alike is the number of groups of that size. */
static uint64_t find_size(const kan_groups *groups, const uint8_t *is_released, uint64_t largest,
                          leaving *l, uint64_t *n_alike) {
    uint64_t size = 0; /* the digits that are known */
    for (unsigned shift = top_shift(largest);; shift -= DIGIT_BITS) {
        uint64_t n_groups[N_DIGITS] = {0}, n_rows[N_DIGITS] = {0};
        unsigned digit = 0;
        for (size_t g = 0; g < groups->n_groups; g++) {
            const uint64_t from = groups->count[g] >> shift;
            if (!is_released[g] || from >> DIGIT_BITS != size)
                continue;
            n_groups[from % N_DIGITS]++;
            n_rows[from % N_DIGITS] += groups->count[g];
        }
        for (; !holds_without(l, n_groups[digit], n_rows[digit]); digit++) {
            KAN_ASSERT(digit + 1 < N_DIGITS); /* no group at all keeps every model */
            l->n_groups -= n_groups[digit];
            l->n_rows -= n_rows[digit];
        }
        size = size << DIGIT_BITS | digit;
        *n_alike = n_groups[digit];
        if (shift == 0)
            return size;
    }
}

/* How many of the groups of that size must leave: at least one, and all of them are enough. */
static uint64_t count_leaving(const leaving *l, uint64_t size, uint64_t n_alike) {
    uint64_t low = 1, high = n_alike;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (holds_without(l, middle, middle * size))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ---- groups of one size --------------------------------------------------------------------- */

enum { OUT = 0, IN = 1, OPEN = 2 };

static void settle_open(size_t n_groups, uint8_t *is_released, uint8_t how) {
    for (size_t g = 0; g < n_groups; g++)
        if (is_released[g] == OPEN)
            is_released[g] = how;
}

/* The n open groups that come first here leave. */
static void leave_in_order(size_t n_groups, uint8_t *is_released, uint64_t n) {
    for (size_t g = 0; g < n_groups && n > 0; g++)
        if (is_released[g] == OPEN) {
            is_released[g] = OUT;
            n--;
        }
}

/* Decides the open groups by a digit of their value in a field: those below that of the n-th leave,
 * those above stay. Of those that stay open *n have to leave; returns whether that is all. */
static bool leave_by_digit(const kan_groups *groups, const kan_key_field *field, unsigned shift,
                           uint8_t *is_released, uint64_t *n) {
    const kan_freqset *set = groups->set;
    uint64_t n_open[N_DIGITS] = {0};
    unsigned last = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t g = 0; g < groups->n_groups; g++) {
            if (is_released[g] != OPEN)
                continue;
            const size_t tuple = groups->first_tuple ? groups->first_tuple[g] : g;
            const uint32_t value =
                kan_key_field_value(field, set->keys + tuple * set->layout.n_words);
            const unsigned digit = (value >> shift) % N_DIGITS;
            if (pass == 0)
                n_open[digit]++;
            else if (digit != last)
                is_released[g] = digit < last ? OUT : IN;
        }
        for (; pass == 0 && n_open[last] < *n; last++)
            *n -= n_open[last];
    }
    return n_open[last] == *n;
}

static const kan_key_field *find_field(const kan_layout *layout, unsigned dimension) {
    for (unsigned f = 0; f < layout->n_fields; f++)
        if (layout->fields[f].dimension == dimension)
            return &layout->fields[f];
    return NULL;
}

/* n of the open groups leave. Which attributes come first in a set depends on the search, so the
 * order is that of the attributes themselves. */
static void leave_open(const kan_groups *groups, uint64_t n, uint8_t *is_released) {
    bool is_done = !groups->set;
    for (unsigned a = 0; a < KAN_MAX_ATTRIBUTES && !is_done; a++) {
        const kan_key_field *field = find_field(&groups->set->layout, a);
        for (unsigned shift = 32; field && shift > 0 && !is_done;) {
            shift -= DIGIT_BITS;
            if (field->bits > shift)
                is_done = leave_by_digit(groups, field, shift, is_released, &n);
        }
    }
    leave_in_order(groups->n_groups, is_released, n);
    settle_open(groups->n_groups, is_released, IN);
}

void kan_promise_settle(const kan_promise *promise, const kan_groups *groups,
                        uint8_t *is_released) {
    leaving l = {.promise = promise};
    uint64_t n_alike;
    if (promise->is_by_risk) {
        kan_promise_settle_by_risk(promise, groups, is_released);
        return;
    }
    const uint64_t largest = count_all(groups, is_released, &l);
    if (holds_without(&l, 0, 0))
        return;
    const uint64_t size = find_size(groups, is_released, largest, &l, &n_alike);
    const uint64_t n_leaving = count_leaving(&l, size, n_alike);
    for (size_t g = 0; g < groups->n_groups; g++)
        if (is_released[g] && groups->count[g] <= size)
            is_released[g] = groups->count[g] < size ? OUT : OPEN;
    if (n_leaving == n_alike)
        settle_open(groups->n_groups, is_released, OUT);
    else
        leave_open(groups, n_leaving, is_released);
}
