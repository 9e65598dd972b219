/* Parts of the summary; for summary*.c. */
#ifndef KANON_JOB_OUTCOME_OUTCOME_SUMMARY_H
#define KANON_JOB_OUTCOME_OUTCOME_SUMMARY_H

#include "job/outcome/outcome_json.h"

/* How an attribute was cut: "   12 of 72     [17-18], [19-20], and 10 more", with a line break. */
KAN_MUST_USE kan_status kan_summary_add_intervals(kan_text *text, const kan_outcome *outcome,
                                                  unsigned a);

/* Regions: "412 regions: 10 to 19 rows, ...", with a line break, and what else is to be said of
 * their sizes in lines of its own. */
KAN_MUST_USE kan_status kan_summary_add_sizes(kan_text *text, const kan_outcome *outcome);

/* The sse of a solution that has one, rounded up to a thousandth: with all digits somebody could
 * solve for a number that the means hide. */
double kan_summary_sse(const kan_solution *solution);
/* Regions: how far numbers are from the means or medians that are shown; a line, or none. */
void kan_summary_add_sse(kan_text *text, const kan_solution *solution);
/* "before: 412 distinct combinations", with a line break. */
void kan_summary_add_combinations(kan_text *text, const kan_outcome *outcome);
/* Regions: the share of released rows that show the value they have, rounded down, and how much of
 * the height of its hierarchy a column gave up, rounded up, each to a thousandth. */
typedef struct kan_shown_shares {
    bool has_exact, has_given_up; /* means show no values; some heights cannot be told */
    double exact, given_up;
} kan_shown_shares;
void kan_summary_shares(const kan_outcome *outcome, size_t column, kan_shown_shares *out);
/* Regions: what a column shows, how many rows show their value, and how much of the height of its
 * hierarchy it gave up: "  412    3.1 %    41.8 %  [17-18], [19-20], and 410 more", with a line
 * break. */
KAN_MUST_USE kan_status kan_summary_add_shown(kan_text *text, const kan_outcome *outcome,
                                              size_t column);

#endif
