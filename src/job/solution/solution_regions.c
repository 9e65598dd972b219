/* What a search over regions found: checked against the base, named, and grouped by what is shown.
 *
 * Nothing of the search is believed: every tuple must lie in what its region shows of it, its rows
 * must all go somewhere, and regions that show the same in every column are one group. Only groups
 * that all keep the promise are a solution, with one exception: rows that are left
 * out are a region that shows nothing, and a group of its own, the last, which is not released.
 * Linear in tuples, regions and labels. */
#include <math.h>
#include <string.h>

#include "core/pool.h"
#include "core/spill.h"
#include "job/solution/solution.h"

/* Shares are summed in parts of which every number up to 36 is a divisor: cells cover what no
 * hierarchy has a share of. */
#define SHARE_ONE UINT64_C(144403552893600)

enum { TASK_TUPLES = 1 << 14 };

kan_status kan_solution_fail_region(const kan_solution *solution, const char *what) {
    return kan_fail(solution->setup->run, KAN_FAILED,
                    "internal error: %s; nothing is released; please report this", what);
}

void kan_group_release_destroy(kan_run *run, kan_group_release *release) {
    for (unsigned a = 0; a < KAN_MAX_ATTRIBUTES; a++)
        kan_cell_names_destroy(&release->names[a]);
    if (release->arena.run)
        kan_arena_destroy(&release->arena);
    kan_free(run, release->group_of_region);
    kan_free(run, release->codes);
    kan_free(run, release->group_of_row);
    memset(release, 0, sizeof *release);
}

/* ---- regions against the base --------------------------------------------------------------- */

static bool nodes_are_right(const kan_cells *cells, const kan_hierarchy *h) {
    for (uint32_t i = 0; i < cells->n; i++) {
        const kan_cell *node = &cells->cells[i];
        if (node->a > h->height || node->b >= h->levels[node->a].n_groups)
            return false;
    }
    return true;
}

/* Nodes that there are; a local recoding has nothing else. It leaves rows out, and where rows have pasts others do. */
static bool cells_are_right(const kan_solution *solution, const kan_regions *regions) {
    const bool is_local = solution->answer.recoding.type == KAN_RECODING_LOCAL;
    if (regions->has_lost && !is_local && !solution->problem->has_pasts)
        return false;
    for (unsigned a = 0; a < regions->n_attributes; a++) {
        const bool has_nodes = regions->cells[a].type == KAN_CELL_NODE;
        if (has_nodes ? !nodes_are_right(&regions->cells[a], solution->setup->hierarchies[a])
                      : is_local)
            return false;
    }
    return true;
}

/* Numbers of regions, cells and splits that arrays are looked up with. */
static bool shape_is_right(const kan_solution *solution, const kan_regions *regions) {
    const unsigned n_quasi = solution->setup->n_quasi;
    if (!regions || regions->n_attributes != n_quasi || regions->n_regions == 0 ||
        regions->n_regions >= KAN_REGION_SPLIT ||
        regions->n_tuples != kan_problem_tuples(solution->problem) ||
        !cells_are_right(solution, regions))
        return false;
    for (size_t r = 0; r < regions->n_regions; r++)
        for (unsigned a = 0; a < n_quasi; a++)
            if (regions->cell_of[r * n_quasi + a] >= regions->cells[a].n)
                return false;
    for (size_t t = 0; t < regions->n_tuples; t++) {
        const uint32_t region = regions->region_of[t];
        if (region & KAN_REGION_SPLIT ? (region & ~KAN_REGION_SPLIT) >= regions->n_splits
                                      : region >= regions->n_regions)
            return false;
    }
    for (size_t s = 0; s < regions->n_splits; s++) {
        if (regions->split_start[s] > regions->split_start[s + 1])
            return false;
        for (size_t p = regions->split_start[s]; p < regions->split_start[s + 1]; p++)
            if (regions->portions[p].region >= regions->n_regions)
                return false;
    }
    return true;
}

