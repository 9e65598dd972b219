/* What a solution shows. For cuts the intervals are made first; the rows that they leave in small
 * groups are suppressed; only then are they named, by the values of the rows that are left. */
#include <string.h>

#include "core/pool.h"
#include "job/solution/solution.h"

/* The problem of the intervals: the same rows, one level above their values. */
static kan_status make_interval_problem(kan_solution *solution) {
    const kan_problem *whole = &solution->setup->problem;
    kan_problem *made = &solution->interval_problem;
    made->run = whole->run;
    made->n_rows = whole->n_rows;
    made->is_weighted = whole->is_weighted;
    made->class_tail = whole->class_tail;
    made->sampling = whole->sampling;
    made->has_room = whole->has_room;
    made->has_person = whole->has_person;
    made->counts_rows = whole->counts_rows;
    made->has_pasts = whole->has_pasts;
    made->n_people = whole->n_people;
    made->weights_of = whole->weights_of;
    memcpy(made->weights, whole->weights, sizeof made->weights);
    kan_space_init(&made->space, whole->run);
    solution->problem = made;
    for (unsigned a = 0; a < whole->space.n_attributes; a++)
        KAN_TRY(kan_space_add_attribute(&made->space, whole->space.dimensions[a].column,
                                        solution->shown[a].hierarchy));
    for (unsigned t = 0; t < whole->space.n_tails; t++) {
        const kan_dimension *tail = &whole->space.dimensions[whole->space.n_attributes + t];
        KAN_TRY(kan_space_add_tail(&made->space, tail->column));
        made->space.dimensions[whole->space.n_attributes + t] = *tail;
    }
    made->base = whole->base; /* values are the same groups in both */
    return KAN_OK;
}

kan_status kan_solution_show(kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    const kan_recoding *recoding = &solution->answer.recoding;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        KAN_TRY(kan_shown_make(setup->run, recoding, a, setup->hierarchies[a],
                               setup->problem.domains[a], &solution->shown[a]));
    return kan_recoding_has_cuts(recoding) ? make_interval_problem(solution) : KAN_OK;
}

/* ---- what released rows have ---------------------------------------------------------------- */

enum { BLOCK_TUPLES = 4096 };

/* The group of a tuple as it is shown, where the set has it: keys ascend. */
static size_t find_group(const kan_freqset *set, const uint64_t *key) {
    const unsigned words = set->layout.n_words;
    size_t low = 0, high = set->n;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        const uint64_t *other = set->keys + middle * words;
        unsigned w = 0;
        while (w + 1 < words && other[w] == key[w])
            w++;
        if (other[w] <= key[w])
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const kan_freqset *set, size_t tuple, const uint64_t *key) {
    const unsigned words = set->layout.n_words;
    return memcmp(set->keys + tuple * words, key, words * sizeof *key) == 0;
}

/* By person: a tuple is somebody's. */
static void take_people(const kan_solution *solution, uint64_t *rows) {
    const kan_problem *problem = solution->problem;
    for (size_t t = 0; t < problem->base.n; t++) {
        const uint32_t person = kan_problem_tuple_value(problem, t, problem->space.n_attributes);
        rows[t] = solution->leavers.is_gone[person] ? 0 : problem->base.counts[t];
    }
}

typedef struct {
    const kan_solution *solution;
    kan_key_map map;
    const kan_freqset *set; /* of groups; with pasts of the parts that left */
    uint64_t *rows;
} tuple_rows;

static kan_status take_block(void *context, size_t task, unsigned worker) {
    const tuple_rows *t = context;
    const kan_solution *solution = t->solution;
    const kan_freqset *base = &solution->problem->base, *set = t->set;
    const size_t first = task * BLOCK_TUPLES;
    const size_t n = base->n - first < BLOCK_TUPLES ? base->n - first : BLOCK_TUPLES;
    kan_run *run = solution->setup->run;
    uint64_t *keys;
    (void)worker;
    KAN_TRY(kan_alloc(run, (size_t)BLOCK_TUPLES * set->layout.n_words, sizeof *keys, &keys));
    kan_key_map_apply(&t->map, base->keys + first * base->layout.n_words, n, keys);
    for (size_t i = 0; i < n; i++) {
        const uint64_t *key = keys + i * set->layout.n_words;
        const size_t group = find_group(set, key);
        const bool is_there = is_at(set, group, key);
        KAN_ASSERT(is_there || solution->problem->has_pasts);
        const bool stays =
            solution->problem->has_pasts ? !is_there : solution->groups.is_released[group];
        t->rows[first + i] = stays ? base->counts[first + i] : 0;
    }
    kan_free(run, keys);
    return KAN_OK;
}

