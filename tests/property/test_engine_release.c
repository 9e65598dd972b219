/* Releases in an engine against plain counting: random small tables with nasty names, values and
 * NULLs, random releases over them (labels that follow from values, values as they are, groups,
 * suppressed rows of either kind, rows that are alike and divided), made, counted and named in the
 * engine. Each row is then known by a number that passed through, so that every single one is
 * checked.
 *
 * DuckDB where its library is (KANON_DUCKDB), SQLite through ODBC where its driver is installed, MariaDB
 * where KANON_TEST_ODBC has its connection string (tests/engine/mariadb.sh). PostgreSQL and ClickHouse
 * where KANON_TEST_POSTGRES or KANON_TEST_CLICKHOUSE has the address of a database without a table,
 * such as postgres://HOST/DATABASE (tests/engine/releases.sh). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/hash.h"
#include "engine/clickhouse/clickhouse.h"
#include "engine/duckdb/duckdb.h"
#include "engine/engine.h"
#include "engine/odbc/odbc.h"
#include "engine/postgres/postgres.h"
#include "engine/sql/dialect.h"
#include "engine/sql/sql.h"
#include "engine/transport.h"
#include "io/duckdb/duckdb.h"

enum { N_ENCODED = 4, N_COLUMNS = 5, MOST_ROWS = 60, N_VALUES = 12, N_ROUNDS = 100 };

static const char *const names[N_COLUMNS] = {
    "a\"'`\\; DROP TABLE people; --", "kx_0", "SELECT",
    "\xc3\xa4 63 bytes long, with a name that is as long as postgres takes.", "row \"number\""};
static const char *const table_name = "Peo\"ple; DROP TABLE x";

/* Values of the columns, as CSV has them; "" is NULL or ''. The second is of numbers, the third of
 * reals. */
static const char *const values[N_ENCODED][N_VALUES] = {
    {"", "a", "A", "a ", " a", "'", "''; DROP TABLE people; --", "\\", "\\'", "\"", "x\ny\tz",
     "\xe2\x82\xac\xc3\xa9"},
    {"", "0", "1", "-1", "7", "42", "1000000", "-2147483648", "9007199254740993", "5", "6", "8"},
    {"", "0.5", "0.1", "-0.25", "1000000000000000", "3", "1e-07", "2.5", "1e+300", "7.25", "100",
     "0.3333333333333333"},
    {"", "?", "*", "NULL", "null", "1", "01", "%s", "$1", ":a", "/* */", "-- x"},
};

static const kan_engine_kind odbc_kind = {"odbc", NULL, &kan_transport_odbc};

typedef struct {
    const char *name;
    const kan_engine_kind *kind;
    const char *const *types; /* of the columns */
    const char *tail;         /* behind CREATE TABLE; NULL: nothing */
    char path[64];
    char input[512], output[512];
} engine_case;

typedef struct {
    kan_run *run;
    uint64_t random;
    const engine_case *engine;
    size_t n_rows;
    uint8_t cells[MOST_ROWS][N_ENCODED];
    bool is_null[MOST_ROWS][N_ENCODED];
    /* The release: what its order has, row by row of its table. */
    kan_table *table;
    size_t n_parts; /* rows of the table */
    uint32_t codes[N_ENCODED][MOST_ROWS];
    char labels[N_ENCODED][MOST_ROWS][16];
    kan_slice slices[N_ENCODED][MOST_ROWS];
    uint32_t group_of_row[MOST_ROWS];
    uint8_t is_suppressed[MOST_ROWS];
    kan_release_column columns[N_COLUMNS];
    kan_release release;
    bool has_groups;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->random, bound);
}

/* ---- the table ------------------------------------------------------------------------------ */

static void execute(world *w, void *connection, const char *sql) {
    const kan_statement statement = {.sql = sql, .what = "prepare the test"};
    if (w->engine->kind->transport->execute(connection, 0, &statement) != KAN_OK)
        fail_msg("%s: %s: %s", w->engine->name, sql, kan_run_error(w->run));
}

