/* Improving a local recoding: beyond the paper.
 *
 * What clusters cost is in local_price.c. Four changes lower it, and each is made only when every
 * cluster that it touches still keeps the promise:
 *   move      rows of a tuple go to the cluster where they, and what the cluster must be lifted by to
 *             take them in, cost least; the cluster that they leave is lowered where that is possible
 *   divide    rows of a cluster that are near each other become a cluster of their own
 *   dissolve  all rows of a cluster move
 *   regroup   clusters that are near each other are put together anew, in an order that is drawn
 * Clusters are visited again and again, those that give up most first, until no change lowers the
 * price, or until the time is up, or enough work is done. The price never rises. All is decided in a
 * fixed order, what is drawn follows from it, so that what comes out is the same in every run that
 * is not cut short by its time.
 *
 * A row is held against clusters in blocks of neighbours: a look-up and an addition for each cluster
 * and attribute of those blocks that may hold the best. */
#include <math.h>
#include <stdlib.h>

#include "search/local/local_inside.h"

/* Gains below this are noise of rounding. */
#define LEAST_GAIN 1e-9

/* ---- clusters side by side ------------------------------------------------------------------- */

enum { BLOCK = 32 };

/* What asking the promise is, in clusters looked at. */
enum { CHECK = 64 };

/* A block takes in what stands at a place. */
static void widen_block(kan_local_improver *im, size_t place) {
    const size_t block = place / BLOCK;
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        const kan_local_attribute *attribute = &im->space->attributes[a];
        const uint32_t node = im->node[a][place];
        const double loss = attribute->loss[node];
        uint32_t *covers = &im->block_node[a][block];
        *covers = *covers == UINT32_MAX ? node : kan_local_join(attribute, *covers, node);
        if (loss < im->block_loss[a][block])
            im->block_loss[a][block] = loss;
    }
}

/* The set of names follows, too. */
static kan_status rename_cluster(kan_local_improver *im, size_t c) {
    const kan_local_cluster *cluster = &im->clusters->clusters[c];
    if (im->is_named[c])
        kan_local_names_remove(&im->names, im->name_of[c]);
    im->is_named[c] = cluster->tally.n_rows > 0;
    if (!im->is_named[c])
        return KAN_OK;
    im->name_of[c] = kan_local_name(im->space, cluster->node);
    return kan_local_names_add(im->space->run, &im->names, im->name_of[c]);
}

bool kan_local_improver_may_show(const kan_local_improver *im, const uint32_t *nodes, size_t c) {
    if (!im->space->price.counts)
        return true;
    const uint64_t name = kan_local_name(im->space, nodes);
    const bool is_own = c != SIZE_MAX && im->is_named[c] && im->name_of[c] == name;
    return kan_local_names_count(&im->names, name) == (is_own ? 1 : 0);
}

kan_status kan_local_improver_follow(kan_local_improver *im, size_t c) {
    const kan_local_cluster *cluster = &im->clusters->clusters[c];
    const size_t place = im->place_of[c];
    if (im->space->price.counts)
        KAN_TRY(rename_cluster(im, c));
    im->n_rows[place] = (double)cluster->tally.n_rows;
    im->is_settled[c] = false;
    if (cluster->tally.n_rows == 0)
        return KAN_OK;
    for (unsigned a = 0; a < im->space->n_attributes; a++)
        im->node[a][place] = cluster->node[a];
    im->loss[place] = kan_local_loss(im->space, cluster->node);
    widen_block(im, place);
    return KAN_OK;
}

