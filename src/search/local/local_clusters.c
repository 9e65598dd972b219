/* Clusters of a local recoding, and the regions that they become. */
#include <stdlib.h>

#include "core/pool.h"
#include "search/local/local_inside.h"

enum { TASK_CLUSTERS = 1 << 10 };

kan_status kan_bundles_add(const kan_local_space *space, kan_bundles *bundles, uint32_t tuple,
                           uint64_t n_rows) {
    if (n_rows == 0)
        return KAN_OK;
    KAN_TRY(kan_reserve(space->run, bundles->n + 1, sizeof *bundles->bundles, &bundles->room,
                        &bundles->bundles));
    bundles->bundles[bundles->n++] = (kan_bundle){tuple, n_rows};
    return KAN_OK;
}

/* Leaves are numbered in the preorder of the tree: what covers the least and the greatest covers
 * all between them. */
void kan_bundles_cover(const kan_local_space *space, const kan_bundles *bundles, uint32_t *nodes) {
    const unsigned n = space->n_attributes;
    uint32_t least[KAN_MAX_ATTRIBUTES], most[KAN_MAX_ATTRIBUTES];
    KAN_ASSERT(bundles->n > 0);
    memcpy(least, kan_local_leaves(space, bundles->bundles[0].tuple), n * sizeof *least);
    memcpy(most, least, n * sizeof *most);
    for (size_t i = 1; i < bundles->n; i++) {
        const uint32_t *leaves = kan_local_leaves(space, bundles->bundles[i].tuple);
        for (unsigned a = 0; a < n; a++) {
            least[a] = leaves[a] < least[a] ? leaves[a] : least[a];
            most[a] = leaves[a] > most[a] ? leaves[a] : most[a];
        }
    }
    for (unsigned a = 0; a < n; a++)
        nodes[a] = kan_local_shown(&space->attributes[a],
                                   kan_local_join(&space->attributes[a], least[a], most[a]));
}

void kan_local_clusters_init(kan_local_clusters *clusters, const kan_local_space *space) {
    *clusters = (kan_local_clusters){.space = space};
}

static void cluster_destroy(const kan_local_space *space, kan_local_cluster *cluster) {
    kan_free(space->run, cluster->members.bundles);
    kan_free(space->run, cluster->node);
    kan_local_tally_destroy(space, &cluster->tally);
}

void kan_local_clusters_destroy(kan_local_clusters *clusters) {
    const kan_local_space *space = clusters->space;
    for (size_t c = 0; c < clusters->n; c++)
        cluster_destroy(space, &clusters->clusters[c]);
    kan_free(space->run, clusters->clusters);
    kan_free(space->run, clusters->lost.bundles);
}

kan_status kan_local_clusters_add(kan_local_clusters *clusters, size_t *out) {
    const kan_local_space *space = clusters->space;
    kan_local_cluster cluster = {.node = NULL};
    KAN_TRY(kan_reserve(space->run, clusters->n + 1, sizeof cluster, &clusters->room,
                        &clusters->clusters));
    kan_status status =
        kan_alloc(space->run, space->n_attributes, sizeof *cluster.node, &cluster.node);
    if (status == KAN_OK)
        status = kan_local_tally_make(space, &cluster.tally);
    if (status != KAN_OK) {
        cluster_destroy(space, &cluster);
        return status;
    }
    *out = clusters->n;
    clusters->clusters[clusters->n++] = cluster;
    return KAN_OK;
}

static void cover(const kan_local_space *space, uint32_t *nodes, const uint32_t *leaves) {
    for (unsigned a = 0; a < space->n_attributes; a++)
        nodes[a] = kan_local_join(&space->attributes[a], nodes[a], leaves[a]);
}

