/* What `verify` tells: JSON for programs, a summary for people. Places are told as lines where they
 * are known; no value of the data is told. */
#include <inttypes.h>

#include "job/settings/settings.h"
#include "job/tell/tell.h"
#include "job/verify/verify_inside.h"

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *path_json(const kan_verification *v, const char *setting) {
    const char *path = kan_options_find(&v->job->options, setting);
    return path ? kan_json_text(path) : json_null();
}

static json_t *names_json(const kan_verification *v) {
    json_t *names = json_array();
    for (size_t i = 0; i < v->n_quasi; i++)
        names =
            kan_json_append(names, kan_json_text(v->release.input.columns[v->quasi_columns[i]]));
    return names;
}

static json_t *means_json(const kan_verification *v) {
    json_t *names;
    if (v->means_state == KAN_MEANS_NONE)
        return json_null();
    names = json_array();
    for (size_t i = 0; names && i < v->n_means; i++)
        if (json_array_append_new(
                names, kan_json_text(v->release.input.columns[v->means[i].released])) != 0) {
            json_decref(names);
            names = NULL;
        }
    const bool is_known = v->means_state == KAN_MEANS_HOLD || v->means_state == KAN_MEANS_WRONG;
    return json_pack("{s:o, s:o}", "columns", names, "holds",
                     is_known ? json_boolean(v->means_state == KAN_MEANS_HOLD) : json_null());
}

/* Rows that were counted where they are have no order, and no numbers. */
static bool has_order(const kan_verification *v) {
    return !v->release.table->counts && !(v->has_original && v->original.table->counts);
}

static json_t *original_json(const kan_verification *v) {
    if (!v->has_original)
        return json_null();
    return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o}", "path",
                     v->original.input.is_file ? path_json(v, "original") : json_null(), "rows",
                     kan_json_count(kan_table_total(v->original.table)), "holds",
                     (int)v->cover.holds, "in_order",
                     has_order(v) ? json_boolean(v->cover.in_order) : json_null(), "unmatched_rows",
                     kan_json_count(v->cover.n_unmatched), "not_released",
                     kan_json_count(v->cover.n_not_released));
}

/* Rows of the file: those that were counted, and those of nothing but *. */
static uint64_t n_all_rows(const kan_verification *v) {
    return v->recount.n_rows + v->release.shown.n_blank;
}

/* Rows that show * in every quasi-identifier, whatever else they show. */
static uint64_t n_star_rows(const kan_verification *v) {
    return v->recount.n_star_rows + v->release.shown.n_blank;
}

static bool leaves_too_many_out(const kan_verification *v) {
    return v->has_limit && v->knows_suppressed && v->n_suppressed > v->limit;
}

static json_t *column_faults_json(const kan_verification *v) {
    json_t *faults = json_array();
    for (const char *at = v->column_faults.bytes; at && *at;) {
        const size_t size = strcspn(at, "\n");
        faults = kan_json_append(faults, kan_json_slice((kan_slice){at, size}));
        at += size + (at[size] == '\n');
    }
    return faults;
}

static json_t *suppression_json(const kan_verification *v) {
    if (!v->has_limit)
        return json_null();
    const bool is_known = v->knows_suppressed;
    return json_pack("{s:o, s:o, s:o}", "limit", is_known ? kan_json_count(v->limit) : json_null(),
                     "rows", is_known ? kan_json_count(v->n_suppressed) : json_null(), "holds",
                     is_known ? json_boolean(!leaves_too_many_out(v)) : json_null());
}

static kan_recounted recounted(const kan_verification *v) {
    return (kan_recounted){
        .job = v->job, .claim = &v->claim, .found = &v->models, .tells_holds = true};
}

static json_t *privacy_json(const kan_verification *v) {
    const kan_recounted all = recounted(v);
    return kan_recounted_json(&all, v->groups_hold && kan_histories_hold(&v->models));
}

/* Where people were counted; then small_rows and failing_rows count them, too. */
static json_t *whose_json(const kan_verification *v, bool of_households) {
    if (!v->person || v->of_households != of_households)
        return json_null();
    const bool is_known = v->people_state != KAN_PEOPLE_UNASKED;
    return json_pack("{s:o, s:o, s:b, s:s, s:o}", "column", kan_json_text(v->person), "whole",
                     is_known ? json_boolean(v->people_state == KAN_PEOPLE_WHOLE) : json_null(),
                     "known", (int)!v->people_are_open, "promise",
                     !v->claim.histories ? "groups"
                     : of_households     ? "composition"
                                         : "histories",
                     "fewest_alike",
                     v->models.has_histories ? kan_json_count(v->models.histories.fewest_people)
                                             : json_null());
}

