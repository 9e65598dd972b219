/* A sheet as it comes out of the parser: rows, each with cells, each with a value or a string.
 *
 * The first row with anything in it is the header, from its first to its last cell. Rows and cells
 * that are empty may be left out of the file. A row that is empty as a whole stays where others
 * follow: it is a row of missing values, as in other programs that read tables. */
#include "io/excel/sheet.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/signs.h"
#include "io/excel/excel.h"

/* What kind of value a cell says that it has. */
typedef enum {
    VALUE_NUMBER,
    VALUE_SHARED,
    VALUE_TEXT,
    VALUE_BOOLEAN,
    VALUE_ERROR,
    VALUE_ISO
} value_type;

/* A cell of the header, until all of them are known. */
typedef struct {
    uint32_t column;
    const char *name;
} header_cell;

typedef struct {
    kan_sheet *sheet;
    kan_package *package;
    const kan_styles *styles;
    bool is_in_rows, is_in_row, is_in_cell, takes_text, is_in_phonetic;
    bool has_formula, has_value;
    bool is_header_done;
    bool row_has_any;
    uint32_t row, column; /* where we are, from 0 on */
    uint32_t next_row, next_column;
    value_type type;
    char style;
    char *text; /* the key of the cell: a letter, then its text */
    size_t used, capacity;
    header_cell *header;
    size_t n_header, header_capacity;
    uint32_t *row_columns, *row_codes; /* of the row's cells that have a value */
    size_t n_row;
} reading;

/* ---- messages ------------------------------------------------------------------------------- */

static const char *here(const reading *r, char *room) {
    return kan_cell_name(r->row, r->column, room);
}

static kan_status fail_order(const reading *r, const char *what, const char *place) {
    char quoted[256];
    return kan_fail(r->sheet->run, KAN_BAD_INPUT,
                    "%s: %s %s; open the workbook in a spreadsheet program and save it again",
                    r->sheet->file, what, kan_quote(kan_slice_of(place), quoted));
}

static void add_problem(const reading *r, const char *what) {
    char cell[16];
    kan_problem_add(r->sheet->run, "%s: cell %s %s", r->sheet->file, here(r, cell), what);
}

/* ---- the header ----------------------------------------------------------------------------- */

static kan_status take_header_cell(reading *r, kan_slice key) {
    kan_cell cell;
    const char *why;
    if (!kan_cell_read(&r->sheet->world, key, &cell, &why)) {
        add_problem(r, why);
        return KAN_OK;
    }
    if (cell.text.size == 0)
        return KAN_OK;
    KAN_TRY(kan_reserve(r->sheet->run, r->n_header + 1, sizeof *r->header, &r->header_capacity,
                        &r->header));
    header_cell *made = &r->header[r->n_header];
    made->column = r->column;
    KAN_TRY(kan_arena_copy(&r->sheet->arena, cell.text.bytes, cell.text.size, &made->name));
    r->n_header++;
    r->row_has_any = true;
    return KAN_OK;
}

static void check_gaps(const reading *r) {
    char cell[16];
    for (size_t i = 1; i < r->n_header; i++)
        for (uint32_t c = r->header[i - 1].column + 1; c < r->header[i].column; c++)
            kan_problem_add(r->sheet->run,
                            "%s: cell %s is empty: the column has no name; give it one, or delete "
                            "the column (a merged cell names its first column alone)",
                            r->sheet->file, kan_cell_name(r->row, c, cell));
}

static kan_status check_repeats(const reading *r, size_t *place_of) {
    kan_encoder seen;
    char quoted[256], first[16], second[16];
    kan_status status = KAN_OK;
    KAN_TRY(kan_encoder_init(&seen, r->sheet->run));
    for (size_t i = 0; i < r->n_header && status == KAN_OK; i++) {
        const kan_slice name = kan_slice_of(r->header[i].name);
        const uint32_t n = seen.n;
        uint32_t code;
        status = kan_encoder_add(&seen, name, &code);
        if (status == KAN_OK && code == n)
            place_of[code] = i;
        else if (status == KAN_OK)
            kan_problem_add(
                r->sheet->run, "%s: cells %s and %s are both named %s; rename one", r->sheet->file,
                kan_cell_name(r->row, r->header[place_of[code]].column, first),
                kan_cell_name(r->row, r->header[i].column, second), kan_quote(name, quoted));
    }
    kan_encoder_destroy(&seen);
    return status;
}