kan_status kan_local_cluster_add(kan_local_clusters *clusters, size_t c, uint32_t tuple,
                                 uint64_t n_rows) {
    const kan_local_space *space = clusters->space;
    kan_local_cluster *cluster = &clusters->clusters[c];
    const uint32_t *leaves = kan_local_leaves(space, tuple);
    if (n_rows == 0)
        return KAN_OK;
    for (unsigned a = 0; cluster->tally.n_rows == 0 && a < space->n_attributes; a++)
        cluster->node[a] = kan_local_shown(&space->attributes[a], leaves[a]);
    if (cluster->tally.n_rows > 0)
        cover(space, cluster->node, leaves);
    KAN_TRY(kan_bundles_add(space, &cluster->members, tuple, n_rows));
    return kan_local_tally_add(space, &cluster->tally, tuple, n_rows);
}

void kan_local_cluster_remove(kan_local_clusters *clusters, size_t c, size_t i, uint64_t n_rows) {
    kan_local_cluster *cluster = &clusters->clusters[c];
    kan_bundle *bundle = &cluster->members.bundles[i];
    KAN_ASSERT(i < cluster->members.n && n_rows <= bundle->n_rows);
    kan_local_tally_remove(clusters->space, &cluster->tally, bundle->tuple, n_rows);
    bundle->n_rows -= n_rows;
    if (bundle->n_rows == 0)
        *bundle = cluster->members.bundles[--cluster->members.n];
}

static int compare_bundles(const void *a, const void *b) {
    const kan_bundle *x = a, *y = b;
    return x->tuple < y->tuple ? -1 : x->tuple > y->tuple;
}

/* By tuple; most clusters have few bundles. */
static void sort_bundles(kan_bundle *bundles, size_t n) {
    enum { FEW = 32 };
    if (n > FEW) {
        qsort(bundles, n, sizeof *bundles, compare_bundles);
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const kan_bundle bundle = bundles[i];
        size_t at = i;
        for (; at > 0 && bundles[at - 1].tuple > bundle.tuple; at--)
            bundles[at] = bundles[at - 1];
        bundles[at] = bundle;
    }
}

void kan_local_cluster_tighten(kan_local_clusters *clusters, size_t c) {
    kan_local_cluster *cluster = &clusters->clusters[c];
    kan_bundle *bundles = cluster->members.bundles;
    size_t n = 0;
    if (cluster->members.n == 0)
        return;
    sort_bundles(bundles, cluster->members.n);
    for (size_t i = 0; i < cluster->members.n; i++)
        if (n > 0 && bundles[n - 1].tuple == bundles[i].tuple)
            bundles[n - 1].n_rows += bundles[i].n_rows;
        else
            bundles[n++] = bundles[i];
    cluster->members.n = n;
    kan_bundles_cover(clusters->space, &cluster->members, cluster->node);
}

kan_status kan_local_cluster_merge(kan_local_clusters *clusters, size_t to, size_t from) {
    const kan_local_space *space = clusters->space;
    kan_local_cluster *source = &clusters->clusters[from], *target = &clusters->clusters[to];
    KAN_ASSERT(to != from);
    if (source->tally.n_rows == 0)
        return KAN_OK;
    if (target->tally.n_rows == 0)
        memcpy(target->node, source->node, space->n_attributes * sizeof *target->node);
    else
        cover(space, target->node, source->node);
    KAN_TRY(kan_reserve(space->run, target->members.n + source->members.n, sizeof(kan_bundle),
                        &target->members.room, &target->members.bundles));
    KAN_TRY(kan_local_tally_add_all(space, &target->tally, &source->tally));
    memcpy(target->members.bundles + target->members.n, source->members.bundles,
           source->members.n * sizeof(kan_bundle));
    target->members.n += source->members.n;
    source->members.n = 0;
    kan_local_tally_clear(space, &source->tally);
    return KAN_OK;
}