static bool region_holds(const kan_solution *solution, uint32_t region, size_t tuple) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const unsigned n = regions->n_attributes;
    for (unsigned a = 0; a < n; a++)
        if (!kan_cell_holds(&regions->cells[a], regions->cell_of[(size_t)region * n + a],
                            solution->setup->hierarchies[a],
                            kan_problem_tuple_value(solution->problem, tuple, a)))
            return false;
    return true;
}

static kan_status check_task(void *context, size_t task, unsigned worker) {
    const kan_solution *solution = context;
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_problem *problem = solution->problem;
    const size_t first = task * TASK_TUPLES, all = kan_problem_tuples(problem);
    const size_t end = all - first < TASK_TUPLES ? all : first + TASK_TUPLES;
    (void)worker;
    for (size_t t = first; t < end; t++) {
        kan_portion single;
        const kan_portion *portions;
        uint64_t n_left = kan_problem_tuple_rows(problem, t);
        const size_t n = kan_regions_portions(regions, t, n_left, &single, &portions);
        for (size_t i = 0; i < n; i++) {
            if (portions[i].region < kan_regions_released(regions) &&
                !region_holds(solution, portions[i].region, t))
                return kan_solution_fail_region(solution,
                                                "a region does not show what its rows have");
            if (portions[i].n_rows == 0 || portions[i].n_rows > n_left)
                return kan_solution_fail_region(solution, "rows were handed out twice");
            n_left -= portions[i].n_rows;
        }
        if (n_left != 0)
            return kan_solution_fail_region(solution, "rows are in no region");
    }
    kan_problem_done(problem, first, end - first);
    return KAN_OK;
}

/* The rows of every region, counted again. */
static kan_status check_rows(const kan_solution *solution) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_problem *problem = solution->problem;
    uint64_t *n_rows;
    bool is_right = true;
    KAN_TRY(kan_alloc_zero(solution->setup->run, regions->n_regions, sizeof *n_rows, &n_rows));
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        kan_portion single;
        const kan_portion *portions;
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(problem, t),
                                              &single, &portions);
        for (size_t i = 0; i < n; i++)
            n_rows[portions[i].region] += portions[i].n_rows;
    }
    for (size_t r = 0; r < regions->n_regions && is_right; r++)
        is_right = n_rows[r] > 0 && n_rows[r] == regions->n_rows[r];
    kan_free(solution->setup->run, n_rows);
    return is_right ? KAN_OK
                    : kan_solution_fail_region(solution, "a region has other rows than it says");
}

static kan_status check_regions(kan_solution *solution) {
    if (!shape_is_right(solution, solution->answer.recoding.regions))
        return kan_solution_fail_region(solution, "the regions are not those of the table");
    const size_t n = kan_problem_tuples(solution->problem);
    KAN_TRY(kan_parallel(solution->setup->run, (n + TASK_TUPLES - 1) / TASK_TUPLES, check_task,
                         solution));
    return check_rows(solution);
}

/* ---- what regions show ---------------------------------------------------------------------- */

static kan_status name_mean(kan_solution *solution, const char *name, const char **out) {
    kan_text text;
    kan_text_init(&text, solution->setup->run);
    kan_mean_column_add_name(&text, name);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK)
        status = kan_arena_copy(&solution->by_group.arena, text.bytes, text.size, out);
    kan_text_destroy(&text);
    return status;
}

static void list_columns(kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    kan_group_release *release = &solution->by_group;
    const kan_summary_form form = kan_setup_summary(setup);
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        const bool has_both = form == KAN_SUMMARY_BOTH && kan_setup_has_mean(setup, a);
        for (unsigned i = 0; i < (has_both ? 2u : 1u); i++) {
            const size_t c = release->n_columns++;
            release->attribute_of[c] = a;
            release->middle[c] = i == 1 ? KAN_MIDDLE_MEAN : kan_setup_middle(setup, a);
            release->columns[c].name = setup->table->columns[setup->quasi[a]].name;
        }
    }
}

