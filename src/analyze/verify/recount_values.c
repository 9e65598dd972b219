/* A sensitive column's values, put into the order in which distances are summed: by rank, or as the
 * leaves of a tree, whose nodes are then runs of neighbours at every level. What the whole table
 * has at each rank, or in each node, is added up here once, so that a group costs no more than the
 * values that it has. O(values * height * log values). */
#include <stdlib.h>

#include "analyze/verify/recount_model.h"
#include "data/spelling.h"

/* ---- what released values are --------------------------------------------------------------- */

/* The values of the released column as they are read, and which of them rows show. */
typedef struct {
    kan_meant_list list;
    uint8_t *is_shown;
} released_values;

static void released_destroy(kan_run *run, released_values *released) {
    kan_free(run, released->is_shown);
    if (released->list.run)
        kan_meant_destroy(&released->list);
}

static kan_status read_released(kan_run *run, const kan_column *column, uint64_t n_rows,
                                released_values *out) {
    const uint32_t n = column->dictionary.n;
    kan_slice *texts;
    KAN_TRY(kan_alloc(run, n, 1, &out->is_shown));
    kan_meant_shown(run, column, n_rows, out->is_shown);
    KAN_TRY(kan_alloc(run, n, sizeof *texts, &texts));
    for (uint32_t code = 0; code < n; code++)
        texts[code] = kan_dictionary_value(&column->dictionary, code);
    const kan_status status = kan_meant_read(run, texts, n, &out->list);
    kan_free(run, texts);
    return status;
}

/* By the values that rows show, and by no others. */
static void settle_kind(kan_model_values *values, const released_values *released) {
    const kan_claim_column *column = values->column;
    const bool is_called_text = column->spelling && column->spelling->names_text;
    const kan_type kind = is_called_text
                              ? KAN_TYPE_TEXT
                              : kan_meant_kind(&released->list, released->is_shown, column->ends);
    values->settled.is_by_value = kind != KAN_TYPE_TEXT;
    values->settled.distance =
        kind != KAN_TYPE_TEXT ? column->distance_of_numbers : column->distance_of_text;
}

/* The value that stands for a value of the claim: the first of its spellings, or itself. */
static size_t first_of(const kan_model_values *values, size_t index) {
    const size_t *same_as = values->column->same_as;
    return values->settled.is_by_value && same_as ? same_as[index] : index;
}

/* ---- order ---------------------------------------------------------------------------------- */

typedef struct {
    const kan_model_values *values;
    size_t index;
} ordered_value;

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_places(const void *a, const void *b) {
    const ordered_value *left = a, *right = b;
    const kan_claim_column *column = left->values->column;
    const kan_claim_distance distance = left->values->settled.distance;
    int order = 0;
    if (distance == KAN_DISTANCE_ORDERED)
        order = compare_numbers(column->rank[left->index], column->rank[right->index]);
    if (distance == KAN_DISTANCE_HIERARCHICAL)
        for (unsigned level = column->height + 1; level-- > 0 && order == 0;)
            order = compare_numbers(column->node[level][left->index],
                                    column->node[level][right->index]);
    return order ? order : compare_numbers(left->index, right->index);
}

/* Spellings of one number are one leaf of a tree: what is above them must be the same. */
static kan_status check_tree(const kan_model_values *values) {
    const kan_claim_column *column = values->column;
    for (size_t i = 0; i < column->n_values; i++)
        for (unsigned level = 1; level <= column->height; level++)
            if (column->node[level][i] != column->node[level][first_of(values, i)])
                return kan_fail(values->run, KAN_BAD_INPUT,
                                "column '%s' spells a number in several ways, and its hierarchy "
                                "(--t-hierarchy) has them under different nodes, though they are "
                                "one value; put all spellings of a number under the same nodes",
                                column->name);
    return KAN_OK;
}

static kan_status order_values(kan_model_values *values, bool uses_distance) {
    const kan_claim_column *column = values->column;
    ordered_value *order;
    size_t n = 0;
    if (uses_distance && values->settled.distance == KAN_DISTANCE_HIERARCHICAL)
        KAN_TRY(check_tree(values));
    KAN_TRY(kan_alloc(values->run, column->n_values, sizeof *order, &order));
    for (size_t i = 0; i < column->n_values; i++)
        if (first_of(values, i) == i)
            order[n++] = (ordered_value){values, i};
    if (uses_distance && n > 0)
        qsort(order, n, sizeof *order, compare_places);
    for (size_t place = 0; place < n; place++)
        values->index_of[place] = order[place].index;
    values->n_known = n;
    kan_free(values->run, order);
    return KAN_OK;
}

/* ---- released values ------------------------------------------------------------------------ */

/* Whether rows show one value in two ways; `room` has a word for each place. */
static void find_several(kan_model_values *values, const released_values *released, size_t *room) {
    memset(room, 0, values->n_places * sizeof *room);
    for (size_t code = 0; code < released->list.n; code++)
        if (released->is_shown[code] && room[values->place_of[code]]++ > 0)
            values->settled.has_several = true;
}

