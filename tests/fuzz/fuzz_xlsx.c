/* Any sheet, strings and styles are read without a crash, and so is a damaged archive; and what can
 * be read is the same after it was written as a workbook and read again.
 *
 * The first byte chooses whether the parts are framed, and whether bytes of the archive are changed;
 * then come the parts, with \x1f between them: rows, strings, formats and styles. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zip.h>

#include "io/excel/excel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *claim, const kan_run *run) {
    if (!holds) {
        fprintf(stderr, "%s: %s\n", claim, kan_run_error(run));
        abort();
    }
}

/* ---- the archive ---------------------------------------------------------------------------- */

#define LINK  "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define TYPES "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"

enum { PARTS = 3, ROOM = 1 << 15 };

static void add_part(zip_t *zip, const char *name, const char *text) {
    zip_source_t *source = zip_source_buffer(zip, text, strlen(text), 0);
    const zip_int64_t index = source ? zip_file_add(zip, name, source, 0) : -1;
    if (index < 0 || zip_set_file_compression(zip, (zip_uint64_t)index, ZIP_CM_STORE, 0) != 0)
        abort();
}

/* The next part of the input, with something around it. */
static char *take_part(const uint8_t **at, size_t *left, const char *before, const char *behind) {
    const uint8_t *end = memchr(*at, 0x1f, *left);
    const size_t size = end ? (size_t)(end - *at) : *left;
    char *text = calloc(1, size + strlen(before) + strlen(behind) + 1);
    if (!text)
        abort();
    strcpy(text, before);
    memcpy(text + strlen(before), *at, size);
    for (char *c = text + strlen(before); c < text + strlen(before) + size; c++)
        *c = *c ? *c : ' ';
    strcat(text, behind);
    *at += size + (end != NULL);
    *left -= size + (end != NULL);
    return text;
}

static zip_source_t *make_archive(const uint8_t *data, size_t size, bool is_framed) {
    zip_error_t error;
    char *parts[PARTS];
    static const char *const frames[PARTS][2] = {
        {"<worksheet><sheetData>", "</sheetData></worksheet>"},
        {"<sst>", "</sst>"},
        {"<styleSheet>", "</styleSheet>"}};
    static const char *const names[PARTS] = {"xl/worksheets/sheet1.xml", "xl/sharedStrings.xml",
                                             "xl/styles.xml"};
    zip_error_init(&error);
    zip_source_t *source = zip_source_buffer_create(NULL, 0, 0, &error);
    if (!source)
        abort();
    zip_source_keep(source);
    zip_t *zip = zip_open_from_source(source, ZIP_TRUNCATE, &error);
    if (!zip)
        abort();
    add_part(zip, "[Content_Types].xml", "<Types><Override ContentType=\"" TYPES "\"/></Types>");
    add_part(zip, "xl/workbook.xml",
             "<workbook><sheets><sheet name=\"a\" r:id=\"1\"/></sheets>"
             "</workbook>");
    add_part(zip, "xl/_rels/workbook.xml.rels",
             "<R><Relationship Id=\"1\" Type=\"" LINK "/worksheet\" Target=\"worksheets/sheet1.xml"
             "\"/><Relationship Id=\"2\" Type=\"" LINK "/sharedStrings\" Target=\""
             "sharedStrings.xml\"/><Relationship Id=\"3\" Type=\"" LINK "/styles\" Target=\""
             "styles.xml\"/></R>");
    for (size_t i = 0; i < PARTS; i++) {
        parts[i] =
            take_part(&data, &size, is_framed ? frames[i][0] : "", is_framed ? frames[i][1] : "");
        add_part(zip, names[i], parts[i]);
    }
    if (zip_close(zip) != 0)
        abort();
    for (size_t i = 0; i < PARTS; i++)
        free(parts[i]);
    return source;
}

