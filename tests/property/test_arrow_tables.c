/* Random tables, once as a CSV file and once as Arrow in memory: the same release, cell by cell, and
 * the same result; what is handed out verifies against what came in; types stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "core/hash.h"
#include "core/run_internal.h"
#include "io/arrow/arrow_inside.h"
#include "kanon_arrow.h"
#include "support/arrow_maker.h"
#include "support/plain.h"

enum { COLUMNS = 6, MOST_ROWS = 120, TABLES = 250 };

static uint64_t seed;

static unsigned below(unsigned n) {
    seed += 0x9e3779b97f4a7c15u;
    return (unsigned)(kan_hash_word(seed) >> 20) % n;
}

typedef struct {
    maker_column columns[COLUMNS];
    const char *cells[MOST_ROWS * COLUMNS];
    char texts[MOST_ROWS * COLUMNS][32];
    maker from;
    long n_live;
    const char *algorithm, *suppress;
    bool keeps_suppressed, is_sensitive, is_shuffled;
    char dir[64], input[96], output[96], key[96];
} world;

/* A few values of each kind, so that groups are there. */
static void write_value(const char *format, char *out) {
    static const char *const words[] = {"Bonn", "Ulm", "Aachen", "x y", "a text of twenty bytes",
                                        "Zell"};
    switch (*format) {
    case 'b':
        strcpy(out, below(2) ? "true" : "false");
        break;
    case 't':
        if (format[1] == 'd')
            snprintf(out, 32, "20%02u-0%u-1%u", below(3), 1 + below(3), below(2));
        else
            snprintf(out, 32, "200%u-01-01 1%u:00:00", below(3), below(2));
        break;
    case 'g':
    case 'd':
        snprintf(out, 32, "%u%s", below(4), below(2) ? ".5" : "");
        break;
    case 'u':
    case 'U':
    case 'v':
        strcpy(out, words[below(6)]);
        break;
    default:
        snprintf(out, 32, "%u", below(9));
    }
}

static void make_world(world *w) {
    static const char *const names[COLUMNS] = {"one", "two", "three", "ill", "kept", "gone"};
    static const char *const formats[] = {"b",   "c",    "i", "L", "g",  "d:9,1",
                                          "tdD", "tsm:", "u", "U", "vu", "s"};
    static const char *const indices[] = {NULL, NULL, "c", "S", "i", "l"};
    static const char *const algorithms[] = {"auto", "mondrian", "datafly"};
    static const char *const limits[] = {"0", "10%", "100%"};
    const size_t n = 2 + below(MOST_ROWS - 2);
    const bool has_nulls = below(2);
    memset(w, 0, sizeof *w);
    for (size_t i = 0; i < COLUMNS; i++)
        w->columns[i] = (maker_column){names[i], formats[below(12)], indices[below(6)]};
    for (size_t i = 0; i < n * COLUMNS; i++) {
        write_value(w->columns[i % COLUMNS].format, w->texts[i]);
        w->cells[i] = has_nulls && below(6) == 0 ? NULL : w->texts[i];
    }
    w->from = (maker){.columns = w->columns,
                      .n_columns = COLUMNS,
                      .cells = w->cells,
                      .n_rows = n,
                      .batch_rows = below(2) ? 1 + below(50) : 0,
                      .offset = below(2) ? below(20) : 0,
                      .row_offset = below(2) ? below(20) : 0,
                      .has_empty = below(2),
                      .shares_dictionary = below(2),
                      .ordered = below(COLUMNS + 1),
                      .n_live = &w->n_live};
    w->algorithm = algorithms[below(3)];
    w->suppress = limits[below(3)];
    w->keeps_suppressed = below(4) == 0;
    w->is_sensitive = below(2);
    w->is_shuffled = below(3) == 0;
    strcpy(w->dir, "/tmp/kanon-arrow-XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    snprintf(w->input, sizeof w->input, "%s/in.csv", w->dir);
    snprintf(w->output, sizeof w->output, "%s/out.csv", w->dir);
    snprintf(w->key, sizeof w->key, "%s/key", w->dir);
}

static void write_csv(const world *w) {
    FILE *file = fopen(w->input, "w");
    assert_non_null(file);
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(file, "%s%s", w->columns[i].name, i + 1 < COLUMNS ? "," : "\n");
    for (size_t i = 0; i < w->from.n_rows * COLUMNS; i++)
        fprintf(file, "%s%s", w->cells[i] ? w->cells[i] : "", (i + 1) % COLUMNS ? "," : "\n");
    fclose(file);
    file = fopen(w->key, "w");
    assert_non_null(file);
    fputs("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n", file);
    fclose(file);
}

/* ---- jobs ----------------------------------------------------------------------------------- */

static kan_job *job_of(const world *w, kan_run *run, bool makes_release) {
    kan_job *job;
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_set(job, "qi", "one,two,three"));
    EXPECT_OK(run, kan_job_set(job, "k", "2"));
    if (w->is_sensitive) {
        EXPECT_OK(run, kan_job_set(job, "sensitive", "ill"));
        EXPECT_OK(run, kan_job_set(job, "l", "1"));
    }
    if (makes_release) {
        EXPECT_OK(run, kan_job_set(job, "algorithm", w->algorithm));
        EXPECT_OK(run, kan_job_set(job, "suppress", w->suppress));
        EXPECT_OK(run, kan_job_set(job, "keep", w->is_sensitive ? "kept" : "ill,kept"));
        EXPECT_OK(run, kan_job_set(job, "drop", "gone"));
    }
    if (w->keeps_suppressed)
        EXPECT_OK(run, kan_job_set(job, "keep-suppressed", "true"));
    if (w->is_shuffled && makes_release) /* the same order for both */
        EXPECT_OK(run, kan_job_set(job, "shuffle-key", w->key));
    return job;
}

