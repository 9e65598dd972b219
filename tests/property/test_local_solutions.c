/* Local recodings, measured by the job, against plain counting over texts: classes, rows that are
 * left out, costs, levels of cells, and what every row shows. The search is a stand-in that returns
 * random nodes for random rows, the rows of a tuple in several regions as it comes; wrong ones are
 * not believed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "job/solution/solution.h"
#include "support/random_problem.h"

enum { N_COLUMNS = 3, MOST_ROWS = 40, TEXT = 24, MOST_LEVELS = 8 };

/* What is wrong with an answer. */
typedef enum {
    RIGHT,
    WRONG_NODE,  /* does not cover what its rows have */
    NO_NODE,     /* beyond the hierarchy */
    NO_NODES,    /* ranges */
    NOT_LOCAL,   /* rows left out of another recoding */
    TOO_MANY,    /* left out */
    WRONG_COUNT, /* of the rows that are left out */
    SMALL,       /* a region of fewer than k rows */
    N_FAULTS
} fault;

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows;
    char cells[MOST_ROWS][N_COLUMNS + 1][TEXT]; /* the last is the class */
    unsigned k;
    size_t n_lost, limit;
    kan_table *table;
    kan_job *job;
    kan_setup setup;
    uint32_t n_regions; /* the lost one included, which is the last */
    uint32_t region_of_row[MOST_ROWS];
    kan_cell nodes[MOST_ROWS][N_COLUMNS]; /* by region */
    fault fault;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

static bool is_lost(const world *w, size_t row) {
    return w->n_lost > 0 && w->region_of_row[row] == w->n_regions - 1;
}

static uint32_t leaf_of(const world *w, unsigned a, size_t row) {
    return w->setup.hierarchies[a]->leaf_of[kan_column_code(&w->table->columns[a], row)];
}

/* ---- the table and its rows ----------------------------------------------------------------- */

static void make_table(world *w) {
    static const char *const names[] = {"number", "code", "word", "class"};
    const size_t spread = 2 + below(w, 14);
    w->n_rows = 2 + below(w, MOST_ROWS - 2);
    EXPECT_OK(w->run, kan_table_create(w->run, N_COLUMNS + 1, names, &w->table));
    for (size_t row = 0; row < w->n_rows; row++) {
        const char *cells[N_COLUMNS + 1];
        snprintf(w->cells[row][0], TEXT, "%zu", below(w, spread));
        snprintf(w->cells[row][1], TEXT, "%zu%zu", below(w, 3), below(w, spread < 10 ? spread : 9));
        snprintf(w->cells[row][2], TEXT, "w%zu", below(w, 3));
        snprintf(w->cells[row][3], TEXT, "c%zu", below(w, 2));
        for (int c = 0; c <= N_COLUMNS; c++)
            cells[c] = w->cells[row][c];
        EXPECT_OK(w->run, kan_table_add_row(w->table, cells));
    }
}

