/* The space of a local recoding: the nodes of each hierarchy in one list, and the base's tuples as
 * plain arrays. Linear in nodes and tuples. */
#include "search/local/local_inside.h"
#include "search/pasts.h"

/* ---- nodes ---------------------------------------------------------------------------------- */

static kan_status list_nodes(kan_local_space *space, kan_local_attribute *attribute) {
    const kan_hierarchy *h = attribute->hierarchy;
    KAN_TRY(
        kan_arena_alloc(&space->arena, h->height + 2, sizeof *attribute->first, &attribute->first));
    for (unsigned level = 0; level <= h->height; level++) {
        attribute->first[level] = attribute->n_nodes;
        attribute->n_nodes += h->levels[level].n_groups;
    }
    attribute->first[h->height + 1] = attribute->n_nodes;
    KAN_TRY(kan_arena_alloc(&space->arena, attribute->n_nodes, sizeof(uint32_t), &attribute->up));
    KAN_TRY(kan_arena_alloc(&space->arena, attribute->n_nodes, 1, &attribute->level));
    KAN_TRY(kan_arena_alloc(&space->arena, attribute->n_nodes, sizeof(double), &attribute->loss));
    KAN_TRY(
        kan_arena_alloc(&space->arena, attribute->n_nodes, sizeof(uint32_t), &attribute->below));
    KAN_TRY(
        kan_arena_alloc(&space->arena, attribute->n_nodes, sizeof(uint32_t), &attribute->n_below));
    for (unsigned level = 0; level <= h->height; level++)
        for (uint32_t group = 0; group < h->levels[level].n_groups; group++) {
            const uint32_t node = attribute->first[level] + group;
            attribute->level[node] = (uint8_t)level;
            attribute->below[node] = attribute->n_below[node] = 0;
            attribute->up[node] = level == h->height
                                      ? node
                                      : attribute->first[level + 1] + h->levels[level].up[group];
        }
    for (uint32_t node = attribute->first[h->height]; node-- > 0;) { /* the first comes last */
        if (attribute->level[node] < attribute->lowest)
            break; /* levels come one after the other */
        attribute->below[attribute->up[node]] = node;
        attribute->n_below[attribute->up[node]]++;
    }
    return KAN_OK;
}

/* ---- tuples --------------------------------------------------------------------------------- */

static kan_status read_tuples(kan_local_space *space) {
    const kan_problem *problem = space->question->problem;
    kan_run *run = space->run;
    const size_t n = space->n_tuples;
    KAN_TRY(kan_alloc(run, n * space->n_attributes, sizeof *space->leaf, &space->leaf));
    KAN_TRY(kan_alloc(run, n * space->n_tails, sizeof *space->value, &space->value));
    KAN_TRY(kan_alloc(run, n, sizeof *space->rows, &space->rows));
    for (size_t t = 0; t < n; t++) {
        for (unsigned a = 0; a < space->n_attributes; a++)
            space->leaf[t * space->n_attributes + a] = kan_problem_tuple_value(problem, t, a);
        space->rows[t] = kan_problem_tuple_rows(problem, t);
        for (unsigned i = 0; i < space->n_tails; i++)
            space->value[t * space->n_tails + i] =
                kan_problem_tuple_value(problem, t, space->n_attributes + i);
    }
    return KAN_OK;
}

/* ---- people --------------------------------------------------------------------------------- */