static const kan_dialect *dialect_of(const world *w) {
    static const struct {
        const char *name;
        const kan_dialect *dialect;
    } dialects[] = {{"duckdb", &kan_dialect_duckdb},
                    {"sqlite", &kan_dialect_sqlite},
                    {"mariadb", &kan_dialect_mariadb},
                    {"postgres", &kan_dialect_postgres},
                    {"clickhouse", &kan_dialect_clickhouse}};
    for (size_t i = 0; i < sizeof dialects / sizeof *dialects; i++)
        if (strcmp(w->engine->name, dialects[i].name) == 0)
            return dialects[i].dialect;
    fail();
    return NULL;
}

static void add_row(world *w, kan_text *sql, size_t row) {
    kan_text_print(sql, "%s(", row ? ", " : "");
    for (size_t c = 0; c < N_ENCODED; c++) {
        const char *value = values[c][w->cells[row][c]];
        if (w->is_null[row][c])
            kan_text_print(sql, "NULL");
        else if (c == 1 || c == 2)
            kan_text_print(sql, "%s", value);
        else
            kan_sql_text(sql, dialect_of(w), kan_slice_of(value));
        kan_text_print(sql, ", ");
    }
    kan_text_print(sql, "%zu)", row);
}

static void drop(world *w, void *connection, const char *schema, const char *name) {
    kan_text sql;
    kan_text_init(&sql, w->run);
    kan_text_print(&sql, "%s", dialect_of(w)->drop);
    kan_sql_place(&sql, dialect_of(w), schema, name);
    execute(w, connection, sql.bytes);
    kan_text_destroy(&sql);
}

static void make_input(world *w) {
    const kan_dialect *const dialect = dialect_of(w);
    const kan_transport *const transport = w->engine->kind->transport;
    kan_arena arena;
    kan_address address;
    void *connection = NULL;
    kan_text sql;
    kan_arena_init(&arena, w->run);
    assert_int_equal(kan_address_parse(w->run, &arena, w->engine->input, &address), KAN_OK);
    if (transport->connect(w->run, &address, NULL, &connection) != KAN_OK)
        fail_msg("%s", kan_run_error(w->run));
    drop(w, connection, address.schema, "out");
    drop(w, connection, address.schema, table_name);
    kan_text_init(&sql, w->run);
    kan_text_print(&sql, "CREATE TABLE ");
    kan_sql_place(&sql, dialect, address.schema, table_name);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        kan_text_print(&sql, c ? ", " : " (");
        kan_sql_name(&sql, dialect, names[c]);
        kan_text_print(&sql, " %s", w->engine->types[c]);
    }
    kan_text_print(&sql, ")%s", w->engine->tail ? w->engine->tail : "");
    execute(w, connection, sql.bytes);
    kan_text_destroy(&sql);
    kan_text_init(&sql, w->run);
    kan_text_print(&sql, "INSERT INTO ");
    kan_sql_place(&sql, dialect, address.schema, table_name);
    kan_text_print(&sql, " VALUES ");
    for (size_t row = 0; row < w->n_rows; row++)
        add_row(w, &sql, row);
    execute(w, connection, sql.bytes);
    kan_text_destroy(&sql);
    transport->disconnect(connection);
    kan_arena_destroy(&arena);
}

static void draw_table(world *w) {
    const size_t n_values = 2 + below(w, N_VALUES - 2);
    w->n_rows = 1 + below(w, MOST_ROWS - 1);
    for (size_t row = 0; row < w->n_rows; row++)
        for (size_t c = 0; c < N_ENCODED; c++) {
            w->cells[row][c] = (uint8_t)below(w, n_values);
            w->is_null[row][c] =
                values[c][w->cells[row][c]][0] == '\0' && (c == 1 || c == 2 || below(w, 2) == 0);
        }
}

/* ---- the fold ------------------------------------------------------------------------------- */

static bool has_values(const world *w, size_t row, const kan_table *table, uint64_t at) {
    for (size_t c = 0; c < N_ENCODED; c++)
        if (!kan_slice_is(kan_column_value(&table->columns[c], at), values[c][w->cells[row][c]]))
            return false;
    return true;
}

