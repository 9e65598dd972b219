/* Other clusters than there are: a cluster is dissolved, or a bundle of it becomes a cluster of its own.
 * Both are tried on the clusters themselves, and undone where the price does not fall. */
#include <stdlib.h>
#include <string.h>

#include "search/local/local_inside.h"

#define LEAST_GAIN 1e-9

/* ---- dissolving ------------------------------------------------------------------------------ */

/* One step of a trial: rows that went to a cluster, and what it showed before. */
typedef struct {
    size_t to;
    kan_bundle bundle;
    uint32_t node[KAN_MAX_ATTRIBUTES];
} step;

/* Takes the rows out of the cluster that they went to, where they are the last bundle. */
static kan_status undo(kan_local_improver *im, const step *s) {
    kan_local_cluster *cluster = &im->clusters->clusters[s->to];
    kan_local_cluster_remove(im->clusters, s->to, cluster->members.n - 1, s->bundle.n_rows);
    memcpy(cluster->node, s->node, im->space->n_attributes * sizeof *cluster->node);
    return kan_local_improver_follow(im, s->to);
}

/* Sends the rows of a cluster elsewhere, bundle by bundle, as long as they cost less than they did.
 */
static kan_status send_all(kan_local_improver *im, size_t c, step *steps, size_t *n_steps,
                           bool *is_worth) {
    const kan_bundles *members = &im->clusters->clusters[c].members;
    double left = kan_local_price_at(im, c) - LEAST_GAIN;
    *is_worth = true;
    for (size_t i = 0; i < members->n && *is_worth; i++) {
        step *s = &steps[*n_steps];
        double added = 0;
        s->bundle = members->bundles[i];
        KAN_TRY(kan_local_improver_find(im, s->bundle.tuple, s->bundle.n_rows, c, left, &s->to,
                                        &added));
        *is_worth = s->to != SIZE_MAX;
        if (!*is_worth)
            break;
        memcpy(s->node, im->clusters->clusters[s->to].node,
               im->space->n_attributes * sizeof *s->node);
        KAN_TRY(kan_local_cluster_add(im->clusters, s->to, s->bundle.tuple, s->bundle.n_rows));
        ++*n_steps;
        KAN_TRY(kan_local_improver_follow(im, s->to));
        left -= added;
    }
    return KAN_OK;
}

kan_status kan_local_dissolve(kan_local_improver *im, size_t c, bool *is_done) {
    enum { MOST_BUNDLES = 64 };
    kan_local_cluster *cluster = &im->clusters->clusters[c];
    kan_run *run = im->space->run;
    step *steps;
    size_t n_steps = 0;
    *is_done = false;
    if (cluster->members.n > MOST_BUNDLES)
        return KAN_OK;
    KAN_TRY(kan_alloc(run, cluster->members.n, sizeof *steps, &steps));
    kan_status status = send_all(im, c, steps, &n_steps, is_done);
    while (status == KAN_OK && !*is_done && n_steps > 0)
        status = undo(im, &steps[--n_steps]);
    kan_free(run, steps);
    if (status == KAN_OK && *is_done) {
        cluster = &im->clusters->clusters[c];
        cluster->members.n = 0;
        kan_local_tally_clear(im->space, &cluster->tally);
        status = kan_local_improver_follow(im, c);
    }
    return status;
}

/* ---- dividing -------------------------------------------------------------------------------- */

/* A bunch of rows that grows from a seed. */
typedef struct {
    uint32_t node[KAN_MAX_ATTRIBUTES];
    uint64_t *taken; /* by bundle: rows of it that are in the bunch */
    kan_local_tally tally;
    double loss; /* of one row */
} bunch;

/* Takes rows of a bundle, as many as the size of the bunch asks for, or one more. */
static kan_status grow(const kan_local_space *space, const kan_bundles *members, size_t i,
                       bunch *b) {
    const uint64_t least = space->question->promise->least_size;
    const uint64_t left = members->bundles[i].n_rows - b->taken[i];
    const uint64_t need = b->tally.n_rows < least ? least - b->tally.n_rows : 1;
    const uint64_t n = left < need ? left : need;
    const uint32_t *leaves = kan_local_leaves(space, members->bundles[i].tuple);
    for (unsigned a = 0; a < space->n_attributes; a++)
        b->node[a] = b->tally.n_rows == 0
                         ? leaves[a]
                         : kan_local_join(&space->attributes[a], b->node[a], leaves[a]);
    b->taken[i] += n;
    b->loss = kan_local_loss(space, b->node);
    return kan_local_tally_add(space, &b->tally, members->bundles[i].tuple, n);
}

/* Which rows may come next. */
typedef enum {
    ANY_ROWS,
    RELIEVING_ROWS, /* the bunch fails: more of its most frequent values would not help */
    LIMITED_ROWS    /* what it leaves behind fails, which has too many of them */
} next_rows;

