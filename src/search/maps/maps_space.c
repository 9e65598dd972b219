/* The space of a recoding by maps: the nodes of each hierarchy that may be shown, as a tree in
 * which every node has more values than what is below it, and the points of the base. Linear in
 * nodes and tuples. */
#include "search/maps/maps_inside.h"

/* ---- nodes ---------------------------------------------------------------------------------- */

static kan_status list_nodes(kan_maps_space *space, const kan_dimension *d,
                             kan_maps_attribute *to) {
    const kan_hierarchy *h = d->hierarchy;
    size_t n = 0;
    for (unsigned level = d->lowest; level <= d->highest; level++)
        n += h->levels[level].n_groups;
    to->n_values = h->levels[0].n_groups;
    KAN_TRY(kan_arena_alloc(&space->arena, to->n_values, sizeof *to->bottom, &to->bottom));
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof *to->up, &to->up));
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof *to->first, &to->first));
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof *to->end, &to->end));
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof *to->cell, &to->cell));
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof *to->loss, &to->loss));
    KAN_TRY(kan_arena_alloc(&space->arena, n, sizeof *to->salt, &to->salt));
    return KAN_OK;
}

static void add_node(kan_maps_attribute *to, unsigned level, uint32_t group, uint32_t first,
                     uint32_t end) {
    const uint32_t node = to->n_nodes++;
    to->up[node] = node;
    to->first[node] = first;
    to->end[node] = end;
    to->cell[node] = (kan_cell){level, group};
}

/* A group of a level that has the values of one node is that node; otherwise it is a new one, above
 * all of them. `top`, by value: the highest node so far. */
static void add_group(kan_maps_attribute *to, unsigned level, uint32_t group, uint32_t first,
                      uint32_t end, uint32_t *top) {
    const bool is_lowest = top[first] == KAN_MAPS_NONE;
    if (!is_lowest && to->first[top[first]] == first && to->end[top[first]] == end)
        return;
    add_node(to, level, group, first, end);
    for (uint32_t value = first; value < end; value++) {
        if (is_lowest)
            to->bottom[value] = to->n_nodes - 1;
        else
            to->up[top[value]] = to->n_nodes - 1;
        top[value] = to->n_nodes - 1;
    }
}

static kan_status make_tree(kan_maps_space *space, const kan_dimension *d, kan_maps_attribute *to) {
    uint32_t *top;
    KAN_TRY(list_nodes(space, d, to));
    KAN_TRY(kan_arena_alloc(&space->arena, to->n_values, sizeof *top, &top));
    for (uint32_t value = 0; value < to->n_values; value++)
        top[value] = KAN_MAPS_NONE;
    for (unsigned level = d->lowest; level <= d->highest; level++) {
        const uint32_t *group_of = d->hierarchy->levels[level].from_leaf;
        for (uint32_t first = 0, end; first < to->n_values; first = end) {
            for (end = first + 1; end < to->n_values && group_of[end] == group_of[first]; end++)
                ;
            add_group(to, level, group_of[first], first, end, top);
        }
    }
    return KAN_OK;
}

/* By the cost where it is a sum over cells, else by shares of the domain. */
static void weigh_nodes(kan_maps_space *space, unsigned a) {
    const kan_problem *problem = space->question->problem;
    const kan_objective *objective = space->question->objective;
    kan_maps_attribute *to = &space->attributes[a];
    const unsigned height = problem->space.dimensions[a].height;
    const kan_cost_kind *cost = kan_cost_followed(objective->kind);
    const bool is_by_cells = cost->shape == KAN_SHAPE_CELLS;
    const kan_cell_price *price = is_by_cells ? cost->price : &kan_price_by_share;
    const kan_cell_units *units =
        objective->kind->shape == KAN_SHAPE_CELLS ? objective->state : NULL;
    const double one = 0x1p40 * (problem->is_weighted ? problem->weights[a] : 1);
    uint64_t random = UINT64_C(0x6b616e6f6e) + a;
    for (uint32_t node = 0; node < to->n_nodes; node++) {
        const kan_cell cell = to->cell[node];
        const double share = problem->space.dimensions[a].hierarchy->levels[cell.a].share[cell.b];
        to->salt[node] = kan_random(&random);
        if (units && units->is_exact)
            to->loss[node] = (kan_u128)units->per_step[a] *
                             (price->is_by_share ? problem->shares[a][cell.a][cell.b] : cell.a);
        else
            to->loss[node] =
                (kan_u128)price->shown(height, one, price->is_by_share ? share : cell.a);
    }
    if (units && units->is_exact)
        space->loss_lost = units->per_suppressed;
    else
        space->loss_lost += (kan_u128)price->suppressed(height, one);
}

