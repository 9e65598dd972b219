/* Figures over released rows. What each is for: released.h. */
#include "job/released/released.h"

#include "core/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/spelling.h"

/* ---- by combination, by value --------------------------------------------------------------- */

static bool is_alike(const kan_problem *problem, size_t a, size_t b) {
    for (unsigned d = 0; d < problem->space.n_attributes; d++)
        if (kan_problem_tuple_value(problem, a, d) != kan_problem_tuple_value(problem, b, d))
            return false;
    return true;
}

/* Tuples stand by their quasi-identifiers: those that differ in tails alone follow each other. The
 * sizes take the place of the rows. */
static size_t merge_tails(const kan_problem *problem, uint64_t *rows) {
    size_t n = 0, last = 0;
    bool has_last = false;
    const bool has_tails = problem->space.n_tails > 0 || problem->is_unfolded;
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        const uint64_t n_rows = rows[t];
        if (n_rows == 0)
            continue;
        if (has_last && has_tails && is_alike(problem, last, t))
            rows[n - 1] += n_rows;
        else
            rows[n++] = n_rows;
        last = t;
        has_last = true;
    }
    return n;
}

static uint32_t leaves_of(const kan_solution *solution, unsigned a) {
    return solution->setup->hierarchies[a]->n_codes;
}

typedef struct {
    const kan_solution *solution;
    const uint64_t *rows; /* by tuple */
    uint64_t *leaf_rows[KAN_MAX_ATTRIBUTES];
} leaf_counting;

static kan_status count_attribute(void *context, size_t task, unsigned worker) {
    const leaf_counting *c = context;
    const kan_problem *problem = c->solution->problem;
    const unsigned a = (unsigned)task;
    const size_t n = c->solution->leaf_rows[a] ? 0 : kan_problem_tuples(problem);
    (void)worker;
    for (size_t t = 0; t < n; t++)
        c->leaf_rows[a][kan_problem_tuple_value(problem, t, a)] += c->rows[t];
    return KAN_OK;
}

static kan_status count_all(const kan_solution *solution, kan_released *out) {
    const kan_problem *problem = solution->problem;
    const size_t n_tuples = kan_problem_tuples(problem);
    size_t n_leaves = 0;
    for (unsigned a = 0; a < solution->setup->n_quasi; a++)
        n_leaves += leaves_of(solution, a);
    KAN_TRY(
        kan_alloc_zero(solution->setup->run, n_tuples + n_leaves, sizeof *out->room, &out->room));
    uint64_t *leaf_rows = out->room + n_tuples;
    leaf_counting counting = {.solution = solution, .rows = out->room};
    KAN_TRY(kan_solution_tuple_rows(solution, out->room));
    for (unsigned a = 0; a < solution->setup->n_quasi; a++) {
        counting.leaf_rows[a] = leaf_rows;
        out->leaf_rows[a] = solution->leaf_rows[a] ? solution->leaf_rows[a] : leaf_rows;
        leaf_rows += leaves_of(solution, a);
    }
    KAN_TRY(
        kan_parallel(solution->setup->run, solution->setup->n_quasi, count_attribute, &counting));
    out->sizes = out->room;
    out->n_sizes = merge_tails(problem, out->room);
    if (solution->setup->is_at_levels) { /* what is below the levels was not counted */
        out->sizes = NULL;
        out->n_sizes = 0;
    }
    return KAN_OK;
}

/* ---- people --------------------------------------------------------------------------------- */

/* Released tuples, those of a person one after the other. */
typedef struct {
    size_t *start; /* by person, and one more */
    size_t *tuples;
} by_person;

static uint32_t person_of(const kan_problem *problem, size_t tuple) {
    return kan_problem_tuple_value(problem, tuple, problem->space.n_attributes);
}