/* What was walked in order is not needed for a while. */
static void put_aside(const kan_solution *solution) {
    const kan_regions *regions = solution->answer.recoding.regions;
    kan_run *run = solution->setup->run;
    const size_t n = regions->n_regions;
    kan_spill_done(run, regions->cell_of, n * regions->n_attributes * sizeof *regions->cell_of);
    kan_spill_done(run, regions->n_rows, n * sizeof *regions->n_rows);
    kan_spill_done(run, regions->region_of, regions->n_tuples * sizeof *regions->region_of);
    if (solution->by_group.codes)
        kan_spill_done(run, solution->by_group.codes,
                       n * solution->by_group.n_columns * sizeof *solution->by_group.codes);
}

/* Columns that show names, of some regions. */
static kan_status show_task(void *context, size_t task, unsigned worker) {
    const kan_solution *solution = context;
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_group_release *release = &solution->by_group;
    const size_t n = regions->n_regions, first = task * TASK_TUPLES;
    const size_t end = n - first < TASK_TUPLES ? n : first + TASK_TUPLES;
    (void)worker;
    for (size_t c = 0; c < release->n_columns; c++) {
        const unsigned a = release->attribute_of[c];
        uint32_t *codes = release->codes + c * n;
        for (size_t r = first; release->middle[c] == KAN_MIDDLE_NONE && r < end; r++)
            codes[r] = release->names[a].shown[regions->cell_of[r * regions->n_attributes + a]];
    }
    return KAN_OK;
}

/* The codes of a column, by region; those of names come from show_task. */
static kan_status show_column(kan_solution *solution, size_t c, uint32_t *codes) {
    const kan_regions *regions = solution->answer.recoding.regions;
    kan_group_release *release = &solution->by_group;
    kan_group_column *column = &release->columns[c];
    const unsigned a = release->attribute_of[c];
    if (release->middle[c] == KAN_MIDDLE_MEAN) {
        if (c > 0 && release->attribute_of[c - 1] == a)
            KAN_TRY(name_mean(solution, column->name, &column->name));
        return kan_solution_means(solution, a, column, codes);
    }
    if (release->middle[c] != KAN_MIDDLE_NONE)
        return kan_solution_middles(solution, a, release->middle[c], column, codes);
    column->labels = release->names[a].label;
    column->n_labels = regions->cells[a].n;
    return KAN_OK;
}

/* Sets has_leaf[leaf] of what released rows have of attribute `a`, and is_used[cell] of what
 * released regions have. */
static void mark_released(const kan_solution *solution, unsigned a, uint8_t *has_leaf,
                          uint8_t *is_used) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_problem *problem = solution->problem;
    const uint32_t n_released = kan_regions_released(regions);
    for (size_t r = 0; r < n_released; r++)
        is_used[regions->cell_of[r * regions->n_attributes + a]] = 1;
    for (size_t t = 0; t < kan_problem_tuples(problem); t++) {
        kan_portion single;
        const kan_portion *portions;
        const size_t n = kan_regions_portions(regions, t, kan_problem_tuple_rows(problem, t),
                                              &single, &portions);
        for (size_t i = 0; i < n; i++)
            if (portions[i].region < n_released)
                has_leaf[kan_problem_tuple_value(problem, t, a)] = 1;
    }
}

/* Names the cells of an attribute. */
static kan_status name_cells(kan_solution *solution, unsigned a) {
    const kan_setup *setup = solution->setup;
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_cells *cells = &regions->cells[a];
    kan_cell_names *names = &solution->by_group.names[a];
    kan_status status;
    uint8_t *has_leaf = NULL, *is_used = NULL;
    if (!regions->has_lost)
        return kan_cell_names_make(setup->run, cells, setup->domains[a], names);
    KAN_TRY_DONE(kan_alloc_zero(setup->run, setup->hierarchies[a]->n_codes, 1, &has_leaf));
    KAN_TRY_DONE(kan_alloc_zero(setup->run, cells->n, 1, &is_used));
    mark_released(solution, a, has_leaf, is_used);
    KAN_TRY_DONE(kan_solution_fit_name(solution, a, has_leaf));
    KAN_TRY_DONE(kan_cell_names_make_released(setup->run, cells, setup->domains[a], has_leaf,
                                              is_used, names));
done:
    kan_free(setup->run, has_leaf);
    kan_free(setup->run, is_used);
    return status;
}