static void check_fold(const world *w, const kan_table *table) {
    assert_int_equal(kan_table_total(table), w->n_rows);
    for (uint64_t at = 0; at < table->n_rows; at++) {
        uint64_t n = 0;
        for (size_t row = 0; row < w->n_rows; row++)
            n += has_values(w, row, table, at);
        assert_int_equal(kan_table_count(table, at), n);
    }
}

/* ---- the release ---------------------------------------------------------------------------- */

/* The table of the order: that of the fold, some of its rows as two. */
static void draw_order_table(world *w, const kan_table *folded, bool splits) {
    uint64_t *counts;
    kan_table *table;
    assert_int_equal(kan_table_create(w->run, N_COLUMNS, names, &table), KAN_OK);
    assert_int_equal(kan_alloc(w->run, MOST_ROWS, sizeof *counts, &counts), KAN_OK);
    w->n_parts = 0;
    for (uint64_t at = 0; at < folded->n_rows; at++) {
        uint64_t left = kan_table_count(folded, at);
        while (left > 0) {
            const uint64_t n = splits && left > 1 ? 1 + below(w, (size_t)left) : left;
            char text[N_COLUMNS][128] = {{0}};
            const char *row[N_COLUMNS];
            for (size_t c = 0; c < N_ENCODED; c++) {
                const kan_slice value = kan_column_value(&folded->columns[c], at);
                memcpy(text[c], value.bytes, value.size);
            }
            for (size_t c = 0; c < N_COLUMNS; c++)
                row[c] = text[c];
            assert_int_equal(kan_table_add_row(table, row), KAN_OK);
            counts[w->n_parts++] = n;
            left -= n;
        }
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    assert_int_equal(kan_table_take_counts(table, counts), KAN_OK);
    table->columns[N_ENCODED].is_encoded = false;
    w->table = table;
}

/* Labels by code: values as they are, or a few letters of which one may be none. */
static void draw_labels(world *w, size_t c, size_t n) {
    const bool is_kept = below(w, 3) == 0 && !w->has_groups;
    const size_t n_kinds = 1 + below(w, 4);
    for (size_t i = 0; i < n; i++) {
        const size_t kind = below(w, n_kinds);
        w->labels[c][i][0] = '\0';
        if (kind != 3)
            snprintf(w->labels[c][i], sizeof w->labels[c][i], "%zu'\"\\-%zu", kind, c);
        w->slices[c][i] = is_kept
                              ? kan_dictionary_value(&w->table->columns[c].dictionary, (uint32_t)i)
                              : kan_slice_of(w->labels[c][i]);
    }
}

static void draw_columns(world *w) {
    w->has_groups = below(w, 2) == 0;
    for (size_t row = 0; row < w->n_parts; row++)
        w->group_of_row[row] = (uint32_t)below(w, w->n_parts);
    for (size_t c = 0; c < N_ENCODED; c++) {
        const kan_column *const column = &w->table->columns[c];
        const bool is_quasi = c < 3, by_group = is_quasi && w->has_groups;
        const size_t n = by_group ? w->n_parts : column->dictionary.n;
        w->columns[c] = (kan_release_column){.name = names[c],
                                             .source_column = c,
                                             .is_quasi = is_quasi,
                                             .by_group = by_group,
                                             .width = by_group ? 4 : column->width,
                                             .codes = by_group ? w->codes[c] : column->codes,
                                             .labels = w->slices[c],
                                             .n_labels = (uint32_t)n};
        for (size_t i = 0; i < w->n_parts; i++)
            w->codes[c][i] = (uint32_t)i;
        draw_labels(w, c, n);
    }
    w->columns[N_ENCODED] = (kan_release_column){
        .name = names[N_ENCODED], .source_column = N_ENCODED, .passes_through = true};
    w->release = (kan_release){.n_rows = w->n_parts,
                               .n_columns = N_COLUMNS,
                               .columns = w->columns,
                               .group_of_row = w->has_groups ? w->group_of_row : NULL};
}

static kan_slice label_of(const world *w, size_t c, size_t row) {
    return w->columns[c].labels[kan_release_code(&w->release, &w->columns[c], row)];
}

/* By what the quasi-identifiers show, or row by row. */
static void draw_suppression(world *w) {
    const size_t way = below(w, 3);
    const uint64_t salt = below(w, 1 << 20);
    for (size_t row = 0; row < w->n_parts; row++) {
        uint64_t shown = salt;
        for (size_t c = 0; c < 3; c++) {
            const kan_slice label = label_of(w, c, row);
            for (size_t i = 0; i < label.size; i++)
                shown = kan_hash_word(shown + (unsigned char)label.bytes[i]);
            shown = kan_hash_word(shown + 1000);
        }
        w->is_suppressed[row] = way == 0 ? 0 : way == 1 ? shown % 3 == 0 : below(w, 3) == 0;
    }
    w->release.is_suppressed = way ? w->is_suppressed : NULL;
}

/* ---- what came out -------------------------------------------------------------------------- */

static size_t parse_row(kan_slice text) {
    char room[32] = {0};
    assert_true(text.size > 0 && text.size < sizeof room);
    memcpy(room, text.bytes, text.size);
    return (size_t)strtoul(room, NULL, 10);
}

static bool is_alike(const world *w, size_t row, size_t part) {
    return has_values(w, row, w->table, part);
}

/* Whether a row of the release shows what a row of the order should. */
static bool shows(const world *w, const kan_table *out, uint64_t at, size_t part) {
    for (size_t c = 0; c < N_ENCODED; c++)
        if (!kan_slice_equal(kan_column_value(&out->columns[c], at), label_of(w, c, part)))
            return false;
    return true;
}

/* Rows of the release that come from rows with the values of `part`, and show what it shows; and
 * what the order says of all its rows that have and show that. */
static void check_part(const world *w, const kan_table *out, size_t part) {
    uint64_t found = 0, wanted = 0;
    for (uint64_t at = 0; at < out->n_rows; at++) {
        const size_t row = parse_row(kan_column_value(&out->columns[N_ENCODED], at));
        assert_true(row < w->n_rows && kan_table_count(out, at) == 1);
        found += is_alike(w, row, part) && shows(w, out, at, part);
    }
    for (size_t other = 0; other < w->n_parts; other++) {
        bool is_same = !w->is_suppressed[other];
        for (size_t c = 0; c < N_ENCODED && is_same; c++)
            is_same = kan_column_code(&w->table->columns[c], other) ==
                          kan_column_code(&w->table->columns[c], part) &&
                      kan_slice_equal(label_of(w, c, other), label_of(w, c, part));
        wanted += is_same ? kan_table_count(w->table, other) : 0;
    }
    assert_int_equal(found, wanted);
}

static kan_status take_any(void *context, const kan_slice *row) {
    (void)row;
    *(bool *)context = true;
    return KAN_OK;
}

/* NULL and '' were counted as one, and come out alike. */
static void check_missing(world *w) {
    const kan_transport *const transport = w->engine->kind->transport;
    bool is_any = false;
    const kan_row_taker taker = {take_any, &is_any};
    kan_arena arena;
    kan_address address;
    void *connection = NULL;
    kan_arena_init(&arena, w->run);
    assert_int_equal(kan_address_parse(w->run, &arena, w->engine->output, &address), KAN_OK);
    assert_int_equal(transport->connect(w->run, &address, NULL, &connection), KAN_OK);
    for (size_t c = 0; c < N_ENCODED; c += 3) {
        kan_text sql;
        kan_text_init(&sql, w->run);
        kan_text_print(&sql, "SELECT '1' FROM ");
        kan_sql_place(&sql, dialect_of(w), address.schema, "out");
        kan_text_print(&sql, " WHERE ");
        kan_sql_name(&sql, dialect_of(w), names[c]);
        kan_text_print(&sql, " = ''");
        const kan_statement statement = {.sql = sql.bytes, .what = "look for empty texts"};
        assert_int_equal(transport->query(connection, 0, &statement, 1, &taker), KAN_OK);
        kan_text_destroy(&sql);
    }
    assert_false(is_any);
    transport->disconnect(connection);
    kan_arena_destroy(&arena);
}

static void check_release(world *w) {
    const bool encode[N_COLUMNS] = {true, true, true, true, true};
    const kan_source_options options = {0};
    void *engine = NULL;
    kan_table *out = NULL;
    uint64_t n_wanted = 0;
    for (size_t part = 0; part < w->n_parts; part++)
        n_wanted += w->is_suppressed[part] ? 0 : kan_table_count(w->table, part);
    if (kan_engine_open(w->run, w->engine->kind, w->engine->output, &options, &engine) != KAN_OK)
        fail_msg("%s", kan_run_error(w->run));
    const kan_status status = kan_engine_fold(engine, encode, &out);
    if (n_wanted == 0) {
        assert_int_equal(status, KAN_BAD_INPUT);
    } else {
        assert_int_equal(status, KAN_OK);
        assert_int_equal(kan_table_total(out), n_wanted);
        for (size_t part = 0; part < w->n_parts; part++)
            check_part(w, out, part);
    }
    kan_table_destroy(out);
    kan_engine_close(engine);
}

static void walk(world *w, kan_engine *engine, const kan_engine_order *order) {
    kan_table *counted = NULL;
    kan_status status =
        kan_engine_prepare(engine, order->target, false, dialect_of(w)->has_windows);
    if (status == KAN_OK)
        status = kan_engine_apply(engine, order);
    if (status == KAN_OK)
        status = kan_engine_recount(engine, &counted);
    if (status == KAN_OK)
        status = kan_engine_compare(engine, order, counted);
    kan_table_destroy(counted);
    if (status == KAN_OK)
        status = kan_engine_commit(engine);
    if (status != KAN_OK)
        fail_msg("%s: %s", w->engine->name, kan_run_error(w->run));
}

static void run_round(world *w) {
    const bool encode[N_COLUMNS] = {true, true, true, true, false};
    const kan_source_options options = {0};
    void *engine = NULL;
    kan_table *folded = NULL;
    draw_table(w);
    make_input(w);
    if (kan_engine_open(w->run, w->engine->kind, w->engine->input, &options, &engine) != KAN_OK ||
        kan_engine_fold(engine, encode, &folded) != KAN_OK)
        fail_msg("%s: %s", w->engine->name, kan_run_error(w->run));
    check_fold(w, folded);
    draw_order_table(w, folded, below(w, 2) == 0 && dialect_of(w)->has_windows);
    memset(w->is_suppressed, 0, sizeof w->is_suppressed);
    draw_columns(w);
    draw_suppression(w);
    const kan_engine_order order = {
        .target = w->engine->output, .table = w->table, .release = &w->release};
    walk(w, engine, &order);
    kan_engine_close(engine);
    check_release(w);
    check_missing(w);
    kan_table_destroy(folded);
    kan_table_destroy(w->table);
}

static void run_engine(const engine_case *engine, uint64_t seed) {
    world *const w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->run = kan_run_create();
    w->engine = engine;
    w->random = seed;
    for (size_t round = 0; round < N_ROUNDS; round++)
        run_round(w);
    kan_run_destroy(w->run);
    free(w);
}

static void percent(const char *text, char *out) {
    for (; *text; text++)
        out += sprintf(out, "%%%02X", (unsigned char)*text);
}

static void make_folder(engine_case *engine) {
    strcpy(engine->path, "/tmp/kanon-release-XXXXXX");
    assert_non_null(mkdtemp(engine->path));
}

static void remove_folder(const engine_case *engine) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", engine->path);
    assert_int_equal(system(command), 0);
}

