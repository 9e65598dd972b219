/* The text of risk, whatever it is of: lines of figures, before and after where both are known, words, and
 * the sizes of groups as bars. */
#ifndef KANON_JOB_RISK_RISK_PAGE_H
#define KANON_JOB_RISK_RISK_PAGE_H

#include "analyze/risk/risk.h"
#include "core/wording.h"
#include "job/tell/tell.h"

enum {
    KAN_RISK_LABEL = 30, /* columns of a label */
    KAN_RISK_NUMBER = 12 /* of a number */
};

typedef struct kan_risk_page {
    kan_text *text;
    bool has_before;
    uint64_t threshold;
} kan_risk_page;

/* A figure as it is written. */
typedef struct kan_risk_word {
    char text[32];
} kan_risk_word;

kan_risk_word kan_risk_count(uint64_t count);
kan_risk_word kan_risk_nothing(void);
kan_risk_word kan_risk_percent(double share);
/* "1 in 5" of so many. */
kan_risk_word kan_risk_chance(uint64_t crowd);
/* An estimate: whole people. */
kan_risk_word kan_risk_about(double number);
kan_risk_word kan_risk_real(double number);

void kan_risk_add_line(const kan_risk_page *page, const char *label, kan_risk_word before,
                       kan_risk_word after);
void kan_risk_add_heading(const kan_risk_page *page, const char *label);
/* Words, broken into lines. */
void kan_risk_add_words(const kan_risk_page *page, const char *format, ...) KAN_PRINTF(2, 3);

/* Sizes of groups, and of how many rows or people they are: after, before. */
typedef struct kan_risk_bars {
    const kan_group_sizes *sizes[2];
    uint64_t n[2];
    const char *group, *unit; /* "group size", "rows" */
} kan_risk_bars;
void kan_risk_add_sizes(const kan_risk_page *page, const kan_risk_bars *bars);

#endif
