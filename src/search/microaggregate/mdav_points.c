/* Points: coordinates by column, so that distances from a centre take one pass over each; of
 * categories a table by value, made for each centre. What is left stands together, so that a pass
 * gets shorter with every group. */
#include <math.h>
#include <string.h>

#include "search/microaggregate/mdav_inside.h"

static const kan_partition_dimension *category(const kan_mdav_points *points, unsigned i) {
    return &points->scale->space->dimensions[points->scale->categories[i].dimension];
}

static kan_status make_categories(kan_mdav_points *points, size_t n) {
    uint32_t most_nodes = 0;
    for (unsigned i = 0; i < points->scale->n_categories; i++) {
        const kan_partition_dimension *dimension = category(points, i);
        const uint32_t n_places = dimension->n_places;
        KAN_TRY(kan_alloc(points->run, n, sizeof *points->place[i], &points->place[i]));
        KAN_TRY(kan_alloc_zero(points->run, n_places, sizeof *points->count[i], &points->count[i]));
        KAN_TRY(kan_alloc(points->run, n_places, sizeof *points->table[i], &points->table[i]));
        if (dimension->hierarchy->levels[0].n_groups > most_nodes)
            most_nodes = dimension->hierarchy->levels[0].n_groups;
    }
    return kan_alloc_zero(points->run, most_nodes, sizeof *points->node_rows, &points->node_rows);
}

static void read_point(kan_mdav_points *points, size_t p) {
    const kan_mdav_scale *scale = points->scale;
    const size_t tuple = points->tuple[p];
    points->rows[p] = kan_partition_rows(kan_partition_record(scale->space, tuple));
    points->n_rows += points->rows[p];
    for (unsigned c = 0; c < scale->n_coordinates; c++) {
        const double at =
            scale->coordinates[c].at[kan_mdav_place(scale, tuple, scale->coordinates[c].dimension)];
        points->coordinate[c][p] = at;
        points->sum[c] += (int64_t)at * (int64_t)points->rows[p];
    }
    for (unsigned i = 0; i < scale->n_categories; i++) {
        points->place[i][p] = kan_mdav_place(scale, tuple, scale->categories[i].dimension);
        points->count[i][points->place[i][p]] += points->rows[p];
    }
}

kan_status kan_mdav_points_make(const kan_mdav_scale *scale, const uint32_t *tuples, size_t n,
                                kan_mdav_points *out) {
    kan_run *run = scale->space->run;
    *out = (kan_mdav_points){.scale = scale, .run = run, .n = n};
    kan_neighbours_init(&out->nearest, run);
    KAN_TRY(kan_alloc(run, n, sizeof *out->tuple, &out->tuple));
    KAN_TRY(kan_alloc(run, n, sizeof *out->rows, &out->rows));
    KAN_TRY(kan_alloc(run, n, sizeof *out->distance, &out->distance));
    for (unsigned c = 0; c < scale->n_coordinates; c++)
        KAN_TRY(kan_alloc(run, n, sizeof *out->coordinate[c], &out->coordinate[c]));
    KAN_TRY(make_categories(out, n));
    memcpy(out->tuple, tuples, n * sizeof *tuples);
    for (size_t p = 0; p < n; p++)
        read_point(out, p);
    return KAN_OK;
}

void kan_mdav_points_destroy(kan_mdav_points *points) {
    kan_run *run = points->run;
    for (unsigned c = 0; c < points->scale->n_coordinates; c++)
        kan_free(run, points->coordinate[c]);
    for (unsigned i = 0; i < points->scale->n_categories; i++) {
        kan_free(run, points->place[i]);
        kan_free(run, points->count[i]);
        kan_free(run, points->table[i]);
    }
    kan_free(run, points->tuple);
    kan_free(run, points->rows);
    kan_free(run, points->distance);
    kan_free(run, points->node_rows);
    kan_neighbours_destroy(&points->nearest);
}

/* ---- distances ------------------------------------------------------------------------------- */

static void measure(kan_mdav_points *points, const double *centre) {
    const kan_mdav_scale *scale = points->scale;
    double *restrict distance = points->distance;
    memset(distance, 0, points->n * sizeof *distance);
    for (unsigned c = 0; c < scale->n_coordinates; c++) {
        const double *restrict at = points->coordinate[c];
        const double from = centre[c];
        for (size_t p = 0; p < points->n; p++)
            distance[p] += (at[p] - from) * (at[p] - from);
    }
    for (unsigned i = 0; i < scale->n_categories; i++) {
        const uint32_t *restrict place = points->place[i];
        const double *table = points->table[i];
        for (size_t p = 0; p < points->n; p++)
            distance[p] += table[place[p]];
    }
}

