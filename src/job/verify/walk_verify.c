/* `verify`: recounts a release that anyone made, and compares it with the original when that is
 * given.
 *
 * Order: open both tables, find the columns in them, read only what is needed, bind the hierarchies
 * to the original, recount, cover, tell. Without the original the quasi-identifiers and the
 * sensitive columns alone are read; with it every column that both tables have. A table that does
 * not keep its promise is a result, not an error: out->holds says no. Groups and what they tell of
 * sensitive values are recounted in verify_models.c, whose rows they are is found in
 * verify_people.c, what they stand for in verify_weights.c and verify_calibrate.c, means of groups in verify_means.c, a
 * certificate in certificate_verify.c; values that only a database tells apart in verify_lookalikes.c; what the
 * file has beside the table in verify_beside.c; earlier releases in verify_ledger.c; columns and rows that are missing or too many are found in
 * verify_columns.c.
 */
#include <string.h>
#include <strings.h>

#include "io/guard.h"
#include "job/settings/settings.h"
#include "job/verify/certificate_file.h"
#include "job/verify/verify_inside.h"

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status make_room(kan_verification *v, size_t n) {
    kan_run *run = v->run;
    KAN_TRY(kan_alloc_zero(run, n, sizeof *v->quasi_columns, &v->quasi_columns));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *v->quasi_originals, &v->quasi_originals));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *v->specs, &v->specs));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *v->mean_of, &v->mean_of));
    KAN_TRY(kan_alloc_zero(run, 2 * n, sizeof *v->groups_by, &v->groups_by));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *v->covers, &v->covers));
    KAN_TRY(kan_alloc_zero(run, n, sizeof *v->means, &v->means));
    return kan_alloc_zero(run, n, sizeof *v->hierarchies, &v->hierarchies);
}

/* Both tables have the quasi-identifiers and the sensitive columns. Whose a row is says the original, or
 * else the release (verify_people.c); what else must be there is told in verify_columns.c. */
static kan_status find_roles(kan_verification *v) {
    const unsigned counted = KAN_ROLE_SET(KAN_ROLE_QUASI) | KAN_ROLE_SET(KAN_ROLE_SENSITIVE);
    const unsigned person = KAN_ROLE_SET(KAN_ROLE_PERSON) | KAN_ROLE_SET(KAN_ROLE_HOUSEHOLD);
    const unsigned read = counted | person | KAN_ROLE_SET(KAN_ROLE_WEIGHT);
    const kan_role_table tables[] = {
        [KAN_VERIFY_RELEASE] = {&v->release.input, counted, read, true},
        [KAN_VERIFY_ORIGINAL] = {&v->original.input, counted | person, read, true}};
    const kan_role_list *quasi = &v->roles.named[KAN_ROLE_QUASI];
    kan_problems_begin(v->run);
    KAN_TRY(kan_roles_read(v->job, "verify", tables, v->has_original ? 2 : 1, &v->roles));
    KAN_TRY(kan_problems_end(v->run));
    v->n_quasi = quasi->n;
    KAN_TRY(make_room(v, quasi->n));
    for (size_t i = 0; i < quasi->n; i++) {
        v->quasi_columns[i] = quasi->columns[i].at[KAN_VERIFY_RELEASE];
        v->quasi_originals[i] = v->has_original ? quasi->columns[i].at[KAN_VERIFY_ORIGINAL] : 0;
        v->specs[i] = quasi->columns[i].hierarchy;
    }
    return KAN_OK;
}

/* Every other column that both tables have: released as it was, so it must be equal. A column that
 * may show means is among them if the original has it, too, until its values are known. */
