/* Views of frequency sets: groups, tallies of their tails, and what was lost. */
#include "group/viewer.h"

#include <stdlib.h>
#include <string.h>

void kan_viewer_init(kan_viewer *viewer, const kan_problem *problem) {
    *viewer = (kan_viewer){.problem = problem};
    kan_population_counter_init(&viewer->people, problem->population);
}

void kan_viewer_destroy(kan_viewer *viewer) {
    kan_run *run = viewer->problem->run;
    kan_free(run, viewer->counts);
    kan_free(run, viewer->first_tuple);
    kan_free(run, viewer->is_released);
    kan_free(run, viewer->order_room.sums);
    kan_free(run, viewer->order_room.order);
    kan_free(run, viewer->dense);
    kan_population_counter_destroy(&viewer->people, run);
    for (unsigned t = 0; t < KAN_MAX_TAILS; t++) {
        kan_free(run, viewer->tails[t].start);
        kan_free(run, viewer->tails[t].value);
        kan_free(run, viewer->tails[t].count);
    }
    const uint64_t edition = viewer->edition + 1;
    const bool shows_parts = viewer->shows_parts;
    kan_viewer_init(viewer, viewer->problem);
    viewer->shows_parts = shows_parts;
    viewer->edition = edition;
}

static kan_status reserve(kan_viewer *viewer, size_t n, unsigned n_tails) {
    kan_run *run = viewer->problem->run;
    if (n <= viewer->room && n_tails <= viewer->n_tails)
        return KAN_OK;
    size_t room = n + n / 4 > viewer->room ? n + n / 4 : viewer->room;
    viewer->room = 0; /* until all arrays have grown */
    KAN_TRY(kan_resize(run, room, sizeof *viewer->is_released, &viewer->is_released));
    if (viewer->problem->has_room) {
        kan_groups_room *order = &viewer->order_room;
        KAN_TRY(kan_resize(run, room, sizeof *order->sums, &order->sums));
        KAN_TRY(kan_resize(run, room, sizeof *order->order, &order->order));
    }
    if (n_tails > 0) {
        KAN_TRY(kan_resize(run, room, sizeof *viewer->counts, &viewer->counts));
        KAN_TRY(kan_resize(run, room, sizeof *viewer->first_tuple, &viewer->first_tuple));
    }
    for (unsigned t = 0; t < n_tails; t++) {
        KAN_TRY(kan_resize(run, room + 1, sizeof(size_t), &viewer->tails[t].start));
        KAN_TRY(kan_resize(run, room, sizeof(uint32_t), &viewer->tails[t].value));
        KAN_TRY(kan_resize(run, room, sizeof(uint64_t), &viewer->tails[t].count));
    }
    viewer->n_tails = n_tails;
    viewer->room = room;
    return KAN_OK;
}

/* Tails are the last fields. */
static unsigned n_attribute_fields(const kan_space *space, const kan_layout *layout) {
    unsigned n = layout->n_fields;
    while (n > 0 && layout->fields[n - 1].dimension >= space->n_attributes)
        n--;
    return n;
}

/* The fields by which rows are put together: with parts the first tail, too. */
static unsigned n_shared_fields(const kan_viewer *viewer, const kan_layout *layout) {
    const unsigned n = n_attribute_fields(&viewer->problem->space, layout);
    KAN_ASSERT(!viewer->shows_parts ||
               (n < layout->n_fields &&
                layout->fields[n].dimension == viewer->problem->space.n_attributes));
    return n + viewer->shows_parts;
}

/* People are too many to be tallied, and nobody looks at them one by one. */
static bool is_person(const kan_problem *problem, const kan_key_field *field) {
    return problem->has_person && field->dimension == problem->space.n_attributes;
}

