/* Tuples side by side, by attribute, so that one is held against all others quickly. */
#include "search/cells/cells_inside.h"

static kan_status list_tuples(kan_cell_tuples *tuples, const uint64_t *rows) {
    const kan_local_space *space = tuples->space;
    kan_run *run = space->run;
    size_t n = 0;
    for (size_t t = 0; t < space->n_tuples; t++)
        n += rows[t] > 0;
    KAN_TRY(kan_alloc(run, n, sizeof *tuples->tuple, &tuples->tuple));
    KAN_TRY(kan_alloc(run, n, sizeof *tuples->rows, &tuples->rows));
    for (size_t t = 0; t < space->n_tuples; t++)
        if (rows[t] > 0) {
            tuples->tuple[tuples->n] = (uint32_t)t;
            tuples->rows[tuples->n++] = rows[t];
            tuples->n_rows += rows[t];
        }
    return KAN_OK;
}

kan_status kan_cell_tuples_make(const kan_local_space *space, const uint64_t *rows,
                                kan_cell_tuples *out) {
    *out = (kan_cell_tuples){.space = space, .least_size = space->question->promise->least_size};
    KAN_TRY(list_tuples(out, rows));
    for (unsigned a = 0; a < space->n_attributes; a++) {
        out->n_leaves[a] = space->attributes[a].first[1];
        KAN_TRY(kan_alloc(space->run, out->n, sizeof *out->leaf[a], &out->leaf[a]));
        for (size_t p = 0; p < out->n; p++)
            out->leaf[a][p] = kan_local_leaves(space, out->tuple[p])[a];
    }
    return KAN_OK;
}

void kan_cell_tuples_destroy(kan_cell_tuples *tuples) {
    kan_run *run = tuples->space->run;
    for (unsigned a = 0; a < tuples->space->n_attributes; a++)
        kan_free(run, tuples->leaf[a]);
    kan_free(run, tuples->tuple);
    kan_free(run, tuples->rows);
}

kan_status kan_cell_tuples_join(const kan_cell_tuples *tuples, kan_local_clusters *clusters) {
    size_t c;
    if (tuples->n == 0)
        return KAN_OK;
    KAN_TRY(kan_local_clusters_add(clusters, &c));
    for (size_t p = 0; p < tuples->n; p++)
        KAN_TRY(kan_local_cluster_add(clusters, c, tuples->tuple[p], tuples->rows[p]));
    return KAN_OK;
}

/* ---- distances ------------------------------------------------------------------------------- */

kan_status kan_cell_ruler_make(const kan_cell_tuples *tuples, kan_cell_ruler *out) {
    kan_run *run = tuples->space->run;
    *out = (kan_cell_ruler){.tuples = tuples};
    for (unsigned a = 0; a < tuples->space->n_attributes; a++) {
        out->from[a] = UINT32_MAX;
        KAN_TRY(kan_alloc(run, tuples->n_leaves[a], sizeof *out->loss[a], &out->loss[a]));
    }
    return kan_alloc(run, tuples->n, sizeof *out->distance, &out->distance);
}

void kan_cell_ruler_destroy(kan_cell_ruler *ruler) {
    if (!ruler->tuples)
        return;
    for (unsigned a = 0; a < ruler->tuples->space->n_attributes; a++)
        kan_free(ruler->tuples->space->run, ruler->loss[a]);
    kan_free(ruler->tuples->space->run, ruler->distance);
}

/* What each leaf costs when it is joined with that of the place. */
static void aim(kan_cell_ruler *ruler, unsigned a, uint32_t leaf) {
    const kan_local_attribute *attribute = &ruler->tuples->space->attributes[a];
    if (ruler->from[a] == leaf)
        return;
    ruler->from[a] = leaf;
    for (uint32_t other = 0; other < ruler->tuples->n_leaves[a]; other++)
        ruler->loss[a][other] = attribute->loss[kan_local_join(attribute, leaf, other)];
}

void kan_cell_measure(kan_cell_ruler *ruler, size_t place) {
    const kan_cell_tuples *tuples = ruler->tuples;
    double *distance = ruler->distance;
    for (unsigned a = 0; a < tuples->space->n_attributes; a++) {
        const uint32_t *leaf = tuples->leaf[a];
        const double *loss = ruler->loss[a];
        aim(ruler, a, leaf[place]);
        for (size_t p = 0; p < tuples->n; p++)
            distance[p] = a == 0 ? loss[leaf[p]] : distance[p] + loss[leaf[p]];
    }
}

void kan_cell_measure_some(kan_cell_ruler *ruler, size_t place, const uint32_t *list, size_t n) {
    const kan_cell_tuples *tuples = ruler->tuples;
    double *distance = ruler->distance;
    for (unsigned a = 0; a < tuples->space->n_attributes; a++) {
        const uint32_t *leaf = tuples->leaf[a];
        const double *loss = ruler->loss[a];
        aim(ruler, a, leaf[place]);
        for (size_t i = 0; i < n; i++)
            distance[i] = a == 0 ? loss[leaf[list[i]]] : distance[i] + loss[leaf[list[i]]];
    }
}
