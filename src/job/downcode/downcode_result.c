/* What is told: a sentence first, then figures with intervals of 95 % where a sample stands for the rest. */
#include <math.h>
#include <stdio.h>

#include "core/wording.h"
#include "job/downcode/downcode_inside.h"

typedef struct {
    double at, low, high;
} interval;

static bool is_exact(const kan_downcode_count *count) {
    return count->n_tried == count->n && count->n_partly == 0;
}

/* ---- intervals -------------------------------------------------------------------------------- */

/* Wilson's, of n_hits of n that were drawn. */
static interval share_of(uint64_t n_hits, uint64_t n, bool is_all) {
    const double z = 1.959964, tried = (double)n, p = n > 0 ? (double)n_hits / tried : 0;
    const double middle = (p + z * z / (2 * tried)) / (1 + z * z / tried);
    const double half =
        z * sqrt(p * (1 - p) / tried + z * z / (4 * tried * tried)) / (1 + z * z / tried);
    if (is_all || n == 0)
        return (interval){p, p, p};
    return (interval){p, n_hits == 0 ? 0 : fmax(0, middle - half),
                      n_hits == n ? 1 : fmin(1, middle + half)};
}

/* The mean of values that remain, of units that were drawn: the share of open values that do, times how many are
 * open on average, which is known of all. Where none or all of them remain, fewer than 3 in n are others. */
static interval mean_left(const kan_downcode_count *count) {
    const double n = (double)count->n_tried;
    if (count->n_tried == 0)
        return (interval){NAN, NAN, NAN};
    const double share = count->sum_left / count->sum_open, mean = count->open * share;
    if (is_exact(count))
        return (interval){mean, mean, mean};
    if (count->n_tried < 2)
        return (interval){mean, NAN, NAN};
    const double squares = count->sum_left_squares - 2 * share * count->sum_products +
                           share * share * count->sum_open_squares;
    const double half = 1.959964 * sqrt(fmax(0, squares) / (n - 1) * n) / count->sum_open;
    const double few = fmin(1, 3 / n);
    double low = count->open * (share - half), high = count->open * (share + half);
    if (count->n_determined == 0)
        low = fmin(low, count->open * share * (1 - few));
    if (count->n_determined == count->n_tried)
        high = fmax(high, 1 + (count->open - 1) * few);
    return (interval){mean, fmax(1, low), fmin(count->open, high)};
}

/* Bits that remain of a table; the one that there was is always among them. */
static interval bits_left(const kan_downcode_tables *tables) {
    const double open = tables->bits_open;
    const interval share = share_of(tables->n_same, tables->n_tried, tables->is_counted);
    return (interval){tables->n_same > 0 ? open + log2(share.at) : NAN,
                      share.low > 0 ? fmax(0, open + log2(share.low)) : 0,
                      share.high > 0 ? open + log2(share.high) : NAN};
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static json_t *interval_json(const char *name, interval value) {
    return json_pack("{s:o, s:o, s:o}", name, kan_json_real(value.at), "low",
                     kan_json_real(value.low), "high", kan_json_real(value.high));
}

static json_t *exposed_json(const kan_downcode *d, const kan_downcode_count *count, bool of_cells) {
    json_t *rows = json_array();
    for (size_t i = 0; i < count->n_exposed; i++) {
        json_t *one = json_pack("{s:o}", "row", kan_json_count(count->exposed_row[i] + 1));
        if (one && of_cells)
            one = kan_json_set(one, "column",
                               kan_json_text(d->columns[count->exposed_column[i]].name));
        rows = kan_json_append(rows, one);
    }
    return rows;
}

static json_t *count_json(const kan_downcode *d, const kan_downcode_count *count, bool of_cells) {
    const double n = count->n_tried > 0 ? (double)count->n_tried : NAN;
    if (!count->is_wanted)
        return json_null();
    json_t *determined =
        interval_json("share", share_of(count->n_determined, count->n_tried, is_exact(count)));
    if (determined)
        determined = kan_json_set(determined, "is_at_most", json_boolean(count->n_partly > 0));
    json_t *bits = json_pack("{s:o, s:o}", "open", kan_json_real(count->sum_bits_open / n), "left",
                             kan_json_real(count->sum_bits_left / n));
    return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     of_cells ? "hidden" : "mixed", kan_json_count(count->n), "tried",
                     kan_json_count(count->n_tried), "exact", is_exact(count), "probes",
                     kan_json_count(count->n_probes), "without_release",
                     kan_json_count(count->n_refused), "determined", determined, "open",
                     kan_json_real(count->open), "left", interval_json("mean", mean_left(count)),
                     "bits", bits, "exposed", exposed_json(d, count, of_cells));
}

static json_t *tables_json(const kan_downcode_tables *tables) {
    if (tables->n_tried == 0)
        return json_null();
    json_t *left = interval_json("at", bits_left(tables));
    json_t *bits = json_pack("{s:o, s:o}", "open", kan_json_real(tables->bits_open), "left", left);
    return json_pack("{s:o, s:o, s:b, s:o, s:o}", "tried", kan_json_count(tables->n_tried), "same",
                     kan_json_count(tables->n_same), "exact", tables->is_counted, "without_release",
                     kan_json_count(tables->n_refused), "bits", bits);
}

json_t *kan_downcode_json(const kan_downcode *d) {
    return json_pack(
        "{s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "job", kan_json_text(d->job->origins->path),
        "interrupted", d->is_interrupted, "anonymizations", kan_json_count(d->n_made), "cells",
        count_json(d, &d->of_cells, true), "tables", tables_json(&d->of_tables), "records",
        count_json(d, &d->of_records, false), "time_ms", kan_json_time(kan_now_ms() - d->start_ms));
}

