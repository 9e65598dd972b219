/* The recount of sensitive values on tables that can be counted by hand, and at the edges: shares
 * that floating point gets wrong, counts that fill 128 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/models/models.h"
#include "analyze/verify/recount_model.h"
#include "job/tell/recounted.h"

enum { MOST_VALUES = 64 };

/* A column whose values are single words, with what is known of them. */
typedef struct {
    kan_claim_column column;
    kan_slice values[MOST_VALUES];
    uint64_t rows[MOST_VALUES];
    bool is_named[MOST_VALUES];
    uint32_t rank[MOST_VALUES], node[3][MOST_VALUES];
    const uint32_t *nodes[3];
} described;

/* Words and their rows in the whole table; ranks as they come. */
static void describe(described *out, const char *const *words, const uint64_t *rows, size_t n) {
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < n; i++) {
        out->values[i] = kan_slice_of(words[i]);
        out->rows[i] = rows[i];
        out->rank[i] = (uint32_t)i;
        out->column.n_rows += rows[i];
    }
    for (unsigned level = 0; level < 3; level++)
        out->nodes[level] = out->node[level];
    out->column.name = "ill";
    out->column.n_values = n;
    out->column.n_ranks = (uint32_t)n;
    out->column.values = out->values;
    out->column.rows = out->rows;
    out->column.rank = out->rank;
    out->column.node = out->nodes;
}