/* --recoding: rows from 1, where one breaks the rule. */
static json_t *recoding_json(const kan_verification *v) {
    const kan_shape_verdict *shape = &v->shape;
    if (!v->recoding)
        return json_null();
    json_t *rows = json_array();
    if (shape->row)
        rows = kan_json_append(rows, kan_json_count(shape->row));
    if (shape->other_row)
        rows = kan_json_append(rows, kan_json_count(shape->other_row));
    return json_pack("{s:s, s:b, s:o, s:o, s:o, s:o}", "model", v->recoding, "holds",
                     (int)shape->holds, "column",
                     shape->column ? kan_json_text(shape->column) : json_null(), "rows", rows,
                     "fault", shape->fault ? json_string(shape->fault) : json_null(), "unchecked",
                     shape->unchecked ? json_string(shape->unchecked) : json_null());
}

/* What the file has beside the table, and which of it shows a value that the table does not. */
static json_t *beside_json(const kan_verification *v) {
    kan_text names;
    kan_text_init(&names, v->run);
    const size_t n = kan_verify_add_beside(&v->beside, &names);
    json_t *object = json_pack("{s:o, s:o, s:o}", "parts", kan_json_count(n), "names",
                               names.bytes ? kan_json_text(names.bytes) : json_null(), "fault",
                               v->beside_fault ? kan_json_text(v->beside_fault) : json_null());
    kan_text_destroy(&names);
    return object;
}

static json_t *result_json(const kan_verification *v, const kan_result *out) {
    json_t *times =
        json_pack("{s:o, s:o, s:o}", "read", kan_json_time(v->read_ms), "verify",
                  kan_json_time(v->verify_ms), "total", kan_json_time(kan_now_ms() - v->start_ms));
    json_t *input = json_pack("{s:o, s:o}", "path",
                              v->release.input.is_file ? path_json(v, "input") : json_null(),
                              "rows", kan_json_count(n_all_rows(v)));
    json_t *unchecked = json_array();
    if (unchecked && out->unchecked.size > 0)
        unchecked = kan_json_append(unchecked, kan_json_text(out->unchecked.bytes));
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:s, "
        "s:o, s:o, s:o}",
        "kanon", KANON_VERSION, "command", "verify", "input", input, "quasi_identifiers",
        names_json(v), "privacy", privacy_json(v), "groups", kan_json_count(v->recount.n_groups),
        "smallest_group", kan_json_count(v->recount.smallest_group), "small_groups",
        kan_json_count(v->recount.n_small_groups), "small_rows",
        kan_json_count(v->recount.n_small_rows), "suppressed_rows_shown",
        kan_json_count(n_star_rows(v)), "blank_rows", kan_json_count(v->release.shown.n_blank),
        "original", original_json(v), "means", means_json(v), "column_faults",
        column_faults_json(v), "suppression", suppression_json(v), "verified", (int)out->holds,
        "status", kan_result_status_name(out), "unchecked", unchecked, "time_ms", times,
        "peak_memory_bytes", kan_json_count(kan_run_peak_memory(v->run)));
    object = kan_json_set(object, "recoding", recoding_json(v));
    object = kan_json_set(object, "narrow_cells",
                          v->counts_narrow ? kan_json_count(v->n_narrow) : json_null());
    object = kan_json_set(object, "beside", beside_json(v));
    object = kan_json_set(object, "matches", kan_matches_json(&v->models.fits));
    object = kan_json_set(object, "per_column", kan_by_column_json(&v->models.columns));
    object = kan_json_set(object, "calibrated",
                          v->n_strata > 0 ? json_boolean(v->is_calibrated && v->cover.holds)
                                          : json_null());
    object = kan_json_set(object, "ledger", kan_verify_ledger_json(v));
    object = kan_json_set(object, "household", whose_json(v, true));
    return kan_json_set(object, "person", whose_json(v, false));
}

/* ---- the summary ---------------------------------------------------------------------------- */

