/* The comparison for people: a row for each trial, and as many figures as the width allows.
 *
 * What all trials share stands above the table. The best figure of a column among the trials of one k
 * has a star behind it; where no k has two trials, among all. A trial without a release has a number
 * there, and the reason below the table. Where the user names the metrics, all columns are shown,
 * in parts one below the other if need be; otherwise those that fit. */
#include <math.h>
#include <stdio.h>

#include "core/wording.h"
#include "job/compare/compare_inside.h"
#include "job/outcome/outcome.h"
#include "job/settings/settings.h"

enum { MOST_COLUMNS = 48, FIELD_BYTES = 40, GAP = 2, INDENT = 2, FALLBACK_WIDTH = 80 };

typedef enum { A_COUNT, A_COST, A_SHARE, A_TIME } figure_form;

typedef struct {
    const char *title;
    char path[64]; /* of the figure in a trial's JSON; "" for what was asked for */
    figure_form form;
    bool has_best; /* the least is the best; */
    bool is_most;  /* or the greatest */
    size_t width;
    double *values; /* by trial; NAN: none */
} figure_column;

typedef struct {
    const kan_compare *compare;
    kan_text *text;
    size_t width;
    figure_column columns[MOST_COLUMNS];
    size_t n_asked, n; /* the first n_asked say what was asked for */
    bool is_by_k;      /* stars are for the best of each k */
    size_t *reasons;   /* by trial: the number of its reason among different ones; 0: it has none */
} table;

/* ---- fields ---------------------------------------------------------------------------------- */

static void format_time(double ms, char room[FIELD_BYTES]) {
    if (ms < 1000)
        snprintf(room, FIELD_BYTES, ms < 10 ? "%.1f ms" : "%.0f ms", ms);
    else
        snprintf(room, FIELD_BYTES, ms < 1e5 ? "%.1f s" : "%.0f s", ms / 1000);
}

/* Whole costs in full as long as people can read them; shares of a cost with four digits. */
static void format_cost(double value, char room[FIELD_BYTES]) {
    char count[32];
    if (value >= 0 && value == floor(value) && value < 1e12)
        snprintf(room, FIELD_BYTES, "%s", kan_count_text((uint64_t)value, count));
    else
        snprintf(room, FIELD_BYTES, "%.4g", value);
}

static void format_figure(const figure_column *column, size_t trial, char room[FIELD_BYTES]) {
    const double value = column->values[trial];
    if (!isfinite(value))
        snprintf(room, FIELD_BYTES, "-");
    else if (column->form == A_TIME)
        format_time(value, room);
    else if (column->form == A_SHARE)
        (void)kan_percent_text(value * 100, KAN_PERCENT_DIGITS, room);
    else
        format_cost(value, room);
}

static const char *asked_field(const figure_column *column, const kan_compare_trial *trial) {
    /* the search that auto took for a model, once it is known */
    const char *found = json_string_value(json_object_get(trial->json, "search"));
    return strcmp(column->title, "recoding") == 0 ? trial->recoding
           : strcmp(column->title, "search") == 0
               ? trial->recoding && found ? found : trial->algorithm
           : strcmp(column->title, "cost") == 0  ? trial->cost
           : strcmp(column->title, "limit") == 0 ? trial->suppress
           : trial->k                            ? trial->k
                                                 : "-";
}

/* ---- columns --------------------------------------------------------------------------------- */

static kan_status add_column(table *t, const char *title, const char *path, figure_form form,
                             bool has_best) {
    const kan_compare *compare = t->compare;
    if (t->n == MOST_COLUMNS)
        return KAN_OK;
    figure_column *column = &t->columns[t->n];
    *column = (figure_column){.title = title, .form = form, .has_best = has_best};
    snprintf(column->path, sizeof column->path, "%s", path);
    column->width = strlen(title) + (*path ? 1 : 0); /* the star */
    if (*path)
        KAN_TRY(kan_arena_alloc(&compare->job->arena, compare->n_trials, sizeof *column->values,
                                &column->values));
    for (size_t i = 0; i < compare->n_trials; i++) {
        char room[FIELD_BYTES];
        const char *field = *path ? room : asked_field(column, &compare->trials[i]);
        if (*path) {
            column->values[i] = kan_compare_number(&compare->trials[i], path);
            format_figure(column, i, room);
        }
        const size_t size = strlen(field) + (*path ? 1 : 0);
        if (compare->trials[i].json && size > column->width)
            column->width = size;
    }
    t->n++;
    return KAN_OK;
}