static kan_status show_regions(kan_solution *solution) {
    const kan_setup *setup = solution->setup;
    const kan_regions *regions = solution->answer.recoding.regions;
    kan_group_release *release = &solution->by_group;
    kan_arena_init(&release->arena, setup->run);
    for (unsigned a = 0; a < setup->n_quasi; a++)
        KAN_TRY(name_cells(solution, a));
    list_columns(solution);
    KAN_TRY(kan_spill_alloc(setup->run, release->n_columns * regions->n_regions,
                            sizeof *release->codes, &release->codes));
    KAN_TRY(kan_parallel(setup->run, (regions->n_regions + TASK_TUPLES - 1) / TASK_TUPLES,
                         show_task, solution));
    for (size_t c = 0; c < release->n_columns; c++) {
        KAN_TRY(show_column(solution, c, release->codes + c * regions->n_regions));
        put_aside(solution);
    }
    return KAN_OK;
}

/* ---- groups --------------------------------------------------------------------------------- */

/* Regions by what they show, while they are merged. */
typedef struct {
    kan_group_release *release;
    size_t n_regions, n_released;
    uint64_t *hash;  /* by region */
    uint32_t *first; /* by group: its first region */
    uint32_t *slots; /* group + 1; 0 is free */
    size_t mask;
} merging;

static bool show_same(const merging *m, size_t a, size_t b) {
    for (size_t c = 0; c < m->release->n_columns; c++) {
        const uint32_t *codes = m->release->codes + c * m->n_regions;
        if (codes[a] != codes[b])
            return false;
    }
    return true;
}

static kan_status hash_task(void *context, size_t task, unsigned worker) {
    const merging *m = context;
    const size_t first = task * TASK_TUPLES;
    const size_t end = m->n_released - first < TASK_TUPLES ? m->n_released : first + TASK_TUPLES;
    (void)worker;
    for (size_t r = first; r < end; r++) {
        m->hash[r] = 0;
        for (size_t c = 0; c < m->release->n_columns; c++)
            m->hash[r] = kan_mix(m->hash[r] ^ m->release->codes[c * m->n_regions + r],
                                 UINT64_C(0x9e3779b97f4a7c15) + 2 * c);
    }
    return KAN_OK;
}

static void merge(merging *m) {
    enum { AHEAD = 16 };
    kan_group_release *release = m->release;
    for (size_t r = 0; r < m->n_released; r++) {
        const uint64_t hash = m->hash[r];
        size_t at = (size_t)kan_hash_word(hash) & m->mask;
        if (r + AHEAD < m->n_released)
            __builtin_prefetch(&m->slots[(size_t)kan_hash_word(m->hash[r + AHEAD]) & m->mask], 1);
        for (; m->slots[at] != 0; at = (at + 1) & m->mask) {
            const uint32_t g = m->slots[at] - 1;
            if (m->hash[m->first[g]] == hash && show_same(m, m->first[g], r))
                break;
        }
        if (m->slots[at] == 0) {
            m->first[release->n_groups] = (uint32_t)r;
            m->slots[at] = (uint32_t)++release->n_groups;
        }
        release->group_of_region[r] = m->slots[at] - 1;
    }
    /* rows that are left out are in no other group, whatever their cells are */
    for (size_t r = m->n_released; r < m->n_regions; r++) {
        m->first[release->n_groups] = (uint32_t)r;
        release->group_of_region[r] = (uint32_t)release->n_groups++;
    }
}

