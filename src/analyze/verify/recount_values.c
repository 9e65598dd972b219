/* A sensitive column's values, put into the order in which distances are summed: by rank, or as the
 * leaves of a tree, whose nodes are then runs of neighbours at every level. What the whole table
 * has at each rank, or in each node, is added up here once, so that a group costs no more than the
 * values that it has. O(values * height * log values). */
#include <stdlib.h>

#include "analyze/verify/recount_model.h"

/* ---- order ---------------------------------------------------------------------------------- */

typedef struct {
    const kan_claim_column *column;
    size_t index;
} ordered_value;

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b) {
    const ordered_value *left = a, *right = b;
    const kan_claim_column *column = left->column;
    int order = 0;
    if (column->distance == KAN_DISTANCE_ORDERED)
        order = compare_numbers(column->rank[left->index], column->rank[right->index]);
    if (column->distance == KAN_DISTANCE_HIERARCHICAL)
        for (unsigned level = column->height + 1; level-- > 0 && order == 0;)
            order = compare_numbers(column->node[level][left->index],
                                    column->node[level][right->index]);
    return order ? order : compare_numbers(left->index, right->index);
}

static kan_status order_values(kan_model_values *values, bool uses_distance) {
    const kan_claim_column *column = values->column;
    ordered_value *order;
    KAN_TRY(kan_alloc(values->run, column->n_values, sizeof *order, &order));
    for (size_t i = 0; i < column->n_values; i++)
        order[i] = (ordered_value){column, i};
    if (uses_distance)
        qsort(order, column->n_values, sizeof *order, compare_places);
    for (size_t place = 0; place < column->n_values; place++)
        values->index_of[place] = order[place].index;
    kan_free(values->run, order);
    return KAN_OK;
}

/* ---- released values ------------------------------------------------------------------------ */

typedef struct {
    kan_slice text;
    size_t place;
} known_value;

static int compare_known(const void *a, const void *b) {
    return kan_slice_compare(((const known_value *)a)->text, ((const known_value *)b)->text);
}

/* By code of the released column its place: values are the same when their bytes are. */
static kan_status place_released(kan_model_values *values, const kan_dictionary *released) {
    const kan_claim_column *column = values->column;
    known_value *known;
    KAN_TRY(kan_alloc(values->run, column->n_values, sizeof *known, &known));
    for (size_t place = 0; place < column->n_values; place++)
        known[place] = (known_value){column->values[values->index_of[place]], place};
    qsort(known, column->n_values, sizeof *known, compare_known);
    values->n_places = values->n_known;
    for (uint32_t code = 0; code < released->n; code++) {
        const known_value wanted = {kan_dictionary_value(released, code), 0};
        const known_value *found =
            bsearch(&wanted, known, column->n_values, sizeof *known, compare_known);
        values->place_of[code] = found ? found->place : values->n_places++;
    }
    kan_free(values->run, known);
    return KAN_OK;
}

/* ---- the whole table ------------------------------------------------------------------------ */

static kan_status sum_ranks(kan_model_values *values) {
    const kan_claim_column *column = values->column;
    const size_t n = column->n_ranks;
    KAN_TRY(kan_alloc_zero(values->run, n, sizeof *values->up_to, &values->up_to));
    KAN_TRY(kan_alloc_zero(values->run, n, sizeof *values->sum_up_to, &values->sum_up_to));
    for (size_t i = 0; i < column->n_values; i++)
        values->up_to[column->rank[i]] += column->rows[i];
    for (size_t rank = 0; rank < n; rank++) {
        values->up_to[rank] += rank ? values->up_to[rank - 1] : 0;
        values->sum_up_to[rank] = values->up_to[rank] + (rank ? values->sum_up_to[rank - 1] : 0);
    }
    return KAN_OK;
}

static kan_status sum_nodes(kan_model_values *values) {
    const kan_claim_column *column = values->column;
    const size_t n = values->n_known;
    KAN_TRY(kan_alloc(values->run, (column->height + (size_t)1) * n, sizeof *values->node_rows,
                      &values->node_rows));
    for (unsigned level = 0; level <= column->height; level++) {
        const uint32_t *node = column->node[level];
        uint64_t *rows = values->node_rows + level * n;
        for (size_t first = 0, end; first < n; first = end) {
            uint64_t sum = 0;
            for (end = first;
                 end < n && node[values->index_of[end]] == node[values->index_of[first]]; end++)
                sum += column->rows[values->index_of[end]];
            for (size_t place = first; place < end; place++)
                rows[place] = sum;
        }
    }
    return KAN_OK;
}

static kan_status check_sum(const kan_model_values *values) {
    kan_u128 sum = 0;
    for (size_t i = 0; i < values->column->n_values; i++)
        sum += values->column->rows[i];
    if (sum == values->column->n_rows)
        return KAN_OK;
    return kan_fail(values->run, KAN_FAILED,
                    "internal error: the values of column '%s' do not add up to its rows; please "
                    "report this",
                    values->column->name);
}

static kan_status make(kan_model_values *values, bool uses_distance, const kan_column *released) {
    kan_run *run = values->run;
    const kan_claim_column *column = values->column;
    KAN_TRY(check_sum(values));
    KAN_TRY(kan_alloc(run, column->n_values, sizeof *values->index_of, &values->index_of));
    KAN_TRY(kan_alloc(run, released->dictionary.n, sizeof *values->place_of, &values->place_of));
    KAN_TRY(order_values(values, uses_distance));
    KAN_TRY(place_released(values, &released->dictionary));
    if (uses_distance && column->distance == KAN_DISTANCE_ORDERED)
        KAN_TRY(sum_ranks(values));
    if (uses_distance && column->distance == KAN_DISTANCE_HIERARCHICAL)
        KAN_TRY(sum_nodes(values));
    return KAN_OK;
}

kan_status kan_model_values_make(kan_run *run, const kan_claim_column *column, bool uses_distance,
                                 const kan_column *released, kan_model_values *out) {
    kan_model_values values = {.run = run, .column = column, .n_known = column->n_values};
    kan_status status = make(&values, uses_distance, released);
    if (status == KAN_OK)
        *out = values;
    else
        kan_model_values_destroy(&values);
    return status;
}

void kan_model_values_destroy(kan_model_values *values) {
    kan_free(values->run, values->place_of);
    kan_free(values->run, values->index_of);
    kan_free(values->run, values->up_to);
    kan_free(values->run, values->sum_up_to);
    kan_free(values->run, values->node_rows);
}