/* A metric once, and only one that some trial has. */
static kan_status add_metric(table *t, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "metrics.%s", name);
    for (size_t c = 0; c < t->n; c++)
        if (strcmp(t->columns[c].path, path) == 0)
            return KAN_OK;
    return kan_compare_has(t->compare, path) ? add_column(t, name, path, A_COST, true) : KAN_OK;
}

/* "lost", or "lost 2" where several models are asked for. */
static kan_status add_model_column(table *t, bool is_regression, size_t which, const char *name,
                                   const char *key, figure_form form) {
    kan_arena *arena = &t->compare->job->arena;
    char path[64], title[FIELD_BYTES];
    const char *kept;
    if (kan_compare_count_models(t->compare, is_regression) > 1)
        snprintf(title, sizeof title, "%s %zu", name, which + 1);
    else
        snprintf(title, sizeof title, "%s", name);
    KAN_TRY(kan_arena_copy(arena, title, strlen(title), &kept));
    kan_compare_model_path(is_regression, which, key, path);
    const size_t at = t->n;
    KAN_TRY(add_column(t, kept, path, form, true));
    if (at < t->n) /* there was room */
        t->columns[at].is_most = form != A_COUNT;
    return KAN_OK;
}

static kan_status add_model_columns(table *t) {
    const size_t n_regressions = kan_compare_count_models(t->compare, true);
    const size_t n_classes = kan_compare_count_models(t->compare, false);
    for (size_t i = 0; i < n_regressions; i++) {
        KAN_TRY(add_model_column(t, true, i, "overlap", "mean_overlap", A_COST));
        KAN_TRY(add_model_column(t, true, i, "lost", "lost", A_COUNT));
    }
    for (size_t i = 0; i < n_classes; i++) {
        KAN_TRY(add_model_column(t, false, i, "accuracy", "accuracy", A_SHARE));
        KAN_TRY(add_model_column(t, false, i, "AUC", "auc", A_COST));
    }
    return KAN_OK;
}

static kan_status add_asked_columns(table *t) {
    const kan_compare *compare = t->compare;
    if (compare->ks.n > 0)
        KAN_TRY(add_column(t, "k", "", A_COUNT, false));
    if (compare->suppressions.n > 1)
        KAN_TRY(add_column(t, "limit", "", A_COUNT, false));
    if (compare->costs.n > 1)
        KAN_TRY(add_column(t, "cost", "", A_COUNT, false));
    if (compare->recodings.n > 0)
        KAN_TRY(add_column(t, "recoding", "", A_COUNT, false));
    if (!compare->job->parts) /* several tables have one search */
        KAN_TRY(add_column(t, "search", "", A_COUNT, false));
    t->n_asked = t->n;
    return KAN_OK;
}

/* Whom --suppress counts: people or households, who are left out with all rows, or rows. */
static bool leaves_people(const kan_compare *compare) {
    const kan_options *options = &compare->job->options;
    const char *by = kan_options_find(options, "suppress-by");
    return compare->job->parts ||
           ((kan_options_find(options, "person") || kan_options_find(options, "household")) &&
            !(by && strcmp(by, "row") == 0));
}

/* What is told of who is left out: over several tables people, elsewhere rows. */
static const char *left_out_title(const kan_compare *compare) {
    return leaves_people(compare) && !compare->job->parts ? "rows out" : "left out";
}

/* Over several tables groups are people with one tree, unless it is groups that are promised. */
static bool counts_trees(const kan_compare *compare) {
    const char *promise = kan_options_find(&compare->job->options, "person-promise");
    return compare->job->parts && !(promise && strcmp(promise, "groups") == 0);
}