/* The rows of a CSV file as maker_rows has them; the header is left out. */
static char *file_rows(const char *path) {
    char *text = calloc(1, 1 << 20), *out = calloc(1, 1 << 20), *at = out;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    bool in_quotes = false, is_empty = true;
    for (const char *c = strchr(text, '\n') + 1; *c; c++) {
        const bool ends = !in_quotes && (*c == ',' || *c == '\n');
        if (*c == '"' && !(in_quotes && c[1] == '"')) {
            in_quotes = !in_quotes;
            continue;
        }
        c += *c == '"'; /* the first of two */
        if (ends && is_empty)
            *at++ = '~';
        *at++ = ends && *c == ',' ? '|' : *c;
        is_empty = ends;
    }
    free(text);
    return out;
}

/* What must not depend on where the rows are. */
static void expect_same_result(const char *one, const char *other) {
    static const char *const apart[] = {"input", "release", "time_ms", "peak_memory_bytes"};
    json_t *a = json_loads(one, 0, NULL), *b = json_loads(other, 0, NULL);
    assert_non_null(a);
    assert_non_null(b);
    for (size_t i = 0; i < 4; i++) {
        json_object_del(a, apart[i]);
        json_object_del(b, apart[i]);
    }
    if (!json_equal(a, b))
        fail_msg("results differ: %s\n%s", one, other);
    json_decref(a);
    json_decref(b);
}

static void verify_release(const world *w, kan_run *run, struct ArrowArrayStream *released,
                           kan_table *original) {
    kan_table *table;
    kan_result *result;
    kan_job *job = job_of(w, run, false);
    EXPECT_OK(run, kan_table_from_arrow(run, released, &table));
    EXPECT_OK(run, kan_job_use_table(job, table));
    EXPECT_OK(run, kan_job_use_table_as(job, "original", original));
    EXPECT_OK(run, kan_job_run(job, "verify", &result));
    if (!kan_result_holds(result) && !kan_result_unchecked(result))
        fail_msg("not verified: %s", kan_result_json(result));
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
}

