/* The tables of `risk`: opened, their columns found, and only those read that are looked at. */
#include "job/risk/risk_inside.h"
#include "job/settings/settings.h"

/* What names each table. */
static const char *const settings[] = {[KAN_RISK_TABLE] = "input",
                                       [KAN_RISK_ORIGINAL] = "original",
                                       [KAN_RISK_POPULATION] = "population"};

/* ---- opening -------------------------------------------------------------------------------- */

static bool needs_rows(const kan_risk_walk *w) {
    const char *name;
    for (size_t i = 0; (name = kan_setting_with(KAN_TRAIT_NEEDS_ROWS, "risk", i)) != NULL; i++)
        if (kan_options_find(&w->job->options, name))
            return true;
    return false;
}

static kan_status open_side(kan_risk_walk *w, kan_risk_table table) {
    const bool is_guarded =
        table == KAN_RISK_TABLE && kan_options_switch(&w->job->options, "guard-formulas");
    kan_input *input = &w->sides[table].input;
    /* Beside its original it is a release; alone it may be raw. */
    const bool is_release =
        table == KAN_RISK_TABLE && (kan_job_names_table(w->job, "original") ||
                                    kan_options_find(&w->job->options, "output-encoding"));
    KAN_TRY(is_release ? kan_input_open_release(w->job, settings[table], is_guarded, input)
                       : kan_input_open(w->job, settings[table], is_guarded, input));
    w->has[table] = input->name != NULL;
    /* Rows that were counted where they are stay so, unless each of them is asked for. */
    if (!kan_options_find(&w->job->options, "person") &&
        !kan_options_find(&w->job->options, "rows") && !needs_rows(w))
        kan_input_take_counts(input);
    return KAN_OK;
}

/* ---- columns -------------------------------------------------------------------------------- */

static kan_status make_room(kan_risk_walk *w) {
    const size_t n = w->n_quasi;
    for (int table = 0; table < KAN_RISK_TABLES; table++)
        KAN_TRY(kan_alloc_zero(w->run, n, sizeof *w->quasi[table], &w->quasi[table]));
    KAN_TRY(kan_alloc_zero(w->run, n, sizeof *w->specs, &w->specs));
    KAN_TRY(kan_alloc_zero(w->run, 2 * n, sizeof *w->groups_by, &w->groups_by));
    return kan_alloc_zero(w->run, n, sizeof *w->hierarchies, &w->hierarchies);
}

static kan_status read_roles(kan_risk_walk *w) {
    const unsigned quasi = KAN_ROLE_SET(KAN_ROLE_QUASI);
    const unsigned weight = KAN_ROLE_SET(KAN_ROLE_WEIGHT);
    const unsigned counted =
        quasi | KAN_ROLE_SET(KAN_ROLE_SENSITIVE) | weight | KAN_ROLE_SET(KAN_ROLE_HOUSEHOLD);
    const unsigned missing = kan_risk_needs_weights(w->job) ? 0 : weight; /* may be */
    const unsigned person = KAN_ROLE_SET(KAN_ROLE_PERSON);
    kan_role_table tables[KAN_RISK_TABLES];
    size_t n = 0;
    for (int table = 0; table < KAN_RISK_TABLES; table++) {
        const unsigned looks_at = table == KAN_RISK_POPULATION ? quasi : counted;
        w->role_table[table] = n;
        if (w->has[table])
            tables[n++] = (kan_role_table){.input = &w->sides[table].input,
                                           .needs = looks_at & ~missing,
                                           .reads = looks_at | person};
    }
    kan_problems_begin(w->run);
    KAN_TRY(kan_roles_read(w->job, "risk", tables, n, &w->roles));
    return kan_problems_end(w->run);
}

static kan_status find_columns(kan_risk_walk *w) {
    KAN_TRY(read_roles(w));
    const kan_role_list *quasi = &w->roles.named[KAN_ROLE_QUASI];
    w->n_quasi = quasi->n;
    w->n_sensitive = w->roles.named[KAN_ROLE_SENSITIVE].n;
    KAN_TRY(make_room(w));
    for (size_t i = 0; i < quasi->n; i++) {
        w->specs[i] = quasi->columns[i].hierarchy;
        for (int table = 0; table < KAN_RISK_TABLES; table++)
            if (w->has[table])
                w->quasi[table][i] = quasi->columns[i].at[w->role_table[table]];
        w->groups_by[i] = w->quasi[KAN_RISK_TABLE][i];
    }
    return KAN_OK;
}

/* A release may show the means of its groups beside their ranges: they tell rows apart, too. A
 * column that the original has, too, is not one of them. */