static kan_status reserve(kan_local_improver *im, size_t n) {
    kan_run *run = im->space->run;
    if (n <= im->room)
        return KAN_OK;
    const size_t room = n + n / 2, n_blocks = room / BLOCK + 1;
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        KAN_TRY(kan_resize(run, room, sizeof *im->node[a], &im->node[a]));
        KAN_TRY(kan_resize(run, n_blocks, sizeof *im->block_node[a], &im->block_node[a]));
        KAN_TRY(kan_resize(run, n_blocks, sizeof *im->block_loss[a], &im->block_loss[a]));
    }
    KAN_TRY(kan_resize(run, room, sizeof *im->cluster_at, &im->cluster_at));
    KAN_TRY(kan_resize(run, room, sizeof *im->place_of, &im->place_of));
    KAN_TRY(kan_resize(run, room, sizeof *im->loss, &im->loss));
    KAN_TRY(kan_resize(run, room, sizeof *im->n_rows, &im->n_rows));
    KAN_TRY(kan_resize(run, room, sizeof *im->is_settled, &im->is_settled));
    KAN_TRY(kan_resize(run, room, sizeof *im->name_of, &im->name_of));
    KAN_TRY(kan_resize(run, room, sizeof *im->is_named, &im->is_named));
    im->room = room;
    return KAN_OK;
}

/* Puts a cluster at the next place; a new block covers nothing yet. */
static kan_status place_cluster(kan_local_improver *im, size_t c) {
    const size_t place = im->n++;
    im->cluster_at[place] = (uint32_t)c;
    im->place_of[c] = (uint32_t)place;
    im->n_rows[place] = im->loss[place] = 0;
    im->is_named[c] = false;
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        im->node[a][place] = 0;
        if (place % BLOCK == 0) {
            im->block_node[a][place / BLOCK] = UINT32_MAX;
            im->block_loss[a][place / BLOCK] = INFINITY;
        }
    }
    return kan_local_improver_follow(im, c);
}

kan_status kan_local_improver_add(kan_local_improver *im, size_t *out) {
    KAN_TRY(reserve(im, im->n + 1));
    KAN_TRY(kan_local_clusters_add(im->clusters, out));
    return place_cluster(im, *out);
}

bool kan_local_improver_is_over(const kan_local_improver *im) {
    return (im->most_work > 0 && im->work > im->most_work) || kan_now_ms() > im->deadline_ms ||
           kan_should_stop(im->space->run);
}

static kan_status tabulate(kan_local_improver *im) {
    enum { MOST_ENTRIES = 1 << 22 };
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        const kan_local_attribute *attribute = &im->space->attributes[a];
        const size_t n_leaves = attribute->first[1], n_nodes = attribute->n_nodes;
        if (n_leaves > MOST_ENTRIES / n_nodes)
            continue;
        KAN_TRY(kan_alloc(im->space->run, n_leaves * n_nodes, sizeof(double), &im->join_loss[a]));
        for (uint32_t leaf = 0; leaf < n_leaves; leaf++)
            for (uint32_t node = 0; node < n_nodes; node++)
                im->join_loss[a][leaf * n_nodes + node] =
                    attribute->loss[kan_local_join(attribute, leaf, node)];
    }
    return KAN_OK;
}

/* ---- where rows cost least ------------------------------------------------------------------- */

/* What a row gives up at least in any cluster of a block that takes it in. Outside of what covers the
 * block, it is joined with any of its clusters at the same node. */
static double block_bound(const kan_local_improver *im, size_t block, const uint32_t *leaves) {
    double bound = 0;
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        const uint32_t covers = im->block_node[a][block];
        if (covers == UINT32_MAX)
            return INFINITY;
        const double joined = kan_local_joined_loss(im, a, leaves[a], covers);
        bound += joined > im->space->attributes[a].loss[covers] ? joined : im->block_loss[a][block];
    }
    return bound;
}

static kan_status passes_with(kan_local_improver *im, size_t c, uint32_t tuple, uint64_t n_rows,
                              bool *out) {
    kan_local_tally *tally = &im->clusters->clusters[c].tally;
    im->work += CHECK;
    KAN_TRY(kan_local_tally_add(im->space, tally, tuple, n_rows));
    *out = kan_local_tally_passes(im->space, tally);
    kan_local_tally_remove(im->space, tally, tuple, n_rows);
    return KAN_OK;
}