static kan_status sort_by_person(const kan_solution *solution, const uint64_t *rows,
                                 by_person *out) {
    const kan_problem *problem = solution->problem;
    const size_t n_people = (size_t)problem->n_people;
    KAN_TRY(kan_alloc_zero(solution->setup->run, n_people + 2, sizeof *out->start, &out->start));
    KAN_TRY(kan_alloc(solution->setup->run, problem->base.n, sizeof *out->tuples, &out->tuples));
    for (size_t t = 0; t < problem->base.n; t++)
        out->start[person_of(problem, t) + 2] += rows[t] > 0;
    for (size_t p = 0; p < n_people; p++)
        out->start[p + 2] += out->start[p + 1];
    for (size_t t = 0; t < problem->base.n; t++)
        if (rows[t] > 0)
            out->tuples[out->start[person_of(problem, t) + 1]++] = t;
    return KAN_OK;
}

/* Each person once for each value that she has. */
static void count_leaf(const kan_problem *problem, const by_person *sorted, unsigned a,
                       uint64_t *people, uint32_t *last_of) {
    for (uint32_t p = 0; p < problem->n_people; p++)
        for (size_t i = sorted->start[p]; i < sorted->start[p + 1]; i++) {
            const uint32_t leaf = kan_problem_tuple_value(problem, sorted->tuples[i], a);
            people[leaf] += last_of[leaf] != p;
            last_of[leaf] = p;
        }
}

static kan_status count_heads(const kan_solution *solution, const by_person *sorted,
                              kan_released *out) {
    const kan_problem *problem = solution->problem;
    kan_run *run = solution->setup->run;
    size_t n_leaves = 0, most = 0;
    uint32_t *last_of;
    for (unsigned a = 0; a < solution->setup->n_quasi; a++) {
        n_leaves += leaves_of(solution, a);
        most = leaves_of(solution, a) > most ? leaves_of(solution, a) : most;
    }
    KAN_TRY(kan_alloc_zero(run, n_leaves, sizeof *out->people_room, &out->people_room));
    KAN_TRY(kan_alloc(run, most, sizeof *last_of, &last_of));
    uint64_t *people = out->people_room;
    for (unsigned a = 0; a < solution->setup->n_quasi; a++) {
        memset(last_of, 0xff, most * sizeof *last_of); /* nobody */
        count_leaf(problem, sorted, a, people, last_of);
        out->leaf_people[a] = people;
        people += leaves_of(solution, a);
    }
    for (size_t p = 0; p < problem->n_people; p++)
        out->n_people += sorted->start[p] < sorted->start[p + 1];
    kan_free(run, last_of);
    return KAN_OK;
}

static kan_status count_people(const kan_solution *solution, kan_released *out) {
    kan_run *run = solution->setup->run;
    by_person sorted = {NULL, NULL};
    uint64_t *rows = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(run, solution->problem->base.n, sizeof *rows, &rows));
    KAN_TRY_DONE(kan_solution_tuple_rows(solution, rows));
    KAN_TRY_DONE(sort_by_person(solution, rows, &sorted));
    KAN_TRY_DONE(count_heads(solution, &sorted, out));
done:
    kan_free(run, rows);
    kan_free(run, sorted.start);
    kan_free(run, sorted.tuples);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

kan_status kan_released_make(const kan_solution *solution, kan_released *out) {
    const kan_setup *setup = solution->setup;
    const bool is_all = solution->groups.n_suppressed == 0;
    *out = (kan_released){
        .solution = solution, .is_all = is_all, .hides_rows = setup->whose && !is_all};
    if (setup->person)
        KAN_TRY(count_people(solution, out));
    if (!is_all && kan_setup_counts_people(setup))
        KAN_TRY(kan_released_weigh(solution, out));
    if (!out->is_all)
        return count_all(solution, out);
    for (unsigned a = 0; a < setup->n_quasi; a++)
        out->leaf_rows[a] = setup->problem.leaf_rows[a];
    out->n_sizes = setup->problem.is_unfolded || setup->is_at_levels ? 0 : setup->n_tuples;
    return KAN_OK;
}

