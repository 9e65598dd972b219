/* What somebody finds in a release who has the table that it was made from, for an internal report: as a
 * prosecutor, as a neighbour, and as an insider (job/found).
 *
 * It is measured on the values that the release shows, made once more from what was decided, as they are when a
 * release stays in memory; the recount has held the file against the same. */
#include "analyze/verify/verify.h"
#include "job/found/found.h"
#include "job/release/application.h"

enum {
    USUAL_K = 5,
    MOST_PAIRS = 1 << 22, /* of people and groups that are looked at, before people are drawn */
    MOST_LOOKS = 1 << 25  /* rows, times sets of columns that a profile knows */
};

typedef struct {
    const kan_application *app;
    kan_run *run;
    kan_table *release;
    kan_shown_rows shown;
    const kan_table *table; /* of these, those that show something */
    uint64_t *row_of;       /* by row of `table`: its row of the original */
    kan_known_column *columns;
    size_t n_columns, n_quasi;
    size_t *quasi, *sensitive, *original_sensitive;
    size_t n_sensitive;
    kan_found_truth truth;
} attack;

/* Why nothing is attacked; NULL: it is. */
static const char *why_not(const kan_application *app) {
    const kan_setup *setup = app->setup;
    if (kan_output_is_engine(setup->job) || app->release.counts)
        return "The rows stay in a database, where nobody looks for them one by one.";
    if (setup->person)
        return "People may have several rows, and what an attack means for them is not worked out; "
               "kanon risk --person measures it.";
    /* the release once more, and what matching it needs; nobody loses a release for that */
    const double row = 8.0 * (double)app->release.n_columns + 64;
    if (2 * row * (double)app->release.n_rows > (double)kan_run_memory_left(setup->run))
        return "Memory does not suffice to hold the table against the release; kanon attack does "
               "so "
               "by itself.";
    return NULL;
}

/* ---- the tables ---------------------------------------------------------------------------------- */

static kan_status make_release(attack *a) {
    KAN_TRY(kan_application_table(a->app, &a->release));
    KAN_TRY(kan_shown_rows_find(a->run, a->release, NULL, &a->shown));
    a->table = a->shown.table ? a->shown.table : a->release;
    return KAN_OK;
}

static kan_status follow_rows(attack *a) {
    uint64_t *all;
    KAN_TRY(kan_application_rows(a->app, a->release->n_rows, &all));
    kan_status status = kan_alloc(a->run, (size_t)a->table->n_rows, sizeof *a->row_of, &a->row_of);
    for (uint64_t row = 0; status == KAN_OK && row < a->table->n_rows; row++)
        a->row_of[row] = all[kan_shown_row(&a->shown, row)];
    kan_free(a->run, all);
    return status;
}

/* ---- columns -------------------------------------------------------------------------------------- */

static const kan_hierarchy *hierarchy_of(const kan_application *app, const char *name) {
    for (size_t i = 0; i < app->n_quasi; i++)
        if (strcmp(app->quasi[i], name) == 0)
            return app->hierarchies[i];
    return NULL;
}

static bool find(const attack *a, size_t original, size_t *released) {
    const kan_column *column = &a->app->setup->table->columns[original];
    if (!column->is_encoded)
        return false;
    for (size_t i = 0; i < a->table->n_columns; i++)
        if (strcmp(a->table->columns[i].name, column->name) == 0) {
            *released = i;
            return true;
        }
    return false;
}

static kan_status find_columns(attack *a) {
    const kan_setup *setup = a->app->setup;
    kan_arena *arena = &setup->job->arena;
    const size_t n = setup->table->n_columns;
    size_t released;
    KAN_TRY(kan_arena_alloc(arena, setup->n_quasi + n, sizeof *a->columns, &a->columns));
    KAN_TRY(kan_arena_alloc(arena, setup->n_quasi, sizeof *a->quasi, &a->quasi));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *a->sensitive, &a->sensitive));
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *a->original_sensitive, &a->original_sensitive));
    for (unsigned q = 0; q < setup->n_quasi; q++)
        if (find(a, setup->quasi[q], &released)) {
            a->quasi[a->n_quasi++] = released;
            a->columns[a->n_columns++] = (kan_known_column){
                released, setup->quasi[q],
                hierarchy_of(a->app, setup->table->columns[setup->quasi[q]].name), false};
        }
    for (size_t i = 0; i < n; i++)
        if (setup->roles[i] == KAN_ROLE_SENSITIVE && find(a, i, &released)) {
            a->original_sensitive[a->n_sensitive] = i;
            a->sensitive[a->n_sensitive++] = released;
            a->columns[a->n_columns++] = (kan_known_column){released, i, NULL, true};
        }
    a->truth = (kan_found_truth){
        .original = setup->table, .sensitive = a->original_sensitive, .row_of = a->row_of};
    return KAN_OK;
}

