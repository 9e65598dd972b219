/* People who leave with all their rows (docs/papers/people.md): whoever has a row in a cluster that
 * fails leaves; then other clusters have fewer people, and may fail, too. It is what leavers do at a node
 * (search/leavers.h), in the same rounds.
 *
 * Local searches leave somebody out by person in two cases alone: where the highest levels that may
 * be shown tell rows apart, and too few are alike even there; and where a full-domain release, which
 * does so at any of its levels, costs less. O(rows of those who leave), and one pass. */
#include <string.h>

#include "search/local/local_inside.h"

#define NONE UINT32_MAX

typedef struct {
    kan_local_clusters *clusters;
    const kan_local_space *space;
    size_t *start;        /* by person: the first of her tuples; one more entry */
    uint32_t *tuples;     /* those of a person one after the other */
    uint32_t *cluster_of; /* by tuple */
    uint64_t *n_rows;     /* by tuple: in its cluster */
    uint8_t *is_gone;     /* by person */
    uint64_t n_gone;
    size_t n_open, n_failing;
    uint32_t *open, *failing; /* clusters to be looked at; those of them that fail */
    uint8_t *is_open;
} leaving;

static kan_status make(leaving *w) {
    const kan_local_space *space = w->space;
    kan_run *run = space->run;
    const size_t n_people = (size_t)space->question->problem->n_people, n = w->clusters->n;
    KAN_TRY(kan_alloc_zero(run, n_people + 2, sizeof *w->start, &w->start));
    KAN_TRY(kan_alloc(run, space->n_tuples, sizeof *w->tuples, &w->tuples));
    KAN_TRY(kan_alloc(run, space->n_tuples, sizeof *w->cluster_of, &w->cluster_of));
    KAN_TRY(kan_alloc(run, space->n_tuples, sizeof *w->n_rows, &w->n_rows));
    KAN_TRY(kan_alloc_zero(run, n_people, 1, &w->is_gone));
    KAN_TRY(kan_alloc(run, n, sizeof *w->open, &w->open));
    KAN_TRY(kan_alloc(run, n, sizeof *w->failing, &w->failing));
    KAN_TRY(kan_alloc_zero(run, n, 1, &w->is_open));
    memset(w->cluster_of, 0xff, space->n_tuples * sizeof *w->cluster_of);
    /* two places further on at first, so that filling in leaves each start in its own place */
    for (size_t t = 0; t < space->n_tuples; t++)
        w->start[(size_t)space->owners.person[t] + 2]++;
    for (size_t p = 0; p < n_people; p++)
        w->start[p + 2] += w->start[p + 1];
    for (size_t t = 0; t < space->n_tuples; t++)
        w->tuples[w->start[(size_t)space->owners.person[t] + 1]++] = (uint32_t)t;
    return KAN_OK;
}

static void destroy(leaving *w) {
    kan_run *run = w->space->run;
    kan_free(run, w->start);
    kan_free(run, w->tuples);
    kan_free(run, w->cluster_of);
    kan_free(run, w->n_rows);
    kan_free(run, w->is_gone);
    kan_free(run, w->open);
    kan_free(run, w->failing);
    kan_free(run, w->is_open);
}

static void open_cluster(leaving *w, uint32_t c) {
    if (w->is_open[c])
        return;
    w->is_open[c] = 1;
    w->open[w->n_open++] = c;
}

static void begin(leaving *w) {
    for (size_t c = 0; c < w->clusters->n; c++) {
        const kan_bundles *members = &w->clusters->clusters[c].members;
        for (size_t i = 0; i < members->n; i++) {
            KAN_ASSERT(w->cluster_of[members->bundles[i].tuple] == NONE);
            w->cluster_of[members->bundles[i].tuple] = (uint32_t)c;
            w->n_rows[members->bundles[i].tuple] = members->bundles[i].n_rows;
        }
        open_cluster(w, (uint32_t)c);
    }
}

/* All rows of a person leave; clusters that have some are looked at again. */
static void send_person(leaving *w, uint32_t person) {
    if (w->is_gone[person])
        return;
    w->is_gone[person] = 1;
    w->n_gone++;
    for (size_t i = w->start[person]; i < w->start[person + 1]; i++) {
        const uint32_t t = w->tuples[i], c = w->cluster_of[t];
        if (c == NONE)
            continue;
        kan_local_tally_remove(w->space, &w->clusters->clusters[c].tally, t, w->n_rows[t]);
        open_cluster(w, c);
    }
}