/* The archive as a file without a name; `changes` says which bytes are others. */
static int make_file(zip_source_t *source, const uint8_t *changes, size_t n_changes) {
    static char bytes[ROOM];
    const int file = memfd_create("fuzz.xlsx", MFD_CLOEXEC);
    if (file < 0 || zip_source_open(source) != 0)
        abort();
    const zip_int64_t size = zip_source_read(source, bytes, sizeof bytes);
    for (size_t i = 0; size > 0 && i + 2 < n_changes; i += 3)
        bytes[(changes[i] | changes[i + 1] << 8) % size] ^= (char)changes[i + 2];
    if (size < 0 || write(file, bytes, (size_t)size) != size)
        abort();
    zip_source_close(source);
    zip_source_free(source);
    return file;
}

/* ---- the table ------------------------------------------------------------------------------ */

static kan_table *read_all(kan_run *run, const char *path, kan_source_options options) {
    kan_source *source;
    kan_table *table = NULL;
    kan_status status = kan_source_open(run, &kan_source_xlsx, path, &options, &source);
    require(status == KAN_OK || status == KAN_BAD_INPUT || status == KAN_FAILED, "a status", run);
    if (status != KAN_OK)
        return NULL;
    bool *all = malloc(kan_source_n_columns(source));
    if (!all)
        abort();
    memset(all, true, kan_source_n_columns(source));
    status = kan_source_read(source, all, NULL, &table);
    require(status == KAN_OK || status == KAN_FAILED, "what was opened can be read", run);
    free(all);
    kan_source_close(source);
    return table;
}

static void require_same(const kan_table *a, const kan_table *b, const kan_run *run) {
    require(a->n_rows == b->n_rows && a->n_columns == b->n_columns, "same shape", run);
    for (size_t i = 0; i < a->n_columns; i++) {
        require(strcmp(a->columns[i].name, b->columns[i].name) == 0, "same names", run);
        for (uint64_t row = 0; row < a->n_rows; row++)
            require(kan_slice_equal(kan_column_value(&a->columns[i], row),
                                    kan_column_value(&b->columns[i], row)),
                    "same value", run);
    }
}

static void write_and_read_again(kan_run *run, const kan_table *table) {
    kan_release_column *columns = calloc(table->n_columns, sizeof *columns);
    for (size_t i = 0; columns && i < table->n_columns; i++) {
        const kan_column *column = &table->columns[i];
        kan_slice *labels = calloc(column->dictionary.n, sizeof *labels);
        for (uint32_t code = 0; labels && code < column->dictionary.n; code++)
            labels[code] = kan_dictionary_value(&column->dictionary, code);
        columns[i] = (kan_release_column){.name = column->name,
                                          .source_column = i,
                                          .width = column->width,
                                          .codes = column->codes,
                                          .labels = labels,
                                          .n_labels = column->dictionary.n,
                                          .shows_values = true};
    }
    const kan_release release = {.n_rows = table->n_rows,
                                 .n_released = table->n_rows,
                                 .n_columns = table->n_columns,
                                 .columns = columns};
    const kan_sink_order order = {.kind = &kan_sink_xlsx, .release = &release, .target = "-"};
    kan_sink *sink;
    const kan_status status = kan_sink_write(run, &order, &sink);
    require(status == KAN_OK || status == KAN_BAD_INPUT, "what was read can be written", run);
    if (status == KAN_OK) {
        kan_table *again = read_all(run, kan_sink_path(sink), kan_sink_options(sink));
        require(again != NULL, "what was written can be read", run);
        require_same(table, again, run);
        kan_table_destroy(again);
        kan_sink_close(sink);
    }
    for (size_t i = 0; i < table->n_columns; i++)
        free((void *)(uintptr_t)columns[i].labels);
    free(columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { FRAMED = 1, CHANGED = 2, MOST_ROWS = 2000 };
    if (size == 0)
        return 0;
    const uint8_t choice = data[0];
    const size_t n_changes = choice & CHANGED && size > 10 ? 9 : 0;
    const int file = make_file(make_archive(data + 1, size - 1 - n_changes, choice & FRAMED),
                               data + size - n_changes, n_changes);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    kan_run *run = kan_run_create();
    kan_run_set_threads(run, 1);
    kan_run_set_memory(run, 256 << 20);
    kan_table *table = read_all(run, path, (kan_source_options){.separator = 0});
    if (table && table->n_rows < MOST_ROWS)
        write_and_read_again(run, table);
    kan_table_destroy(table);
    kan_run_destroy(run);
    close(file);
    return 0;
}