static void every_row_of_a_release_in_duckdb_is_as_ordered(void **state) {
    static const char *const types[] = {"VARCHAR", "BIGINT", "DOUBLE", "VARCHAR", "BIGINT"};
    engine_case engine = {.name = "duckdb", .kind = &kan_engine_duckdb, .types = types};
    char quoted[200] = "", table[600] = "", database[128];
    kan_duck *duck = NULL;
    (void)state;
    if (!getenv("KANON_DUCKDB"))
        skip();
    make_folder(&engine);
    snprintf(database, sizeof database, "%s/a.db", engine.path);
    kan_run *const run = kan_run_create();
    const kan_duck_plan plan = {
        .name = database, .what = "test", .path = database, .n_threads = 1, .database = database};
    if (kan_duck_open(run, &plan, &duck) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    kan_duck_close(duck);
    kan_run_destroy(run);
    snprintf(quoted, sizeof quoted, "\"Peo\"\"ple; DROP TABLE x\"");
    percent(quoted, table);
    snprintf(engine.input, sizeof engine.input, "duckdb:%s?table=%s", database, table);
    snprintf(engine.output, sizeof engine.output, "duckdb:%s?table=out", database);
    run_engine(&engine, 27);
    remove_folder(&engine);
}

static void every_row_of_a_release_in_sqlite_is_as_ordered(void **state) {
    static const char *const types[] = {"TEXT", "INTEGER", "REAL", "VARCHAR(40) COLLATE NOCASE",
                                        "INTEGER"};
    engine_case engine = {.name = "sqlite", .kind = &odbc_kind, .types = types};
    char path[128];
    glob_t found;
    (void)state;
    if (glob("/usr/lib/*/odbc/libsqlite3odbc.so", 0, NULL, &found) != 0)
        skip();
    make_folder(&engine);
    snprintf(path, sizeof path, "%s/a.db", engine.path);
    const int file = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0 && close(file) == 0);
    snprintf(engine.input, sizeof engine.input,
             "odbc:Driver=%s;Database=%s;table={\"Peo\"\"ple; DROP TABLE x\"}", found.gl_pathv[0],
             path);
    snprintf(engine.output, sizeof engine.output, "odbc:Driver=%s;Database=%s;table=out",
             found.gl_pathv[0], path);
    globfree(&found);
    run_engine(&engine, 72);
    remove_folder(&engine);
}