kan_status kan_local_clusters_take(kan_local_clusters *clusters, kan_local_clusters *other) {
    KAN_TRY(kan_reserve(clusters->space->run, clusters->n + other->n, sizeof *clusters->clusters,
                        &clusters->room, &clusters->clusters));
    for (size_t c = 0; c < other->n; c++)
        clusters->clusters[clusters->n++] = other->clusters[c];
    other->n = 0;
    for (size_t i = 0; i < other->lost.n; i++)
        KAN_TRY(kan_bundles_add(clusters->space, &clusters->lost, other->lost.bundles[i].tuple,
                                other->lost.bundles[i].n_rows));
    clusters->n_lost += other->n_lost;
    other->lost.n = 0;
    other->n_lost = 0;
    return KAN_OK;
}

/* ---- clusters that show the same ------------------------------------------------------------- */

static kan_status unite(kan_local_clusters *clusters, uint32_t *slots, size_t n_slots) {
    const kan_local_space *space = clusters->space;
    const size_t size = space->n_attributes * sizeof(uint32_t);
    for (size_t c = 0; c < clusters->n; c++) {
        const kan_local_cluster *cluster = &clusters->clusters[c];
        if (cluster->tally.n_rows == 0)
            continue;
        size_t at = (size_t)kan_hash_bytes(cluster->node, size) & (n_slots - 1);
        while (slots[at] != 0 &&
               memcmp(clusters->clusters[slots[at] - 1].node, cluster->node, size) != 0)
            at = (at + 1) & (n_slots - 1);
        if (slots[at] == 0)
            slots[at] = (uint32_t)c + 1;
        else
            KAN_TRY(kan_local_cluster_merge(clusters, slots[at] - 1, c));
    }
    return KAN_OK;
}

static void drop_empty(kan_local_clusters *clusters) {
    size_t n = 0;
    for (size_t c = 0; c < clusters->n; c++)
        if (clusters->clusters[c].tally.n_rows > 0)
            clusters->clusters[n++] = clusters->clusters[c];
        else
            cluster_destroy(clusters->space, &clusters->clusters[c]);
    clusters->n = n;
}

static kan_status tighten_task(void *context, size_t task, unsigned worker) {
    kan_local_clusters *clusters = context;
    const size_t first = task * TASK_CLUSTERS;
    const size_t end = clusters->n - first < TASK_CLUSTERS ? clusters->n : first + TASK_CLUSTERS;
    (void)worker;
    for (size_t c = first; c < end; c++)
        kan_local_cluster_tighten(clusters, c);
    return KAN_OK;
}

kan_status kan_local_clusters_tidy(kan_local_clusters *clusters) {
    KAN_TRY(kan_parallel(clusters->space->run, (clusters->n + TASK_CLUSTERS - 1) / TASK_CLUSTERS,
                         tighten_task, clusters));
    drop_empty(clusters);
    return KAN_OK;
}

