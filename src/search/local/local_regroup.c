/* Regrouping: a cluster and some that are near it are taken apart, and their rows are put together
 * anew. A heap begins with a row that is drawn, and takes the nearest of those that are left until
 * it keeps the promise; what is left over in the end goes where it costs least. Kept where that
 * costs less than what was there. It finds what moving rows one by one does not: all clusters between
 * which rows would have to move may be as small as they can be.
 *
 * A trial takes a look-up for each attribute, each row that is placed, and each that is left. */
#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "search/local/local_inside.h"

#define LEAST_GAIN 1e-9

enum { MOST_CLASSES = 6, MOST_POOL = 128, TRIALS = 4 };

typedef struct {
    uint32_t node[KAN_MAX_ATTRIBUTES];
    double loss;
    kan_local_tally tally;
    uint64_t taken[MOST_POOL]; /* by place in the pool */
} heap;

typedef struct kan_local_regrouping {
    kan_local_improver *im;
    size_t n_clusters, clusters[MOST_CLASSES];
    double near[MOST_CLASSES];
    size_t n;
    kan_bundle pool[MOST_POOL];
    uint64_t left[MOST_POOL], n_left;
    double price; /* of the clusters as they are */
    size_t n_heaps, n_made;
    heap heaps[MOST_POOL]; /* n_made have a tally */
} regrouping;

/* ---- what is taken apart --------------------------------------------------------------------- */

/* A cluster for the list, which has the nearest ones in order; the first one is the cluster itself. */
static void insert_near(regrouping *r, size_t most, size_t c, double near) {
    size_t at = r->n_clusters < most ? r->n_clusters++ : r->n_clusters - 1;
    for (; at > 1 && r->near[at - 1] > near; at--) {
        r->near[at] = r->near[at - 1];
        r->clusters[at] = r->clusters[at - 1];
    }
    r->near[at] = near;
    r->clusters[at] = c;
}

/* The clusters that show least when they take in a row of `c` that is drawn. */
static void find_near(regrouping *r, size_t c, size_t most) {
    kan_local_improver *im = r->im;
    const kan_bundles *members = &im->clusters->clusters[c].members;
    const uint64_t drawn = kan_random_below(&im->random, members->n);
    const uint32_t *leaves = kan_local_leaves(im->space, members->bundles[drawn].tuple);
    r->n_clusters = 1;
    r->clusters[0] = c;
    im->work += im->n / 4;
    for (size_t p = 0; p < im->n; p++) {
        const double worst = r->n_clusters < most ? INFINITY : r->near[r->n_clusters - 1];
        double near = 0;
        if (im->cluster_at[p] == c || im->n_rows[p] == 0)
            continue;
        for (unsigned a = 0; a < im->space->n_attributes && near < worst; a++)
            near += kan_local_joined_loss(im, a, leaves[a], im->node[a][p]);
        if (near < worst)
            insert_near(r, most, im->cluster_at[p], near);
    }
}

/* As many of these clusters as there is room for. */
static void pool_rows(regrouping *r) {
    const kan_local_improver *im = r->im;
    size_t n_clusters = 0;
    r->n = 0;
    r->price = 0;
    for (size_t i = 0; i < r->n_clusters; i++) {
        const kan_bundles *members = &im->clusters->clusters[r->clusters[i]].members;
        if (r->n + members->n > MOST_POOL)
            continue;
        memcpy(r->pool + r->n, members->bundles, members->n * sizeof *r->pool);
        r->n += members->n;
        r->price += kan_local_price_at(im, r->clusters[i]);
        r->clusters[n_clusters++] = r->clusters[i];
    }
    r->n_clusters = n_clusters;
}

/* ---- heaps ----------------------------------------------------------------------------------- */

static kan_status put(regrouping *r, heap *h, size_t i, uint64_t n) {
    const kan_local_space *space = r->im->space;
    const uint32_t *leaves = kan_local_leaves(space, r->pool[i].tuple);
    for (unsigned a = 0; a < space->n_attributes; a++)
        h->node[a] = h->tally.n_rows == 0
                         ? kan_local_shown(&space->attributes[a], leaves[a])
                         : kan_local_join(&space->attributes[a], h->node[a], leaves[a]);
    h->loss = kan_local_loss(space, h->node);
    h->taken[i] += n;
    r->left[i] -= n;
    r->n_left -= n;
    return kan_local_tally_add(space, &h->tally, r->pool[i].tuple, n);
}

