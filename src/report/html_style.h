/* The style of pages: one sheet, light and dark, screen and paper, wide and narrow. */
#ifndef KANON_REPORT_HTML_STYLE_H
#define KANON_REPORT_HTML_STYLE_H

/* Parts, one after the other; NULL ends them. */
extern const char *const kan_html_style[];

#endif