/* One job on the file, and two on the table. */
static void expect_same_release(world *w) {
    kan_run *run = kan_run_create();
    struct ArrowArrayStream stream;
    kan_result *by_file, *by_arrow, *again;
    kan_table *table;
    write_csv(w);
    kan_job *job = job_of(w, run, true);
    EXPECT_OK(run, kan_job_set(job, "input", w->input));
    EXPECT_OK(run, kan_job_set(job, "output", w->output));
    const kan_status status = kan_job_run(job, "anonymize", &by_file);
    kan_job_destroy(job);

    maker_stream(&w->from, &stream);
    EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
    job = job_of(w, run, true);
    EXPECT_OK(run, kan_job_use_table(job, table));
    const kan_status arrow_status = kan_job_run(job, "anonymize", &by_arrow);
    if (arrow_status != status)
        fail_msg("%d by the file, %d by Arrow: %s", status, arrow_status, kan_run_error(run));
    if (status == KAN_OK) {
        expect_same_result(kan_result_json(by_file), kan_result_json(by_arrow));
        EXPECT_OK(run, kan_result_to_arrow(by_arrow, &stream));
        char *rows = maker_rows(&stream), *expected = file_rows(w->output);
        assert_string_equal(rows, expected);
        free(rows);
        free(expected);
        assert_int_equal(kan_result_to_arrow(by_arrow, &stream), KAN_BAD_INPUT);
        EXPECT_OK(run, kan_job_run(job, "anonymize", &again));
        EXPECT_OK(run, kan_result_to_arrow(again, &stream));
        verify_release(w, run, &stream, table);
        kan_result_destroy(again);
        kan_result_destroy(by_file);
        kan_result_destroy(by_arrow);
        unlink(w->output);
    }
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
    assert_int_equal(w->n_live, 0);
    unlink(w->input);
    unlink(w->key);
    assert_int_equal(rmdir(w->dir), 0);
}

static void arrow_and_csv_give_the_same_release(void **state) {
    world *w = malloc(sizeof *w);
    (void)state;
    for (seed = 1; seed < TABLES * UINT64_C(1000003); seed += 1000003) {
        const uint64_t before = seed;
        make_world(w);
        expect_same_release(w);
        seed = before;
    }
    free(w);
}

/* ---- types ---------------------------------------------------------------------------------- */

static char *released_text(const maker *from, const char *const settings[][2], size_t n) {
    kan_run *run = kan_run_create();
    struct ArrowArrayStream stream;
    kan_table *table;
    kan_job *job;
    kan_result *result;
    maker_stream(from, &stream);
    EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    for (size_t i = 0; i < n; i++)
        EXPECT_OK(run, kan_job_set(job, settings[i][0], settings[i][1]));
    EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
    EXPECT_OK(run, kan_result_to_arrow(result, &stream));
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
    assert_int_equal(*from->n_live, 0); /* what is handed out needs none of them */
    return maker_text(&stream);
}

static void columns_that_stay_keep_their_type(void **state) {
    static const maker_column columns[] = {
        {"age", "c", NULL},      {"town", "u", "C"}, {"day", "tdm", NULL}, {"pay", "d:9,2", NULL},
        {"at", "tsn:UTC", NULL}, {"is", "b", NULL},  {"note", "vu", NULL}, {"rank", "u", "i"}};
    static const char *const cells[] = {"30",
                                        "Ulm",
                                        "2001-01-01",
                                        "0.5",
                                        "2001-01-01 00:00:00.000000001+00",
                                        "true",
                                        "a text of more than twelve bytes",
                                        "low",
                                        "31",
                                        "Ulm",
                                        "2001-01-02",
                                        NULL,
                                        "2001-01-01 00:00:00+00",
                                        "false",
                                        NULL,
                                        "high",
                                        "30",
                                        "Bonn",
                                        "2001-01-01",
                                        "1",
                                        NULL,
                                        NULL,
                                        "b",
                                        "low",
                                        "31",
                                        "Bonn",
                                        NULL,
                                        "2",
                                        "2001-01-01 00:00:00+00",
                                        "true",
                                        "c",
                                        NULL};
    static const char *const settings[][2] = {
        {"qi", "age,town"}, {"k", "2"}, {"keep", "day,pay,at,is,note,rank"}};
    long n_live = 0;
    const maker from = {.columns = columns,
                        .n_columns = 8,
                        .cells = cells,
                        .n_rows = 4,
                        .offset = 2,
                        .n_live = &n_live};
    char *text = released_text(&from, settings, 3);
    (void)state;
    assert_string_equal(
        text, "age:c\ntown:C/u\nday:tdm\npay:d:9,2\nat:tsn:UTC\nis:b\nnote:vu\nrank:i/u\n"
              "30|*|2001-01-01|0.5|2001-01-01 00:00:00.000000001+00|true|a text of more than "
              "twelve bytes|low\n"
              "31|*|2001-01-02|~|2001-01-01 00:00:00+00|false|~|high\n"
              "30|*|2001-01-01|1|~|~|b|low\n"
              "31|*|~|2|2001-01-01 00:00:00+00|true|c|~\n");
    free(text);
}