static kan_status add_columns(table *t) {
    const kan_compare *compare = t->compare;
    const kan_options *options = &compare->job->options;
    const size_t n_metrics = kan_options_count_of(options, "metrics");
    KAN_TRY(add_asked_columns(t));
    for (size_t i = 0; i < n_metrics; i++)
        KAN_TRY(add_metric(t, kan_options_at(options, "metrics", i)));
    for (size_t i = 0; n_metrics == 0 && i < compare->costs.n; i++)
        KAN_TRY(add_metric(t, compare->costs.values[i]));
    if (kan_compare_has(compare, "sse"))
        KAN_TRY(add_column(t, "sse", "sse", A_SHARE, true));
    KAN_TRY(add_model_columns(t));
    if (kan_compare_has(compare, "utility.moved")) {
        KAN_TRY(add_column(t, "pMSE ratio", "utility.pmse_ratio", A_COST, true));
        KAN_TRY(add_column(t, "moved", "utility.moved", A_SHARE, true));
    }
    const bool has_matches = kan_compare_has(compare, "matches.fewest");
    if (has_matches) {
        KAN_TRY(add_column(t, "hidden", "matches.hidden", A_COUNT, true));
        KAN_TRY(add_column(t, "by groups", "matches.hidden_by_groups", A_COUNT, false));
        KAN_TRY(add_column(t, "at least", "matches.least_hidden", A_COUNT, false));
        KAN_TRY(add_column(t, "matches", "matches.fewest", A_COUNT, false));
    } else {
        KAN_TRY(
            add_column(t, counts_trees(compare) ? "trees" : "groups", "groups", A_COUNT, false));
    }
    KAN_TRY(add_column(t, left_out_title(compare), "suppressed", A_COUNT, true));
    KAN_TRY(add_column(t, "mean risk", "risk.average", A_SHARE, true));
    KAN_TRY(add_column(t, "time", "time_ms.search", A_TIME, true));
    KAN_TRY(add_column(t, "smallest", "smallest_group", A_COUNT, false));
    for (size_t i = 0; n_metrics == 0 && i < kan_registry_count(KAN_FAMILY_COST); i++) {
        const kan_cost_kind *cost = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, i);
        if (!has_matches || kan_cost_followed(cost)->price) /* not of groups */
            KAN_TRY(add_metric(t, cost->kind.name));
    }
    return KAN_OK;
}

/* ---- the best -------------------------------------------------------------------------------- */

static bool same_k(const kan_compare_trial *a, const kan_compare_trial *b) {
    return a->k == b->k || (a->k && b->k && strcmp(a->k, b->k) == 0);
}

