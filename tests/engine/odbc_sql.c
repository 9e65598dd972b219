/* A database behind ODBC, for scripts:
 *
 *   odbc_sql STRING                  runs each line of standard input as a statement; those that begin with
 *                                    SELECT N, with N columns, as "N SELECT ..": rows as CSV
 *   odbc_sql STRING TABLE FILE.csv   puts the rows of the file into a table of the same columns; a field
 *                                    with nothing in it is NULL, and "" an
 *                                    empty text
 *
 * STRING is what an address has between odbc: and table=. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/odbc/odbc.h"

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
        const kan_statement statement = {.sql = sql, .what = "run a line"};
        status = n_shown ? odbc->query(connection, 0, &statement, n_shown, &taker)
                         : odbc->execute(connection, 0, &statement);
    }
    free(line);
    return status;
}

/* A file of CSV as rows.c writes it, row by row. */
typedef struct rows {
    FILE *file;
    size_t n_columns;
    kan_text bytes; /* of a row */
    size_t *starts; /* n_columns + 1 */
    bool *is_null;  /* by column */
} rows;

/* One field; false behind the last of its line. */
static bool read_field(rows *r, bool *is_null) {
    bool is_quoted = false;
    *is_null = true;
    for (int c; (c = getc(r->file)) != EOF;) {
        if (c == '"') {
            const int next = is_quoted ? getc(r->file) : 0;
            *is_null = false;
            if (is_quoted && next == '"') {
                kan_text_add(&r->bytes, "\"", 1);
                continue;
            }
            if (is_quoted)
                ungetc(next, r->file);
            is_quoted = !is_quoted;
        } else if (!is_quoted && (c == ',' || c == '\n')) {
            return c == ',';
        } else if (is_quoted || c != '\r') {
            *is_null = false;
            kan_text_add(&r->bytes, &(char){(char)c}, 1);
        }
    }
    return false;
}

static kan_status give(void *context, kan_slice *values, bool *is_row) {
    rows *r = context;
    size_t n = 0;
    bool is_more = true;
    r->bytes.size = 0;
    const int c = getc(r->file);
    *is_row = c != EOF;
    if (!*is_row)
        return KAN_OK;
    ungetc(c, r->file);
    for (; is_more && n < r->n_columns; n++) {
        r->starts[n] = r->bytes.size;
        is_more = read_field(r, &r->is_null[n]);
    }
    if (is_more || n != r->n_columns)
        return kan_fail(r->bytes.run, KAN_BAD_INPUT, "a row of another number of fields");
    r->starts[n] = r->bytes.size;
    for (size_t i = 0; i < n; i++)
        values[i] = r->is_null[i]    ? (kan_slice){NULL, 0}
                    : r->bytes.bytes ? (kan_slice){r->bytes.bytes + r->starts[i],
                                                   r->starts[i + 1] - r->starts[i]}
                                     : (kan_slice){"", 0};
    return kan_text_status(&r->bytes);
}

static kan_status load(kan_run *run, void *connection, const char *name, const char *path) {
    rows r = {.file = fopen(path, "rb")};
    kan_status status;
    bool is_null;
    kan_text_init(&r.bytes, run);
    if (!r.file)
        return kan_fail(run, KAN_BAD_INPUT, "%s cannot be read", path);
    do
        r.n_columns++;
    while (read_field(&r, &is_null)); /* the header */
    KAN_TRY_DONE(kan_alloc(run, r.n_columns + 1, sizeof *r.starts, &r.starts));
    KAN_TRY_DONE(kan_alloc(run, r.n_columns, sizeof *r.is_null, &r.is_null));
    const kan_row_giver giver = {give, &r};
    /* In one transaction: else each row waits for the disk. */
    const kan_statement begin = {.sql = "BEGIN", .what = "begin"},
                        commit = {.sql = "COMMIT", .what = "commit", .is_final = true};
    KAN_TRY_DONE(odbc->execute(connection, 0, &begin));
    KAN_TRY_DONE(odbc->load(connection, 0, name, r.n_columns, &giver));
    KAN_TRY_DONE(odbc->execute(connection, 0, &commit));
done:
    fclose(r.file);
    kan_text_destroy(&r.bytes);
    kan_free(run, r.starts);
    kan_free(run, r.is_null);
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