/* Codes by region become codes by group: a group is never behind its first region, nor a column
 * behind where it stood. */
static void keep_firsts(const merging *m) {
    kan_group_release *release = m->release;
    for (size_t c = 0; c < release->n_columns; c++) {
        uint32_t *codes = release->codes + c * release->n_groups;
        for (size_t g = 0; g < release->n_groups; g++) {
            KAN_ASSERT(m->first[g] >= g); /* what was not read yet is not written over */
            codes[g] = release->codes[c * m->n_regions + m->first[g]];
        }
        release->columns[c].codes = codes;
    }
}

/* How many different values the groups show in a column, but those of rows that are left out. */
static kan_status count_shown(void *context, size_t c, unsigned worker) {
    kan_solution *solution = context;
    kan_run *run = solution->setup->run;
    kan_group_release *release = &solution->by_group;
    const size_t n_groups = release->n_groups - solution->answer.recoding.regions->has_lost;
    const kan_group_column *column = &release->columns[c];
    (void)worker;
    uint8_t *is_shown;
    KAN_TRY(kan_alloc_zero(run, column->n_labels, 1, &is_shown));
    for (size_t g = 0; g < n_groups; g++) {
        release->n_shown[c] += !is_shown[column->codes[g]];
        is_shown[column->codes[g]] = 1;
    }
    kan_free(run, is_shown);
    return KAN_OK;
}

static kan_status merge_regions(kan_solution *solution) {
    kan_status status;
    kan_run *run = solution->setup->run;
    kan_group_release *release = &solution->by_group;
    const kan_regions *regions = solution->answer.recoding.regions;
    merging m = {.release = release,
                 .n_regions = regions->n_regions,
                 .n_released = kan_regions_released(regions)};
    size_t n_slots = 8;
    while (n_slots < 2 * m.n_regions)
        n_slots *= 2;
    m.mask = n_slots - 1;
    KAN_TRY_DONE(kan_spill_alloc(run, m.n_regions, sizeof *release->group_of_region,
                                 &release->group_of_region));
    KAN_TRY_DONE(kan_alloc(run, m.n_regions, sizeof *m.hash, &m.hash));
    KAN_TRY_DONE(kan_alloc(run, m.n_regions, sizeof *m.first, &m.first));
    KAN_TRY_DONE(kan_alloc_zero(run, n_slots, sizeof *m.slots, &m.slots));
    KAN_TRY_DONE(kan_parallel(run, (m.n_released + TASK_TUPLES - 1) / TASK_TUPLES, hash_task, &m));
    merge(&m);
    keep_firsts(&m);
    KAN_TRY_DONE(kan_parallel(run, release->n_columns, count_shown, solution));
done:
    kan_free(run, m.hash);
    kan_free(run, m.first);
    kan_free(run, m.slots);
    return status;
}

/* Which groups are released: all but that of the rows that are left out. */
static kan_status check_promise(kan_solution *solution) {
    const kan_promise *promise = kan_setup_of_groups(solution->setup);
    const bool has_lost = solution->answer.recoding.regions->has_lost;
    kan_groups *groups = &solution->groups;
    uint8_t *is_released = solution->viewer.is_released;
    kan_promise_check(promise, groups, is_released);
    for (size_t g = 0; g < groups->n_groups - has_lost; g++)
        if (!is_released[g])
            return kan_solution_fail_region(solution, "a region does not keep the promise");
    if (solution->problem->has_pasts)
        KAN_TRY(kan_solution_check_pasts(solution));
    groups->n_released_groups = groups->n_groups - has_lost;
    groups->n_suppressed = has_lost ? groups->count[groups->n_groups - 1] : 0;
    if (has_lost)
        is_released[groups->n_groups - 1] = 0;
    if (groups->n_suppressed > promise->limit)
        return kan_solution_fail_region(solution, "more rows are left out than may be");
    return KAN_OK;
}

