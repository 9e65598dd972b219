#include "support/workbook.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#define MAIN "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define LINK "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define PACK "http://schemas.openxmlformats.org/package/2006"

void workbook_zip(const char *path, const workbook_part *parts, size_t n) {
    int error = 0;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &error);
    assert_non_null(zip);
    for (size_t i = 0; i < n; i++) {
        zip_source_t *source = zip_source_buffer(zip, parts[i].text, strlen(parts[i].text), 0);
        assert_non_null(source);
        const zip_int64_t index = zip_file_add(zip, parts[i].name, source, ZIP_FL_OVERWRITE);
        assert_true(index >= 0);
        assert_int_equal(zip_file_set_mtime(zip, (zip_uint64_t)index, 315532800, 0), 0);
    }
    assert_int_equal(zip_close(zip), 0);
}

enum { MOST_PARTS = 16 };

/* Adds a part, its text as printf has it. */
static void add(workbook_part *parts, size_t *n, const char *name, const char *format, ...) {
    va_list list;
    char *text = NULL;
    va_start(list, format);
    assert_true(vasprintf(&text, format, list) >= 0);
    va_end(list);
    assert_true(*n < MOST_PARTS);
    parts[(*n)++] = (workbook_part){name, text};
}

static const char * or (const char *text, const char *otherwise) {
    return text ? text : otherwise;
}

void workbook_save(const char *path, workbook w) {
    workbook_part parts[MOST_PARTS + MOST_PARTS];
    size_t n = 0;
    add(parts, &n, "[Content_Types].xml",
        "<Types xmlns=\"" PACK "/content-types\"><Override PartName=\"/xl/workbook.xml\" "
        "ContentType=\"%s\"/></Types>",
        or (w.types, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"));
    add(parts, &n, "_rels/.rels",
        "<Relationships xmlns=\"" PACK "/relationships\"><Relationship Id=\"r1\" Type=\"" LINK
        "/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>");
    add(parts, &n, "xl/workbook.xml",
        "<workbook xmlns=\"" MAIN "\" xmlns:r=\"" LINK "\">%s<sheets>%s</sheets></workbook>",
        or (w.workbook, ""), or (w.sheets, "<sheet name=\"Data\" sheetId=\"1\" r:id=\"r1\"/>"));
    add(parts, &n, "xl/_rels/workbook.xml.rels",
        "<Relationships xmlns=\"" PACK "/relationships\">"
        "<Relationship Id=\"r1\" Type=\"" LINK "/worksheet\" Target=\"worksheets/sheet1.xml\"/>"
        "<Relationship Id=\"r2\" Type=\"" LINK "/worksheet\" Target=\"/xl/worksheets/s2.xml\"/>"
        "<Relationship Id=\"r3\" Type=\"" LINK "/chartsheet\" Target=\"chartsheets/c.xml\"/>%s%s"
        "</Relationships>",
        w.strings ? "<Relationship Id=\"r4\" Type=\"" LINK
                    "/sharedStrings\" Target=\"sharedStrings.xml\"/>"
                  : "",
        w.styles ? "<Relationship Id=\"r5\" Type=\"" LINK "/styles\" Target=\"styles.xml\"/>" : "");
    add(parts, &n, "xl/worksheets/sheet1.xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<worksheet xmlns=\"" MAIN
        "\"><sheetData>%s</sheetData>%s</worksheet>",
        or (w.rows, ""), or (w.behind, ""));
    if (w.strings)
        add(parts, &n, "xl/sharedStrings.xml", "<sst xmlns=\"" MAIN "\">%s</sst>", w.strings);
    if (w.styles)
        add(parts, &n, "xl/styles.xml",
            "<styleSheet xmlns=\"" MAIN "\"><numFmts>%s</numFmts><cellStyleXfs><xf "
            "numFmtId=\"14\"/></cellStyleXfs><cellXfs>%s</cellXfs></styleSheet>",
            or (w.formats, ""), w.styles);
    const size_t n_made = n;
    for (const workbook_part *part = w.parts; part && part->name; part++)
        parts[n++] = *part;
    workbook_zip(path, parts, n);
    for (size_t i = 0; i < n_made; i++)
        free((char *)(uintptr_t)parts[i].text);
}

/* ---- tables --------------------------------------------------------------------------------- */

static void print_table(const kan_source *source, const kan_table *table, kan_text *out) {
    static const char *const types[] = {"text", "number", "date", "timestamp", "time", "boolean"};
    for (size_t i = 0; i < table->n_columns; i++) {
        const kan_field *field = kan_source_field(source, i);
        kan_text_print(out, "%s%s:%s", i ? "|" : "", kan_source_column_name(source, i),
                       field ? types[field->type] : "none");
    }
    for (uint64_t row = 0; row < table->n_rows; row++)
        for (size_t i = 0; i < table->n_columns; i++) {
            const kan_slice value = kan_column_value(&table->columns[i], row);
            kan_text_add(out, i ? "|" : "\n", 1);
            kan_text_add(out, value.bytes, value.size);
        }
}

char *source_text(kan_run *run, const kan_source_kind *kind, const char *path,
                  const kan_source_options *options) {
    kan_source_options none = {.separator = 0};
    kan_source *source = NULL;
    kan_table *table = NULL;
    kan_text text;
    bool *all = NULL;
    kan_text_init(&text, run);
    kan_status status = kan_source_open(run, kind, path, options ? options : &none, &source);
    if (status == KAN_OK) {
        const size_t n = kan_source_n_columns(source);
        all = malloc(n);
        assert_non_null(all);
        memset(all, true, n);
        status = kan_source_read(source, all, NULL, &table);
    }
    if (status == KAN_OK)
        print_table(source, table, &text);
    else
        kan_text_print(&text, "error %d: %s", (int)status, kan_run_error(run));
    kan_table_destroy(table);
    kan_source_close(source);
    free(all);
    char *copy = text.bytes ? strndup(text.bytes, text.size) : NULL;
    kan_text_destroy(&text);
    assert_non_null(copy);
    return copy;
}
