/* The charts of reports, as SVG inside a page. They take their colours from its style; what they
 * show stands beside them as text. */
#ifndef KANON_REPORT_CHART_H
#define KANON_REPORT_CHART_H

#include "report/html.h"

/* A pair of bars over `most`: before, outlined, unless it is negative; and released, filled. */
void kan_chart_pair(kan_page *page, double before, double released, double most);
/* What the two look like; NULL: one that is not drawn. */
void kan_chart_legend(kan_page *page, const char *before, const char *released);
/* A share, 0 to 1, as a bar; a line where the limit is, unless it is negative. */
void kan_chart_meter(kan_page *page, double share, double limit, bool is_before);
/* A bar of `whole` over `most` in the middle, `part` of it filled. */
void kan_chart_middle(kan_page *page, double whole, double part, double most);

/* The values of a column of the document, at a key such as "report.columns.0", as columns side by
 * side: before outlined, released filled. For more of them than a table shows well. */
void kan_chart_columns(kan_page *page, const char *at, bool tells_before);

/* Every node of report.lattice.nodes by its height, with lines between neighbours. */
kan_status kan_chart_lattice(kan_page *page);

/* search.moments: what the best answer cost, and what none costs less than, over time. */
void kan_chart_curve(kan_page *page);

/* An SVG document as a picture of its own. */
void kan_chart_image(kan_page *page, const json_t *svg, const char *words);

#endif