void kan_released_destroy(kan_released *released) {
    if (!released->solution)
        return;
    kan_free(released->solution->setup->run, released->room);
    kan_free(released->solution->setup->run, released->people_room);
    kan_free(released->solution->setup->run, released->weights);
    released->room = released->people_room = NULL;
    released->weights = NULL;
}

uint32_t kan_released_values(const kan_released *released, unsigned a) {
    uint32_t n = 0;
    if (released->is_all)
        return leaves_of(released->solution, a);
    for (uint32_t leaf = 0; leaf < leaves_of(released->solution, a); leaf++)
        n += released->leaf_rows[a][leaf] > 0;
    return n;
}

uint32_t kan_released_places(const kan_released *released, unsigned a) {
    const kan_domain *domain = released->solution->setup->domains[a];
    uint32_t n = 0, last = UINT32_MAX;
    if (released->is_all)
        return domain->n_places;
    for (uint32_t leaf = 0; leaf < leaves_of(released->solution, a); leaf++) {
        if (released->leaf_rows[a][leaf] == 0 || domain->place_of[leaf] == last)
            continue;
        last = domain->place_of[leaf];
        n++;
    }
    return n;
}

/* ---- levels --------------------------------------------------------------------------------- */

static bool is_built_by(const kan_hierarchy *h, const char *builder) {
    return h->origin && strncmp(h->origin, builder, strlen(builder)) == 0 &&
           kan_hierarchy_is_spec(h->origin);
}

/* Characters of a value, as hierarchies that mask them count. */
static size_t characters_of(kan_slice value) {
    size_t n = 0;
    for (size_t at = 0; at < value.size; n++) {
        const size_t size = kan_utf8_length(value.bytes + at, value.size - at);
        at += size ? size : 1;
    }
    return n;
}

static bool has_longer(const kan_released_column *c, size_t n_characters) {
    for (uint32_t leaf = 0; leaf < c->hierarchy->n_codes; leaf++)
        if (c->leaf_rows[leaf] > 0 &&
            characters_of(c->hierarchy->levels[0].label[leaf]) > n_characters)
            return true;
    return false;
}

/* The attribute as it is read, by the level of the answer. */
static kan_released_column column_of(const kan_released *released, unsigned a) {
    const kan_setup *setup = released->solution->setup;
    return (kan_released_column){.column = &setup->table->columns[setup->quasi[a]],
                                 .hierarchy = setup->hierarchies[a],
                                 .leaf_rows = released->leaf_rows[a]};
}

kan_type kan_released_column_type(const kan_released_column *c) {
    const kan_ends *ends = c->column->ends;
    bool is_number = true, is_date = true;
    double unused;
    if (kan_column_is_called_text(c->column))
        return KAN_TYPE_TEXT;
    for (uint32_t leaf = 0; leaf < c->hierarchy->n_codes; leaf++) {
        const kan_slice value = c->hierarchy->levels[0].label[leaf];
        if (c->leaf_rows[leaf] == 0 || kan_value_is_unknown(value))
            continue;
        if (!ends || kan_value_end(value, NULL) == KAN_END_NONE) {
            is_number = is_number && kan_value_exact(KAN_TYPE_NUMBER, value, &unused);
            is_date = is_date && kan_value_exact(KAN_TYPE_DATE, value, &unused);
        }
    }
    return is_number ? KAN_TYPE_NUMBER : is_date ? KAN_TYPE_DATE : KAN_TYPE_TEXT;
}

kan_type kan_released_type(const kan_released *released, unsigned a) {
    const kan_released_column column = column_of(released, a);
    return kan_released_column_type(&column);
}

/* Whether one value could make the order of a column tear its hierarchy apart, which is then not
 * used: of builders that put values into intervals none can. */
static bool can_be_torn(const kan_released *released, unsigned a) {
    static const char *const safe[] = {"intervals", "date", "quantiles", "suppress"};
    const kan_setup *setup = released->solution->setup;
    const char *spec = setup->specs[a];
    if (!kan_recoding_has_cuts(&released->solution->answer.recoding) || setup->bins[a] ||
        (!spec && !kan_options_find(&setup->job->options, "hierarchies")))
        return false;
    for (size_t i = 0; spec && kan_hierarchy_is_spec(spec) && i < sizeof safe / sizeof *safe; i++)
        if (strncmp(spec, safe[i], strlen(safe[i])) == 0)
            return false;
    return setup->orders[a] || kan_released_type(released, a) != KAN_TYPE_TEXT;
}

