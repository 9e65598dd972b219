#include "io/csv/csv_lost.h"

#include "core/encoding.h"
#include "io/csv/csv_record.h"

void kan_csv_lost_init(kan_csv_lost *lost, kan_run *run, const kan_release *release,
                       const char *encoding, char separator) {
    *lost = (kan_csv_lost){
        .run = run, .release = release, .encoding = encoding, .separator = separator};
    kan_arena_init(&lost->arena, run);
}

/* Whether the encoding has all characters of a cell. */
static bool holds(kan_converter *converter, kan_slice cell) {
    char room[256];
    kan_converted how = KAN_CONVERTED_ROOM;
    while (cell.size > 0 && how == KAN_CONVERTED_ROOM) {
        char *end = room;
        size_t left = sizeof room;
        how = kan_converter_take(converter, &cell, &end, &left);
    }
    char *end = room;
    size_t left = sizeof room;
    (void)kan_converter_end(converter, &end, &left); /* the next cell begins anew */
    return cell.size == 0;
}

static kan_status count_record(kan_csv_lost *lost, kan_converter *converter,
                               const kan_csv_cursor *cursor) {
    const size_t n = lost->release->n_columns;
    for (size_t i = 0; i < cursor->n_fields && i < n; i++) {
        const kan_slice cell = cursor->fields[i];
        if (holds(converter, cell))
            continue;
        if (lost->n_cells[i]++ == 0) {
            KAN_TRY(kan_arena_copy(&lost->arena, cell.bytes, cell.size, &lost->first[i].bytes));
            lost->first[i].size = cell.size;
        }
    }
    return KAN_OK;
}

static kan_status make_counts(kan_csv_lost *lost) {
    const size_t n = lost->release->n_columns;
    if (lost->n_cells)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&lost->arena, n, sizeof *lost->first, &lost->first));
    KAN_TRY(kan_arena_alloc(&lost->arena, n, sizeof *lost->n_cells, &lost->n_cells));
    memset(lost->n_cells, 0, n * sizeof *lost->n_cells);
    return KAN_OK;
}

kan_status kan_csv_lost_count(kan_csv_lost *lost, const char *bytes, size_t size) {
    kan_converter converter = {.is_open = false};
    kan_csv_cursor cursor;
    kan_status status;
    kan_csv_cursor_init(&cursor, lost->run, bytes, size, lost->separator);
    KAN_TRY_DONE(make_counts(lost));
    KAN_TRY_DONE(kan_converter_open(lost->run, "UTF-8", lost->encoding, &converter));
    while (cursor.at < cursor.size) {
        KAN_TRY_DONE(kan_csv_cursor_next(&cursor));
        KAN_TRY_DONE(count_record(lost, &converter, &cursor));
    }
done:
    kan_converter_close(&converter);
    kan_csv_cursor_destroy(&cursor);
    return status;
}

kan_status kan_csv_lost_check(const kan_csv_lost *lost) {
    char name[256], value[256], count[32];
    if (!lost->n_cells)
        return KAN_OK;
    kan_problems_begin(lost->run);
    for (size_t i = 0; i < lost->release->n_columns; i++)
        if (lost->n_cells[i] > 0)
            kan_problem_add(
                lost->run,
                "column %s: %s %s characters that the encoding %s lacks, the first %s; write the "
                "release with --output-encoding utf-8, or leave the column out with --drop",
                kan_quote(kan_slice_of(lost->release->columns[i].name), name),
                kan_count_text(lost->n_cells[i], count),
                kan_plural(lost->n_cells[i], "cell has", "cells have"), lost->encoding,
                kan_quote(lost->first[i], value));
    return kan_problems_end(lost->run);
}

void kan_csv_lost_destroy(kan_csv_lost *lost) {
    kan_arena_destroy(&lost->arena);
}
