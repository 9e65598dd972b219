/* What released numbers tell of those that they stand for (--near): which columns show numbers, whether
 * rows stand in the same order, and how it is told. Row i of the release is taken to be of row i of the
 * original; columns that both have say where that is not so. */
#include <inttypes.h>
#include <math.h>

#include "core/wording.h"
#include "job/risk/risk_inside.h"
#include "job/settings/settings.h"
#include "job/tell/tell.h"

static bool is_wanted(const kan_risk_walk *w) {
    return kan_options_find(&w->job->options, "near") != NULL;
}

/* ---- columns that both have ------------------------------------------------------------------ */

static bool groups_by(const kan_risk_walk *w, size_t column) {
    for (size_t i = 0; i < w->n_quasi + w->n_means; i++)
        if (w->groups_by[i] == column)
            return true;
    return false;
}

/* The column of the original with the name of one of the release, which is neither a
 * quasi-identifier nor one of their means. */
static bool find_common(const kan_risk_walk *w, size_t column, size_t *original) {
    const kan_input *release = &w->sides[KAN_RISK_TABLE].input;
    return !groups_by(w, column) &&
           kan_input_find(&w->sides[KAN_RISK_ORIGINAL].input,
                          kan_slice_of(release->columns[column]), original);
}

kan_status kan_risk_near_begin(kan_risk_walk *w) {
    kan_input *release = &w->sides[KAN_RISK_TABLE].input;
    size_t original;
    if (!is_wanted(w))
        return KAN_OK;
    if (!w->has[KAN_RISK_ORIGINAL])
        return kan_fail(
            w->run, KAN_BAD_INPUT,
            "--near compares the numbers of a release with those before: name the table "
            "that it was made from with --original FILE");
    for (size_t i = 0; i < release->n_columns; i++)
        if (find_common(w, i, &original)) {
            release->encode[i] = true;
            w->sides[KAN_RISK_ORIGINAL].input.encode[original] = true;
        }
    return KAN_OK;
}

/* ---- the order of rows ----------------------------------------------------------------------- */

static const kan_table *original_table(const kan_risk_walk *w) {
    return w->sides[KAN_RISK_ORIGINAL].input.raw;
}

static kan_status check_size(const kan_risk_walk *w) {
    const kan_verify_side *release = &w->sides[KAN_RISK_TABLE];
    const uint64_t before = original_table(w)->n_rows, after = release->input.table->n_rows;
    char rows[32], all[32];
    if (before == after)
        return KAN_OK;
    return kan_fail(w->run, KAN_BAD_INPUT,
                    "--near: %s has %s rows and %s %s, so that nobody knows which row was made of "
                    "which; give the rows of the original that were released, in their order, or a "
                    "release with --keep-suppressed",
                    release->input.name, kan_count_text(after, rows),
                    w->sides[KAN_RISK_ORIGINAL].input.name, kan_count_text(before, all));
}

/* Whether a column has the values of the original, none of them more often. */
static kan_status has_values_of(kan_run *run, const kan_column *release, const kan_column *original,
                                bool *out) {
    const uint32_t n = release->dictionary.n;
    int64_t *left; /* by code of the release */
    *out = true;
    KAN_TRY(kan_alloc_zero(run, n, sizeof *left, &left));
    for (uint64_t row = 0; row < original->n_rows; row++) {
        uint32_t code;
        if (kan_dictionary_find(&release->dictionary, kan_column_value(original, row), &code))
            left[code]++;
    }
    for (uint64_t row = 0; row < release->n_rows; row++)
        *out &= --left[kan_column_code(release, row)] >= 0;
    kan_free(run, left);
    return KAN_OK;
}

/* A column with the values of the original in another order says that rows are; one with other
 * values says nothing. */
static kan_status check_column(const kan_risk_walk *w, const kan_column *release,
                               const kan_column *original) {
    const kan_verify_side *side = &w->sides[KAN_RISK_TABLE];
    uint64_t row = 0;
    bool is_same;
    while (row < release->n_rows &&
           kan_slice_equal(kan_column_value(release, row),
                           kan_column_value(original, kan_shown_row(&side->shown, row))))
        row++;
    if (row == release->n_rows)
        return KAN_OK;
    KAN_TRY(has_values_of(w->run, release, original, &is_same));
    if (!is_same)
        return KAN_OK;
    return kan_fail(w->run, KAN_BAD_INPUT,
                    "--near: row %" PRIu64 " of %s has another '%s' than that of %s, and all its "
                    "values are of the original: the rows are in another order; make the release "
                    "without --shuffle, or bring both into one order",
                    kan_shown_row(&side->shown, row) + 1, side->input.name, release->name,
                    w->sides[KAN_RISK_ORIGINAL].input.name);
}

