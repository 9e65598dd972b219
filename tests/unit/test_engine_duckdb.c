/* engine/duckdb: files, folders and patterns of Parquet, counted and released where they are. Texts are
 * those that the same file has when it is read here (io/duckdb). Skipped where there is no library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/duckdb/duckdb.h"
#include "engine/engine.h"
#include "io/duckdb/duckdb.h"

static kan_run *run;
static char folder[64], spill[64];

static int set_up(void **state) {
    (void)state;
    run = kan_run_create();
    strcpy(folder, "/tmp/kanon-duck-XXXXXX");
    if (!run || !mkdtemp(folder))
        return -1;
    snprintf(spill, sizeof spill, "%s/spill", folder);
    char command[128];
    snprintf(command, sizeof command, "mkdir '%s' '%s/in '\\''*'", spill, folder);
    return system(command) == 0 && kan_run_set_tmp(run, spill) == KAN_OK ? 0 : -1;
}

static int tear_down(void **state) {
    char command[128];
    (void)state;
    kan_run_destroy(run);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void path_of(const char *name, char *out) {
    snprintf(out, 256, "%s/in '*/%s", folder, name);
}

/* SQL in a database that may reach the folder. */
static void run_sql(const char *sql) {
    char below[128];
    kan_duck *duck = NULL;
    kan_duck_result result;
    snprintf(below, sizeof below, "%s/", folder);
    const kan_duck_plan plan = {
        .name = "test", .what = "test", .path = below, .folders = {below}, .n_threads = 1};
    if (kan_duck_open(run, &plan, &duck) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    const kan_duck_query query = {
        .sql = sql, .status = KAN_FAILED, .what = "test", .remedy = "mend the test"};
    if (kan_duck_run(duck, duck->connection, &query, &result) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    duck->api.destroy_result(&result);
    kan_duck_close(duck);
}

/* COPY (rows) TO a file of the folder. */
static void make_file(const char *rows, const char *name) {
    char path[256], doubled[300], sql[2000];
    size_t n = 0;
    path_of(name, path);
    for (const char *at = path; *at; at++) {
        doubled[n++] = *at;
        if (*at == '\'')
            doubled[n++] = '\'';
    }
    doubled[n] = '\0';
    snprintf(sql, sizeof sql, "COPY (%s) TO '%s' (FORMAT parquet)", rows, doubled);
    run_sql(sql);
}

static bool is_missing(void) {
    return !getenv("KANON_DUCKDB");
}

static bool is_empty(const char *path) {
    DIR *const d = opendir(path);
    bool is = true;
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;)
        is = is && entry->d_name[0] == '.';
    closedir(d);
    return is;
}

/* The library may reach the folder of the output, which it is told when it starts. */
static kan_engine *open_engine(const char *path) {
    struct kan_option_value said = {.name = "output"};
    const kan_options given = {.n = 1, .values = &said};
    const kan_source_options options = {.given = &given};
    void *engine = NULL;
    char output[256];
    path_of("out.parquet", output);
    said.value = output;
    if (kan_engine_open(run, &kan_engine_duckdb, path, &options, &engine) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    return engine;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static const char nasty_rows[] =
    "SELECT * FROM (VALUES (1::TINYINT, 1.50::DECIMAL(9,2), 0.1::DOUBLE, 0.1::FLOAT, true, "
    "DATE '1980-03-14', TIMESTAMP '1980-03-14 13:45:00', TIMESTAMPTZ '1980-03-14 13:45:00.25+00', "
    "TIME '13:45:00.5', 'a'), "
    "(-128, -0.05, 1e300, 1e30, false, '2000-02-29', '2000-02-29 00:00:00.000001', "
    "'1969-12-31 23:59:59+00', '00:00:00', ''), "
    "(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL), "
    "(7, 1234567.00, 1e15, 16777216, true, '0001-01-01', '9999-12-31 23:59:59', "
    "'2020-01-01 00:00:00+00', '23:59:59.999999', 'A'), "
    "(8, 0.00, -1e-7, -0.25, true, '1582-10-15', '1582-10-15 12:00:00', "
    "'1900-01-01 00:00:00+00', '12:00:00', '\xc3\xa4 ''\"')) "
    "AS t(tiny, dec, dbl, flt, bool, day, stamp, zoned, tod, txt)";
enum { N_TYPES = 10 };

static bool has_row(const kan_table *table, const kan_table *other, uint64_t row) {
    for (uint64_t at = 0; at < table->n_rows; at++) {
        bool is_same = true;
        for (size_t c = 0; c < N_TYPES && is_same; c++)
            is_same = kan_slice_equal(kan_column_value(&table->columns[c], at),
                                      kan_column_value(&other->columns[c], row));
        if (is_same)
            return true;
    }
    return false;
}

static void texts_are_those_of_the_file_when_it_is_read_here(void **state) {
    const bool encode[N_TYPES] = {true, true, true, true, true, true, true, true, true, true};
    const kan_source_options options = {0};
    kan_source *source;
    kan_table *counted, *plain;
    char path[256];
    (void)state;
    if (is_missing())
        skip();
    make_file(nasty_rows, "types.parquet");
    path_of("types.parquet", path);
    kan_engine *const engine = open_engine(path);
    if (kan_engine_fold(engine, encode, &counted) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    assert_int_equal(kan_source_open(run, &kan_source_parquet, path, &options, &source), KAN_OK);
    assert_int_equal(kan_source_read(source, encode, NULL, &plain), KAN_OK);
    assert_int_equal(kan_table_total(counted), plain->n_rows);
    for (size_t c = 0; c < N_TYPES; c++)
        assert_int_equal(kan_engine_field(engine, c)->type, kan_source_field(source, c)->type);
    for (uint64_t row = 0; row < plain->n_rows; row++)
        if (!has_row(counted, plain, row))
            for (size_t c = 0; c < N_TYPES; c++) {
                const kan_slice a = kan_column_value(&counted->columns[c], row),
                                b = kan_column_value(&plain->columns[c], row);
                print_message("%s: '%.*s' here, '%.*s' there\n", counted->columns[c].name,
                              (int)b.size, b.bytes, (int)a.size, a.bytes);
            }
    for (uint64_t row = 0; row < plain->n_rows; row++)
        assert_true(has_row(counted, plain, row));
    kan_table_destroy(counted);
    kan_table_destroy(plain);
    kan_source_close(source);
    kan_engine_close(engine);
}

/* ---- what can be opened --------------------------------------------------------------------- */

static uint64_t count_of(const char *path, size_t n_columns) {
    const bool encode[8] = {true};
    kan_table *table;
    kan_engine *const engine = open_engine(path);
    assert_int_equal(kan_engine_n_columns(engine), n_columns);
    if (kan_engine_fold(engine, encode, &table) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    const uint64_t n = kan_table_total(table);
    kan_table_destroy(table);
    kan_engine_close(engine);
    return n;
}

static void folders_and_patterns_are_one_table(void **state) {
    char path[256], command[400];
    (void)state;
    if (is_missing())
        skip();
    snprintf(command, sizeof command,
             "mkdir -p '%s/in '\\''*/h/year=2020' '%s/in '\\''*/h/year=2021'", folder, folder);
    assert_int_equal(system(command), 0);
    make_file("SELECT range AS a FROM range(3)", "h/year=2020/x.parquet");
    make_file("SELECT range AS a FROM range(4)", "h/year=2021/y.parquet");
    path_of("h", path);
    assert_int_equal(count_of(path, 2), 7); /* the year is a column */
    snprintf(path, sizeof path, "%s/in ?*/h/year=20*/?.parquet", folder);
    assert_int_equal(count_of(path, 2), 7);
    path_of("h/year=2021/y.parquet", path);
    assert_int_equal(count_of(path, 1), 4);
}

static void what_cannot_be_opened_is_told(void **state) {
    static const char *const names[] = {"absent.parquet", "empty", "text.parquet", "no*.parquet"};
    const kan_source_options options = {0};
    char path[256], command[512];
    void *engine = NULL;
    (void)state;
    if (is_missing())
        skip();
    snprintf(command, sizeof command,
             "mkdir -p '%s/in '\\''*/empty'; echo hello > '%s/in '\\''*/text.parquet'", folder,
             folder);
    assert_int_equal(system(command), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_of(names[i], path);
        assert_int_equal(kan_engine_open(run, &kan_engine_duckdb, path, &options, &engine),
                         KAN_BAD_INPUT);
        assert_null(engine);
        assert_null(strstr(kan_run_error(run), "/proc/self"));
    }
    assert_int_equal(
        kan_engine_open(run, &kan_engine_duckdb, "duckdb:/nowhere/a.db?table=x", &options, &engine),
        KAN_BAD_INPUT);
    assert_true(is_empty(spill));
}

/* ---- a release ------------------------------------------------------------------------------ */

typedef struct {
    kan_table *table;
    kan_slice labels[8];
    kan_release_column columns[2];
    kan_release release;
    kan_engine_order order;
} job;

static void make_job(job *j, kan_engine *engine, const char *target) {
    const bool encode[] = {true, false};
    assert_int_equal(kan_engine_fold(engine, encode, &j->table), KAN_OK);
    const kan_column *const a = &j->table->columns[0];
    for (uint32_t i = 0; i < a->dictionary.n; i++)
        j->labels[i] = kan_slice_of(i < 2 ? "low" : "high");
    j->columns[0] = (kan_release_column){.name = "a",
                                         .is_quasi = true,
                                         .width = a->width,
                                         .codes = a->codes,
                                         .labels = j->labels,
                                         .n_labels = a->dictionary.n};
    j->columns[1] = (kan_release_column){.name = "b", .source_column = 1, .passes_through = true};
    j->release = (kan_release){.n_rows = j->table->n_rows, .n_columns = 2, .columns = j->columns};
    j->order = (kan_engine_order){.target = target, .table = j->table, .release = &j->release};
}

static kan_status make_release(kan_engine *engine, const job *j) {
    kan_table *counted;
    KAN_TRY(kan_engine_prepare(engine, j->order.target, false, true));
    KAN_TRY(kan_engine_apply(engine, &j->order));
    KAN_TRY(kan_engine_recount(engine, &counted));
    const kan_status status = kan_engine_compare(engine, &j->order, counted);
    kan_table_destroy(counted);
    return status;
}

static void a_release_is_a_file_when_it_is_committed_and_not_before(void **state) {
    char in[256], out[256];
    job j;
    (void)state;
    if (is_missing())
        skip();
    make_file("SELECT range % 5 AS a, range AS b FROM range(1000)", "people.parquet");
    path_of("people.parquet", in);
    path_of("out '\"*.parquet", out);
    for (int commits = 0; commits < 2; commits++) {
        kan_engine *const engine = open_engine(in);
        make_job(&j, engine, out);
        if (make_release(engine, &j) != KAN_OK)
            fail_msg("%s", kan_run_error(run));
        assert_int_not_equal(access(out, F_OK), 0);
        if (commits)
            assert_int_equal(kan_engine_commit(engine), KAN_OK);
        kan_table_destroy(j.table);
        kan_engine_close(engine);
        assert_int_equal(access(out, F_OK) == 0, commits);
        assert_true(is_empty(spill));
    }
    const kan_source_options options = {0};
    const bool encode[] = {true, true};
    kan_source *source;
    kan_table *released;
    assert_int_equal(kan_source_open(run, &kan_source_parquet, out, &options, &source), KAN_OK);
    assert_int_equal(kan_source_read(source, encode, NULL, &released), KAN_OK);
    assert_int_equal(released->n_rows, 1000);
    assert_int_equal(kan_source_field(source, 1)->type, KAN_FIELD_NUMBER);
    for (uint64_t row = 0; row < 1000; row++)
        assert_true(kan_slice_is(kan_column_value(&released->columns[0], row),
                                 row % 5 < 2 ? "low" : "high"));
    kan_table_destroy(released);
    kan_source_close(source);
    /* It exists now. */
    kan_engine *const engine = open_engine(in);
    assert_int_equal(kan_engine_prepare(engine, out, false, false), KAN_BAD_INPUT);
    kan_engine_close(engine);
}

static void a_cancelled_run_leaves_nothing(void **state) {
    const bool encode[] = {true, true};
    kan_table *table = NULL;
    char path[256];
    (void)state;
    if (is_missing())
        skip();
    make_file("SELECT range % 5 AS a, range AS b FROM range(1000)", "cancel.parquet");
    path_of("cancel.parquet", path);
    kan_engine *const engine = open_engine(path);
    kan_run_cancel(run);
    assert_int_equal(kan_engine_fold(engine, encode, &table), KAN_CANCELLED);
    assert_null(table);
    kan_engine_close(engine);
    assert_true(is_empty(spill));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_those_of_the_file_when_it_is_read_here),
        cmocka_unit_test(folders_and_patterns_are_one_table),
        cmocka_unit_test(what_cannot_be_opened_is_told),
        cmocka_unit_test(a_release_is_a_file_when_it_is_committed_and_not_before),
        cmocka_unit_test(a_cancelled_run_leaves_nothing), /* the last: it stays cancelled */
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
