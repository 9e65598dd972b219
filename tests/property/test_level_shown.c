/* --level with searches that cut, cut into regions, or recode locally: on random tables no released
 * value is coarser than the highest level of its column, nor, where nodes are shown, finer than the
 * lowest. What a label stands for is read from its text alone. And the best cuts within the bounds
 * are those that trying all of them finds. */
#include <jansson.h>
#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/random_problem.h"

/* Two columns: numbers below 32 in intervals of 4, 8 and 16, and texts t0 to t11, three of which
 * are a g and six an h. */
enum { MOST_ROWS = 70, N_NUMBERS = 32, N_TEXTS = 12, MOST_VALUES = 32, N_LEVELS = 2 };

static const int number_widths[] = {1, 4, 8, 16, N_NUMBERS}; /* by level; the last is * */
static const int text_widths[] = {1, 3, 6, N_TEXTS};
static const int tops[] = {4, 3};

typedef struct {
    kan_run *run;
    uint64_t random;
    int n_rows, n_numbers, n_texts, k, limit;
    int cells[MOST_ROWS][2];
    int low[2], high[2];
    char path[64]; /* hierarchy of the texts */
    kan_table *table;
} world;

static int below(world *w, int bound) {
    return (int)kan_random_below(&w->random, (uint64_t)bound);
}

static int width_at(int column, int level) {
    return column == 0 ? number_widths[level] : text_widths[level];
}

/* The values that a value stands with at a level: a run of them. */
static void node_of(int column, int value, int level, int *first, int *end) {
    const int width = width_at(column, level), most = column == 0 ? N_NUMBERS : N_TEXTS;
    *first = value / width * width;
    *end = *first + width < most ? *first + width : most;
}

/* ---- making --------------------------------------------------------------------------------- */

static void put_hierarchy(world *w) {
    strcpy(w->path, "/tmp/kanon-shown-XXXXXX");
    FILE *file = fdopen(mkstemp(w->path), "w");
    assert_non_null(file);
    for (int value = 0; value < N_TEXTS; value++)
        fprintf(file, "t%d;g%d;h%d;*\n", value, value / 3, value / 6);
    assert_int_equal(fclose(file), 0);
}

static void make_world(world *w, kan_run *run, uint64_t seed, int most_rows, int n_values) {
    static const char *const names[] = {"n", "t", "row"};
    *w = (world){.run = run, .random = seed};
    w->n_rows = 4 + below(w, most_rows - 4);
    w->n_numbers = n_values < N_NUMBERS ? n_values : N_NUMBERS;
    w->n_texts = n_values < N_TEXTS ? n_values : N_TEXTS;
    w->k = 1 + below(w, 4);
    w->limit = below(w, 2) ? 0 : below(w, w->n_rows / 2);
    put_hierarchy(w);
    EXPECT_OK(run, kan_table_create(run, 3, names, &w->table));
    const int skew = 1 + below(w, 3);
    for (int row = 0; row < w->n_rows; row++) {
        char cells[3][16];
        const char *texts[3];
        w->cells[row][0] = below(w, 1 + below(w, w->n_numbers)) * skew % w->n_numbers;
        w->cells[row][1] = below(w, w->n_texts);
        snprintf(cells[0], sizeof cells[0], "%d", w->cells[row][0]);
        snprintf(cells[1], sizeof cells[1], "t%d", w->cells[row][1]);
        snprintf(cells[2], sizeof cells[2], "%d", row);
        for (int c = 0; c < 3; c++)
            texts[c] = cells[c];
        EXPECT_OK(run, kan_table_add_row(w->table, texts));
    }
}

static void end_world(world *w) {
    kan_table_destroy(w->table);
    unlink(w->path);
}

static void bound_levels(world *w, bool has_low) {
    for (int c = 0; c < 2; c++) {
        w->low[c] = has_low && below(w, 2) ? below(w, tops[c] + 1) : 0;
        w->high[c] = below(w, 3) ? w->low[c] + below(w, tops[c] - w->low[c] + 1) : tops[c];
    }
}

