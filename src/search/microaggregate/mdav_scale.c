/* Columns as coordinates. Numbers and dates are standardized: their mean is 0, a standard deviation
 * one unit. An unknown number stands at the mean, and one unit aside. Categories are a unit apart
 * where nothing but the top covers both, and less where a lower node does: the square of their
 * distance is the share of the levels that they have to go up. Linear in tuples and values. */
#include <math.h>

#include "search/microaggregate/mdav_inside.h"

/* Coordinates grow with the root of a weight, so that squares grow with the weight; the greatest
 * weight is 1, so that numbers stay small. */
static double weight_of(const kan_partition_space *space, unsigned d) {
    const kan_problem *problem = space->question->problem;
    double most = 0;
    for (unsigned a = 0; a < space->n_dimensions; a++)
        most = fmax(most, problem->weights[a]);
    return most > 0 ? problem->weights[d] / most : 1;
}

static kan_status add_coordinate(kan_mdav_scale *scale, unsigned d, double **out) {
    const uint32_t n = scale->space->dimensions[d].n_places;
    KAN_TRY(kan_arena_alloc(&scale->arena, n, sizeof **out, out));
    scale->coordinates[scale->n_coordinates].dimension = d;
    scale->coordinates[scale->n_coordinates++].at = *out;
    return KAN_OK;
}

/* The mean and the standard deviation of the positions that are known. */
static void describe(const kan_partition_dimension *dimension, const uint64_t *rows, double *mean,
                     double *deviation) {
    double n = 0, sum = 0, squares = 0;
    for (uint32_t p = dimension->domain->n_unknown; p < dimension->n_places; p++) {
        n += (double)rows[p];
        sum += (double)rows[p] * dimension->position[p];
    }
    *mean = n > 0 ? sum / n : 0;
    for (uint32_t p = dimension->domain->n_unknown; p < dimension->n_places; p++)
        squares +=
            (double)rows[p] * (dimension->position[p] - *mean) * (dimension->position[p] - *mean);
    *deviation = n > 0 ? sqrt(squares / n) : 0;
}

static kan_status scale_numbers(kan_mdav_scale *scale, unsigned d, const uint64_t *rows) {
    const kan_partition_dimension *dimension = &scale->space->dimensions[d];
    const double unit = KAN_MDAV_UNIT * sqrt(weight_of(scale->space, d));
    const uint32_t n_unknown = dimension->domain->n_unknown;
    double mean, deviation, *at;
    describe(dimension, rows, &mean, &deviation);
    KAN_TRY(add_coordinate(scale, d, &at));
    for (uint32_t p = 0; p < dimension->n_places; p++)
        at[p] = p < n_unknown || deviation <= 0
                    ? 0
                    : round((dimension->position[p] - mean) / deviation * unit);
    if (n_unknown == 0)
        return KAN_OK;
    KAN_TRY(add_coordinate(scale, d, &at));
    for (uint32_t p = 0; p < dimension->n_places; p++)
        at[p] = p < n_unknown ? round(unit) : 0;
    return KAN_OK;
}

static kan_status scale_text(kan_mdav_scale *scale, unsigned d) {
    const kan_partition_dimension *dimension = &scale->space->dimensions[d];
    if (!dimension->domain->has_tree)
        return kan_fail(scale->space->run, KAN_BAD_INPUT,
                        "--algorithm mdav: column '%s' is text without a hierarchy, so nothing "
                        "says which of its values are near each other; give it one with --qi "
                        "%s=FILE or --hierarchies DIR, or use --algorithm mondrian without "
                        "--recoding microaggregation",
                        dimension->domain->column->name, dimension->domain->column->name);
    scale->categories[scale->n_categories].dimension = d;
    scale->categories[scale->n_categories++].weight = weight_of(scale->space, d);
    return KAN_OK;
}

static kan_status scale_dimension(kan_mdav_scale *scale, unsigned d) {
    const kan_partition_space *space = scale->space;
    const kan_partition_dimension *dimension = &space->dimensions[d];
    uint64_t *rows; /* by place */
    if (dimension->cutting != KAN_PARTITION_VALUES)
        return scale_text(scale, d);
    KAN_TRY(kan_alloc_zero(space->run, dimension->n_places, sizeof *rows, &rows));
    for (size_t t = 0; t < space->n_records; t++)
        rows[kan_mdav_place(scale, t, d)] += kan_partition_rows(kan_partition_record(space, t));
    const kan_status status = scale_numbers(scale, d, rows);
    kan_free(space->run, rows);
    return status;
}

kan_status kan_mdav_scale_make(const kan_partition_space *space, kan_mdav_scale *out) {
    *out = (kan_mdav_scale){.space = space};
    kan_arena_init(&out->arena, space->run);
    for (unsigned d = 0; d < space->n_dimensions; d++)
        KAN_TRY(scale_dimension(out, d));
    return KAN_OK;
}

void kan_mdav_scale_destroy(kan_mdav_scale *scale) {
    kan_arena_destroy(&scale->arena);
}
