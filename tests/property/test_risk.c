/* Risk against naive recounts: rows are compared as texts, each with each, and every figure is
 * added up row by row from its definition. Labels are made with the values that they stand for, so
 * that the oracle reads none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/risk/risk.h"
#include "analyze/risk/risk_sensitive.h"
#include "data/hierarchies/hierarchy_lines.h"
#include "support/random_problem.h"

enum { ROWS = 40, PEOPLE = 70, COLUMNS = 3, VALUES = 8, LABELS = 12, TEXT = 24, SECRETS = 5 };

typedef char text[TEXT];

/* A text that a release may show, and the values that it stands for. */
typedef struct {
    text shown;
    bool holds[VALUES];
} label;

typedef struct {
    bool is_number, has_hierarchy;
    text values[VALUES];
    size_t n_labels;
    label labels[LABELS];
} column;

typedef struct {
    uint64_t random;
    size_t n_columns, n_rows, n_people;
    column columns[COLUMNS];
    size_t people[PEOPLE][COLUMNS]; /* values */
    size_t rows[ROWS][COLUMNS];     /* labels */
    size_t secrets[ROWS];
    uint64_t threshold;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- making random things ------------------------------------------------------------------- */

static label *add_label(column *c, const char *shown_as) {
    label *made = &c->labels[c->n_labels++];
    snprintf(made->shown, TEXT, "%s", shown_as);
    return made;
}

/* Values 1 .. 8 or a .. h; the values themselves, some of them; ranges, lists, nodes; and *. */
static void make_column(world *w, column *c) {
    c->is_number = below(w, 2);
    c->has_hierarchy = !c->is_number && below(w, 3);
    for (size_t v = 0; v < VALUES; v++)
        snprintf(c->values[v], TEXT, "%c", (c->is_number ? '1' : 'a') + (int)v);
    text shown_as;
    for (size_t i = 0; i < 3; i++) {
        /* With the hierarchy below, h is the label of g and h as well. */
        const size_t v = below(w, VALUES - 1);
        snprintf(shown_as, TEXT, "%c", c->values[v][0]);
        add_label(c, shown_as)->holds[v] = true;
    }
    for (size_t i = 0; i < 3; i++) {
        const size_t first = below(w, VALUES - 1), last = first + 1 + below(w, VALUES - 1 - first);
        snprintf(shown_as, TEXT, c->is_number ? "[%c-%c]" : "{%c, %c}", c->values[first][0],
                 c->values[last][0]);
        label *made = add_label(c, shown_as);
        for (size_t v = first; v <= last; v++)
            made->holds[v] = c->is_number || v == first || v == last;
    }
    label *star = add_label(c, "*");
    memset(star->holds, 1, sizeof star->holds);
    if (!c->has_hierarchy)
        return;
    label *pair = add_label(c, "ab"), *last = add_label(c, "h");
    label *half = add_label(c, "a to d");
    pair->holds[0] = pair->holds[1] = last->holds[6] = last->holds[7] = true;
    for (size_t v = 0; v < 4; v++)
        half->holds[v] = true;
}

static void make_world(world *w, uint64_t seed) {
    memset(w, 0, sizeof *w);
    w->random = seed;
    w->n_columns = 1 + below(w, COLUMNS);
    w->n_people = 1 + below(w, PEOPLE);
    w->n_rows = 1 + below(w, ROWS);
    w->threshold = 1 + below(w, 8);
    const size_t n_shown = 1 + below(w, 10), n_values = 1 + below(w, VALUES);
    for (size_t c = 0; c < w->n_columns; c++)
        make_column(w, &w->columns[c]);
    for (size_t p = 0; p < w->n_people; p++)
        for (size_t c = 0; c < w->n_columns; c++)
            w->people[p][c] = below(w, n_values);
    for (size_t r = 0; r < w->n_rows; r++) {
        const bool is_star = below(w, 8) == 0;
        for (size_t c = 0; c < w->n_columns; c++)
            w->rows[r][c] = is_star ? 6 : below(w, n_shown) % w->columns[c].n_labels;
        w->secrets[r] = below(w, 1 + below(w, SECRETS));
    }
}

/* ---- the oracle ----------------------------------------------------------------------------- */

static const char *shown(const world *w, size_t row, size_t c) {
    return w->columns[c].labels[w->rows[row][c]].shown;
}

static bool is_alike(const world *w, size_t a, size_t b) {
    for (size_t c = 0; c < w->n_columns; c++)
        if (strcmp(shown(w, a, c), shown(w, b, c)) != 0)
            return false;
    return true;
}

static bool is_first(const world *w, size_t row) {
    for (size_t r = 0; r < row; r++)
        if (is_alike(w, r, row))
            return false;
    return true;
}

static uint64_t size_of(const world *w, size_t row) {
    uint64_t n = 0;
    for (size_t r = 0; r < w->n_rows; r++)
        n += is_alike(w, r, row);
    return n;
}

static uint64_t people_of(const world *w, size_t row) {
    uint64_t n = 0;
    for (size_t p = 0; p < w->n_people; p++) {
        bool matches = true;
        for (size_t c = 0; c < w->n_columns; c++)
            matches &= w->columns[c].labels[w->rows[row][c]].holds[w->people[p][c]];
        n += matches;
    }
    return n;
}

static bool is_near(double a, double b) {
    return fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

/* ---- tables --------------------------------------------------------------------------------- */

static kan_table *make_table(kan_run *run, const world *w, bool is_release) {
    static const char *const names[] = {"x", "y", "z", "secret"};
    const char *const used[] = {names[0], w->n_columns > 1 ? names[1] : names[3],
                                w->n_columns > 2 ? names[2] : names[3], names[3]};
    kan_table *table;
    EXPECT_OK(run, kan_table_create(run, w->n_columns + is_release, used, &table));
    for (size_t r = 0; r < (is_release ? w->n_rows : w->n_people); r++) {
        const char *cells[COLUMNS + 1];
        text secret;
        for (size_t c = 0; c < w->n_columns; c++)
            cells[c] = is_release ? shown(w, r, c) : w->columns[c].values[w->people[r][c]];
        if (is_release) {
            snprintf(secret, TEXT, "s%zu", w->secrets[r]);
            cells[w->n_columns] = secret;
        }
        EXPECT_OK(run, kan_table_add_row(table, cells));
    }
    EXPECT_OK(run, kan_table_seal(table));
    return table;
}

static kan_hierarchy *make_hierarchy(kan_run *run, const kan_column *bound) {
    static const char *const lines[][4] = {{"a", "ab", "a to d", "*"}, {"b", "ab", "a to d", "*"},
                                           {"c", "c", "a to d", "*"},  {"d", "d", "a to d", "*"},
                                           {"e", "e", "e", "*"},       {"f", "f", "f", "*"},
                                           {"g", "h", "h", "*"},       {"h", "h", "h", "*"}};
    kan_hierarchy_lines *made;
    kan_hierarchy *hierarchy;
    EXPECT_OK(run, kan_hierarchy_lines_create(run, "lines", &made));
    for (size_t i = 0; i < VALUES; i++) {
        kan_slice fields[4];
        for (size_t j = 0; j < 4; j++)
            fields[j] = kan_slice_of(lines[i][j]);
        EXPECT_OK(run, kan_hierarchy_lines_add(made, i + 1, fields, 4));
    }
    kan_problems_begin(run);
    EXPECT_OK(run, kan_hierarchy_bind(made, bound, &hierarchy));
    EXPECT_OK(run, kan_problems_end(run));
    kan_hierarchy_lines_destroy(made);
    return hierarchy;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static void check_bands(const kan_group_sizes *sizes, const kan_risk *risk) {
    kan_size_band bands[KAN_SIZE_BANDS];
    const size_t n = kan_size_bands(sizes, risk->threshold, bands);
    uint64_t rows = 0, groups = 0;
    assert_true(n <= KAN_SIZE_BANDS && (n > 0) == (risk->n_groups > 0));
    for (size_t i = 0; i < n; i++) {
        assert_true(bands[i].least <= bands[i].most);
        assert_true(i == 0 || bands[i].least == bands[i - 1].most + 1);
        /* No band has both what is at risk and what is not. */
        assert_true(bands[i].least >= risk->threshold || bands[i].most < risk->threshold);
        rows += bands[i].n_rows;
        groups += bands[i].n_groups;
    }
    assert_int_equal(rows, risk->n_rows);
    assert_int_equal(groups, risk->n_groups);
    if (n > 0) {
        assert_true(bands[0].least <= risk->smallest && risk->smallest <= bands[0].most);
        assert_true(bands[n - 1].least <= risk->largest && risk->largest <= bands[n - 1].most);
    }
}

static int compare_sizes(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_risk(const world *w, const kan_group_sizes *sizes, const kan_risk *risk) {
    uint64_t n_rows = 0, n_groups = 0, n_unique = 0, at_risk = 0, least = UINT64_MAX, most = 0;
    uint64_t by_row[ROWS];
    double sum = 0;
    for (size_t r = 0; r < w->n_rows; r++) {
        const uint64_t size = size_of(w, r);
        by_row[n_rows++] = size;
        n_groups += is_first(w, r);
        n_unique += size == 1;
        at_risk += 1.0 / (double)size > 1.0 / (double)w->threshold;
        least = size < least ? size : least;
        most = size > most ? size : most;
        sum += 1.0 / (double)size;
    }
    assert_int_equal(risk->n_rows, n_rows);
    assert_int_equal(risk->n_suppressed, 0);
    assert_int_equal(risk->n_groups, n_groups);
    assert_int_equal(risk->n_unique, n_unique);
    assert_int_equal(risk->n_rows_at_risk, at_risk);
    for (size_t i = 0; i < sizes->n; i++) {
        uint64_t n = 0;
        for (size_t r = 0; r < w->n_rows; r++)
            n += is_first(w, r) && size_of(w, r) == sizes->counts[i].size;
        assert_int_equal(n, sizes->counts[i].n_groups);
        assert_true(i == 0 || sizes->counts[i].size > sizes->counts[i - 1].size);
    }
    if (n_rows == 0) {
        assert_true(risk->highest == 0 && risk->average == 0 && risk->share_at_risk == 0);
        return;
    }
    qsort(by_row, n_rows, sizeof *by_row, compare_sizes);
    assert_int_equal(risk->median_size, by_row[(n_rows - 1) / 2]);
    assert_int_equal(risk->smallest, least);
    assert_int_equal(risk->largest, most);
    assert_true(is_near(risk->highest, 1.0 / (double)least));
    assert_true(is_near(risk->average, sum / (double)n_rows));
    assert_true(is_near(risk->marketer, sum / (double)n_rows));
    assert_true(is_near(risk->share_at_risk, (double)at_risk / (double)n_rows));
    assert_true(is_near(risk->share_unique, (double)n_unique / (double)n_rows));
    assert_true(is_near(risk->mean_size, (double)n_rows / (double)n_groups));
}

static const size_t in_order[COLUMNS] = {0, 1, 2};

static void sizes_of_one(kan_run *run, uint64_t seed) {
    world w;
    kan_group_sizes sizes;
    kan_risk risk;
    make_world(&w, seed);
    kan_table *release = make_table(run, &w, true);
    EXPECT_OK(run, kan_group_sizes_count(run, release, in_order, w.n_columns, NULL, &sizes));
    kan_risk_measure(&sizes, w.threshold, &risk);
    check_risk(&w, &sizes, &risk);
    check_bands(&sizes, &risk);
    kan_group_sizes_destroy(&sizes);
    kan_table_destroy(release);
}

/* ---- population ----------------------------------------------------------------------------- */

static void check_kmap(const world *w, const kan_kmap *kmap) {
    uint64_t n_rows = 0, n_groups = 0, at_risk = 0, least = UINT64_MAX, most = 0, unique = 0;
    uint64_t unmatched = 0, unmatched_rows = 0, first = 0, too_few = 0;
    double sum = 0;
    for (size_t r = 0; r < w->n_rows; r++) {
        const uint64_t people = people_of(w, r);
        n_rows++;
        n_groups += is_first(w, r);
        unmatched += people == 0 && is_first(w, r);
        unmatched_rows += people == 0;
        first = people == 0 && first == 0 ? r + 1 : first;
        least = people < least ? people : least;
        most = people > most ? people : most;
        if (people == 0)
            continue;
        too_few += people < size_of(w, r) && is_first(w, r);
        unique += people == 1 && is_first(w, r);
        at_risk += people < w->threshold;
        sum += 1.0 / (double)people;
    }
    assert_int_equal(kmap->n_people, w->n_people);
    assert_int_equal(kmap->n_rows, n_rows);
    assert_int_equal(kmap->n_groups, n_groups);
    assert_int_equal(kmap->n_unmatched_groups, unmatched);
    assert_int_equal(kmap->n_unmatched_rows, unmatched_rows);
    assert_int_equal(kmap->first_unmatched, first);
    assert_int_equal(kmap->n_short_groups, too_few);
    assert_int_equal(kmap->n_unique, unique);
    assert_int_equal(kmap->n_rows_at_risk, at_risk);
    if (n_rows == 0)
        return;
    assert_int_equal(kmap->k, least);
    assert_int_equal(kmap->largest, most);
    assert_true(is_near(kmap->average, sum / (double)n_rows));
    assert_true(is_near(kmap->share_at_risk, (double)at_risk / (double)n_rows));
    if (first == 0)
        return;
    /* A column that matches nobody at all, if there is one. */
    bool has_fault = false;
    for (size_t c = 0; c < w->n_columns; c++) {
        bool matches = false;
        for (size_t p = 0; p < w->n_people; p++)
            matches |= w->columns[c].labels[w->rows[first - 1][c]].holds[w->people[p][c]];
        has_fault |= !matches;
        assert_true(kmap->fault != c || !matches);
    }
    assert_int_equal(kmap->fault != SIZE_MAX, has_fault);
}

static void kmap_of_one(kan_run *run, uint64_t seed) {
    world w;
    kan_kmap kmap;
    kan_kmap_pair pairs[COLUMNS];
    kan_hierarchy *hierarchies[COLUMNS] = {NULL, NULL, NULL};
    make_world(&w, seed);
    kan_table *release = make_table(run, &w, true), *people = make_table(run, &w, false);
    for (size_t c = 0; c < w.n_columns; c++) {
        if (w.columns[c].has_hierarchy)
            hierarchies[c] = make_hierarchy(run, &people->columns[c]);
        pairs[c] = (kan_kmap_pair){c, c, hierarchies[c]};
    }
    const kan_kmap_question question = {.release = release,
                                        .population = people,
                                        .quasi = pairs,
                                        .n_quasi = w.n_columns,
                                        .threshold = w.threshold};
    EXPECT_OK(run, kan_kmap_measure(run, &question, &kmap));
    check_kmap(&w, &kmap);
    for (size_t c = 0; c < w.n_columns; c++)
        kan_hierarchy_destroy(hierarchies[c]);
    kan_table_destroy(release);
    kan_table_destroy(people);
}

/* ---- sensitive values ----------------------------------------------------------------------- */

static uint64_t with_secret(const world *w, size_t row, size_t secret) {
    uint64_t n = 0;
    for (size_t r = 0; r < w->n_rows; r++)
        n += is_alike(w, r, row) && w->secrets[r] == secret;
    return n;
}

/* The greatest l with r_1 < 2 (r_l + ... + r_m); counts in any order. */
static uint64_t recursive_of(const uint64_t *counts) {
    uint64_t sorted[SECRETS], best = 0;
    memcpy(sorted, counts, sizeof sorted);
    qsort(sorted, SECRETS, sizeof *sorted, compare_sizes);
    for (uint64_t l = 1; l <= SECRETS; l++) {
        uint64_t tail = 0;
        for (uint64_t i = l; i <= SECRETS; i++)
            tail += sorted[SECRETS - i];
        if (sorted[SECRETS - 1] < 2 * tail)
            best = l;
    }
    return best;
}

typedef struct {
    double alpha, entropy, distance, confidence[SECRETS];
    uint64_t distinct, recursive, rows[SECRETS], n_rows, n_certain;
} told;

/* Values are s0 .. s4, all 1 apart; the whole is the table itself, * rows included. */
static told recount_secrets(const world *w) {
    told t = {.distinct = UINT64_MAX, .recursive = UINT64_MAX, .entropy = INFINITY};
    for (size_t r = 0; r < w->n_rows; r++) {
        uint64_t counts[SECRETS], distinct = 0;
        double entropy = 0, distance = 0;
        const double size = (double)size_of(w, r);
        t.n_rows++;
        t.rows[w->secrets[r]]++;
        for (size_t s = 0; s < SECRETS; s++) {
            double whole = 0;
            for (size_t other = 0; other < w->n_rows; other++)
                whole += w->secrets[other] == s;
            counts[s] = with_secret(w, r, s);
            const double share = (double)counts[s] / size;
            distinct += counts[s] > 0;
            entropy -= share > 0 ? share * log(share) : 0;
            distance += fabs(share - whole / (double)w->n_rows) / 2;
            t.alpha = fmax(t.alpha, share);
            t.confidence[s] = fmax(t.confidence[s], share);
        }
        t.n_certain += distinct == 1;
        t.distinct = distinct < t.distinct ? distinct : t.distinct;
        t.recursive = recursive_of(counts) < t.recursive ? recursive_of(counts) : t.recursive;
        t.entropy = fmin(t.entropy, entropy);
        t.distance = fmax(t.distance, distance);
    }
    return t;
}

static void check_values(const told *t, const kan_sensitive_risk *risk) {
    size_t n = 0;
    for (size_t s = 0; s < SECRETS; s++)
        n += t->rows[s] > 0;
    assert_int_equal(risk->n_values, n);
    for (size_t i = 0; i < n; i++) {
        const kan_value_confidence *value = &risk->values[i];
        const size_t s = (size_t)(value->value.bytes[1] - '0');
        assert_int_equal(value->n_rows, t->rows[s]);
        assert_true(is_near(value->confidence, t->confidence[s]));
        assert_true(is_near(value->share, (double)t->rows[s] / (double)t->n_rows));
        assert_true(i == 0 || value[-1].confidence >= value->confidence - 1e-12);
    }
}

/* The figure of the first column that results call so. */
static const kan_model_recount *reached(const kan_sensitive_risks *risks, const char *key) {
    for (size_t f = 0; f < risks->figures->n; f++)
        if (strcmp(risks->figures->all[f].figure->key, key) == 0)
            return &risks->columns[0].reached[f];
    fail_msg("no figure is called %s", key);
    return NULL;
}

static void secrets_of_one(kan_run *run, uint64_t seed) {
    world w;
    kan_sensitive_risks risks;
    uint64_t rows[SECRETS] = {0};
    kan_slice values[SECRETS];
    make_world(&w, seed);
    kan_table *release = make_table(run, &w, true);
    const kan_column *secret = &release->columns[w.n_columns];
    for (uint32_t code = 0; code < secret->dictionary.n; code++)
        values[code] = kan_dictionary_value(&secret->dictionary, code);
    for (size_t r = 0; r < w.n_rows; r++)
        rows[kan_column_code(secret, r)]++;
    const kan_claim_column whole = {.name = "secret",
                                    .n_rows = w.n_rows,
                                    .n_values = secret->dictionary.n,
                                    .values = values,
                                    .rows = rows};
    kan_risk_figures figures;
    kan_arena arena;
    kan_options options;
    kan_arena_init(&arena, run);
    kan_options_init(&options, &arena);
    EXPECT_OK(run, kan_options_add(&options, "c", "2"));
    EXPECT_OK(run, kan_risk_figures_read(run, &arena, &options, &figures));
    const kan_sensitive_question question = {.table = release,
                                             .quasi = in_order,
                                             .n_quasi = w.n_columns,
                                             .columns = &whole,
                                             .sensitive = &secret,
                                             .n_columns = 1,
                                             .figures = &figures};
    EXPECT_OK(run, kan_risk_sensitive(run, &question, &risks));
    const told t = recount_secrets(&w);
    const kan_sensitive_risk *risk = &risks.columns[0];
    check_values(&t, risk);
    assert_int_equal(reached(&risks, "alpha")->is_reached, t.n_rows > 0);
    if (t.n_rows > 0) {
        assert_true(is_near(reached(&risks, "alpha")->reached, t.alpha));
        assert_int_equal(reached(&risks, "l")->count, t.distinct);
        assert_int_equal(reached(&risks, "recursive_l")->count, t.recursive);
        assert_true(fabs(reached(&risks, "entropy_l")->reached - exp(t.entropy)) < 1e-8);
        assert_true(fabs(reached(&risks, "t")->reached - t.distance) < 1e-9);
        assert_int_equal(risk->n_rows_certain, t.n_certain);
    }
    kan_sensitive_risks_destroy(&risks);
    kan_options_destroy(&options);
    kan_arena_destroy(&arena);
    kan_table_destroy(release);
}

static void sizes_and_risk_are_those_of_a_naive_recount(void **state) {
    (void)state;
    random_rounds(300, sizes_of_one);
}

static void the_population_of_each_group_is_that_of_a_naive_recount(void **state) {
    (void)state;
    random_rounds(500, kmap_of_one);
}

static void what_groups_tell_of_values_is_what_a_naive_recount_finds(void **state) {
    (void)state;
    random_rounds(300, secrets_of_one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sizes_and_risk_are_those_of_a_naive_recount, random_tear_down),
        cmocka_unit_test_teardown(the_population_of_each_group_is_that_of_a_naive_recount,
                                  random_tear_down),
        cmocka_unit_test_teardown(what_groups_tell_of_values_is_what_a_naive_recount_finds,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
