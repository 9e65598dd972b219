/* Names and values made of pieces of SQL, in every statement of every dialect. A reader of each
 * dialect's own, which shares nothing with the writer, takes the statements apart again. It must find
 * the same statement as for plain names and values: the same words and signs in the same order, and in
 * the places of names and texts exactly those that were put in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "engine/engine.h"
#include "engine/sql/dialect.h"
#include "unit/toy_transport.h"

enum { N_NAMES = 7, N_CELLS = 4, N_LABELS = 2, N_TEXTS = N_NAMES + N_CELLS + N_LABELS, ROOM = 48 };
enum { MOST_TOKENS = 4000, N_ROUNDS = 60 };
enum { SCHEMA, INPUT, OUTPUT, QUASI, OTHER, KEPT, LAST_NAME };

/* Table, columns, cells of both quasi-identifiers, labels: those that are put in. */
typedef struct {
    char texts[N_TEXTS][ROOM];
} scene;

static const struct {
    const kan_dialect *dialect;
    const char *type;
    char quote;
    bool doubles, escapes; /* a quote is doubled; a backslash takes the next sign as it is */
    bool escapes_names;
    bool escapes_lines; /* in texts: ends of lines are \n and \r */
} dialects[] = {
    {&kan_dialect_postgres, "text", '"', true, false, false, false},
    {&kan_dialect_duckdb, "VARCHAR", '"', true, false, false, false},
    {&kan_dialect_sqlite, "TEXT", '"', true, false, false, false},
    {&kan_dialect_mariadb, "varchar(20)", '`', true, true, false, false},
    {&kan_dialect_clickhouse, "Nullable(String)", '`', true, true, true, true},
};

/* ---- reading SQL ---------------------------------------------------------------------------- */

typedef enum { WORD, SIGN, NAME, TEXT } token_kind;

typedef struct {
    token_kind kind;
    char text[256];
} token;

typedef struct {
    token tokens[MOST_TOKENS];
    size_t n;
} reading;

/* What stands in quotes, decoded; returns what follows. */
static const char *read_quoted(const char *at, bool escapes, bool escapes_lines, char *out) {
    const char quote = *at++;
    size_t n = 0;
    for (;; at++) {
        assert_true(*at != '\0'); /* a quote that is not closed */
        assert_false(escapes_lines && (*at == '\n' || *at == '\r'));
        if (escapes_lines && *at == '\\' && (at[1] == 'n' || at[1] == 'r')) {
            assert_true(n < 255);
            out[n++] = *++at == 'n' ? '\n' : '\r';
            continue;
        }
        if (escapes && *at == '\\') {
            at++;
            /* Other letters have a meaning behind a backslash. */
            assert_true(*at == '\\' || *at == '\'' || *at == '"' || *at == '`');
        } else if (*at == quote && at[1] == quote) {
            at++;
        } else if (*at == quote) {
            break;
        }
        assert_true(n < 255);
        out[n++] = *at;
    }
    out[n] = '\0';
    return at + 1;
}

static const char *read_token(const char *at, size_t d, token *out) {
    *out = (token){.kind = SIGN};
    if (*at == '\'' || *at == dialects[d].quote) {
        out->kind = *at == '\'' ? TEXT : NAME;
        return read_quoted(at, *at == '\'' ? dialects[d].escapes : dialects[d].escapes_names,
                           *at == '\'' && dialects[d].escapes_lines, out->text);
    }
    assert_true(*at != '"' && *at != '`' && *at != ';' && *at != '#' && *at != '$' && *at != '\\');
    assert_false((at[0] == '-' && at[1] == '-') || (at[0] == '/' && at[1] == '*'));
    size_t n = 0;
    if (isalnum((unsigned char)*at) || *at == '_') {
        out->kind = WORD;
        while (isalnum((unsigned char)at[n]) || at[n] == '_')
            n++;
        assert_true(n < sizeof out->text);
        assert_true(at[n] != '\'' || (n == 1 && *at == 'x')); /* x'FF' alone has a prefix */
    } else {
        assert_true(strchr("(),.=<>|[]*+!", *at) != NULL);
        n = 1;
    }
    memcpy(out->text, at, n);
    return at + n;
}

static void read_statements(const toy *t, size_t d, reading *out) {
    const char *at = t->statements.bytes, *const end = at + t->statements.size;
    out->n = 0;
    while (at < end) {
        /* The settings of a session stand in a constant, with ; between them. */
        const bool is_constant = strncmp(at, "BEGIN", 5) == 0 || strncmp(at, "START", 5) == 0;
        if (is_constant)
            at += strlen(at);
        while (*at == ' ')
            at++;
        assert_true(out->n + 1 < MOST_TOKENS);
        if (*at)
            at = read_token(at, d, &out->tokens[out->n++]);
        else
            at++;
    }
}

