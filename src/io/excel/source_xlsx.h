/* What the sink asks of a workbook that was read. */
#ifndef KANON_IO_EXCEL_SOURCE_XLSX_H
#define KANON_IO_EXCEL_SOURCE_XLSX_H

#include <stdbool.h>

typedef struct kan_xlsx_source kan_xlsx_source;

const char *kan_xlsx_sheet_name(const kan_xlsx_source *source);
/* Whether a path ends as those of workbooks do, also of kinds that are refused with a reason. */
bool kan_xlsx_takes(const char *path);

#endif