/* Regions: rows that no region leaves out. */
static void take_portions(const kan_solution *solution, uint64_t *rows) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const uint32_t n_released = kan_regions_released(regions);
    for (size_t t = 0; t < kan_problem_tuples(solution->problem); t++) {
        kan_portion single;
        const kan_portion *portions;
        const size_t n = kan_regions_portions(
            regions, t, kan_problem_tuple_rows(solution->problem, t), &single, &portions);
        rows[t] = 0;
        for (size_t i = 0; i < n; i++)
            rows[t] += portions[i].region < n_released ? portions[i].n_rows : 0;
    }
}

/* Otherwise the tuples of the base are taken to their groups. */
kan_status kan_solution_tuple_rows(const kan_solution *solution, uint64_t *rows) {
    const kan_freqset *base = &solution->problem->base;
    tuple_rows t = {.solution = solution, .rows = rows};
    if (kan_recoding_has_regions(&solution->answer.recoding)) {
        take_portions(solution, rows);
        return KAN_OK;
    }
    if (solution->setup->promise.by_person) {
        take_people(solution, rows);
        return KAN_OK;
    }
    if (solution->problem->has_pasts && solution->gone.n == 0) {
        memcpy(rows, base->counts, base->n * sizeof *rows);
        return KAN_OK;
    }
    t.set = solution->problem->has_pasts ? &solution->gone : &solution->quasi_set;
    kan_key_map_make(&solution->problem->space, &base->layout, &t.set->layout, &t.map);
    return kan_parallel(solution->setup->run, (base->n + BLOCK_TUPLES - 1) / BLOCK_TUPLES,
                        take_block, &t);
}

kan_status kan_solution_count_leaves(kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    const double start = kan_now_ms();
    if (!setup->is_at_levels || solution->groups.n_suppressed == 0)
        return KAN_OK;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        uint64_t *rows;
        KAN_TRY(kan_arena_alloc(&setup->job->arena, setup->hierarchies[a]->n_codes, sizeof *rows,
                                &rows));
        KAN_TRY(kan_setup_count_values(setup, solution->answer.recoding.levels, a, rows));
        uint64_t n_rows = 0;
        for (uint32_t leaf = 0; leaf < setup->hierarchies[a]->n_codes; leaf++)
            n_rows += rows[leaf];
        if (n_rows != solution->groups.n_rows - solution->groups.n_suppressed)
            return kan_setup_changed(setup);
        solution->leaf_rows[a] = rows;
    }
    solution->values_ms = kan_now_ms() - start;
    return KAN_OK;
}

/* Sets is_seen[a][leaf] for every value that a released row has. */
static kan_status mark_seen(const kan_solution *solution, uint8_t *const *is_seen) {
    const kan_freqset *base = &solution->problem->base;
    kan_run *run = solution->setup->run;
    uint64_t *rows;
    if (solution->leaf_rows[0]) {
        for (unsigned a = 0; a < solution->setup->n_quasi; a++)
            for (uint32_t leaf = 0; leaf < solution->setup->hierarchies[a]->n_codes; leaf++)
                is_seen[a][leaf] = solution->leaf_rows[a][leaf] > 0;
        return KAN_OK;
    }
    KAN_TRY(kan_alloc(run, base->n, sizeof *rows, &rows));
    const kan_status status = kan_solution_tuple_rows(solution, rows);
    for (size_t t = 0; t < base->n && status == KAN_OK; t++)
        for (unsigned a = 0; rows[t] > 0 && a < solution->setup->n_quasi; a++)
            is_seen[a][kan_key_field_value(&base->layout.fields[a],
                                           base->keys + t * base->layout.n_words)] = 1;
    kan_free(run, rows);
    return status;
}

