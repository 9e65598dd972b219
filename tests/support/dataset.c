/* Real tables: see dataset.h. */
#include "support/dataset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const dataset_kind dataset_adult = {"adult",
                                    45222,
                                    9,
                                    {"age", "gender", "race", "marital-status", "education",
                                     "native-country", "work-class", "occupation", "salary-class"}};

const dataset_kind dataset_fars = {
    "fars",
    10093,
    8,
    {"iage", "irace", "ideathmon", "ideathday", "isex", "ihispanic", "istatenum", "iinjury"}};

const dataset_kind dataset_ss13acs = {
    "ss13acs", 68725, 5, {"age", "sex", "race", "marital-status", "education"}};

/* The file as a text, NULL when it is not there. */
static char *read_text(const char *folder, const char *table, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s.csv", folder, table, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    fclose(file);
    return text;
}

/* Plain tables know no quotes: a comma that is part of a value becomes a character that no value
 * has, in the table and in the hierarchies alike, and quotes go. */
enum { INNER_COMMA = '\x1e' };

static void unquote(char *text) {
    char *end = text;
    bool is_quoted = false;
    for (; *text; text++) {
        if (*text == '"')
            is_quoted = !is_quoted;
        else
            *end++ = *text == ',' && is_quoted ? INNER_COMMA : *text;
    }
    *end = '\0';
}

static void replace_commas(char *text) {
    for (; *text; text++)
        if (*text == ',')
            *text = INNER_COMMA;
}

void dataset_read(const char *tests, const dataset_kind *kind, dataset *out) {
    char beside[4096];
    snprintf(beside, sizeof beside, "%s/../../shared/data", tests);
    const char *folders[] = {getenv("KANON_DATA"), beside}, *folder = NULL;
    memset(out, 0, sizeof *out);
    out->kind = kind;
    for (unsigned i = 0; i < 2 && !out->rows; i++)
        if (folders[i])
            out->rows = read_text(folder = folders[i], kind->name, kind->name);
    if (!out->rows) {
        print_message("skipped: no %s/%s.csv in $KANON_DATA or ../shared/data\n", kind->name,
                      kind->name);
        skip();
    }
    unquote(out->rows);
    for (unsigned i = 0; i < kind->n_columns; i++) {
        char name[128];
        snprintf(name, sizeof name, "hierarchies/%s", kind->columns[i]);
        out->hierarchies[i] = read_text(folder, kind->name, name);
        assert_non_null(out->hierarchies[i]);
        replace_commas(out->hierarchies[i]);
    }
}

void dataset_destroy(dataset *data) {
    free(data->rows);
    for (unsigned i = 0; i < DATASET_COLUMNS; i++)
        free(data->hierarchies[i]);
}

void dataset_plain(const dataset *data, unsigned n, plain_table *out) {
    unsigned first[DATASET_COLUMNS];
    for (unsigned i = 0; i < n; i++)
        first[i] = i;
    plain_parse(strchr(data->rows, '\n') + 1, n, first, (const char *const *)data->hierarchies,
                out);
    assert_int_equal(out->n_rows, data->kind->n_rows);
}

void dataset_problem(kan_run *run, const dataset *data, unsigned n, test_problem *out) {
    plain_table plain;
    dataset_plain(data, n, &plain);
    test_problem_make(run, &plain, out);
    plain_destroy(&plain);
}