uint32_t kan_maps_at_level(const kan_maps_attribute *attribute, uint32_t value, unsigned level) {
    uint32_t node = attribute->bottom[value];
    while (attribute->up[node] != node && attribute->cell[attribute->up[node]].a <= level)
        node = attribute->up[node];
    return node;
}

void kan_maps_lowest(const kan_maps_space *space, size_t point, uint32_t *nodes) {
    for (unsigned a = 0; a < space->n_attributes; a++)
        nodes[a] = space->attributes[a].bottom[kan_maps_values(space, point)[a]];
}

uint32_t kan_maps_child(const kan_maps_attribute *attribute, uint32_t node, uint32_t value) {
    uint32_t child = attribute->bottom[value];
    while (child != node && attribute->up[child] != node)
        child = attribute->up[child];
    return child;
}

/* ---- points --------------------------------------------------------------------------------- */

/* Tuples that differ in their tails alone stand side by side. */
static bool is_same_point(const kan_maps_space *space, size_t tuple, const uint32_t *values) {
    for (unsigned a = 0; a < space->n_attributes; a++)
        if (kan_problem_tuple_value(space->question->problem, tuple, a) != values[a])
            return false;
    return true;
}

static kan_status read_points(kan_maps_space *space) {
    const kan_problem *problem = space->question->problem;
    const size_t n = kan_problem_tuples(problem);
    KAN_TRY(kan_alloc(space->run, n * space->n_attributes, sizeof *space->value, &space->value));
    KAN_TRY(kan_alloc(space->run, n, sizeof *space->rows, &space->rows));
    KAN_TRY(kan_alloc(space->run, n + 1, sizeof *space->first_tuple, &space->first_tuple));
    for (size_t t = 0; t < n; t++) {
        uint32_t *values = space->value + space->n_points * space->n_attributes;
        if (space->n_points == 0 || !is_same_point(space, t, values - space->n_attributes)) {
            for (unsigned a = 0; a < space->n_attributes; a++)
                values[a] = kan_problem_tuple_value(problem, t, a);
            space->rows[space->n_points] = 0;
            space->first_tuple[space->n_points++] = t;
        }
        space->rows[space->n_points - 1] += kan_problem_tuple_rows(problem, t);
    }
    space->first_tuple[space->n_points] = n;
    return KAN_OK;
}

/* The points of each value. Counts go two places further on, so that filling in leaves each start
 * in its own place. */