/* ---- names that depend on all values -------------------------------------------------------- */

static bool has_open_names(const kan_setup *setup, unsigned a) {
    return kan_hierarchy_has_open_names(setup->hierarchies[a]) ||
           (setup->domains[a] && kan_domain_has_open_names(setup->domains[a]));
}

kan_status kan_solution_fit_name(const kan_solution *solution, unsigned a,
                                 const uint8_t *has_leaf) {
    const kan_setup *setup = solution->setup;
    const kan_hierarchy *h = setup->hierarchies[a];
    if (!has_open_names(setup, a))
        return KAN_OK;
    for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
        const kan_slice value = h->levels[0].label[leaf];
        if (has_leaf[leaf] && !kan_value_is_unknown(value) && !kan_value_is_whole(value))
            return KAN_OK;
    }
    KAN_TRY(kan_hierarchy_name_whole(setup->hierarchies[a]));
    return setup->domains[a] && kan_domain_has_open_names(setup->domains[a])
               ? kan_domain_name_whole(setup->domains[a])
               : KAN_OK;
}

kan_status kan_solution_fit_names(const kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    kan_status status = KAN_OK;
    uint8_t *is_seen[KAN_MAX_ATTRIBUTES] = {NULL};
    bool is_open = false;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        is_open = is_open || has_open_names(setup, a);
    if (!is_open || solution->groups.n_suppressed == 0)
        return KAN_OK;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        KAN_TRY_DONE(kan_alloc_zero(setup->run, setup->hierarchies[a]->n_codes, 1, &is_seen[a]));
    KAN_TRY_DONE(mark_seen(solution, is_seen));
    for (unsigned a = 0; a < setup->n_quasi; a++)
        KAN_TRY_DONE(kan_solution_fit_name(solution, a, is_seen[a]));
done:
    for (unsigned a = 0; a < setup->n_quasi; a++)
        kan_free(setup->run, is_seen[a]);
    return status;
}

/* Lists of many values make a release large and hard to read; a hierarchy would have names. */
static void note_long_labels(const kan_solution *solution) {
    enum { LONG_LABEL = 1000 };
    char names[512];
    bool is_long[KAN_MAX_ATTRIBUTES];
    for (unsigned a = 0; a < solution->setup->n_quasi; a++) {
        const kan_level *level = &solution->shown[a].hierarchy->levels[solution->shown[a].level];
        is_long[a] = false;
        for (uint32_t i = 0; i < level->n_groups; i++)
            is_long[a] |= level->label[i].size > LONG_LABEL;
    }
    const size_t n = kan_setup_list_columns(solution->setup, is_long, names, sizeof names);
    if (n > 0)
        kan_note(solution->setup->run,
                 "column%s %s: intervals are shown as long lists of values; a hierarchy, --qi "
                 "NAME=FILE, gives names to those that it has",
                 n > 1 ? "s" : "", names);
}

kan_status kan_solution_name(kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    kan_status status = KAN_OK;
    uint8_t *is_seen[KAN_MAX_ATTRIBUTES] = {NULL};
    if (!kan_recoding_has_cuts(&solution->answer.recoding))
        return KAN_OK;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        KAN_TRY_DONE(kan_alloc_zero(setup->run, setup->hierarchies[a]->n_codes, 1, &is_seen[a]));
    KAN_TRY_DONE(mark_seen(solution, is_seen));
    for (unsigned a = 0; a < setup->n_quasi; a++)
        KAN_TRY_DONE(kan_shown_name(&solution->shown[a], setup->problem.domains[a], is_seen[a]));
    note_long_labels(solution);
    /* how much an interval covers is known with its name */
    KAN_TRY_DONE(kan_problem_measure(&solution->interval_problem));
    solution->cost_problem = solution->interval_problem;
    for (unsigned a = 0; a < setup->n_quasi; a++)
        solution->cost_problem.space.dimensions[a].height =
            setup->problem.space.dimensions[a].height;
done:
    for (unsigned a = 0; a < setup->n_quasi; a++)
        kan_free(setup->run, is_seen[a]);
    return status;
}