static kan_status check_names(const reading *r) {
    size_t *place_of;
    check_gaps(r);
    KAN_TRY(kan_alloc(r->sheet->run, r->n_header, sizeof *place_of, &place_of));
    const kan_status status = check_repeats(r, place_of);
    kan_free(r->sheet->run, place_of);
    return status == KAN_OK ? kan_problems_end(r->sheet->run) : status;
}

static kan_status begin_column(kan_sheet *sheet, kan_sheet_column *column, const char *name) {
    uint32_t empty;
    KAN_TRY(kan_encoder_init(&column->cells, sheet->run));
    column->name = name;
    return kan_encoder_add(&column->cells, (kan_slice){"", 0}, &empty);
}

/* Names of columns, once the row has ended. */
static kan_status end_header(reading *r) {
    kan_sheet *sheet = r->sheet;
    KAN_TRY(check_names(r));
    kan_problems_begin(sheet->run);
    KAN_TRY(kan_alloc_zero(sheet->run, r->n_header, sizeof *sheet->columns, &sheet->columns));
    for (size_t i = 0; i < r->n_header; i++, sheet->n_columns++) {
        sheet->columns[i].cells.run = sheet->run;
        KAN_TRY(begin_column(sheet, &sheet->columns[i], r->header[i].name));
    }
    sheet->header_row = r->row;
    sheet->first_column = r->header[0].column;
    KAN_TRY(kan_alloc(sheet->run, sheet->n_columns, sizeof *r->row_columns, &r->row_columns));
    KAN_TRY(kan_alloc(sheet->run, sheet->n_columns, sizeof *r->row_codes, &r->row_codes));
    r->is_header_done = true;
    return KAN_OK;
}

/* ---- cells ---------------------------------------------------------------------------------- */

static value_type type_of(const char *t) {
    static const struct {
        const char *name;
        value_type type;
    } types[] = {{"s", VALUE_SHARED}, {"n", VALUE_NUMBER},  {"inlineStr", VALUE_TEXT},
                 {"str", VALUE_TEXT}, {"b", VALUE_BOOLEAN}, {"e", VALUE_ERROR},
                 {"d", VALUE_ISO}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(t, types[i].name) == 0)
            return types[i].type;
    return VALUE_TEXT;
}

static char letter_of(const reading *r) {
    switch (r->type) {
    case VALUE_SHARED:
        return KAN_CELL_SHARED;
    case VALUE_BOOLEAN:
        return KAN_CELL_BOOLEAN;
    case VALUE_ISO:
        return KAN_CELL_ISO;
    case VALUE_NUMBER:
        return r->style;
    default:
        return KAN_CELL_TEXT;
    }
}

/* "AB12"; false where it is no cell of a sheet. */
static bool parse_reference(const char *text, uint32_t *row, uint32_t *column) {
    uint32_t c = 0, n = 0;
    for (; *text >= 'A' && *text <= 'Z' && c <= KAN_SHEET_COLUMNS; text++)
        c = c * 26 + (uint32_t)(*text - 'A' + 1);
    for (; kan_is_digit(*text) && n <= KAN_SHEET_ROWS; text++)
        n = n * 10 + (uint32_t)(*text - '0');
    *row = n - 1;
    *column = c - 1;
    return *text == '\0' && c >= 1 && c <= KAN_SHEET_COLUMNS && n >= 1 && n <= KAN_SHEET_ROWS;
}