/* Whether two tuples agree in the first fields; without parts these are all attributes. */
static bool same_group(const kan_viewer *viewer, const kan_layout *layout, unsigned n_fields,
                       const uint64_t *a, const uint64_t *b) {
    const unsigned rest =
        layout->tail_bits - (viewer->shows_parts ? layout->fields[n_fields - 1].bits : 0);
    if (layout->n_words == 1 && rest < 64)
        return a[0] >> rest == b[0] >> rest;
    for (unsigned f = 0; f < n_fields; f++)
        if (kan_key_field_value(&layout->fields[f], a) !=
            kan_key_field_value(&layout->fields[f], b))
            return false;
    return true;
}

static int compare_values(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The tallies of one tail over tuples first .. end-1, which are one group. */
static size_t tally_group(kan_viewer *viewer, const kan_freqset *set, const kan_key_field *field,
                          unsigned tail, size_t first, size_t end, size_t at) {
    uint32_t *value = viewer->tails[tail].value + at;
    uint64_t *count = viewer->tails[tail].count + at;
    size_t n = 0;
    for (size_t i = first; i < end; i++) {
        uint32_t v = kan_key_field_value(field, set->keys + i * set->layout.n_words);
        if (viewer->dense[v] == 0)
            value[n++] = v;
        viewer->dense[v] += set->counts[i];
    }
    if (n > 1)
        qsort(value, n, sizeof *value, compare_values);
    for (size_t i = 0; i < n; i++) {
        count[i] = viewer->dense[value[i]];
        viewer->dense[value[i]] = 0;
    }
    return n;
}

static kan_status reserve_dense(kan_viewer *viewer, const kan_freqset *set, unsigned first_tail) {
    size_t most = 0;
    for (unsigned f = first_tail; f < set->layout.n_fields; f++) {
        if (is_person(viewer->problem, &set->layout.fields[f]))
            continue;
        const kan_dimension *dimension =
            &viewer->problem->space.dimensions[set->layout.fields[f].dimension];
        size_t n = kan_dimension_groups(dimension, 0);
        most = n > most ? n : most;
    }
    if (most <= viewer->dense_room)
        return KAN_OK;
    uint64_t *dense;
    KAN_TRY(kan_alloc_zero(viewer->problem->run, most, sizeof *dense, &dense));
    kan_free(viewer->problem->run, viewer->dense);
    viewer->dense = dense;
    viewer->dense_room = most;
    return KAN_OK;
}

static size_t tally_all(kan_viewer *viewer, const kan_freqset *set, unsigned first_tail) {
    const kan_layout *layout = &set->layout;
    const unsigned words = layout->n_words, n_tails = layout->n_fields - first_tail;
    size_t n_groups = 0, at[KAN_MAX_TAILS] = {0};
    for (size_t first = 0; first < set->n; n_groups++) {
        size_t end = first;
        uint64_t rows = 0;
        for (; end < set->n && same_group(viewer, layout, first_tail, set->keys + first * words,
                                          set->keys + end * words);
             end++)
            rows += set->counts[end];
        viewer->counts[n_groups] = rows;
        viewer->first_tuple[n_groups] = first;
        for (unsigned t = 0; t < n_tails; t++) {
            viewer->tails[t].start[n_groups] = at[t];
            if (is_person(viewer->problem, &layout->fields[first_tail + t]))
                continue;
            at[t] +=
                tally_group(viewer, set, &layout->fields[first_tail + t], t, first, end, at[t]);
        }
        first = end;
    }
    for (unsigned t = 0; t < n_tails; t++) {
        unsigned tail =
            layout->fields[first_tail + t].dimension - viewer->problem->space.n_attributes;
        viewer->tails[t].start[n_groups] = at[t];
        viewer->tallies[tail] =
            (kan_tally){viewer->tails[t].start, viewer->tails[t].value, viewer->tails[t].count};
    }
    return n_groups;
}

kan_status kan_viewer_groups(kan_viewer *viewer, const kan_freqset *set, kan_groups *out) {
    const kan_space *space = &viewer->problem->space;
    const unsigned n_attributes = n_attribute_fields(space, &set->layout);
    const unsigned first_tail = n_shared_fields(viewer, &set->layout);
    unsigned n_tails = set->layout.n_fields - first_tail;
    viewer->edition++;
    KAN_TRY(reserve(viewer, set->n ? set->n : 1, n_tails));
    kan_groups groups = {.n_rows = viewer->problem->n_rows, .set = set, .room = viewer->order_room};
    if (n_tails == 0) {
        groups.n_groups = set->n;
        groups.count = set->counts;
    } else {
        KAN_TRY(reserve_dense(viewer, set, first_tail));
        groups.n_groups = tally_all(viewer, set, first_tail);
        groups.count = viewer->counts;
        groups.tallies = viewer->tallies;
        groups.first_tuple = viewer->first_tuple;
    }
    for (unsigned f = 0; f < n_attributes; f++)
        viewer->levels[set->layout.fields[f].dimension] = set->layout.fields[f].level;
    groups.levels = viewer->levels;
    groups.n_released_groups = groups.n_groups;
    kan_groups_borrow(&groups, &viewer->edition);
    kan_groups_borrow(&groups, &set->edition);
    if (viewer->problem->population)
        KAN_TRY(kan_population_count(&viewer->people, viewer->problem->run, &groups));
    *out = groups;
    return KAN_OK;
}

/* Takes what the suppressed groups hold away from the sums over all rows. */
static void subtract_suppressed(kan_viewer *viewer, const kan_freqset *set, unsigned n_fields,
                                const kan_groups *groups) {
    const kan_layout *layout = &set->layout;
    const uint64_t *const *shares[KAN_MAX_ATTRIBUTES];
    for (unsigned f = 0; f < n_fields; f++)
        shares[f] = (const uint64_t *const *)viewer->problem->shares[layout->fields[f].dimension];
    size_t group = 0;
    for (size_t i = 0; i < set->n; i++) {
        const uint64_t *key = set->keys + i * layout->n_words;
        if (n_fields == layout->n_fields)
            group = i;
        else if (i > 0 && !same_group(viewer, layout, n_fields, key - layout->n_words, key))
            group++;
        if (groups->is_released[group])
            continue;
        for (unsigned f = 0; f < n_fields; f++) {
            const kan_key_field *field = &layout->fields[f];
            uint64_t share = shares[f][field->level][kan_key_field_value(field, key)];
            viewer->loss[field->dimension].share -= (kan_u128)share * set->counts[i];
        }
    }
}

void kan_viewer_sum_loss(kan_viewer *viewer, const kan_freqset *set, kan_groups *groups) {
    const kan_problem *problem = viewer->problem;
    const kan_layout *layout = &set->layout;
    KAN_ASSERT(kan_groups_is_fresh(groups));
    for (unsigned f = 0; f < n_attribute_fields(&problem->space, layout); f++) {
        const kan_key_field *field = &layout->fields[f];
        const uint64_t *shares = problem->shares[field->dimension][field->level];
        kan_cell_loss loss = {.levels =
                                  (kan_u128)(groups->n_rows - groups->n_suppressed) * field->level};
        for (size_t i = 0; i < set->n; i++)
            loss.share +=
                (kan_u128)shares[kan_key_field_value(field, set->keys + i * layout->n_words)] *
                set->counts[i];
        viewer->loss[field->dimension] = loss;
    }
    groups->loss = viewer->loss;
    kan_groups_borrow(groups, &viewer->edition);
}

void kan_viewer_loss(kan_viewer *viewer, const kan_freqset *set, kan_groups *groups) {
    const kan_problem *problem = viewer->problem;
    const unsigned n_fields = n_attribute_fields(&problem->space, &set->layout);
    KAN_ASSERT(kan_groups_is_fresh(groups));
    for (unsigned f = 0; f < n_fields; f++) {
        const kan_key_field *field = &set->layout.fields[f];
        viewer->loss[field->dimension] = (kan_cell_loss){
            .levels = (kan_u128)(groups->n_rows - groups->n_suppressed) * field->level,
            .share = problem->share_sums[field->dimension][field->level]};
    }
    if (groups->n_suppressed > 0)
        subtract_suppressed(viewer, set, n_fields, groups);
    groups->loss = viewer->loss;
    kan_groups_borrow(groups, &viewer->edition);
}
