/* Leaving out the groups of the highest risk, one by one, until the models of the whole table hold.
 *
 * A group comes before another where the risk of its rows, one of which has the group's divided by their
 * number, is higher; of one risk the smaller group, then the one with the least values, attribute by
 * attribute. All of that is compared as whole numbers, so that the order is the same wherever it is
 * made. The groups stand in a heap: as few are put in order as leave.
 *
 * Other models of the whole table are asked along the way: their groups leave in this order, too, until
 * all hold at once. */
#include "privacy/privacy.h"

typedef struct {
    const kan_promise *promise;
    const kan_groups *groups;
    const kan_key_field *fields[KAN_MAX_ATTRIBUTES]; /* in the order of the attributes */
    unsigned n_fields;
    size_t n; /* of room.order: a heap */
    kan_groups_left left;
    uint64_t n_small_rows[KAN_MAX_MODELS];
} leaving;

static void find_fields(const kan_freqset *set, leaving *l) {
    for (unsigned a = 0; set && a < KAN_MAX_ATTRIBUTES; a++)
        for (unsigned f = 0; f < set->layout.n_fields; f++)
            if (set->layout.fields[f].dimension == a)
                l->fields[l->n_fields++] = &set->layout.fields[f];
}

static const uint64_t *key_of(const kan_groups *groups, size_t g) {
    const size_t tuple = groups->first_tuple ? groups->first_tuple[g] : g;
    return groups->set->keys + tuple * groups->set->layout.n_words;
}

/* Whether group a leaves before group b. Sums are at most 2^80, and sizes below 2^47. */
static bool is_before(const leaving *l, size_t a, size_t b) {
    const kan_groups *groups = l->groups;
    const kan_u128 risk_a = groups->room.sums[a] * groups->count[b];
    const kan_u128 risk_b = groups->room.sums[b] * groups->count[a];
    if (risk_a != risk_b)
        return risk_a > risk_b;
    if (groups->count[a] != groups->count[b])
        return groups->count[a] < groups->count[b];
    for (unsigned f = 0; f < l->n_fields; f++) {
        const uint32_t value_a = kan_key_field_value(l->fields[f], key_of(groups, a));
        const uint32_t value_b = kan_key_field_value(l->fields[f], key_of(groups, b));
        if (value_a != value_b)
            return value_a < value_b;
    }
    return a < b;
}

static void sift_down(const leaving *l, size_t at) {
    size_t *heap = l->groups->room.order;
    for (size_t child = 2 * at + 1; child < l->n; child = 2 * at + 1) {
        if (child + 1 < l->n && is_before(l, heap[child + 1], heap[child]))
            child++;
        if (!is_before(l, heap[child], heap[at]))
            return;
        const size_t group = heap[at];
        heap[at] = heap[child];
        heap[child] = group;
        at = child;
    }
}

static bool is_small(const kan_promise *promise, unsigned m, uint64_t n_rows) {
    const kan_privacy_kind *kind = promise->models[m].kind;
    return kind->small_size && n_rows < kind->small_size(promise->models[m].state);
}

static kan_u128 risk_of(const kan_promise *promise, const kan_groups *groups, size_t g) {
    unsigned m = 0;
    while (!promise->models[m].kind->risk_of)
        m++;
    return promise->models[m].kind->risk_of(promise->models[m].state, groups, g);
}

static void count_all(const uint8_t *is_released, leaving *l) {
    const kan_groups *groups = l->groups;
    for (size_t g = 0; g < groups->n_groups; g++) {
        if (!is_released[g])
            continue;
        groups->room.sums[g] = risk_of(l->promise, groups, g);
        groups->room.order[l->n++] = g;
        l->left.n_groups++;
        l->left.n_rows += groups->count[g];
        l->left.risk += groups->room.sums[g];
        for (unsigned m = 0; m < l->promise->n_models; m++)
            l->n_small_rows[m] += is_small(l->promise, m, groups->count[g]) ? groups->count[g] : 0;
    }
}

static bool holds(leaving *l) {
    for (unsigned m = 0; m < l->promise->n_models; m++) {
        const kan_privacy_kind *kind = l->promise->models[m].kind;
        l->left.n_small_rows = l->n_small_rows[m];
        if (kind->holds && !kind->holds(l->promise->models[m].state, &l->left))
            return false;
    }
    return true;
}

/* The first of the heap. */
static void leave(leaving *l, uint8_t *is_released) {
    const kan_groups *groups = l->groups;
    size_t *heap = groups->room.order;
    const size_t g = heap[0];
    KAN_ASSERT(l->n > 0); /* no group at all keeps every model */
    is_released[g] = 0;
    l->left.n_groups--;
    l->left.n_rows -= groups->count[g];
    l->left.risk -= groups->room.sums[g];
    for (unsigned m = 0; m < l->promise->n_models; m++)
        l->n_small_rows[m] -= is_small(l->promise, m, groups->count[g]) ? groups->count[g] : 0;
    heap[0] = heap[--l->n];
    sift_down(l, 0);
}

void kan_promise_settle_by_risk(const kan_promise *promise, const kan_groups *groups,
                                uint8_t *is_released) {
    leaving l = {.promise = promise, .groups = groups};
    KAN_ASSERT(groups->n_groups == 0 || (groups->room.sums && groups->room.order));
    count_all(is_released, &l);
    if (holds(&l))
        return;
    find_fields(groups->set, &l);
    for (size_t at = l.n / 2; at-- > 0;)
        sift_down(&l, at);
    while (!holds(&l))
        leave(&l, is_released);
}
