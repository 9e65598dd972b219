/* Workbooks as a kind of source. The sheet is read when it is opened (sheet.h); rows come out of
 * what it kept. */
#include <stdio.h>
#include <strings.h>

#include "core/hash.h"
#include "core/signs.h"
#include "io/excel/beside_xlsx.h"
#include "io/excel/excel.h"
#include "io/excel/sheet.h"
#include "io/excel/source_xlsx.h"
#include "io/gather.h"

struct kan_xlsx_source {
    kan_run *run;
    kan_arena arena; /* names, fields */
    const char *name;
    kan_package package; /* for what is beside the sheet */
    kan_parts parts;
    kan_strings strings;
    kan_styles styles;
    kan_sheet sheet;
    kan_field *fields;
    const kan_field **field_of; /* for the gatherer */
    const char **names;
    const char *const *tables; /* borrowed: sheets that are looked at, too; none: this one alone */
    size_t n_tables;
};

/* ---- opening -------------------------------------------------------------------------------- */

bool kan_xlsx_takes(const char *path) {
    static const char *const endings[] = {".xlsx", ".xlsm", ".xltx", ".xltm", ".xlsb"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (kan_path_ends_with(path, endings[i]))
            return true;
    return false;
}

/* The only type that a column's cells have. */
static kan_field_type type_of(unsigned types) {
    for (kan_field_type type = KAN_FIELD_TEXT; type <= KAN_FIELD_BOOLEAN; type++)
        if (types == 1u << type)
            return type;
    return KAN_FIELD_TEXT;
}

static kan_status make_fields(kan_xlsx_source *source) {
    const size_t n = source->sheet.n_columns;
    KAN_TRY(kan_arena_alloc(&source->arena, n, sizeof *source->fields, &source->fields));
    KAN_TRY(kan_arena_alloc(&source->arena, n, sizeof *source->names, &source->names));
    KAN_TRY(kan_arena_alloc(&source->arena, n, sizeof *source->field_of, &source->field_of));
    for (size_t i = 0; i < n; i++) {
        const kan_sheet_column *column = &source->sheet.columns[i];
        source->fields[i] =
            (kan_field){.name = column->name, .type = type_of(column->types), .is_guessed = true};
        source->fields[i].is_mixed = (column->types & ~(1u << source->fields[i].type)) != 0;
        source->field_of[i] = &source->fields[i];
        source->names[i] = column->name;
    }
    return KAN_OK;
}

/* What a reader of the result should know of the sheet. */
static void note_oddities(const kan_xlsx_source *source) {
    const kan_sheet *sheet = &source->sheet;
    char n[32], quoted[256];
    if (source->parts.is_hidden)
        kan_note(source->run, "%s: the sheet %s is hidden; --sheet NAME reads another one",
                 source->name, kan_quote(kan_slice_of(sheet->name), quoted));
    if (sheet->n_errors > 0)
        kan_note(source->run,
                 "%s: %s %s an error value such as #N/A (the first is %s) and %s taken as missing",
                 source->name, kan_count_text(sheet->n_errors, n),
                 kan_plural(sheet->n_errors, "cell has", "cells have"), sheet->first_error,
                 kan_plural(sheet->n_errors, "is", "are"));
    if (sheet->n_blank > 0)
        kan_note(source->run, "%s: %s %s no value, and %s of missing values", source->name,
                 kan_count_text(sheet->n_blank, n),
                 kan_plural(sheet->n_blank, "row between the others has",
                            "rows between the others have"),
                 kan_plural(sheet->n_blank, "is taken as one", "are taken as rows"));
    if (sheet->n_merged > 0)
        kan_note(source->run,
                 "%s: %s of merged cells: of each, the first cell has the value, and the others "
                 "are missing",
                 source->name, sheet->n_merged == 1 ? "there is a range" : "there are ranges");
}

/* A first sheet that is no table is often a page of notes before it: the error names the others. */
static kan_status name_others(kan_xlsx_source *source) {
    enum { MOST_TOLD = 12, ROOM = 1024 };
    kan_sheet_entry *sheets;
    char error[ROOM], quoted[256];
    kan_text told;
    size_t n, n_told = 0;
    if (strlen(kan_run_error(source->run)) >= sizeof error)
        return KAN_BAD_INPUT;
    (void)snprintf(error, sizeof error, "%s", kan_run_error(source->run));
    KAN_TRY(kan_parts_list(&source->package, &source->arena, &sheets, &n));
    kan_text_init(&told, source->run);
    for (size_t i = 0; i < n; i++)
        if (strcmp(sheets[i].part, source->parts.sheet) != 0 && n_told++ < MOST_TOLD)
            kan_text_print(&told, "%s%s", n_told > 1 ? ", " : "",
                           kan_quote(kan_slice_of(sheets[i].name), quoted));
    if (n_told > MOST_TOLD)
        kan_text_print(&told, " and %zu more", n_told - MOST_TOLD);
    kan_status status = kan_text_status(&told);
    if (status == KAN_OK && n_told > 0)
        (void)kan_fail(source->run, KAN_BAD_INPUT,
                       "%s\n%s: --sheet NAME reads another sheet; there %s: %s", error,
                       source->name, n_told == 1 ? "is" : "are", told.bytes);
    else if (status == KAN_OK)
        (void)kan_fail(source->run, KAN_BAD_INPUT, "%s", error);
    kan_text_destroy(&told);
    return status == KAN_OK ? KAN_BAD_INPUT : status;
}

static kan_status read_workbook(kan_xlsx_source *source, const char *path, const char *sheet) {
    KAN_TRY(kan_package_open(&source->package, source->run, path));
    KAN_TRY(kan_arena_copy(&source->arena, source->package.stream.name,
                           strlen(source->package.stream.name), &source->name));
    KAN_TRY(kan_parts_find(&source->package, sheet, &source->arena, &source->parts));
    if (source->parts.styles)
        KAN_TRY(kan_styles_read(&source->package, source->parts.styles, &source->styles));
    if (source->parts.strings)
        KAN_TRY(kan_strings_read(&source->package, source->parts.strings, &source->strings));
    const kan_status status = kan_sheet_read(&source->package, &source->parts, &source->strings,
                                             &source->styles, &source->sheet);
    if (status != KAN_OK)
        return status == KAN_BAD_INPUT && !sheet ? name_others(source) : status;
    KAN_TRY(kan_stream_check_unchanged(&source->package.stream));
    source->sheet.file = source->name;
    return make_fields(source);
}

static void close_xlsx(void *state) {
    kan_xlsx_source *source = state;
    kan_package_close(&source->package);
    kan_sheet_destroy(&source->sheet);
    kan_strings_destroy(&source->strings, source->run);
    kan_styles_destroy(&source->styles, source->run);
    kan_arena_destroy(&source->arena);
    kan_free(source->run, source);
}

static kan_status open_xlsx(kan_run *run, const char *path, const kan_source_options *options,
                            void **out) {
    kan_xlsx_source *source;
    KAN_TRY(kan_alloc_zero(run, 1, sizeof *source, &source));
    source->run = source->sheet.run = run;
    source->package = (kan_package){.run = run, .stream = {.run = run, .file = -1}};
    kan_arena_init(&source->arena, run);
    kan_arena_init(&source->sheet.arena, run);
    const char *sheet = options->table   ? options->table
                        : options->given ? kan_options_find(options->given, "sheet")
                                         : NULL;
    source->tables = options->tables;
    source->n_tables = options->n_tables;
    const kan_status status = read_workbook(source, path, sheet);
    if (status != KAN_OK) {
        close_xlsx(source);
        return status;
    }
    if (!options->is_quiet)
        note_oddities(source);
    *out = source;
    return KAN_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The text of a distinct cell; it was looked at when it was added. */
static kan_slice cell_text(const kan_xlsx_source *source, size_t column, uint32_t code,
                           kan_cell *cell) {
    const char *why;
    const kan_sheet *sheet = &source->sheet;
    const kan_slice key = kan_encoder_value(&sheet->columns[column].cells, code);
    if (!kan_cell_read(&sheet->world, key, cell, &why))
        return (kan_slice){"", 0};
    return cell->text;
}

/* Codes of the sheet become codes of the gatherer. */
typedef struct {
    kan_xlsx_source *source;
    const bool *encode;
    kan_gather *gather;
    uint32_t **maps;  /* by column */
    uint32_t **codes; /* by encoded column, a block's rows */
    size_t *place_of; /* by column: which of these it is, or NO_PLACE */
    size_t n_encoded, block_rows;
    uint64_t at; /* the first row of the block */
    kan_sheet_cursor cursor;
    kan_sheet_row next; /* the next that has any value */
    bool has_next;
} delivery;

#define NO_PLACE SIZE_MAX

static kan_status map_column(delivery *d, size_t column) {
    kan_xlsx_source *source = d->source;
    kan_encoder *encoder = kan_gather_encoder(d->gather, 0, column);
    const uint32_t n = source->sheet.columns[column].cells.n;
    kan_cell cell;
    KAN_TRY(kan_alloc(source->run, n, sizeof(uint32_t), &d->maps[column]));
    /* A missing value has a code where a row has it alone: the dictionary holds what occurs. */
    d->maps[column][0] = KAN_CODE_LIMIT;
    for (uint32_t code = 1; code < n; code++) {
        if (code % 65536 == 0)
            KAN_TRY(kan_check_cancel(source->run));
        KAN_TRY(kan_encoder_add(encoder, cell_text(source, column, code, &cell),
                                &d->maps[column][code]));
    }
    return KAN_OK;
}

/* The codes of rows that have a value in a block; all others are empty. */
static void take_rows(delivery *d, uint64_t end) {
    const kan_sheet *sheet = &d->source->sheet;
    const uint64_t start = d->at;
    for (; d->has_next && d->next.row < end;
         d->has_next = kan_sheet_next(sheet, &d->cursor, &d->next)) {
        const size_t row = (size_t)(d->next.row - start);
        for (size_t i = 0; i < d->next.n; i++) {
            const size_t place = d->place_of[d->next.columns ? d->next.columns[i] : i];
            if (place != NO_PLACE)
                d->codes[place][row] = d->next.codes[i];
        }
    }
    d->at = end;
}

static kan_status map_block(delivery *d, size_t column, size_t n_rows, uint32_t *codes) {
    uint32_t *map = d->maps[column];
    for (size_t i = 0; i < n_rows; i++) {
        codes[i] = map[codes[i]];
        if (__builtin_expect(codes[i] == KAN_CODE_LIMIT, 0)) {
            KAN_TRY(kan_encoder_add(kan_gather_encoder(d->gather, 0, column), (kan_slice){"", 0},
                                    &map[0]));
            codes[i] = map[0];
        }
    }
    return KAN_OK;
}

static kan_status deliver_block(delivery *d, size_t block) {
    const kan_sheet *sheet = &d->source->sheet;
    const uint64_t left = sheet->n_rows - d->at;
    const size_t n_rows = left < d->block_rows ? (size_t)left : d->block_rows;
    KAN_TRY(kan_check_cancel(sheet->run));
    for (size_t i = 0; i < d->n_encoded; i++)
        memset(d->codes[i], 0, n_rows * sizeof **d->codes);
    take_rows(d, d->at + n_rows);
    for (size_t i = 0; i < sheet->n_columns; i++)
        if (d->encode[i])
            KAN_TRY(map_block(d, i, n_rows, d->codes[d->place_of[i]]));
    return kan_gather_block(d->gather, block, 0, n_rows, d->codes);
}

/* Every column that is read has a place among them, and all have room for a block together. */
static kan_status find_places(delivery *d) {
    enum { BLOCK_CELLS = 1 << 20, BLOCK_ROWS = 1 << 14 };
    const kan_sheet *sheet = &d->source->sheet;
    KAN_TRY(kan_alloc(sheet->run, sheet->n_columns, sizeof *d->place_of, &d->place_of));
    for (size_t i = 0; i < sheet->n_columns; i++)
        d->place_of[i] = d->encode[i] ? d->n_encoded++ : NO_PLACE;
    d->block_rows = BLOCK_CELLS / (d->n_encoded ? d->n_encoded : 1);
    if (d->block_rows > BLOCK_ROWS)
        d->block_rows = BLOCK_ROWS;
    return KAN_OK;
}

static kan_status deliver(delivery *d) {
    const kan_sheet *sheet = &d->source->sheet;
    KAN_TRY(find_places(d));
    KAN_TRY(kan_alloc_zero(sheet->run, sheet->n_columns, sizeof *d->maps, &d->maps));
    KAN_TRY(kan_alloc_zero(sheet->run, sheet->n_columns, sizeof *d->codes, &d->codes));
    for (size_t i = 0; i < sheet->n_columns; i++)
        if (d->encode[i]) {
            KAN_TRY(map_column(d, i));
            KAN_TRY(
                kan_alloc(sheet->run, d->block_rows, sizeof **d->codes, &d->codes[d->place_of[i]]));
        }
    d->has_next = kan_sheet_next(sheet, &d->cursor, &d->next);
    for (size_t block = 0; d->at < sheet->n_rows; block++)
        KAN_TRY(deliver_block(d, block));
    return KAN_OK;
}

static kan_status read_xlsx(void *state, const bool *encode, const bool *as_is, kan_table **out) {
    kan_xlsx_source *source = state;
    kan_run *run = source->run;
    const size_t n_columns = source->sheet.n_columns;
    delivery d = {.source = source, .encode = encode};
    kan_status status;
    KAN_TRY_DONE(kan_gather_begin(run,
                                  &(kan_gather_plan){.name = source->name,
                                                     .n_columns = n_columns,
                                                     .columns = source->names,
                                                     .fields = source->field_of,
                                                     .encode = encode,
                                                     .as_is = as_is,
                                                     .n_workers = 1},
                                  &d.gather));
    KAN_TRY_DONE(deliver(&d));
    KAN_TRY_DONE(kan_gather_finish(d.gather, out));
done:
    kan_gather_free(d.gather);
    for (size_t i = 0; i < n_columns; i++) {
        kan_free(run, d.maps ? d.maps[i] : NULL);
        kan_free(run, d.codes ? d.codes[i] : NULL);
    }
    kan_free(run, d.maps);
    kan_free(run, d.codes);
    kan_free(run, d.place_of);
    return status;
}

static kan_status hash_column(const kan_xlsx_source *source, size_t column, uint64_t *hashes,
                              uint64_t *out) {
    const kan_sheet *sheet = &source->sheet;
    kan_cell cell;
    for (uint32_t code = 0; code < sheet->columns[column].cells.n; code++) {
        const kan_slice text = cell_text(source, column, code, &cell);
        hashes[code] = kan_hash_bytes(text.bytes, text.size);
    }
    kan_sheet_cursor cursor = {0};
    kan_sheet_row row;
    KAN_TRY(kan_check_cancel(source->run));
    for (uint64_t i = 0; i < sheet->n_rows; i++)
        out[i] = hashes[0];
    while (kan_sheet_next(sheet, &cursor, &row))
        out[row.row] = hashes[kan_sheet_code(&row, column)];
    return KAN_OK;
}

static kan_status hash_xlsx(void *state, const size_t *columns, size_t n_columns,
                            uint64_t *const *out) {
    const kan_xlsx_source *source = state;
    for (size_t i = 0; i < n_columns; i++) {
        uint64_t *hashes;
        KAN_TRY(kan_alloc(source->run, source->sheet.columns[columns[i]].cells.n, sizeof *hashes,
                          &hashes));
        const kan_status status = hash_column(source, columns[i], hashes, out[i]);
        kan_free(source->run, hashes);
        KAN_TRY(status);
    }
    return KAN_OK;
}

/* A row of the sheet is what a line is to text. */
static kan_status find_xlsx_rows(void *state, const uint64_t *rows, size_t n, uint64_t *lines,
                                 bool *is_found) {
    const kan_xlsx_source *source = state;
    for (size_t i = 0; i < n; i++)
        lines[i] = source->sheet.header_row + 2 + rows[i];
    *is_found = true;
    return KAN_OK;
}

static kan_status find_xlsx_apart(void *state, const bool *columns, bool *found) {
    const kan_xlsx_source *source = state;
    for (size_t i = 0; i < source->sheet.n_columns; i++)
        if (columns[i])
            KAN_TRY(kan_sheet_is_apart(&source->sheet, i, &found[i]));
    return KAN_OK;
}

static kan_status find_xlsx_beside(void *state, bool book_is_public, kan_beside *out) {
    kan_xlsx_source *source = state;
    kan_parts *sheets;
    const size_t n = source->n_tables > 0 ? source->n_tables : 1;
    (void)book_is_public; /* a workbook has none */
    KAN_TRY(kan_arena_alloc(&source->arena, n, sizeof *sheets, &sheets));
    sheets[0] = source->parts;
    for (size_t i = 0; i < source->n_tables; i++)
        KAN_TRY(kan_parts_find(&source->package, source->tables[i], &source->arena, &sheets[i]));
    return kan_workbook_find_beside(&source->package, sheets, n, &source->strings, out);
}

static kan_status list_xlsx(void *state, kan_source_tables *out) {
    kan_xlsx_source *source = state;
    kan_sheet_entry *sheets;
    kan_source_table *list;
    KAN_TRY(kan_parts_list(&source->package, &source->arena, &sheets, &out->n));
    KAN_TRY(kan_arena_alloc(&source->arena, out->n, sizeof *list, &list));
    for (size_t i = 0; i < out->n; i++)
        list[i] = (kan_source_table){.name = sheets[i].name,
                                     .n_rows = sheets[i].n_rows,
                                     .n_columns = sheets[i].n_columns,
                                     .is_hidden = sheets[i].is_hidden,
                                     .is_this = strcmp(sheets[i].part, source->parts.sheet) == 0};
    for (size_t i = 0; i < out->n; i++)
        if (list[i].is_this) {
            list[i].n_rows = source->sheet.n_rows + 1;
            list[i].n_columns = source->sheet.n_columns;
        }
    out->list = list;
    return KAN_OK;
}

/* ---- the kind ------------------------------------------------------------------------------- */

static const char *xlsx_name(const void *state) {
    return ((const kan_xlsx_source *)state)->name;
}

static size_t xlsx_n_columns(const void *state) {
    return ((const kan_xlsx_source *)state)->sheet.n_columns;
}

static const char *xlsx_column_name(const void *state, size_t column) {
    return ((const kan_xlsx_source *)state)->names[column];
}

static const kan_field *xlsx_field(const void *state, size_t column) {
    return &((const kan_xlsx_source *)state)->fields[column];
}

const char *kan_xlsx_sheet_name(const kan_xlsx_source *source) {
    return source->parts.sheet_name;
}

static const kan_option_spec options[] = {
    {.name = "sheet",
     .argument = "NAME",
     .summary = "the sheet of a workbook, by name or number; otherwise the first",
     .type = KAN_OPTION_TEXT,
     .traits = KAN_TRAIT_SHOWN | KAN_TRAIT_READING | KAN_TRAIT_EACH_TABLE,
     .label = "Sheet",
     .words = "of a workbook: its name or number; otherwise the first"},
};

const kan_source_kind kan_source_xlsx = {
    .kind = {.name = "xlsx",
             .summary = "a sheet of an Excel workbook (.xlsx), its first row names the columns",
             .options = options,
             .n_options = sizeof options / sizeof *options,
             .is_everyday = true},
    .title = "workbook",
    .takes = kan_xlsx_takes,
    .open = open_xlsx,
    .close = close_xlsx,
    .name = xlsx_name,
    .n_columns = xlsx_n_columns,
    .column_name = xlsx_column_name,
    .field = xlsx_field,
    .read = read_xlsx,
    .hash = hash_xlsx,
    .find_lines = find_xlsx_rows,
    .find_apart = find_xlsx_apart,
    .apart =
        {"an empty cell and an empty text, a number and a text of the same digits, or formulas",
         "values in place of formulas, all cells of one type"},
    .find_beside = find_xlsx_beside,
    .list_tables = list_xlsx,
};
