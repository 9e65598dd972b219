/* The Adult table: see adult.h. */
#include "support/adult.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const columns[ADULT_COLUMNS] = {
    "age",        "gender",     "race",        "marital-status", "education", "native-country",
    "work-class", "occupation", "salary-class"};

/* The file as a text, NULL when it is not there. */
static char *read_text(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/adult/%s", folder, name);
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

void adult_read(const char *tests, adult *out) {
    char beside[4096];
    snprintf(beside, sizeof beside, "%s/../../shared/data", tests);
    const char *folders[] = {getenv("KANON_DATA"), beside}, *folder = NULL;
    memset(out, 0, sizeof *out);
    for (unsigned i = 0; i < 2 && !out->rows; i++)
        if (folders[i])
            out->rows = read_text(folder = folders[i], "adult.csv");
    if (!out->rows) {
        print_message("skipped: no adult/adult.csv in $KANON_DATA or ../shared/data\n");
        skip();
    }
    for (unsigned i = 0; i < ADULT_COLUMNS; i++) {
        char name[128];
        snprintf(name, sizeof name, "hierarchies/%s.csv", columns[i]);
        out->hierarchies[i] = read_text(folder, name);
        assert_non_null(out->hierarchies[i]);
    }
}

void adult_destroy(adult *data) {
    free(data->rows);
    for (unsigned i = 0; i < ADULT_COLUMNS; i++)
        free(data->hierarchies[i]);
}

void adult_problem(kan_run *run, const adult *data, unsigned n, test_problem *out) {
    static const unsigned first[ADULT_COLUMNS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    plain_table plain;
    plain_parse(strchr(data->rows, '\n') + 1, n, first, (const char *const *)data->hierarchies,
                &plain);
    assert_int_equal(plain.n_rows, ADULT_ROWS);
    test_problem_make(run, &plain, out);
    plain_destroy(&plain);
}
