/* Utility on random tables against all completions: every way in which the cells of the released
 * rows can be filled with values that they stand for is written down and queried as a plain table.
 * COUNT and SUM must be the mean over all of them, AVG the quotient of these means, MIN and MAX the
 * least and greatest answer of any, and a query matches when no row depends on how it is filled. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/workload/workload.h"
#include "core/hash.h"
#include "support/random_problem.h"

enum {
    COLUMNS = 3,
    MOST_ROWS = 4,
    MOST_ORIGINAL = 8,
    MOST_VALUES = 12,
    TEXT = 24,
    LABEL = 160,
    MOST_QUERIES = 6,
    MOST_PREDICATES = 4,
    MOST_LIST = 3
};

/* Column 0: whole numbers, some unknown. Column 1: tenths. Column 2: text, with a hierarchy. */
static const char *const names[COLUMNS] = {"n", "tenth", "t"};

typedef char value_text[TEXT];

typedef struct {
    size_t n; /* values that it stands for */
    value_text values[MOST_VALUES];
    char label[LABEL];
} cell;

typedef struct {
    int column, comparison; /* kan_comparison */
    size_t n;
    value_text constants[MOST_LIST];
} predicate;

typedef struct {
    kan_aggregate aggregate;
    int column;
    size_t n_predicates;
    predicate predicates[MOST_PREDICATES];
} query;

