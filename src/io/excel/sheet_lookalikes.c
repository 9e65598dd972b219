/* Cells that are one text here, and two to whoever opens the workbook: an empty cell, an empty text and an
 * error such as #N/A; a number, a date or a truth value and the text that is written like it; a formula,
 * which says more than its value; merged cells, of which one alone has the value. How a cell looks, its colour or the number of its decimals, is not
 * looked at.
 *
 * Cells are few where they are distinct, and no row is looked at. */
#include "io/excel/sheet.h"

#include <string.h>

/* A cell beside its text: texts are one, however they are kept; numbers are their bits. */
typedef struct {
    char letter;
    uint64_t bits;
} cell_form;

static cell_form form_of(kan_slice key) {
    cell_form form = {.letter = key.bytes[0]};
    double number;
    kan_slice text = {key.bytes + 1, key.size - 1};
    switch (form.letter) {
    case KAN_CELL_SHARED:
        form.letter = KAN_CELL_TEXT;
        break;
    case KAN_CELL_TEXT:
    case KAN_CELL_BOOLEAN:
    case KAN_CELL_ISO:
        break;
    default:
        if (kan_cell_number(text, &number))
            memcpy(&form.bits, &number, sizeof number);
    }
    return form;
}

static kan_status look_at(const kan_sheet *sheet, const kan_encoder *cells, kan_encoder *texts,
                          cell_form *forms, bool *out) {
    kan_cell cell;
    const char *why;
    uint32_t at;
    for (uint32_t code = 1; code < cells->n && !*out; code++) { /* 0 is the empty cell */
        const kan_slice key = kan_encoder_value(cells, code);
        const uint32_t n = texts->n;
        if (code % 65536 == 0)
            KAN_TRY(kan_check_cancel(sheet->run));
        if (!kan_cell_read(&sheet->world, key, &cell, &why))
            continue;
        const cell_form form = form_of(key);
        KAN_TRY(kan_encoder_add(texts, cell.text, &at));
        if (at == n)
            forms[at] = form;
        *out = forms[at].letter != form.letter || forms[at].bits != form.bits;
    }
    return KAN_OK;
}

static kan_status find_twins(const kan_sheet *sheet, const kan_encoder *cells, bool *out) {
    kan_encoder texts = {.run = sheet->run};
    cell_form *forms = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_encoder_init(&texts, sheet->run));
    KAN_TRY_DONE(kan_alloc(sheet->run, cells->n, sizeof *forms, &forms));
    KAN_TRY_DONE(look_at(sheet, cells, &texts, forms, out));
done:
    kan_encoder_destroy(&texts);
    kan_free(sheet->run, forms);
    return status;
}

kan_status kan_sheet_is_apart(const kan_sheet *sheet, size_t index, bool *out) {
    const kan_sheet_column *column = &sheet->columns[index];
    const uint64_t n_texts = column->n_empty_texts, n_errors = column->n_errors;
    *out = column->has_formula || column->is_merged || column->errors_differ ||
           (n_texts > 0 && (n_errors > 0 || sheet->ends_in_empty_texts));
    if (!*out && n_texts + n_errors > 0)
        *out = sheet->n_rows - column->n_values > n_texts + n_errors;
    return *out ? KAN_OK : find_twins(sheet, &column->cells, out);
}