static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* "line 3", "row 2" for a row of the release. */
static void add_row_place(const kan_verification *v, uint64_t row, kan_text *text) {
    size_t at = 0;
    while (at < v->n_places && v->rows[at] != row)
        at++;
    if (v->has_lines && at < v->n_places)
        kan_text_print(text, "line %" PRIu64, v->lines[at]);
    else
        kan_text_print(text, "row %" PRIu64, row + 1);
}

/* ", such as that of line 4, line 6" and the end of the line. */
static void add_examples(const kan_verification *v, const uint64_t *rows, size_t n,
                         kan_text *text) {
    for (size_t i = 0; i < n && !v->release.table->counts; i++) {
        kan_text_print(text, i == 0 ? ", such as that of " : ", ");
        add_row_place(v, rows[i], text);
    }
    kan_text_print(text, "\n");
}

static const char *unit_of(const kan_verification *v, uint64_t n) {
    return !v->claim.person   ? kan_plural(n, "row", "rows")
           : v->of_households ? kan_plural(n, "household", "households")
                              : kan_plural(n, "person", "people");
}

/* "2 groups with 7 rows" that fail a model; or people, and their histories. */
static void add_failing(const kan_verification *v, const kan_model_recount *model,
                        bool is_of_households, kan_text *text) {
    const uint64_t n = model->n_failing_groups, n_rows = model->n_failing_rows;
    char groups[32], rows[32];
    kan_text_print(text, "%s %s with %s %s", kan_count_text(n, groups),
                   is_of_households ? kan_plural(n, "household", "households")
                   : v->models.has_histories && v->of_households
                       ? kan_plural(n, "composition", "compositions")
                   : v->models.has_histories ? kan_plural(n, "history", "histories")
                                             : kan_plural(n, "group", "groups"),
                   kan_count_text(n_rows, rows), unit_of(v, n_rows));
}

/* Who has fewer matches than were promised, or may have. */
static void add_few_matches(const kan_verification *v, kan_text *text) {
    const kan_fits_recount *fits = &v->models.fits;
    const bool is_open = v->matches_are_open;
    const uint64_t n_rows = is_open ? fits->n_open_rows : fits->n_small_rows;
    const uint64_t n_people = is_open ? fits->n_open_people : fits->n_small_people;
    char rows[32], people[32];
    kan_text_print(text, "              %s %s fewer people, and %s %s fewer rows",
                   kan_count_text(n_rows, rows),
                   is_open ? kan_plural(n_rows, "row may match", "rows may match")
                           : kan_plural(n_rows, "row matches", "rows match"),
                   kan_count_text(n_people, people),
                   is_open ? kan_plural(n_people, "person may match", "people may match")
                           : kan_plural(n_people, "person matches", "people match"));
    if (is_open)
        kan_text_print(text, ": which rows of the original were left out is not known\n");
    else
        add_examples(v, fits->examples, fits->n_examples, text);
}

/* --missing-matches, which stands alone. */
static void add_matches(const kan_verification *v, kan_text *text) {
    const kan_fits_recount *fits = &v->models.fits;
    const bool is_counted = fits->is_counted;
    kan_text_print(text, "  promise     ");
    kan_matches_add_promised(&v->claim, text);
    kan_text_print(text, ": %s\n",
                   v->why_uncounted      ? "not counted"
                   : v->matches_are_open ? "not decided"
                   : !is_counted         ? "holds, as no row shows anything"
                   : fits->holds         ? "holds"
                                         : "does not hold");
    if (!is_counted)
        return;
    kan_text_print(text, "              ");
    kan_matches_add(&v->models, text);
    kan_text_print(text, "\n");
    if (!fits->holds)
        add_few_matches(v, text);
}

/* --per-column, which stands alone, too. */
static void add_by_column(const kan_verification *v, kan_text *text) {
    const kan_columns_recount *found = &v->models.columns;
    char fewest[32], values[32], rows[32];
    kan_text_print(text,
                   "  promise     each value of each column, by itself, is shown by k=%" PRIu64
                   " rows or more: %s",
                   v->claim.by_column, v->models_hold ? "holds" : "does not hold");
    if (!found->is_counted) {
        kan_text_print(text, "\n");
        return;
    }
    kan_text_print(text, ", the fewest are %s\n              ",
                   kan_count_text(found->fewest_rows, fewest));
    kan_by_column_add(&v->models, text);
    kan_text_print(text, "\n");
    if (found->holds)
        return;
    kan_text_print(text, "              %s %s shown by fewer, in %s %s",
                   kan_count_text(found->n_small_values, values),
                   kan_plural(found->n_small_values, "value is", "values are"),
                   kan_count_text(found->n_small_rows, rows),
                   kan_plural(found->n_small_rows, "row", "rows"));
    add_examples(v, found->examples, found->n_examples, text);
}