static kan_status find_others(kan_verification *v) {
    const size_t n = v->release.input.n_columns;
    KAN_TRY(kan_alloc_zero(v->run, n, sizeof *v->others, &v->others));
    for (size_t i = 0; v->has_original && i < n; i++) {
        const char *name = v->release.input.columns[i];
        kan_cover_pair *pair = &v->others[v->n_others];
        if (v->roles.of[KAN_VERIFY_RELEASE][i] == KAN_ROLE_QUASI)
            continue;
        if (!kan_input_find(&v->original.input, kan_slice_of(name), &pair->original))
            continue; /* verify_columns.c tells */
        if (kan_verify_is_calibrated(v, i))
            continue; /* verify_calibrate.c tells */
        pair->released = i;
        v->original.input.encode[pair->original] = true;
        v->n_others++;
    }
    for (size_t i = 0; i < v->n_others; i++)
        v->release.input.encode[v->others[i].released] = true;
    return KAN_OK;
}

/* Columns that nobody is counted by need no text that counts: those that a database cannot give one,
 * such as a list, are held against the original all the same. */
static void mark_compared(const kan_verification *v) {
    for (size_t i = 0; i < v->n_others; i++) {
        const kan_cover_pair *pair = &v->others[i];
        const kan_role role = v->roles.of[KAN_VERIFY_RELEASE][pair->released];
        const bool is_compared = role != KAN_ROLE_SENSITIVE && role != KAN_ROLE_PERSON &&
                                 role != KAN_ROLE_WEIGHT && role != KAN_ROLE_HOUSEHOLD;
        v->release.input.compared[pair->released] = is_compared;
        v->original.input.compared[pair->original] = is_compared;
    }
}

/* ---- tables --------------------------------------------------------------------------------- */

static kan_status open_tables(kan_verification *v) {
    const bool is_guarded = kan_options_switch(&v->job->options, "guard-formulas");
    KAN_TRY(kan_input_open_release(v->job, "input", is_guarded, &v->release.input));
    KAN_TRY(kan_input_open(v->job, "original", false, &v->original.input));
    v->has_original = v->original.input.name != NULL;
    return kan_input_find_treatments(v->has_original ? &v->original.input : &v->release.input,
                                     !v->has_original);
}

kan_status kan_verify_read_side(kan_verify_side *side, const kan_input *original) {
    KAN_TRY(original ? kan_input_read_release(&side->input, original)
                     : kan_input_read(&side->input));
    side->table = side->input.table;
    return KAN_OK;
}

void kan_verify_close_side(kan_verify_side *side) {
    kan_shown_rows_destroy(&side->shown);
    kan_input_close(&side->input);
}

kan_status kan_verify_set_blank_aside(kan_run *run, kan_verify_side *s) {
    KAN_TRY(kan_shown_rows_find(run, s->table, s->input.source, &s->shown));
    s->is_blank = s->shown.n_blank == kan_table_total(s->table);
    if (s->shown.table)
        s->table = s->shown.table;
    return KAN_OK;
}

/* The same rule as for `anonymize`, save that nothing is built where nothing was said. */
static kan_status bind_hierarchies(kan_verification *v) {
    const char *dir = kan_options_find(&v->job->options, "hierarchies");
    kan_problems_begin(v->run);
    for (size_t i = 0; i < v->n_covers; i++) {
        kan_cover_pair *pair = &v->covers[i];
        const kan_column *column = &v->original.table->columns[pair->original];
        size_t before = kan_problems_count(v->run), at = 0;
        bool lacks_file = !dir;
        while (v->quasi_columns[at] != pair->released)
            at++;
        if (dir && !v->specs[at])
            KAN_TRY(kan_input_lacks_hierarchy(v->job, column, &lacks_file));
        if (!v->specs[at] && lacks_file) {
            char quoted[256];
            kan_note(v->run,
                     "column %s has no hierarchy: a released value must be the original one, an "
                     "interval or a list that holds it, or *; --hierarchies DIR or --qi NAME=FILE "
                     "gives it one",
                     kan_quote(kan_slice_of(column->name), quoted));
            continue;
        }
        kan_status status = kan_input_hierarchy(v->job, column, v->specs[at], &v->hierarchies[at]);
        if (status != KAN_OK && kan_problems_count(v->run) == before)
            return status;
        pair->hierarchy = v->hierarchies[at];
        if (status == KAN_OK)
            KAN_TRY(kan_hierarchy_fit_names(v->hierarchies[at],
                                            &v->release.table->columns[pair->released]));
    }
    return kan_problems_end(v->run);
}

