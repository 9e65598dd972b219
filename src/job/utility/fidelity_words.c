/* What `utility` found without a workload, in words, then in numbers. */
#include <math.h>
#include <stdio.h>

#include "core/wording.h"
#include "job/tell/tell.h"
#include "job/utility/utility_inside.h"

enum { MOST_NAMES = 8, NAME_COLUMNS = 20, LINE = 80, INDENT = 2 };

/* ---- words ---------------------------------------------------------------------------------- */

typedef enum { AS_IT_WAS, SOME_COARSER, ALL_COARSER, ALL_HIDDEN, N_SORTS } column_sort;

static column_sort sort_of(const kan_column_fidelity *column) {
    return column->exact == 1    ? AS_IT_WAS
           : column->hidden == 1 ? ALL_HIDDEN
           : column->exact == 0  ? ALL_COARSER
                                 : SOME_COARSER;
}

static void add_sentence(kan_text *text, const char *words) {
    kan_text_print(text, "%*s", INDENT, "");
    kan_text_add_wrapped(text, words, INDENT, INDENT, LINE);
}

static void add_sort(const kan_fidelity_walk *w, column_sort sort, kan_text *text) {
    static const char *const words[N_SORTS][2] = {
        {"column shows every value as it was", "columns show every value as they were"},
        {"column is exact in some cells, and coarser or hidden in others",
         "columns are exact in some cells, and coarser or hidden in others"},
        {"column is coarser in all cells that it shows",
         "columns are coarser in all cells that they show"},
        {"column is hidden in every cell", "columns are hidden in every cell"}};
    char room[1024], sentence[1280];
    kan_name_list names = kan_names_begin(room, sizeof room, MOST_NAMES);
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++)
        if (sort_of(&w->of_columns[i]) == sort) {
            kan_names_add(&names, w->columns[i].original->name);
            n++;
        }
    if (n == 0)
        return;
    snprintf(sentence, sizeof sentence, "%zu %s: %s.", n,
             kan_plural(n, words[sort][0], words[sort][1]), kan_names_end(&names));
    add_sentence(text, sentence);
}

/* The column whose distribution moved most. */
static void add_moved(const kan_fidelity_walk *w, kan_text *text) {
    size_t even = 0, shares = 0;
    char sentence[1024], quoted[2][256], moved[2][32];
    for (size_t i = 1; i < w->n; i++) {
        const kan_column_fidelity *column = &w->of_columns[i];
        even = column->even.variation > w->of_columns[even].even.variation ? i : even;
        shares =
            column->by_shares.variation > w->of_columns[shares].by_shares.variation ? i : shares;
    }
    const double most_even = w->of_columns[even].even.variation;
    const double most_shares = w->of_columns[shares].by_shares.variation;
    if (most_even == 0 && most_shares == 0) {
        add_sentence(text, "No distribution moved.");
        return;
    }
    kan_percent_text(100 * most_even, KAN_PERCENT_TENTHS, moved[0]);
    kan_percent_text(100 * most_shares, KAN_PERCENT_TENTHS, moved[1]);
    snprintf(sentence, sizeof sentence,
             "Distributions moved by at most %s (%s) where a coarser value is spread evenly over "
             "what it covers, and by at most %s (%s) where it is spread as the original is.",
             moved[0], kan_quote(kan_slice_of(w->columns[even].original->name), quoted[0]),
             moved[1], kan_quote(kan_slice_of(w->columns[shares].original->name), quoted[1]));
    add_sentence(text, sentence);
}