/* One line per model: promised, reached; and one for what fails it. */
static void add_promise(const kan_verification *v, kan_text *text) {
    const kan_recounted all = recounted(v);
    const char *label = "promise";
    char groups[32];
    if (v->is_uncounted) {
        kan_text_print(text, "  %-10s  not counted: whose the rows are is not known: %s\n", label,
                       v->why_open);
        return;
    }
    if (kan_recounted_has_k(&all)) {
        kan_text_print(text, "  %-10s  k-anonymity k=%" PRIu64 "%s: %s\n", label, v->claim.k,
                       !v->claim.person   ? ""
                       : v->of_households ? " by households"
                                          : " by people",
                       v->groups_hold ? "holds" : "does not hold");
        label = "";
        if (v->models.has_histories)
            kan_text_print(text, "  %-10s  %s: %s, the rarest is that of %s\n", label,
                           v->of_households ? "compositions of households" : "histories of people",
                           kan_histories_hold(&v->models) ? "hold" : "do not hold",
                           kan_count_text(v->models.histories.fewest_people, groups));
    }
    if (v->claim.fits > 0) {
        add_matches(v, text);
        return;
    }
    if (v->claim.by_column > 0) {
        add_by_column(v, text);
        return;
    }
    for (size_t m = 0; m < v->claim.n_models; m++) {
        const kan_model_recount *model = &v->models.models[m];
        kan_text_print(text, "  %-10s  ", label);
        kan_recounted_add_promised(&all, m, text);
        kan_text_print(text, model->holds ? ": holds" : ": does not hold");
        kan_recounted_add_reached(&all, m, text);
        kan_text_print(text, "\n");
        label = "";
        if (model->holds)
            continue;
        kan_text_print(text, "  %-10s  fails in ", label);
        add_failing(v, model, v->claim.models[m].kind->uses_households, text);
        add_examples(v, model->examples, model->n_examples, text);
    }
}

static void add_groups(const kan_verification *v, kan_text *text) {
    char groups[32], smallest[32], small[32], rows[32];
    const uint64_t n_blank = v->release.shown.n_blank;
    const kan_recount *found = &v->recount;
    if (!v->is_uncounted)
        kan_text_print(text, "  groups      %s, the smallest has %s %s\n",
                       kan_count_text(found->n_groups, groups),
                       kan_count_text(found->smallest_group, smallest),
                       unit_of(v, found->smallest_group));
    if (n_blank > 0)
        kan_text_print(text, "  suppressed  %s row%s of nothing but *, in every column%s\n",
                       kan_count_text(n_blank, rows), plural(n_blank),
                       v->blank_is_open ? ", or a group" : "");
    if (found->n_star_rows > 0)
        kan_text_print(text, "  %-10s  %s row%s with nothing but * in the quasi-identifiers\n",
                       n_blank > 0 ? "" : "suppressed", kan_count_text(found->n_star_rows, rows),
                       plural(found->n_star_rows));
    if (v->groups_hold || v->is_uncounted)
        return;
    kan_text_print(text, "  too small   %s group%s with %s %s",
                   kan_count_text(found->n_small_groups, small), plural(found->n_small_groups),
                   kan_count_text(found->n_small_rows, rows), unit_of(v, found->n_small_rows));
    add_examples(v, v->recount.examples, v->recount.n_examples, text);
}

static void add_original(const kan_verification *v, kan_text *text) {
    const kan_cover *cover = &v->cover;
    char rows[32], lost[32];
    if (!v->has_original)
        return;
    kan_text_print(text, "  original    %s: %s row%s, %s of them not released\n",
                   v->original.input.name, kan_count_text(kan_table_total(v->original.table), rows),
                   plural(kan_table_total(v->original.table)),
                   kan_count_text(cover->n_not_released, lost));
    if (cover->holds) {
        kan_text_print(text,
                       "  cover       holds: every released row stands for an original row of its "
                       "own, %s\n",
                       !has_order(v)     ? "as they were counted"
                       : cover->in_order ? "in the same order"
                                         : "in another order");
        return;
    }
    kan_text_print(text, "  cover       does not hold: %s released row%s no original row left",
                   kan_count_text(cover->n_unmatched, rows),
                   cover->n_unmatched == 1 ? " has" : "s have");
    if (!v->release.table->counts) {
        kan_text_print(text, cover->n_unmatched == 1 ? ", that of " : ", the first is that of ");
        add_row_place(v, cover->first_unmatched - 1, text);
    }
    if (cover->fault_column)
        kan_text_print(text, " (column '%s' shows what no original value becomes)",
                       cover->fault_column);
    kan_text_print(text, "\n");
}

