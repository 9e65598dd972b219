/* Clusters that fail when a local recoding is made: left out where the limit allows it, or joined
 * with others. */
#include "search/local/local_inside.h"

static bool fails(const kan_local_clusters *clusters, size_t c) {
    return clusters->clusters[c].tally.n_rows > 0 &&
           !kan_local_tally_passes(clusters->space, &clusters->clusters[c].tally);
}

static kan_status leave_out(kan_local_clusters *clusters, size_t c) {
    const kan_local_space *space = clusters->space;
    kan_local_cluster *cluster = &clusters->clusters[c];
    for (size_t i = 0; i < cluster->members.n; i++)
        KAN_TRY(kan_bundles_add(space, &clusters->lost, cluster->members.bundles[i].tuple,
                                cluster->members.bundles[i].n_rows));
    clusters->n_lost += cluster->tally.n_rows;
    cluster->members.n = 0;
    kan_local_tally_clear(space, &cluster->tally);
    return KAN_OK;
}

/* What joining two clusters costs their rows. */
static double joining_loss(const kan_local_clusters *clusters, size_t c, size_t d) {
    const kan_local_space *space = clusters->space;
    const kan_local_cluster *x = &clusters->clusters[c], *y = &clusters->clusters[d];
    double loss = 0;
    for (unsigned a = 0; a < space->n_attributes; a++) {
        const kan_local_attribute *attribute = &space->attributes[a];
        const double both = attribute->loss[kan_local_join(attribute, x->node[a], y->node[a])];
        loss += (both - attribute->loss[x->node[a]]) * (double)x->tally.n_rows +
                (both - attribute->loss[y->node[a]]) * (double)y->tally.n_rows;
    }
    return loss;
}

static kan_status passes_with(kan_local_clusters *clusters, size_t c, size_t d, bool *out) {
    const kan_local_space *space = clusters->space;
    kan_local_tally *tally = &clusters->clusters[c].tally;
    KAN_TRY(kan_local_tally_add_all(space, tally, &clusters->clusters[d].tally));
    *out = kan_local_tally_passes(space, tally);
    kan_local_tally_remove_all(space, tally, &clusters->clusters[d].tally);
    return KAN_OK;
}

/* The cluster that is best joined with `c`: one with which it passes, and of those, or of all where
 * there is none, the one that costs least. */
static kan_status find_partner(kan_local_clusters *clusters, size_t c, size_t *out) {
    double least = 0, least_passing = 0;
    size_t any = SIZE_MAX, passing = SIZE_MAX;
    for (size_t d = 0; d < clusters->n; d++) {
        bool passes = false;
        if (d == c || clusters->clusters[d].tally.n_rows == 0)
            continue;
        const double loss = joining_loss(clusters, c, d);
        if (passing == SIZE_MAX || loss < least_passing)
            KAN_TRY(passes_with(clusters, c, d, &passes));
        if (passes) {
            passing = d;
            least_passing = loss;
        }
        if (any == SIZE_MAX || loss < least) {
            any = d;
            least = loss;
        }
    }
    *out = passing != SIZE_MAX ? passing : any;
    return KAN_OK;
}

/* Joins `c` with what shows the same. */
static kan_status join_same(kan_local_clusters *clusters, size_t c) {
    const size_t size = clusters->space->n_attributes * sizeof(uint32_t);
    for (size_t d = 0; d < clusters->n; d++)
        if (d != c && clusters->clusters[d].tally.n_rows > 0 &&
            memcmp(clusters->clusters[d].node, clusters->clusters[c].node, size) == 0)
            KAN_TRY(kan_local_cluster_merge(clusters, c, d));
    return KAN_OK;
}

static kan_status join_failing(kan_local_clusters *clusters, size_t c, bool *is_complete) {
    size_t partner;
    while (fails(clusters, c)) {
        KAN_TRY(kan_check_cancel(clusters->space->run));
        KAN_TRY(find_partner(clusters, c, &partner));
        if (partner == SIZE_MAX) {
            *is_complete = false;
            return KAN_OK;
        }
        KAN_TRY(kan_local_cluster_merge(clusters, c, partner));
        KAN_TRY(join_same(clusters, c));
    }
    return KAN_OK;
}

kan_status kan_local_complete(kan_local_clusters *clusters, bool *is_complete) {
    uint64_t n_failing = 0, n_rows = 0;
    KAN_TRY(kan_local_clusters_unite(clusters));
    for (size_t c = 0; c < clusters->n; c++) {
        n_rows += clusters->clusters[c].tally.n_rows;
        n_failing += fails(clusters, c) ? clusters->clusters[c].tally.n_rows : 0;
    }
    const bool may_leave_out =
        n_failing <= clusters->space->limit - clusters->n_lost && n_failing < n_rows;
    *is_complete = n_rows > 0;
    for (size_t c = 0; c < clusters->n && n_failing > 0 && *is_complete; c++) {
        if (!fails(clusters, c))
            continue;
        KAN_TRY(may_leave_out ? leave_out(clusters, c) : join_failing(clusters, c, is_complete));
    }
    return kan_local_clusters_unite(clusters);
}