/* The mean that moved most, in standard deviations of the original. */
static void add_means(const kan_fidelity_walk *w, kan_text *text) {
    double most = -1;
    size_t at = 0, n = 0;
    char sentence[512], quoted[256];
    for (size_t i = 0; i < w->n; i++) {
        const kan_number_summary *before = &w->of_columns[i].original;
        const kan_number_summary *after = &w->of_columns[i].released;
        if (!before->has_deviation || !after->has_mean || before->deviation == 0)
            continue;
        const double moved = fabs(after->mean - before->mean) / before->deviation;
        n++;
        at = moved > most ? i : at;
        most = fmax(most, moved);
    }
    if (n == 0)
        return;
    if (most < 1e-9) /* by more than rounding */
        snprintf(sentence, sizeof sentence, "No mean moved.");
    else
        snprintf(sentence, sizeof sentence,
                 "%s %.3g of a standard deviation (%s), by middles of what values cover.",
                 n == 1 ? "The mean moved by" : "Means moved by at most", most,
                 kan_quote(kan_slice_of(w->columns[at].original->name), quoted));
    add_sentence(text, sentence);
}

/* The figure of pairs that moved most, and the pair. */
typedef struct {
    const kan_pair_fidelity *pair;
    const kan_before_after *figure;
    size_t n; /* pairs that have it before and after */
} moved_figure;

static void follow(moved_figure *most, const kan_pair_fidelity *pair,
                   const kan_before_after *figure) {
    if (!figure->has_before || !figure->has_after)
        return;
    if (most->n++ == 0 ||
        fabs(figure->after - figure->before) > fabs(most->figure->after - most->figure->before)) {
        most->pair = pair;
        most->figure = figure;
    }
}

static void add_moved_figure(const kan_fidelity_walk *w, const moved_figure *most,
                             const char *words, kan_text *text) {
    char sentence[1024], quoted[2][256];
    if (most->n == 0)
        return;
    if (fabs(most->figure->after - most->figure->before) < 1e-9) /* by more than rounding */
        snprintf(sentence, sizeof sentence, "No %s moved.", words);
    else
        snprintf(sentence, sizeof sentence,
                 "The %s that moved most, of %zu: %s and %s, %.3f to %.3f.", words, most->n,
                 kan_quote(kan_slice_of(w->columns[most->pair->a].original->name), quoted[0]),
                 kan_quote(kan_slice_of(w->columns[most->pair->b].original->name), quoted[1]),
                 most->figure->before, most->figure->after);
    add_sentence(text, sentence);
}

static void add_associations(const kan_fidelity_walk *w, kan_text *text) {
    moved_figure v = {.n = 0}, correlation = {.n = 0}, rank = {.n = 0};
    for (size_t i = 0; i < w->n_pairs; i++) {
        follow(&v, &w->of_pairs[i], &w->of_pairs[i].v);
        follow(&correlation, &w->of_pairs[i], &w->of_pairs[i].correlation);
        follow(&rank, &w->of_pairs[i], &w->of_pairs[i].rank_correlation);
    }
    add_moved_figure(w, &v, "association (Cramer's V)", text);
    add_moved_figure(w, &correlation, "correlation", text);
    add_moved_figure(w, &rank, "rank correlation", text);
}

static void add_alone(const kan_fidelity_walk *w, const kan_input *input, const char *words,
                      kan_text *text) {
    char room[1024], sentence[1280];
    kan_name_list names = kan_names_begin(room, sizeof room, MOST_NAMES);
    size_t n = 0;
    for (size_t i = 0; i < input->n_columns; i++)
        if (kan_fidelity_is_alone(w, input, i)) {
            kan_names_add(&names, input->columns[i]);
            n++;
        }
    if (n == 0)
        return;
    snprintf(sentence, sizeof sentence, "%s: %s.", words, kan_names_end(&names));
    add_sentence(text, sentence);
}

/* ---- numbers -------------------------------------------------------------------------------- */

static unsigned name_width(const kan_fidelity_walk *w) {
    size_t widest = 6;
    for (size_t i = 0; i < w->n; i++) {
        const char *name = w->columns[i].original->name;
        const size_t columns = kan_text_columns(name, strlen(name));
        widest = columns > widest ? columns : widest;
    }
    return (unsigned)(widest < NAME_COLUMNS ? widest : NAME_COLUMNS);
}