static kan_status begin_heap(regrouping *r, heap **out) {
    heap *h = &r->heaps[r->n_heaps++];
    if (r->n_heaps > r->n_made) {
        r->n_made++;
        KAN_TRY(kan_local_tally_make(r->im->space, &h->tally));
    }
    kan_local_tally_clear(r->im->space, &h->tally);
    memset(h->taken, 0, r->n * sizeof *h->taken);
    *out = h;
    return KAN_OK;
}

static size_t draw(regrouping *r) {
    uint64_t drawn = kan_random_below(&r->im->random, r->n_left);
    size_t i = 0;
    while (drawn >= r->left[i])
        drawn -= r->left[i++];
    return i;
}

/* Of those that help, where more of the same person may not. */
static size_t find_nearest(const regrouping *r, const heap *h) {
    size_t nearest = SIZE_MAX;
    double least = INFINITY;
    for (size_t i = 0; i < r->n; i++) {
        const uint32_t tuple = r->pool[i].tuple;
        if (r->left[i] == 0 || !kan_local_tally_lacks(r->im->space, &h->tally, tuple))
            continue;
        const double loss = kan_local_tuple_loss(r->im, h->node, tuple);
        if (loss < least) {
            least = loss;
            nearest = i;
        }
    }
    return nearest;
}

/* Where more rows never hurt, and only what rows show counts: whoever shows the same comes along. */
static kan_status come_along(regrouping *r, heap *h) {
    const kan_local_space *space = r->im->space;
    for (size_t i = 0; !space->price.counts && space->question->promise->absorbs_any && i < r->n;
         i++)
        if (r->left[i] > 0 && kan_local_tuple_loss(r->im, h->node, r->pool[i].tuple) <= h->loss)
            KAN_TRY(put(r, h, i, r->left[i]));
    return KAN_OK;
}

/* Takes rows until it keeps the promise; *holds is false when there are not enough. */
static kan_status fill_heap(regrouping *r, heap *h, bool *holds) {
    const kan_local_space *space = r->im->space;
    const uint64_t least = space->question->promise->least_size;
    *holds = false;
    for (size_t next = draw(r); next != SIZE_MAX && !*holds;) {
        const uint64_t need = h->tally.n_rows < least ? least - h->tally.n_rows : 1;
        KAN_TRY(put(r, h, next, r->left[next] < need ? r->left[next] : need));
        *holds = kan_local_tally_passes(space, &h->tally);
        if (!*holds)
            next = find_nearest(r, h);
    }
    return *holds ? come_along(r, h) : KAN_OK;
}

/* Rows that are left over go where they cost least. */
static kan_status place_left(regrouping *r, size_t i) {
    const kan_local_price *price = &r->im->space->price;
    const double n = (double)r->left[i];
    double least = INFINITY;
    heap *best = NULL;
    for (size_t j = 0; j < r->n_heaps; j++) {
        heap *h = &r->heaps[j];
        const double n_rows = (double)h->tally.n_rows;
        const double loss = kan_local_tuple_loss(r->im, h->node, r->pool[i].tuple);
        const double added = kan_local_price_of(price, n_rows + n, loss) -
                             kan_local_price_of(price, n_rows, h->loss);
        if (added < least) {
            least = added;
            best = h;
        }
    }
    return put(r, best, i, r->left[i]);
}

/* The rows of a heap that did not get enough are left over again. */
static void give_back(regrouping *r) {
    const heap *h = &r->heaps[--r->n_heaps];
    for (size_t i = 0; i < r->n; i++) {
        r->left[i] += h->taken[i];
        r->n_left += h->taken[i];
    }
}

