/* Parts of the summary; for summary*.c. */
#ifndef KANON_JOB_SUMMARY_H
#define KANON_JOB_SUMMARY_H

#include "job/solution.h"

/* How an attribute was cut: "   12 of 72     [17-18], [19-20], and 10 more", with a line break. */
KAN_MUST_USE kan_status kan_summary_add_intervals(kan_text *text, const kan_solution *solution,
                                                  unsigned a);

#endif
