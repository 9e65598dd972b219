/* Solutions by cuts, measured by the job, against plain counting over texts: groups, suppressed
 * rows and every cost. The search is a stand-in that returns random cuts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "job/solution/solution.h"
#include "support/random_problem.h"

enum { N_COLUMNS = 3, MOST_ROWS = 40, TEXT = 8 }; /* two of numbers, one of text */

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows;
    char cells[MOST_ROWS][N_COLUMNS + 1][TEXT]; /* the last is the class */
    unsigned k;
    kan_table *table;
    kan_job *job;
    kan_setup setup;
    size_t n_cuts[N_COLUMNS];
    uint32_t cuts[N_COLUMNS][MOST_ROWS];
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- the stand-in --------------------------------------------------------------------------- */

static const world *current; /* what the stand-in answers */
static kan_u128 claimed;

static kan_status answer_cuts(kan_run *run, const kan_question *question, kan_answer *out) {
    kan_recoding *recoding = &out->recoding;
    (void)question;
    *recoding = (kan_recoding){.type = KAN_RECODING_CUTS, .n_attributes = N_COLUMNS};
    for (unsigned a = 0; a < N_COLUMNS; a++)
        recoding->first_cut[a + 1] = recoding->first_cut[a] + current->n_cuts[a];
    KAN_TRY(
        kan_alloc(run, recoding->first_cut[N_COLUMNS], sizeof *recoding->cuts, &recoding->cuts));
    for (unsigned a = 0; a < N_COLUMNS; a++)
        memcpy(recoding->cuts + recoding->first_cut[a], current->cuts[a],
               current->n_cuts[a] * sizeof *recoding->cuts);
    out->is_found = true;
    out->score = kan_score_whole(claimed);
    return KAN_OK;
}

static const kan_search_kind stand_in = {
    .kind = {.name = "stand-in", .summary = "answers what the test says"},
    .cuts = true,
    .search = answer_cuts,
};

/* ---- making --------------------------------------------------------------------------------- */

static void make_world(world *w) {
    static const char *const names[] = {"x", "y", "text", "class"};
    const size_t spread = 2 + below(w, 9);
    char k[16];
    w->n_rows = 1 + below(w, MOST_ROWS);
    w->k = 1 + (unsigned)below(w, w->n_rows < 5 ? w->n_rows : 5);
    EXPECT_OK(w->run, kan_table_create(w->run, N_COLUMNS + 1, names, &w->table));
    for (size_t row = 0; row < w->n_rows; row++) {
        const char *cells[N_COLUMNS + 1];
        snprintf(w->cells[row][0], TEXT, "%zu", below(w, spread));
        snprintf(w->cells[row][1], TEXT, "%d", (int)below(w, spread) * 7 - 20);
        snprintf(w->cells[row][2], TEXT, "t%zu", below(w, spread));
        snprintf(w->cells[row][3], TEXT, "c%zu", below(w, 2));
        for (int c = 0; c <= N_COLUMNS; c++)
            cells[c] = w->cells[row][c];
        EXPECT_OK(w->run, kan_table_add_row(w->table, cells));
    }
    snprintf(k, sizeof k, "%u", w->k);
    EXPECT_OK(w->run, kan_job_create(w->run, &w->job));
    EXPECT_OK(w->run, kan_job_use_table(w->job, w->table));
    EXPECT_OK(w->run, kan_job_set(w->job, "qi", "x,y,text"));
    EXPECT_OK(w->run, kan_job_set(w->job, "class", "class"));
    EXPECT_OK(w->run, kan_job_set(w->job, "k", k));
    EXPECT_OK(w->run, kan_job_set(w->job, "suppress", "all"));
    EXPECT_OK(w->run, kan_job_set(w->job, "algorithm", "greedy"));
    EXPECT_OK(w->run, kan_setup_make(w->job, &w->setup));
    w->setup.search = &stand_in;
    for (unsigned a = 0; a < N_COLUMNS; a++) {
        const size_t odds = 1 + below(w, 5);
        for (uint32_t place = 1; place < w->setup.domains[a]->n_places; place++)
            if (below(w, odds) == 0)
                w->cuts[a][w->n_cuts[a]++] = place;
    }
}

/* ---- counting by hand ----------------------------------------------------------------------- */

