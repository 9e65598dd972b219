/* The rows of a table. The first of them are for the JSON of `profile`: taken column by column while
 * the values are in memory, because a wide table never is as a whole. All of them are for a file
 * (--all-rows), of which a program can read any part: for this the table is read as a whole.
 *
 * The file is lines of text. The first is an object with the names of the columns, the number of rows, and
 * how many stand in a line; then come lines of so many rows, each a list of values; then, for each of these
 * lines, the place of its first byte in the file, in 20 digits; last the place of the first of these
 * places, in the same way. */
#include <inttypes.h>

#include "job/profile/profile_inside.h"
#include "job/tell/tell.h"

enum { LONGEST_VALUE = 1000 /* bytes that are shown of one */, ROWS_OF_LINE = 50 };

kan_status kan_profile_rows_begin(kan_profile_walk *p) {
    const char *wanted = kan_options_find(&p->job->options, "first-rows");
    p->n_first_rows = kan_options_count(&p->job->options, "first-rows", 0);
    if (!p->shows_values && kan_options_find(&p->job->options, "all-rows"))
        return kan_fail(p->run, KAN_BAD_INPUT,
                        "--all-rows writes values, and --no-values leaves them out; choose one of "
                        "the two");
    if (!wanted)
        return KAN_OK;
    if (!p->shows_values && p->n_first_rows > 0)
        return kan_fail(p->run, KAN_BAD_INPUT,
                        "--first-rows shows values, and --no-values leaves them out; choose one of "
                        "the two");
    p->first_rows = json_array();
    return p->first_rows ? KAN_OK
                         : kan_fail(p->run, KAN_FAILED, "out of memory while rows were kept");
}

/* A long value ends in three dots, after a whole character. */
static json_t *value_json(const kan_profile_walk *p, size_t column, uint64_t row) {
    const kan_column *values = &p->input.table->columns[column];
    if (kan_profile_is_nested(p, column) || !values->is_encoded)
        return json_null();
    const kan_slice value = kan_dictionary_value(&values->dictionary, kan_column_code(values, row));
    if (value.size <= LONGEST_VALUE)
        return kan_json_slice(value);
    char room[LONGEST_VALUE + 4];
    size_t size = LONGEST_VALUE;
    while (size > LONGEST_VALUE - 4 && ((unsigned char)value.bytes[size] & 0xc0) == 0x80)
        size--;
    memcpy(room, value.bytes, size);
    memcpy(room + size, "\u2026", 3);
    return kan_json_slice((kan_slice){room, size + 3});
}

kan_status kan_profile_rows_take(kan_profile_walk *p, size_t first, size_t end) {
    const uint64_t n = p->n_first_rows < p->n_rows ? p->n_first_rows : p->n_rows;
    for (size_t c = first; p->first_rows && c < end; c++)
        for (size_t row = 0; row < n; row++) {
            if (c == 0 && json_array_append_new(p->first_rows, json_array()) != 0)
                return kan_fail(p->run, KAN_FAILED, "out of memory while rows were kept");
            if (json_array_append_new(json_array_get(p->first_rows, row), value_json(p, c, row)) !=
                0)
                return kan_fail(p->run, KAN_FAILED, "out of memory while rows were kept");
        }
    return KAN_OK;
}

/* ---- all rows ------------------------------------------------------------------------------- */

static kan_status no_memory(kan_run *run) {
    return kan_fail(run, KAN_FAILED, "out of memory while rows were written");
}

/* Adds a value of JSON as a line, and takes it over. */
static kan_status add_line(kan_run *run, kan_target *target, json_t *value, uint64_t *place) {
    char *line = value ? json_dumps(value, JSON_COMPACT) : NULL;
    kan_status status = line ? KAN_OK : no_memory(run);
    json_decref(value);
    if (status == KAN_OK)
        status = kan_target_write(target, line, strlen(line));
    if (status == KAN_OK)
        status = kan_target_write(target, "\n", 1);
    if (status == KAN_OK)
        *place += strlen(line) + 1;
    free(line);
    return status;
}

static json_t *head_json(const kan_profile_walk *p) {
    json_t *columns = json_array();
    for (size_t c = 0; c < p->input.n_columns; c++)
        columns = kan_json_append(columns, kan_json_text(p->input.columns[c]));
    return json_pack("{s:o, s:o, s:i}", "columns", columns, "rows", kan_json_count(p->n_rows),
                     "rows_of_line", ROWS_OF_LINE);
}

static json_t *rows_json(const kan_profile_walk *p, uint64_t first) {
    json_t *rows = json_array();
    for (uint64_t row = first; row < p->n_rows && row < first + ROWS_OF_LINE; row++) {
        json_t *values = json_array();
        for (size_t c = 0; c < p->input.n_columns; c++)
            values = kan_json_append(values, value_json(p, c, row));
        rows = kan_json_append(rows, values);
    }
    return rows;
}

static kan_status add_place(kan_target *target, uint64_t place) {
    char text[32];
    snprintf(text, sizeof text, "%020" PRIu64 "\n", place);
    return kan_target_write(target, text, strlen(text));
}

static kan_status write_rows(const kan_profile_walk *p, kan_target *target, uint64_t *places) {
    const uint64_t n_lines = (p->n_rows + ROWS_OF_LINE - 1) / ROWS_OF_LINE;
    uint64_t place = 0;
    KAN_TRY(add_line(p->run, target, head_json(p), &place));
    for (uint64_t i = 0; i < n_lines; i++) {
        places[i] = place;
        KAN_TRY(add_line(p->run, target, rows_json(p, i * ROWS_OF_LINE), &place));
        KAN_TRY(kan_check_cancel(p->run));
        if (i % 256 == 0)
            kan_report_progress(p->run, "rows", i * ROWS_OF_LINE, p->n_rows);
    }
    for (uint64_t i = 0; i < n_lines; i++)
        KAN_TRY(add_place(target, places[i]));
    return add_place(target, place);
}

/* All columns must be in memory; those of a table that was read at once are. */
static kan_status read_all(kan_profile_walk *p) {
    bool is_there = true;
    for (size_t c = 0; c < p->input.n_columns; c++)
        is_there =
            is_there && (p->input.table->columns[c].is_encoded || kan_profile_is_nested(p, c));
    if (is_there || !p->input.source)
        return KAN_OK;
    for (size_t c = 0; c < p->input.n_columns; c++)
        p->input.encode[c] = !kan_profile_is_nested(p, c);
    return kan_input_read(&p->input);
}

kan_status kan_profile_rows_write(kan_profile_walk *p, kan_target **out) {
    const char *path = kan_options_find(&p->job->options, "all-rows");
    kan_target *target = NULL;
    uint64_t *places = NULL;
    kan_status status;
    if (!path)
        return KAN_OK;
    KAN_TRY(read_all(p));
    KAN_TRY_DONE(kan_alloc(p->run, p->n_rows / ROWS_OF_LINE + 1, sizeof *places, &places));
    KAN_TRY_DONE(kan_target_open(p->run, path, kan_options_switch(&p->job->options, "force"),
                                 KAN_TARGET_PRIVATE, &target));
    KAN_TRY_DONE(write_rows(p, target, places));
    KAN_TRY_DONE(kan_target_finish(target));
    KAN_TRY_DONE(kan_target_sync(target));
    *out = target;
    target = NULL;
done:
    kan_target_close(target);
    kan_free(p->run, places);
    return status;
}
