/* Rows that leave: all rows go from node to node of the lattice together, and those that keep the
 * promise at one leave with what they show there (alpha-k.txt 4.1, Algorithm 1). Which nodes, and in
 * which order, is up to the search.
 *
 * At each node, of every group:
 *   1. the trunk leaves (Definitions 8 and 9): of a group that passes, all rows whose sensitive
 *      values are limited, and only as many others as they need; of one that fails because a value
 *      is too frequent, all rows but those that are too many (local_thin.c). So the rows that stay
 *      are no worse off than before.
 *   2. what is left of it leaves, too, if it passes by itself, and as long as the rows that stay
 *      keep the promise as one cluster. For alpha, Lemma 5 bounds the number of such rows by
 *      |D_r| - |(D_r,s)| / alpha; asking the promise itself is exact, allows no fewer of them as
 *      long as k rows stay, and holds for every model.
 * Where every value is limited (the general model), a group that passes leaves whole or not at all.
 * Because the rows that stay always keep the promise as one cluster, the last of them can be shown at
 * the top, and every row is released.
 *
 * Where even all rows together fail (Definition 5 allows that), every group that passes leaves, and
 * what is left over is completed by kan_local_complete.
 *
 * Linear in tuples for each of the nodes. */
#include <stdlib.h>
#include <string.h>

#include "search/local/local_inside.h"

enum { PASSED_OVER = 255 };

typedef struct {
    kan_local_clusters *clusters;
    const kan_local_space *space;
    kan_local_chain chain;
    kan_local_tally rest;       /* the rows that stay */
    kan_local_tally leaving;    /* those of the group looked at that leave */
    kan_kind_rows group, gone;  /* the rows of that group; see kan_local_thin */
    uint64_t n_free, n_limited; /* of the group */
    uint64_t *taken;            /* by kind: rows of it that may leave; 0 of kinds it has not */
    uint64_t *held;             /* by kind: limited rows that may not; the same */
    bool rest_matters;          /* the rows that stay must keep the promise */
    bool has_limits;            /* of some kind: else there are no trunks */
    kan_local_pick pick;
    size_t *cluster_of; /* by group: what has left of it; SIZE_MAX: nothing */
    /* On a long way, by the logarithm of their size: groups that were looked at, and those of which
     * rows left. */
    bool is_long;
    struct {
        uint64_t n_seen, n_left;
    } sizes[64];
    uint64_t n_stops;
    uint8_t *size_of; /* by group: the logarithm; PASSED_OVER */
    uint64_t *n_rows; /* by group: before any of them left */
    uint64_t (*order)[2];
} progress;

/* ---- rows that leave ------------------------------------------------------------------------- */

static bool rest_passes(const progress *p) {
    return !p->rest_matters || p->rest.n_rows == 0 || kan_local_tally_passes(p->space, &p->rest) ||
           p->rest.n_rows <= p->space->limit - p->clusters->n_lost;
}

/* Looks at a group: none of its rows is taken yet. */
static void look_at(progress *p, size_t group) {
    const kan_local_chain *chain = &p->chain;
    for (uint32_t i = 0; i < p->group.n_used; i++)
        p->taken[p->group.used[i]] = p->held[p->group.used[i]] = 0;
    kan_kind_rows_clear(&p->group);
    p->n_free = p->n_limited = 0;
    for (size_t i = chain->start[group]; i < chain->start[group + 1]; i++) {
        const uint32_t t = chain->grouped[i], kind = p->space->kind[t];
        kan_kind_rows_add(&p->group, kind, chain->left[t]);
        *(p->space->is_free[kind] ? &p->n_free : &p->n_limited) += chain->left[t];
    }
}

/* Takes all limited rows that are not held back, and so many free ones: kinds in the order in which
 * they came. */
static void take_rows(progress *p, uint64_t n_free) {
    for (uint32_t i = 0; i < p->group.n_used; i++) {
        const uint32_t kind = p->group.used[i];
        p->taken[kind] = p->group.rows[kind] - p->held[kind];
        if (!p->space->is_free[kind])
            continue;
        if (p->taken[kind] > n_free)
            p->taken[kind] = n_free;
        n_free -= p->taken[kind];
    }
}

/* Moves what is taken between the rows that stay and those that leave. */
static kan_status move_rows(progress *p, bool leaves) {
    kan_local_tally *from = leaves ? &p->rest : &p->leaving, *to = leaves ? &p->leaving : &p->rest;
    for (uint32_t i = 0; i < p->group.n_used; i++) {
        const uint32_t kind = p->group.used[i];
        kan_local_tally_remove(p->space, from, p->space->example[kind], p->taken[kind]);
        KAN_TRY(kan_local_tally_add(p->space, to, p->space->example[kind], p->taken[kind]));
    }
    return KAN_OK;
}