static kan_status find_means(kan_risk_walk *w) {
    kan_input *side = &w->sides[KAN_RISK_TABLE].input;
    const kan_input *original =
        w->has[KAN_RISK_ORIGINAL] ? &w->sides[KAN_RISK_ORIGINAL].input : NULL;
    for (size_t i = 0; i < w->n_quasi; i++) {
        size_t column;
        bool is_there;
        KAN_TRY(kan_mean_column_find(side, original, side->columns[w->groups_by[i]], &column,
                                     &is_there));
        if (!is_there || side->encode[column])
            continue;
        kan_note(w->run,
                 "column '%s' is taken for the means of groups, and tells rows apart like a "
                 "quasi-identifier; rename it if it is something else",
                 side->columns[column]);
        side->encode[column] = true;
        w->groups_by[w->n_quasi + w->n_means++] = column;
    }
    return KAN_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

static kan_status check_rows(const kan_risk_walk *w) {
    for (int table = 0; table < KAN_RISK_TABLES; table++)
        if (w->has[table] && w->sides[table].table->n_rows == 0)
            return kan_fail(w->run, KAN_BAD_INPUT, "%s has no rows, so there is nobody at risk",
                            w->sides[table].input.name);
    return KAN_OK;
}

/* Of every table that says it: whose each row is. */
static kan_status check_whose(const kan_risk_walk *w) {
    const kan_role_column *household = kan_roles_only(&w->roles, KAN_ROLE_HOUSEHOLD);
    for (int table = 0; table < KAN_RISK_TABLES; table++) {
        const kan_verify_side *side = &w->sides[table];
        if (!w->has[table] || side->is_blank)
            continue;
        if (w->person)
            KAN_TRY(kan_input_check_person(
                &side->input, kan_table_find(side->table, w->person, NULL), side->shown.row_of));
        if (household && table != KAN_RISK_POPULATION)
            KAN_TRY(kan_input_check_household(
                &side->input, kan_table_find(side->table, household->name.bytes, NULL),
                "measure its risk", side->shown.row_of));
    }
    return KAN_OK;
}

/* Labels of the release are read against the population, by the hierarchies that were named. */
static kan_status bind_hierarchies(kan_risk_walk *w) {
    const kan_verify_labels labels = {.job = w->job,
                                      .name = w->sides[KAN_RISK_POPULATION].input.name,
                                      .raw = w->sides[KAN_RISK_POPULATION].table,
                                      .release = w->sides[KAN_RISK_TABLE].table,
                                      .columns = w->quasi[KAN_RISK_POPULATION],
                                      .shown = w->quasi[KAN_RISK_TABLE],
                                      .specs = w->specs,
                                      .n = w->n_quasi};
    return kan_verify_bind_labels(&labels, w->hierarchies);
}

/* What was made of columns of the table becomes of those of the population, too. */
static kan_status treat_population(kan_risk_walk *w) {
    kan_verify_side *people = &w->sides[KAN_RISK_POPULATION];
    if (!w->has[KAN_RISK_POPULATION])
        return KAN_OK;
    KAN_TRY(kan_input_treat_like(&people->input, "population", &w->sides[KAN_RISK_TABLE].input,
                                 w->quasi[KAN_RISK_TABLE], w->quasi[KAN_RISK_POPULATION],
                                 w->n_quasi));
    people->table = people->input.table;
    return KAN_OK;
}

kan_status kan_risk_read(kan_risk_walk *w) {
    for (int table = 0; table < KAN_RISK_TABLES; table++)
        KAN_TRY(open_side(w, (kan_risk_table)table));
    KAN_TRY(kan_input_find_treatments(&w->sides[KAN_RISK_TABLE].input, true));
    KAN_TRY(find_columns(w));
    KAN_TRY(find_means(w));
    KAN_TRY(kan_risk_find_person(w));
    KAN_TRY(kan_risk_near_begin(w));
    kan_verify_side *sides = w->sides;
    KAN_TRY(kan_verify_read_side(&sides[KAN_RISK_ORIGINAL], NULL));
    KAN_TRY(kan_verify_read_side(&sides[KAN_RISK_TABLE], &sides[KAN_RISK_ORIGINAL].input));
    KAN_TRY(kan_verify_tell_apart(&sides[KAN_RISK_TABLE].input, sides[KAN_RISK_TABLE].input.encode,
                                  false));
    const int like = w->has[KAN_RISK_ORIGINAL] ? KAN_RISK_ORIGINAL : KAN_RISK_TABLE;
    KAN_TRY(kan_verify_read_side(&sides[KAN_RISK_POPULATION], &sides[like].input));
    KAN_TRY(treat_population(w));
    KAN_TRY(check_rows(w));
    KAN_TRY(kan_verify_set_blank_aside(w->run, &w->sides[KAN_RISK_TABLE]));
    KAN_TRY(check_whose(w));
    if (w->sides[KAN_RISK_TABLE].is_blank)
        w->n_sensitive = 0; /* no row shows any */
    return w->has[KAN_RISK_POPULATION] ? bind_hierarchies(w) : KAN_OK;
}

void kan_risk_close(kan_risk_walk *w) {
    kan_run *run = w->run;
    for (size_t i = 0; w->hierarchies && i < w->n_quasi; i++)
        kan_hierarchy_destroy(w->hierarchies[i]);
    kan_free(run, w->hierarchies);
    kan_free(run, w->specs);
    kan_free(run, w->groups_by);
    for (int table = 0; table < KAN_RISK_TABLES; table++) {
        kan_free(run, w->quasi[table]);
        kan_verify_close_side(&w->sides[table]);
    }
}