static kan_status count_groups(kan_solution *solution) {
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_group_release *release = &solution->by_group;
    kan_viewer *viewer = &solution->viewer;
    kan_run *run = solution->setup->run;
    KAN_TRY(kan_alloc_zero(run, release->n_groups, sizeof *viewer->counts, &viewer->counts));
    KAN_TRY(kan_alloc(run, release->n_groups, sizeof *viewer->is_released, &viewer->is_released));
    for (size_t r = 0; r < regions->n_regions; r++)
        viewer->counts[release->group_of_region[r]] += regions->n_rows[r];
    solution->groups = (kan_groups){.n_groups = release->n_groups,
                                    .n_rows = solution->problem->n_rows,
                                    .count = viewer->counts};
    if (solution->problem->space.n_tails > 0) {
        KAN_TRY(kan_solution_tally(solution));
        solution->groups.tallies = viewer->tallies;
    }
    return solution->setup->person ? kan_solution_check_piles(solution) : check_promise(solution);
}

/* ---- what it costs -------------------------------------------------------------------------- */

static kan_status measure_attribute(void *context, size_t a, unsigned worker) {
    kan_solution *solution = context;
    const kan_regions *regions = solution->answer.recoding.regions;
    const kan_cell_names *names = &solution->by_group.names[a];
    kan_cell_loss loss = {.levels = 0};
    (void)worker;
    for (size_t r = 0; r < kan_regions_released(regions); r++) {
        const uint32_t cell = regions->cell_of[r * regions->n_attributes + a];
        const uint64_t share = (uint64_t)round(names->share[cell] * (double)SHARE_ONE);
        loss.levels += (kan_u128)regions->n_rows[r] * names->node_level[cell];
        loss.share += (kan_u128)regions->n_rows[r] * share;
    }
    solution->viewer.loss[a] = loss;
    return KAN_OK;
}

static kan_status measure_loss(kan_solution *solution) {
    KAN_TRY(kan_parallel(solution->setup->run, solution->answer.recoding.regions->n_attributes,
                         measure_attribute, solution));
    solution->groups.loss = solution->viewer.loss;
    solution->cost_problem = solution->setup->problem;
    solution->cost_problem.share_one = SHARE_ONE;
    return KAN_OK;
}

/* Lists of many values make a release large and hard to read; a hierarchy would have names. */
static void note_long_labels(const kan_solution *solution) {
    enum { LONG_LABEL = 1000 };
    char names[512];
    bool is_long[KAN_MAX_ATTRIBUTES];
    const kan_setup *setup = solution->setup;
    for (unsigned a = 0; a < setup->n_quasi; a++) {
        is_long[a] = false;
        for (uint32_t i = 0; i < solution->answer.recoding.regions->cells[a].n; i++)
            is_long[a] |= solution->by_group.names[a].label[i].size > LONG_LABEL;
    }
    const size_t n = kan_setup_list_columns(setup, is_long, names, sizeof names);
    if (n > 0)
        kan_note(setup->run,
                 "column%s %s: regions are shown as long lists of values; a hierarchy, --qi "
                 "NAME=FILE, gives names to those that it has",
                 n > 1 ? "s" : "", names);
}

kan_status kan_solution_group(kan_solution *solution) {
    KAN_TRY(check_regions(solution));
    put_aside(solution);
    KAN_TRY(show_regions(solution));
    KAN_TRY(merge_regions(solution));
    KAN_TRY(count_groups(solution));
    KAN_TRY(kan_solution_check_columns(solution));
    KAN_TRY(measure_loss(solution));
    KAN_TRY(kan_solution_sum_region_people(solution));
    KAN_TRY(kan_solution_measure_squares(solution));
    KAN_TRY(kan_solution_count_narrow(solution, &solution->n_narrow));
    put_aside(solution);
    note_long_labels(solution);
    if (kan_setup_summary(solution->setup) == KAN_SUMMARY_BOTH)
        KAN_TRY(kan_solution_note_means(solution));
    return kan_solution_score(solution, &solution->answer.score);
}