/* Squared distances of categories are whole numbers, too. */
static double scaled(const kan_mdav_points *points, unsigned i, double share) {
    return round(share * points->scale->categories[i].weight * KAN_MDAV_UNIT * KAN_MDAV_UNIT);
}

/* A category is a point in a space that has an axis for every node below the top: half of the
 * square of a distance is for each of the two nodes in which categories differ. So the mean of
 * rows is the shares that they have of each node. */
static void table_mean(kan_mdav_points *points, unsigned i) {
    const kan_partition_dimension *dimension = category(points, i);
    const double n = (double)points->n_rows, height = (double)dimension->hierarchy->height;
    double *table = points->table[i];
    memset(table, 0, dimension->n_places * sizeof *table);
    for (unsigned level = 0; level < dimension->hierarchy->height; level++) {
        const uint32_t n_nodes = dimension->hierarchy->levels[level].n_groups;
        double squares = 0;
        memset(points->node_rows, 0, n_nodes * sizeof *points->node_rows);
        for (uint32_t p = 0; p < dimension->n_places; p++)
            points->node_rows[kan_partition_node(dimension, level, p)] += points->count[i][p];
        for (uint32_t node = 0; node < n_nodes; node++)
            squares += (double)points->node_rows[node] / n * ((double)points->node_rows[node] / n);
        for (uint32_t p = 0; p < dimension->n_places; p++)
            table[p] +=
                (1 - 2 * (double)points->node_rows[kan_partition_node(dimension, level, p)] / n +
                 squares) /
                (2 * height);
    }
    for (uint32_t p = 0; p < dimension->n_places; p++)
        table[p] = scaled(points, i, table[p]);
}

static void table_place(kan_mdav_points *points, unsigned i, uint32_t place) {
    const kan_partition_dimension *dimension = category(points, i);
    for (uint32_t p = 0; p < dimension->n_places; p++) {
        const unsigned level = p < place ? kan_partition_cover(dimension, p, place)
                                         : kan_partition_cover(dimension, place, p);
        points->table[i][p] =
            level == 0 ? 0 : scaled(points, i, (double)level / dimension->hierarchy->height);
    }
}

void kan_mdav_measure_mean(kan_mdav_points *points) {
    double centre[KAN_MDAV_COORDINATES];
    for (unsigned c = 0; c < points->scale->n_coordinates; c++)
        centre[c] = round((double)points->sum[c] / (double)points->n_rows);
    for (unsigned i = 0; i < points->scale->n_categories; i++)
        table_mean(points, i);
    measure(points, centre);
}

void kan_mdav_measure_point(kan_mdav_points *points, size_t point) {
    double centre[KAN_MDAV_COORDINATES];
    for (unsigned c = 0; c < points->scale->n_coordinates; c++)
        centre[c] = points->coordinate[c][point];
    for (unsigned i = 0; i < points->scale->n_categories; i++)
        table_place(points, i, points->place[i][point]);
    measure(points, centre);
}

size_t kan_mdav_farthest(const kan_mdav_points *points) {
    size_t best = 0;
    for (size_t p = 1; p < points->n; p++)
        if (points->distance[p] > points->distance[best] ||
            (points->distance[p] == points->distance[best] &&
             points->tuple[p] < points->tuple[best]))
            best = p;
    return best;
}

kan_status kan_mdav_nearest(kan_mdav_points *points, uint64_t n_rows) {
    kan_neighbours_begin(&points->nearest, n_rows);
    for (size_t p = 0; p < points->n; p++) {
        const kan_near near = {points->distance[p], points->tuple[p], (uint32_t)p, points->rows[p]};
        KAN_TRY(kan_neighbours_offer(&points->nearest, &near));
    }
    kan_neighbours_end(&points->nearest);
    return KAN_OK;
}

void kan_mdav_take(kan_mdav_points *points, size_t p, uint64_t n_rows) {
    const kan_mdav_scale *scale = points->scale;
    KAN_ASSERT(n_rows <= points->rows[p]);
    points->rows[p] -= n_rows;
    points->n_rows -= n_rows;
    for (unsigned c = 0; c < scale->n_coordinates; c++)
        points->sum[c] -= (int64_t)points->coordinate[c][p] * (int64_t)n_rows;
    for (unsigned i = 0; i < scale->n_categories; i++)
        points->count[i][points->place[i][p]] -= n_rows;
    if (points->rows[p] > 0)
        return;
    const size_t last = --points->n;
    points->tuple[p] = points->tuple[last];
    points->rows[p] = points->rows[last];
    points->distance[p] = points->distance[last];
    for (unsigned c = 0; c < scale->n_coordinates; c++)
        points->coordinate[c][p] = points->coordinate[c][last];
    for (unsigned i = 0; i < scale->n_categories; i++)
        points->place[i][p] = points->place[i][last];
}