/* At least k rows to a region, in any order; the lost ones are a region of their own. */
static void make_regions(world *w) {
    size_t order[MOST_ROWS];
    for (size_t i = 0; i < w->n_rows; i++) {
        const size_t j = below(w, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    w->k = 1 + (unsigned)below(w, w->n_rows < 4 ? w->n_rows : 4);
    w->n_lost = below(w, 2) ? below(w, w->n_rows - w->k + 1) : 0;
    w->limit = w->n_lost + below(w, 3);
    const size_t n_released = w->n_rows - w->n_lost;
    uint32_t region = 0;
    size_t n_of_region = 0, enough = w->k + below(w, 4);
    for (size_t i = 0; i < n_released; i++) {
        if (n_of_region >= enough && n_released - i >= w->k) {
            region++;
            n_of_region = 0;
            enough = w->k + below(w, 4);
        }
        w->region_of_row[order[i]] = region;
        n_of_region++;
    }
    w->n_regions = region + 1 + (w->n_lost > 0);
    for (size_t i = n_released; i < w->n_rows; i++)
        w->region_of_row[order[i]] = region + 1;
}

/* The lowest node that covers the rows of a region, or one above it; of the lost one, any. */
static void make_nodes(world *w) {
    for (uint32_t r = 0; r < w->n_regions; r++)
        for (unsigned a = 0; a < N_COLUMNS; a++) {
            const kan_hierarchy *h = w->setup.hierarchies[a];
            size_t first = 0;
            unsigned level = 0;
            while (w->region_of_row[first] != r)
                first++;
            const uint32_t leaf = leaf_of(w, a, first);
            for (size_t row = first; row < w->n_rows; row++)
                while (w->region_of_row[row] == r &&
                       h->levels[level].from_leaf[leaf_of(w, a, row)] !=
                           h->levels[level].from_leaf[leaf])
                    level++;
            if (level < h->height && below(w, 4) == 0)
                level++;
            w->nodes[r][a] = (kan_cell){level, h->levels[level].from_leaf[leaf]};
            if (w->n_lost > 0 && r == w->n_regions - 1) {
                level = (unsigned)below(w, h->height + 1);
                w->nodes[r][a] = (kan_cell){level, (uint32_t)below(w, h->levels[level].n_groups)};
            }
        }
}

/* ---- what they show, by hand ---------------------------------------------------------------- */

static kan_slice label_of(const world *w, unsigned a, size_t row) {
    const kan_cell node = w->nodes[w->region_of_row[row]][a];
    return w->setup.hierarchies[a]->levels[node.a].label[node.b];
}

/* A node that the one below it shows as well, to whoever sees released rows, stands there. */
static unsigned level_of(const world *w, unsigned a, size_t row) {
    const kan_hierarchy *h = w->setup.hierarchies[a];
    const kan_cell node = w->nodes[w->region_of_row[row]][a];
    unsigned level = node.a;
    for (; level > 0; level--) {
        const uint32_t *below_it = h->levels[level - 1].from_leaf;
        const uint32_t group = below_it[leaf_of(w, a, row)];
        if (!kan_slice_equal(h->levels[level - 1].label[group], label_of(w, a, row)))
            break;
        for (size_t other = 0; other < w->n_rows; other++) {
            const uint32_t leaf = leaf_of(w, a, other);
            if (!is_lost(w, other) && h->levels[node.a].from_leaf[leaf] == node.b &&
                below_it[leaf] != group)
                return level;
        }
    }
    return level;
}

static bool shows_same(const world *w, size_t row, size_t other) {
    for (unsigned a = 0; a < N_COLUMNS; a++)
        if (!kan_slice_equal(label_of(w, a, row), label_of(w, a, other)))
            return false;
    return true;
}

/* ---- the stand-in --------------------------------------------------------------------------- */

static const world *current; /* what the stand-in answers */

static kan_status answer_cells(kan_run *run, const world *w, unsigned a, kan_regions *out) {
    kan_cells *cells = &out->cells[a];
    cells->type = KAN_CELL_NODE;
    KAN_TRY(kan_alloc(run, w->n_regions, sizeof *cells->cells, &cells->cells));
    for (uint32_t r = 0; r < w->n_regions; r++) {
        const kan_cell node = w->nodes[r][a];
        uint32_t cell = 0;
        while (cell < cells->n &&
               (cells->cells[cell].a != node.a || cells->cells[cell].b != node.b))
            cell++;
        if (cell == cells->n)
            cells->cells[cells->n++] = node;
        out->cell_of[r * N_COLUMNS + a] = cell;
    }
    return KAN_OK;
}

static bool is_of_tuple(const world *w, size_t tuple, size_t row) {
    for (unsigned f = 0; f <= N_COLUMNS; f++) {
        const uint32_t value = kan_problem_tuple_value(&w->setup.problem, tuple, f);
        if (value !=
            (f < N_COLUMNS ? leaf_of(w, f, row) : kan_column_code(&w->table->columns[f], row)))
            return false;
    }
    return true;
}

/* The portions of each tuple of the base: its rows in their order, by region. */
static kan_status answer_tuples(kan_run *run, const world *w, kan_regions *out) {
    size_t n_portions = 0;
    out->n_tuples = w->setup.problem.base.n;
    KAN_TRY(kan_alloc(run, out->n_tuples, sizeof *out->region_of, &out->region_of));
    KAN_TRY(kan_alloc_zero(run, out->n_tuples + 1, sizeof *out->split_start, &out->split_start));
    KAN_TRY(kan_alloc(run, w->n_rows, sizeof *out->portions, &out->portions));
    for (size_t t = 0; t < out->n_tuples; t++) {
        const size_t first = n_portions;
        for (size_t row = 0; row < w->n_rows; row++) {
            if (!is_of_tuple(w, t, row))
                continue;
            if (n_portions > first && out->portions[n_portions - 1].region == w->region_of_row[row])
                out->portions[n_portions - 1].n_rows++;
            else
                out->portions[n_portions++] = (kan_portion){w->region_of_row[row], 1};
        }
        if (n_portions == first + 1) {
            out->region_of[t] = out->portions[--n_portions].region;
        } else {
            out->region_of[t] = KAN_REGION_SPLIT | (uint32_t)out->n_splits++;
            out->split_start[out->n_splits] = n_portions;
        }
    }
    return KAN_OK;
}

static void spoil(const world *w, kan_regions *out) {
    kan_cell *cell = &out->cells[0].cells[out->cell_of[0]];
    switch (w->fault) {
    case WRONG_NODE: /* another value than any row of the first region has */
        for (size_t row = 0; row < w->n_rows; row++)
            if (w->region_of_row[row] == 0)
                *cell = (kan_cell){0, leaf_of(w, 0, row) == 0};
        break;
    case NO_NODE:
        *cell = below((world *)(uintptr_t)w, 2) ? (kan_cell){w->setup.hierarchies[0]->height + 1, 0}
                                                : (kan_cell){0, w->setup.hierarchies[0]->n_codes};
        break;
    case NO_NODES:
        out->cells[1].type = KAN_CELL_RANGE;
        break;
    case WRONG_COUNT:
        out->n_rows[w->n_regions - 1]++;
        break;
    default:
        break;
    }
}

static kan_status answer_regions(kan_run *run, const kan_question *question, kan_answer *out) {
    const world *w = current;
    kan_regions *regions;
    (void)question;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *regions, &regions));
    regions->run = run;
    regions->n_attributes = N_COLUMNS;
    regions->n_regions = w->n_regions;
    regions->has_lost = w->n_lost > 0;
    out->recoding =
        (kan_recoding){.type = w->fault == NOT_LOCAL ? KAN_RECODING_SHARED : KAN_RECODING_LOCAL,
                       .n_attributes = N_COLUMNS,
                       .regions = regions};
    KAN_TRY(kan_alloc_zero(run, w->n_regions, sizeof *regions->n_rows, &regions->n_rows));
    KAN_TRY(kan_alloc(run, (size_t)w->n_regions * N_COLUMNS, sizeof *regions->cell_of,
                      &regions->cell_of));
    for (size_t row = 0; row < w->n_rows; row++)
        regions->n_rows[w->region_of_row[row]]++;
    for (unsigned a = 0; a < N_COLUMNS; a++)
        KAN_TRY(answer_cells(run, w, a, regions));
    KAN_TRY(answer_tuples(run, w, regions));
    spoil(w, regions);
    out->is_found = true;
    return KAN_OK;
}

