/* Number formats: whether a number is meant as a date or a time. */
#ifndef KANON_IO_EXCEL_STYLES_H
#define KANON_IO_EXCEL_STYLES_H

#include "io/excel/package.h"

/* What a number means by its format. The letters stand in the keys of cells, see cell.h. */
typedef enum kan_number_style {
    KAN_STYLE_NUMBER = 'n',
    KAN_STYLE_DATE = 'D',
    KAN_STYLE_TIME = 'T',
    KAN_STYLE_TIMESTAMP = 'S',
    KAN_STYLE_ELAPSED = 'E', /* hours that may be more than a day has */
    KAN_STYLE_MOMENT = 'M'   /* a date, a time or both: its value tells */
} kan_number_style;

typedef struct kan_styles {
    char *of_cell; /* kan_number_style by the style of a cell */
    size_t n;
} kan_styles;

/* The style of a format as it is written in a workbook, such as dd.mm.yyyy or [h]:mm. */
kan_number_style kan_style_of_format(const char *format);

KAN_MUST_USE kan_status kan_styles_read(kan_package *package, const char *part, kan_styles *out);
void kan_styles_destroy(kan_styles *styles, kan_run *run);

#endif