static void every_row_of_a_release_in_mariadb_is_as_ordered(void **state) {
    static const char *const types[] = {"VARCHAR(60)", "BIGINT", "DOUBLE",
                                        "CHAR(40) CHARACTER SET latin1", "INTEGER"};
    engine_case engine = {.name = "mariadb", .kind = &odbc_kind, .types = types};
    const char *const string = getenv("KANON_TEST_ODBC");
    (void)state;
    if (!string)
        skip();
    snprintf(engine.input, sizeof engine.input, "odbc:%s;table={\"Peo\"\"ple; DROP TABLE x\"}",
             string);
    snprintf(engine.output, sizeof engine.output, "odbc:%s;table=out", string);
    run_engine(&engine, 108);
}

static void every_row_of_a_release_in_postgres_is_as_ordered(void **state) {
    static const char *const types[] = {"text", "bigint", "double precision", "varchar(60)",
                                        "bigint"};
    engine_case engine = {.name = "postgres", .kind = &kan_engine_postgres, .types = types};
    const char *const database = getenv("KANON_TEST_POSTGRES");
    char table[600] = "";
    (void)state;
    if (!database)
        skip();
    percent("\"Peo\"\"ple; DROP TABLE x\"", table);
    snprintf(engine.input, sizeof engine.input, "%s?table=%s", database, table);
    snprintf(engine.output, sizeof engine.output, "%s?table=out", database);
    run_engine(&engine, 15);
}

static void every_row_of_a_release_in_clickhouse_is_as_ordered(void **state) {
    static const char *const types[] = {"Nullable(String)", "Nullable(Int64)", "Nullable(Float64)",
                                        "Nullable(String)", "UInt64"};
    engine_case engine = {.name = "clickhouse",
                          .kind = &kan_engine_clickhouse,
                          .types = types,
                          .tail = " ENGINE = MergeTree ORDER BY tuple()"};
    const char *const database = getenv("KANON_TEST_CLICKHOUSE");
    char table[600] = "";
    (void)state;
    if (!database)
        skip();
    percent(table_name, table);
    snprintf(engine.input, sizeof engine.input, "%s/%s", database, table);
    snprintf(engine.output, sizeof engine.output, "%s/out", database);
    run_engine(&engine, 18);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_a_release_in_duckdb_is_as_ordered),
        cmocka_unit_test(every_row_of_a_release_in_sqlite_is_as_ordered),
        cmocka_unit_test(every_row_of_a_release_in_mariadb_is_as_ordered),
        cmocka_unit_test(every_row_of_a_release_in_postgres_is_as_ordered),
        cmocka_unit_test(every_row_of_a_release_in_clickhouse_is_as_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
