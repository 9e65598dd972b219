/* What a release that `verify` looks at tells of sensitive values.
 *
 * The columns of --sensitive are in both tables, released as they were, so with the original at hand they
 * are among the columns that must be equal. What is promised comes from the
 * settings and from the original, or else from the release itself, * rows included: distances
 * are to the shares of values there. Rows are grouped by the quasi-identifiers and their means. */
#include "job/verify/verify_inside.h"

/* ---- columns -------------------------------------------------------------------------------- */

kan_status kan_verify_check_sensitive(const kan_verification *v) {
    const kan_role_list *sensitive = &v->roles.named[KAN_ROLE_SENSITIVE];
    char quoted[256];
    kan_problems_begin(v->run);
    for (size_t i = 0; i < sensitive->n && v->summary == KAN_SUMMARY_BOTH; i++)
        if (kan_verify_is_mean_column(v, sensitive->columns[i].at[KAN_VERIFY_RELEASE]))
            kan_problem_add(v->run,
                            "--sensitive: column %s shows means, as --summary both says; if it "
                            "does not, use --summary range",
                            kan_quote(sensitive->columns[i].name, quoted));
    return kan_problems_end(v->run);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* Leaving rows out moves the shares that distances are measured to. */
static void note_distance(const kan_verification *v) {
    for (size_t m = 0; m < v->claim.n_models && !v->has_original; m++)
        if (v->claim.models[m].kind->uses_whole)
            kan_note(v->run,
                     "%s is measured to the values of the release itself; --original FILE measures "
                     "it to those of the table before",
                     v->claim.models[m].kind->name);
}

static kan_status recount(kan_verification *v) {
    const kan_claim *claim = &v->claim;
    const kan_column **sensitive;
    kan_status status = KAN_OK;
    KAN_TRY(kan_alloc(v->run, claim->n_columns, sizeof *sensitive, &sensitive));
    for (size_t i = 0; i < claim->n_columns && status == KAN_OK; i++) {
        sensitive[i] = kan_table_find(v->release.table, claim->columns[i].name, NULL);
        if (!sensitive[i])
            status = kan_fail(v->run, KAN_FAILED, "%s: no column '%s'", v->release.input.name,
                              claim->columns[i].name);
    }
    const kan_models_question question = {.release = v->release.table,
                                          .quasi = v->groups_by,
                                          .n_quasi = v->n_groups_by,
                                          .claim = claim,
                                          .sensitive = sensitive,
                                          .person_of = v->claim.person ? v->person_of : NULL,
                                          .household_of = v->of_households ? v->person_of : NULL,
                                          .weight = v->weight,
                                          .weight_row = v->weight_row};
    if (status == KAN_OK)
        status = kan_verify_recount_models(v->run, &question, &v->models);
    kan_free(v->run, sensitive);
    return status;
}

/* Examples are rows of the file, those of nothing but * included. */
static void name_file_rows(kan_verification *v) {
    const kan_shown_rows *shown = &v->release.shown;
    for (size_t i = 0; i < v->models.groups.n_examples; i++)
        v->models.groups.examples[i] = kan_shown_row(shown, v->models.groups.examples[i]);
    for (size_t i = 0; i < v->models.columns.n_examples; i++)
        v->models.columns.examples[i] = kan_shown_row(shown, v->models.columns.examples[i]);
    for (size_t m = 0; m < v->models.n_models; m++)
        for (size_t i = 0; i < v->models.models[m].n_examples; i++)
            v->models.models[m].examples[i] = kan_shown_row(shown, v->models.models[m].examples[i]);
}

kan_status kan_verify_check_models(kan_verification *v, const kan_cover_question *question) {
    const kan_table *whole = v->has_original ? v->original.table : v->release.table;
    KAN_TRY(kan_recounted_claim(v->job, NULL, whole, !v->has_original, &v->claim));
    v->claim.population = v->has_people ? &v->claimed : NULL;
    note_distance(v);
    if (v->release.is_blank) {
        kan_models_recount_nothing(&v->claim, &v->models);
        v->groups_hold = v->models_hold = true;
    } else if (v->people_are_open &&
               kan_verify_needs_whose(v)) { /* nobody can be counted; verify_result.c says so */
        kan_models_recount_nothing(&v->claim, &v->models);
        v->models.groups.n_rows = v->release.table->n_rows;
        for (size_t m = 0; m < v->models.n_models; m++)
            v->models.models[m].holds = false;
        v->groups_hold = v->models_hold = false;
        v->is_uncounted = true;
    } else {
        KAN_TRY(recount(v));
        KAN_TRY(kan_verify_check_matches(v, question));
        kan_claim_note_spellings(v->job, &v->claim);
        KAN_TRY(kan_verify_check_population(v));
        name_file_rows(v);
        v->groups_hold = kan_recount_holds(&v->models.groups);
        v->models_hold = kan_models_recount_holds(&v->models) && !v->matches_are_open;
    }
    v->recount = v->models.groups;
    return KAN_OK;
}
