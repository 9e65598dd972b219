/* What a workbook has beside the sheets that are read. */
#ifndef KANON_IO_EXCEL_BESIDE_XLSX_H
#define KANON_IO_EXCEL_BESIDE_XLSX_H

#include "io/beside.h"
#include "io/excel/parts.h"
#include "io/excel/strings.h"

KAN_MUST_USE kan_status kan_workbook_find_beside(kan_package *package, const kan_parts *sheets,
                                                 size_t n_sheets, const kan_strings *strings,
                                                 kan_beside *out);

#endif