/* Columns of means, of medians or of modes. */
static void add_middles(const kan_verification *v, kan_middle middle, kan_text *text) {
    const char *head = kan_middle_plural(middle);
    size_t n = 0;
    for (size_t i = 0; i < v->n_means; i++)
        n += v->means[i].middle == middle;
    if (n == 0)
        return;
    switch (v->means_state) {
    case KAN_MEANS_NONE:
        return;
    case KAN_MEANS_HOLD:
        kan_text_print(text, "  %-9s   hold: %zu column%s of them, compared with the original\n",
                       head, n, plural(n));
        return;
    case KAN_MEANS_WRONG:
        if (v->means_fault->middle == middle) /* what comes behind it was not looked at */
            kan_text_print(text,
                           "  %-9s   do not hold: column '%s' shows other %s than the %s "
                           "of its groups\n",
                           head, v->release.input.columns[v->means_fault->released],
                           middle == KAN_MIDDLE_MODE ? "values" : "numbers", head);
        return;
    case KAN_MEANS_SHUFFLED:
        kan_text_print(text,
                       "  %-9s   not checked: the rows stand in another order, so it is "
                       "not known which of them make up a group\n",
                       head);
        return;
    case KAN_MEANS_INCOMPLETE:
        kan_text_print(text,
                       "  %-9s   not checked: that takes an original row for every "
                       "released one, and all of them\n",
                       head);
        return;
    }
}

/* One line per fault; or one that there is none, where somebody said what the columns must be. */
static void add_calibrated(const kan_verification *v, kan_text *text) {
    kan_text_print(text, "  %-10s  hold: calibrated by ", "weights");
    for (size_t i = 0; i < v->n_strata; i++) {
        kan_text_print(text, "%s", i > 0 ? ", " : "");
        (void)kan_words_add_label(text, kan_slice_of(v->original.input.columns[v->strata[i]]), 40);
    }
    kan_text_print(text, ", each as it is computed from the original\n");
}

static void add_columns(const kan_verification *v, kan_text *text) {
    const char *label = "columns";
    if (v->columns_are_decided && v->n_column_faults == 0)
        kan_text_print(text, "  %-10s  hold: each of them was decided on, and none is missing\n",
                       label);
    if (v->is_calibrated && v->cover.holds)
        add_calibrated(v, text);
    for (const char *at = v->column_faults.bytes; at && *at;) {
        const size_t size = strcspn(at, "\n");
        kan_text_print(text, "  %-10s  %.*s\n", label, (int)size, at);
        at += size + (at[size] == '\n');
        label = "";
    }
}

static void add_beside(const kan_verification *v, kan_text *text) {
    if (v->beside.n == 0)
        return;
    kan_text_print(text, "  beside      the file has more than the table: ");
    (void)kan_verify_add_beside(&v->beside, text);
    kan_text_print(text, "\n");
    if (v->beside_fault)
        kan_text_print(text,
                       "              a value of the original that no released row shows stands "
                       "there: %s\n",
                       v->beside_fault);
}

static void add_treated(const kan_verification *v, kan_text *text) {
    const kan_input *input = v->has_original ? &v->original.input : &v->release.input;
    for (size_t i = 0; i < input->n_treatments; i++) {
        kan_text_print(text, "  %-10s  %s: ", i == 0 ? "treated" : "", input->treatments[i].name);
        kan_treatment_add_words(&input->treatments[i], text);
        kan_text_print(text, v->has_original ? ", before it was compared\n"
                                             : "; not compared without --original\n");
    }
}