/* Buffers of the input may hold more than its rows: here texts before the first, and bits behind the
 * last. */
static void nothing_but_released_values_is_handed_out(void **state) {
    static const maker_column columns[] = {
        {"town", "u", NULL}, {"n", "i", NULL}, {"text", "U", NULL}, {"is", "b", NULL}};
    static const char *const cells[] = {"Ulm", "9", "secret", "true",  /* no row of the table */
                                        "Ulm", "1", "a",      "true",  /* one of two */
                                        "Ulm", "2", "",       "false", /* the other */
                                        "Ulm", "9", "secret", "true"}; /* none */
    static const char *const settings[][2] = {{"qi", "town"}, {"k", "2"}, {"keep", "n,text,is"}};
    long n_live = 0;
    const maker from = {
        .columns = columns, .n_columns = 4, .cells = cells, .n_rows = 4, .n_live = &n_live};
    kan_run *run = kan_run_create();
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    kan_table *table;
    kan_job *job;
    kan_result *result;
    (void)state;
    maker_stream(&from, &stream);
    EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
    struct ArrowArray *rows = &table->arrow->batches[0];
    rows->length = 2;
    table->arrow->n_rows = table->n_rows = 2;
    for (size_t i = 0; i < 4; i++) { /* as producers do that cut texts themselves */
        const void **buffers = rows->children[i]->buffers;
        const bool is_text = i == 0 || i == 2;
        rows->children[i]->length = 2;
        if (is_text)
            memmove((void *)(uintptr_t)buffers[1],
                    (const char *)buffers[1] + (columns[i].format[0] == 'u' ? 4 : 8),
                    columns[i].format[0] == 'u' ? 12 : 24);
        else if (i == 1)
            memmove((void *)(uintptr_t)buffers[1], (const char *)buffers[1] + 4, 8);
        else
            *(uint8_t *)(uintptr_t)buffers[1] = 0xfd; /* true, false, and what nobody may see */
    }
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    for (size_t i = 0; i < 3; i++)
        EXPECT_OK(run, kan_job_set(job, settings[i][0], settings[i][1]));
    EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
    EXPECT_OK(run, kan_result_to_arrow(result, &stream));
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    assert_int_equal(n_live, 0); /* what is handed out needs nothing of the input */
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(batch.length, 2);
    assert_memory_equal(batch.children[1]->buffers[1], ((int32_t[]){1, 2}), 8);
    assert_memory_equal(batch.children[2]->buffers[1], ((int64_t[]){0, 1, 1}), 24);
    assert_memory_equal(batch.children[2]->buffers[2], "a", 1);
    assert_int_equal(*(const uint8_t *)batch.children[3]->buffers[1], 1);
    batch.release(&batch);
    stream.release(&stream);
    kan_run_destroy(run);
}

/* Of ordered dictionaries the order stays, others are sorted: their order may be that of the rows. What
 * nobody shows goes, and an empty text stays one. */
