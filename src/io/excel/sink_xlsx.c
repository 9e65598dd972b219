/* Releases as workbooks, with libxlsxwriter.
 *
 * A cell is a number, a date or a boolean only where it is read back as the same text: a column with
 * a value for which that does not hold is written as text, as are leading zeros, long digits, and all
 * that looks like a date or a formula without being one. Text is never run as a formula.
 *
 * The library keeps rows in a temporary file that has no name, and writes to a path: ours is that of
 * another such file, whose bytes then go to the target. It does not look whether its temporary files
 * took what it wrote, so that is looked at here: after each block of rows, and, of the whole, by
 * counting the cells that the workbook has. Nothing in a workbook tells when or where it was made. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>
#include <xlsxwriter.h>

#include "core/signs.h"
#include "core/spill.h"
#include "data/value.h"
#include "io/excel/cell.h"
#include "io/excel/excel.h"
#include "io/excel/source_xlsx.h"

/* What is written for a code of a column. */
typedef struct {
    double number;    /* of a number, a date, a time or a boolean */
    const char *text; /* NULL: the number; "": nothing */
} written_cell;

typedef struct {
    kan_field_type type; /* of its cells */
    lxw_format *format;
    written_cell *cells; /* by code */
} written_column;

typedef struct {
    kan_run *run;
    kan_arena arena;
    lxw_workbook *workbook;
    size_t n_sheets;
    uint64_t *sheet_cells; /* by sheet that is written */
    /* The sheet in hand: */
    const kan_sink_plan *plan;
    written_column *columns;
    lxw_worksheet *sheet;
    uint64_t n_rows, n_cells; /* the header's included */
    bool last_is_empty;
    int file; /* that the workbook is written to; -1: none */
} writing;

/* ---- values --------------------------------------------------------------------------------- */

static unsigned significant_digits(kan_slice text) {
    unsigned n = 0, n_zeros = 0;
    for (size_t i = 0; i < text.size && text.bytes[i] != 'e'; i++) {
        if (!kan_is_digit(text.bytes[i]) || (n == 0 && text.bytes[i] == '0'))
            continue;
        n_zeros = text.bytes[i] == '0' ? n_zeros + 1 : 0;
        n++;
    }
    return n - n_zeros;
}

/* The part of a day that a clock shows. */
static double part_of_day(kan_slice clock) {
    double seconds = 0;
    const char *at = clock.bytes;
    (void)kan_parse_real(at + 6, clock.size - 6, &seconds);
    const int hours = (at[0] - '0') * 10 + (at[1] - '0');
    const int minutes = (at[3] - '0') * 10 + (at[4] - '0');
    return (hours * 3600 + minutes * 60 + seconds) / 86400;
}

static double day_of(kan_slice text) {
    enum { DAYS_TO_1970 = 25569 };
    kan_date date;
    return kan_date_parse(text, &date) ? kan_date_days(date) + DAYS_TO_1970 : 0;
}

/* The number of a value that has the form of the type, and the style of its cell. */
static double number_of(kan_field_type type, kan_slice text, kan_number_style *style) {
    double number = 0;
    *style = KAN_STYLE_NUMBER;
    switch (type) {
    case KAN_FIELD_NUMBER:
        (void)kan_parse_real(text.bytes, text.size, &number);
        return number;
    case KAN_FIELD_BOOLEAN:
        return text.bytes[0] == 't';
    case KAN_FIELD_DATE:
        *style = KAN_STYLE_DATE;
        return day_of(text);
    case KAN_FIELD_TIMESTAMP:
        *style = KAN_STYLE_TIMESTAMP;
        return day_of((kan_slice){text.bytes, 10}) +
               part_of_day((kan_slice){text.bytes + 11, text.size - 11});
    case KAN_FIELD_TIME:
        *style = KAN_STYLE_TIME;
        return part_of_day(text);
    case KAN_FIELD_TEXT:
        break;
    }
    return 0;
}

/* Whether a cell of that type is read back as the same text. Days before March 1900 are not: programs
 * do not agree on them. */