/* ---- statements ----------------------------------------------------------------------------- */

static void percent(const char *text, char *out) {
    for (; *text; text++)
        out += sprintf(out, "%%%02X%s", (unsigned char)*text, *text == '"' ? "%22" : "");
}

static void make_address(const scene *s, size_t table, char *out) {
    char schema[ROOM * 7] = "", name[ROOM * 7] = "";
    percent(s->texts[SCHEMA], schema);
    percent(s->texts[table], name);
    sprintf(out, "postgres://h/db?table=%%22%s%%22.%%22%s%%22", schema, name);
}

static kan_release_column column_of(const scene *s, const kan_table *table, size_t column,
                                    const kan_slice *labels) {
    return (kan_release_column){.name = s->texts[QUASI + column],
                                .source_column = column,
                                .is_quasi = true,
                                .width = table->columns[column].width,
                                .codes = table->columns[column].codes,
                                .labels = labels,
                                .n_labels = table->columns[column].dictionary.n};
}

/* A release by values: the first column gets labels, the second stays; or one by groups. */
static void apply(kan_engine *engine, const scene *s, const kan_table *table, const char *target,
                  size_t way) {
    kan_slice labels[N_CELLS], values[N_CELLS];
    uint8_t is_suppressed[N_CELLS] = {0};
    const uint32_t groups[N_CELLS] = {0, 1, 2, 3}, codes[N_CELLS] = {0, 1, 2, 3};
    kan_release_column columns[3];
    for (uint32_t i = 0; i < N_CELLS; i++) {
        labels[i] = kan_slice_of(s->texts[N_NAMES + N_CELLS + i % N_LABELS]);
        if (i < table->columns[1].dictionary.n)
            values[i] = kan_dictionary_value(&table->columns[1].dictionary, i);
    }
    for (uint64_t row = 0; row < table->n_rows && way > 0; row++)
        is_suppressed[row] =
            kan_slice_is(kan_column_value(&table->columns[1], row), s->texts[N_NAMES + 3]);
    columns[0] = column_of(s, table, 0, labels);
    columns[1] = column_of(s, table, 1, values);
    columns[2] =
        (kan_release_column){.name = s->texts[KEPT], .source_column = 2, .passes_through = true};
    if (way == 2) {
        columns[0].by_group = true;
        columns[0].width = 4;
        columns[0].codes = codes;
        columns[0].n_labels = N_CELLS;
    }
    const kan_release release = {.n_rows = table->n_rows,
                                 .n_columns = 3,
                                 .columns = columns,
                                 .is_suppressed = way > 0 ? is_suppressed : NULL,
                                 .group_of_row = way == 2 ? groups : NULL};
    const kan_engine_order order = {
        .target = target, .overwrite = true, .table = table, .release = &release};
    kan_table *counted;
    assert_int_equal(kan_engine_prepare(engine, target, true, false), KAN_OK);
    assert_int_equal(kan_engine_apply(engine, &order), KAN_OK);
    assert_int_equal(kan_engine_recount(engine, &counted), KAN_OK);
    kan_table_destroy(counted);
    assert_int_equal(kan_engine_commit(engine), KAN_OK);
}

/* All statements from opening to the commit. */
static void run_scene(kan_run *run, size_t d, const scene *s, size_t way, reading *out) {
    const char *const cell = s->texts[N_NAMES], *const last = s->texts[N_NAMES + 1],
                      *const town = s->texts[N_NAMES + 2], *const gone = s->texts[N_NAMES + 3];
    const char *const columns[][3] = {{s->texts[QUASI], dialects[d].type, "1"},
                                      {s->texts[OTHER], dialects[d].type, "1"},
                                      {s->texts[KEPT], dialects[d].type, "1"}};
    const char *const rows[][TOY_MOST_COLUMNS] = {
        {cell, town, "2"}, {last, town, "3"}, {cell, gone, "1"}, {last, gone, "4"}};
    const char *const found[][TOY_MOST_COLUMNS] = {{"1"}};
    toy_answer answers[] = {{"GROUP BY", 4, rows, 0}, {"", 1, found, 0}};
    const kan_engine_kind kind = {"toy", dialects[d].dialect, &toy_transport};
    const kan_source_options options = {0};
    const bool encode[] = {true, true, false};
    bool is_apart[3];
    char input[ROOM * 16], output[ROOM * 16];
    toy t = {.columns = columns, .n_columns = 3, .answers = answers, .n_answers = 2};
    void *engine = NULL;
    kan_table *table;
    make_address(s, INPUT, input);
    make_address(s, OUTPUT, output);
    toy_begin(&t, run);
    assert_int_equal(kan_engine_open(run, &kind, input, &options, &engine), KAN_OK);
    assert_int_equal(kan_engine_find_apart(engine, encode, is_apart), KAN_OK);
    assert_int_equal(kan_engine_fold(engine, encode, &table), KAN_OK);
    assert_int_equal(table->n_rows, 4);
    apply(engine, s, table, output, way);
    kan_table_destroy(table);
    kan_engine_close(engine);
    read_statements(&t, d, out);
    toy_end(&t);
}