/* ---- attacking ------------------------------------------------------------------------------------- */

static kan_status add_found(const kan_found *found, kan_run *run, json_t *list) {
    kan_found_words words = {.said = json_array()};
    json_t *object = kan_found_json(found);
    kan_found_tell(found, &words);
    object = kan_json_set(object, "says", words.said);
    if (words.failed || !object || json_array_append_new(list, object) != 0) {
        json_decref(words.failed ? object : NULL);
        return kan_fail(run, KAN_FAILED, "out of memory while the report was made");
    }
    return KAN_OK;
}

static kan_status attack_as(const attack *a, const char *name, json_t *list) {
    const kan_setup *setup = a->app->setup;
    const kan_found_profile *profile = kan_found_profile_named(name);
    const uint64_t n_sets = kan_found_sets(profile, a->n_quasi);
    /* nor what would be the same as that of the prosecutor */
    if (n_sets > KAN_FOUND_MOST_SETS || n_sets * a->table->n_rows > MOST_LOOKS ||
        (profile->knows_others && a->n_sensitive < 2) || (profile->n_columns > 0 && n_sets == 1))
        return KAN_OK;
    const kan_found_question question = {.run = a->run,
                                         .arena = &setup->job->arena,
                                         .release = a->table,
                                         .people = setup->table,
                                         .shown = &a->shown,
                                         .people_name = setup->input.name,
                                         .columns = a->columns,
                                         .n_columns =
                                             profile->knows_others ? a->n_columns : a->n_quasi,
                                         .n_quasi = a->n_quasi,
                                         .quasi = a->quasi,
                                         .n_all_quasi = a->n_quasi,
                                         .sensitive = a->sensitive,
                                         .n_sensitive = a->n_sensitive,
                                         .profile = profile,
                                         .k = kan_options_count(&setup->job->options, "k", USUAL_K),
                                         .seed = 1,
                                         .most_pairs = MOST_PAIRS,
                                         .truth = &a->truth};
    kan_found *found;
    KAN_TRY(kan_found_list(&question, &found));
    const kan_status status = add_found(found, a->run, list);
    kan_found_destroy(found);
    return status;
}

static kan_status attack_all(attack *a, json_t *list) {
    static const char *const names[] = {"prosecutor", "neighbour", "insider"};
    KAN_TRY(make_release(a));
    if (a->table->n_rows == 0 || a->shown.n_blank == a->release->n_rows)
        return KAN_OK;
    KAN_TRY(follow_rows(a));
    KAN_TRY(find_columns(a));
    kan_report_progress(a->run, "attack", 0, 0);
    for (size_t i = 0; a->n_quasi > 0 && i < sizeof names / sizeof *names; i++)
        KAN_TRY(attack_as(a, names[i], list));
    return KAN_OK;
}

kan_status kan_release_attack(const kan_application *app, json_t **out) {
    attack a = {.app = app, .run = app->setup->run, .shown = {.run = app->setup->run}};
    const char *why = why_not(app);
    json_t *list = json_array();
    kan_status status = list ? KAN_OK : kan_fail(a.run, KAN_FAILED, "out of memory");
    if (status == KAN_OK && !why)
        status = attack_all(&a, list);
    kan_free(a.run, a.row_of);
    kan_shown_rows_destroy(&a.shown);
    kan_table_destroy(a.release);
    if (status == KAN_OK) {
        *out =
            json_pack("{s:o, s:o}", "why_not", why ? json_string(why) : json_null(), "found", list);
        return *out ? KAN_OK : kan_fail(a.run, KAN_FAILED, "out of memory");
    }
    json_decref(list);
    return status;
}