/* A table of pairs "group value"; both are single words. */
static kan_table *table_of(kan_run *run, const char *const *pairs, size_t n) {
    static const char *const names[] = {"qi", "ill"};
    kan_table *table;
    assert_int_equal(kan_table_create(run, 2, names, &table), KAN_OK);
    for (size_t i = 0; i < n; i++) {
        char copy[64];
        snprintf(copy, sizeof copy, "%s", pairs[i]);
        char *blank = strchr(copy, ' ');
        *blank = 0;
        const char *cells[] = {copy, blank + 1};
        assert_int_equal(kan_table_add_row(table, cells), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static kan_status ask(kan_run *run, const kan_table *table, const described *what,
                      kan_claim_model model, kan_models_recount *out) {
    const kan_claim claim = {
        .k = 1, .n_models = 1, .models = {model}, .n_columns = 1, .columns = &what->column};
    const kan_column *sensitive[] = {&table->columns[1]};
    const size_t quasi[] = {0};
    const kan_models_question question = {
        .release = table, .quasi = quasi, .n_quasi = 1, .claim = &claim, .sensitive = sensitive};
    return kan_verify_recount_models(run, &question, out);
}

static kan_model_recount recount(const char *const *pairs, size_t n, const described *what,
                                 kan_claim_model model) {
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, pairs, n);
    kan_models_recount out;
    assert_int_equal(ask(run, table, what, model, &out), KAN_OK);
    assert_int_equal(out.n_models, 1);
    kan_table_destroy(table);
    kan_run_destroy(run);
    return out.models[0];
}

/* A model as its recount reads it: names of options and their values by turns. */
static kan_claim_model model_of(const char *name, const char *const *settings) {
    kan_run *run = kan_run_create();
    kan_arena arena;
    kan_options options;
    kan_claim_model model = {.kind = kan_recount_find(name)};
    assert_non_null(model.kind);
    kan_arena_init(&arena, run);
    kan_options_init(&options, &arena);
    for (; settings[0]; settings += 2)
        assert_int_equal(kan_options_add(&options, settings[0], settings[1]), KAN_OK);
    assert_int_equal(model.kind->read(run, &options, &model), KAN_OK);
    model.text = NULL; /* it goes with the options */
    kan_options_destroy(&options);
    kan_arena_destroy(&arena);
    kan_run_destroy(run);
    return model;
}

#define MODEL(name, ...) model_of(name, (const char *const[]){__VA_ARGS__, NULL})

/* The same with any fraction for its decimal. */
static kan_claim_model with(kan_claim_model model, uint64_t numerator, uint64_t denominator) {
    model.numerator = numerator;
    model.denominator = denominator;
    return model;
}

static kan_claim_model alpha_of(uint64_t numerator, uint64_t denominator) {
    return with(MODEL("alpha", "alpha", "0.5"), numerator, denominator);
}

static kan_claim_model entropy_of(uint64_t numerator, uint64_t denominator) {
    return with(MODEL("l-diversity", "l", "2", "l-kind", "entropy"), numerator, denominator);
}

static kan_claim_model closeness_of(uint64_t numerator, uint64_t denominator) {
    return with(MODEL("t-closeness", "t", "0.5"), numerator, denominator);
}

/* ---- alpha ---------------------------------------------------------------------------------- */

static const char *const illnesses[] = {"cold", "flu", "hiv"};
static const uint64_t ten_each[] = {10, 10, 10};

/* The first groups of trap 4: 3 rows with 2 of a value keep the refined 0.5, their union does not.
 */
static void refined_alpha_rounds_up_in_each_group(void **state) {
    (void)state;
    static const char *const apart[] = {"a hiv", "a hiv", "a flu", "b hiv", "b flu", "b hiv"};
    static const char *const merged[] = {"a hiv", "a hiv", "a flu", "a hiv", "a flu", "a hiv"};
    kan_claim_model half = alpha_of(5, 10);
    described what;
    describe(&what, illnesses, ten_each, 3);
    assert_false(recount(apart, 6, &what, half).holds);
    half = with(MODEL("alpha", "alpha", "0.5", "refined", "true"), 5, 10);
    assert_true(recount(apart, 6, &what, half).holds);
    const kan_model_recount found = recount(merged, 6, &what, half);
    assert_false(found.holds);
    assert_true(found.part == 4 && found.whole == 6);
    assert_int_equal(found.n_failing_rows, 6);
}

/* 0.1 * 30 is more than 3 in floating point, and would be rounded up to 4. */
static void a_tenth_of_thirty_rows_is_three(void **state) {
    (void)state;
    const char *pairs[30];
    described what;
    const bool *const is_named[] = {what.is_named};
    kan_claim_model tenth = alpha_of(1, 10);
    describe(&what, illnesses, ten_each, 3);
    what.is_named[2] = true;
    tenth.is_named = is_named;
    for (size_t i = 0; i < 30; i++)
        pairs[i] = i < 3 ? "a hiv" : "a flu";
    assert_true(recount(pairs, 30, &what, tenth).holds);
    tenth = MODEL("alpha", "alpha", "0.1", "refined", "true");
    tenth.is_named = is_named;
    assert_true(recount(pairs, 30, &what, tenth).holds);
    pairs[29] = "a hiv";
    assert_false(recount(pairs, 30, &what, tenth).holds);
}

static void named_values_count_each_or_together(void **state) {
    (void)state;
    static const char *const pairs[] = {"a hiv", "a cold", "a flu", "a flu", "a flu"};
    kan_claim_model third = alpha_of(3, 10);
    described what;
    const bool *const is_named[] = {what.is_named};
    describe(&what, illnesses, ten_each, 3);
    assert_false(recount(pairs, 5, &what, third).holds); /* flu */
    what.is_named[0] = what.is_named[2] = true;
    third.is_named = is_named;
    kan_model_recount found = recount(pairs, 5, &what, third);
    assert_true(found.holds);
    assert_true(found.part == 1 && found.whole == 5);
    third = MODEL("alpha", "alpha", "0.3", "alpha-value", "hiv", "alpha-combined", "true");
    third.is_named = is_named;
    found = recount(pairs, 5, &what, third);
    assert_false(found.holds);
    assert_true(found.part == 2 && found.whole == 5);
}

static void rows_of_stars_are_held_against_the_model_like_any_group(void **state) {
    (void)state;
    static const char *const pairs[] = {"a hiv", "* hiv", "a flu", "* hiv"};
    const kan_claim_model half = alpha_of(1, 2);
    described what;
    describe(&what, illnesses, ten_each, 3);
    kan_model_recount found = recount(pairs, 4, &what, half);
    assert_false(found.holds);
    assert_true(found.star_fails);
    assert_int_equal(found.n_failing_groups, 1);
    assert_int_equal(found.examples[0], 1);
}

static void without_a_group_nothing_is_reached(void **state) {
    (void)state;
    described what;
    describe(&what, illnesses, ten_each, 3);
    const kan_claim claim = {
        .k = 3, .n_models = 1, .models = {alpha_of(1, 2)}, .n_columns = 1, .columns = &what.column};
    kan_models_recount out;
    kan_models_recount_nothing(&claim, &out);
    assert_int_equal(out.n_models, 1);
    assert_true(out.models[0].holds);
    assert_false(out.models[0].is_reached);
}

/* ---- l-diversity ---------------------------------------------------------------------------- */

static void equal_shares_of_l_values_have_the_entropy_of_l(void **state) {
    (void)state;
    static char words[MOST_VALUES][16], cells[MOST_VALUES][24];
    const char *values[MOST_VALUES], *pairs[MOST_VALUES];
    uint64_t rows[MOST_VALUES];
    for (size_t n = 1; n <= MOST_VALUES; n++) {
        described what;
        kan_claim_model model = entropy_of(n, 1);
        for (size_t i = 0; i < n; i++) {
            snprintf(words[i], sizeof words[i], "w%zu", i);
            snprintf(cells[i], sizeof cells[i], "a w%zu", i);
            values[i] = words[i];
            pairs[i] = cells[i];
            rows[i] = 1;
        }
        describe(&what, values, rows, n);
        const kan_model_recount found = recount(pairs, n, &what, model);
        assert_true(found.holds);
        assert_true(found.reached == (double)n);
        model.numerator = n + 1;
        assert_false(recount(pairs, n, &what, model).holds);
    }
}

static void entropy_is_less_than_the_number_of_values(void **state) {
    (void)state;
    static const char *const pairs[] = {"a hiv", "a flu", "a flu", "a flu"};
    const kan_claim_model two = entropy_of(2, 1);
    const kan_claim_model distinct = MODEL("l-diversity", "l", "2");
    described what;
    describe(&what, illnesses, ten_each, 3);
    const kan_model_recount found = recount(pairs, 4, &what, two);
    assert_false(found.holds);
    /* 4 / 3^(3/4) */
    assert_true(fabs(found.reached - 1.7547653506033233) < 1e-12);
    assert_true(recount(pairs, 4, &what, distinct).holds);
    /* a decimal lies on either side of it */
    assert_true(recount(pairs, 4, &what, entropy_of(17547, 10000)).holds);
    assert_false(recount(pairs, 4, &what, entropy_of(17548, 10000)).holds);
}

/* Two values in equal shares are within the tolerance of 2.0000000001, but they are only two. */
static void entropy_of_a_decimal_needs_that_many_values(void **state) {
    (void)state;
    static const char *const pairs[] = {"a hiv", "a flu"};
    const uint64_t ten_digits = UINT64_C(10000000000);
    described what;
    describe(&what, illnesses, ten_each, 3);
    kan_claim_model model = entropy_of(2 * ten_digits, ten_digits);
    assert_true(recount(pairs, 2, &what, model).holds);
    model.numerator++;
    assert_false(recount(pairs, 2, &what, model).holds);
}

/* 3, 2 and 1 rows: 3 < c * 3 for l = 2, 3 < c * 1 for l = 3; equality does not do. */
static void recursive_diversity_is_strict(void **state) {
    (void)state;
    static const char *const pairs[] = {"a hiv", "a flu", "a flu", "a cold", "a flu", "a cold"};
    kan_claim_model model = MODEL("l-diversity", "l", "2", "l-kind", "recursive", "c", "1");
    described what;
    describe(&what, illnesses, ten_each, 3);
    model.whole = 2;
    kan_model_recount found = recount(pairs, 6, &what, model);
    assert_false(found.holds);
    assert_int_equal(found.count, 1);
    model.numerator = 11;
    model.denominator = 10;
    found = recount(pairs, 6, &what, model);
    assert_true(found.holds);
    assert_int_equal(found.count, 2);
    model.whole = 3;
    model.numerator = 3;
    model.denominator = 1;
    assert_false(recount(pairs, 6, &what, model).holds);
    model.numerator = 3001;
    model.denominator = 1000;
    assert_true(recount(pairs, 6, &what, model).holds);
    model.whole = 4; /* there are only three values */
    assert_false(recount(pairs, 6, &what, model).holds);
}

/* ---- t-closeness ---------------------------------------------------------------------------- */

/* Nine salaries, 3k to 11k, each once: {3k, 4k, 5k} is 0.375 away, {6k, 8k, 11k} is 1/6. */
static void ordered_distance_is_that_of_salaries(void **state) {
    (void)state;
    static const char *const salaries[] = {"3", "4", "5", "6", "7", "8", "9", "10", "11"};
    static const uint64_t once[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const char *const low[] = {"a 3", "a 4", "a 5"};
    static const char *const mixed[] = {"a 6", "a 8", "a 11"};
    described what;
    describe(&what, salaries, once, 9);
    what.column.distance_of_numbers = what.column.distance_of_text = KAN_DISTANCE_ORDERED;
    kan_model_recount found = recount(low, 3, &what, closeness_of(375, 1000));
    assert_true(found.holds);
    assert_true(found.part * 8 == found.whole * 3);
    assert_false(recount(low, 3, &what, closeness_of(374999, 1000000)).holds);
    found = recount(mixed, 3, &what, closeness_of(166, 1000));
    assert_false(found.holds);
    assert_true(found.part * 6 == found.whole);
}

static void hierarchical_distance_is_the_level_of_the_common_node(void **state) {
    (void)state;
    static const char *const words[] = {"cold", "flu", "gout", "hiv"};
    static const uint64_t once[] = {1, 1, 1, 1};
    static const char *const pair_of_lungs[] = {"a cold", "a flu"};
    static const char *const across[] = {"a cold", "a hiv"};
    static const uint32_t pairs_of_two[] = {5, 5, 9, 9};
    const kan_claim_model any = closeness_of(1, 1);
    described what;
    describe(&what, words, once, 4);
    for (uint32_t i = 0; i < 4; i++) {
        what.node[0][i] = i;
        what.node[1][i] = pairs_of_two[i];
    }
    what.column.distance_of_numbers = what.column.distance_of_text = KAN_DISTANCE_HIERARCHICAL;
    what.column.height = 2;
    /* half of all goes over the top; half of all to a sister */
    kan_model_recount found = recount(pair_of_lungs, 2, &what, any);
    assert_true(found.part * 2 == found.whole);
    found = recount(across, 2, &what, any);
    assert_true(found.part * 4 == found.whole);
}

static void a_value_that_the_table_never_had_is_as_far_as_can_be(void **state) {
    (void)state;
    static const char *const pairs[] = {"a hiv", "a flu", "a cold", "a plague"};
    described what;
    describe(&what, illnesses, ten_each, 3);
    for (int distance = 0; distance < 3; distance++) {
        what.column.distance_of_numbers = what.column.distance_of_text =
            (kan_claim_distance)distance;
        what.column.height = 1;
        const kan_model_recount found = recount(pairs, 4, &what, closeness_of(99, 100));
        assert_false(found.holds);
        assert_true(found.part == found.whole);
    }
    /* and counts as a value like any other */
    const kan_claim_model four = MODEL("l-diversity", "l", "4");
    assert_true(recount(pairs, 4, &what, four).holds);
}

/* ---- large numbers -------------------------------------------------------------------------- */

static void fractions_are_compared_exactly(void **state) {
    (void)state;
    const kan_u128 huge = ~(kan_u128)0;
    for (int64_t a = 0; a < 12; a++)
        for (int64_t b = 1; b < 12; b++)
            for (int64_t c = 0; c < 12; c++)
                for (int64_t d = 1; d < 12; d++) {
                    const int64_t want = a * d - c * b;
                    const int got =
                        kan_model_compare((kan_u128)a, (kan_u128)b, (kan_u128)c, (kan_u128)d);
                    assert_int_equal((got > 0) - (got < 0), (want > 0) - (want < 0));
                }
    assert_true(kan_model_compare(huge - 1, huge, huge - 2, huge - 1) > 0);
    assert_true(kan_model_compare(huge - 2, huge - 1, huge - 1, huge) < 0);
    assert_int_equal(kan_model_compare(huge / 5, huge, 1, 5), 0);
}

/* As many rows and values as are allowed: all rows of the table at one end, the group at the other.
 */
static void distances_do_not_overflow(void **state) {
    (void)state;
    enum { MANY = 1 << 20 };
    const uint64_t most = (UINT64_C(1) << 47) - 1;
    static kan_u128 up_to[MANY], sum_up_to[MANY];
    static const uint32_t rank[] = {0, MANY - 1}, node0[] = {0, 1}, node1[] = {0, 0};
    static const uint32_t *const nodes[] = {node0, node1};
    uint64_t whole_rows[] = {0, most}, node_rows[] = {0, most, most, most};
    size_t index_of[] = {0, 1};
    kan_claim_column column = {.n_rows = most,
                               .n_values = 2,
                               .rows = whole_rows,
                               .n_ranks = MANY,
                               .rank = rank,
                               .height = 1,
                               .node = nodes};
    kan_model_values values = {.column = &column,
                               .n_places = 2,
                               .n_known = 2,
                               .index_of = index_of,
                               .rows = whole_rows,
                               .n_rows = most,
                               .up_to = up_to,
                               .sum_up_to = sum_up_to,
                               .node_rows = node_rows};
    const struct kan_model_count counts[] = {{0, most}};
    const kan_model_tally tally = {.n_rows = most, .total = most, .n = 1, .counts = counts};
    up_to[MANY - 1] = sum_up_to[MANY - 1] = most;
    for (int distance = 0; distance < 3; distance++) {
        kan_model_recount so_far = {0};
        values.settled.distance = (kan_claim_distance)distance;
        kan_claim_model t =
            closeness_of(UINT64_C(999999999999999999), UINT64_C(1000000000000000000));
        assert_false(t.kind->check(&t, &values, &tally, &so_far));
        assert_true(so_far.part == so_far.whole);
        t.numerator++;
        assert_true(t.kind->check(&t, &values, &tally, &so_far));
    }
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void a_model_without_a_column_never_holds_by_itself(void **state) {
    (void)state;
    static const char *const pairs[] = {"a hiv"};
    const size_t quasi[] = {0};
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, pairs, 1);
    const kan_claim claim = {.k = 1, .n_models = 1, .models = {alpha_of(1, 2)}};
    const kan_models_question question = {
        .release = table, .quasi = quasi, .n_quasi = 1, .claim = &claim};
    kan_models_recount out;
    assert_int_equal(kan_verify_recount_models(run, &question, &out), KAN_FAILED);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void values_that_do_not_add_up_are_refused(void **state) {
    (void)state;
    static const char *const pairs[] = {"a hiv"};
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, pairs, 1);
    described what;
    kan_models_recount out;
    describe(&what, illnesses, ten_each, 3);
    what.rows[0]--;
    assert_int_equal(ask(run, table, &what, closeness_of(1, 2), &out), KAN_FAILED);
    what.rows[0]++;
    what.column.n_rows = UINT64_C(1) << 47;
    assert_int_equal(ask(run, table, &what, closeness_of(1, 2), &out), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), "2^47"));
    kan_table_destroy(table);
    kan_run_destroy(run);
}

static void an_empty_release_keeps_no_promise(void **state) {
    (void)state;
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, NULL, 0);
    described what;
    kan_models_recount out;
    describe(&what, illnesses, ten_each, 3);
    assert_int_equal(ask(run, table, &what, alpha_of(1, 2), &out), KAN_OK);
    assert_false(kan_models_recount_holds(&out));
    kan_table_destroy(table);
    kan_run_destroy(run);
}