static void dictionaries_show_what_rows_show(void **state) {
    static const maker_column columns[] = {
        {"town", "u", "c"}, {"rank", "u", "i"}, {"name", "u", "i"}};
    static const char *const cells[] = {"Ulm",    "low",    "zoe", "Ulm",  "high",
                                        "",       "Ulm",    "low", "zoe",  "Bonn",
                                        "secret", "secret", "Ulm", "high", "adam"};
    static const char *const settings[][2] = {
        {"qi", "town"}, {"k", "2"}, {"keep", "rank,name"}, {"suppress", "1"}};
    long n_live = 0;
    const maker from = {.columns = columns,
                        .n_columns = 3,
                        .cells = cells,
                        .n_rows = 5,
                        .ordered = 2,
                        .n_live = &n_live};
    kan_run *run = kan_run_create();
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    kan_table *table;
    kan_job *job;
    kan_result *result;
    (void)state;
    maker_stream(&from, &stream);
    EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    for (size_t i = 0; i < 4; i++)
        EXPECT_OK(run, kan_job_set(job, settings[i][0], settings[i][1]));
    EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
    EXPECT_OK(run, kan_result_to_arrow(result, &stream));
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(batch.length, 4);
    const struct ArrowArray *ranks = batch.children[1]->dictionary;
    assert_int_equal(ranks->length, 2);
    assert_memory_equal(ranks->buffers[2], "lowhigh", 7);
    const struct ArrowArray *names = batch.children[2]->dictionary;
    assert_int_equal(names->length, 3);
    assert_int_equal(batch.children[2]->null_count, 0);
    assert_memory_equal(names->buffers[1], ((int32_t[]){0, 0, 4, 7}), 16);
    assert_memory_equal(names->buffers[2], "adamzoe", 7);
    assert_int_equal(batch.children[0]->dictionary->length, 1);
    batch.release(&batch);
    stream.release(&stream);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

/* Kept columns: "" is no null, and what a dictionary has twice is one value in the release. */
static void kept_dictionaries_have_their_values(void **state) {
    static const char *const formats[] = {"u", "U", "vu", "l", "g", "b", "tdD"};
    static const char *const texts[] = {"", NULL, "a text of some length", "b", NULL, ""};
    static const char *const whole[] = {"3", NULL, "256", "1", NULL, "3"};
    static const char *const truth[] = {"true", NULL, "false", "true", NULL, "true"};
    static const char *const dates[] = {"2020-02-29", NULL, "1969-12-31",
                                        "2020-01-01", NULL, "2020-02-29"};
    static const char *const indices[] = {"c", "C", "s", "i", "l"};
    (void)state;
    for (size_t n = 0; n < 7 * 5 * 16; n++) {
        const size_t f = n / 80;
        const char *const *cells_of = f < 3 ? texts : f < 5 ? whole : f == 5 ? truth : dates;
        const maker_column columns[] = {{"town", "u", NULL},
                                        {"kept", formats[f], indices[n / 16 % 5]}};
        const bool suppresses = n & 8;
        const char *cells[14];
        long n_live = 0;
        for (size_t i = 0; i < 6; i++) {
            cells[2 * i] = "Ulm";
            cells[2 * i + 1] = cells_of[i];
        }
        cells[12] = suppresses ? "Bonn" : "Ulm";
        cells[13] = f == 6 ? "2001-01-01" : f == 5 ? "false" : "77";
        const maker from = {.columns = columns,
                            .n_columns = 2,
                            .cells = cells,
                            .n_rows = 7,
                            .batch_rows = n & 1 ? 3 : 0,
                            .offset = n & 2 ? 3 : 0,
                            .repeats_values = n & 4,
                            .ordered = n % 5 == 0 ? 2 : 0,
                            .shares_dictionary = n % 3 == 0,
                            .n_live = &n_live};
        char expected[200] = "";
        for (size_t i = 0; i < (suppresses ? 6 : 7); i++)
            snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "Ulm|%s\n",
                     cells[2 * i + 1] ? cells[2 * i + 1] : "~");
        kan_run *run = kan_run_create();
        struct ArrowArrayStream stream;
        struct ArrowArray batch;
        kan_table *table;
        kan_result *result;
        kan_job *job;
        maker_stream(&from, &stream);
        EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
        EXPECT_OK(run, kan_job_create(run, &job));
        EXPECT_OK(run, kan_job_use_table(job, table));
        EXPECT_OK(run, kan_job_set(job, "qi", "town"));
        EXPECT_OK(run, kan_job_set(job, "k", "2"));
        EXPECT_OK(run, kan_job_set(job, "keep", "kept"));
        EXPECT_OK(run, kan_job_set(job, "suppress", "1"));
        for (int reads_rows = 0; reads_rows < 2; reads_rows++) {
            EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
            EXPECT_OK(run, kan_result_to_arrow(result, &stream));
            if (reads_rows) {
                char *rows = maker_rows(&stream);
                assert_string_equal(rows, expected);
                free(rows);
            } else {
                assert_int_equal(stream.get_next(&stream, &batch), 0);
                assert_int_equal(batch.children[1]->dictionary->length,
                                 (f == 5 ? 2 : 3) + (f != 5 && !suppresses));
                assert_int_equal(batch.children[1]->null_count, 2);
                batch.release(&batch);
                stream.release(&stream);
            }
            kan_result_destroy(result);
        }
        kan_job_destroy(job);
        kan_table_destroy(table);
        kan_run_destroy(run);
        assert_int_equal(n_live, 0);
    }
}