static const kan_search_kind stand_in = {
    .kind = {.name = "stand-in", .summary = "answers what the test says"},
    .regions = true,
    .local = true,
    .search = answer_regions,
};

static void make_setup(world *w) {
    char text[24];
    EXPECT_OK(w->run, kan_job_create(w->run, &w->job));
    EXPECT_OK(w->run, kan_job_use_table(w->job, w->table));
    EXPECT_OK(w->run, kan_job_set(w->job, "qi", "number=intervals:2,4,8,code=digits:1,word"));
    EXPECT_OK(w->run, kan_job_set(w->job, "class", "class"));
    snprintf(text, sizeof text, "%u", w->k);
    EXPECT_OK(w->run, kan_job_set(w->job, "k", text));
    snprintf(text, sizeof text, "%zu", w->limit);
    EXPECT_OK(w->run, kan_job_set(w->job, "suppress", text));
    EXPECT_OK(w->run, kan_setup_make(w->job, &w->setup));
    w->setup.search = &stand_in;
    for (unsigned a = 0; a < N_COLUMNS; a++)
        EXPECT_OK(w->run, kan_domain_make(w->run, &w->table->columns[a], w->setup.hierarchies[a],
                                          true, NULL, &w->setup.domains[a]));
}

/* ---- comparing ------------------------------------------------------------------------------ */

static void expect_metric(const kan_solution *solution, const char *name, double expected) {
    for (size_t i = 0; i < solution->n_metrics; i++)
        if (strcmp(solution->metrics[i].name, name) == 0) {
            assert_true(solution->metrics[i].is_known);
            if (fabs(solution->metrics[i].score.real - expected) > 1e-9)
                fail_msg("%s is %.12g, not %.12g", name, solution->metrics[i].score.real, expected);
            return;
        }
    fail_msg("no metric %s", name);
}