/* One round: who has a row in a cluster that fails now. */
static void send_round(leaving *w) {
    w->n_failing = 0;
    for (size_t i = 0; i < w->n_open; i++) {
        const kan_local_tally *tally = &w->clusters->clusters[w->open[i]].tally;
        w->is_open[w->open[i]] = 0;
        if (tally->n_rows > 0 && !kan_local_tally_passes(w->space, tally))
            w->failing[w->n_failing++] = w->open[i];
    }
    w->n_open = 0;
    for (size_t i = 0; i < w->n_failing; i++) {
        const kan_bundles *members = &w->clusters->clusters[w->failing[i]].members;
        for (size_t j = 0; j < members->n; j++)
            send_person(w, w->space->owners.person[members->bundles[j].tuple]);
    }
}

/* What is left of the clusters. Their tallies are right. */
static kan_status take_out(leaving *w) {
    kan_local_clusters *clusters = w->clusters;
    for (size_t c = 0; c < clusters->n; c++) {
        kan_bundles *members = &clusters->clusters[c].members;
        size_t n = 0;
        for (size_t i = 0; i < members->n; i++) {
            const kan_bundle bundle = members->bundles[i];
            if (!w->is_gone[w->space->owners.person[bundle.tuple]]) {
                members->bundles[n++] = bundle;
                continue;
            }
            KAN_TRY(kan_bundles_add(w->space, &clusters->lost, bundle.tuple, bundle.n_rows));
            clusters->n_lost += bundle.n_rows;
        }
        members->n = n;
    }
    return KAN_OK;
}

kan_status kan_local_send_away(kan_local_clusters *clusters, uint64_t *n_gone) {
    leaving w = {.clusters = clusters, .space = clusters->space};
    kan_status status = make(&w);
    if (status == KAN_OK) {
        begin(&w);
        do
            send_round(&w);
        while (w.n_failing > 0);
        status = w.n_gone > 0 ? take_out(&w) : KAN_OK;
    }
    *n_gone = w.n_gone;
    destroy(&w);
    return status;
}

/* ---- before anything is searched ------------------------------------------------------------- */

static kan_status list_blocks(kan_local_clusters *clusters, const uint32_t *block_of,
                              uint32_t n_blocks) {
    const kan_local_space *space = clusters->space;
    size_t c;
    for (uint32_t block = 0; block < n_blocks; block++)
        KAN_TRY(kan_local_clusters_add(clusters, &c));
    for (size_t t = 0; t < space->n_tuples; t++)
        KAN_TRY(kan_local_cluster_add(clusters, block_of[t], (uint32_t)t, space->rows[t]));
    return KAN_OK;
}

/* By row, and where more rows never hurt: all rows of blocks that fail. With pasts so are cells left out, whatever is
 * promised: which of their people could stay would follow from their values. */
static kan_status lose_failing(kan_local_clusters *clusters) {
    const kan_local_space *space = clusters->space;
    for (size_t c = 0; c < clusters->n; c++) {
        const kan_local_cluster *cluster = &clusters->clusters[c];
        if (kan_local_tally_passes(space, &cluster->tally))
            continue;
        for (size_t i = 0; i < cluster->members.n; i++)
            KAN_TRY(kan_bundles_add(space, &clusters->lost, cluster->members.bundles[i].tuple,
                                    cluster->members.bundles[i].n_rows));
        clusters->n_lost += cluster->tally.n_rows;
    }
    return KAN_OK;
}

static kan_status depart(kan_local_space *space, kan_local_clusters *clusters, bool *is_possible) {
    const kan_promise *promise = space->question->promise;
    if (promise->by_person) {
        KAN_TRY(kan_local_send_away(clusters, &space->n_departed));
        *is_possible = space->n_departed <= promise->limit;
    } else {
        KAN_TRY(lose_failing(clusters));
        *is_possible = clusters->n_lost <= space->limit;
        space->limit -= *is_possible ? clusters->n_lost : 0;
        if (space->question->problem->has_pasts)
            space->limit = 0; /* whoever leaves now could stay, and makes others leavers */
    }
    space->departed = clusters->lost;
    clusters->lost = (kan_bundles){.n = 0};
    for (size_t i = 0; i < space->departed.n; i++)
        space->rows[space->departed.bundles[i].tuple] = 0;
    return KAN_OK;
}

kan_status kan_local_depart(kan_local_space *space, const uint32_t *block_of, uint32_t n_blocks,
                            bool *is_possible) {
    const kan_promise *promise = space->question->promise;
    kan_local_clusters clusters;
    *is_possible = true;
    if (!space->question->problem->has_pasts &&
        (n_blocks == 1 || !(promise->by_person || promise->absorbs_any)))
        return KAN_OK;
    kan_local_clusters_init(&clusters, space);
    kan_status status = list_blocks(&clusters, block_of, n_blocks);
    if (status == KAN_OK)
        status = depart(space, &clusters, is_possible);
    kan_local_clusters_destroy(&clusters);
    return status;
}