/* Who is released is released with all rows. */
static void add_people(const kan_verification *v, kan_text *text) {
    char rows[32], all[32];
    if (v->people_state == KAN_PEOPLE_TORN && v->of_households)
        kan_text_print(text,
                       "  households  NOT whole: no choice of households explains these rows; "
                       "each is released with all rows, or not at all\n");
    else if (v->people_state == KAN_PEOPLE_TORN)
        kan_text_print(text, "  people      NOT whole: no choice of people explains these rows; "
                             "whoever is released is released with all rows\n");
    if (v->people_state == KAN_PEOPLE_FEWER)
        kan_text_print(text,
                       "  %-10s  NOT whole: suppressed rows are kept, and the release has %s "
                       "rows where the original has %s\n",
                       v->of_households ? "households" : "people",
                       kan_count_text(n_all_rows(v), rows),
                       kan_count_text(kan_table_total(v->original.table), all));
}

static bool people_are_torn(const kan_verification *v) {
    return v->people_state == KAN_PEOPLE_TORN || v->people_state == KAN_PEOPLE_FEWER;
}

static void add_left_out(const kan_verification *v, kan_text *text) {
    char rows[32], limit[32];
    if (!v->has_limit)
        return;
    if (v->knows_suppressed)
        kan_text_print(text, "  left out    %s%s %s, the limit is %s\n",
                       leaves_too_many_out(v) ? "too many: " : "",
                       kan_count_text(v->n_suppressed, rows),
                       v->of_households ? kan_plural(v->n_suppressed, "household", "households")
                       : v->person && kan_verify_leaves_by_person(v)
                           ? kan_plural(v->n_suppressed, "person", "people")
                           : kan_plural(v->n_suppressed, "row", "rows"),
                       kan_count_text(v->limit, limit));
    else
        kan_text_print(text, "  left out    not known%s, so the limit was not checked\n",
                       v->people_are_open ? ", as it is not known whose rows these are"
                       : v->blank_is_open
                           ? " among the rows of *, which may be a group of their own"
                       : v->has_original || v->keeps_suppressed
                           ? " among the rows of *, which show more than that"
                           : " without --original");
}

static void add_recoding(const kan_verification *v, kan_text *text) {
    const kan_shape_verdict *shape = &v->shape;
    char quoted[256], row[32], other[32];
    if (v->recoding && shape->holds)
        kan_text_print(text, "  recoding    %s%s\n", v->recoding,
                       shape->unchecked ? ", as far as it was checked" : "");
    if (v->recoding && !shape->holds) {
        kan_text_print(text, "  recoding    NOT %s: row%s %s", v->recoding,
                       shape->other_row ? "s" : "", kan_count_text(shape->row, row));
        if (shape->other_row)
            kan_text_print(text, " and %s", kan_count_text(shape->other_row, other));
        if (shape->column)
            kan_text_print(text, ": column %s", kan_quote(kan_slice_of(shape->column), quoted));
        kan_text_print(text, " %s\n", shape->fault);
    }
    const kan_recoding_kind *model = kan_choice_model(&v->job->options);
    if (v->counts_narrow && v->n_narrow > 0 && v->recoding && model && model->narrows_labels)
        kan_text_print(text,
                       "  labels      %s %s by a label that means less than it says: other values "
                       "of it are always shown otherwise\n",
                       kan_count_text(v->n_narrow, row),
                       kan_plural(v->n_narrow, "cell is shown", "cells are shown"));
}

/* Groups that are too small or fail a model, and whether that of the * rows is one of them. */
static bool star_fails(const kan_verification *v) {
    bool fails = v->recount.star_is_small;
    for (size_t m = 0; m < v->models.n_models; m++)
        fails |= v->models.models[m].star_fails;
    return fails;
}

static bool others_fail(const kan_verification *v) {
    bool fails = v->recount.n_small_groups > v->recount.star_is_small ||
                 (v->models.fits.is_counted && !v->models.fits.holds && !v->matches_are_open) ||
                 (v->models.columns.is_counted && !v->models.columns.holds);
    for (size_t m = 0; m < v->models.n_models; m++)
        fails |= v->models.models[m].n_failing_groups > v->models.models[m].star_fails;
    return fails;
}