static kan_status begin_cell(reading *r, const char *const *attributes) {
    uint32_t row = r->row;
    if (!r->is_in_row)
        return fail_order(r, "a cell is outside all rows:", "<c>");
    r->column = r->next_column;
    r->type = VALUE_NUMBER;
    r->style = KAN_STYLE_NUMBER;
    r->used = 1;
    r->has_formula = r->has_value = r->takes_text = false;
    r->is_in_cell = true;
    for (; attributes[0]; attributes += 2) {
        const char *name = attributes[0], *value = attributes[1];
        if (name[0] == '\0' || name[1] != '\0')
            continue;
        if (name[0] == 'r') {
            if (!parse_reference(value, &row, &r->column))
                return fail_order(r, "a sheet has no cell", value);
        } else if (name[0] == 't') {
            r->type = type_of(value);
        } else if (name[0] == 's' && r->styles) {
            const unsigned long style = strtoul(value, NULL, 10);
            r->style = style < r->styles->n ? r->styles->of_cell[style] : KAN_STYLE_NUMBER;
        }
    }
    if (r->column >= KAN_SHEET_COLUMNS || row != r->row || r->column < r->next_column) {
        char cell[16];
        return fail_order(r, "this cell appears twice, or in the wrong place:",
                          kan_cell_name(row, r->column, cell));
    }
    r->next_column = r->column + 1;
    return KAN_OK;
}

static void note_empty_text(kan_sheet *sheet, kan_sheet_column *column) {
    column->n_empty_texts++;
    sheet->ends_in_empty_texts = true;
}

/* The code of a cell that its column has not had so far. */
static kan_status add_cell(reading *r, kan_sheet_column *column, kan_slice key, uint32_t *code) {
    kan_cell cell;
    const char *why;
    if (!kan_cell_read(&r->sheet->world, key, &cell, &why)) {
        add_problem(r, why);
        *code = 0;
        return KAN_OK;
    }
    if (cell.text.size == 0) {
        note_empty_text(r->sheet, column);
        *code = 0;
        return KAN_OK;
    }
    column->types |= 1u << cell.type;
    return kan_encoder_insert(&column->cells, key.bytes, key.size, code);
}

static kan_status take_cell(reading *r, kan_slice key) {
    kan_sheet *sheet = r->sheet;
    const uint32_t at = r->column - sheet->first_column;
    char name[16];
    uint32_t code;
    if (r->column < sheet->first_column || at >= sheet->n_columns) {
        if (kan_problems_count(sheet->run) < 20)
            kan_problem_add(sheet->run,
                            "%s: cell %s has a value, but its column has no name in row %u, which "
                            "names the columns; name it, or delete what stands above the names",
                            sheet->file, here(r, name), sheet->header_row + 1);
        else
            add_problem(r, "has a value, but its column has no name");
        return KAN_OK;
    }
    kan_sheet_column *column = &sheet->columns[at];
    code = kan_encoder_find(&column->cells, key.bytes, key.size);
    if (code == KAN_CODE_LIMIT)
        KAN_TRY(add_cell(r, column, key, &code));
    if (code == 0)
        return KAN_OK;
    r->row_columns[r->n_row] = at;
    r->row_codes[r->n_row++] = code;
    column->n_values++;
    r->row_has_any = true;
    return KAN_OK;
}

/* The column of the cell; NULL: it has no name, or the names are not known yet. */
static kan_sheet_column *column_of(const reading *r) {
    const uint32_t at = r->column - r->sheet->first_column;
    return r->is_header_done && at < r->sheet->n_columns ? &r->sheet->columns[at] : NULL;
}

/* An error value counts as missing, and its row as one that has something. */
static kan_status take_error(reading *r) {
    kan_sheet *sheet = r->sheet;
    kan_sheet_column *column = column_of(r);
    char error[sizeof column->error] = "";
    if (sheet->n_errors++ == 0)
        (void)here(r, sheet->first_error);
    memcpy(error, r->text + 1, r->used <= sizeof error ? r->used - 1 : sizeof error);
    if (column && column->n_errors++ == 0)
        memcpy(column->error, error, sizeof error);
    else if (column)
        column->errors_differ |= memcmp(column->error, error, sizeof error) != 0;
    r->row_has_any |= r->is_header_done;
    return KAN_OK;
}

