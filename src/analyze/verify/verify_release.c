/* The last check before a release gets its name or is handed out: the bytes that were written are
 * read again, as a stranger would read them, and everything that was promised about them is counted
 * again. Costs one more reading of the file. */
#include "analyze/verify/verify_release.h"

#include <inttypes.h>
#include <stdio.h>

#include "analyze/cover/cover.h"
#include "analyze/verify/blank.h"
#include "analyze/verify/recount_fits.h"
#include "analyze/verify/treated.h"
#include "io/source.h"

typedef struct {
    kan_run *run;
    const kan_release_check *check;
    const kan_table *table; /* without blank rows, if there are others */
    kan_table *owned;       /* it was read from the file */
    kan_shown_rows shown;
    bool is_blank;         /* every row is */
    size_t *columns;       /* of the table: the quasi-identifiers, then the means */
    kan_cover_pair *pairs; /* quasi-identifiers, then the others */
    kan_mean_pair *means;
    /* Where people are counted, of the rows of the table: who has each; then, and where weights are
     * summed, the order of the original that says so. */
    uint32_t *person_of, *household_of;
    uint64_t *row_of;
} verification;

static kan_status fail(const verification *v, const char *what) {
    return kan_fail(v->run, KAN_FAILED,
                    "internal error: the release failed its verification: %s; nothing was written; "
                    "please report this",
                    what);
}

/* What makes a file unreadable for users is here a fault of the code that wrote it. */
static kan_status no_bad_input(const verification *v, kan_status status) {
    char what[1024];
    if (status != KAN_BAD_INPUT)
        return status;
    snprintf(what, sizeof what, "it cannot be read again (%s)", kan_run_error(v->run));
    return fail(v, what);
}

/* ---- reading -------------------------------------------------------------------------------- */

static const char *column_name(const verification *v, const kan_source *source, size_t column) {
    return source ? kan_source_column_name(source, column) : v->check->table->columns[column].name;
}

static kan_status check_header(const verification *v, const kan_source *source) {
    const kan_release_check *check = v->check;
    char what[1024];
    const size_t n = source ? kan_source_n_columns(source) : check->table->n_columns;
    if (n != check->n_columns) {
        snprintf(what, sizeof what, "it has %zu %s instead of %zu", n,
                 kan_plural(n, "column", "columns"), check->n_columns);
        return fail(v, what);
    }
    for (size_t i = 0; i < check->n_columns; i++)
        if (strcmp(column_name(v, source, i), check->columns[i]) != 0) {
            snprintf(what, sizeof what, "its column %zu is not '%s'", i + 1, check->columns[i]);
            return fail(v, what);
        }
    return KAN_OK;
}