static kan_status build(regrouping *r) {
    const uint64_t least = r->im->space->question->promise->least_size;
    bool holds = true;
    r->n_heaps = 0;
    r->n_left = 0;
    for (size_t i = 0; i < r->n; i++) {
        r->left[i] = r->pool[i].n_rows;
        r->n_left += r->left[i];
    }
    while (holds && r->n_left > 0 && r->n_left >= least && r->n_heaps < r->n) {
        heap *h;
        KAN_TRY(begin_heap(r, &h));
        KAN_TRY(fill_heap(r, h, &holds));
        if (!holds)
            give_back(r);
    }
    for (size_t i = 0; r->n_heaps > 0 && i < r->n; i++)
        if (r->left[i] > 0)
            KAN_TRY(place_left(r, i));
    return KAN_OK;
}

/* ---- whether it is better -------------------------------------------------------------------- */

/* Whether all heaps keep the promise, and what they cost. */
static bool weigh(const regrouping *r, double *price) {
    const kan_local_space *space = r->im->space;
    *price = 0;
    for (size_t j = 0; j < r->n_heaps; j++) {
        if (!kan_local_tally_passes(space, &r->heaps[j].tally))
            return false;
        *price += kan_local_cluster_price(space, &r->heaps[j].tally, r->heaps[j].loss);
    }
    return r->n_heaps > 0;
}

/* Whether heaps show what nobody else does, and no two the same. */
static bool may_show(const regrouping *r) {
    const kan_local_improver *im = r->im;
    for (size_t j = 0; im->space->price.counts && j < r->n_heaps; j++) {
        const uint64_t name = kan_local_name(im->space, r->heaps[j].node);
        uint32_t n = kan_local_names_count(&im->names, name);
        for (size_t i = 0; i < r->n_clusters; i++)
            n -= im->name_of[r->clusters[i]] == name;
        for (size_t i = 0; i < j; i++)
            n += kan_local_name(im->space, r->heaps[i].node) == name;
        if (n > 0)
            return false;
    }
    return true;
}

/* Heaps become the clusters. */
static kan_status accept(regrouping *r) {
    kan_local_improver *im = r->im;
    for (size_t i = 0; i < r->n_clusters; i++) {
        kan_local_cluster *cluster = &im->clusters->clusters[r->clusters[i]];
        cluster->members.n = 0;
        kan_local_tally_clear(im->space, &cluster->tally);
        KAN_TRY(kan_local_improver_follow(im, r->clusters[i]));
    }
    for (size_t j = 0; j < r->n_heaps; j++) {
        size_t c = j < r->n_clusters ? r->clusters[j] : 0;
        if (j >= r->n_clusters)
            KAN_TRY(kan_local_improver_add(im, &c));
        for (size_t i = 0; i < r->n; i++)
            KAN_TRY(kan_local_cluster_add(im->clusters, c, r->pool[i].tuple, r->heaps[j].taken[i]));
        kan_local_cluster_tighten(im->clusters, c);
        KAN_TRY(kan_local_improver_follow(im, c));
    }
    return KAN_OK;
}

static kan_status regroup(regrouping *r, bool *is_done) {
    for (unsigned i = 0; i < TRIALS && !*is_done; i++) {
        double price;
        r->im->work += r->n * r->n / 8 + 1;
        KAN_TRY(build(r));
        *is_done = weigh(r, &price) && price < r->price - LEAST_GAIN && may_show(r);
    }
    return *is_done ? accept(r) : KAN_OK;
}

kan_status kan_local_regroup(kan_local_improver *im, size_t c, bool *is_done) {
    *is_done = false;
    if (!im->regrouping)
        KAN_TRY(kan_alloc_zero(im->space->run, 1, sizeof *im->regrouping, &im->regrouping));
    regrouping *r = im->regrouping;
    r->im = im;
    find_near(r, c, 2 + kan_random_below(&im->random, MOST_CLASSES - 1));
    pool_rows(r);
    return r->n_clusters < 2 ? KAN_OK : regroup(r, is_done);
}

void kan_local_regrouping_destroy(kan_local_improver *im) {
    for (size_t i = 0; im->regrouping && i < im->regrouping->n_made; i++)
        kan_local_tally_destroy(im->space, &im->regrouping->heaps[i].tally);
    kan_free(im->space->run, im->regrouping);
}