/* The account of memory has the release, until it is handed over. */
static void released_arrays_are_in_the_account(void **state) {
    enum { N_ROWS = 50000, LEAST = N_ROWS * 9 }; /* a word, and an index */
    static const maker_column columns[] = {{"town", "u", "c"}, {"kept", "l", NULL}};
    const char **cells = calloc(2 * N_ROWS, sizeof *cells);
    long n_live = 0;
    const maker from = {
        .columns = columns, .n_columns = 2, .cells = cells, .n_rows = N_ROWS, .n_live = &n_live};
    kan_run *run = kan_run_create();
    struct ArrowArrayStream stream;
    kan_table *table;
    kan_result *result;
    kan_job *job;
    (void)state;
    for (size_t i = 0; i < 2 * N_ROWS; i++)
        cells[i] = i % 2 ? "12345" : "Ulm";
    maker_stream(&from, &stream);
    EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    EXPECT_OK(run, kan_job_set(job, "qi", "town"));
    EXPECT_OK(run, kan_job_set(job, "k", "2"));
    EXPECT_OK(run, kan_job_set(job, "keep", "kept"));
    EXPECT_OK(run, kan_job_set(job, "threads", "1"));
    const uint64_t before = run->memory_used;
    EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
    const uint64_t with = run->memory_used;
    assert_true(with >= before + LEAST);
    EXPECT_OK(run, kan_result_to_arrow(result, &stream));
    assert_true(run->memory_used + LEAST <= with);
    kan_result_destroy(result);
    assert_true(run->memory_used < before + N_ROWS); /* what the run keeps for itself */
    EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
    const uint64_t again = run->memory_used;
    kan_result_destroy(result); /* it was not handed over */
    assert_true(run->memory_used + LEAST <= again);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
    stream.release(&stream); /* later than the run */
    free(cells);
    assert_int_equal(n_live, 0);
}

/* ---- other ways ----------------------------------------------------------------------------- */

/* A file as the input, Arrow as the output, and the other way round. */
static void files_and_arrow_mix(void **state) {
    world *w = malloc(sizeof *w);
    struct ArrowArrayStream stream;
    kan_result *result;
    kan_table *table;
    kan_job *job;
    (void)state;
    seed = 77;
    make_world(w);
    w->suppress = "100%";
    write_csv(w);
    kan_run *run = kan_run_create();
    job = job_of(w, run, true);
    EXPECT_OK(run, kan_job_set(job, "input", w->input));
    assert_int_equal(kan_job_run(job, "anonymize", &result), KAN_BAD_INPUT); /* no output */
    kan_job_want_arrow(job);
    EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
    EXPECT_OK(run, kan_result_to_arrow(result, &stream));
    char *rows = maker_rows(&stream);
    kan_result_destroy(result);
    kan_job_destroy(job);
    maker_stream(&w->from, &stream);
    EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
    job = job_of(w, run, true);
    EXPECT_OK(run, kan_job_use_table(job, table));
    EXPECT_OK(run, kan_job_set(job, "output", w->output));
    EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
    char *expected = file_rows(w->output);
    assert_string_equal(rows, expected);
    assert_int_equal(kan_result_to_arrow(result, &stream), KAN_BAD_INPUT);
    free(rows);
    free(expected);
    kan_result_destroy(result);
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
    unlink(w->input);
    unlink(w->key);
    unlink(w->output);
    assert_int_equal(rmdir(w->dir), 0);
    free(w);
}