static bool relieves(const kan_local_space *space, const bunch *b, uint32_t tuple) {
    if (space->is_free[space->kind[tuple]])
        return true;
    for (unsigned i = space->question->problem->has_person; i < space->n_tails; i++) {
        const struct kan_local_tally_tail *tail = &b->tally.tails[i];
        uint64_t most = 0, its = 0;
        for (size_t j = 0; j < tail->n; j++) {
            if (tail->value[j] == space->value[(size_t)tuple * space->n_tails + i])
                its = tail->count[j];
            most = tail->count[j] > most ? tail->count[j] : most;
        }
        if (tail->n > 0 && its == most)
            return false;
    }
    return true;
}

static bool is_wanted(const kan_local_space *space, const bunch *b, uint32_t tuple,
                      next_rows next) {
    if (space->question->promise->people_decide)
        return next != LIMITED_ROWS && kan_local_tally_lacks(space, &b->tally, tuple);
    return next == ANY_ROWS || (next == RELIEVING_ROWS ? relieves(space, b, tuple)
                                                       : !space->is_free[space->kind[tuple]]);
}

/* The bundle that is nearest to the bunch, below `most`. */
static size_t find_nearest(const kan_local_improver *im, const kan_bundles *members, const bunch *b,
                           next_rows next, double most) {
    size_t nearest = SIZE_MAX;
    for (size_t i = 0; i < members->n; i++) {
        const kan_bundle *bundle = &members->bundles[i];
        if (b->taken[i] == bundle->n_rows || !is_wanted(im->space, b, bundle->tuple, next))
            continue;
        const double loss = kan_local_tuple_loss(im, b->node, bundle->tuple);
        if (loss < most) {
            most = loss;
            nearest = i;
        }
    }
    return nearest;
}

/* Whether what is left of the cluster keeps the promise without the bunch. */
static kan_status try_rest(kan_local_improver *im, size_t c, const bunch *b, bool *passes) {
    kan_local_tally *tally = &im->clusters->clusters[c].tally;
    *passes = false;
    if (tally->n_rows == b->tally.n_rows)
        return KAN_OK;
    kan_local_tally_remove_all(im->space, tally, &b->tally);
    *passes = kan_local_tally_passes(im->space, tally);
    return kan_local_tally_add_all(im->space, tally, &b->tally);
}

/* Whoever shows the same anyway comes along, where more rows never hurt. */
static kan_status come_along(kan_local_improver *im, size_t c, bunch *b) {
    const kan_bundles *members = &im->clusters->clusters[c].members;
    const uint64_t least = im->space->question->promise->least_size;
    uint64_t left = im->clusters->clusters[c].tally.n_rows - b->tally.n_rows;
    for (size_t i = 0; i < members->n && im->space->size_decides; i++) {
        const uint64_t n = members->bundles[i].n_rows - b->taken[i];
        if (n == 0 || left < least + n ||
            kan_local_tuple_loss(im, b->node, members->bundles[i].tuple) > b->loss)
            continue;
        KAN_TRY(kan_local_tally_add(im->space, &b->tally, members->bundles[i].tuple, n));
        b->taken[i] += n;
        left -= n;
    }
    return KAN_OK;
}

/* Grows a bunch until it keeps the promise, and so does what it leaves behind; *passes is false
 * when it comes to cost as much as the cluster that it is taken from. */
static kan_status grow_bunch(kan_local_improver *im, size_t c, size_t seed, bunch *b,
                             bool *passes) {
    enum { MOST_GROWTH = 4, MORE = 16 };
    const kan_local_space *space = im->space;
    const kan_bundles *members = &im->clusters->clusters[c].members;
    const uint64_t least = space->question->promise->least_size;
    kan_local_tally_clear(space, &b->tally);
    memset(b->taken, 0, members->n * sizeof *b->taken);
    *passes = false;
    for (size_t next = seed; next != SIZE_MAX;) {
        KAN_TRY(grow(space, members, next, b));
        const bool holds = kan_local_tally_passes(space, &b->tally);
        if (holds)
            KAN_TRY(try_rest(im, c, b, passes));
        if (*passes)
            return come_along(im, c, b);
        if (b->tally.n_rows >= MOST_GROWTH * least + MORE)
            break;
        im->work += members->n;
        next = find_nearest(im, members, b,
                            holds                     ? LIMITED_ROWS
                            : b->tally.n_rows < least ? ANY_ROWS
                                                      : RELIEVING_ROWS,
                            kan_local_loss_of(im, c) - LEAST_GAIN);
    }
    return KAN_OK;
}