/* ---- before a release gets its name --------------------------------------------------------- */

static const char four_rows[] = "qi,ill\na,flu\na,cold\nb,flu\nb,flu\n";

/* Writes the rows as a file and verifies them as a release of themselves. */
static kan_status verify_file(kan_run *run, const kan_claim *claim, kan_release_report *report) {
    static const char *const pairs[] = {"a flu", "a cold", "b flu", "b flu"};
    static const char *const columns[] = {"qi", "ill"};
    const kan_hierarchy *none[] = {NULL};
    char path[] = "/tmp/kanon-models-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, four_rows, strlen(four_rows)), (ssize_t)strlen(four_rows));
    close(file);
    kan_table *original = table_of(run, pairs, 4);
    const kan_release_check check = {.path = path,
                                     .kind = &kan_source_csv,
                                     .options = {.separator = ','},
                                     .columns = columns,
                                     .n_columns = 2,
                                     .n_rows = 4,
                                     .claim = claim,
                                     .original = original,
                                     .quasi = columns,
                                     .hierarchies = none,
                                     .n_quasi = 1,
                                     .others = columns + 1,
                                     .n_others = 1};
    const kan_status status = kan_verify_release(run, &check, report);
    kan_table_destroy(original);
    unlink(path);
    return status;
}

static void a_release_that_fails_a_model_is_refused(void **state) {
    (void)state;
    static const uint64_t rows[] = {1, 3};
    kan_run *run = kan_run_create();
    kan_release_report report;
    described what;
    describe(&what, illnesses, rows, 2);
    kan_claim claim = {.k = 2,
                       .n_models = 1,
                       .models = {MODEL("l-diversity", "l", "1")},
                       .n_columns = 1,
                       .columns = &what.column};
    assert_int_equal(verify_file(run, &claim, &report), KAN_OK);
    assert_int_equal(report.models.models[0].count, 1);
    assert_int_equal(report.recount.n_groups, 2);
    claim.models[0].whole = 2;
    assert_int_equal(verify_file(run, &claim, &report), KAN_FAILED);
    assert_non_null(
        strstr(kan_run_error(run), "1 of its 2 groups, with 2 rows, fails l-diversity;"));
    claim.models[0].whole = 1;
    claim.k = 3;
    assert_int_equal(verify_file(run, &claim, &report), KAN_FAILED);
    what.column.name = "lost";
    assert_int_equal(verify_file(run, &claim, &report), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), "'lost' is missing"));
    kan_run_destroy(run);
}

