/* The door of io/excel: workbooks (.xlsx) as a kind of source and as a kind of sink. May touch core,
 * data and io. Both kinds are reached through the registry; nothing else is to be known of them.
 *
 * A workbook is a zip archive of XML files. In the order of reading: package.h opens the archive and
 * walks over one of its parts, parts.h finds the sheet and what belongs to it, styles.h and
 * strings.h read what the cells refer to, sheet.h the cells, cell.h says what a cell means. The
 * release is written with libxlsxwriter (sink_xlsx.c). */
#ifndef KANON_IO_EXCEL_EXCEL_H
#define KANON_IO_EXCEL_EXCEL_H

#include "io/excel/package.h"
#include "io/sink.h"
#include "io/source.h"

/* What a sheet can hold. */
enum { KAN_SHEET_ROWS = 1 << 20, KAN_SHEET_COLUMNS = 1 << 14, KAN_SHEET_CELL = 32767 };

extern const kan_source_kind kan_source_xlsx;
extern const kan_sink_kind kan_sink_xlsx;

#endif
