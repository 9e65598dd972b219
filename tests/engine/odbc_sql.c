/* A database behind ODBC, for scripts:
 *
 *   odbc_sql STRING                  runs each line of standard input as a statement; those that begin with
 *                                    SELECT N, with N columns, as "N SELECT ..": rows as CSV
 *   odbc_sql STRING TABLE FILE.csv   puts the rows of the file into a table of the same columns; a field
 *                                    with nothing in it is NULL
 *
 * STRING is what an address has between odbc: and table=. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/odbc/odbc.h"
#include "io/source.h"

static const kan_transport *const odbc = &kan_transport_odbc;

static size_t n_shown;

/* As RFC 4180 has it; NULL is nothing, '' is "". */
static kan_status show(void *context, const kan_slice *values) {
    (void)context;
    for (size_t i = 0; i < n_shown; i++) {
        if (i)
            putchar(',');
        if (!values[i].bytes)
            continue;
        bool is_quoted = values[i].size == 0;
        for (size_t j = 0; j < values[i].size; j++)
            is_quoted |= strchr(",\"\r\n", values[i].bytes[j]) != NULL;
        if (is_quoted)
            putchar('"');
        for (size_t j = 0; j < values[i].size; j++) {
            if (values[i].bytes[j] == '"')
                putchar('"');
            putchar(values[i].bytes[j]);
        }
        if (is_quoted)
            putchar('"');
    }
    putchar('\n');
    return KAN_OK;
}

static kan_status run_lines(void *connection) {
    char *line = NULL;
    size_t capacity = 0;
    kan_status status = KAN_OK;
    for (ssize_t size; status == KAN_OK && (size = getline(&line, &capacity, stdin)) > 0;) {
        if (line[size - 1] == '\n')
            line[--size] = '\0';
        if (size == 0)
            continue;
        char *sql = line;
        n_shown = strtoul(line, &sql, 10);
        const kan_row_taker taker = {show, NULL};
        const kan_statement statement = {sql, "run a line", false};
        status = n_shown ? odbc->query(connection, 0, &statement, n_shown, &taker)
                         : odbc->execute(connection, 0, &statement);
    }
    free(line);
    return status;
}

typedef struct rows {
    const kan_table *table;
    uint64_t row;
} rows;

static kan_status give(void *context, kan_slice *values, bool *is_row) {
    rows *r = context;
    *is_row = r->row < r->table->n_rows;
    for (size_t i = 0; *is_row && i < r->table->n_columns; i++) {
        values[i] = kan_column_value(&r->table->columns[i], r->row);
        if (values[i].size == 0)
            values[i].bytes = NULL;
    }
    r->row++;
    return KAN_OK;
}

static kan_status load(kan_run *run, void *connection, const char *name, const char *path) {
    const kan_source_options options = {.separator = ','};
    kan_source *source = NULL;
    kan_table *table = NULL;
    bool *encode = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_source_open(run, &kan_source_csv, path, &options, &source));
    const size_t n = kan_source_n_columns(source);
    KAN_TRY_DONE(kan_alloc(run, n, sizeof *encode, &encode));
    for (size_t i = 0; i < n; i++)
        encode[i] = true;
    KAN_TRY_DONE(kan_source_read(source, encode, NULL, &table));
    rows r = {.table = table};
    const kan_row_giver giver = {give, &r};
    KAN_TRY_DONE(odbc->load(connection, 0, name, n, &giver));
done:
    kan_free(run, encode);
    kan_table_destroy(table);
    kan_source_close(source);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 4) {
        fprintf(stderr, "use: odbc_sql STRING [TABLE FILE.csv]\n");
        return 2;
    }
    kan_run *run = kan_run_create();
    const kan_address address = {.scheme = "odbc", .database = argv[1], .table = ""};
    void *connection = NULL;
    kan_status status = run ? odbc->connect(run, &address, NULL, &connection) : KAN_FAILED;
    if (status == KAN_OK)
        status = argc == 2 ? run_lines(connection) : load(run, connection, argv[2], argv[3]);
    if (status != KAN_OK && run)
        fprintf(stderr, "%s\n", kan_run_error(run));
    odbc->disconnect(connection);
    kan_run_destroy(run);
    return status != KAN_OK;
}