static kan_status check_order(const kan_risk_walk *w) {
    const kan_table *release = w->sides[KAN_RISK_TABLE].table;
    const kan_table *before = original_table(w);
    for (size_t i = 0; i < release->n_columns; i++) {
        size_t original;
        if (release->columns[i].is_encoded && find_common(w, i, &original) &&
            before->columns[original].is_encoded)
            KAN_TRY(check_column(w, &release->columns[i], &before->columns[original]));
    }
    return KAN_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Whether a column shows numbers, and nothing else but * and unknown values. */
static bool shows_numbers(const kan_column *column) {
    bool has_number = false;
    for (uint32_t code = 0; code < column->dictionary.n; code++) {
        const kan_slice value = kan_dictionary_value(&column->dictionary, code);
        double unused;
        if (kan_value_exact(KAN_TYPE_NUMBER, value, &unused))
            has_number = true;
        else if (!kan_slice_is(value, "*") && !kan_value_is_unknown(value))
            return false;
    }
    return has_number;
}

/* The column that shows the numbers of a quasi-identifier: itself, or its means beside it. */
static kan_status find_shown(const kan_risk_walk *w, size_t i, const kan_column **out) {
    const kan_verify_side *side = &w->sides[KAN_RISK_TABLE];
    const kan_column *own = &side->table->columns[w->quasi[KAN_RISK_TABLE][i]];
    const kan_dictionary *before =
        &original_table(w)->columns[w->quasi[KAN_RISK_ORIGINAL][i]].dictionary;
    size_t column;
    bool is_there;
    *out = NULL;
    if (before->type != KAN_TYPE_NUMBER)
        return KAN_OK;
    if (shows_numbers(own)) {
        *out = own;
        return KAN_OK;
    }
    KAN_TRY(kan_mean_column_find(&side->input, &w->sides[KAN_RISK_ORIGINAL].input, own->name,
                                 &column, &is_there));
    if (is_there && groups_by(w, column) && shows_numbers(&side->table->columns[column]))
        *out = &side->table->columns[column];
    return KAN_OK;
}

/* Numbers of a column into every n-th place, NAN where there is none. rows: which; NULL: all. */
static kan_status read_numbers(kan_run *run, const kan_column *column, const kan_shown_rows *rows,
                               uint64_t n_rows, unsigned n, double *out) {
    double *number;
    KAN_TRY(kan_alloc(run, column->dictionary.n, sizeof *number, &number));
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        if (!kan_value_exact(KAN_TYPE_NUMBER, kan_dictionary_value(&column->dictionary, code),
                             &number[code]))
            number[code] = NAN;
    for (uint64_t row = 0; row < n_rows; row++)
        out[row * n] = number[kan_column_code(column, rows ? kan_shown_row(rows, row) : row)];
    kan_free(run, number);
    return KAN_OK;
}

typedef struct {
    unsigned n;
    const kan_column *shown[KAN_NEAR_COLUMNS];
    double *released, *original;
} numbers;

static kan_status choose_columns(kan_risk_walk *w, numbers *out) {
    for (size_t i = 0; i < w->n_quasi && out->n < KAN_NEAR_COLUMNS; i++) {
        KAN_TRY(find_shown(w, i, &out->shown[out->n]));
        if (out->shown[out->n])
            w->near_of[out->n++] = i;
    }
    if (out->n > 0)
        return KAN_OK;
    return kan_fail(
        w->run, KAN_BAD_INPUT,
        "--near: %s shows no number in any quasi-identifier that was one before; ranges "
        "and labels tell what they tell: make the release with --summary mean, or leave "
        "--near out",
        w->sides[KAN_RISK_TABLE].input.name);
}

static kan_status fill(const kan_risk_walk *w, numbers *out) {
    const kan_verify_side *release = &w->sides[KAN_RISK_TABLE];
    const size_t n_cells = (size_t)release->table->n_rows * out->n;
    KAN_TRY(kan_alloc(w->run, n_cells, sizeof *out->released, &out->released));
    KAN_TRY(kan_alloc(w->run, n_cells, sizeof *out->original, &out->original));
    for (unsigned c = 0; c < out->n; c++) {
        const size_t before = w->quasi[KAN_RISK_ORIGINAL][w->near_of[c]];
        KAN_TRY(read_numbers(w->run, out->shown[c], NULL, release->table->n_rows, out->n,
                             out->released + c));
        KAN_TRY(read_numbers(w->run, &original_table(w)->columns[before], &release->shown,
                             release->table->n_rows, out->n, out->original + c));
    }
    return KAN_OK;
}

static void note_means(const kan_risk_walk *w) {
    const kan_summary_form form = kan_choice_summary(&w->job->options);
    const bool is_median = form == KAN_SUMMARY_MEDIAN;
    if (is_median ? !w->near.shows_medians : !w->near.shows_means && !w->near.shows_medians)
        kan_note(w->run,
                 "--near: the numbers that %s shows are not the %s of those in the same rows of "
                 "%s; if they should be, the rows are in another order, and the figures are wrong",
                 w->sides[KAN_RISK_TABLE].input.name, is_median ? "medians" : "means",
                 w->sides[KAN_RISK_ORIGINAL].input.name);
}

kan_status kan_risk_near_measure(kan_risk_walk *w) {
    numbers n = {.n = 0};
    kan_status status;
    if (!is_wanted(w) || w->sides[KAN_RISK_TABLE].is_blank)
        return KAN_OK;
    KAN_TRY(check_size(w));
    KAN_TRY(check_order(w));
    KAN_TRY(choose_columns(w, &n));
    KAN_TRY_DONE(fill(w, &n));
    const kan_near_question question = {.n_rows = (size_t)w->sides[KAN_RISK_TABLE].table->n_rows,
                                        .n_columns = n.n,
                                        .released = n.released,
                                        .original = n.original,
                                        .share =
                                            kan_options_real(&w->job->options, "near", 0) / 100};
    KAN_TRY_DONE(kan_near_measure(w->run, &question, &w->near));
    w->has_near = true;
    note_means(w);
done:
    kan_free(w->run, n.released);
    kan_free(w->run, n.original);
    return status;
}

/* ---- telling --------------------------------------------------------------------------------- */

static double share_of(const kan_risk_walk *w, double rows) {
    return w->near.n_rows > 0 ? rows / (double)w->near.n_rows : 0;
}

static const char *name_of(const kan_risk_walk *w, unsigned column) {
    return w->sides[KAN_RISK_TABLE].input.columns[w->quasi[KAN_RISK_TABLE][w->near_of[column]]];
}

static json_t *part_json(const kan_risk_walk *w, uint64_t rows) {
    return json_pack("{s:o, s:o}", "rows", kan_json_count(rows), "share",
                     kan_json_real(share_of(w, (double)rows)));
}

json_t *kan_json_near(const kan_risk_walk *w) {
    const kan_near *near = &w->near;
    json_t *columns = json_array();
    if (!w->has_near) {
        json_decref(columns);
        return json_null();
    }
    for (unsigned c = 0; c < near->n_columns; c++)
        columns = kan_json_append(
            columns,
            json_pack("{s:o, s:o, s:o, s:o}", "column", kan_json_text(name_of(w, c)), "deviation",
                      kan_json_real(near->deviation[c]), "rows", kan_json_count(near->n_column[c]),
                      "share", kan_json_real(share_of(w, (double)near->n_column[c]))));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}, s:b, s:b}", "percent",
                     kan_json_real(kan_options_real(&w->job->options, "near", 0)), "rows",
                     kan_json_count(near->n_rows), "columns", columns, "all",
                     part_json(w, near->n_all), "all_but_one", part_json(w, near->n_but_one),
                     "linked", "rows", kan_json_real(near->linked), "share",
                     kan_json_real(share_of(w, near->linked)), "shows_means",
                     (int)near->shows_means, "shows_medians", (int)near->shows_medians);
}