static void expect_groups(const world *w, const kan_solution *solution) {
    double discernibility = (double)(w->n_lost * w->n_rows), classification = (double)w->n_lost;
    size_t n_groups = 0, smallest = MOST_ROWS, largest = 0;
    for (size_t row = 0; row < w->n_rows; row++) {
        size_t n = 0, n_same_class = 0, first = w->n_rows;
        if (is_lost(w, row))
            continue;
        for (size_t other = w->n_rows; other-- > 0;) {
            if (is_lost(w, other) || !shows_same(w, row, other))
                continue;
            n++;
            n_same_class += strcmp(w->cells[row][3], w->cells[other][3]) == 0;
            first = other;
        }
        discernibility += (double)n;
        if (first != row)
            continue;
        n_groups++;
        smallest = n < smallest ? n : smallest;
        largest = n > largest ? n : largest;
        classification +=
            (double)(n_same_class < n - n_same_class ? n_same_class : n - n_same_class);
    }
    assert_int_equal(solution->groups.n_released_groups, n_groups);
    assert_int_equal(solution->groups.n_suppressed, w->n_lost);
    assert_int_equal(solution->smallest_group, smallest);
    assert_int_equal(solution->largest_group, largest);
    expect_metric(solution, "discernibility", discernibility);
    expect_metric(solution, "classification", classification);
    /* what is left out is one class more */
    expect_metric(solution, "average-class",
                  (double)w->n_rows / (double)(n_groups + (w->n_lost > 0 ? 1 : 0)) / w->k);
    assert_true(solution->answer.score.real == discernibility);
}

static void expect_cells(const world *w, const kan_solution *solution) {
    double ncp = 0, moved = 0, most = 0;
    for (unsigned a = 0; a < N_COLUMNS; a++) {
        const kan_hierarchy *h = w->setup.hierarchies[a];
        uint64_t n_cells[MOST_LEVELS] = {0}, expected[MOST_LEVELS] = {0};
        size_t n_shown = 0;
        double steps = 0;
        assert_true(h->height < MOST_LEVELS);
        for (size_t row = 0; row < w->n_rows; row++) {
            bool is_new = true;
            if (is_lost(w, row)) {
                ncp += 1;
                steps += h->height;
                continue;
            }
            const unsigned level = level_of(w, a, row);
            expected[level]++;
            steps += level;
            ncp += h->levels[level].share[h->levels[level].from_leaf[leaf_of(w, a, row)]];
            for (size_t other = 0; other < row; other++)
                is_new &= is_lost(w, other) ||
                          !kan_slice_equal(label_of(w, a, row), label_of(w, a, other));
            n_shown += is_new;
        }
        kan_solution_cell_levels(solution, a, n_cells);
        for (unsigned level = 0; level <= h->height; level++)
            assert_int_equal(n_cells[level], expected[level]);
        assert_int_equal(solution->by_group.n_shown[a], n_shown);
        const double all = (double)w->n_rows * h->height;
        if (fabs(kan_solution_distortion(solution, a) - (all > 0 ? steps / all : 0)) > 1e-9)
            fail_msg("column %u: %.12g, not %.12g", a, kan_solution_distortion(solution, a),
                     steps / all);
        moved += steps;
        most += all;
    }
    expect_metric(solution, "distortion", moved / most);
    expect_metric(solution, "ncp", ncp / (double)(w->n_rows * N_COLUMNS));
}

/* The rows as a release would have them. */
static void expect_rows(const world *w, kan_solution *solution) {
    const kan_group_release *release = &solution->by_group;
    uint8_t is_suppressed[MOST_ROWS];
    assert_int_equal(kan_solution_mark_rows(solution, is_suppressed), KAN_FAILED); /* too early */
    EXPECT_OK(w->run, kan_solution_find_rows(solution));
    EXPECT_OK(w->run, kan_solution_mark_rows(solution, is_suppressed));
    for (size_t row = 0; row < w->n_rows; row++) {
        assert_int_equal(is_suppressed[row], is_lost(w, row));
        for (size_t c = 0; c < release->n_columns && !is_suppressed[row]; c++) {
            const uint32_t code = release->columns[c].codes[release->group_of_row[row]];
            assert_true(
                kan_slice_equal(release->columns[c].labels[code], label_of(w, (unsigned)c, row)));
        }
    }
}

static world *world_begin(kan_run *run, uint64_t seed) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->run = run;
    w->random = seed;
    make_table(w);
    make_regions(w);
    make_setup(w);
    make_nodes(w);
    current = w;
    return w;
}

static void world_end(world *w) {
    kan_setup_destroy(&w->setup);
    kan_job_destroy(w->job);
    kan_table_destroy(w->table);
    free(w);
}