/* Without a page, and where they do not fit the release comes without them. */
static void figures_of_a_report_come_with_a_release(void **state) {
    static const maker_column columns[] = {{"town", "u", "c"}};
    static const char *const cells[] = {"Ulm", "Ulm", "Bonn"};
    long n_live = 0;
    const maker from = {
        .columns = columns, .n_columns = 1, .cells = cells, .n_rows = 3, .n_live = &n_live};
    kan_run *run = kan_run_create();
    struct ArrowArrayStream stream;
    kan_table *table;
    kan_job *job;
    (void)state;
    maker_stream(&from, &stream);
    EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, table));
    EXPECT_OK(run, kan_job_set(job, "qi", "town"));
    EXPECT_OK(run, kan_job_set(job, "k", "2"));
    EXPECT_OK(run, kan_job_set(job, "suppress", "1"));
    for (int wants = 0; wants < 2; wants++) {
        kan_result *result;
        if (wants)
            kan_job_want_figures(job);
        EXPECT_OK(run, kan_job_run(job, "anonymize", &result));
        json_t *json = json_loads(kan_result_json(result), 0, NULL);
        const json_t *report = json_object_get(json, "report");
        assert_int_equal(json_is_object(report), wants);
        assert_int_equal(json_array_size(json_object_get(report, "group_sizes")), wants);
        assert_null(strstr(kan_result_json(result), "Bonn")); /* who is left out stays hidden */
        json_decref(json);
        kan_result_destroy(result);
    }
    kan_job_destroy(job);
    kan_table_destroy(table);
    kan_run_destroy(run);
}

/* Every command that reads a table takes one from Arrow. */
static void every_command_takes_arrow(void **state) {
    static const char *const commands[] = {"search", "risk", "profile", "compare", "verify"};
    world *w = malloc(sizeof *w);
    struct ArrowArrayStream stream;
    kan_result *result;
    kan_table *table;
    (void)state;
    seed = 99;
    make_world(w);
    w->is_sensitive = w->keeps_suppressed = false;
    kan_run *run = kan_run_create();
    maker_stream(&w->from, &stream);
    EXPECT_OK(run, kan_table_from_arrow(run, &stream, &table));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        kan_job *job;
        EXPECT_OK(run, kan_job_create(run, &job));
        EXPECT_OK(run, kan_job_use_table(job, table));
        if (strcmp(commands[i], "profile") != 0) {
            EXPECT_OK(run, kan_job_set(job, "qi", "one,two"));
            EXPECT_OK(run, kan_job_set(job, "k", "2"));
        }
        if (strcmp(commands[i], "risk") == 0) {
            EXPECT_OK(run, kan_job_use_table_as(job, "original", table));
            EXPECT_OK(run, kan_job_use_table_as(job, "population", table));
        }
        EXPECT_OK(run, kan_job_run(job, commands[i], &result));
        json_t *json = json_loads(kan_result_json(result), 0, NULL);
        assert_true(json_is_null(json_object_get(json_object_get(json, "input"), "path")));
        assert_null(strstr(kan_result_summary(result), "next:"));
        json_decref(json);
        kan_result_destroy(result);
        assert_int_equal(kan_job_use_table_as(job, "output", table), KAN_BAD_INPUT);
        kan_job_destroy(job);
    }
    kan_table_destroy(table);
    kan_run_destroy(run);
    assert_int_equal(rmdir(w->dir), 0);
    free(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrow_and_csv_give_the_same_release),
        cmocka_unit_test(columns_that_stay_keep_their_type),
        cmocka_unit_test(nothing_but_released_values_is_handed_out),
        cmocka_unit_test(dictionaries_show_what_rows_show),
        cmocka_unit_test(kept_dictionaries_have_their_values),
        cmocka_unit_test(released_arrays_are_in_the_account),
        cmocka_unit_test(files_and_arrow_mix),
        cmocka_unit_test(figures_of_a_report_come_with_a_release),
        cmocka_unit_test(every_command_takes_arrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