static void add_name(const kan_fidelity_walk *w, size_t i, unsigned width, kan_text *text) {
    const kan_slice name = kan_slice_of(w->columns[i].original->name);
    kan_text_print(text, "%*s", INDENT, "");
    const size_t used = kan_words_add_label(text, name, width);
    kan_text_print(text, "%*s", (int)(width - (used < width ? used : width)), "");
}

/* Three digits, and 0 only for nothing. */
static const char *distance_text(double distance, char room[16]) {
    if (distance > 0 && distance < 0.001)
        snprintf(room, 16, "<0.001");
    else
        snprintf(room, 16, "%.3f", distance);
    return room;
}

static const char *share_text(double share, char room[KAN_PERCENT_BYTES]) {
    return kan_percent_text(100 * share, KAN_PERCENT_TIGHT, room);
}

static void add_columns(const kan_fidelity_walk *w, kan_text *text) {
    const unsigned width = name_width(w);
    kan_text_print(
        text,
        "\n  %-*s  %-23s  spread evenly         as the original is\n"
        "  %-*s    exact  coarser   hidden  variation  Hellinger  variation  Hellinger\n",
        (int)width, "", "cells", (int)width, "column");
    for (size_t i = 0; i < w->n; i++) {
        const kan_column_fidelity *column = &w->of_columns[i];
        char room[3][KAN_PERCENT_BYTES], distance[4][16];
        add_name(w, i, width, text);
        kan_text_print(text, "  %7s  %7s  %7s  %9s  %9s  %9s  %9s\n",
                       share_text(column->exact, room[0]), share_text(column->coarser, room[1]),
                       share_text(column->hidden, room[2]),
                       distance_text(column->even.variation, distance[0]),
                       distance_text(column->even.hellinger, distance[1]),
                       distance_text(column->by_shares.variation, distance[2]),
                       distance_text(column->by_shares.hellinger, distance[3]));
    }
}

static const char *number_text(bool is_there, double number, char room[32]) {
    if (!is_there)
        snprintf(room, 32, "none");
    else if (number == nearbyint(number) && fabs(number) < 1e7)
        snprintf(room, 32, "%.0f", number == 0 ? 0 : number);
    else
        snprintf(room, 32, "%.6g", number);
    return room;
}

static void add_number_line(const kan_number_summary *numbers, const char *when, kan_text *text) {
    char room[32];
    kan_text_print(text, "  %-6s  %6s", when, share_text(1 - numbers->known, room));
    kan_text_print(text, "  %9s", number_text(numbers->has_mean, numbers->mean, room));
    kan_text_print(text, "  %9s", number_text(numbers->has_deviation, numbers->deviation, room));
    for (size_t q = 1; q < KAN_QUANTILES - 1; q++) /* without the ends */
        kan_text_print(text, "  %8s", number_text(numbers->has_mean, numbers->quantiles[q], room));
    kan_text_print(text, "\n");
}

