/* Releases by cuts and by local recoding of random tables, and by levels where people are counted, as whoever receives them sees them: no
 * cell, and no line of the summary, holds a value that only suppressed rows have. Values are texts
 * that are not part of anything else; names of nodes and bounds of bins are not among them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "support/random_problem.h"

enum { N_QUASI = 4, NUMBER = 0, DATE = 1, WORD = 2, OTHER = 3, MOST_ROWS = 60, TEXT = 24 };

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_rows;
    /* The last two are the row's number, which is released, and whose it is. */
    char cells[MOST_ROWS][N_QUASI + 2][TEXT];
    bool has_bins, keeps_suppressed, counts_people;
    kan_table *table;
    kan_job *job;
    kan_result *result;
    const char *tree; /* path of a hierarchy of words; NULL: cuts */
    bool is_released[MOST_ROWS];
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- making --------------------------------------------------------------------------------- */

/* Mostly small: some values have many rows, others one. */
static size_t skewed(world *w, size_t bound) {
    const size_t first = below(w, bound);
    return below(w, first + 1);
}

static void make_table(world *w) {
    static const char *const names[] = {"number", "date", "word", "other", "row", "who"};
    const size_t spread = 2 + below(w, 8);
    w->n_rows = 6 + below(w, MOST_ROWS - 5);
    EXPECT_OK(w->run, kan_table_create(w->run, N_QUASI + 2, names, &w->table));
    for (size_t row = 0; row < w->n_rows; row++) {
        const char *cells[N_QUASI + 2];
        /* tens and five: never the bound of a bin or of a node */
        snprintf(w->cells[row][NUMBER], TEXT, "%zu", 505 + 10 * skewed(w, spread));
        snprintf(w->cells[row][DATE], TEXT, "200%zu-0%zu-17", below(w, 3),
                 1 + skewed(w, spread < 9 ? spread : 9));
        snprintf(w->cells[row][WORD], TEXT, "%c%zu7", "wxyz"[skewed(w, 4)], 2 + skewed(w, 4));
        snprintf(w->cells[row][OTHER], TEXT, "o%zuo", skewed(w, 1 + spread));
        snprintf(w->cells[row][N_QUASI], TEXT, "r%zu", row);
        snprintf(w->cells[row][N_QUASI + 1], TEXT, "h%zuh", below(w, 1 + w->n_rows / 2));
        for (int c = 0; c <= N_QUASI + 1; c++)
            cells[c] = w->cells[row][c];
        EXPECT_OK(w->run, kan_table_add_row(w->table, cells));
    }
}

static void set(world *w, const char *name, const char *value) {
    EXPECT_OK(w->run, kan_job_set(w->job, name, value));
}

static const char *const limits[] = {"1", "2", "10%", "30%", "all"};

/* A tree that calls two of its nodes *: they are shown as lists of values. */
static void put_tree(char *path) {
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    for (const char *letter = "wxyz"; *letter; letter++)
        for (int i = 2; i < 6; i++)
            fprintf(file, "%c%d7;%s;all\n", *letter, i, *letter == 'y' ? "why" : "*");
    assert_int_equal(fclose(file), 0);
}

static void make_local_job(world *w) {
    static const char *const searches[] = {"progressive", "top-down"};
    char k[TEXT], quasi[64];
    snprintf(k, sizeof k, "%zu", 2 + below(w, 4));
    snprintf(quasi, sizeof quasi, "word=%s", w->tree);
    w->keeps_suppressed = below(w, 2);
    EXPECT_OK(w->run, kan_job_create(w->run, &w->job));
    EXPECT_OK(w->run, kan_job_use_table(w->job, w->table));
    set(w, "qi", below(w, 2) ? "number=intervals:20,40@500" : "number");
    set(w, "qi", "date=date:month,year");
    set(w, "id", "who");
    set(w, "others", "keep");
    set(w, "qi", quasi);
    set(w, "qi", "other");
    set(w, "k", k);
    set(w, "suppress", limits[below(w, 5)]);
    set(w, "algorithm", searches[below(w, 2)]);
    set(w, "threads", "1");
    if (w->keeps_suppressed)
        set(w, "keep-suppressed", NULL);
    if (below(w, 2))
        set(w, "shuffle", NULL);
}

