/* A release of several tables in a schema, when memory runs out or the line is dead: each allocation, and each
 * call of the transport, is made to fail once. Every such run ends in a clean error, nothing was committed
 * that is not whole, and what was begun is rolled back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine/schema/schema.h"
#include "engine/sql/dialect.h"
#include "fault/fault.h"
#include "unit/toy_transport.h"

static const char *const columns[][3] = {{"age", "text by bytes", "1"},
                                         {"town", "text by bytes", "1"}};
static const char *const one[][TOY_MOST_COLUMNS] = {{"1"}};
static const char *const stored[][TOY_MOST_COLUMNS] = {{"30-39", "Ulm"}, {"30-39", NULL}};
static const char *const names[] = {"people", "stays"};
enum { N_TABLES = 2, N_ROWS = 3 };

static kan_status open_toy(kan_run *run, const char *path, const kan_source_options *options,
                           void **out) {
    static const kan_engine_kind kind = {"postgres", &kan_dialect_postgres, &toy_transport};
    return kan_engine_open(run, &kind, path, options, out);
}

static const kan_source_kind source_toy = {
    .kind = {.name = "toy"}, .open = open_toy, .close = kan_engine_close, .name = kan_engine_name};

/* Two rows of three, the last before the first; a missing value is one of nothing. */
static kan_status write_tables(kan_run *run, kan_engine *schema, kan_sink **out) {
    static const uint8_t codes[] = {0, 1, 0}, towns[] = {1, 0, 0}, left_out[] = {0, 1, 0};
    static const uint64_t order[] = {2, 1, 0};
    const kan_slice ages[] = {kan_slice_of("30-39"), kan_slice_of("secret")},
                    places[] = {kan_slice_of("Ulm"), kan_slice_of("")};
    kan_release_column shown[] = {
        {.name = "age", .width = 1, .codes = codes, .labels = ages, .n_labels = 2},
        {.name = "town", .width = 1, .codes = towns, .labels = places, .n_labels = 2}};
    const kan_release release = {.n_rows = N_ROWS,
                                 .n_released = 2,
                                 .n_columns = 2,
                                 .columns = shown,
                                 .is_suppressed = left_out,
                                 .order = order};
    const kan_sink_order orders[] = {
        {.kind = &kan_sink_schema, .release = &release, .schema = schema},
        {.kind = &kan_sink_schema, .release = &release, .schema = schema}};
    return kan_sink_write_several(run, orders, names, N_TABLES, out);
}

static kan_status read_table(kan_run *run, const kan_sink *sink, size_t t) {
    const kan_source_options options = kan_sink_options_of(sink, t);
    const bool encode[] = {true, true};
    kan_source *source = NULL;
    kan_table *table = NULL;
    KAN_TRY(kan_source_open(run, kan_sink_reader(sink), NULL, &options, &source));
    const kan_status status = kan_source_read(source, encode, NULL, &table);
    if (status == KAN_OK) {
        assert_int_equal(kan_table_n_rows(table), 2);
        assert_true(kan_slice_is(kan_column_value(&table->columns[1], 0), "Ulm"));
        assert_int_equal(kan_column_value(&table->columns[1], 1).size, 0);
    }
    kan_table_destroy(table);
    kan_source_close(source);
    return status;
}

static kan_status release(kan_run *run, kan_engine *schema, bool overwrite, kan_sink **sink) {
    static const char *const own[] = {"age", "town"};
    const kan_schema_table tables[] = {{names[0], 2, own}, {names[1], 2, own}};
    KAN_TRY(kan_schema_make(schema, tables, N_TABLES, overwrite));
    KAN_TRY(write_tables(run, schema, sink));
    for (size_t t = 0; t < N_TABLES; t++)
        KAN_TRY(read_table(run, *sink, t));
    return kan_schema_name(schema);
}

static kan_status walk(kan_run *run, bool overwrite) {
    const kan_source_options options = {.is_schema = true};
    kan_source *schema = NULL;
    kan_sink *sink = NULL;
    KAN_TRY(kan_source_open(run, &source_toy, "postgres://h/db?schema=out", &options, &schema));
    const kan_status status = release(run, kan_engine_of(schema), overwrite, &sink);
    kan_sink_close(sink);
    kan_source_close(schema);
    return status;
}

static size_t count_of(const char *text, const char *part) {
    size_t n = 0;
    while ((text = strstr(text, part))) {
        n++;
        text++;
    }
    return n;
}

typedef struct outcome {
    kan_status status;
    size_t n_calls;
    bool happened;
} outcome;