/* What is taken goes to the group's cluster for good: of each kind the first rows. */
static kan_status release_group(progress *p, size_t group) {
    kan_local_chain *chain = &p->chain;
    kan_local_tally_clear(p->space, &p->leaving);
    KAN_TRY(move_rows(p, true));
    chain->has_changed = true;
    if (p->cluster_of[group] == SIZE_MAX)
        KAN_TRY(kan_local_clusters_add(p->clusters, &p->cluster_of[group]));
    for (size_t i = chain->start[group]; i < chain->start[group + 1]; i++) {
        const uint32_t t = chain->grouped[i];
        uint64_t *wanted = &p->taken[p->space->kind[t]];
        const uint64_t n = chain->left[t] < *wanted ? chain->left[t] : *wanted;
        KAN_TRY(kan_local_cluster_add(p->clusters, p->cluster_of[group], t, n));
        chain->left[t] -= n;
        *wanted -= n;
    }
    return KAN_OK;
}

typedef struct {
    bool leaves_hold; /* the rows that leave keep the promise as one cluster */
    bool stays_hold;  /* so do those that stay */
} outcome;

static kan_status try_rows(progress *p, outcome *out) {
    kan_local_tally_clear(p->space, &p->leaving);
    KAN_TRY(move_rows(p, true));
    out->leaves_hold = kan_local_tally_passes(p->space, &p->leaving);
    out->stays_hold = rest_passes(p);
    return move_rows(p, false);
}

static bool is_large(const progress *p) {
    return p->n_free + p->n_limited >= p->space->question->promise->least_size;
}

/* Where more rows never hurt, a group that fails has no part that passes. Only where people decide it
 * is worth to ask: soon enough of them are met. */
static kan_status may_pass(progress *p, size_t group, bool *out) {
    if (!p->space->question->promise->people_decide)
        return KAN_OK;
    return kan_local_chain_passes(&p->chain, group, &p->leaving, &p->gone, out);
}

/* ---- trunks ---------------------------------------------------------------------------------- */

/* The fewest free rows with which the limited ones pass: more of them never hurt. */
static kan_status take_fewest_free(progress *p) {
    uint64_t low = 0, high = p->n_free;
    outcome verdict;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        take_rows(p, middle);
        KAN_TRY(try_rows(p, &verdict));
        if (verdict.leaves_hold)
            high = middle;
        else
            low = middle + 1;
    }
    take_rows(p, high);
    return KAN_OK;
}

static bool has_limited(const progress *p) {
    for (uint32_t i = 0; i < p->group.n_used; i++)
        if (!p->space->is_free[p->group.used[i]] && p->taken[p->group.used[i]] > 0)
            return true;
    return false;
}

/* Holds rows of values back that are too frequent, until the others pass. */
static kan_status hold_frequent(progress *p, bool *passes) {
    const uint64_t least = p->space->question->promise->least_size;
    kan_local_tally_clear(p->space, &p->leaving);
    kan_kind_rows_clear(&p->gone);
    KAN_TRY(kan_local_tally_add_kinds(p->space, &p->leaving, &p->group));
    KAN_TRY(kan_local_thin(p->space, &p->leaving, &p->group, p->leaving.n_rows - least, &p->gone,
                           passes));
    for (uint32_t i = 0; i < p->gone.n_used; i++) {
        const uint32_t kind = p->gone.used[i];
        p->held[kind] = p->gone.rows[kind];
        p->group.rows[kind] += p->gone.rows[kind];
    }
    return KAN_OK;
}

/* Holds one more row back, of the limited kind that most rows would leave of; false when the last
 * is held. */
static bool hold_one(progress *p) {
    uint64_t most = 0, n_limited = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < p->group.n_used; i++) {
        const uint32_t kind = p->group.used[i];
        const uint64_t n = p->space->is_free[kind] ? 0 : p->group.rows[kind] - p->held[kind];
        n_limited += n;
        if (n > most) {
            most = n;
            best = kind;
        }
    }
    if (n_limited <= 1)
        return false;
    p->held[best]++;
    return true;
}

/* Takes a trunk: whether it leaves rows that hold, and holds itself. */
static kan_status take_trunk(progress *p, outcome *verdict) {
    take_rows(p, p->n_free);
    KAN_TRY(try_rows(p, verdict));
    if (!verdict->leaves_hold)
        return KAN_OK;
    if (p->n_free > 0)
        KAN_TRY(take_fewest_free(p));
    return try_rows(p, verdict);
}