static bool is_kept(kan_field_type type, kan_slice text) {
    enum { FIRST_SURE_DAY = 61 };
    static const kan_cell_world world = {.is_1904 = false};
    const bool has_day = type == KAN_FIELD_DATE || type == KAN_FIELD_TIMESTAMP;
    kan_number_style style;
    kan_cell cell;
    char key[64];
    const char *why;
    if (text.size == 0)
        return true;
    if (!kan_field_holds(type, text) ||
        (type == KAN_FIELD_TIMESTAMP && text.bytes[text.size - 3] == '+'))
        return false;
    const double number = number_of(type, text, &style);
    if (type == KAN_FIELD_BOOLEAN)
        return true;
    if ((has_day && number < FIRST_SURE_DAY) ||
        (type == KAN_FIELD_NUMBER && significant_digits(text) > 15))
        return false;
    const int size = snprintf(key, sizeof key, "%c%.16G", (char)style, number);
    return kan_cell_read(&world, (kan_slice){key, (size_t)size}, &cell, &why) &&
           cell.type == type && kan_slice_equal(cell.text, text);
}

static kan_field_type type_of(const kan_sink_column *column) {
    const kan_field_type type = column->field.type;
    if (type == KAN_FIELD_TEXT)
        return type;
    for (uint32_t code = 0; code < column->column->n_labels; code++)
        if (column->is_shown[code] && !is_kept(type, column->values[code]))
            return KAN_FIELD_TEXT;
    return type;
}

/* ---- text ----------------------------------------------------------------------------------- */

static bool is_utf8(kan_slice text) {
    for (size_t at = 0, size; at < text.size; at += size) {
        size = kan_utf8_length(text.bytes + at, text.size - at);
        if (size == 0)
            return false;
    }
    return true;
}

/* As Excel counts: characters beyond the first plane are two. */
static size_t n_characters(const char *text, size_t size) {
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        n += (c & 0xc0) != 0x80;
        n += c >= 0xf0;
    }
    return n;
}