static int compare_numbers(const void *a, const void *b) {
    return (int)strtol(*(char *const *)a, NULL, 10) - (int)strtol(*(char *const *)b, NULL, 10);
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

typedef struct {
    size_t n_values;
    char *values[MOST_ROWS];    /* in order */
    size_t interval[MOST_ROWS]; /* by row */
    double share[MOST_ROWS];    /* by released row */
    bool is_value[MOST_ROWS];   /* by released row: shown as it is */
    char label[MOST_ROWS][MOST_ROWS * TEXT];
} counted_column;

static size_t interval_of(const world *w, unsigned a, size_t place) {
    size_t i = 0;
    while (i < w->n_cuts[a] && w->cuts[a][i] <= place)
        i++;
    return i;
}

static void count_column(world *w, unsigned a, counted_column *out) {
    char *all[MOST_ROWS];
    for (size_t row = 0; row < w->n_rows; row++)
        all[row] = w->cells[row][a];
    qsort(all, w->n_rows, sizeof *all, a < 2 ? compare_numbers : compare_texts);
    out->n_values = 0;
    for (size_t i = 0; i < w->n_rows; i++)
        if (i == 0 || strcmp(all[i], all[i - 1]) != 0)
            out->values[out->n_values++] = all[i];
    for (size_t row = 0; row < w->n_rows; row++) {
        size_t place = 0;
        while (strcmp(out->values[place], w->cells[row][a]) != 0)
            place++;
        out->interval[row] = interval_of(w, a, place);
    }
}

/* What a released row shows: made of the values of released rows in its interval alone. */
static void show_cell(const world *w, unsigned a, const bool *is_suppressed, size_t row,
                      counted_column *out) {
    const char *seen[MOST_ROWS];
    char *label = out->label[row];
    size_t n = 0;
    for (size_t i = 0; i < out->n_values; i++)
        for (size_t other = 0; other < w->n_rows; other++)
            if (!is_suppressed[other] && out->interval[other] == out->interval[row] &&
                strcmp(w->cells[other][a], out->values[i]) == 0) {
                seen[n++] = out->values[i];
                break;
            }
    const char *least = seen[0], *greatest = seen[n - 1];
    const bool is_whole = w->n_cuts[a] == 0, has_hyphen = least[0] == '-' || greatest[0] == '-';
    out->is_value[row] = n == 1;
    if (n == 1 || is_whole) {
        strcpy(label, n == 1 ? least : "*");
    } else if (a < 2) {
        snprintf(label, sizeof out->label[row], "[%s%s%s]", least, has_hyphen ? ".." : "-",
                 greatest);
    } else {
        strcpy(label, "{");
        for (size_t i = 0; i < n; i++)
            strcat(strcat(label, i ? ", " : ""), seen[i]);
        strcat(label, "}");
    }
    const double covered =
        a < 2 ? (double)(strtol(greatest, NULL, 10) - strtol(least, NULL, 10)) : (double)(n - 1);
    const double whole = a < 2 ? (double)(strtol(out->values[out->n_values - 1], NULL, 10) -
                                          strtol(out->values[0], NULL, 10))
                               : (double)(out->n_values - 1);
    out->share[row] = n == 1 ? 0 : is_whole ? 1 : covered / whole;
}

typedef struct {
    size_t n_groups, n_suppressed;
    bool is_suppressed[MOST_ROWS];
    double discernibility, classification, precision, ncp;
    counted_column columns[N_COLUMNS];
} counted;

static void count_all(world *w, counted *out) {
    counted_column *columns = out->columns;
    memset(out, 0, sizeof *out);
    for (unsigned a = 0; a < N_COLUMNS; a++)
        count_column(w, a, &columns[a]);
    for (size_t row = 0; row < w->n_rows; row++) {
        size_t n = 0, n_same_class = 0, first = w->n_rows;
        for (size_t other = 0; other < w->n_rows; other++) {
            bool is_same = true;
            for (unsigned a = 0; a < N_COLUMNS; a++)
                is_same &= columns[a].interval[row] == columns[a].interval[other];
            if (!is_same)
                continue;
            n++;
            n_same_class += strcmp(w->cells[row][3], w->cells[other][3]) == 0;
            first = other < first ? other : first;
        }
        out->is_suppressed[row] = n < w->k;
        out->n_suppressed += n < w->k;
        out->n_groups += n >= w->k && first == row;
        out->discernibility += n < w->k ? (double)w->n_rows : (double)n;
        /* a row of the smaller class, of which there are two */
        if (n < w->k)
            out->classification += 1;
        else if (first == row)
            out->classification +=
                (double)(n_same_class < n - n_same_class ? n_same_class : n - n_same_class);
    }
    for (size_t row = 0; row < w->n_rows; row++)
        for (unsigned a = 0; a < N_COLUMNS; a++) {
            const bool is_lost = out->is_suppressed[row];
            if (!is_lost)
                show_cell(w, a, out->is_suppressed, row, &columns[a]);
            out->ncp += is_lost ? 1 : columns[a].share[row];
            out->precision += is_lost ? 1 : columns[a].is_value[row] ? 0 : 1;
        }
    out->ncp /= (double)(w->n_rows * N_COLUMNS);
    out->precision /= (double)(w->n_rows * N_COLUMNS);
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

/* What each released row shows is what plain counting says. */
static void expect_labels(const world *w, const kan_solution *solution, const counted *truth) {
    for (unsigned a = 0; a < N_COLUMNS; a++) {
        const kan_hierarchy *h = solution->shown[a].hierarchy;
        const kan_column *column = &w->table->columns[a];
        for (size_t row = 0; row < w->n_rows; row++) {
            if (truth->is_suppressed[row])
                continue;
            const uint32_t leaf = h->leaf_of[kan_column_code(column, row)];
            const kan_slice label = h->levels[1].label[h->levels[1].from_leaf[leaf]];
            if (!kan_slice_is(label, truth->columns[a].label[row]))
                fail_msg("<%.*s> is not <%s>", (int)label.size, label.bytes,
                         truth->columns[a].label[row]);
        }
    }
}

static void expect_solution(world *w, const counted *truth) {
    kan_solution solution;
    uint8_t is_suppressed[MOST_ROWS];
    EXPECT_OK(w->run,
              kan_solution_find(&w->setup, &(kan_solution_wants){.release = false}, &solution));
    assert_int_equal(solution.groups.n_released_groups, truth->n_groups);
    assert_int_equal(solution.groups.n_suppressed, truth->n_suppressed);
    assert_null(solution.groups.levels);
    expect_metric(&solution, "discernibility", truth->discernibility);
    expect_metric(&solution, "classification", truth->classification);
    expect_metric(&solution, "ncp", truth->ncp);
    expect_metric(&solution, "precision", truth->precision);
    expect_metric(&solution, "distortion", truth->precision); /* every height is 1 */
    for (size_t i = 0; i < solution.n_metrics; i++)
        if (strcmp(solution.metrics[i].name, "height") == 0)
            assert_false(solution.metrics[i].is_known);
    EXPECT_OK(w->run, kan_solution_mark_rows(&solution, is_suppressed));
    for (size_t row = 0; row < w->n_rows; row++)
        assert_int_equal(is_suppressed[row], truth->is_suppressed[row]);
    expect_labels(w, &solution, truth);
    kan_solution_destroy(&solution);
}

static void one_solution(kan_run *run, uint64_t seed) {
    world *w = calloc(1, sizeof *w);
    counted *truth = malloc(sizeof *truth);
    kan_solution solution;
    assert_non_null(w);
    assert_non_null(truth);
    w->run = run;
    w->random = seed;
    make_world(w);
    count_all(w, truth);
    current = w;
    claimed = (kan_u128)truth->discernibility;
    expect_solution(w, truth);
    /* a search that is wrong about its cost is not believed */
    claimed++;
    assert_int_equal(
        kan_solution_find(&w->setup, &(kan_solution_wants){.release = false}, &solution),
        KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), "does not cost what the search says"));
    kan_solution_destroy(&solution);
    kan_setup_destroy(&w->setup);
    kan_job_destroy(w->job);
    kan_table_destroy(w->table);
    free(truth);
    free(w);
}