static void make_job(world *w) {
    static const char *const searches[] = {"greedy", "hill-climb"};
    const bool has_tree = below(w, 2), by_nodes = has_tree && below(w, 2);
    char k[TEXT];
    snprintf(k, sizeof k, "%zu", 2 + below(w, 4));
    w->has_bins = !by_nodes && below(w, 2);
    w->keeps_suppressed = below(w, 2);
    EXPECT_OK(w->run, kan_job_create(w->run, &w->job));
    EXPECT_OK(w->run, kan_job_use_table(w->job, w->table));
    set(w, "qi", has_tree && !w->has_bins ? "number=intervals:20,40@500" : "number");
    set(w, "qi", has_tree ? "date=date:month,year" : "date");
    set(w, "id", "who");
    set(w, "others", "keep");
    set(w, "qi", has_tree ? "word=prefix:1" : "word");
    set(w, "qi", "other");
    set(w, "k", k);
    set(w, "suppress", limits[below(w, 5)]);
    const bool climbs = below(w, 2);
    set(w, "algorithm", searches[climbs]);
    if (climbs)
        set(w, "restarts", "2");
    set(w, "threads", "1");
    if (by_nodes)
        set(w, "recoding", "full-subtree");
    if (w->has_bins)
        set(w, "bins", "number=10@0");
    if (w->keeps_suppressed)
        set(w, "keep-suppressed", NULL);
    if (below(w, 2))
        set(w, "shuffle", NULL);
}

/* People by person, by row, or histories. */
static void make_people_job(world *w) {
    const size_t counts = below(w, 3);
    w->counts_people = true;
    char k[TEXT];
    snprintf(k, sizeof k, "%zu", 2 + below(w, 3));
    w->keeps_suppressed = below(w, 4) == 0;
    EXPECT_OK(w->run, kan_job_create(w->run, &w->job));
    EXPECT_OK(w->run, kan_job_use_table(w->job, w->table));
    set(w, "qi", below(w, 2) ? "number=intervals:20,40@500" : "number=frequency:2,4");
    set(w, "qi", "date=date:month,year");
    set(w, "qi", below(w, 2) ? "word=prefix:1" : "word=frequency:2,4");
    set(w, "qi", "other");
    set(w, "person", "who");
    set(w, "others", "keep");
    set(w, "k", k);
    set(w, "suppress", limits[below(w, 5)]);
    set(w, "threads", "1");
    if (counts == 1)
        set(w, "suppress-by", "row");
    if (counts == 2)
        set(w, "person-promise", "histories");
    if (w->keeps_suppressed)
        set(w, "keep-suppressed", NULL);
}

/* ---- what must hold ------------------------------------------------------------------------- */

static void copy_cell(const kan_table *table, uint64_t row, size_t column, char *out, size_t room) {
    size_t size;
    const char *value = kan_table_value(table, row, column, &size);
    assert_in_range(size, 0, room - 1);
    memcpy(out, value, size);
    out[size] = '\0';
}

/* Rows of nothing but * tell nothing, released or not. */
static void find_released(world *w, const kan_table *release) {
    for (uint64_t row = 0; row < kan_table_n_rows(release); row++) {
        char cell[MOST_ROWS * TEXT];
        bool is_star = true;
        for (size_t c = 0; c < N_QUASI; c++) {
            copy_cell(release, row, c, cell, sizeof cell);
            is_star &= strcmp(cell, "*") == 0;
        }
        copy_cell(release, row, N_QUASI, cell, sizeof cell);
        if (strcmp(cell, "*") == 0) { /* a suppressed row that was kept shows no more */
            assert_true(is_star && w->keeps_suppressed);
            continue;
        }
        /* of levels that are all stars the summary has an example */
        w->is_released[strtoul(cell + 1, NULL, 10)] = !is_star || w->counts_people;
    }
}