static void a_model_that_the_recount_does_not_know_is_refused(void **state) {
    (void)state;
    static const char *const pairs[] = {"a flu", "a cold"};
    static const kan_privacy_kind stranger = {.kind = {.name = "stranger", .summary = ""}};
    kan_run *run = kan_run_create();
    kan_table *table = table_of(run, pairs, 2);
    kan_job *job;
    kan_promise promise;
    kan_claim claim;
    assert_int_equal(kan_job_create(run, &job), KAN_OK);
    assert_int_equal(kan_job_set(job, "k", "2"), KAN_OK);
    assert_int_equal(kan_job_set(job, "sensitive", "ill"), KAN_OK);
    assert_int_equal(kan_job_set(job, "alpha", "0.5"), KAN_OK);
    kan_promise_init(&promise, 0);
    promise.models[0].kind = &kan_privacy_k_anonymity;
    promise.models[1].kind = &kan_privacy_alpha;
    promise.n_models = 2;
    assert_int_equal(kan_recounted_claim(job, &promise, table, false, &claim), KAN_OK);
    assert_int_equal(claim.k, 2);
    assert_int_equal(claim.n_models, 1);
    assert_int_equal(claim.n_columns, 1);
    promise.models[2].kind = &stranger;
    promise.n_models = 3;
    assert_int_equal(kan_recounted_claim(job, &promise, table, false, &claim), KAN_FAILED);
    assert_non_null(strstr(kan_run_error(run), "stranger"));
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refined_alpha_rounds_up_in_each_group),
        cmocka_unit_test(a_tenth_of_thirty_rows_is_three),
        cmocka_unit_test(named_values_count_each_or_together),
        cmocka_unit_test(rows_of_stars_are_held_against_the_model_like_any_group),
        cmocka_unit_test(without_a_group_nothing_is_reached),
        cmocka_unit_test(equal_shares_of_l_values_have_the_entropy_of_l),
        cmocka_unit_test(entropy_is_less_than_the_number_of_values),
        cmocka_unit_test(entropy_of_a_decimal_needs_that_many_values),
        cmocka_unit_test(recursive_diversity_is_strict),
        cmocka_unit_test(ordered_distance_is_that_of_salaries),
        cmocka_unit_test(hierarchical_distance_is_the_level_of_the_common_node),
        cmocka_unit_test(a_value_that_the_table_never_had_is_as_far_as_can_be),
        cmocka_unit_test(fractions_are_compared_exactly),
        cmocka_unit_test(distances_do_not_overflow),
        cmocka_unit_test(a_model_without_a_column_never_holds_by_itself),
        cmocka_unit_test(values_that_do_not_add_up_are_refused),
        cmocka_unit_test(an_empty_release_keeps_no_promise),
        cmocka_unit_test(a_release_that_fails_a_model_is_refused),
        cmocka_unit_test(a_model_that_the_recount_does_not_know_is_refused),
    };
    return cmocka_run_group_tests_name("recount models", tests, NULL, NULL);
}