enum { LABEL = 30, NUMBER = 12, NAME = 24 };

static void add_share(kan_text *text, const char *label, double share) {
    char percent[32];
    kan_percent_text(100 * share, KAN_PERCENT_TIGHT, percent);
    kan_text_print(text, "  %-*s%*s\n", LABEL, label, NUMBER, percent);
}

void kan_risk_near_summary(const kan_risk_walk *w, kan_text *text) {
    const kan_near *near = &w->near;
    if (!w->has_near)
        return;
    kan_text_print(text, "\n  numbers within %s%% of a deviation\n",
                   kan_options_find(&w->job->options, "near"));
    for (unsigned c = 0; c < near->n_columns; c++) {
        char share[32];
        kan_percent_text(100 * share_of(w, (double)near->n_column[c]), KAN_PERCENT_TIGHT, share);
        kan_text_print(text, "    ");
        const size_t used = kan_words_add_label(text, kan_slice_of(name_of(w, c)), NAME);
        kan_text_print(text, "%*s%*s\n", (int)(LABEL - 2 - used), "", NUMBER, share);
    }
    add_share(text, "  all of a row", share_of(w, (double)near->n_all));
    if (near->n_columns > 1)
        add_share(text, "  all of a row, or all but one", share_of(w, (double)near->n_but_one));
    add_share(text, "linked to their own row", share_of(w, near->linked));
}