static void add_numbers(const kan_fidelity_walk *w, kan_text *text) {
    const unsigned width = name_width(w);
    bool is_first = true;
    for (size_t i = 0; i < w->n; i++) {
        if (w->columns[i].original->dictionary.type != KAN_TYPE_NUMBER)
            continue;
        if (is_first)
            kan_text_print(
                text,
                "\n  %-*s          no number       mean  deviation        5%%       25%%    "
                "median       75%%       95%%\n",
                (int)width, "column");
        is_first = false;
        add_name(w, i, width, text);
        add_number_line(&w->of_columns[i].original, "before", text);
        kan_text_print(text, "  %*s", (int)width, "");
        add_number_line(&w->of_columns[i].released, "after", text);
    }
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static const char *figure_text(bool is_there, double figure, char room[16]) {
    if (is_there)
        snprintf(room, 16, "%.3f", figure == 0 ? 0 : figure);
    return is_there ? room : "-";
}

static void add_figures(const kan_before_after *figure, kan_text *text) {
    char room[16];
    kan_text_print(text, "  %6s", figure_text(figure->has_before, figure->before, room));
    kan_text_print(text, "  %6s", figure_text(figure->has_after, figure->after, room));
}

static void add_class(const kan_fidelity_walk *w, size_t column, size_t which, kan_text *text) {
    kan_text name;
    kan_text_init(&name, w->run);
    kan_fidelity_add_class(w->fidelity, column, which, &name);
    if (kan_text_status(&name) == KAN_OK)
        kan_words_add_label(text, (kan_slice){name.bytes, name.size}, NAME_COLUMNS);
    else
        text->failed = true;
    kan_text_destroy(&name);
}

static void add_pair(const kan_fidelity_walk *w, const kan_pair_fidelity *pair, unsigned width,
                     kan_text *text) {
    char share[2][KAN_PERCENT_BYTES], room[16];
    add_name(w, pair->a, width, text);
    add_name(w, pair->b, width, text);
    kan_text_print(text, "  %9s", distance_text(pair->variation, room));
    add_figures(&pair->v, text);
    add_figures(&pair->correlation, text);
    add_figures(&pair->rank_correlation, text);
    if (pair->variation == 0) {
        kan_text_print(text, "  nothing\n");
        return;
    }
    kan_text_print(text, "  ");
    add_class(w, pair->a, pair->class_a, text);
    kan_text_print(text, ", ");
    add_class(w, pair->b, pair->class_b, text);
    kan_text_print(text, ": %s to %s\n", share_text(pair->share.before, share[0]),
                   share_text(pair->share.after, share[1]));
}

static void add_pairs(const kan_fidelity_walk *w, kan_text *text) {
    const unsigned width = name_width(w);
    const size_t n = w->n_pairs < KAN_MOST_CHANGED ? w->n_pairs : KAN_MOST_CHANGED;
    if (n == 0 || w->of_pairs[w->changed[0]].variation == 0)
        return;
    kan_text_print(
        text,
        "\n  %-*s                 Cramer's V     correlation  rank correlation\n"
        "  %-*s  variation  before   after  before   after  before   after  most moved\n",
        (int)(2 * width + 2), "", (int)(2 * width + 2), "columns");
    for (size_t i = 0; i < n; i++)
        add_pair(w, &w->of_pairs[w->changed[i]], width, text);
    if (n < w->n_pairs)
        kan_text_print(text,
                       "  The %zu of %zu contingency tables that changed most; --json FILE has "
                       "the figures of all.\n",
                       n, w->n_pairs);
}

/* ---- all ------------------------------------------------------------------------------------ */

void kan_fidelity_sentences(const kan_fidelity_walk *w, kan_text *text) {
    for (int sort = 0; sort < N_SORTS; sort++)
        add_sort(w, (column_sort)sort, text);
    add_moved(w, text);
    add_means(w, text);
    add_associations(w, text);
    kan_fidelity_whole_words(w, text);
    add_alone(w, &w->original, "Not released", text);
    add_alone(w, &w->release, "In the release alone", text);
}

void kan_fidelity_words(const kan_fidelity_walk *w, kan_text *text) {
    char rows[32], original[32], memory[32];
    kan_text_print(text, "%s: what it still says of %s\n\n", w->release.name, w->original.name);
    kan_text_print(text, "  rows        %s, of %s%s%s%s\n\n",
                   kan_count_text(w->release.table->n_rows, rows),
                   kan_count_text(w->original.table->n_rows, original),
                   w->weight ? "; each counts as often as '" : "", w->weight ? w->weight : "",
                   w->weight ? "' says" : "");
    kan_fidelity_sentences(w, text);
    add_columns(w, text);
    add_numbers(w, text);
    add_pairs(w, text);
    kan_regressions_words(w, text);
    kan_classifications_words(w, text);
    kan_text_print(text, "\n  %.3f s: read %.0f ms, measure %.0f; %s of memory\n",
                   (kan_now_ms() - w->start_ms) / 1e3, w->read_ms, w->measure_ms,
                   kan_bytes_text(kan_run_peak_memory(w->run), memory));
    kan_text_print(text,
                   "  All of this compares with the original: it is for those who may see it.\n");
}