/* By code of the released column its place: values are the same when their bytes are, or what they
 * mean. The known ones are read once more, before the others: so each finds the first of its kind. */
static kan_status place_released(kan_model_values *values, const released_values *released) {
    kan_run *run = values->run;
    const kan_claim_column *column = values->column;
    const size_t n_claim = column->n_values, n = n_claim + released->list.n;
    kan_slice *texts = NULL;
    size_t *first = NULL, *place_of = NULL; /* by index: of texts */
    kan_meant_list all = {.run = run};
    bool has_several;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *texts, &texts));
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *first, &first));
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *place_of, &place_of));
    for (size_t i = 0; i < n; i++)
        texts[i] = i < n_claim ? column->values[i] : released->list.values[i - n_claim].text;
    KAN_TRY_DONE(kan_meant_read(run, texts, n, &all));
    for (size_t i = 0; i < n && !values->settled.is_by_value; i++)
        all.values[i].type = KAN_TYPE_TEXT; /* its bytes alone */
    KAN_TRY_DONE(kan_meant_same(&all, first, &has_several));
    for (size_t place = 0; place < values->n_known; place++)
        place_of[values->index_of[place]] = place;
    values->n_places = values->n_known;
    for (size_t i = n_claim; i < n; i++) {
        place_of[i] = first[i] < i ? place_of[first[i]] : values->n_places++;
        values->place_of[i - n_claim] = place_of[i];
    }
    find_several(values, released, first);
done:
    kan_meant_destroy(&all);
    kan_free(run, texts);
    kan_free(run, first);
    kan_free(run, place_of);
    return status;
}

/* ---- the whole table ------------------------------------------------------------------------ */

static kan_status sum_ranks(kan_model_values *values) {
    const kan_claim_column *column = values->column;
    const size_t n = column->n_ranks;
    KAN_TRY(kan_alloc_zero(values->run, n, sizeof *values->up_to, &values->up_to));
    KAN_TRY(kan_alloc_zero(values->run, n, sizeof *values->sum_up_to, &values->sum_up_to));
    for (size_t place = 0; place < values->n_known; place++)
        values->up_to[column->rank[values->index_of[place]]] += values->rows[place];
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
                sum += values->rows[end];
            for (size_t place = first; place < end; place++)
                rows[place] = sum;
        }
    }
    return KAN_OK;
}

static kan_status count_rows(kan_model_values *values) {
    const kan_claim_column *column = values->column;
    const bool is_joined = values->settled.is_by_value && column->same_as;
    kan_u128 sum = 0;
    KAN_TRY(kan_alloc(values->run, values->n_known, sizeof *values->rows, &values->rows));
    for (size_t place = 0; place < values->n_known; place++) {
        const size_t index = values->index_of[place];
        values->rows[place] = is_joined ? column->same_rows[index] : column->rows[index];
        sum += values->rows[place];
    }
    values->n_rows = is_joined ? column->n_same_rows : column->n_rows;
    if (sum == values->n_rows)
        return KAN_OK;
    return kan_fail(values->run, KAN_FAILED,
                    "internal error: the values of column '%s' do not add up to its rows; please "
                    "report this",
                    column->name);
}

static kan_status make_values(kan_model_values *values, bool uses_distance,
                              const released_values *released) {
    kan_run *run = values->run;
    const kan_claim_column *column = values->column;
    settle_kind(values, released);
    KAN_TRY(kan_alloc(run, column->n_values, sizeof *values->index_of, &values->index_of));
    KAN_TRY(kan_alloc(run, released->list.n, sizeof *values->place_of, &values->place_of));
    KAN_TRY(order_values(values, uses_distance));
    KAN_TRY(place_released(values, released));
    KAN_TRY(count_rows(values));
    if (uses_distance && values->settled.distance == KAN_DISTANCE_ORDERED)
        KAN_TRY(sum_ranks(values));
    if (uses_distance && values->settled.distance == KAN_DISTANCE_HIERARCHICAL)
        KAN_TRY(sum_nodes(values));
    return KAN_OK;
}

kan_status kan_model_values_make(kan_run *run, const kan_claim_column *column, bool uses_distance,
                                 const kan_column *released, uint64_t n_rows,
                                 kan_model_values *out) {
    kan_model_values values = {.run = run, .column = column};
    released_values read = {.is_shown = NULL};
    kan_status status = read_released(run, released, n_rows, &read);
    if (status == KAN_OK)
        status = make_values(&values, uses_distance, &read);
    released_destroy(run, &read);
    if (status == KAN_OK)
        *out = values;
    else
        kan_model_values_destroy(&values);
    if (status == KAN_OK && column->settled)
        *column->settled = values.settled;
    return status;
}

void kan_model_values_destroy(kan_model_values *values) {
    kan_free(values->run, values->place_of);
    kan_free(values->run, values->index_of);
    kan_free(values->run, values->rows);
    kan_free(values->run, values->up_to);
    kan_free(values->run, values->sum_up_to);
    kan_free(values->run, values->node_rows);
}