/* Whether a column shows an apostrophe before a formula. */
static bool looks_guarded(const kan_column *column) {
    bool is_open = false;
    for (uint32_t code = 0; column->is_encoded && code < column->dictionary.n; code++) {
        const kan_slice value = kan_dictionary_value(&column->dictionary, code);
        if (kan_guard_undo(value, &is_open).size != value.size)
            return true;
    }
    return false;
}

/* A guarded release would be told to show what nobody had. */
static void note_guards(const kan_verification *v) {
    const kan_table *release = v->release.table;
    if (!v->has_original || kan_options_switch(&v->job->options, "guard-formulas"))
        return;
    for (size_t i = 0; i < release->n_columns; i++)
        if (looks_guarded(&release->columns[i])) {
            kan_note(v->run,
                     "column '%s' has apostrophes before formulas; if the release was written with "
                     "--guard-formulas, use the flag here, too",
                     release->columns[i].name);
            return;
        }
}

/* Whether rows that were counted where they are stay counted. Not where it matters which row is
 * which: people have several, each row has a weight, and means are of the rows of a group. */
static bool takes_counts(const kan_verification *v) {
    return !kan_options_find(&v->job->options, "person") &&
           !kan_options_find(&v->job->options, "household") &&
           !kan_options_find(&v->job->options, "sampling-weight") &&
           !kan_options_find(&v->job->options, "strata") &&
           !kan_options_find(&v->job->options, "ledger") && v->summary == KAN_SUMMARY_RANGE &&
           !v->shows_modes;
}

/* Who sees a release knows nothing of rows that are not there: the original must not say what its sensitive columns
 * are by these. */
static kan_status check_decided(const kan_verification *v) {
    const kan_input *original = &v->original.input;
    bool *matters;
    if (!v->has_original || kan_table_total(v->release.table) == kan_table_total(v->original.table))
        return KAN_OK;
    KAN_TRY(kan_alloc_zero(v->run, original->n_columns, 1, &matters));
    for (size_t i = 0; i < original->n_columns; i++) {
        kan_said_column unused;
        matters[i] = kan_role_names(&v->job->options, KAN_ROLE_SENSITIVE,
                                    kan_slice_of(original->columns[i]), &unused);
    }
    const kan_status status = kan_input_check_decided(original, matters);
    kan_free(v->run, matters);
    return status;
}

/* Of whom the release is a sample: of no fewer than there are rows. */
static kan_status check_population_size(const kan_verification *v) {
    const char *size = kan_options_find(&v->job->options, "population-size");
    const uint64_t n = kan_options_count(&v->job->options, "population-size", 0);
    if (!size || (n >= kan_table_total(v->release.table) &&
                  (!v->has_original || n >= kan_table_total(v->original.table))))
        return KAN_OK;
    return kan_fail(v->run, KAN_BAD_INPUT,
                    "--population-size %s is less than the rows of the table; it counts everybody "
                    "from whom the table was drawn",
                    size);
}