static void one_solution(kan_run *run, uint64_t seed) {
    world *w = world_begin(run, seed);
    kan_solution solution;
    EXPECT_OK(run, kan_solution_find(&w->setup, &(kan_solution_wants){.release = true}, &solution));
    expect_groups(w, &solution);
    expect_cells(w, &solution);
    expect_rows(w, &solution);
    kan_solution_destroy(&solution);
    world_end(w);
}

static void local_solutions_are_measured_as_plain_counting_does(void **state) {
    (void)state;
    random_rounds(800, one_solution);
}

/* ---- wrong answers -------------------------------------------------------------------------- */

/* The first row alone in a region of its own values, while more are promised; false when others
 * show the same, or it was alone before. */
static bool set_apart(world *w) {
    const uint32_t old = w->region_of_row[0];
    size_t n_left = 0;
    if (w->k < 2 || w->n_lost > 0)
        return false;
    w->region_of_row[0] = w->n_regions++;
    for (unsigned a = 0; a < N_COLUMNS; a++)
        w->nodes[w->n_regions - 1][a] = (kan_cell){0, leaf_of(w, a, 0)};
    for (size_t row = 1; row < w->n_rows; row++) {
        if (shows_same(w, 0, row))
            return false;
        n_left += w->region_of_row[row] == old;
    }
    return n_left >= w->k;
}

static bool make_fault(world *w) {
    switch (w->fault) {
    case WRONG_NODE:
        return w->setup.hierarchies[0]->n_codes > 2;
    case NOT_LOCAL:
        return w->n_lost > 0;
    case TOO_MANY:
        w->setup.promise.limit = w->n_lost - (w->n_lost > 0);
        return w->n_lost > 0;
    case SMALL:
        return set_apart(w);
    default:
        return true;
    }
}

static void one_wrong_answer(kan_run *run, uint64_t seed) {
    static const char *const texts[N_FAULTS] = {
        [WRONG_NODE] = "does not show what its rows have",
        [NO_NODE] = "the regions are not those of the table",
        [NO_NODES] = "the regions are not those of the table",
        [NOT_LOCAL] = "the regions are not those of the table",
        [TOO_MANY] = "more rows are left out than may be",
        [WRONG_COUNT] = "a region has other rows than it says",
        [SMALL] = "a region does not keep the promise",
    };
    world *w = world_begin(run, seed);
    kan_solution solution;
    w->fault = (fault)(1 + seed % (N_FAULTS - 1));
    if (make_fault(w)) {
        assert_int_equal(
            kan_solution_find(&w->setup, &(kan_solution_wants){.release = true}, &solution),
            KAN_FAILED);
        if (!strstr(kan_run_error(run), texts[w->fault]))
            fail_msg("<%s> in <%s>", texts[w->fault], kan_run_error(run));
        kan_solution_destroy(&solution);
    }
    world_end(w);
}

static void a_search_that_is_wrong_about_its_nodes_is_not_believed(void **state) {
    (void)state;
    random_rounds(600, one_wrong_answer);
}

/* ---- no answer ------------------------------------------------------------------------------ */

static kan_status answer_nothing(kan_run *run, const kan_question *question, kan_answer *out) {
    (void)run;
    (void)question;
    out->is_found = false;
    return KAN_OK;
}

static const kan_search_kind finds_nothing = {
    .kind = {.name = "stand-in", .summary = "finds nothing"},
    .regions = true,
    .local = true,
    .search = answer_nothing,
};

/* It is a proof where merging keeps the promise and nothing may be left out. */
static void one_without_answer(kan_run *run, uint64_t seed) {
    world *w = world_begin(run, seed);
    kan_solution solution;
    w->setup.search = &finds_nothing;
    w->setup.promise.survives_merge = seed % 3 != 0;
    const bool is_proof = w->setup.promise.survives_merge && w->limit == 0;
    assert_int_equal(
        kan_solution_find(&w->setup, &(kan_solution_wants){.release = true}, &solution),
        KAN_UNSATISFIED);
    assert_non_null(strstr(kan_run_error(run), is_proof ? "no release of all rows does"
                                                        : "does not prove that there is none"));
    kan_solution_destroy(&solution);
    world_end(w);
}

static void that_nothing_was_found_is_told_for_what_it_proves(void **state) {
    (void)state;
    random_rounds(60, one_without_answer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(local_solutions_are_measured_as_plain_counting_does,
                                  random_tear_down),
        cmocka_unit_test_teardown(a_search_that_is_wrong_about_its_nodes_is_not_believed,
                                  random_tear_down),
        cmocka_unit_test_teardown(that_nothing_was_found_is_told_for_what_it_proves,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