static kan_status run_job(world *w, const char *command, const char *search, const char *more,
                          kan_result **out) {
    char text[128];
    kan_job *job;
    EXPECT_OK(w->run, kan_job_create(w->run, &job));
    EXPECT_OK(w->run, kan_job_use_table(job, w->table));
    EXPECT_OK(w->run, kan_job_set(job, "qi", "n=intervals:4,8,16"));
    snprintf(text, sizeof text, "t=%s", w->path);
    EXPECT_OK(w->run, kan_job_set(job, "qi", text));
    EXPECT_OK(w->run, kan_job_set(job, "keep", "row"));
    EXPECT_OK(w->run, kan_job_set(job, "algorithm", search));
    snprintf(text, sizeof text, "%d", w->k);
    EXPECT_OK(w->run, kan_job_set(job, "k", text));
    snprintf(text, sizeof text, "%d", w->limit);
    EXPECT_OK(w->run, kan_job_set(job, "suppress", text));
    snprintf(text, sizeof text, "n=%d..%d", w->low[0], w->high[0]);
    EXPECT_OK(w->run, kan_job_set(job, "level", text));
    snprintf(text, sizeof text, "t=%d..%d", w->low[1], w->high[1]);
    EXPECT_OK(w->run, kan_job_set(job, "level", text));
    if (more) {
        const char *equals = strchr(more, '=');
        snprintf(text, sizeof text, "%.*s", (int)(equals - more), more);
        EXPECT_OK(w->run, kan_job_set(job, text, equals + 1));
    }
    const kan_status status = kan_job_run(job, command, out);
    kan_job_destroy(job);
    return status;
}

/* ---- what a label stands for ---------------------------------------------------------------- */

static void take(bool *stands_for, int first, int end) {
    for (int value = first; value < end; value++)
        stands_for[value] = true;
}

static void read_number(const char *label, bool *stands_for) {
    int first, last;
    if (strcmp(label, "*") == 0)
        take(stands_for, 0, N_NUMBERS);
    else if (sscanf(label, "[%d-%d]", &first, &last) == 2 ||
             sscanf(label, "%d-%d", &first, &last) == 2)
        take(stands_for, first, last + 1);
    else
        take(stands_for, atoi(label), atoi(label) + 1);
}

static void read_text(const char *label, bool *stands_for) {
    if (strcmp(label, "*") == 0)
        take(stands_for, 0, N_TEXTS);
    else if (label[0] == 'g')
        take(stands_for, atoi(label + 1) * 3, atoi(label + 1) * 3 + 3);
    else if (label[0] == 'h')
        take(stands_for, atoi(label + 1) * 6, atoi(label + 1) * 6 + 6);
    else
        for (const char *at = strchr(label, 't'); at; at = strchr(at + 1, 't'))
            take(stands_for, atoi(at + 1), atoi(at + 1) + 1);
}