static void add_advice(const kan_verification *v, kan_text *text) {
    if (star_fails(v) && !v->keeps_suppressed)
        kan_text_print(text, "\n  Rows of * alone count as a group. If they are suppressed rows "
                             "that were kept, use --keep-suppressed.\n");
    else if (star_fails(v))
        kan_text_print(
            text,
            "\n  Rows with * in every quasi-identifier, but not in every other "
            "column, count as a group: what they show is known about whoever was suppressed.\n");
    if (others_fail(v))
        kan_text_print(text, "\n  Do not publish this table: generalize it further or leave these "
                             "rows out, as kanon anonymize does.\n");
    if (v->beside_fault)
        kan_text_print(
            text,
            "\n  Do not publish this file: write the table again, without anything beside it.\n");
    if (v->n_column_faults > 0)
        kan_text_print(text, "\n  Do not publish this table before its columns are those that "
                             "somebody decided to release.\n");
    if (v->new_numbers)
        kan_text_print(text,
                       "\n  Column '%s' shows numbers that no original row has. If they are means "
                       "of groups, use --summary mean.\n",
                       v->new_numbers);
    else if (v->has_original && !v->cover.holds)
        kan_text_print(text, "\n  Values were changed, or rows were added or repeated. Were the "
                             "hierarchies given that the release was made with?\n");
    if (v->people_state == KAN_PEOPLE_TORN)
        kan_text_print(text,
                       "\n  Rows are missing of %s in the release. If rows were "
                       "left out by themselves, use --suppress-by row.\n",
                       v->of_households ? "households that are" : "people who are");
    if (v->means_state == KAN_MEANS_WRONG)
        kan_text_print(text,
                       "\n  %s are compared in the order in which the rows stand. If "
                       "these were shuffled, they cannot be checked.\n",
                       v->means_fault->middle == KAN_MIDDLE_MODE ? "Modes" : "Means");
}

/* What the promise leaves open: how sure somebody can be who looks for one person. Where people were
 * counted, `risk` can count them only in a release that says whose its rows are. */
static void add_next(const kan_verification *v, kan_text *text) {
    const kan_options *options = &v->job->options;
    const char *input = v->release.input.is_file ? kan_options_find(options, "input") : NULL;
    const char *original = kan_options_find(options, "original");
    size_t n = 0;
    if (!input || strcmp(input, "-") == 0 || (original && strcmp(original, "-") == 0) ||
        (v->person && !v->person_is_released))
        return;
    kan_next_step next = kan_next_begin(text, "next: kanon risk");
    kan_next_word(&next, input);
    kan_next_flag(&next, "original", original);
    for (size_t i = 0; i < v->n_quasi; i++)
        kan_next_name(&next, "qi", v->release.input.columns[v->quasi_columns[i]], true, &n);
    n = 0;
    for (size_t i = 0; i < v->roles.named[KAN_ROLE_SENSITIVE].n; i++)
        kan_next_name(&next, "sensitive", v->roles.named[KAN_ROLE_SENSITIVE].columns[i].name.bytes,
                      false, &n);
    kan_next_flag(&next, v->of_households ? "household" : "person", v->person);
    kan_next_reading(&next, options);
    kan_next_flag(&next, "output-encoding", kan_options_find(options, "output-encoding"));
    if (kan_options_switch(options, "guard-formulas"))
        kan_text_print(text, " --guard-formulas");
    kan_next_flag(&next, "k", kan_options_find(options, "k"));
    (void)kan_next_end(&next);
}

static void tell_beside(const kan_verification *v, kan_text *text) {
    kan_text_print(text, "the file has more than the table, which was not checked: ");
    (void)kan_verify_add_beside(&v->beside, text);
    kan_text_print(text, "; write the table again without it");
}