static void solutions_by_cuts_are_measured_as_plain_counting_does(void **state) {
    (void)state;
    random_rounds(400, one_solution);
}

/* ---- levels as cuts ------------------------------------------------------------------------- */

/* Cuts between the groups of a level are that level: same groups, same labels, same costs. */
static void cuts_between_the_groups_of_a_level_are_that_level(void **state) {
    (void)state;
    static const char *const names[] = {"age"};
    static const char *const groups[] = {"0-4", "5-9", "10-14", "15-19"};
    kan_run *run = kan_run_create();
    world *w = calloc(1, sizeof *w);
    kan_solution solution;
    assert_non_null(w);
    EXPECT_OK(run, kan_table_create(run, 1, names, &w->table));
    for (int age = 0; age < 20; age++) {
        char text[TEXT];
        const char *cell = text;
        snprintf(text, sizeof text, "%d", age);
        EXPECT_OK(run, kan_table_add_row(w->table, &cell));
    }
    EXPECT_OK(run, kan_job_create(run, &w->job));
    EXPECT_OK(run, kan_job_use_table(w->job, w->table));
    EXPECT_OK(run, kan_job_set(w->job, "qi", "age=intervals:5,10"));
    EXPECT_OK(run, kan_job_set(w->job, "k", "5"));
    EXPECT_OK(run, kan_job_set(w->job, "algorithm", "greedy"));
    EXPECT_OK(run, kan_setup_make(w->job, &w->setup));
    assert_true(w->setup.domains[0]->has_tree);
    EXPECT_OK(run, kan_solution_find(&w->setup, &(kan_solution_wants){.release = true}, &solution));
    const kan_level *level = &solution.shown[0].hierarchy->levels[1];
    assert_int_equal(level->n_groups, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(kan_slice_is(level->label[i], groups[i]));
    expect_metric(&solution, "discernibility", 100);
    expect_metric(&solution, "precision", 1.0 / 3);
    expect_metric(&solution, "distortion", 1.0 / 3);
    expect_metric(&solution, "ncp", 4.0 / 19);
    kan_solution_destroy(&solution);
    kan_setup_destroy(&w->setup);
    kan_job_destroy(w->job);
    kan_table_destroy(w->table);
    free(w);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(solutions_by_cuts_are_measured_as_plain_counting_does,
                                  random_tear_down),
        cmocka_unit_test(cuts_between_the_groups_of_a_level_are_that_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
