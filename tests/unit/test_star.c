/* engine/star over a toy transport that fails at each of its calls: whatever was made is dropped, or goes
 * with the connection; tables are made in the schema that was named for them, never in that of the input;
 * and the words are those of what failed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/sql/dialect.h"
#include "engine/star/star.h"
#include "toy_transport.h"

enum { N_COLUMNS = 2, N_ROWS = 7 };

static const char *const ages[][TOY_MOST_COLUMNS] = {{"30", "3"}, {"31", "3"}, {"50", "1"}};
static const char *const towns[][TOY_MOST_COLUMNS] = {{"Bonn", "5"}, {"Kiel", "2"}};
static const char *const large[][TOY_MOST_COLUMNS] = {{"1", "3"}, {"2", "3"}};
static const char *const totals[][TOY_MOST_COLUMNS] = {{"7"}};
static const char *const sums[][TOY_MOST_COLUMNS] = {{"2", "7", "1", "1", "36", "6"}};
static const char *const base[][TOY_MOST_COLUMNS] = {
    {"1", "1", "3"}, {"2", "1", "2"}, {"2", "2", "1"}, {"3", "2", "1"}};

/* Each age stands for itself at level 0, and for its decade at level 1; towns have one level. */
static const uint32_t by_age[] = {0, 1, 2}, by_decade[] = {0, 0, 2};
static const uint32_t *const stand_in[] = {by_age, by_decade};

/* A base, a set that is kept and one that is not, and all of it brought home. */
static kan_status count(kan_star *star) {
    const unsigned attributes[] = {0}, levels[] = {1}, lowest[] = {0, 0};
    uint64_t rows[3];
    kan_count_order order = {
        .n = 1, .attributes = attributes, .levels = levels, .least_size = 2, .keeps = true};
    const kan_counter counter = kan_star_counter(star);
    kan_counted counted;
    kan_table *table = NULL;
    KAN_TRY(counter.count(counter.context, &order, &counted));
    assert_int_equal(counted.n_small_rows, 1);
    KAN_TRY(counter.drop(counter.context, counted.set));
    order.keeps = false;
    KAN_TRY(counter.count(counter.context, &order, &counted));
    KAN_TRY(kan_star_fetch(star, lowest, &table));
    assert_int_equal(table->n_rows, 4);
    kan_table_destroy(table);
    KAN_TRY(kan_star_count_large(star, 1, levels, 0, 2, rows));
    assert_int_equal(rows[0] + rows[1] + rows[2], N_ROWS - 1);
    return kan_star_drop(star);
}

static kan_status use_star(kan_engine *engine, kan_table *const *columns) {
    const kan_star_dimension dimensions[] = {
        {.column = 0,
         .values = &columns[0]->columns[0].dictionary,
         .highest = 1,
         .stand_in = stand_in},
        {.column = 1, .values = &columns[1]->columns[1].dictionary}};
    const kan_star_plan plan = {.n = 2, .n_counted = 1, .dimensions = dimensions, .n_rows = N_ROWS};
    kan_star *star = NULL;
    kan_status status = kan_star_create(engine, &plan, &star);
    if (status == KAN_OK)
        status = count(star);
    kan_star_destroy(star);
    return status;
}

static kan_status walk(kan_run *run, const kan_engine_kind *kind, const char *address) {
    const kan_source_options options = {0};
    kan_table *columns[N_COLUMNS] = {NULL};
    void *engine = NULL;
    kan_status status = kan_engine_open(run, kind, address, &options, &engine);
    for (size_t i = 0; i < N_COLUMNS && status == KAN_OK; i++) {
        const bool encode[N_COLUMNS] = {i == 0, i == 1};
        status = kan_engine_fold(engine, encode, &columns[i]);
    }
    if (status == KAN_OK) {
        assert_true(kan_engine_has_scratch(engine));
        status = use_star(engine, columns);
    }
    for (size_t i = 0; i < N_COLUMNS; i++)
        kan_table_destroy(columns[i]);
    kan_engine_close(engine);
    return status;
}