static kan_status list_points(kan_maps_space *space, unsigned a) {
    kan_maps_attribute *to = &space->attributes[a];
    size_t *start;
    KAN_TRY(kan_arena_alloc(&space->arena, (size_t)to->n_values + 2, sizeof *start, &start));
    KAN_TRY(kan_arena_alloc(&space->arena, space->n_points, sizeof *to->points, &to->points));
    memset(start, 0, ((size_t)to->n_values + 2) * sizeof *start);
    for (size_t p = 0; p < space->n_points; p++)
        start[kan_maps_values(space, p)[a] + 2]++;
    for (uint32_t value = 0; value < to->n_values; value++)
        start[value + 2] += start[value + 1];
    for (size_t p = 0; p < space->n_points; p++)
        to->points[start[kan_maps_values(space, p)[a] + 1]++] = (uint32_t)p;
    to->start = start;
    return KAN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* Classes are counted in an array while they are few, and nobody else looks at tails. */
static kan_status read_classes(kan_maps_space *space) {
    enum { MOST_CLASSES = 64 };
    const kan_problem *problem = space->question->problem;
    const size_t n = kan_problem_tuples(problem);
    uint32_t n_classes = 0;
    if (space->cost != KAN_MAPS_MINORITY || space->question->promise->needs_tallies)
        return KAN_OK;
    KAN_TRY(kan_alloc(space->run, n, sizeof *space->class_of, &space->class_of));
    for (size_t t = 0; t < n; t++) {
        space->class_of[t] = kan_problem_tuple_value(
            problem, t, space->n_attributes + (unsigned)problem->class_tail);
        n_classes = space->class_of[t] >= n_classes ? space->class_of[t] + 1 : n_classes;
    }
    if (n_classes > MOST_CLASSES)
        return KAN_OK;
    space->n_classes = n_classes;
    space->n_tails = 0;
    return KAN_OK;
}

const kan_search_costs kan_maps_costs = {
    .why = " counts the levels of a full-domain release, and here every value has a level of its "
           "own; use another, such as distortion"};

/* A cost of another form is not followed: shares of the domain are. */
static kan_maps_cost cost_of(const kan_cost_kind *asked) {
    const kan_cost_kind *kind = kan_cost_followed(asked);
    return kind->shape == KAN_SHAPE_SIZES     ? KAN_MAPS_SQUARES
           : kind->shape == KAN_SHAPE_CLASSES ? KAN_MAPS_MINORITY
           : kind->shape == KAN_SHAPE_NUMBER  ? KAN_MAPS_CLASSES
                                              : KAN_MAPS_CELLS;
}

static kan_status make(kan_maps_space *space) {
    const kan_question *question = space->question;
    const kan_problem *problem = question->problem;
    if (problem->is_unfolded)
        return kan_fail(space->run, KAN_FAILED,
                        "internal error: a recoding by maps needs the folded table; please report "
                        "this");
    KAN_TRY(kan_costs_check(space->run, &kan_maps_costs, question->objective->kind));
    if (kan_problem_tuples(problem) >= KAN_REGION_SPLIT)
        return kan_fail(space->run, KAN_FAILED,
                        "the table has too many different rows for this search: 2^31 or more; use "
                        "--algorithm bisect or mondrian without --recoding");
    space->cost = cost_of(question->objective->kind);
    space->n_attributes = problem->space.n_attributes;
    space->n_tails = question->promise->needs_tallies || space->cost == KAN_MAPS_MINORITY
                         ? problem->space.n_tails
                         : 0;
    space->n_rows = problem->n_rows;
    space->has_person = problem->has_person;
    space->limit = question->promise->by_person ? 0 : question->promise->limit;
    if (space->has_person)
        KAN_TRY(kan_owners_make(problem, question->promise->needs_tallies, &space->owners));
    KAN_TRY(read_points(space));
    KAN_TRY(read_classes(space));
    for (unsigned a = 0; a < space->n_attributes; a++) {
        KAN_TRY(make_tree(space, &problem->space.dimensions[a], &space->attributes[a]));
        weigh_nodes(space, a);
        KAN_TRY(list_points(space, a));
    }
    return KAN_OK;
}

kan_status kan_maps_space_make(kan_run *run, const kan_question *question, kan_maps_space *out) {
    memset(out, 0, sizeof *out);
    out->run = run;
    out->question = question;
    kan_arena_init(&out->arena, run);
    return make(out);
}

void kan_maps_space_destroy(kan_maps_space *space) {
    kan_free(space->run, space->value);
    kan_free(space->run, space->rows);
    kan_free(space->run, space->first_tuple);
    kan_free(space->run, space->class_of);
    kan_owners_destroy(&space->owners);

    kan_arena_destroy(&space->arena);
}