static int row_number(const kan_table *shown, uint64_t row) {
    char text[16];
    size_t size;
    const char *bytes = kan_table_value(shown, row, 2, &size);
    assert_true(size < sizeof text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    return atoi(text);
}

static void expect_cell(const world *w, const kan_table *shown, uint64_t row, int column,
                        bool shows_nodes) {
    char label[512];
    const int value = w->cells[row_number(shown, row)][column];
    bool stands_for[MOST_VALUES + 1] = {false};
    size_t size;
    int first, end;
    const char *bytes = kan_table_value(shown, row, (size_t)column, &size);
    assert_true(size < sizeof label);
    memcpy(label, bytes, size);
    label[size] = '\0';
    if (column == 0)
        read_number(label, stands_for);
    else
        read_text(label, stands_for);
    assert_true(stands_for[value]);
    node_of(column, value, w->high[column], &first, &end);
    for (int v = 0; v < (column == 0 ? N_NUMBERS : N_TEXTS); v++)
        if (stands_for[v] && (v < first || v >= end))
            fail_msg("%s is coarser than level %d", label, w->high[column]);
    node_of(column, value, w->low[column], &first, &end);
    for (int v = first; shows_nodes && v < end; v++)
        if (!stands_for[v])
            fail_msg("%s is finer than level %d", label, w->low[column]);
}

static bool is_alike(const kan_table *shown, uint64_t row, uint64_t other) {
    for (size_t c = 0; c < 2; c++) {
        size_t size, other_size;
        const char *here = kan_table_value(shown, row, c, &size);
        const char *there = kan_table_value(shown, other, c, &other_size);
        if (size != other_size || memcmp(here, there, size) != 0)
            return false;
    }
    return true;
}

static void expect_release(const world *w, const kan_table *shown, bool shows_nodes) {
    const uint64_t n = kan_table_n_rows(shown);
    assert_true(n > 0 && n + (uint64_t)w->limit >= (uint64_t)w->n_rows);
    for (uint64_t row = 0; row < n; row++) {
        int n_alike = 0;
        for (uint64_t other = 0; other < n; other++)
            n_alike += is_alike(shown, row, other);
        assert_true(n_alike >= w->k);
        for (int c = 0; c < 2; c++)
            expect_cell(w, shown, row, c, shows_nodes);
    }
}

static size_t n_released, n_refused;

static void shown_on_one_table(kan_run *run, uint64_t seed) {
    static const struct {
        const char *search, *more;
        bool shows_nodes;
    } ways[] = {{"greedy", NULL, false},
                {"hill-climb", "restarts=4", false},
                {"genetic", "generations=4", false},
                {"anneal", "steps=3000", false},
                {"k-optimize", NULL, false},
                {"k-optimize-paper", NULL, false},
                {"greedy", "recoding=full-subtree", true},
                {"hill-climb", "recoding=full-subtree", true},
                {"k-optimize", "recoding=full-subtree", true},
                {"mondrian", NULL, false},
                {"mondrian", "ranges=global", false},
                {"mondrian", "categories=order", false},
                {"mondrian", "split=cost", false},
                {"mondrian-relaxed", NULL, false},
                {"mondrian-relaxed", "ranges=global", false},
                {"top-down", NULL, true},
                {"progressive", NULL, true},
                {"top-down", "improve=1", true}};
    world w;
    make_world(&w, run, seed, seed % 2 ? 12 : MOST_ROWS, seed % 3 ? 32 : 6);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        kan_result *result;
        bound_levels(&w, ways[i].shows_nodes);
        if (strncmp(ways[i].search, "mondrian", 8) == 0)
            w.limit = 0;
        const kan_status status = run_job(&w, "anonymize", ways[i].search, ways[i].more, &result);
        if (status != KAN_OK && status != KAN_UNSATISFIED)
            fail_msg("%s: %s", ways[i].search, kan_run_error(run));
        n_refused += status != KAN_OK;
        if (status != KAN_OK)
            continue;
        n_released++;
        expect_release(&w, kan_result_table(result), ways[i].shows_nodes);
        kan_result_destroy(result);
    }
    end_world(&w);
}

static void nothing_is_coarser_or_finer_than_its_levels(void **state) {
    (void)state;
    n_released = n_refused = 0;
    random_rounds(60, shown_on_one_table);
    assert_true(n_released > n_refused / 4);
}

/* ---- the best within the bounds ------------------------------------------------------------- */

typedef struct {
    int n;                  /* values that rows have */
    int value[MOST_VALUES]; /* ascending */
    unsigned n_sets;        /* 2 to the power of n - 1 */
} axis;

static void find_axis(const world *w, int column, axis *out) {
    bool is_there[MOST_VALUES + 1] = {false};
    out->n = 0;
    for (int row = 0; row < w->n_rows; row++)
        is_there[w->cells[row][column]] = true;
    for (int v = 0; v < MOST_VALUES; v++)
        if (is_there[v])
            out->value[out->n++] = v;
    out->n_sets = 1u << (out->n - 1);
}

static int level_of(int column, int value, int other) {
    int level = 0, first, end;
    for (;; level++) {
        node_of(column, value, level, &first, &end);
        if ((other >= first && other < end) || level == tops[column])
            return level;
    }
}