/* What was asked for and could not be checked is not verified, however much else holds. */
static kan_status judge(const kan_verification *v, kan_result *out) {
    const bool models_hold =
        v->models_hold || v->is_uncounted || (v->matches_are_open && v->groups_hold);
    const bool nothing_is_wrong =
        models_hold && !people_are_torn(v) && (!v->has_original || v->cover.holds) &&
        v->means_state != KAN_MEANS_WRONG && v->n_column_faults == 0 && !leaves_too_many_out(v) &&
        (!v->recoding || v->shape.holds) && !v->beside_fault && kan_verify_ledger_holds(v);
    const bool is_partial =
        v->means_state == KAN_MEANS_SHUFFLED || v->means_state == KAN_MEANS_INCOMPLETE;
    /* a job file says how the release was made, not that this be checked */
    const bool has_open_rule = v->recoding && v->shape.unchecked && !v->job->origins;
    out->holds = nothing_is_wrong && !is_partial && !has_open_rule && !v->people_are_open &&
                 !v->blank_is_unjudged && !v->matches_are_open && v->beside.n == 0 &&
                 !v->ledger.why_open;
    if (nothing_is_wrong && v->people_are_open)
        kan_text_print(&out->unchecked,
                       "--%s: %s, so that nobody can tell whose the rows of the release are; a "
                       "release with --keep-suppressed, in the order of the original, can be "
                       "verified",
                       v->of_households ? "household" : "person", v->why_open);
    else if (nothing_is_wrong && v->matches_are_open)
        kan_text_print(&out->unchecked,
                       "--missing-matches: %s; kanon anonymize, which knows it, counts that before "
                       "the release gets its name, and of a release in the order of the original "
                       "more is known",
                       v->why_uncounted
                           ? v->why_uncounted
                           : "whether everybody has k matches depends on which of the original's "
                             "rows were left out, and that is not known");
    else if (nothing_is_wrong && v->blank_is_unjudged)
        kan_text_print(&out->unchecked,
                       "its rows show nothing but *: whether they were suppressed, which would be "
                       "too many, or are a group, and whether that keeps what is promised besides "
                       "its size, cannot be told; without --keep-suppressed they are a group");
    else if (nothing_is_wrong && v->ledger.why_open)
        kan_text_print(&out->unchecked,
                       "--ledger: %s, so that nobody can tell who is in which group; kanon "
                       "anonymize, which knows it, counts that before the release gets its name",
                       v->ledger.why_open);
    else if (nothing_is_wrong && v->beside.n > 0)
        tell_beside(v, &out->unchecked);
    else if (nothing_is_wrong && has_open_rule)
        kan_text_print(&out->unchecked, "of --recoding %s it was not checked %s%s", v->recoding,
                       v->shape.unchecked,
                       v->has_original ? "; that takes rows in the order of the original"
                                       : "; that takes the original: --original FILE");
    else if (nothing_is_wrong && is_partial)
        kan_text_print(&out->unchecked,
                       "its %s were not checked: %s; without --original the promise alone is "
                       "recounted",
                       kan_middle_plural(v->means[0].middle),
                       v->means_state == KAN_MEANS_SHUFFLED
                           ? "the rows stand in another order, so it is not known which of them "
                             "make up a group"
                           : "that takes an original row for every released one, and all of them");
    return kan_text_status(&out->unchecked);
}

static void add_verdict(const kan_verification *v, const kan_result *out, kan_text *text) {
    if (out->unchecked.size > 0)
        kan_text_print(text, "%s: NOT VERIFIED: %s\n\n", v->release.input.name,
                       out->unchecked.bytes);
    else
        kan_text_print(text, "%s: %s\n\n", v->release.input.name,
                       out->holds ? "verified" : "NOT what was promised");
}

kan_status kan_verification_write(const kan_verification *v, kan_result *out) {
    kan_text *text = &out->summary;
    char rows[32], memory[32];
    const size_t n_means = v->n_groups_by - v->n_quasi; /* beside the quasi-identifiers */
    KAN_TRY(judge(v, out));
    KAN_TRY(kan_result_set_json(out, result_json(v, out)));
    add_verdict(v, out, text);
    kan_text_print(text, "  rows        %s, by %zu quasi-identifier%s",
                   kan_count_text(n_all_rows(v), rows), v->n_quasi, plural(v->n_quasi));
    if (n_means > 0)
        kan_text_print(text, " and %zu column%s of means", n_means, plural(n_means));
    kan_text_print(text, "\n");
    add_promise(v, text);
    add_groups(v, text);
    add_treated(v, text);
    add_original(v, text);
    add_people(v, text);
    add_left_out(v, text);
    kan_verify_add_ledger(v, text);
    for (kan_middle middle = KAN_MIDDLE_MEAN; middle <= KAN_MIDDLE_MODE; middle++)
        add_middles(v, middle, text);
    add_recoding(v, text);
    add_columns(v, text);
    add_beside(v, text);
    add_advice(v, text);
    kan_text_print(text, "\n  %.3f s: read %.0f ms, verify %.0f; %s of memory\n",
                   (kan_now_ms() - v->start_ms) / 1e3, v->read_ms, v->verify_ms,
                   kan_bytes_text(kan_run_peak_memory(v->run), memory));
    if (out->holds)
        add_next(v, text);
    return kan_text_status(text);
}
