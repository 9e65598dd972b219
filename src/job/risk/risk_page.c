/* See risk_page.h. */
#include "job/risk/risk_page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum {
    LINE = 78, /* columns of a line of words */
    BAR = 20   /* of the longest bar */
};

/* ---- numbers -------------------------------------------------------------------------------- */

kan_risk_word kan_risk_count(uint64_t count) {
    kan_risk_word w;
    kan_count_text(count, w.text);
    return w;
}

kan_risk_word kan_risk_nothing(void) {
    return (kan_risk_word){"-"};
}

kan_risk_word kan_risk_percent(double share) {
    kan_risk_word w;
    kan_percent_text(100 * share, KAN_PERCENT_TIGHT, w.text);
    return w;
}

kan_risk_word kan_risk_chance(uint64_t crowd) {
    kan_risk_word w, count = kan_risk_count(crowd);
    snprintf(w.text, sizeof w.text, "1 in %.20s", count.text);
    return crowd ? w : kan_risk_nothing();
}

/* An estimate: whole people. */
kan_risk_word kan_risk_about(double number) {
    return kan_risk_count((uint64_t)llround(fmax(number, 0)));
}

kan_risk_word kan_risk_real(double number) {
    kan_risk_word w;
    if (isinf(number)) /* of a value that a group lacks */
        snprintf(w.text, sizeof w.text, "infinite");
    else
        snprintf(w.text, sizeof w.text, "%.4g", number);
    return w;
}

/* ---- lines ---------------------------------------------------------------------------------- */

void kan_risk_add_line(const kan_risk_page *p, const char *label, kan_risk_word before,
                       kan_risk_word after) {
    kan_text_print(p->text, "  %-*s", KAN_RISK_LABEL, label);
    if (p->has_before)
        kan_text_print(p->text, "%*s", KAN_RISK_NUMBER, before.text);
    kan_text_print(p->text, "%*s\n", KAN_RISK_NUMBER, after.text);
}

void kan_risk_add_heading(const kan_risk_page *p, const char *label) {
    kan_text_print(p->text, "\n");
    if (p->has_before)
        kan_text_print(p->text, "  %-*s%*s%*s\n", KAN_RISK_LABEL, label, KAN_RISK_NUMBER, "before",
                       KAN_RISK_NUMBER, "after");
    else if (*label)
        kan_text_print(p->text, "  %s\n", label);
}

/* Words, broken into lines of two blanks and up to LINE columns. */
void kan_risk_add_words(const kan_risk_page *p, const char *format, ...) {
    char words[1024];
    size_t used = 0;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    for (const char *at = words; *at;) {
        const size_t size = strcspn(at, " ");
        if (used > 0 && used + 1 + kan_text_columns(at, size) > LINE) {
            kan_text_print(p->text, "\n");
            used = 0;
        }
        kan_text_print(p->text, used == 0 ? "  " : " ");
        kan_text_add(p->text, at, size);
        used += (used == 0 ? 2 : 1) + kan_text_columns(at, size);
        at += size + strspn(at + size, " ");
    }
    kan_text_print(p->text, "\n");
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* One side of one band: the share of rows, and a bar. */
static void add_bar(const kan_risk_page *p, uint64_t n_rows, uint64_t all, bool is_last) {
    const double share = all ? (double)n_rows / (double)all : 0;
    kan_text_print(p->text, share > 0 || !is_last ? "%9s  " : "%9s", kan_risk_percent(share).text);
    const unsigned length = kan_words_add_bar(p->text, share, BAR);
    if (!is_last)
        kan_text_print(p->text, "%*s", BAR - (int)length, "");
}

static void add_band(const kan_risk_page *p, const kan_risk_bars *bars, const kan_size_band *band,
                     const uint64_t n[2]) {
    char sizes[64];
    kan_risk_word least = kan_risk_count(band->least), most = kan_risk_count(band->most);
    if (band->least == band->most)
        snprintf(sizes, sizeof sizes, "%s", least.text);
    else
        snprintf(sizes, sizeof sizes, "%s-%s", least.text, most.text);
    kan_text_print(p->text, "  %-15s", sizes);
    if (p->has_before)
        add_bar(p, n[1], bars->n[1], false);
    add_bar(p, n[0], bars->n[0], true);
    kan_text_print(p->text, "\n");
}

static void add_bands_heading(const kan_risk_page *p, const kan_risk_bars *bars) {
    char before[48];
    snprintf(before, sizeof before, "  %s before", bars->unit);
    kan_text_print(p->text, "\n  %-15s", bars->group);
    if (p->has_before)
        kan_text_print(p->text, "%-*s  %s after\n", BAR + 11, before, bars->unit);
    else
        kan_text_print(p->text, "%9s\n", bars->unit);
}

/* Bands of both sides are those of one grid, and both are in order. */
void kan_risk_add_sizes(const kan_risk_page *p, const kan_risk_bars *bars) {
    kan_size_band bands[2][KAN_SIZE_BANDS];
    size_t n[2] = {0, 0}, at[2] = {0, 0};
    for (int side = 0; side < (p->has_before ? 2 : 1); side++)
        n[side] = kan_size_bands(bars->sizes[side], p->threshold, bands[side]);
    if (n[0] + n[1] == 0)
        return;
    add_bands_heading(p, bars);
    while (at[0] < n[0] || at[1] < n[1]) {
        const kan_size_band *after = at[0] < n[0] ? &bands[0][at[0]] : NULL;
        const kan_size_band *before = at[1] < n[1] ? &bands[1][at[1]] : NULL;
        const bool takes_after = after && (!before || after->least <= before->least);
        const bool takes_before = before && (!after || before->least <= after->least);
        const uint64_t rows[2] = {takes_after ? after->n_rows : 0,
                                  takes_before ? before->n_rows : 0};
        add_band(p, bars, takes_after ? after : before, rows);
        at[0] += takes_after;
        at[1] += takes_before;
    }
}