/* ---- words ------------------------------------------------------------------------------------ */

static void add_percent(kan_text *text, double share) {
    char room[KAN_PERCENT_BYTES];
    kan_text_print(text, "%s", kan_percent_text(100 * share, KAN_PERCENT_TIGHT, room));
}

/* " (37.5 %)", or " (37.5 %; of all 20.1 % to 58.0 %)" of a sample. */
static void add_share(kan_text *text, uint64_t n_hits, uint64_t n, bool is_all) {
    const interval share = share_of(n_hits, n, is_all);
    kan_text_print(text, " (");
    add_percent(text, share.at);
    if (!is_all) {
        kan_text_print(text, "; of all of them ");
        add_percent(text, share.low);
        kan_text_print(text, " to ");
        add_percent(text, share.high);
    }
    kan_text_print(text, ")");
}

static void add_left(kan_text *text, const kan_downcode_count *count, const char *what) {
    const interval left = mean_left(count);
    const double n = (double)count->n_tried;
    kan_text_print(text, " On average %.2f of %.2f %s remain", left.at, count->open, what);
    if (!is_exact(count) && !isnan(left.low))
        kan_text_print(text, " (%.2f to %.2f)", left.low, left.high);
    kan_text_print(text, ", %.2f of %.2f bits.", count->sum_bits_left / n,
                   count->sum_bits_open / n);
}

/* "at most 3 of 12 hidden cells", or "3 of 12 hidden cells that were drawn from 1,200". */
static void add_determined(kan_text *text, const kan_downcode_count *count, const char *what) {
    char n[32], tried[32], determined[32];
    kan_text_print(text, "%s%s of %s %s", count->n_partly > 0 ? "at most " : "",
                   kan_count_text(count->n_determined, determined),
                   kan_count_text(count->n_tried, tried), what);
    if (count->n_tried < count->n)
        kan_text_print(text, " that were drawn from %s", kan_count_text(count->n, n));
    add_share(text, count->n_determined, count->n_tried, is_exact(count));
}

static void add_cells(const kan_downcode *d, kan_text *text) {
    const kan_downcode_count *count = &d->of_cells;
    if (count->n == 0) {
        kan_text_print(text, "No quasi-identifier is hidden: there is nothing to undo.");
        return;
    }
    kan_text_print(text, "Who knows all other cells, too, is certain of ");
    add_determined(text, count, "hidden cells");
    kan_text_print(text, ", those where %s.",
                   count->n_partly > 0 ? "no other value that was tried makes this release"
                                       : "any other value would have made another release");
    add_left(text, count, "values");
}

static void add_exposed(const kan_downcode *d, kan_text *text) {
    enum { MOST_TOLD = 5 };
    const kan_downcode_count *count = &d->of_cells;
    char row[32];
    for (size_t i = 0; i < count->n_exposed && i < MOST_TOLD; i++)
        kan_text_print(text, "%s'%s' of row %s", i == 0 ? "Among those who are certain: " : ", ",
                       d->columns[count->exposed_column[i]].name,
                       kan_count_text(count->exposed_row[i] + 1, row));
    if (count->n_exposed > 0)
        kan_text_print(text, ".");
}

static void add_tables(const kan_downcode *d, kan_text *text) {
    const kan_downcode_tables *tables = &d->of_tables;
    const interval left = bits_left(tables);
    char tried[32], same[32];
    if (tables->n_tried == 0 || d->of_cells.n == 0)
        return;
    kan_text_print(text,
                   "Of %s tables %sthat the labels leave open, row by row, %s %s this release: ",
                   kan_count_text(tables->n_tried, tried),
                   tables->is_counted ? "" : "that were drawn from those ",
                   kan_count_text(tables->n_same, same), tables->n_same == 1 ? "makes" : "make");
    if (tables->is_counted)
        kan_text_print(text, "%.2f of %.2f bits remain.", left.at, tables->bits_open);
    else if (tables->n_same == 0)
        kan_text_print(text, "at most %.2f of %.2f bits remain.", left.high, tables->bits_open);
    else
        kan_text_print(text, "about %.2f of %.2f bits remain (%.2f to %.2f).", left.at,
                       tables->bits_open, left.low, left.high);
}

static void add_records(const kan_downcode *d, kan_text *text) {
    const kan_downcode_count *count = &d->of_records;
    if (!count->is_wanted || count->n == 0)
        return;
    kan_text_print(
        text, "Who knows whose each record is, save for two people of a group who have different "
              "sensitive values, tells these two apart, whoever the other is, for ");
    add_determined(text, count, "records");
    kan_text_print(text, ", those where exchanging them would have made another release.");
    add_left(text, count, "people");
}

static void add_paragraph(const kan_downcode *d,
                          void (*add)(const kan_downcode *d, kan_text *sentences),
                          kan_found_words *words) {
    kan_text text;
    kan_text_init(&text, d->run);
    add(d, &text);
    words->failed = words->failed || kan_text_status(&text) != KAN_OK;
    if (text.size > 0 && kan_text_status(&text) == KAN_OK)
        kan_found_say(words, "%s", text.bytes);
    kan_text_destroy(&text);
}

void kan_downcode_tell(const kan_downcode *d, kan_found_words *words) {
    kan_found_pause(words);
    kan_found_say(words, "Somebody who knows how %s was made, by %s:", d->release.name,
                  d->job->origins->path);
    kan_found_pause(words);
    add_paragraph(d, add_cells, words);
    add_paragraph(d, add_exposed, words);
    add_paragraph(d, add_tables, words);
    add_paragraph(d, add_records, words);
    if (d->is_interrupted)
        kan_found_say(words, "It was interrupted: figures are of what was tried by then.");
}