/* A text as a cell holds it. */
static kan_status make_text(writing *w, const char *column, kan_slice value, const char **out) {
    char quoted[256], name[256];
    kan_text text;
    if (!is_utf8(value))
        return kan_fail(w->run, KAN_BAD_INPUT,
                        "column %s: the value %s is not UTF-8, and a workbook holds nothing else; "
                        "give the table's encoding with --encoding",
                        kan_quote(kan_slice_of(column), name), kan_quote(value, quoted));
    kan_text_init(&text, w->run);
    kan_string_encode(value, &text);
    kan_status status = kan_text_status(&text);
    if (status == KAN_OK && n_characters(text.bytes ? text.bytes : "", text.size) > KAN_SHEET_CELL)
        status =
            kan_fail(w->run, KAN_BAD_INPUT,
                     "column %s: the value %s is longer than the 32,767 characters that a cell "
                     "holds; leave the column out, or write CSV",
                     kan_quote(kan_slice_of(column), name), kan_quote(value, quoted));
    if (status == KAN_OK)
        status = kan_arena_copy(&w->arena, text.bytes ? text.bytes : "", text.size, out);
    kan_text_destroy(&text);
    return status;
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status fail_library(const writing *w, lxw_error error) {
    return kan_fail(w->run, KAN_FAILED, "the workbook could not be made: %s", lxw_strerror(error));
}

static bool shows_fractions(const kan_sink_column *column) {
    for (uint32_t code = 0; code < column->column->n_labels; code++)
        if (column->is_shown[code] && column->values[code].size > 0 &&
            memchr(column->values[code].bytes, '.', column->values[code].size))
            return true;
    return false;
}

/* How dates and times are shown: as in CSV. */
static const char *format_of(const kan_sink_column *column, kan_field_type type, double *width) {
    switch (type) {
    case KAN_FIELD_DATE:
        *width = 11;
        return "yyyy\\-mm\\-dd";
    case KAN_FIELD_TIMESTAMP:
        *width = 23;
        return shows_fractions(column) ? "yyyy\\-mm\\-dd\\ hh:mm:ss.000"
                                       : "yyyy\\-mm\\-dd\\ hh:mm:ss";
    case KAN_FIELD_TIME:
        *width = 13;
        return shows_fractions(column) ? "hh:mm:ss.000" : "hh:mm:ss";
    default:
        return NULL;
    }
}

static kan_status add_format(writing *w, size_t index, const char *text, double width) {
    const lxw_col_t at = (lxw_col_t)index;
    lxw_format *format = workbook_add_format(w->workbook);
    if (!format)
        return fail_library(w, LXW_ERROR_MEMORY_MALLOC_FAILED);
    format_set_num_format(format, text);
    w->columns[index].format = format;
    const lxw_error error = worksheet_set_column(w->sheet, at, at, width, NULL);
    return error == LXW_NO_ERROR ? KAN_OK : fail_library(w, error);
}

static kan_status make_column(writing *w, size_t index) {
    const kan_sink_column *column = &w->plan->columns[index];
    written_column *made = &w->columns[index];
    double width;
    made->type = type_of(column);
    const char *format = format_of(column, made->type, &width);
    if (format)
        KAN_TRY(add_format(w, index, format, width));
    KAN_TRY(
        kan_arena_alloc(&w->arena, column->column->n_labels, sizeof *made->cells, &made->cells));
    for (uint32_t code = 0; code < column->column->n_labels; code++) {
        kan_number_style style;
        made->cells[code] = (written_cell){.text = ""};
        if (!column->is_shown[code] || column->values[code].size == 0)
            continue;
        if (made->type == KAN_FIELD_TEXT)
            KAN_TRY(
                make_text(w, column->field.name, column->values[code], &made->cells[code].text));
        else
            made->cells[code] =
                (written_cell){.number = number_of(made->type, column->values[code], &style)};
    }
    return KAN_OK;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static kan_status write_text(writing *w, size_t column, const char *text) {
    if (!*text)
        return KAN_OK;
    w->n_cells++;
    const lxw_error error =
        worksheet_write_string(w->sheet, (lxw_row_t)w->n_rows, (lxw_col_t)column, text, NULL);
    return error == LXW_NO_ERROR ? KAN_OK : fail_library(w, error);
}

static kan_status write_cell(writing *w, size_t column, const written_cell *cell) {
    const written_column *as = &w->columns[column];
    const lxw_row_t row = (lxw_row_t)w->n_rows;
    if (cell->text)
        return write_text(w, column, cell->text);
    w->n_cells++;
    const lxw_error error =
        as->type == KAN_FIELD_BOOLEAN
            ? worksheet_write_boolean(w->sheet, row, (lxw_col_t)column, cell->number != 0, NULL)
            : worksheet_write_number(w->sheet, row, (lxw_col_t)column, cell->number, as->format);
    return error == LXW_NO_ERROR ? KAN_OK : fail_library(w, error);
}

/* Whether the library's temporary file has taken all rows so far. */
static kan_status check_rows_file(const writing *w) {
    FILE *rows = w->sheet->optimize_tmpfile;
    errno = 0;
    if (!rows || (fflush(rows) == 0 && !ferror(rows)))
        return KAN_OK;
    return kan_spill_fail(w->run, 0, errno ? errno : ENOSPC);
}

static kan_status write_row(void *context, uint64_t row) {
    enum { ROWS_BETWEEN_CHECKS = 1 << 14 };
    writing *w = context;
    const kan_release *release = w->plan->release;
    const uint64_t n_before = w->n_cells;
    if (w->n_rows >= KAN_SHEET_ROWS)
        return kan_fail(w->run, KAN_BAD_INPUT,
                        "the release has more than the 1,048,575 rows that a sheet holds below its "
                        "header; write CSV");
    for (size_t i = 0; i < release->n_columns; i++) {
        const kan_release_column *column = w->plan->columns[i].column;
        if (kan_release_hides(release, column, row))
            KAN_TRY(write_text(w, i, "*"));
        else
            KAN_TRY(write_cell(w, i, &w->columns[i].cells[kan_release_code(release, column, row)]));
    }
    w->last_is_empty = w->n_cells == n_before;
    return ++w->n_rows % ROWS_BETWEEN_CHECKS == 0 ? check_rows_file(w) : KAN_OK;
}

static kan_status write_header(writing *w) {
    for (size_t i = 0; i < w->plan->release->n_columns; i++) {
        const char *name = w->plan->columns[i].field.name, *text;
        KAN_TRY(make_text(w, name, kan_slice_of(name), &text));
        KAN_TRY(write_text(w, i, text));
    }
    w->n_rows++;
    worksheet_freeze_panes(w->sheet, 1, 0);
    return KAN_OK;
}

static kan_status write_sheet(writing *w) {
    const kan_release *release = w->plan->release;
    KAN_TRY(kan_arena_alloc(&w->arena, release->n_columns, sizeof *w->columns, &w->columns));
    memset(w->columns, 0, release->n_columns * sizeof *w->columns);
    for (size_t i = 0; i < release->n_columns; i++)
        KAN_TRY(make_column(w, i));
    KAN_TRY(write_header(w));
    KAN_TRY(kan_sink_each_row(w->run, release, write_row, w));
    /* A sheet ends where its last cell is. */
    if (w->last_is_empty)
        return kan_fail(
            w->run, KAN_BAD_INPUT,
            "the last row of the release has no value in any column, and a sheet cannot tell it "
            "from a missing row; write CSV, or release a column that always has one");
    return check_rows_file(w);
}

/* ---- the workbook --------------------------------------------------------------------------- */

/* The sheet of the table, where it came from one. */
static const char *sheet_name(const writing *w) {
    const kan_source *source = w->plan->source;
    const char *name =
        source && source->kind == &kan_source_xlsx ? kan_xlsx_sheet_name(source->state) : "release";
    return workbook_validate_sheet_name(w->workbook, name) == LXW_NO_ERROR ? name : "release";
}

/* A sheet for each table. */
static kan_status add_sheet(writing *w, const char *name) {
    w->sheet = workbook_add_worksheet(w->workbook, name);
    if (w->sheet)
        return KAN_OK;
    return kan_fail(w->run, KAN_FAILED,
                    "the workbook could not be started: %s; is there room in %s, or another "
                    "folder for --tmp?",
                    strerror(errno), kan_run_tmp(w->run));
}

static kan_status begin_workbook(writing *w, char *path) {
    enum { YEAR_2000 = 946684800 };
    lxw_workbook_options options = {.constant_memory = 1,
                                    .tmpdir = (char *)(uintptr_t)kan_run_tmp(w->run)};
    lxw_doc_properties properties = {.created = YEAR_2000};
    w->workbook = workbook_new_opt(path, &options);
    if (!w->workbook)
        return fail_library(w, LXW_ERROR_MEMORY_MALLOC_FAILED);
    const lxw_error error = workbook_set_properties(w->workbook, &properties);
    return error == LXW_NO_ERROR ? KAN_OK : fail_library(w, error);
}

static kan_status count_cell(void *context, const char *name, const char *const *attributes) {
    (void)attributes;
    *(uint64_t *)context += strcmp(name, "c") == 0;
    return KAN_OK;
}

/* Whether each sheet has the cells that were written. */
static kan_status count_cells(const writing *w, const char *path, bool *is_whole) {
    static const kan_xml_handlers handlers = {.begin = count_cell};
    kan_package package;
    KAN_TRY(kan_package_open(&package, w->run, path));
    kan_status status = KAN_OK;
    *is_whole = true;
    for (size_t i = 0; i < w->n_sheets && status == KAN_OK; i++) {
        uint64_t n_cells = 0;
        char part[64];
        (void)snprintf(part, sizeof part, "xl/worksheets/sheet%zu.xml", i + 1);
        status = kan_package_walk(&package, part, &handlers, &n_cells);
        *is_whole = *is_whole && n_cells == w->sheet_cells[i];
    }
    kan_package_close(&package);
    return status;
}

/* Whether all of the workbook is there: see the head of this file. */
static kan_status check_whole(const writing *w, const char *path) {
    bool is_whole = false;
    const kan_status status = count_cells(w, path, &is_whole);
    if (status == KAN_CANCELLED || (status == KAN_OK && is_whole))
        return status;
    return kan_fail(w->run, KAN_FAILED,
                    "the workbook could not be written completely to temporary files: %s; free "
                    "some space in %s, or name another folder with --tmp",
                    strerror(ENOSPC), kan_run_tmp(w->run));
}

static kan_status end_workbook(writing *w, const char *path) {
    kan_report_progress(w->run, "write", w->plan->release->n_rows, w->plan->release->n_rows);
    errno = 0;
    const lxw_error error = workbook_close(w->workbook);
    w->workbook = NULL;
    if (error != LXW_NO_ERROR)
        return errno == ENOSPC || errno == EFBIG || errno == EDQUOT
                   ? kan_spill_fail(w->run, 0, errno)
                   : fail_library(w, error);
    return check_whole(w, path);
}

static kan_status copy_to(const writing *w, kan_target *target) {
    enum { PIECE = 1 << 16 };
    char *room;
    kan_status status = KAN_OK;
    ssize_t n = 1;
    KAN_TRY(kan_alloc(w->run, PIECE, 1, &room));
    for (off_t at = 0; n > 0 && status == KAN_OK; at += n) {
        n = pread(w->file, room, PIECE, at);
        if (n < 0)
            status = kan_spill_fail(w->run, 0, errno);
        else if (n > 0)
            status = kan_target_write(target, room, (size_t)n);
    }
    kan_free(w->run, room);
    return status;
}

/* A workbook that is not to be written; the library does not close its temporary files then. */
static void drop_workbook(writing *w) {
    lxw_worksheet *sheet;
    STAILQ_FOREACH(sheet, w->workbook->worksheets, list_pointers)
    if (sheet->optimize_tmpfile)
        (void)fclose(sheet->optimize_tmpfile);
    lxw_workbook_free(w->workbook);
}

static kan_status write_plans(writing *w, const kan_sink_plan *plans, const char *const *names,
                              size_t n) {
    KAN_TRY(kan_arena_alloc(&w->arena, n, sizeof *w->sheet_cells, &w->sheet_cells));
    for (size_t i = 0; i < n; i++) {
        w->plan = &plans[i];
        w->n_rows = w->n_cells = 0;
        KAN_TRY(add_sheet(w, names ? names[i] : sheet_name(w)));
        KAN_TRY(write_sheet(w));
        w->sheet_cells[w->n_sheets++] = w->n_cells;
    }
    return KAN_OK;
}

static kan_status write_book(kan_run *run, const kan_sink_plan *plans, const char *const *names,
                             size_t n, kan_target *target) {
    writing w = {.run = run, .file = -1};
    char path[64];
    kan_status status;
    kan_arena_init(&w.arena, run);
    KAN_TRY_DONE(kan_spill_file(run, &w.file));
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", w.file);
    KAN_TRY_DONE(begin_workbook(&w, path));
    KAN_TRY_DONE(write_plans(&w, plans, names, n));
    KAN_TRY_DONE(end_workbook(&w, path));
    KAN_TRY_DONE(copy_to(&w, target));
done:
    if (w.workbook)
        drop_workbook(&w);
    if (w.file >= 0)
        (void)close(w.file);
    kan_arena_destroy(&w.arena);
    return status;
}

static kan_status write_xlsx(kan_run *run, const kan_sink_plan *plan, kan_target *target,
                             kan_source_options *readback, kan_formulas *formulas) {
    (void)formulas; /* text is not run */
    KAN_TRY(write_book(run, plan, NULL, 1, target));
    *readback = (kan_source_options){.is_quiet = true, .spellings = readback->spellings};
    return KAN_OK;
}

static kan_status write_several(kan_run *run, const kan_sink_plan *plans, const char *const *names,
                                size_t n, kan_target *target, kan_source_options *readbacks) {
    KAN_TRY(write_book(run, plans, names, n, target));
    for (size_t i = 0; i < n; i++)
        readbacks[i] = (kan_source_options){
            .is_quiet = true, .spellings = readbacks[i].spellings, .table = names[i]};
    return KAN_OK;
}

/* ---- the kind ------------------------------------------------------------------------------- */

/* What programs take as the name of a sheet. */
static bool is_name_of_sheet(const char *name) {
    enum { MOST = 31 };
    const size_t size = strlen(name);
    return size > 0 && n_characters(name, size) <= MOST && !strpbrk(name, "[]:*?/\\") &&
           name[0] != '\'' && name[size - 1] != '\'' && strcasecmp(name, "history") != 0;
}

static kan_status check_xlsx(kan_run *run, const kan_sink_sketch *sketch) {
    char n[32], quoted[256];
    if (sketch->table && !is_name_of_sheet(sketch->table))
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: a sheet cannot be called %s: its name has at most 31 characters, none "
                        "of []:*?/\\ and no apostrophe at an end; give the table another name",
                        sketch->target, kan_quote(kan_slice_of(sketch->table), quoted));
    if (sketch->n_rows >= KAN_SHEET_ROWS)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: a sheet holds 1,048,575 rows below its header, and the table has %s; "
                        "write CSV",
                        sketch->target, kan_count_text(sketch->n_rows, n));
    if (sketch->n_columns > KAN_SHEET_COLUMNS)
        return kan_fail(run, KAN_BAD_INPUT,
                        "%s: a sheet holds 16,384 columns, and the release would have %s; leave "
                        "some out, or write CSV",
                        sketch->target, kan_count_text(sketch->n_columns, n));
    return KAN_OK;
}

static bool takes_xlsx(const char *path) {
    return kan_path_ends_with(path, ".xlsx");
}

const kan_sink_kind kan_sink_xlsx = {
    .kind = {.name = "xlsx",
             .summary = "an Excel workbook (.xlsx) of one sheet",
             .is_everyday = true},
    .files = {{"xlsx", "Excel (.xlsx)"}},
    .takes = takes_xlsx,
    .reader = &kan_source_xlsx,
    .is_typed = true,
    .is_spelled = true,
    .check = check_xlsx,
    .write = write_xlsx,
    .write_several = write_several,
};