kan_status kan_local_clusters_unite(kan_local_clusters *clusters) {
    kan_run *run = clusters->space->run;
    size_t n_slots = 8;
    uint32_t *slots;
    /* two that are tight and show the same are so together */
    KAN_TRY(kan_local_clusters_tidy(clusters));
    while (n_slots < 2 * clusters->n)
        n_slots *= 2;
    KAN_TRY(kan_alloc_zero(run, n_slots, sizeof *slots, &slots));
    const kan_status status = unite(clusters, slots, n_slots);
    kan_free(run, slots);
    KAN_TRY(status);
    drop_empty(clusters);
    return KAN_OK;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* Rows of a tuple in a region; by tuple, then region. */
typedef struct {
    uint32_t tuple, region;
    uint64_t n_rows;
} share;

/* The most exact clusters first: the rows of a tuple that come first in the table are shown most
 * exactly. */
typedef struct {
    double loss;
    uint32_t cluster;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss < y->loss ? -1 : 1;
    return x->cluster < y->cluster ? -1 : x->cluster > y->cluster;
}

typedef struct {
    const kan_local_clusters *clusters;
    ranked *order;
    size_t n_shares;
    share *shares;
    kan_regions *regions;
} answering;

static kan_status rank_clusters(answering *w) {
    const kan_local_clusters *clusters = w->clusters;
    KAN_TRY(kan_alloc(clusters->space->run, clusters->n, sizeof *w->order, &w->order));
    for (size_t c = 0; c < clusters->n; c++)
        w->order[c] =
            (ranked){kan_local_loss(clusters->space, clusters->clusters[c].node), (uint32_t)c};
    qsort(w->order, clusters->n, sizeof *w->order, compare_ranked);
    return KAN_OK;
}

/* Counts the bundles of each tuple, two places further on, so that filling in leaves each start in
 * its own place. */
static void count_bundles(const kan_bundles *bundles, size_t *start) {
    for (size_t i = 0; i < bundles->n; i++)
        start[bundles->bundles[i].tuple + 2]++;
}

static void place_bundles(answering *w, const kan_bundles *bundles, uint32_t region,
                          size_t *start) {
    for (size_t i = 0; i < bundles->n; i++)
        w->shares[start[bundles->bundles[i].tuple + 1]++] =
            (share){bundles->bundles[i].tuple, region, bundles->bundles[i].n_rows};
}

/* By tuple, then region, which is the order in which regions are gone through. */
static void place_all(answering *w, size_t *start) {
    const kan_local_clusters *clusters = w->clusters;
    for (size_t t = 0; t < clusters->space->n_tuples; t++)
        start[t + 2] += start[t + 1];
    for (size_t r = 0; r < clusters->n; r++)
        place_bundles(w, &clusters->clusters[w->order[r].cluster].members, (uint32_t)r, start);
    place_bundles(w, &clusters->lost, (uint32_t)clusters->n, start);
}

static kan_status list_shares(answering *w) {
    const kan_local_clusters *clusters = w->clusters;
    kan_run *run = clusters->space->run;
    size_t *start, n = clusters->lost.n;
    for (size_t c = 0; c < clusters->n; c++)
        n += clusters->clusters[c].members.n;
    KAN_TRY(kan_alloc(run, n, sizeof *w->shares, &w->shares));
    KAN_TRY(kan_alloc_zero(run, clusters->space->n_tuples + 2, sizeof *start, &start));
    for (size_t c = 0; c < clusters->n; c++)
        count_bundles(&clusters->clusters[c].members, start);
    count_bundles(&clusters->lost, start);
    place_all(w, start);
    kan_free(run, start);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept > 0 && w->shares[kept - 1].tuple == w->shares[i].tuple &&
            w->shares[kept - 1].region == w->shares[i].region)
            w->shares[kept - 1].n_rows += w->shares[i].n_rows;
        else
            w->shares[kept++] = w->shares[i];
    w->n_shares = kept;
    return KAN_OK;
}

/* The nodes that regions show of an attribute, without repetition. */
static kan_status list_cells(void *context, size_t a, unsigned worker) {
    const answering *w = context;
    const kan_local_clusters *clusters = w->clusters;
    const kan_local_attribute *attribute = &clusters->space->attributes[a];
    kan_regions *regions = w->regions;
    kan_run *run = clusters->space->run;
    uint32_t *cell_of; /* by node: cell + 1 */
    kan_cells *cells = &regions->cells[a];
    (void)worker;
    cells->type = KAN_CELL_NODE;
    KAN_TRY(kan_alloc(run, attribute->n_nodes, sizeof *cells->cells, &cells->cells));
    KAN_TRY(kan_alloc_zero(run, attribute->n_nodes, sizeof *cell_of, &cell_of));
    for (size_t r = 0; r < regions->n_regions; r++) {
        const uint32_t node = r < clusters->n ? clusters->clusters[w->order[r].cluster].node[a]
                                              : attribute->n_nodes - 1;
        if (cell_of[node] == 0) {
            const unsigned level = attribute->level[node];
            cells->cells[cells->n++] = (kan_cell){level, node - attribute->first[level]};
            cell_of[node] = cells->n;
        }
        regions->cell_of[r * regions->n_attributes + a] = cell_of[node] - 1;
    }
    kan_free(run, cell_of);
    return KAN_OK;
}