/* Whether a cluster may show what it would with rows of a tuple. */
static bool may_lift(const kan_local_improver *im, size_t c, uint32_t tuple) {
    const kan_local_space *space = im->space;
    const uint32_t *leaves = kan_local_leaves(space, tuple);
    uint32_t nodes[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; space->price.counts && a < space->n_attributes; a++)
        nodes[a] =
            kan_local_join(&space->attributes[a], im->clusters->clusters[c].node[a], leaves[a]);
    return !space->price.counts || kan_local_improver_may_show(im, nodes, c);
}

/* How many more rows of a cluster are not of its majority, with rows of a tuple. */
static kan_status more_minority(kan_local_improver *im, size_t c, const kan_bundle *bundle,
                                double *out) {
    kan_local_tally *tally = &im->clusters->clusters[c].tally;
    const uint64_t before = kan_local_tally_minority(im->space, tally);
    KAN_TRY(kan_local_tally_add(im->space, tally, bundle->tuple, bundle->n_rows));
    *out = (double)kan_local_tally_minority(im->space, tally) - (double)before;
    kan_local_tally_remove(im->space, tally, bundle->tuple, bundle->n_rows);
    return KAN_OK;
}

/* Looks at one block; `most` and `best` are those so far. */
static kan_status find_in_block(kan_local_improver *im, size_t block, const kan_bundle *bundle,
                                size_t except, double *most, size_t *best) {
    const uint32_t *leaves = kan_local_leaves(im->space, bundle->tuple);
    const size_t first = block * BLOCK, end = im->n - first < BLOCK ? im->n : first + BLOCK;
    const double n = (double)bundle->n_rows;
    const kan_local_price *price = &im->space->price;
    double joined[BLOCK] = {0};
    im->work += end - first;
    for (unsigned a = 0; a < im->space->n_attributes; a++) {
        const uint32_t *node = im->node[a] + first;
        for (size_t i = 0; i < end - first; i++)
            joined[i] += kan_local_joined_loss(im, a, leaves[a], node[i]);
    }
    for (size_t p = first; p < end; p++) {
        double more = kan_local_price_of(price, im->n_rows[p] + n, joined[p - first]) -
                      kan_local_price_of(price, im->n_rows[p], im->loss[p]);
        bool passes = true;
        if (more >= *most || im->cluster_at[p] == except || im->n_rows[p] == 0 ||
            !may_lift(im, im->cluster_at[p], bundle->tuple))
            continue;
        if (price->minority > 0) {
            double rows;
            KAN_TRY(more_minority(im, im->cluster_at[p], bundle, &rows));
            more += price->minority * rows;
            if (more >= *most)
                continue;
        }
        if (!im->space->question->promise->absorbs_any)
            KAN_TRY(passes_with(im, im->cluster_at[p], bundle->tuple, bundle->n_rows, &passes));
        if (passes) {
            *most = more;
            *best = im->cluster_at[p];
        }
    }
    return KAN_OK;
}