typedef struct {
    kan_run *run;
    uint64_t random;
    size_t n_original, n_released, n_queries, n_distinct[COLUMNS];
    value_text original[MOST_ORIGINAL][COLUMNS];
    value_text distinct[COLUMNS][MOST_ORIGINAL];
    cell released[MOST_ROWS][COLUMNS];
    query queries[MOST_QUERIES];
    kan_table *tables[2];
    kan_hierarchy *hierarchy;
    kan_workload *workload;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- making --------------------------------------------------------------------------------- */

static void random_value(world *w, int column, char *out) {
    static const char *const texts[] = {"a", "b", "c, d", "\"q\"", "e"};
    if (column == 0 && below(w, 7) == 0)
        snprintf(out, TEXT, "%s", below(w, 2) ? "?" : "");
    else if (column == 0)
        snprintf(out, TEXT, "%d", (int)below(w, 7) - 2);
    else if (column == 1)
        snprintf(out, TEXT, "%.1f", (double)below(w, 6) / 10);
    else
        snprintf(out, TEXT, "%s", texts[below(w, 5)]);
}

static void make_original(world *w) {
    w->n_original = 1 + below(w, MOST_ORIGINAL);
    for (int c = 0; c < COLUMNS; c++)
        for (size_t row = 0; row < w->n_original; row++) {
            size_t same = 0;
            char *value = w->original[row][c];
            random_value(w, c, value);
            if (row == 0 && c < 2) /* numbers, and with tenths among them */
                strcpy(value, c == 0 ? "1" : "0.3");
            while (same < w->n_distinct[c] && strcmp(w->distinct[c][same], value) != 0)
                same++;
            if (same == w->n_distinct[c])
                memcpy(w->distinct[c][w->n_distinct[c]++], value, TEXT);
        }
}

static void add_value(cell *to, const char *value) {
    const size_t size = strlen(value);
    assert_true(size < TEXT && to->n < MOST_VALUES);
    memcpy(to->values[to->n++], value, size + 1);
}

static void make_range(world *w, int column, cell *to) {
    const int lo = column == 0 ? (int)below(w, 6) - 2 : (int)below(w, 5);
    const int hi = lo + 1 + (int)below(w, 3);
    for (int i = lo; i <= hi; i++) {
        value_text value;
        snprintf(value, TEXT, column == 0 ? "%.0f" : "%.1f", column == 0 ? i : i / 10.0);
        add_value(to, value);
    }
    snprintf(to->label, LABEL, lo < 0 ? "[%s..%s]" : "[%s-%s]", to->values[0],
             to->values[to->n - 1]);
}

/* Items in quotes, doubled inside. */
static void make_list(world *w, int column, cell *to) {
    size_t used = (size_t)snprintf(to->label, LABEL, "{");
    for (size_t i = 0; i < w->n_distinct[column]; i++) {
        const char *value = w->distinct[column][i];
        if (i > 0 && below(w, 2))
            continue;
        used += (size_t)snprintf(to->label + used, LABEL - used, "%s\"", to->n ? ", " : "");
        for (; *value; value++)
            used += (size_t)snprintf(to->label + used, LABEL - used, "%s%c",
                                     *value == '"' ? "\"" : "", *value);
        used += (size_t)snprintf(to->label + used, LABEL - used, "\"");
        add_value(to, w->distinct[column][i]);
    }
    snprintf(to->label + used, LABEL - used, "}");
}

/* The hierarchy has two nodes: values before "c", and the rest. */
static bool is_early(const char *value) {
    return strcmp(value, "a") == 0 || strcmp(value, "b") == 0;
}

static void make_node(world *w, cell *to) {
    const bool wants_early = is_early(w->distinct[2][0]);
    for (size_t i = 0; i < w->n_distinct[2]; i++)
        if (is_early(w->distinct[2][i]) == wants_early)
            add_value(to, w->distinct[2][i]);
    snprintf(to->label, LABEL, "%s", wants_early ? "early" : "late");
}

static void make_cell(world *w, int column, cell *to) {
    const size_t way = below(w, 6);
    *to = (cell){.n = 0};
    if (way == 0) {
        for (size_t i = 0; i < w->n_distinct[column]; i++)
            add_value(to, w->distinct[column][i]);
        snprintf(to->label, LABEL, "*");
    } else if (way == 1) {
        make_list(w, column, to);
    } else if (way == 2 && column == 2) {
        make_node(w, to);
    } else if (way <= 3 && column < 2) {
        make_range(w, column, to);
    } else {
        add_value(to, w->distinct[column][below(w, w->n_distinct[column])]);
        memcpy(to->label, to->values[0], TEXT);
    }
}

static void make_predicate(world *w, predicate *p) {
    p->column = (int)below(w, COLUMNS);
    p->comparison = (int)(p->column == 2 ? KAN_IS_IN : below(w, 6));
    p->n = p->comparison == KAN_IS_BETWEEN ? 2
           : p->comparison == KAN_IS_IN    ? 1 + below(w, MOST_LIST)
                                           : 1;
    for (size_t i = 0; i < p->n; i++)
        do
            random_value(w, p->column, p->constants[i]);
        while (p->comparison != KAN_IS_IN && (*p->constants[i] == '?' || !*p->constants[i]));
    if (p->comparison == KAN_IS_BETWEEN && atof(p->constants[0]) > atof(p->constants[1])) {
        value_text swap;
        memcpy(swap, p->constants[0], TEXT);
        memcpy(p->constants[0], p->constants[1], TEXT);
        memcpy(p->constants[1], swap, TEXT);
    }
}

static size_t write_constant(char *out, size_t room, const char *value) {
    size_t used = (size_t)snprintf(out, room, "\"");
    for (; *value; value++)
        used +=
            (size_t)snprintf(out + used, room - used, "%s%c", *value == '"' ? "\"" : "", *value);
    return used + (size_t)snprintf(out + used, room - used, "\"");
}

static size_t write_predicate(const predicate *p, char *out, size_t room) {
    static const char *const signs[] = {"IN (", "< ", "<= ", "> ", ">= ", "BETWEEN "};
    size_t used = (size_t)snprintf(out, room, "%s %s", names[p->column], signs[p->comparison]);
    for (size_t i = 0; i < p->n; i++) {
        if (i > 0)
            used += (size_t)snprintf(out + used, room - used, "%s",
                                     p->comparison == KAN_IS_IN ? ", " : " AND ");
        used += write_constant(out + used, room - used, p->constants[i]);
    }
    return used +
           (size_t)snprintf(out + used, room - used, "%s", p->comparison == KAN_IS_IN ? ")" : "");
}

static void make_workload(world *w) {
    char text[8192], path[64];
    size_t used = 0;
    w->n_queries = 1 + below(w, MOST_QUERIES);
    for (size_t i = 0; i < w->n_queries; i++) {
        query *q = &w->queries[i];
        q->aggregate = (kan_aggregate)below(w, 5);
        q->column = (int)below(w, 2);
        q->n_predicates = below(w, MOST_PREDICATES + 1);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s",
                                 kan_aggregate_name(q->aggregate));
        if (q->aggregate != KAN_AGGREGATE_COUNT)
            used += (size_t)snprintf(text + used, sizeof text - used, "(%s)", names[q->column]);
        for (size_t p = 0; p < q->n_predicates; p++) {
            make_predicate(w, &q->predicates[p]);
            used += (size_t)snprintf(text + used, sizeof text - used, p ? " AND " : " WHERE ");
            used += write_predicate(&q->predicates[p], text + used, sizeof text - used);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    assert_true(used < sizeof text);
    const int file = memfd_create("queries", 0);
    assert_true(file >= 0 && write(file, text, used) == (ssize_t)used);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    EXPECT_OK(w->run, kan_workload_read(w->run, path, &w->workload));
    close(file);
}

static void make_tables(world *w) {
    const char *fields[COLUMNS];
    for (int t = 0; t < 2; t++) {
        EXPECT_OK(w->run, kan_table_create(w->run, COLUMNS, names, &w->tables[t]));
        for (size_t row = 0; row < (t == 0 ? w->n_original : w->n_released); row++) {
            for (int c = 0; c < COLUMNS; c++)
                fields[c] = t == 0 ? w->original[row][c] : w->released[row][c].label;
            EXPECT_OK(w->run, kan_table_add_row(w->tables[t], fields));
        }
        EXPECT_OK(w->run, kan_table_seal(w->tables[t]));
    }
}

static void make_hierarchy(world *w) {
    kan_hierarchy_lines *lines;
    kan_problems_begin(w->run);
    EXPECT_OK(w->run, kan_hierarchy_lines_create(w->run, "lines", &lines));
    for (size_t i = 0; i < w->n_distinct[2]; i++) {
        const char *value = w->distinct[2][i];
        const kan_slice fields[] = {kan_slice_of(value),
                                    kan_slice_of(is_early(value) ? "early" : "late"),
                                    kan_slice_of("*")};
        EXPECT_OK(w->run, kan_hierarchy_lines_add(lines, i + 1, fields, 3));
    }
    EXPECT_OK(w->run, kan_hierarchy_bind(lines, &w->tables[0]->columns[2], &w->hierarchy));
    kan_hierarchy_lines_destroy(lines);
}

/* ---- the oracle ----------------------------------------------------------------------------- */

static bool is_unknown(const char *value) {
    return !*value || strcmp(value, "?") == 0;
}

static bool satisfies(const predicate *p, const char *value) {
    const bool is_number = p->column < 2;
    const double x = atof(value), a = atof(p->constants[0]), b = atof(p->constants[1]);
    if (p->comparison == KAN_IS_IN) {
        for (size_t i = 0; i < p->n; i++)
            if (strcmp(value, p->constants[i]) == 0 ||
                (is_number && !is_unknown(value) && !is_unknown(p->constants[i]) &&
                 x == atof(p->constants[i])))
                return true;
        return false;
    }
    if (is_unknown(value))
        return false;
    switch (p->comparison) {
    case KAN_IS_BELOW:
        return x < a;
    case KAN_IS_AT_MOST:
        return x <= a;
    case KAN_IS_ABOVE:
        return x > a;
    case KAN_IS_AT_LEAST:
        return x >= a;
    default:
        return x >= a && x <= b;
    }
}

typedef struct {
    double n_rows, n_known, sum, least, greatest;
} plain_answer;

/* Asks a plain table: rows[row][column]. */
static void ask(const query *q, const char *rows[][COLUMNS], size_t n, plain_answer *out) {
    *out = (plain_answer){0, 0, 0, INFINITY, -INFINITY};
    for (size_t row = 0; row < n; row++) {
        bool is_in = true;
        for (size_t p = 0; p < q->n_predicates; p++)
            is_in = is_in && satisfies(&q->predicates[p], rows[row][q->predicates[p].column]);
        const char *value = rows[row][q->column];
        out->n_rows += is_in;
        if (!is_in || is_unknown(value))
            continue;
        out->n_known++;
        out->sum += atof(value);
        out->least = fmin(out->least, atof(value));
        out->greatest = fmax(out->greatest, atof(value));
    }
}

static bool has_answer(const query *q, const plain_answer *answer) {
    return q->aggregate == KAN_AGGREGATE_COUNT || q->aggregate == KAN_AGGREGATE_SUM ||
           answer->n_known > 0;
}

static double answer_of(const query *q, const plain_answer *answer) {
    switch (q->aggregate) {
    case KAN_AGGREGATE_COUNT:
        return answer->n_rows;
    case KAN_AGGREGATE_SUM:
        return answer->sum;
    case KAN_AGGREGATE_AVG:
        return answer->sum / answer->n_known;
    case KAN_AGGREGATE_MIN:
        return answer->least;
    default:
        return answer->greatest;
    }
}

/* The means over all completions of the first n released rows, and the extremes of any. */
static void ask_completions(const world *w, const query *q, size_t n, plain_answer *out) {
    const char *rows[MOST_ROWS][COLUMNS];
    size_t at[MOST_ROWS * COLUMNS] = {0}, digit = 0;
    double n_completions = 0;
    *out = (plain_answer){0, 0, 0, INFINITY, -INFINITY};
    do {
        plain_answer one;
        for (size_t i = 0; i < n * COLUMNS; i++)
            rows[i / COLUMNS][i % COLUMNS] = w->released[i / COLUMNS][i % COLUMNS].values[at[i]];
        ask(q, rows, n, &one);
        n_completions++;
        out->n_rows += one.n_rows;
        out->n_known += one.n_known;
        out->sum += one.sum;
        out->least = fmin(out->least, one.least);
        out->greatest = fmax(out->greatest, one.greatest);
        for (digit = 0; digit < n * COLUMNS; digit++) {
            if (++at[digit] < w->released[digit / COLUMNS][digit % COLUMNS].n)
                break;
            at[digit] = 0;
        }
    } while (digit < n * COLUMNS);
    out->n_rows /= n_completions;
    out->n_known /= n_completions;
    out->sum /= n_completions;
}

/* No row is in by one completion and out by another. */
static bool is_matched(const world *w, const query *q) {
    for (size_t row = 0; row < w->n_released; row++) {
        const char *values[1][COLUMNS];
        const cell *cells = w->released[row];
        bool was_in = false, was_out = false;
        for (size_t i = 0; i < cells[0].n * cells[1].n * cells[2].n; i++) {
            plain_answer one;
            values[0][0] = cells[0].values[i % cells[0].n];
            values[0][1] = cells[1].values[i / cells[0].n % cells[1].n];
            values[0][2] = cells[2].values[i / cells[0].n / cells[1].n];
            ask(q, values, 1, &one);
            was_in = was_in || one.n_rows > 0;
            was_out = was_out || one.n_rows == 0;
        }
        if (was_in && was_out)
            return false;
    }
    return true;
}

static size_t count_matched_predicates(const world *w, const query *q) {
    size_t n = 0;
    for (size_t p = 0; p < q->n_predicates; p++) {
        query alone = {.n_predicates = 1};
        alone.predicates[0] = q->predicates[p];
        n += is_matched(w, &alone);
    }
    return n;
}

/* ---- the claim ------------------------------------------------------------------------------ */

static void expect_equal(const char *what, size_t i, bool has, double value, bool has_expected,
                         double expected) {
    if (has != has_expected || (has && fabs(value - expected) > 1e-9))
        fail_msg("query %zu: %s is %g (%d), not %g (%d)", i + 1, what, value, has, expected,
                 has_expected);
}

static void check_query(const world *w, size_t i, const kan_query_result *result) {
    const query *q = &w->queries[i];
    const char *rows[MOST_ORIGINAL][COLUMNS];
    plain_answer truth, estimate;
    for (size_t row = 0; row < w->n_original; row++)
        for (int c = 0; c < COLUMNS; c++)
            rows[row][c] = w->original[row][c];
    ask(q, rows, w->n_original, &truth);
    ask_completions(w, q, w->n_released, &estimate);
    expect_equal("the truth", i, result->has_truth, result->truth, has_answer(q, &truth),
                 answer_of(q, &truth));
    expect_equal("the estimate", i, result->has_estimate, result->estimate,
                 has_answer(q, &estimate), answer_of(q, &estimate));
    assert_int_equal(result->matches, is_matched(w, q));
    assert_int_equal(result->n_matching, count_matched_predicates(w, q));
    if (result->has_truth && result->has_estimate && result->truth == result->estimate)
        assert_true(result->error == 0);
}

/* Completions of all rows together: few enough to be written down. */
static void make_released(world *w) {
    double n_completions = 1;
    const size_t most = 1 + below(w, MOST_ROWS);
    while (w->n_released < most) {
        double n = 1;
        for (int c = 0; c < COLUMNS; c++) {
            make_cell(w, c, &w->released[w->n_released][c]);
            n *= (double)w->released[w->n_released][c].n;
        }
        if (w->n_released > 0 && n_completions * n > 5000)
            break;
        n_completions *= n;
        w->n_released++;
    }
}

static void one_world(kan_run *run, uint64_t seed) {
    static world made; /* large */
    world *w = &made;
    kan_asked_column columns[COLUMNS];
    kan_utility utility;
    memset(w, 0, sizeof *w);
    w->run = run;
    w->random = seed;
    make_original(w);
    make_released(w);
    make_workload(w);
    make_tables(w);
    make_hierarchy(w);
    kan_problems_begin(run);
    for (uint32_t name = 0; name < w->workload->n_names; name++) {
        size_t at;
        const kan_column *original = kan_table_find(w->tables[0], w->workload->names[name], &at);
        kan_workload_check(w->workload, name, original);
        columns[name] = (kan_asked_column){.original = original,
                                           .released = &w->tables[1]->columns[at],
                                           .hierarchy = at == 2 ? w->hierarchy : NULL};
    }
    EXPECT_OK(run, kan_problems_end(run));
    const kan_utility_question question = {.workload = w->workload,
                                           .columns = columns,
                                           .n_original = w->n_original,
                                           .n_released = w->n_released,
                                           .release_name = "release"};
    EXPECT_OK(run, kan_utility_measure(run, &question, &utility));
    for (size_t i = 0; i < w->n_queries; i++)
        check_query(w, i, &utility.results[i]);
    kan_utility_destroy(&utility);
    kan_hierarchy_destroy(w->hierarchy);
    kan_workload_destroy(w->workload);
    kan_table_destroy(w->tables[0]);
    kan_table_destroy(w->tables[1]);
}

static void estimates_are_the_mean_over_all_completions(void **state) {
    (void)state;
    random_rounds(800, one_world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(estimates_are_the_mean_over_all_completions, random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