/* Where alpha allows 3 rows of 5, a trunk of 7 in 12 is not quite full, and takes more free rows
 * with it than the others can miss: then a smaller one may do. */
static kan_status remove_trunk(progress *p, size_t group) {
    enum { MOST_HELD = 10 };
    outcome verdict;
    bool passes = true;
    KAN_TRY(may_pass(p, group, &passes));
    if (!passes)
        return KAN_OK;
    look_at(p, group);
    if (p->n_limited == 0 || !is_large(p))
        return KAN_OK;
    take_rows(p, p->n_free);
    KAN_TRY(try_rows(p, &verdict));
    if (verdict.leaves_hold && p->n_free == 0)
        return KAN_OK; /* the whole group, if anything: further removal */
    if (!verdict.leaves_hold)
        KAN_TRY(hold_frequent(p, &passes));
    for (unsigned i = 0; passes && i <= MOST_HELD; i++) {
        KAN_TRY(take_trunk(p, &verdict));
        if (verdict.leaves_hold && verdict.stays_hold && has_limited(p))
            return release_group(p, group);
        if (p->n_free == 0 || !hold_one(p))
            break;
    }
    return KAN_OK;
}

/* ---- further removal ------------------------------------------------------------------------- */

/* The most free rows that may leave so that the rest still holds. */
static kan_status take_most_free(progress *p) {
    uint64_t low = 0, high = p->n_free;
    outcome verdict;
    while (low < high) {
        const uint64_t middle = high - (high - low) / 2;
        take_rows(p, middle);
        KAN_TRY(try_rows(p, &verdict));
        if (verdict.stays_hold)
            low = middle;
        else
            high = middle - 1;
    }
    take_rows(p, low);
    return KAN_OK;
}

static kan_status remove_further(progress *p, size_t group) {
    outcome verdict;
    bool may_leave = true;
    KAN_TRY(may_pass(p, group, &may_leave));
    if (!may_leave)
        return KAN_OK;
    look_at(p, group);
    if (!is_large(p))
        return KAN_OK;
    take_rows(p, p->n_free);
    KAN_TRY(try_rows(p, &verdict));
    if (!verdict.leaves_hold)
        return KAN_OK;
    if (!verdict.stays_hold && p->n_free > 0) {
        KAN_TRY(take_most_free(p));
        KAN_TRY(try_rows(p, &verdict));
    }
    return verdict.leaves_hold && verdict.stays_hold ? release_group(p, group) : KAN_OK;
}

static uint64_t count_left(const kan_local_chain *chain, size_t group) {
    uint64_t n_rows = 0;
    for (size_t i = chain->start[group]; i < chain->start[group + 1]; i++)
        n_rows += chain->left[chain->grouped[i]];
    return n_rows;
}

/* Whether a group is looked at, and was large enough before any of its rows left. */
static bool may_leave(const progress *p, size_t group) {
    return p->size_of[group] != PASSED_OVER &&
           p->n_rows[group] >= p->space->question->promise->least_size;
}

static int compare_pairs(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] < y[1] ? -1 : x[1] > y[1]);
}