/* ---- comparing ------------------------------------------------------------------------------ */

static void make_plain(scene *s) {
    for (size_t i = 0; i < N_TEXTS; i++)
        snprintf(s->texts[i], ROOM, "plain%zu", i);
}

static void make_nasty(scene *s, uint64_t *random) {
    static const char *const pieces[] = {
        "'",    "''", "\"",       "\"\"", "`",     "``",   "\\",  "\\'", ";",    "--",
        "/*",   "*/", "#",        "$$",   "\n",    "?",    "@",   "%s",  "{",    "}",
        "NULL", "x",  "\xc3\xa4", ")",    "(",     "', '", "[",   "]",   " OR ", "1",
        "\t",   "E'", "a",        "\\\\", "DROP ", ".",    " AS "};
    enum { N_PIECES = sizeof pieces / sizeof *pieces };
    for (size_t i = 0; i < N_TEXTS; i++) {
        /* No two are the same. */
        int n = snprintf(s->texts[i], ROOM, "%s", pieces[kan_random_below(random, N_PIECES)]);
        while (n < 24)
            n += snprintf(s->texts[i] + n, ROOM - (size_t)n, "%s",
                          pieces[kan_random_below(random, N_PIECES)]);
        (void)snprintf(s->texts[i] + n, ROOM - (size_t)n, "%zu%s", i,
                       i % 3 == 0 ? "\\" : (i % 3 == 1 ? "'" : ""));
    }
}

/* What stands in the nasty statement for a text of the plain one; own names are drawn anew. */
static void translate(const scene *nasty, const char *plain, char *out) {
    size_t i;
    int end;
    strcpy(out, plain);
    if (sscanf(plain, "plain%zu%n", &i, &end) == 1 && plain[end] == '\0')
        strcpy(out, nasty->texts[i]);
    else if (strncmp(plain, "kanon_", 6) == 0)
        memset(out + 6, 'X', 16);
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(a, b);
}

static void check_same(const reading *plain, const reading *nasty, const scene *s) {
    static char wanted[MOST_TOKENS][256], found[MOST_TOKENS][256];
    size_t n_texts = 0;
    assert_int_equal(plain->n, nasty->n);
    for (size_t i = 0; i < plain->n; i++) {
        const token *const a = &plain->tokens[i], *const b = &nasty->tokens[i];
        char want[256], have[256];
        assert_int_equal(a->kind, b->kind);
        translate(s, a->text, want);
        strcpy(have, b->text);
        if (strncmp(have, "kanon_", 6) == 0)
            memset(have + 6, 'X', 16);
        if (a->kind == TEXT) {
            /* Values stand in the order of their bytes, which is another one. */
            strcpy(wanted[n_texts], want);
            strcpy(found[n_texts++], have);
        } else {
            assert_string_equal(have, want);
        }
    }
    qsort(wanted, n_texts, sizeof *wanted, compare_texts);
    qsort(found, n_texts, sizeof *found, compare_texts);
    for (size_t i = 0; i < n_texts; i++)
        assert_string_equal(found[i], wanted[i]);
}

static void nothing_that_is_put_into_a_statement_changes_it(void **state) {
    reading *const plain = calloc(1, sizeof *plain), *const nasty = calloc(1, sizeof *nasty);
    kan_run *const run = kan_run_create();
    uint64_t random = 27;
    scene plain_scene, nasty_scene;
    (void)state;
    make_plain(&plain_scene);
    for (size_t d = 0; d < sizeof dialects / sizeof *dialects; d++)
        for (size_t way = 0; way < 3; way++) {
            run_scene(run, d, &plain_scene, way, plain);
            assert_true(plain->n > 100);
            for (size_t round = 0; round < N_ROUNDS; round++) {
                make_nasty(&nasty_scene, &random);
                run_scene(run, d, &nasty_scene, way, nasty);
                check_same(plain, nasty, &nasty_scene);
            }
        }
    kan_run_destroy(run);
    free(plain);
    free(nasty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_that_is_put_into_a_statement_changes_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