static kan_status read_tables(kan_verification *v) {
    KAN_TRY(open_tables(v));
    if (takes_counts(v)) {
        kan_input_take_counts(&v->release.input);
        kan_input_take_counts(&v->original.input);
    }
    KAN_TRY(find_roles(v));
    KAN_TRY(kan_verify_open_population(v));
    KAN_TRY(kan_verify_find_means(v));
    KAN_TRY(kan_verify_find_calibration(v));
    KAN_TRY(kan_verify_find_strata(v));
    KAN_TRY(find_others(v));
    KAN_TRY(kan_verify_check_sensitive(v));
    KAN_TRY(kan_verify_find_person(v));
    KAN_TRY(kan_verify_find_weight(v));
    KAN_TRY(kan_verify_open_ledger(v));
    mark_compared(v);
    KAN_TRY(kan_verify_check_columns(v));
    KAN_TRY(kan_verify_read_side(&v->original, NULL));
    KAN_TRY(kan_verify_read_side(&v->release, &v->original.input));
    KAN_TRY(check_decided(v));
    KAN_TRY(check_population_size(v));
    KAN_TRY(kan_verify_check_apart(v));
    if (v->keeps_suppressed)
        KAN_TRY(kan_verify_set_blank_aside(v->run, &v->release));
    KAN_TRY(kan_verify_check_person(v));
    note_guards(v);
    KAN_TRY(kan_verify_check_treated(v));
    KAN_TRY(kan_verify_choose_means(v));
    KAN_TRY(kan_verify_check_mean_columns(v));
    KAN_TRY(kan_verify_read_population(v));
    return bind_hierarchies(v);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* Where all that is released are means, rows have nothing to be told apart by. */
static void cover_by_number(kan_verification *v) {
    const uint64_t n = kan_table_total(v->release.table);
    const uint64_t n_original = kan_table_total(v->original.table);
    v->cover.holds = v->cover.in_order = n <= n_original;
    v->cover.n_unmatched = n > n_original ? n - n_original : 0;
    v->cover.first_unmatched = n > n_original ? n_original + 1 : 0;
    v->cover.n_not_released = n < n_original ? n_original - n : 0;
}

/* Rows of nothing but * stand for whatever original rows are left. */
static void cover_blank(kan_verification *v) {
    const uint64_t n_blank = v->release.shown.n_blank, n_left = v->cover.n_not_released;
    if (v->cover.first_unmatched > 0)
        v->cover.first_unmatched =
            kan_shown_row(&v->release.shown, v->cover.first_unmatched - 1) + 1;
    v->cover.n_not_released -= n_blank < n_left ? n_blank : n_left;
    if (n_blank <= n_left)
        return;
    v->cover.n_unmatched += n_blank - n_left;
    if (v->cover.holds)
        v->cover.first_unmatched = v->release.shown.first_blank + 1;
    v->cover.holds = v->cover.in_order = false;
}

bool kan_verify_comes_unordered(const kan_verification *v) {
    return kan_input_engine(&v->original.input) && !kan_input_engine(&v->release.input);
}

static kan_status check(kan_verification *v) {
    kan_verify_settle_calibration(v);
    const kan_cover_question question = {.release = v->release.table,
                                         .original = v->original.table,
                                         .quasi = v->covers,
                                         .n_quasi = v->n_covers,
                                         .others = v->others,
                                         .n_others = v->n_others,
                                         .reads_intervals = true};
    kan_report_progress(v->run, "verify", 0, 0);
    KAN_TRY(kan_verify_find_people(v, &question));
    KAN_TRY(kan_verify_find_weights(v, &question));
    KAN_TRY(kan_verify_check_models(v, &question));
    KAN_TRY(kan_verify_check_ledger(v, &question));
    KAN_TRY(kan_verify_check_calibration(v, &question));
    if (!v->has_original)
        return kan_verify_check_recoding(v, &question);
    if (v->n_covers + v->n_others > 0 && !v->release.is_blank)
        KAN_TRY(kan_verify_cover(v->run, &question, &v->cover));
    else
        cover_by_number(v);
    if (kan_verify_comes_unordered(v))
        v->cover.in_order = false;
    KAN_TRY(kan_verify_check_recoding(v, &question));
    if (!v->release.is_blank)
        cover_blank(v);
    return kan_verify_check_means(v);
}

static void add_place(kan_verification *v, uint64_t row) {
    size_t at = v->n_places++;
    for (; at > 0 && v->rows[at - 1] > row; at--)
        v->rows[at] = v->rows[at - 1];
    v->rows[at] = row;
}

/* A line helps where the number of a row does not: values may hold line breaks. Where lines are not
 * known, rows are told. */
static kan_status find_lines(kan_verification *v) {
    for (size_t i = 0; !v->groups_hold && i < v->recount.n_examples; i++)
        add_place(v, v->recount.examples[i]);
    for (size_t m = 0; m < v->models.n_models; m++)
        for (size_t i = 0; i < v->models.models[m].n_examples; i++)
            add_place(v, v->models.models[m].examples[i]);
    for (size_t i = 0; i < v->models.columns.n_examples; i++)
        add_place(v, v->models.columns.examples[i]);
    for (size_t i = 0; i < v->models.fits.n_examples; i++) /* then there are no models */
        add_place(v, v->models.fits.examples[i]);
    if (v->cover.first_unmatched > 0)
        add_place(v, v->cover.first_unmatched - 1);
    if (v->n_places == 0 || !v->release.input.source)
        return KAN_OK;
    return kan_source_find_lines(v->release.input.source, v->rows, v->n_places, v->lines,
                                 &v->has_lines);
}

/* ---- the walk ------------------------------------------------------------------------------- */

static void verification_destroy(kan_verification *v) {
    for (size_t i = 0; v->hierarchies && i < v->n_quasi; i++)
        kan_hierarchy_destroy(v->hierarchies[i]);
    kan_free(v->run, v->hierarchies);
    kan_free(v->run, v->quasi_columns);
    kan_free(v->run, v->quasi_originals);
    kan_free(v->run, v->specs);
    kan_free(v->run, v->mean_of);
    kan_free(v->run, v->groups_by);
    kan_free(v->run, v->covers);
    kan_free(v->run, v->means);
    kan_free(v->run, v->others);
    kan_free(v->run, v->person_of);
    kan_free(v->run, v->original_of);
    kan_free(v->run, v->weight_row);
    kan_free(v->run, v->strata);
    kan_text_destroy(&v->column_faults);
    kan_beside_destroy(&v->beside);
    kan_ledger_close(v->ledger.file);
    kan_verify_close_population(v);
    kan_verify_close_side(&v->release);
    kan_verify_close_side(&v->original);
}

static kan_status walk(kan_verification *v, kan_result *out) {
    KAN_TRY(read_tables(v));
    v->read_ms = kan_now_ms() - v->start_ms;
    KAN_TRY(check(v));
    KAN_TRY(kan_verify_check_beside(v));
    kan_verify_count_suppressed(v);
    KAN_TRY(find_lines(v));
    v->verify_ms = kan_now_ms() - v->start_ms - v->read_ms;
    return kan_verification_write(v, out);
}

kan_status kan_walk_verify(kan_job *job, kan_result *out) {
    const kan_options *options = &job->options;
    kan_verification v = {.job = job,
                          .run = job->run,
                          .summary = kan_choice_summary(options),
                          .shows_modes = kan_choice_modes(options),
                          .keeps_suppressed = kan_options_switch(options, "keep-suppressed"),
                          .recoding = kan_options_find(options, "recoding"),
                          .start_ms = kan_now_ms()};
    if (kan_options_find(options, "certificate"))
        return kan_certificate_verify(job, out);
    if (kan_options_find(options, "most-nodes"))
        return kan_fail(job->run, KAN_BAD_INPUT,
                        "--most-nodes is about a certificate, and none was named; write "
                        "--certificate FILE, or leave it out");
    if (!kan_registry_wants_any(KAN_FAMILY_PRIVACY, options) &&
        !kan_options_find(options, "subsets")) /* which may say its k itself */
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "verify counts groups: give the number of rows that must look alike with --k N");
    if (kan_options_find(options, "where") && !kan_job_names_table(job, "original"))
        return kan_fail(
            job->run, KAN_BAD_INPUT,
            "verify counts all rows of a release: --where chooses those of the table that it was "
            "made of, and none was named; write --original TABLE, or leave --where out");
    kan_text_init(&v.column_faults, job->run);
    kan_beside_init(&v.beside, job->run);
    kan_status status = walk(&v, out);
    verification_destroy(&v);
    return status;
}
