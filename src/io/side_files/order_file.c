/* Order files. The CSV reader does the work, with a separator that no text has: the whole line is
 * one field. Time is O(lines * log values). */
#include "io/side_files/order_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "data/spelling.h"
#include "io/csv/csv.h"

/* The unit separator of ASCII. A value that holds it is told as one that stands in two fields. */
#define NO_SEPARATOR '\x1f'

typedef struct {
    kan_run *run;
    const char *path;
    const kan_column *column;
    uint64_t *line_of; /* by code; 0: none yet */
    uint32_t *order, n_ordered;
} reader;

static kan_status add_line(void *context, uint64_t line, const kan_slice *fields, size_t n_fields) {
    reader *r = context;
    char quoted[256];
    uint32_t code;
    if (n_fields != 1) {
        kan_problem_add(r->run,
                        "%s:%" PRIu64 ": the line holds a control character (byte 0x1f), which no "
                        "value of an order file can; remove it",
                        r->path, line);
        return KAN_OK;
    }
    if (!kan_column_find_value(r->column, fields[0], &code))
        return KAN_OK;
    if (r->line_of[code] == 0) {
        r->line_of[code] = line;
        r->order[r->n_ordered++] = code;
    } else if (kan_dictionary_value(&r->column->dictionary, code).size > 0) {
        kan_problem_add(r->run,
                        "%s:%" PRIu64 ": the value %s is already on line %" PRIu64
                        "; remove one of them",
                        r->path, line, kan_quote(fields[0], quoted), r->line_of[code]);
    }
    return KAN_OK;
}

static void check_all(const reader *r) {
    for (uint32_t code = 0; code < r->column->dictionary.n; code++) {
        char quoted[256], room[KAN_SPELLING_ROOM];
        const kan_slice value = kan_dictionary_value(&r->column->dictionary, code);
        if (r->line_of[code] == 0)
            kan_problem_add(
                r->run, "%s: no line for the value %s of column '%s'; add one where it belongs",
                r->path, kan_quote(kan_spelling_put(r->column->spelling, value, room), quoted),
                r->column->name);
    }
}

/* A file that cannot be read at all is one problem among others: the text of that failure, which
 * took their place, is added behind them. */
static kan_status read_lines(reader *r) {
    struct stat state;
    kan_text before;
    const size_t n_before = kan_problems_count(r->run);
    const char *told = n_before ? kan_run_error(r->run) : "";
    /* no bytes, no lines; the reader would speak of tables */
    if (stat(r->path, &state) == 0 && S_ISREG(state.st_mode) && state.st_size == 0)
        return KAN_OK;
    kan_text_init(&before, r->run);
    kan_text_add(&before, told, strlen(told));
    kan_status status = kan_text_status(&before);
    if (status == KAN_OK)
        status = kan_csv_records(r->run, r->path, NO_SEPARATOR, add_line, r);
    if (status == KAN_BAD_INPUT && kan_problems_count(r->run) == n_before) {
        char failure[1024];
        snprintf(failure, sizeof failure, "%s", kan_run_error(r->run));
        status = kan_fail(r->run, KAN_BAD_INPUT, "%s", before.size ? before.bytes : "");
        kan_problem_add(r->run, "--order %s=%s: %s", r->column->name, r->path, failure);
    }
    kan_text_destroy(&before);
    return status;
}

kan_status kan_order_read(kan_run *run, const char *path, const kan_column *column,
                          uint32_t *order) {
    reader r = {.run = run, .path = path, .column = column, .order = order};
    const size_t before = kan_problems_count(run);
    KAN_TRY(kan_alloc_zero(run, column->dictionary.n, sizeof *r.line_of, &r.line_of));
    kan_status status = read_lines(&r);
    if (status == KAN_OK)
        check_all(&r);
    if (status == KAN_OK && kan_problems_count(run) > before)
        status = KAN_BAD_INPUT;
    kan_free(run, r.line_of);
    return status;
}