/* Whether its figure is the least of those it is compared with, and not that of all of them. */
static bool is_best(const table *t, const figure_column *column, size_t trial) {
    const kan_compare_trial *trials = t->compare->trials;
    const double mine = column->values[trial];
    bool is_less = false;
    if (!column->has_best || !isfinite(mine))
        return false;
    for (size_t i = 0; i < t->compare->n_trials; i++) {
        const double value = column->values[i];
        if (!isfinite(value) || (t->is_by_k && !same_k(&trials[trial], &trials[i])))
            continue;
        if (column->is_most ? value > mine : value < mine)
            return false;
        is_less |= value != mine;
    }
    return is_less;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const char *error_of(const table *t, size_t trial) {
    return json_string_value(json_object_get(t->compare->trials[trial].json, "error"));
}

static kan_status number_reasons(table *t) {
    const size_t n = t->compare->n_trials;
    size_t n_reasons = 0;
    KAN_TRY(kan_arena_alloc(&t->compare->job->arena, n, sizeof *t->reasons, &t->reasons));
    for (size_t i = 0; i < n; i++) {
        const char *error = error_of(t, i);
        t->reasons[i] = 0;
        for (size_t j = 0; error && j < i && t->reasons[i] == 0; j++)
            if (t->reasons[j] > 0 && strcmp(error_of(t, j), error) == 0)
                t->reasons[i] = t->reasons[j];
        if (error && t->reasons[i] == 0)
            t->reasons[i] = ++n_reasons;
    }
    return KAN_OK;
}

/* Names stand on the left, figures on the right. */
static void add_asked(const table *t, const figure_column *column, const char *field) {
    const bool is_name = strcmp(column->title, "search") == 0 ||
                         strcmp(column->title, "recoding") == 0 ||
                         strcmp(column->title, "cost") == 0;
    kan_text_print(t->text, is_name ? "%-*s%*s" : "%*s%*s", (int)column->width, field, GAP, "");
}

static void end_line(kan_text *text) {
    while (!text->failed && text->size > 0 && text->bytes[text->size - 1] == ' ')
        text->size--;
    kan_text_print(text, "\n");
}

static void add_row(const table *t, size_t i, size_t from, size_t to) {
    const kan_compare_trial *trial = &t->compare->trials[i];
    const size_t reason = t->reasons[i];
    kan_text_print(t->text, "%*s", INDENT, "");
    for (size_t c = 0; c < t->n_asked; c++)
        add_asked(t, &t->columns[c], asked_field(&t->columns[c], trial));
    if (reason > 0)
        kan_text_print(t->text, "none [%zu]", reason);
    for (size_t c = from; reason == 0 && c < to; c++) {
        const figure_column *column = &t->columns[c];
        char room[FIELD_BYTES];
        format_figure(column, i, room);
        kan_text_print(t->text, "%*s%s%*s", (int)column->width - 1, room,
                       is_best(t, column, i) ? "*" : " ", GAP, "");
    }
    end_line(t->text);
}

/* Columns from..to of all finished trials; a line is left between one k and the next. */
static void add_part(const table *t, size_t from, size_t to) {
    const kan_compare *compare = t->compare;
    const kan_compare_trial *last = NULL;
    kan_text_print(t->text, "\n%*s", INDENT, "");
    for (size_t c = 0; c < t->n_asked; c++)
        add_asked(t, &t->columns[c], t->columns[c].title);
    for (size_t c = from; c < to; c++)
        kan_text_print(t->text, "%*s %*s", (int)t->columns[c].width - 1, t->columns[c].title, GAP,
                       "");
    end_line(t->text);
    for (size_t i = 0; i < compare->n_trials; i++) {
        if (!compare->trials[i].json)
            continue;
        if (last && t->is_by_k && !same_k(last, &compare->trials[i]))
            kan_text_print(t->text, "\n");
        last = &compare->trials[i];
        add_row(t, i, from, to);
    }
}

/* ---- around it ------------------------------------------------------------------------------- */

/* What comes before is `indent` wide, and so are later lines. */
static void add_wrapped(const table *t, const char *words, size_t indent) {
    kan_text_add_wrapped(t->text, words, indent, indent, t->width);
}

static void add_reasons(const table *t) {
    const kan_compare *compare = t->compare;
    size_t told = 0;
    for (size_t i = 0; i < compare->n_trials; i++) {
        const size_t reason = t->reasons[i];
        char before[32];
        if (reason <= told)
            continue;
        kan_text_print(t->text, "%s", told == 0 ? "\n" : "");
        told = reason;
        const int size =
            snprintf(before, sizeof before, "%*s[%zu] exit %d: ", INDENT, "", reason,
                     (int)json_integer_value(json_object_get(compare->trials[i].json, "status")));
        kan_text_print(t->text, "%s", before);
        add_wrapped(t, error_of(t, i), (size_t)size);
    }
}

static void add_title(const table *t) {
    const kan_compare *compare = t->compare;
    const kan_options *options = &compare->job->options;
    const char *path = kan_compare_path(compare);
    const bool of_people = compare->job->parts != NULL;
    const char *counts = kan_options_find(options, "count");
    char rows[32];
    kan_text_print(t->text, "%s: %zu search%s", path ? path : "the table", compare->n_trials,
                   compare->n_trials == 1 ? "" : "es");
    if (compare->n_rows > 0 ||
        !of_people) /* nobody knows of people before a search found something */
        kan_text_print(t->text, " of %s %s", kan_count_text(compare->n_rows, rows),
                       of_people ? kan_plural(compare->n_rows, "person", "people")
                                 : kan_plural(compare->n_rows, "row", "rows"));
    if (of_people)
        kan_text_print(t->text, " in %zu tables", kan_job_n_tables(compare->job));
    if (compare->costs.n == 1 && compare->names_costs)
        kan_text_print(t->text, ", each for the least %s", compare->costs.values[0]);
    if (compare->suppressions.n == 1 && strcmp(compare->suppressions.values[0], "0") != 0)
        kan_text_print(t->text, ", at most %s of the %s left out", compare->suppressions.values[0],
                       !leaves_people(compare)                  ? "rows"
                       : kan_options_find(options, "household") ? "households"
                                                                : "people");
    if (counts && strcmp(counts, "people") == 0)
        kan_text_print(t->text, "; costs by people");
    kan_text_print(t->text, "\n");
    if (compare->n_resumed > 0)
        kan_text_print(t->text, "%zu of them from %s\n", compare->n_resumed,
                       kan_options_find(options, "save"));
}

static void add_legend(const table *t, size_t n_hidden, bool has_stars) {
    const kan_compare *compare = t->compare;
    size_t n_left = 0, n_solved = 0;
    char memory[32], left[160];
    for (size_t i = 0; i < compare->n_trials; i++)
        n_left += !compare->trials[i].json;
    for (size_t i = 0; i < compare->n_trials; i++)
        n_solved += kan_compare_is_solved(&compare->trials[i]);
    kan_text_print(t->text, "\n");
    if (has_stars)
        kan_text_print(t->text, "  * the best of its column%s\n", t->is_by_k ? " at this k" : "");
    if (n_hidden > 0) {
        snprintf(left, sizeof left,
                 "%zu more column%s: --metrics NAME,NAME, --output FILE.csv or "
                 "--json FILE",
                 n_hidden, n_hidden == 1 ? "" : "s");
        kan_text_print(t->text, "  ");
        add_wrapped(t, left, INDENT);
    }
    if (n_left > 0) {
        const char *save = kan_options_find(&compare->job->options, "save");
        snprintf(left, sizeof left, "interrupted: %zu of %zu %s missing%s", n_left,
                 compare->n_trials,
                 compare->n_trials == 1 ? "cell is"
                 : n_left == 1          ? "cells is"
                                        : "cells are",
                 save ? "; the same command continues from here"
                      : "; with --save FILE.jsonl a comparison can be continued");
        kan_text_print(t->text, "  ");
        add_wrapped(t, left, INDENT);
    }
    if (n_solved > 0)
        kan_text_print(t->text, "  recounted: every release above keeps its promise\n");
    kan_text_print(t->text, "  %.2f s; %s of memory\n", compare->total_ms / 1000,
                   kan_bytes_text(kan_run_peak_memory(compare->run), memory));
}

/* The release of the best trial, where one promise and one cost were compared; else all commands. */
static kan_status add_next(const table *t) {
    const kan_compare *compare = t->compare;
    const char *input = kan_compare_path(compare);
    const kan_compare_trial *best = NULL;
    const size_t start = t->text->size;
    char path[64];
    snprintf(path, sizeof path, "metrics.%s", compare->costs.values[0]);
    for (size_t i = 0; i < compare->n_trials; i++) {
        const kan_compare_trial *trial = &compare->trials[i];
        const double cost = kan_compare_number(trial, path);
        if (isfinite(cost) && (!best || cost < kan_compare_number(best, path)))
            best = trial;
    }
    if (!best || !input || strcmp(input, "-") == 0)
        return KAN_OK;
    if (compare->ks.n <= 1 && compare->suppressions.n == 1 && compare->costs.n == 1) {
        kan_text_print(t->text, "\nnext: %s\n", best->command);
        kan_words_check_command(t->text, start);
        return KAN_OK;
    }
    kan_text_print(t->text, "\nnext: kanon compare %s", compare->job->parts ? "--job " : "");
    kan_words_add_shell(t->text, input);
    KAN_TRY(kan_compare_add_settings(compare, t->text));
    kan_text_print(t->text, " --commands\n");
    kan_words_check_command(t->text, start);
    return KAN_OK;
}

static bool has_star(const table *t, size_t n_shown) {
    for (size_t c = t->n_asked; c < n_shown; c++)
        for (size_t i = 0; i < t->compare->n_trials; i++)
            if (is_best(t, &t->columns[c], i))
                return true;
    return false;
}

/* Where a part that begins at `from` ends; it has at least one column. */
static size_t end_of_part(const table *t, size_t from) {
    size_t used = INDENT, to = from;
    for (size_t c = 0; c < t->n_asked; c++)
        used += t->columns[c].width + GAP;
    /* The last star may stand in the last place; the gap behind it is cut off. */
    while (to < t->n && (to == from || used + t->columns[to].width <= t->width))
        used += t->columns[to++].width + GAP;
    return to;
}

kan_status kan_compare_summary(const kan_compare *compare, kan_result *out) {
    const kan_options *options = &compare->job->options;
    table t = {.compare = compare, .text = &out->summary};
    t.width = (size_t)kan_options_count(options, "width", FALLBACK_WIDTH);
    t.is_by_k = compare->ks.n > 1 && compare->n_trials > compare->ks.n;
    KAN_TRY(number_reasons(&t));
    KAN_TRY(add_columns(&t));
    add_title(&t);
    size_t to = t.n_asked;
    do {
        const size_t from = to;
        to = end_of_part(&t, from);
        add_part(&t, from, to);
    } while (to < t.n && kan_options_find(options, "metrics"));
    add_reasons(&t);
    KAN_TRY(kan_compare_add_models(compare, t.is_by_k, t.width, t.text));
    kan_compare_add_breaks(compare, t.text);
    add_legend(&t, t.n - to, has_star(&t, to));
    KAN_TRY(add_next(&t));
    return kan_text_status(t.text);
}