static kan_status hand_out(answering *w) {
    kan_regions *regions = w->regions;
    kan_run *run = regions->run;
    size_t n_portions = 0, n_splits = 0;
    for (size_t i = 0, end; i < w->n_shares; i = end) {
        for (end = i + 1; end < w->n_shares && w->shares[end].tuple == w->shares[i].tuple; end++)
            ;
        n_splits += end > i + 1;
        n_portions += end > i + 1 ? end - i : 0;
    }
    KAN_TRY(kan_alloc(run, regions->n_tuples, sizeof *regions->region_of, &regions->region_of));
    KAN_TRY(kan_alloc(run, n_splits + 1, sizeof *regions->split_start, &regions->split_start));
    KAN_TRY(kan_alloc(run, n_portions, sizeof *regions->portions, &regions->portions));
    n_portions = 0;
    for (size_t i = 0, end; i < w->n_shares; i = end) {
        for (end = i + 1; end < w->n_shares && w->shares[end].tuple == w->shares[i].tuple; end++)
            ;
        if (end == i + 1) {
            regions->region_of[w->shares[i].tuple] = w->shares[i].region;
            continue;
        }
        regions->region_of[w->shares[i].tuple] = KAN_REGION_SPLIT | (uint32_t)regions->n_splits;
        regions->split_start[regions->n_splits++] = n_portions;
        for (size_t j = i; j < end; j++)
            regions->portions[n_portions++] =
                (kan_portion){w->shares[j].region, w->shares[j].n_rows};
    }
    regions->split_start[regions->n_splits] = n_portions;
    return KAN_OK;
}

static kan_status make_regions(answering *w) {
    const kan_local_clusters *clusters = w->clusters;
    kan_regions *regions = w->regions;
    kan_run *run = clusters->space->run;
    regions->n_attributes = clusters->space->n_attributes;
    regions->n_tuples = clusters->space->n_tuples;
    regions->has_lost = clusters->n_lost > 0;
    if (clusters->n >= KAN_REGION_SPLIT - 1)
        return kan_fail(run, KAN_FAILED, "too many groups for a local recoding: 2^31 or more");
    regions->n_regions = (uint32_t)(clusters->n + regions->has_lost);
    KAN_TRY(rank_clusters(w));
    KAN_TRY(list_shares(w));
    KAN_TRY(kan_alloc(run, regions->n_regions, sizeof *regions->n_rows, &regions->n_rows));
    KAN_TRY(kan_alloc(run, (size_t)regions->n_regions * regions->n_attributes,
                      sizeof *regions->cell_of, &regions->cell_of));
    for (size_t r = 0; r < clusters->n; r++)
        regions->n_rows[r] = clusters->clusters[w->order[r].cluster].tally.n_rows;
    if (regions->has_lost)
        regions->n_rows[clusters->n] = clusters->n_lost;
    KAN_TRY(kan_parallel(run, regions->n_attributes, list_cells, w));
    return hand_out(w);
}

kan_status kan_local_clusters_answer(const kan_local_clusters *clusters, kan_answer *out) {
    kan_run *run = clusters->space->run;
    answering w = {.clusters = clusters};
    for (size_t c = 0; c < clusters->n; c++)
        KAN_ASSERT(kan_local_tally_passes(clusters->space, &clusters->clusters[c].tally));
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *w.regions, &w.regions));
    w.regions->run = run;
    const kan_status status = make_regions(&w);
    kan_free(run, w.order);
    kan_free(run, w.shares);
    if (status != KAN_OK) {
        kan_regions_destroy(w.regions);
        return status;
    }
    out->is_found = true;
    out->recoding.type = KAN_RECODING_LOCAL;
    out->recoding.n_attributes = clusters->space->n_attributes;
    out->recoding.regions = w.regions;
    return KAN_OK;
}