/* The n-th allocation fails, or the n-th call; 0: none. */
static void run_once(uint64_t allocation, size_t call, bool is_there, outcome *out,
                     void (*check)(const toy *, const outcome *)) {
    toy_answer answers[] = {{"pg_namespace", 1, one, 0},
                            {"to_regclass", is_there, one, 0},
                            {"ORDER BY ctid", 2, stored, 0}};
    toy t = {
        .columns = columns, .n_columns = 2, .answers = answers, .n_answers = 3, .fail_at = call};
    fault_reset();
    kan_run *const run = kan_run_create();
    assert_non_null(run);
    toy_begin(&t, run);
    if (allocation > 0)
        fault_fail_allocation_at(allocation);
    out->status = walk(run, is_there);
    out->happened = allocation > 0 && fault_happened();
    out->n_calls = t.n_calls;
    fault_reset();
    assert_false(t.is_open);
    if (out->status != KAN_OK)
        assert_true(kan_run_error(run)[0] != '\0');
    check(&t, out);
    toy_end(&t);
    kan_run_destroy(run);
}

/* Rows that are left out are in no statement; names come last, all of them before the only COMMIT. */
static void is_whole(const toy *t, const outcome *out) {
    const char *const log = t->log.bytes;
    assert_int_equal(out->status, KAN_OK);
    assert_int_equal(count_of(log, "CREATE TABLE \"out\".\"kanon_"), N_TABLES);
    assert_int_equal(count_of(log, " <- 30-39 Ulm\n"), N_TABLES);
    assert_int_equal(count_of(log, " <- 30-39 NULL\n"), N_TABLES);
    assert_int_equal(count_of(log, " <- "), 2 * N_TABLES);
    assert_true(strstr(log, "<- 30-39 Ulm") < strstr(log, "<- 30-39 NULL")); /* the order */
    assert_null(strstr(log, "secret"));
    assert_int_equal(count_of(log, "RENAME TO \"people\"\n"), 1);
    assert_int_equal(count_of(log, "RENAME TO \"stays\"\n"), 1);
    assert_int_equal(count_of(log, "COMMIT\n"), 1);
    assert_null(strstr(log, "ROLLBACK"));
    assert_null(strstr(strstr(log, "COMMIT"), "RENAME"));
    const char *const first_name = strstr(log, "RENAME"), *at = log, *last_read = NULL;
    while ((at = strstr(at, "ORDER BY ctid")))
        last_read = at++;
    assert_true(last_read && last_read < first_name);
}

static void replaces_old(const toy *t, const outcome *out) {
    const char *const log = t->log.bytes;
    is_whole(t, out);
    const char *const child = strstr(log, "DROP TABLE IF EXISTS \"out\".\"stays\"\n"),
                      *const parent = strstr(log, "DROP TABLE IF EXISTS \"out\".\"people\"\n");
    assert_true(child && parent && child < parent && parent < strstr(log, "RENAME"));
}

/* The toy's own log may be what failed; the walk goes on then. */
static void memory_ran_out(const toy *t, const outcome *out) {
    if (out->status == KAN_OK)
        return;
    assert_int_equal(out->status, KAN_FAILED);
    assert_true(out->happened);
    assert_null(strstr(t->log.bytes, "COMMIT"));
}

/* A COMMIT that fails is the last that was asked; whoever reads the message looks what is there. */
static void line_died(const toy *t, const outcome *out) {
    const char *const log = t->log.bytes, *const commit = strstr(log, "COMMIT\n");
    assert_int_equal(out->status, KAN_FAILED);
    if (commit)
        assert_string_equal(commit, "COMMIT\nROLLBACK\n");
    else if (strstr(log, "CREATE TABLE"))
        assert_int_equal(count_of(log, "ROLLBACK\n"), 1);
}

static void a_release_is_whole(void **state) {
    outcome out;
    (void)state;
    run_once(0, 0, false, &out, is_whole);
    run_once(0, 0, true, &out, replaces_old);
}

static void running_out_of_memory_ends_in_a_clean_error(void **state) {
    (void)state;
    for (int is_there = 0; is_there < 2; is_there++) {
        outcome out = {.happened = true};
        uint64_t n = 1;
        for (; out.happened; n++)
            run_once(n, 0, is_there, &out, memory_ran_out);
        assert_true(n > 40);
    }
}

static void a_dead_line_leaves_nothing(void **state) {
    (void)state;
    for (int is_there = 0; is_there < 2; is_there++) {
        outcome whole, out;
        run_once(0, 0, is_there, &whole, is_there ? replaces_old : is_whole);
        assert_true(whole.n_calls > 15);
        for (size_t call = 1; call <= whole.n_calls; call++)
            run_once(0, call, is_there, &out, line_died);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_release_is_whole),
        cmocka_unit_test(running_out_of_memory_ends_in_a_clean_error),
        cmocka_unit_test(a_dead_line_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