kan_status kan_local_improver_find(kan_local_improver *im, uint32_t tuple, uint64_t n_rows,
                                   size_t except, double most, size_t *out, double *added) {
    const kan_bundle bundle = {tuple, n_rows};
    const uint32_t *leaves = kan_local_leaves(im->space, tuple);
    const kan_local_price *price = &im->space->price;
    const double n = (double)n_rows;
    /* no cluster has fewer rows than the promise asks for */
    const double square =
        price->square * n * (n + 2 * (double)im->space->question->promise->least_size);
    *out = SIZE_MAX;
    im->work += im->n / BLOCK / 4 + 1;
    for (size_t block = 0; block * BLOCK < im->n; block++)
        if (n * price->loss * block_bound(im, block, leaves) + square < most)
            KAN_TRY(find_in_block(im, block, &bundle, except, &most, out));
    *added = most;
    return KAN_OK;
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* What a cluster shows without bundle `i`; of large clusters that hardly changes, and is not looked at
 * unless it must be known. */
static void cover_without(const kan_local_improver *im, size_t c, size_t i, uint32_t *nodes) {
    enum { MOST_BUNDLES = 256 };
    const kan_local_space *space = im->space;
    const kan_local_cluster *cluster = &im->clusters->clusters[c];
    bool is_first = true;
    memcpy(nodes, cluster->node, space->n_attributes * sizeof *nodes);
    if ((cluster->members.n > MOST_BUNDLES && !space->price.counts) || cluster->members.n == 1)
        return;
    for (size_t j = 0; j < cluster->members.n; j++) {
        const uint32_t *leaves = kan_local_leaves(space, cluster->members.bundles[j].tuple);
        if (j == i)
            continue;
        for (unsigned a = 0; a < space->n_attributes; a++)
            nodes[a] =
                is_first ? leaves[a] : kan_local_join(&space->attributes[a], nodes[a], leaves[a]);
        is_first = false;
    }
}

static kan_status can_leave(kan_local_improver *im, size_t c, size_t i, uint64_t n, bool *out) {
    kan_local_cluster *cluster = &im->clusters->clusters[c];
    const uint32_t tuple = cluster->members.bundles[i].tuple;
    im->work += im->space->size_decides ? 0 : CHECK;
    kan_local_tally_remove(im->space, &cluster->tally, tuple, n);
    *out = kan_local_tally_passes(im->space, &cluster->tally);
    return kan_local_tally_add(im->space, &cluster->tally, tuple, n);
}

/* How many rows of a bundle can leave: all, or as many as the cluster can spare. */
static kan_status count_spare(kan_local_improver *im, size_t c, size_t i, uint64_t *out) {
    const kan_local_cluster *cluster = &im->clusters->clusters[c];
    const uint64_t n_rows = cluster->members.bundles[i].n_rows;
    const uint64_t least = im->space->question->promise->least_size;
    bool may_leave = false;
    *out = 0;
    if (cluster->tally.n_rows <= least)
        return KAN_OK;
    uint64_t n = cluster->tally.n_rows - least;
    for (n = n < n_rows ? n : n_rows; n > 0 && !may_leave; n /= 2) {
        KAN_TRY(can_leave(im, c, i, n, &may_leave));
        *out = may_leave ? n : 0;
    }
    return KAN_OK;
}

/* What a cluster costs less without n rows of bundle `i`; nothing where it may not show what it
 * would. */
static kan_status gain_without(kan_local_improver *im, size_t c, size_t i, uint64_t n,
                               double *out) {
    kan_local_cluster *cluster = &im->clusters->clusters[c];
    const kan_bundle bundle = cluster->members.bundles[i];
    uint32_t nodes[KAN_MAX_ATTRIBUTES];
    double loss = kan_local_loss_of(im, c);
    *out = 0;
    if (n == bundle.n_rows) {
        cover_without(im, c, i, nodes);
        if (!kan_local_improver_may_show(im, nodes, c))
            return KAN_OK;
        loss = kan_local_loss(im->space, nodes);
    }
    const double before = kan_local_price_at(im, c);
    kan_local_tally_remove(im->space, &cluster->tally, bundle.tuple, n);
    *out = before - kan_local_cluster_price(im->space, &cluster->tally, loss);
    return kan_local_tally_add(im->space, &cluster->tally, bundle.tuple, n);
}

static kan_status move_rows(kan_local_improver *im, size_t c, size_t i, uint64_t n, bool *is_done) {
    const kan_bundle bundle = im->clusters->clusters[c].members.bundles[i];
    size_t to;
    double gain, added;
    *is_done = false;
    KAN_TRY(gain_without(im, c, i, n, &gain));
    KAN_TRY(kan_local_improver_find(im, bundle.tuple, n, c, gain - LEAST_GAIN, &to, &added));
    if (to == SIZE_MAX)
        return KAN_OK;
    KAN_TRY(kan_local_cluster_add(im->clusters, to, bundle.tuple, n));
    kan_local_cluster_remove(im->clusters, c, i, n);
    if (n == bundle.n_rows)
        kan_local_cluster_tighten(im->clusters, c);
    KAN_TRY(kan_local_improver_follow(im, to));
    KAN_TRY(kan_local_improver_follow(im, c));
    *is_done = true;
    return KAN_OK;
}

/* As many rows as can leave; where squares count, of many rows rather one alone. */
static kan_status move_part(kan_local_improver *im, size_t c, size_t i, bool *is_done) {
    uint64_t n;
    *is_done = false;
    KAN_TRY(count_spare(im, c, i, &n));
    if (n > 0)
        KAN_TRY(move_rows(im, c, i, n, is_done));
    if (n > 1 && !*is_done && im->space->price.square > 0) {
        bool may_leave;
        KAN_TRY(can_leave(im, c, i, 1, &may_leave));
        if (may_leave)
            KAN_TRY(move_rows(im, c, i, 1, is_done));
    }
    return KAN_OK;
}

/* Removing a bundle puts another in its place, so the bundles are visited from the last to the
 * first; the cluster may be lowered, and its bundles are in another order then: it is visited again.
 */
static kan_status move_parts(kan_local_improver *im, size_t c, bool *is_done) {
    bool has_moved = false, is_moved;
    for (size_t i = im->clusters->clusters[c].members.n; i-- > 0;) {
        if (i >= im->clusters->clusters[c].members.n)
            continue;
        KAN_TRY(move_part(im, c, i, &is_moved));
        has_moved |= is_moved;
        if (kan_local_improver_is_over(im))
            break;
    }
    *is_done = has_moved;
    return KAN_OK;
}

/* ---- visits ---------------------------------------------------------------------------------- */

typedef struct {
    double loss;
    size_t cluster;
} visit;

static int compare_visits(const void *a, const void *b) {
    const visit *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss > y->loss ? -1 : 1;
    return x->cluster < y->cluster ? -1 : x->cluster > y->cluster;
}

/* Where rows alone count, a cluster whose rows give up nothing is as it should be. */
static bool is_open(const kan_local_improver *im, size_t c) {
    return im->clusters->clusters[c].tally.n_rows > 0 &&
           (im->space->price.counts || kan_local_loss_of(im, c) > 0);
}

/* One cluster: all that can be done with it. */
static kan_status visit_cluster(kan_local_improver *im, size_t c, bool *is_better) {
    bool moved = false, divided = false, dissolved = false;
    if (is_open(im, c) && !im->is_settled[c]) {
        KAN_TRY(kan_local_divide(im, c, &divided));
        im->is_settled[c] = true;
    }
    if (is_open(im, c))
        KAN_TRY(move_parts(im, c, &moved));
    if (is_open(im, c))
        KAN_TRY(kan_local_dissolve(im, c, &dissolved));
    *is_better |= moved || divided || dissolved;
    return KAN_OK;
}

static kan_status regroup_cluster(kan_local_improver *im, size_t c, bool *is_better) {
    bool is_done = false;
    if (is_open(im, c))
        KAN_TRY(kan_local_regroup(im, c, &is_done));
    *is_better |= is_done;
    return KAN_OK;
}

typedef kan_status (*visitor)(kan_local_improver *im, size_t c, bool *is_better);

/* All clusters once, those whose rows give up most first. */
static kan_status visit_all(kan_local_improver *im, visitor visit_one, bool *is_better) {
    kan_run *run = im->space->run;
    const size_t n = im->n;
    kan_status status = KAN_OK;
    visit *visits;
    KAN_TRY(kan_alloc(run, n, sizeof *visits, &visits));
    for (size_t c = 0; c < n; c++)
        visits[c] = (visit){is_open(im, c) ? kan_local_loss_of(im, c) : 0, c};
    qsort(visits, n, sizeof *visits, compare_visits);
    for (size_t v = 0; v < n && status == KAN_OK && !kan_local_improver_is_over(im); v++) {
        kan_report_progress(run, "search", v, n);
        status = visit_one(im, visits[v].cluster, is_better);
    }
    kan_free(run, visits);
    return status;
}

/* Neighbours: clusters in the order of their nodes. */
typedef struct {
    const kan_local_space *space;
    const uint32_t *node;
    size_t cluster;
} neighbour;

static int compare_neighbours(const void *a, const void *b) {
    const neighbour *x = a, *y = b;
    for (unsigned i = 0; i < x->space->n_attributes; i++) {
        const kan_local_attribute *attribute = &x->space->attributes[i];
        /* by the first leaf below, so that nodes stand beside what is below them */
        const unsigned lx = attribute->level[x->node[i]], ly = attribute->level[y->node[i]];
        const uint32_t fx =
            kan_hierarchy_first_leaf(attribute->hierarchy, lx, x->node[i] - attribute->first[lx]);
        const uint32_t fy =
            kan_hierarchy_first_leaf(attribute->hierarchy, ly, y->node[i] - attribute->first[ly]);
        if (fx != fy)
            return fx < fy ? -1 : 1;
        if (lx != ly)
            return lx < ly ? -1 : 1;
    }
    return x->cluster < y->cluster ? -1 : x->cluster > y->cluster;
}

static kan_status place_clusters(kan_local_improver *im) {
    const kan_local_clusters *clusters = im->clusters;
    kan_run *run = im->space->run;
    neighbour *order;
    KAN_TRY(reserve(im, clusters->n));
    KAN_TRY(kan_alloc(run, clusters->n, sizeof *order, &order));
    for (size_t c = 0; c < clusters->n; c++)
        order[c] = (neighbour){im->space, clusters->clusters[c].node, c};
    qsort(order, clusters->n, sizeof *order, compare_neighbours);
    im->n = 0;
    kan_local_names_destroy(run, &im->names);
    im->names = (kan_local_names){.n_slots = 0};
    kan_status status = KAN_OK;
    for (size_t i = 0; i < clusters->n && status == KAN_OK; i++)
        status = place_cluster(im, order[i].cluster);
    kan_free(run, order);
    return status;
}

/* Rounds of visits, and of regrouping, which is drawn anew each time: it is over when nothing was
 * found in as many rounds as it takes to believe that. */
static kan_status improve(kan_local_improver *im) {
    enum { REGROUPINGS = 5, IDLE = 3 };
    KAN_TRY(tabulate(im));
    for (unsigned n_idle = 0; n_idle < IDLE && !kan_local_improver_is_over(im);) {
        bool is_better = false;
        KAN_TRY(place_clusters(im));
        KAN_TRY(visit_all(im, visit_cluster, &is_better));
        for (unsigned i = 0; i < REGROUPINGS && !kan_local_improver_is_over(im); i++)
            KAN_TRY(visit_all(im, regroup_cluster, &is_better));
        n_idle = is_better ? 0 : n_idle + 1;
    }
    return KAN_OK;
}

kan_status kan_local_improve(kan_local_clusters *clusters, kan_local_effort effort) {
    kan_run *run = clusters->space->run;
    kan_local_improver im = {.clusters = clusters,
                             .space = clusters->space,
                             .deadline_ms = kan_now_ms() + 1000 * effort.seconds,
                             .most_work = effort.work,
                             .random = 1};
    const kan_status status = improve(&im);
    for (unsigned a = 0; a < clusters->space->n_attributes; a++) {
        kan_free(run, im.node[a]);
        kan_free(run, im.block_node[a]);
        kan_free(run, im.block_loss[a]);
        kan_free(run, im.join_loss[a]);
    }
    kan_free(run, im.cluster_at);
    kan_free(run, im.place_of);
    kan_free(run, im.loss);
    kan_free(run, im.n_rows);
    kan_free(run, im.is_settled);
    kan_free(run, im.name_of);
    kan_free(run, im.is_named);
    kan_local_names_destroy(run, &im.names);
    kan_local_regrouping_destroy(&im);
    return status == KAN_OK ? kan_local_clusters_unite(clusters) : status;
}