static bool has_released(const world *w, size_t column, const char *value) {
    for (size_t row = 0; row < w->n_rows; row++)
        if (w->is_released[row] && strcmp(w->cells[row][column], value) == 0)
            return true;
    return false;
}

/* Of [510-539] the first and the last bin have released rows. */
static void expect_bins(const world *w, const char *label) {
    int first, last;
    char value[2][TEXT];
    if (sscanf(label, "[%d-%d]", &first, &last) != 2)
        return;
    snprintf(value[0], TEXT, "%d", first + 5);
    snprintf(value[1], TEXT, "%d", last - 4);
    if (!has_released(w, NUMBER, value[0]) || !has_released(w, NUMBER, value[1]))
        fail_msg("<%s> has a bound of no released row", label);
}

static void expect_nothing_hidden(const world *w, const kan_table *release) {
    const char *summary = kan_result_summary(w->result);
    for (size_t c = 0; c < N_QUASI; c++)
        for (size_t hidden = 0; hidden < w->n_rows; hidden++) {
            const char *value = w->cells[hidden][c];
            if (has_released(w, c, value))
                continue;
            for (uint64_t row = 0; row < kan_table_n_rows(release); row++) {
                char cell[MOST_ROWS * TEXT];
                copy_cell(release, row, c, cell, sizeof cell);
                if (strstr(cell, value))
                    fail_msg("<%s> holds <%s>, which no released row has", cell, value);
            }
            /* counts and times may look like a number of ours */
            if (c != NUMBER && strstr(summary, value))
                fail_msg("the summary names <%s>, which no released row has:\n%s", value, summary);
        }
    for (uint64_t row = 0; row < kan_table_n_rows(release) && w->has_bins; row++) {
        char cell[MOST_ROWS * TEXT];
        copy_cell(release, row, NUMBER, cell, sizeof cell);
        expect_bins(w, cell);
    }
}

static void one_release_with(kan_run *run, uint64_t seed, void (*make)(world *w),
                             const char *tree) {
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->run = run;
    w->random = seed;
    w->tree = tree;
    make_table(w);
    make(w);
    const kan_status status = kan_job_run(w->job, "anonymize", &w->result);
    if (status == KAN_OK) {
        find_released(w, kan_result_table(w->result));
        expect_nothing_hidden(w, kan_result_table(w->result));
    } else if (status != KAN_UNSATISFIED && !strstr(kan_run_error(run), "has only")) {
        fail_msg("%s", kan_run_error(run));
    }
    kan_result_destroy(w->result);
    kan_job_destroy(w->job);
    kan_table_destroy(w->table);
    free(w);
}

static void one_release(kan_run *run, uint64_t seed) {
    one_release_with(run, seed, make_job, NULL);
}

static void one_people_release(kan_run *run, uint64_t seed) {
    one_release_with(run, seed, make_people_job, NULL);
}

static void one_local_release(kan_run *run, uint64_t seed) {
    char path[] = "/tmp/kanon-hidden-XXXXXX";
    put_tree(path);
    one_release_with(run, seed, make_local_job, path);
    assert_int_equal(unlink(path), 0);
}

static void a_local_release_holds_no_value_that_only_suppressed_rows_have(void **state) {
    (void)state;
    random_rounds(300, one_local_release);
}

static void
a_release_that_counts_people_holds_no_value_that_only_suppressed_rows_have(void **state) {
    (void)state;
    random_rounds(300, one_people_release);
}

static void a_release_holds_no_value_that_only_suppressed_rows_have(void **state) {
    (void)state;
    random_rounds(300, one_release);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_release_holds_no_value_that_only_suppressed_rows_have,
                                  random_tear_down),
        cmocka_unit_test_teardown(a_local_release_holds_no_value_that_only_suppressed_rows_have,
                                  random_tear_down),
        cmocka_unit_test_teardown(
            a_release_that_counts_people_holds_no_value_that_only_suppressed_rows_have,
            random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