static kan_status find_owners(kan_local_space *space) {
    kan_run *run = space->run;
    KAN_TRY(kan_owners_make(space->question->problem, space->question->promise->needs_tallies,
                            &space->owners));
    for (unsigned i = 0; i < space->n_tails; i++) {
        if (!space->owners.pair[i])
            continue;
        KAN_TRY(kan_alloc(run, space->owners.n_pairs[i], sizeof *space->pair_value[i],
                          &space->pair_value[i]));
        for (size_t t = 0; t < space->n_tuples; t++)
            space->pair_value[i][space->owners.pair[i][t]] = space->value[t * space->n_tails + i];
    }
    return KAN_OK;
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static void number_kinds(kan_local_space *space, uint32_t *slots, size_t n_slots) {
    const size_t size = space->n_tails * sizeof *space->value;
    for (size_t t = 0; t < space->n_tuples; t++) {
        const uint32_t *values = space->value + t * space->n_tails;
        size_t at = (size_t)kan_hash_bytes(values, size) & (n_slots - 1);
        while (slots[at] != 0 &&
               memcmp(values, space->value + (size_t)space->example[slots[at] - 1] * space->n_tails,
                      size) != 0)
            at = (at + 1) & (n_slots - 1);
        if (slots[at] == 0) {
            space->example[space->n_kinds++] = (uint32_t)t;
            slots[at] = space->n_kinds;
        }
        space->kind[t] = slots[at] - 1;
    }
}

/* Where people decide, hardly two tuples are of one kind, and nobody asks: each is of its own. */
static kan_status number_all(kan_local_space *space) {
    uint32_t *slots;
    size_t n_slots = 8;
    if (space->question->promise->people_decide) {
        for (size_t t = 0; t < space->n_tuples; t++)
            space->kind[t] = space->example[t] = (uint32_t)t;
        space->n_kinds = (uint32_t)space->n_tuples;
        return KAN_OK;
    }
    while (n_slots < 2 * space->n_tuples)
        n_slots *= 2;
    KAN_TRY(kan_alloc_zero(space->run, n_slots, sizeof *slots, &slots));
    number_kinds(space, slots, n_slots);
    kan_free(space->run, slots);
    return KAN_OK;
}

static kan_status find_kinds(kan_local_space *space) {
    kan_run *run = space->run;
    KAN_TRY(kan_alloc(run, space->n_tuples, sizeof *space->kind, &space->kind));
    KAN_TRY(kan_alloc(run, space->n_tuples, sizeof *space->example, &space->example));
    KAN_TRY(number_all(space));
    KAN_TRY(kan_alloc(run, space->n_kinds, sizeof *space->is_free, &space->is_free));
    for (uint32_t kind = 0; kind < space->n_kinds; kind++) {
        const uint32_t *values = space->value + (size_t)space->example[kind] * space->n_tails;
        space->is_free[kind] = true;
        for (unsigned i = 0; i < space->n_tails; i++)
            if (kan_local_limits(space, i, values[i]))
                space->is_free[kind] = false;
    }
    return KAN_OK;
}

const kan_search_costs kan_local_costs = {
    .why =
        " counts the levels of a full-domain release, and a local recoding has a level for every "
        "cell; use another, such as distortion"};

static kan_status make_space(kan_local_space *space) {
    const kan_question *question = space->question;
    const kan_space *dimensions = &question->problem->space;
    if (question->problem->is_unfolded)
        return kan_fail(space->run, KAN_FAILED,
                        "internal error: a local recoding needs the folded table; please report "
                        "this");
    KAN_TRY(kan_costs_check(space->run, &kan_local_costs, question->objective->kind));
    space->n_attributes = dimensions->n_attributes;
    space->has_person = question->problem->has_person && !question->problem->has_pasts;
    space->size_decides = question->promise->size_decides ||
                          (question->problem->has_pasts && kan_pasts_by_size(question->promise));
    space->n_tails = space->has_person || question->promise->needs_tallies ||
                             question->objective->kind->needs_class
                         ? dimensions->n_tails
                         : 0;
    space->n_tuples = kan_problem_tuples(question->problem);
    if (space->n_tuples >= KAN_REGION_SPLIT)
        return kan_fail(space->run, KAN_FAILED,
                        "the table has too many different rows for a local recoding: 2^31 or more; "
                        "use --algorithm bisect or mondrian without --recoding");
    for (unsigned i = 0; i < space->n_tails; i++)
        space->n_values[i] =
            (uint32_t)kan_dimension_groups(&dimensions->dimensions[space->n_attributes + i], 0);
    for (unsigned a = 0; a < space->n_attributes; a++) {
        space->attributes[a].hierarchy = dimensions->dimensions[a].hierarchy;
        space->attributes[a].lowest = dimensions->dimensions[a].lowest;
        KAN_TRY(list_nodes(space, &space->attributes[a]));
    }
    kan_local_price_cells(space);
    KAN_TRY(read_tuples(space));
    if (space->has_person)
        KAN_TRY(find_owners(space));
    return find_kinds(space);
}

kan_status kan_local_space_make(kan_run *run, const kan_question *question, kan_local_space *out) {
    memset(out, 0, sizeof *out);
    out->run = run;
    out->question = question;
    out->n_blocks = 1;
    /* by person nobody leaves with some rows alone */
    out->limit = question->promise->by_person ? 0 : question->promise->limit;
    kan_arena_init(&out->arena, run);
    return make_space(out);
}

void kan_local_space_destroy(kan_local_space *space) {
    kan_free(space->run, space->leaf);
    kan_free(space->run, space->value);
    kan_free(space->run, space->rows);
    kan_free(space->run, space->kind);
    kan_free(space->run, space->example);
    kan_free(space->run, space->is_free);
    kan_owners_destroy(&space->owners);
    for (unsigned i = 0; i < KAN_MAX_TAILS; i++)
        kan_free(space->run, space->pair_value[i]);
    kan_free(space->run, space->departed.bundles);
    kan_arena_destroy(&space->arena);
}

double kan_local_loss(const kan_local_space *space, const uint32_t *nodes) {
    double loss = 0;
    for (unsigned a = 0; a < space->n_attributes; a++)
        loss += space->attributes[a].loss[nodes[a]];
    return loss;
}