bool kan_released_knows_levels(const kan_released *released, unsigned a) {
    const kan_released_column column = column_of(released, a);
    return released->is_all ||
           (kan_released_column_knows_levels(&column) && !can_be_torn(released, a));
}

bool kan_released_column_knows_levels(const kan_released_column *c) {
    return !is_built_by(c->hierarchy, "quantiles") && !is_built_by(c->hierarchy, "frequency");
}

bool kan_released_knows_order(const kan_released *released, unsigned a) {
    return released->is_all || !is_built_by(released->solution->setup->hierarchies[a], "frequency");
}

/* Regions: means and the like are not the values that rows have. */
static kan_released_change region_became(const kan_solution *solution, unsigned a) {
    const kan_group_release *release = &solution->by_group;
    const kan_groups *groups = &solution->groups;
    const kan_group_column *shown = NULL;
    for (size_t c = 0; c < release->n_columns && !shown; c++)
        if (release->attribute_of[c] == a && release->middle[c] == KAN_MIDDLE_NONE)
            shown = &release->columns[c];
    if (!shown)
        return KAN_RELEASED_COARSER;
    if (kan_solution_exact_rows(solution, a) == groups->n_rows - groups->n_suppressed)
        return KAN_RELEASED_SAME;
    for (size_t g = 0; g < groups->n_groups; g++)
        if (groups->is_released[g] &&
            !kan_slice_equal(shown->labels[shown->codes[g]], kan_slice_of("*")))
            return KAN_RELEASED_COARSER;
    return KAN_RELEASED_STAR;
}

kan_released_change kan_released_became(const kan_released *released, unsigned a) {
    if (kan_recoding_has_regions(&released->solution->answer.recoding))
        return region_became(released->solution, a);
    kan_released_column column = column_of(released, a);
    column.hierarchy = released->solution->shown[a].hierarchy;
    column.level = released->solution->shown[a].level;
    return kan_released_column_became(&column);
}

kan_released_change kan_released_column_became(const kan_released_column *c) {
    const kan_hierarchy *h = c->hierarchy;
    const kan_level *level = &h->levels[c->level];
    bool is_same = true, is_star = true;
    for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
        if (c->leaf_rows[leaf] == 0)
            continue;
        const kan_slice label =
            level == h->levels ? level->label[leaf] : level->label[level->from_leaf[leaf]];
        is_same = is_same && kan_slice_equal(label, h->levels[0].label[leaf]);
        is_star = is_star && kan_slice_equal(label, kan_slice_of("*"));
    }
    return is_same ? KAN_RELEASED_SAME : is_star ? KAN_RELEASED_STAR : KAN_RELEASED_COARSER;
}

unsigned kan_released_height(const kan_released *released, unsigned a) {
    const kan_released_column column = column_of(released, a);
    return released->is_all ? column.hierarchy->height : kan_released_column_height(&column);
}

unsigned kan_released_column_height(const kan_released_column *c) {
    const kan_hierarchy *h = c->hierarchy;
    if (!is_built_by(h, "digits"))
        return h->height;
    const unsigned n_masked = (unsigned)strtoul(h->origin + strlen("digits:"), NULL, 10);
    return h->height > n_masked && !has_longer(c, n_masked) ? n_masked : h->height;
}

unsigned kan_released_column_level(const kan_released_column *c) {
    const unsigned height = kan_released_column_height(c);
    return c->level < height ? c->level : height;
}

unsigned kan_released_level(const kan_released *released, unsigned a) {
    const unsigned level = released->solution->answer.recoding.levels[a];
    const unsigned height = kan_released_height(released, a);
    return level < height ? level : height;
}