static kan_status end_cell(reading *r) {
    r->is_in_cell = r->takes_text = false;
    if (r->has_formula && (!r->has_value || (r->used == 1 && r->type == VALUE_NUMBER))) {
        add_problem(r, "is a formula whose value is not in the file; open the workbook in a "
                       "spreadsheet program and save it there");
        return KAN_OK;
    }
    if (r->has_formula && column_of(r))
        column_of(r)->has_formula = true;
    if (r->used == 1) {
        if (column_of(r) && (r->type == VALUE_TEXT || r->type == VALUE_SHARED))
            note_empty_text(r->sheet, column_of(r));
        return KAN_OK;
    }
    if (r->type == VALUE_ERROR)
        return take_error(r);
    r->text[0] = letter_of(r);
    if (r->type == VALUE_TEXT)
        r->used = 1 + kan_string_decode(r->text + 1, r->used - 1);
    const kan_slice key = {r->text, r->used};
    return r->is_header_done ? take_cell(r, key) : take_header_cell(r, key);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static kan_status begin_row(reading *r, const char *const *attributes) {
    const char *number = kan_xml_attribute(attributes, "r");
    uint64_t row = r->next_row + UINT64_C(1);
    if (number && (!kan_parse_count(number, &row) || row < 1 || row > KAN_SHEET_ROWS))
        return fail_order(r, "a sheet has no row", number);
    if (r->is_in_row || row <= r->next_row || row > KAN_SHEET_ROWS)
        return fail_order(r,
                          "this row appears twice, or in the wrong place:", number ? number : "");
    r->row = (uint32_t)(row - 1);
    r->next_row = (uint32_t)row;
    r->next_column = 0;
    r->n_row = 0;
    r->row_has_any = false;
    r->is_in_row = true;
    return KAN_OK;
}

static kan_status end_row(reading *r) {
    kan_sheet *sheet = r->sheet;
    r->is_in_row = false;
    if (!r->row_has_any)
        return KAN_OK;
    if (!r->is_header_done)
        return end_header(r);
    const uint64_t n = (uint64_t)(r->row - sheet->header_row);
    if (r->n_row > 0) /* else it has error values alone */
        KAN_TRY(kan_sheet_add_row(sheet, r->row - sheet->header_row - 1, r->n_row, r->row_columns,
                                  r->row_codes));
    sheet->n_blank += n - sheet->n_rows - 1;
    sheet->n_rows = n;
    sheet->ends_in_empty_texts = false;
    return KAN_OK;
}

/* ---- elements ------------------------------------------------------------------------------- */

static void take_merge(reading *r, const char *const *attributes) {
    const char *range = kan_xml_attribute(attributes, "ref");
    const char *colon = range ? strchr(range, ':') : NULL;
    const kan_sheet *sheet = r->sheet;
    uint32_t row, last, first;
    char from[16] = "";
    if (!r->is_header_done || !colon || !parse_reference(colon + 1, &row, &last) ||
        row <= sheet->header_row)
        return;
    r->sheet->n_merged++;
    memcpy(from, range, (size_t)(colon - range) < sizeof from ? (size_t)(colon - range) : 0);
    if (!parse_reference(from, &row, &first))
        first = 0;
    for (size_t i = 0; i < sheet->n_columns; i++)
        sheet->columns[i].is_merged |=
            first <= sheet->first_column + i && sheet->first_column + i <= last;
}

static kan_status begin_element(void *context, const char *name, const char *const *attributes) {
    reading *r = context;
    if (r->is_in_cell) {
        if (strcmp(name, "v") == 0)
            r->takes_text = r->has_value = true;
        else if (strcmp(name, "t") == 0 && !r->is_in_phonetic)
            r->takes_text = r->has_value = true;
        else if (strcmp(name, "f") == 0)
            r->has_formula = true;
        else if (strcmp(name, "rPh") == 0)
            r->is_in_phonetic = true;
        return KAN_OK;
    }
    if (r->is_in_rows)
        return strcmp(name, "c") == 0     ? begin_cell(r, attributes)
               : strcmp(name, "row") == 0 ? begin_row(r, attributes)
                                          : KAN_OK;
    if (strcmp(name, "sheetData") == 0)
        r->is_in_rows = true;
    else if (strcmp(name, "mergeCell") == 0)
        take_merge(r, attributes);
    return KAN_OK;
}

static kan_status end_element(void *context, const char *name) {
    reading *r = context;
    if (r->is_in_cell) {
        r->takes_text = false;
        if (strcmp(name, "c") == 0)
            return end_cell(r);
        if (strcmp(name, "rPh") == 0)
            r->is_in_phonetic = false;
        return KAN_OK;
    }
    if (!r->is_in_rows)
        return KAN_OK;
    if (strcmp(name, "row") == 0)
        return end_row(r);
    if (strcmp(name, "sheetData") == 0)
        r->is_in_rows = false;
    return KAN_OK;
}

static kan_status take_text(void *context, const char *bytes, size_t size) {
    reading *r = context;
    enum { PAD = 8 }; /* the encoder loads words */
    if (!r->takes_text)
        return KAN_OK;
    if (r->used + size > KAN_STRING_MOST) {
        char cell[16];
        return kan_fail(r->sheet->run, KAN_BAD_INPUT,
                        "%s: cell %s has more than the 32,767 characters that a cell holds; "
                        "shorten it, or save the sheet as CSV",
                        r->sheet->file, here(r, cell));
    }
    if (r->used + size + PAD > r->capacity)
        KAN_TRY(kan_reserve(r->sheet->run, r->used + size + PAD, 1, &r->capacity, &r->text));
    memcpy(r->text + r->used, bytes, size);
    r->used += size;
    return KAN_OK;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static kan_status check_rows(const kan_sheet *sheet, bool has_header) {
    char quoted[256];
    KAN_TRY(kan_problems_end(sheet->run));
    if (!has_header)
        return kan_fail(sheet->run, KAN_BAD_INPUT,
                        "%s: the sheet %s is empty; a table needs a header row and rows; is "
                        "another sheet meant (--sheet NAME)?",
                        sheet->file, kan_quote(kan_slice_of(sheet->name), quoted));
    if (sheet->n_rows == 0)
        return kan_fail(
            sheet->run, KAN_BAD_INPUT,
            "%s: the sheet %s has a header, but no row below it; is another sheet meant "
            "(--sheet NAME)?",
            sheet->file, kan_quote(kan_slice_of(sheet->name), quoted));
    return KAN_OK;
}

kan_status kan_sheet_read(kan_package *package, const kan_parts *parts, const kan_strings *strings,
                          const kan_styles *styles, kan_sheet *out) {
    static const kan_xml_handlers handlers = {
        .begin = begin_element, .end = end_element, .text = take_text};
    kan_run *run = package->run;
    kan_sheet sheet = {.run = run,
                       .file = package->stream.name,
                       .name = parts->sheet_name,
                       .world = {.strings = strings, .is_1904 = parts->is_1904}};
    reading r = {.sheet = &sheet, .package = package, .styles = styles};
    kan_status status;
    kan_arena_init(&sheet.arena, run);
    kan_problems_begin(run);
    KAN_TRY_DONE(kan_reserve(run, 64, 1, &r.capacity, &r.text));
    memset(r.text, 0, r.capacity);
    KAN_TRY_DONE(kan_package_walk(package, parts->sheet, &handlers, &r));
    KAN_TRY_DONE(check_rows(&sheet, r.is_header_done));
    *out = sheet;
done:
    kan_free(run, r.text);
    kan_free(run, r.header);
    kan_free(run, r.row_columns);
    kan_free(run, r.row_codes);
    if (status != KAN_OK)
        kan_sheet_destroy(&sheet);
    return status;
}

void kan_sheet_destroy(kan_sheet *sheet) {
    for (size_t i = 0; i < sheet->n_columns; i++)
        kan_encoder_destroy(&sheet->columns[i].cells);
    kan_sheet_free_rows(sheet);
    kan_free(sheet->run, sheet->columns);
    kan_arena_destroy(&sheet->arena);
    *sheet = (kan_sheet){.run = sheet->run};
}
