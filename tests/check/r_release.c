/* Releases by a program in C, for check.r_package: each folder that is named has `table.tsv` (names, then rows; texts
 * without tabs and line breaks) and `settings.tsv` (a setting and its value), and gets `c.tsv`. */
#include <kanon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 64, MOST_BYTES = 1 << 16 };

/* The fields of a line, in place; 0 at the end of the file. */
static size_t read_fields(FILE *file, char *line, char **fields) {
    size_t n = 0;
    if (!fgets(line, MOST_BYTES, file))
        return 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at && n < MOST_COLUMNS;) {
        char *tab = strchr(at, '\t');
        if (tab)
            *tab++ = '\0';
        fields[n++] = at;
        at = tab;
    }
    return n;
}

static FILE *open_in(const char *folder, const char *name, const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void need(kan_run *run, kan_status status) {
    if (status != KAN_OK) {
        fprintf(stderr, "%s\n", kan_run_error(run));
        exit(1);
    }
}

static kan_table *read_table(kan_run *run, const char *folder) {
    static char line[MOST_BYTES];
    char *fields[MOST_COLUMNS];
    kan_table *table;
    FILE *file = open_in(folder, "table.tsv", "r");
    size_t n = read_fields(file, line, fields);
    need(run, kan_table_create(run, n, (const char *const *)fields, &table));
    while (read_fields(file, line, fields) == n)
        need(run, kan_table_add_row(table, (const char *const *)fields));
    fclose(file);
    return table;
}

static void write_table(const kan_table *table, const char *folder) {
    FILE *file = open_in(folder, "c.tsv", "w");
    const size_t n = kan_table_n_columns(table);
    for (size_t i = 0; i < n; i++)
        fprintf(file, "%s%c", kan_table_column_name(table, i), i + 1 < n ? '\t' : '\n');
    for (uint64_t row = 0; row < kan_table_n_rows(table); row++)
        for (size_t i = 0; i < n; i++) {
            size_t size;
            const char *value = kan_table_value(table, row, i, &size);
            fprintf(file, "%.*s%c", (int)size, value ? value : "", i + 1 < n ? '\t' : '\n');
        }
    fclose(file);
}

int main(int count, char **folders) {
    static char line[MOST_BYTES];
    char *fields[MOST_COLUMNS];
    for (int i = 1; i < count; i++) {
        kan_run *run = kan_run_create();
        kan_job *job;
        kan_result *result;
        if (!run)
            return 1;
        kan_table *table = read_table(run, folders[i]);
        need(run, kan_job_create(run, &job));
        need(run, kan_job_use_table(job, table));
        FILE *file = open_in(folders[i], "settings.tsv", "r");
        while (read_fields(file, line, fields) == 2)
            need(run, kan_job_set(job, fields[0], fields[1]));
        fclose(file);
        need(run, kan_job_run(job, "anonymize", &result));
        write_table(kan_result_table(result), folders[i]);
        kan_result_destroy(result);
        kan_job_destroy(job);
        kan_table_destroy(table);
        kan_run_destroy(run);
    }
    return 0;
}