/* Whether values from .. to-1 of an axis may be one interval. */
static bool is_allowed(const world *w, int column, const axis *x, int from, int to, bool is_tree) {
    int first, end;
    if (level_of(column, x->value[from], x->value[to - 1]) > w->high[column])
        return false;
    if (!is_tree)
        return true;
    for (int level = w->low[column]; level <= w->high[column]; level++) {
        node_of(column, x->value[from], level, &first, &end);
        if (x->value[to - 1] < end && (from == 0 || x->value[from - 1] < first) &&
            (to == x->n || x->value[to] >= end))
            return true;
    }
    return false;
}

static bool set_is_allowed(const world *w, int column, const axis *x, unsigned set, bool is_tree) {
    for (int from = 0, to; from < x->n; from = to) {
        for (to = from + 1; to < x->n && !(set >> (to - 1) & 1);)
            to++;
        if (!is_allowed(w, column, x, from, to, is_tree))
            return false;
    }
    return true;
}

static int interval_of(const axis *x, unsigned set, int value) {
    int interval = 0;
    for (int i = 1; i < x->n && x->value[i] <= value; i++)
        interval += (int)(set >> (i - 1) & 1);
    return interval;
}

/* The discernibility of a pair of sets; -1 where more rows are lost than may be, or all. */
static long cost_of(const world *w, const axis *x, unsigned numbers, unsigned texts) {
    int rows[MOST_VALUES][MOST_VALUES] = {{0}}, n_lost = 0;
    long cost = 0;
    for (int row = 0; row < w->n_rows; row++)
        rows[interval_of(&x[0], numbers, w->cells[row][0])]
            [interval_of(&x[1], texts, w->cells[row][1])]++;
    for (int i = 0; i < MOST_VALUES; i++)
        for (int j = 0; j < MOST_VALUES; j++) {
            n_lost += rows[i][j] < w->k ? rows[i][j] : 0;
            cost += (long)rows[i][j] * (rows[i][j] < w->k ? w->n_rows : rows[i][j]);
        }
    return n_lost > w->limit || n_lost == w->n_rows ? -1 : cost;
}

static long best_of(const world *w, bool is_tree) {
    axis x[2];
    long best = -1;
    for (int c = 0; c < 2; c++)
        find_axis(w, c, &x[c]);
    for (unsigned numbers = 0; numbers < x[0].n_sets; numbers++) {
        if (!set_is_allowed(w, 0, &x[0], numbers, is_tree))
            continue;
        for (unsigned texts = 0; texts < x[1].n_sets; texts++) {
            if (!set_is_allowed(w, 1, &x[1], texts, is_tree))
                continue;
            const long cost = cost_of(w, x, numbers, texts);
            if (cost >= 0 && (best < 0 || cost < best))
                best = cost;
        }
    }
    return best;
}

static void best_on_one_table(kan_run *run, uint64_t seed) {
    static const char *const searches[] = {"k-optimize", "k-optimize-paper"};
    world w;
    make_world(&w, run, seed, 24, 7);
    for (int turn = 0; turn < 4; turn++) {
        const bool is_tree = turn % 2;
        bound_levels(&w, is_tree);
        const long best = best_of(&w, is_tree);
        for (int i = 0; i < 2; i++) {
            kan_result *result;
            const kan_status status = run_job(&w, "anonymize", searches[i],
                                              is_tree ? "recoding=full-subtree" : NULL, &result);
            assert_int_equal(status, best < 0 ? KAN_UNSATISFIED : KAN_OK);
            if (status != KAN_OK)
                continue;
            json_t *root = json_loads(kan_result_json(result), 0, NULL);
            assert_true(json_is_true(json_object_get(root, "optimal")));
            assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "metrics"),
                                                                "discernibility")),
                             best);
            json_decref(root);
            kan_result_destroy(result);
        }
    }
    end_world(&w);
}

static void the_best_cuts_are_those_of_brute_force(void **state) {
    (void)state;
    random_rounds(80, best_on_one_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nothing_is_coarser_or_finer_than_its_levels, random_tear_down),
        cmocka_unit_test_teardown(the_best_cuts_are_those_of_brute_force, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
