/* Workbooks that tests make by hand, part by part, and tables as text. */
#ifndef KANON_TESTS_WORKBOOK_H
#define KANON_TESTS_WORKBOOK_H

#include <stddef.h>

#include "io/source.h"

typedef struct workbook_part {
    const char *name, *text;
} workbook_part;

/* What stands in a workbook of one sheet "Data"; NULL: the part is left out, or is as always. */
typedef struct workbook {
    const char *rows;           /* within <sheetData> */
    const char *behind;         /* behind it, such as <mergeCells> */
    const char *strings;        /* within <sst> */
    const char *formats;        /* within <numFmts> */
    const char *styles;         /* within <cellXfs> */
    const char *workbook;       /* before <sheets>, such as <workbookPr date1904="1"/> */
    const char *sheets;         /* within <sheets> */
    const char *types;          /* the content type of the workbook */
    const workbook_part *parts; /* further ones, or in place of these; end with a NULL name */
} workbook;

void workbook_zip(const char *path, const workbook_part *parts, size_t n);
void workbook_save(const char *path, workbook workbook);

/* All columns of a source as text: names with their types, then rows, with bars between values; or
 * the error text. The caller frees it. */
char *source_text(kan_run *run, const kan_source_kind *kind, const char *path,
                  const kan_source_options *options);

#endif