static kan_status take_bunch(kan_local_improver *im, size_t c, const bunch *b) {
    size_t made;
    KAN_TRY(kan_local_improver_add(im, &made));
    for (size_t i = im->clusters->clusters[c].members.n; i-- > 0;) {
        const kan_bundle bundle = im->clusters->clusters[c].members.bundles[i];
        if (b->taken[i] == 0)
            continue;
        KAN_TRY(kan_local_cluster_add(im->clusters, made, bundle.tuple, b->taken[i]));
        kan_local_cluster_remove(im->clusters, c, i, b->taken[i]);
    }
    kan_local_cluster_tighten(im->clusters, c);
    kan_local_cluster_tighten(im->clusters, made);
    KAN_TRY(kan_local_improver_follow(im, c));
    return kan_local_improver_follow(im, made);
}

/* Whether the bunch and what it leaves behind may show what they would. */
static bool may_show(const kan_local_improver *im, size_t c, const bunch *b) {
    const kan_local_space *space = im->space;
    const kan_bundles *members = &im->clusters->clusters[c].members;
    uint32_t rest[KAN_MAX_ATTRIBUTES] = {0};
    bool is_first = true;
    if (!space->price.counts)
        return true;
    for (size_t i = 0; i < members->n; i++) {
        const uint32_t *leaves = kan_local_leaves(space, members->bundles[i].tuple);
        if (b->taken[i] == members->bundles[i].n_rows)
            continue;
        for (unsigned a = 0; a < space->n_attributes; a++)
            rest[a] =
                is_first ? leaves[a] : kan_local_join(&space->attributes[a], rest[a], leaves[a]);
        is_first = false;
    }
    return kan_local_name(space, b->node) != kan_local_name(space, rest) &&
           kan_local_improver_may_show(im, b->node, SIZE_MAX) &&
           kan_local_improver_may_show(im, rest, c);
}

/* Grows a bunch from a seed: what it gains, 0 where it may not be taken. */
static kan_status try_seed(kan_local_improver *im, size_t c, size_t seed, bunch *b, double *gain) {
    kan_local_tally *tally = &im->clusters->clusters[c].tally;
    bool passes;
    KAN_TRY(grow_bunch(im, c, seed, b, &passes));
    *gain = 0;
    if (!passes || !may_show(im, c, b))
        return KAN_OK;
    const double before = kan_local_price_at(im, c);
    kan_local_tally_remove_all(im->space, tally, &b->tally);
    *gain = before - kan_local_cluster_price(im->space, tally, kan_local_loss_of(im, c)) -
            kan_local_cluster_price(im->space, &b->tally, b->loss);
    return kan_local_tally_add_all(im->space, tally, &b->tally);
}

/* Of a cluster with few bundles, the best bunch, again and again. */
static kan_status divide_best(kan_local_improver *im, size_t c, bunch *b, bool *is_done) {
    bool again = true;
    while (again && !kan_local_improver_is_over(im)) {
        const size_t n = im->clusters->clusters[c].members.n;
        double gain, best = LEAST_GAIN;
        size_t best_seed = SIZE_MAX;
        for (size_t seed = 0; seed < n; seed++) {
            KAN_TRY(try_seed(im, c, seed, b, &gain));
            if (gain > best) {
                best = gain;
                best_seed = seed;
            }
        }
        again = best_seed != SIZE_MAX;
        if (!again)
            break;
        KAN_TRY(try_seed(im, c, best_seed, b, &gain));
        KAN_TRY(take_bunch(im, c, b));
        *is_done = true;
    }
    return KAN_OK;
}

/* Of one with many, every bunch that gains something, as they come. Where work is counted, one cluster
 * gets a part of it. */
static kan_status divide_any(kan_local_improver *im, size_t c, bunch *b, bool *is_done) {
    enum { PART = 16 };
    const uint64_t enough = im->most_work > 0 ? im->work + im->most_work / PART : UINT64_MAX;
    double gain;
    for (size_t seed = 0; seed < im->clusters->clusters[c].members.n && im->work < enough &&
                          !kan_local_improver_is_over(im);) {
        KAN_TRY(try_seed(im, c, seed, b, &gain));
        if (gain > LEAST_GAIN) {
            KAN_TRY(take_bunch(im, c, b));
            *is_done = true;
        } else {
            seed++;
        }
    }
    return KAN_OK;
}

kan_status kan_local_divide(kan_local_improver *im, size_t c, bool *is_done) {
    enum { FEW = 64 };
    const kan_local_space *space = im->space;
    const size_t n = im->clusters->clusters[c].members.n;
    bunch b = {.taken = NULL};
    *is_done = false;
    if (im->clusters->clusters[c].tally.n_rows < 2 * space->question->promise->least_size)
        return KAN_OK;
    kan_status status = kan_alloc(space->run, n, sizeof *b.taken, &b.taken);
    if (status == KAN_OK)
        status = kan_local_tally_make(space, &b.tally);
    if (status == KAN_OK)
        status = n > FEW ? divide_any(im, c, &b, is_done) : divide_best(im, c, &b, is_done);
    kan_local_tally_destroy(space, &b.tally);
    kan_free(space->run, b.taken);
    return status;
}