/* The groups that may still leave, in the order in which they do. */
static size_t order_groups(progress *p) {
    const kan_local_chain *chain = &p->chain;
    size_t n = 0;
    for (size_t g = 0; g < chain->n_groups; g++) {
        uint64_t n_rows = p->n_rows[g];
        if (!may_leave(p, g))
            continue;
        if (p->cluster_of[g] != SIZE_MAX) /* a trunk has left */
            n_rows = count_left(chain, g);
        p->order[n][0] = p->pick == KAN_PICK_FIRST      ? 0
                         : p->pick == KAN_PICK_SMALLEST ? n_rows
                                                        : UINT64_MAX - n_rows;
        p->order[n++][1] = g;
    }
    if (p->pick != KAN_PICK_FIRST)
        qsort(p->order, n, sizeof *p->order, compare_pairs);
    return n;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Groups are passed over, but for every 16th time, that are as small as others of which hardly any
 * passed. */
static void pass_over(progress *p) {
    enum { ENOUGH = 256, RARE = 128, AGAIN = 16 };
    const kan_local_chain *chain = &p->chain;
    const bool is_again = p->n_stops++ % AGAIN == 0;
    for (size_t g = 0; g < chain->n_groups; g++) {
        p->n_rows[g] = count_left(chain, g);
        const unsigned size = 63u - (unsigned)__builtin_clzll(p->n_rows[g] | 1);
        const bool is_hopeless = p->is_long && p->sizes[size].n_seen >= ENOUGH && !is_again &&
                                 p->sizes[size].n_left * RARE < p->sizes[size].n_seen;
        p->size_of[g] = (uint8_t)(is_hopeless ? PASSED_OVER : size);
        p->cluster_of[g] = SIZE_MAX;
    }
}

static kan_status remove_groups(progress *p) {
    const size_t n_groups = p->chain.n_groups;
    pass_over(p);
    for (size_t g = 0; p->has_limits && g < n_groups; g++)
        if (may_leave(p, g))
            KAN_TRY(remove_trunk(p, g));
    const size_t n_ordered = order_groups(p);
    for (size_t i = 0; i < n_ordered; i++)
        KAN_TRY(remove_further(p, (size_t)p->order[i][1]));
    for (size_t g = 0; g < n_groups; g++)
        if (p->size_of[g] != PASSED_OVER) {
            p->sizes[p->size_of[g]].n_seen++;
            p->sizes[p->size_of[g]].n_left += p->cluster_of[g] != SIZE_MAX;
        }
    return KAN_OK;
}

static kan_status progress_make(progress *p, const uint64_t *rows) {
    const kan_local_space *space = p->space;
    KAN_TRY(kan_local_tally_make(space, &p->rest));
    KAN_TRY(kan_local_tally_make(space, &p->leaving));
    KAN_TRY(kan_kind_rows_make(space, &p->group));
    KAN_TRY(kan_kind_rows_make(space, &p->gone));
    KAN_TRY(kan_alloc_zero(space->run, space->n_kinds, sizeof *p->taken, &p->taken));
    KAN_TRY(kan_alloc_zero(space->run, space->n_kinds, sizeof *p->held, &p->held));
    KAN_TRY(kan_local_chain_make(space, rows, &p->chain));
    KAN_TRY(kan_alloc(space->run, space->n_tuples, sizeof *p->cluster_of, &p->cluster_of));
    KAN_TRY(kan_alloc(space->run, space->n_tuples, sizeof *p->order, &p->order));
    KAN_TRY(kan_alloc(space->run, space->n_tuples, sizeof *p->size_of, &p->size_of));
    KAN_TRY(kan_alloc(space->run, space->n_tuples, sizeof *p->n_rows, &p->n_rows));
    for (size_t t = 0; t < space->n_tuples; t++)
        KAN_TRY(kan_local_tally_add(space, &p->rest, t, rows[t]));
    for (uint32_t kind = 0; kind < space->n_kinds; kind++)
        p->has_limits |= !space->is_free[kind];
    return KAN_OK;
}

static kan_status walk(progress *p, const kan_local_route *route) {
    const kan_local_space *space = p->space;
    size_t c;
    bool is_there = true;
    while (p->rest.n_rows > 0) {
        KAN_TRY(kan_check_cancel(space->run));
        KAN_TRY(route->next(route->context, &p->chain, &is_there));
        if (!is_there)
            break;
        KAN_TRY(remove_groups(p));
    }
    if (p->rest.n_rows == 0)
        return KAN_OK;
    KAN_TRY(kan_local_clusters_add(p->clusters, &c));
    for (size_t t = 0; t < space->n_tuples; t++)
        KAN_TRY(kan_local_cluster_add(p->clusters, c, (uint32_t)t, p->chain.left[t]));
    return KAN_OK;
}

kan_status kan_local_walk(kan_local_clusters *clusters, const uint64_t *rows, bool passes,
                          const kan_local_route *route) {
    const kan_local_space *space = clusters->space;
    progress p = {.clusters = clusters,
                  .space = space,
                  .chain = {.space = space},
                  .rest_matters = passes,
                  .pick = route->pick,
                  .is_long = route->is_long};
    kan_status status = progress_make(&p, rows);
    if (status == KAN_OK)
        status = walk(&p, route);
    kan_local_tally_destroy(space, &p.rest);
    kan_local_tally_destroy(space, &p.leaving);
    kan_kind_rows_destroy(space, &p.group);
    kan_kind_rows_destroy(space, &p.gone);
    kan_free(space->run, p.taken);
    kan_free(space->run, p.held);
    kan_local_chain_destroy(&p.chain);
    kan_free(space->run, p.cluster_of);
    kan_free(space->run, p.order);
    kan_free(space->run, p.size_of);
    kan_free(space->run, p.n_rows);
    return status;
}
