/* An engine's whole walk when memory runs out: each allocation is made to fail once. Every run ends
 * in a clean error, nothing is committed, and what was begun is rolled back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/sql/dialect.h"
#include "fault/fault.h"
#include "unit/toy_transport.h"

static const char *const columns[][3] = {{"age", "double precision", "1"}, {"town", "text", "1"}};
static const char *const folded[][TOY_MOST_COLUMNS] = {
    {"30", "Bonn", "2"}, {"31", "Bonn", "3"}, {"50", NULL, "1"}};
static const char *const released[][TOY_MOST_COLUMNS] = {{"30-39", "Bonn", "5"}};

static kan_status release(kan_engine *engine, kan_table *table, bool by_group) {
    kan_slice labels[3], towns[2];
    const uint32_t groups[3] = {0, 1, 2};
    uint8_t is_suppressed[3] = {0};
    kan_table *counted = NULL;
    for (uint32_t i = 0; i < 3; i++)
        labels[i] = kan_slice_of(i < 2 ? "30-39" : "50");
    for (uint32_t i = 0; i < 2; i++)
        towns[i] = kan_dictionary_value(&table->columns[1].dictionary, i);
    for (uint64_t row = 0; row < 3; row++)
        is_suppressed[row] = kan_slice_is(kan_column_value(&table->columns[0], row), "50");
    const kan_column *const age = &table->columns[0], *const town = &table->columns[1];
    kan_release_column shown[] = {{.name = "age",
                                   .is_quasi = true,
                                   .by_group = by_group,
                                   .width = by_group ? 4 : age->width,
                                   .codes = by_group ? (const void *)groups : age->codes,
                                   .labels = labels,
                                   .n_labels = 3},
                                  {.name = "town",
                                   .source_column = 1,
                                   .is_quasi = true,
                                   .width = town->width,
                                   .codes = town->codes,
                                   .labels = towns,
                                   .n_labels = 2}};
    const kan_release out = {.n_rows = 3,
                             .n_columns = 2,
                             .columns = shown,
                             .is_suppressed = is_suppressed,
                             .group_of_row = by_group ? groups : NULL};
    const kan_engine_order order = {
        .target = "postgres://h/db?table=out", .table = table, .release = &out};
    KAN_TRY(kan_engine_prepare(engine, order.target, false, false));
    KAN_TRY(kan_engine_apply(engine, &order));
    KAN_TRY(kan_engine_recount(engine, &counted));
    const kan_status status = kan_engine_compare(engine, &order, counted);
    kan_table_destroy(counted);
    KAN_TRY(status);
    return kan_engine_commit(engine);
}

static kan_status walk(kan_run *run, toy *t, bool by_group) {
    static const kan_engine_kind kind = {"postgres", &kan_dialect_postgres, &toy_transport};
    const kan_source_options options = {0};
    const bool encode[] = {true, true};
    bool is_apart[2];
    void *engine = NULL;
    kan_table *table = NULL;
    (void)t;
    KAN_TRY(kan_engine_open(run, &kind, "postgres://h/db?table=people", &options, &engine));
    kan_status status = kan_engine_find_apart(engine, encode, is_apart);
    if (status == KAN_OK)
        status = kan_engine_fold(engine, encode, &table);
    if (status == KAN_OK)
        status = release(engine, table, by_group);
    kan_table_destroy(table);
    kan_engine_close(engine);
    return status;
}

static void try_all(bool by_group) {
    uint64_t n_failed = 0;
    for (uint64_t n = 1;; n++) {
        toy_answer answers[] = {{"SELECT DISTINCT", 3, folded, 0},
                                {"FROM \"people\" GROUP BY", 3, folded, 0},
                                {"to_regclass", 0, NULL, 0},
                                {"GROUP BY", 1, released, 0}};
        toy t = {.columns = columns, .n_columns = 2, .answers = answers, .n_answers = 4};
        fault_reset();
        kan_run *const run = kan_run_create();
        assert_non_null(run);
        toy_begin(&t, run);
        fault_fail_allocation_at(n);
        const kan_status status = walk(run, &t, by_group);
        const bool happened = fault_happened();
        fault_reset();
        /* The toy's own log may be what failed; the walk goes on then. */
        if (status != KAN_OK) {
            assert_int_equal(status, KAN_FAILED);
            assert_true(happened && kan_run_error(run)[0] != '\0');
            assert_false(t.is_open);
            assert_null(strstr(t.log.bytes, "COMMIT"));
            n_failed++;
        }
        toy_end(&t);
        kan_run_destroy(run);
        if (!happened)
            break;
    }
    assert_true(n_failed > 40);
}

static void running_out_of_memory_ends_in_a_clean_error(void **state) {
    (void)state;
    try_all(false);
    try_all(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_out_of_memory_ends_in_a_clean_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