static bool is_among(const char *name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_mean(const kan_release_check *check, const char *name) {
    for (size_t i = 0; i < check->n_means; i++)
        if (strcmp(check->means[i].released, name) == 0)
            return true;
    return false;
}

static bool is_sensitive(const kan_release_check *check, const char *name) {
    for (size_t i = 0; check->claim && i < check->claim->n_columns; i++)
        if (strcmp(check->claim->columns[i].name, name) == 0)
            return true;
    return false;
}

/* Suppressed rows that were kept must show nothing, and then tell nothing. */
static kan_status set_blank_aside(verification *v, kan_source *source) {
    char what[128];
    KAN_TRY(kan_shown_rows_find(v->run, v->table, source, &v->shown));
    if (v->shown.n_blank < v->check->n_blank) {
        snprintf(what, sizeof what,
                 "%" PRIu64 " rows show nothing but *, and %" PRIu64 " are suppressed",
                 v->shown.n_blank, v->check->n_blank);
        return fail(v, what);
    }
    v->is_blank = v->shown.n_blank == kan_table_total(v->table);
    if (v->shown.table) {
        kan_table_destroy(v->owned); /* the others were copied */
        v->owned = NULL;
        v->table = v->shown.table;
    }
    return KAN_OK;
}

static kan_status check_rows(const verification *v) {
    char what[128];
    const uint64_t n_rows = kan_table_total(v->table);
    if (n_rows == v->check->n_rows)
        return KAN_OK;
    snprintf(what, sizeof what, "it has %" PRIu64 " %s instead of %" PRIu64, n_rows,
             kan_plural(n_rows, "row", "rows"), v->check->n_rows);
    return fail(v, what);
}

static kan_status take_table(verification *v) {
    v->table = v->check->table;
    KAN_TRY(check_header(v, NULL));
    KAN_TRY(check_rows(v));
    return v->check->n_blank > 0 ? set_blank_aside(v, NULL) : KAN_OK;
}

static kan_status read_release(verification *v) {
    const kan_release_check *check = v->check;
    kan_source *source = NULL;
    bool *encode = NULL;
    kan_status status;
    if (!check->original) /* what gets a name is compared, whoever forgets to say with what */
        return fail(v, "there is nothing to compare it with");
    KAN_TRY_DONE(no_bad_input(
        v, kan_source_open(v->run, check->kind, check->path, &check->options, &source)));
    KAN_TRY_DONE(check_header(v, source));
    KAN_TRY_DONE(kan_alloc(v->run, check->n_columns, sizeof *encode, &encode));
    for (size_t i = 0; i < check->n_columns; i++)
        encode[i] = is_among(check->columns[i], check->quasi, check->n_quasi) ||
                    is_among(check->columns[i], check->others, check->n_others) ||
                    is_mean(check, check->columns[i]) || is_sensitive(check, check->columns[i]) ||
                    (check->calibrated && strcmp(check->columns[i], check->calibrated->name) == 0);
    KAN_TRY_DONE(no_bad_input(v, kan_source_read(source, encode, check->as_is, &v->owned)));
    v->table = v->owned;
    KAN_TRY_DONE(check_rows(v));
    if (check->n_blank > 0)
        status = set_blank_aside(v, source);
done:
    kan_free(v->run, encode);
    kan_source_close(source);
    return status;
}

/* ---- checking ------------------------------------------------------------------------------- */

static kan_status fail_missing(const verification *v, const char *name) {
    char what[1024];
    snprintf(what, sizeof what, "column '%s' is missing", name);
    return fail(v, what);
}

static kan_status find_means(verification *v) {
    const kan_release_check *check = v->check;
    KAN_TRY(kan_alloc_zero(v->run, check->n_means, sizeof *v->means, &v->means));
    for (size_t i = 0; i < check->n_means; i++) {
        kan_mean_pair *pair = &v->means[i];
        pair->middle = check->means[i].middle;
        if (!kan_table_find(v->table, check->means[i].released, &pair->released) ||
            !kan_table_find(check->original, check->means[i].original, &pair->original))
            return fail_missing(v, check->means[i].released);
        v->columns[check->n_quasi + i] = pair->released;
    }
    return KAN_OK;
}

static kan_status find_pairs(verification *v) {
    const kan_release_check *check = v->check;
    size_t n = check->n_quasi + check->n_others;
    KAN_TRY(kan_alloc(v->run, check->n_quasi + check->n_means, sizeof *v->columns, &v->columns));
    KAN_TRY(kan_alloc_zero(v->run, n, sizeof *v->pairs, &v->pairs));
    for (size_t i = 0; i < n; i++) {
        bool is_quasi = i < check->n_quasi;
        const char *name = is_quasi ? check->quasi[i] : check->others[i - check->n_quasi];
        kan_cover_pair *pair = &v->pairs[i];
        if (!kan_table_find(v->table, name, &pair->released) ||
            (check->original && !kan_table_find(check->original, name, &pair->original)))
            return fail_missing(v, name);
        if (is_quasi) {
            pair->hierarchy = check->hierarchies ? check->hierarchies[i] : NULL;
            v->columns[i] = pair->released;
        }
    }
    return find_means(v);
}

kan_status kan_verify_shown_suppressed(kan_run *run, const kan_claim *claim,
                                       const kan_models_recount *recount) {
    const kan_recount *groups = &recount->groups;
    const char *fails = NULL;
    if (groups->star_is_small)
        fails = "k-anonymity";
    for (size_t m = 0; m < recount->n_models && !fails; m++)
        if (recount->models[m].star_fails)
            fails = claim->models[m].kind->name;
    if (!fails)
        return KAN_OK;
    return kan_fail(run, KAN_UNSATISFIED,
                    "--show-suppressed: the group of the %" PRIu64
                    " rows with * in every quasi-identifier does not keep %s, and what they show "
                    "would be known about whoever was suppressed; leave the flag out, so that such "
                    "rows show nothing but *, or --keep-suppressed, so that there are none",
                    groups->n_star_rows, fails);
}

static kan_status check_groups(const verification *v, const kan_recount *recount) {
    char what[256];
    if (kan_recount_holds(recount))
        return KAN_OK;
    snprintf(what, sizeof what,
             "%" PRIu64 " of its %" PRIu64 " %s, with %" PRIu64 " %s, %s fewer than %" PRIu64 " %s",
             recount->n_small_groups, recount->n_groups,
             kan_plural(recount->n_groups, "group", "groups"), recount->n_small_rows,
             recount->counts_people ? "people" : kan_plural(recount->n_small_rows, "row", "rows"),
             kan_plural(recount->n_small_groups, "has", "have"), recount->k,
             recount->counts_people ? "people" : "rows");
    return fail(v, what);
}

static kan_status check_histories(const verification *v, const kan_models_recount *recount) {
    char what[256];
    if (kan_histories_hold(recount))
        return KAN_OK;
    snprintf(what, sizeof what,
             "what all rows of a person show is shown by fewer than %" PRIu64 " people for %" PRIu64
             " of them",
             recount->groups.k, recount->histories.n_rare_people);
    return fail(v, what);
}

static kan_status check_models(const verification *v, const kan_models_recount *recount) {
    const kan_claim *claim = v->check->claim;
    char what[256];
    for (size_t m = 0; m < recount->n_models; m++) {
        const kan_model_recount *model = &recount->models[m];
        if (model->holds)
            continue;
        const bool has_people = recount->groups.counts_people;
        const uint64_t n =
            recount->has_histories ? recount->histories.n_histories : recount->groups.n_groups;
        snprintf(what, sizeof what, "%" PRIu64 " of its %" PRIu64 " %s, with %" PRIu64 " %s, %s %s",
                 model->n_failing_groups, n,
                 claim->models[m].kind->uses_households ? "groups and households"
                 : recount->has_histories               ? kan_plural(n, "history", "histories")
                                                        : kan_plural(n, "group", "groups"),
                 model->n_failing_rows,
                 has_people ? kan_plural(model->n_failing_rows, "person", "people")
                            : kan_plural(model->n_failing_rows, "row", "rows"),
                 kan_plural(model->n_failing_groups, "fails", "fail"), claim->models[m].kind->name);
        return fail(v, what);
    }
    return KAN_OK;
}

/* The columns by which rows match, of both tables; behind them that of the strata. */
static kan_status find_matching(const verification *v, kan_table *release, size_t *released,
                                size_t *originals) {
    const kan_release_check *check = v->check;
    for (size_t i = 0; i < check->n_quasi; i++) {
        if (!kan_table_find(check->people, check->quasi[i], &originals[i]))
            return fail_missing(v, check->quasi[i]);
        released[i] = v->columns[i];
    }
    if (!check->claim->strata)
        return KAN_OK;
    if (!check->strata || !v->row_of ||
        !kan_table_find(check->people, check->claim->strata, &originals[check->n_quasi]))
        return fail(v, "it was not said in which stratum its rows are");
    released[check->n_quasi] = release->n_columns;
    return kan_stratified_make(v->run, v->table, check->strata, v->row_of, release);
}

static kan_status count_fits(const verification *v, kan_table *release, size_t *columns,
                             kan_fits_recount *out) {
    const kan_release_check *check = v->check;
    const bool has_strata = check->claim->strata != NULL;
    const size_t n = check->n_quasi + has_strata;
    /* what was set aside with suppressed rows, and is none of them */
    const uint64_t n_blank = check->n_blank > 0 ? v->shown.n_blank - check->n_blank : 0;
    KAN_TRY(find_matching(v, release, columns, columns + n));
    const kan_fits_question question = {.release = release,
                                        .original = check->people,
                                        .released = columns,
                                        .originals = columns + n,
                                        .n_columns = n,
                                        .has_strata = has_strata,
                                        .is_left_out = check->has_left,
                                        .k = check->claim->fits,
                                        .least_blank = n_blank,
                                        .most_blank = n_blank,
                                        .sizes = check->fits_sizes};
    return kan_verify_fits_sets(v->run, &question, &check->claim->subsets, out);
}

/* Where rows are promised to match. */
static kan_status check_fits(const verification *v, kan_fits_recount *out) {
    const kan_release_check *check = v->check;
    char what[256];
    size_t *columns;
    kan_table release;
    if (!check->claim || check->claim->fits == 0 || v->is_blank)
        return KAN_OK;
    if (!check->people)
        return fail(v, "it was not said whom its rows may match");
    release = *v->table; /* its columns are borrowed */
    KAN_TRY(kan_alloc(v->run, 2 * (check->n_quasi + 1), sizeof *columns, &columns));
    const kan_status status = count_fits(v, &release, columns, out);
    kan_stratified_destroy(v->run, v->table, &release);
    kan_free(v->run, columns);
    if (status != KAN_OK || out->holds)
        return status;
    snprintf(what, sizeof what,
             "%" PRIu64 " of its rows match fewer than %" PRIu64 " people, and %" PRIu64
             " people match fewer rows",
             out->n_small_rows, out->k, out->n_small_people);
    return fail(v, what);
}

static kan_status check_by_column(const verification *v, const kan_columns_recount *found) {
    char what[256];
    if (!found->is_counted || found->holds)
        return KAN_OK;
    snprintf(what, sizeof what,
             "%" PRIu64 " of the values that its columns show are shown by fewer than %" PRIu64
             " rows",
             found->n_small_values, found->k);
    return fail(v, what);
}

/* Groups, and what they tell of sensitive values. */
static kan_status recount(const verification *v, kan_release_report *out) {
    const kan_release_check *check = v->check;
    const kan_claim *claim = check->claim;
    const size_t n = check->n_quasi + check->n_means;
    if (v->is_blank) {
        const kan_claim k_alone = {.k = check->k};
        kan_models_recount_nothing(claim ? claim : &k_alone, &out->models);
        return KAN_OK;
    }
    if (!claim) {
        KAN_TRY(kan_verify_recount(v->run, v->table, v->columns, n, check->k, &out->recount));
        return check_groups(v, &out->recount);
    }
    const kan_column **sensitive;
    KAN_TRY(kan_alloc(v->run, claim->n_columns, sizeof *sensitive, &sensitive));
    kan_status status = KAN_OK;
    for (size_t i = 0; i < claim->n_columns && status == KAN_OK; i++) {
        sensitive[i] = kan_table_find(v->table, claim->columns[i].name, NULL);
        if (!sensitive[i])
            status = fail_missing(v, claim->columns[i].name);
    }
    const kan_models_question question = {.release = v->table,
                                          .quasi = v->columns,
                                          .n_quasi = n,
                                          .claim = claim,
                                          .sensitive = sensitive,
                                          .person_of = v->person_of,
                                          .weight = check->weight,
                                          .weight_row = v->row_of,
                                          .household_of = v->household_of};
    if (status == KAN_OK)
        status = kan_verify_recount_models(v->run, &question, &out->models);
    if (status == KAN_OK && check->follower)
        status = check->follower->follow(check->follower->context, &question, v->row_of);
    kan_free(v->run, sensitive);
    KAN_TRY(status);
    out->recount = out->models.groups;
    if (check->shows_suppressed)
        KAN_TRY(kan_verify_shown_suppressed(v->run, claim, &out->models));
    KAN_TRY(check_groups(v, &out->recount));
    KAN_TRY(check_fits(v, &out->models.fits));
    KAN_TRY(check_by_column(v, &out->models.columns));
    KAN_TRY(check_histories(v, &out->models));
    return check_models(v, &out->models);
}

static kan_status check_cover(const verification *v, kan_cover *out) {
    const kan_release_check *check = v->check;
    char what[1024];
    kan_cover_question question = {.release = v->table,
                                   .original = check->original,
                                   .quasi = v->pairs,
                                   .n_quasi = check->n_quasi,
                                   .others = v->pairs + check->n_quasi,
                                   .n_others = check->n_others,
                                   .reads_intervals = check->reads_intervals,
                                   .needs_order =
                                       (!check->is_shuffled && !v->table->counts) || check->order,
                                   .order = check->order,
                                   .is_left_out = check->is_left_out};
    if (v->row_of) {
        question.order = v->row_of;
        question.needs_order = question.in_place = true;
    }
    if (check->n_quasi + check->n_others == 0 || v->is_blank || !check->original) {
        out->holds = out->in_order =
            true; /* all there is are means, or *, or nothing is compared */
        return KAN_OK;
    }
    KAN_TRY(check->told && check->table && v->table == check->table
                ? kan_verify_cover_told(v->run, &question, check->told, check->told_rows, out)
                : kan_verify_cover(v->run, &question, out));
    bool has_column = out->fault_column != NULL;
    const char *column = has_column ? out->fault_column : "";
    out->fault_column = NULL; /* it belongs to the table that is read here */
    if (out->holds)
        return KAN_OK;
    snprintf(what, sizeof what, "its row %" PRIu64 " stands for no row of the input%s%s%s",
             out->first_unmatched, has_column ? " (column '" : "", column, has_column ? "')" : "");
    return fail(v, what);
}

static kan_status check_treated(const verification *v) {
    const kan_release_check *check = v->check;
    const char *fault;
    char what[1024];
    if (check->n_treatments == 0)
        return KAN_OK;
    KAN_TRY(kan_verify_treated(v->run, check->raw, check->treated, check->treatments,
                               check->n_treatments, &fault));
    if (!fault)
        return KAN_OK;
    snprintf(what, sizeof what, "its column '%s' was not treated as the settings say", fault);
    return fail(v, what);
}

static kan_status check_means(const verification *v) {
    const kan_release_check *check = v->check;
    const kan_mean_pair *fault;
    char what[1024];
    kan_means_question question = {.release = v->table,
                                   .original = check->original,
                                   .columns = v->columns,
                                   .n_columns = check->n_quasi + check->n_means,
                                   .is_by_column = check->claim && check->claim->by_column > 0,
                                   .means = v->means,
                                   .n_means = check->n_means,
                                   .order = check->order};
    if (check->n_means == 0 || v->is_blank)
        return KAN_OK;
    KAN_TRY(kan_verify_means(v->run, &question, &fault));
    if (!fault)
        return KAN_OK;
    snprintf(what, sizeof what, "its column '%s' does not show the %s of its groups",
             v->table->columns[fault->released].name, kan_middle_plural(fault->middle));
    return fail(v, what);
}

static kan_status check_calibrated(const verification *v) {
    const kan_calibrated_claim *claim = v->check->calibrated;
    kan_calibrated_found found;
    char what[1024];
    if (!claim || v->is_blank)
        return KAN_OK;
    const kan_column *released = kan_table_find(v->table, claim->name, NULL);
    if (!released)
        return fail_missing(v, claim->name);
    KAN_TRY(kan_verify_calibrated(v->run, claim, released, v->row_of, &found));
    if (found.holds)
        return KAN_OK;
    snprintf(what, sizeof what,
             "%" PRIu64 " weights of its column '%s' are not the calibrated ones, %" PRIu64
             " strata have no row, and %" PRIu64 " lost fewer than %" PRIu64,
             found.n_wrong, claim->name, found.n_empty, found.n_small, claim->k);
    return fail(v, what);
}

/* Which row of the original each row of the table is, and whose. That the rows which are said to have left are in the right places
 * is not believed: the cover compares each row with the one that it is said to be. */
static kan_status find_rows(verification *v) {
    const kan_release_check *check = v->check;
    const kan_column *known = check->person       ? check->person
                              : check->household  ? check->household
                              : check->weight     ? check->weight
                              : check->calibrated ? check->calibrated->weight
                                                  : check->strata;
    const uint64_t n = v->table->n_rows;
    uint64_t at = 0;
    if (!(known || check->follower) || v->is_blank)
        return KAN_OK;
    const uint64_t n_known = known ? known->n_rows : check->original->n_rows;
    if (n > n_known)
        return fail(v, "it has more rows than the table had");
    if (check->person)
        KAN_TRY(kan_alloc(v->run, (size_t)n, sizeof *v->person_of, &v->person_of));
    if (check->household)
        KAN_TRY(kan_alloc(v->run, (size_t)n, sizeof *v->household_of, &v->household_of));
    KAN_TRY(kan_alloc(v->run, (size_t)n_known, sizeof *v->row_of, &v->row_of));
    for (uint64_t row = 0; row < n; row++) {
        v->row_of[row] = check->row_of[kan_shown_row(&v->shown, row)];
        if (check->person)
            v->person_of[row] = kan_column_code(check->person, v->row_of[row]);
        if (check->household)
            v->household_of[row] = kan_column_code(check->household, v->row_of[row]);
    }
    /* Those that show nothing, and those that are not there, are behind the others. */
    for (uint64_t i = 0, end = n; i < n_known; i++) {
        if (at < n && kan_shown_row(&v->shown, at) == i)
            at++;
        else
            v->row_of[end++] = check->row_of[i];
    }
    return KAN_OK;
}

/* Whether each household has all of its rows in the release, or none. */
static kan_status check_households(const verification *v) {
    const kan_column *household = v->check->household;
    uint64_t *n_rows;
    bool is_whole = true;
    if (!household || v->is_blank)
        return KAN_OK;
    const size_t n = household->dictionary.n;
    KAN_TRY(kan_alloc_zero(v->run, 2 * n, sizeof *n_rows, &n_rows));
    for (uint64_t row = 0; row < household->n_rows; row++)
        n_rows[kan_column_code(household, row)]++;
    for (uint64_t row = 0; row < v->table->n_rows; row++)
        n_rows[n + v->household_of[row]]++;
    for (size_t h = 0; h < n; h++)
        is_whole &= n_rows[n + h] == 0 || n_rows[n + h] == n_rows[h];
    kan_free(v->run, n_rows);
    return is_whole ? KAN_OK : fail(v, "it has some rows of a household, and not all");
}

kan_status kan_verify_release(kan_run *run, const kan_release_check *check,
                              kan_release_report *out) {
    verification v = {.run = run, .check = check};
    kan_release_report report = {0};
    kan_status status;
    KAN_TRY_DONE(check->table ? take_table(&v) : read_release(&v));
    KAN_TRY_DONE(find_pairs(&v));
    KAN_TRY_DONE(find_rows(&v));
    KAN_TRY_DONE(check_households(&v));
    KAN_TRY_DONE(recount(&v, &report));
    KAN_TRY_DONE(check_cover(&v, &report.cover));
    KAN_TRY_DONE(check_means(&v));
    KAN_TRY_DONE(check_treated(&v));
    KAN_TRY_DONE(check_calibrated(&v));
    *out = report;
done:
    kan_free(run, v.columns);
    kan_free(run, v.pairs);
    kan_free(run, v.means);
    kan_free(run, v.person_of);
    kan_free(run, v.household_of);
    kan_free(run, v.row_of);
    kan_table_destroy(v.owned);
    kan_shown_rows_destroy(&v.shown);
    return status;
}