/* Each table that was made is dropped behind that; returns how many were made. */
static size_t check_dropped(const toy *t, const char *create, const char *schema) {
    size_t n_made = 0;
    for (const char *at = t->log.bytes; (at = strstr(at, create)) != NULL;) {
        char drop[128];
        at += strlen(create);
        const size_t size = strcspn(at, " ");
        assert_memory_equal(at, schema, strlen(schema));
        (void)snprintf(drop, sizeof drop, "DROP TABLE IF EXISTS %.*s\n", (int)size, at);
        assert_non_null(strstr(at, drop));
        n_made++;
    }
    return n_made;
}

/* `goes`: what was made goes with the connection, so that nobody has to drop it. */
static void try_all(const kan_dialect *dialect, const char *type, const char *address,
                    const char *create, const char *schema, bool goes) {
    const char *const columns[][3] = {{"age", type, "1"}, {"town", type, "1"}};
    const kan_engine_kind kind = {"toy", dialect, &toy_transport};
    size_t n_failed = 0;
    for (size_t fail_at = 1;; fail_at++) {
        toy_answer answers[] = {{"count(*) AS", 3, ages, 1}, {"count(*) AS", 2, towns, 1},
                                {"INSERT", 0, NULL, 0},      {"sum(CASE WHEN c0 > 0", 1, totals, 0},
                                {"sum(CASE", 1, sums, 0},    {"x1", 4, base, 0},
                                {"c0", 2, large, 0}};
        toy t = {.columns = columns, .n_columns = 2, .answers = answers, .n_answers = 7};
        kan_run *const run = kan_run_create();
        assert_non_null(run);
        toy_begin(&t, run);
        t.fail_at = fail_at;
        const kan_status status = walk(run, &kind, address);
        assert_false(t.is_open);
        const size_t n_made = goes && status != KAN_OK ? 0 : check_dropped(&t, create, schema);
        if (status == KAN_FAILED) {
            assert_non_null(strstr(kan_run_error(run), "the line is dead"));
            n_failed++;
        } else {
            assert_int_equal(status, KAN_OK);
            assert_true(n_made >= 2);
        }
        toy_end(&t);
        kan_run_destroy(run);
        if (status == KAN_OK)
            break;
    }
    assert_true(n_failed >= 10);
}

static void a_star_of_clickhouse_leaves_nothing(void **state) {
    (void)state;
    try_all(&kan_dialect_clickhouse, "String", "clickhouse://h/in/people?scratch=aside",
            "CREATE TABLE ", "`aside`.`kanon_", false);
}

static void a_star_of_postgres_goes_with_its_connection(void **state) {
    (void)state;
    try_all(&kan_dialect_postgres, "text", "postgres://h/db?table=s.people",
            "CREATE TEMPORARY TABLE ", "\"kanon_", true);
}

static void the_database_of_the_input_is_no_place_for_a_star(void **state) {
    const char *const columns[][3] = {{"age", "String", "1"}};
    const kan_engine_kind kind = {"toy", &kan_dialect_clickhouse, &toy_transport};
    const kan_source_options options = {0};
    kan_run *const run = kan_run_create();
    toy t = {.columns = columns, .n_columns = 1};
    void *engine = NULL;
    (void)state;
    toy_begin(&t, run);
    assert_int_equal(kan_engine_open(run, &kind, "clickhouse://h/in/people", &options, &engine),
                     KAN_OK);
    assert_false(kan_engine_has_scratch(engine));
    assert_int_equal(kan_engine_prepare(engine, "clickhouse://h/out/release", false, false),
                     KAN_OK);
    assert_true(kan_engine_has_scratch(engine));
    kan_engine_close(engine);
    toy_end(&t);
    kan_run_destroy(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_star_of_clickhouse_leaves_nothing),
        cmocka_unit_test(a_star_of_postgres_goes_with_its_connection),
        cmocka_unit_test(the_database_of_the_input_is_no_place_for_a_star),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
