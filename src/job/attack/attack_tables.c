/* The tables of `attack`: opened, their columns found, and only those read that are looked at. */
#include "job/attack/attack_inside.h"
#include "job/settings/settings.h"

/* ---- opening ---------------------------------------------------------------------------------- */

static kan_status open_tables(kan_attack_walk *w) {
    const bool is_guarded = kan_options_switch(&w->job->options, "guard-formulas");
    kan_verify_side *sides = w->sides;
    KAN_TRY(kan_input_open_release(w->job, "input", is_guarded, &sides[KAN_ATTACK_RELEASE].input));
    KAN_TRY(kan_input_open(w->job, "register", false, &sides[KAN_ATTACK_REGISTER].input));
    KAN_TRY(kan_input_open(w->job, "original", false, &sides[KAN_ATTACK_ORIGINAL].input));
    for (int table = 0; table < KAN_ATTACK_TABLES; table++)
        w->has[table] = sides[table].input.name != NULL;
    const bool has_original = w->has[KAN_ATTACK_ORIGINAL];
    KAN_TRY(kan_input_find_treatments(
        &w->sides[has_original ? KAN_ATTACK_ORIGINAL : KAN_ATTACK_RELEASE].input, !has_original));
    for (size_t i = 0; i < kan_attack_count(); i++)
        if (w->states[i] && kan_attack_at(i)->open)
            KAN_TRY(kan_attack_at(i)->open(w, w->states[i]));
    return KAN_OK;
}

/* ---- columns ---------------------------------------------------------------------------------- */

static kan_status make_room(kan_attack_walk *w) {
    for (int table = 0; table < KAN_ATTACK_TABLES; table++) {
        KAN_TRY(kan_alloc(w->run, w->n_quasi, sizeof *w->quasi[table], &w->quasi[table]));
        KAN_TRY(kan_alloc_zero(w->run, w->n_quasi, sizeof *w->hierarchies[table],
                               &w->hierarchies[table]));
    }
    KAN_TRY(kan_alloc(w->run, w->n_sensitive, sizeof *w->sensitive, &w->sensitive));
    return kan_alloc_zero(w->run, w->n_quasi, sizeof *w->specs, &w->specs);
}

/* Others need not know of people what the release shows. */
static kan_status read_roles(kan_attack_walk *w) {
    const unsigned shown = KAN_ROLE_SET(KAN_ROLE_QUASI) | KAN_ROLE_SET(KAN_ROLE_SENSITIVE);
    const unsigned id = KAN_ROLE_SET(KAN_ROLE_ID);
    kan_role_table tables[KAN_ATTACK_TABLES];
    size_t n = 0;
    for (int table = 0; table < KAN_ATTACK_TABLES; table++) {
        w->role_table[table] = n;
        if (w->has[table])
            tables[n++] = (kan_role_table){.input = &w->sides[table].input,
                                           .needs = table == KAN_ATTACK_REGISTER ? 0 : shown,
                                           .reads = shown | id};
    }
    kan_problems_begin(w->run);
    KAN_TRY(kan_roles_read(w->job, "attack", tables, n, &w->roles));
    return kan_problems_end(w->run);
}

static kan_status find_columns(kan_attack_walk *w) {
    KAN_TRY(read_roles(w));
    const kan_role_list *quasi = &w->roles.named[KAN_ROLE_QUASI];
    const kan_role_list *sensitive = &w->roles.named[KAN_ROLE_SENSITIVE];
    w->n_quasi = quasi->n;
    w->n_sensitive = sensitive->n;
    KAN_TRY(make_room(w));
    for (size_t i = 0; i < w->n_quasi; i++) {
        w->specs[i] = quasi->columns[i].hierarchy;
        for (int table = 0; table < KAN_ATTACK_TABLES; table++)
            w->quasi[table][i] =
                w->has[table] ? quasi->columns[i].at[w->role_table[table]] : KAN_NO_COLUMN;
    }
    for (size_t i = 0; i < w->n_sensitive; i++)
        w->sensitive[i] = sensitive->columns[i].at[0];
    return KAN_OK;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static kan_status read_tables(kan_attack_walk *w) {
    kan_verify_side *release = &w->sides[KAN_ATTACK_RELEASE];
    kan_verify_side *original = &w->sides[KAN_ATTACK_ORIGINAL];
    kan_verify_side *people = &w->sides[KAN_ATTACK_REGISTER];
    const int like = w->has[KAN_ATTACK_ORIGINAL] ? KAN_ATTACK_ORIGINAL : KAN_ATTACK_RELEASE;
    KAN_TRY(kan_verify_read_side(original, NULL));
    KAN_TRY(kan_verify_read_side(release, &original->input));
    KAN_TRY(kan_verify_tell_apart(&release->input, release->input.encode, false));
    KAN_TRY(kan_verify_read_side(people, &w->sides[like].input));
    for (int table = 0; table < KAN_ATTACK_TABLES; table++)
        if (w->has[table] && w->sides[table].table->n_rows == 0)
            return kan_fail(w->run, KAN_BAD_INPUT, "%s has no rows, so there is nobody to be found",
                            w->sides[table].input.name);
    KAN_TRY(kan_verify_set_blank_aside(w->run, release));
    return release->is_blank && w->has[KAN_ATTACK_REGISTER]
               ? kan_fail(w->run, KAN_BAD_INPUT,
                          "%s shows nothing but * in every row, so there is nothing to attack",
                          release->input.name)
               : KAN_OK;
}

/* The quasi-identifiers that a table has: their places, one after the other. */
typedef struct {
    size_t n;
    size_t *numbers, *columns, *shown;
    const char **specs;
    kan_hierarchy **hierarchies;
} found;

static kan_status find_quasi(const kan_attack_walk *w, kan_attack_table table, found *out) {
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *out->numbers, &out->numbers));
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *out->columns, &out->columns));
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *out->shown, &out->shown));
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *out->specs, &out->specs));
    KAN_TRY(
        kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *out->hierarchies, &out->hierarchies));
    for (size_t i = 0; i < w->n_quasi; i++) {
        if (w->quasi[table][i] == KAN_NO_COLUMN)
            continue;
        out->numbers[out->n] = i;
        out->columns[out->n] = w->quasi[table][i];
        out->shown[out->n] = w->quasi[KAN_ATTACK_RELEASE][i];
        out->hierarchies[out->n] = NULL;
        out->specs[out->n++] = w->specs[i];
    }
    return KAN_OK;
}

/* What was made of columns of the table becomes of those of the list, too. */
static kan_status treat_people(kan_attack_walk *w) {
    kan_verify_side *people = &w->sides[KAN_ATTACK_REGISTER];
    const kan_attack_table like =
        w->has[KAN_ATTACK_ORIGINAL] ? KAN_ATTACK_ORIGINAL : KAN_ATTACK_RELEASE;
    found quasi = {0};
    size_t *alike;
    KAN_TRY(find_quasi(w, KAN_ATTACK_REGISTER, &quasi));
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *alike, &alike));
    for (size_t i = 0; i < quasi.n; i++)
        alike[i] = w->quasi[like][quasi.numbers[i]];
    KAN_TRY(kan_input_treat_like(&people->input, "register", &w->sides[like].input, alike,
                                 quasi.columns, quasi.n));
    people->table = people->input.table;
    return KAN_OK;
}

static kan_status bind_hierarchies(kan_attack_walk *w, kan_attack_table table) {
    found quasi = {0};
    KAN_TRY(find_quasi(w, table, &quasi));
    const kan_verify_labels labels = {.job = w->job,
                                      .name = w->sides[table].input.name,
                                      .raw = w->sides[table].table,
                                      .release = w->sides[KAN_ATTACK_RELEASE].table,
                                      .columns = quasi.columns,
                                      .shown = quasi.shown,
                                      .specs = quasi.specs,
                                      .n = quasi.n};
    const kan_status status = kan_verify_bind_labels(&labels, quasi.hierarchies);
    for (size_t i = 0; i < quasi.n; i++)
        w->hierarchies[table][quasi.numbers[i]] = quasi.hierarchies[i];
    return status;
}

kan_status kan_attack_read(kan_attack_walk *w) {
    KAN_TRY(open_tables(w));
    KAN_TRY(find_columns(w));
    kan_attack_take_others(w);
    KAN_TRY(read_tables(w));
    if (w->has[KAN_ATTACK_REGISTER]) {
        KAN_TRY(treat_people(w));
        KAN_TRY(bind_hierarchies(w, KAN_ATTACK_REGISTER));
    }
    return w->has[KAN_ATTACK_ORIGINAL] ? bind_hierarchies(w, KAN_ATTACK_ORIGINAL) : KAN_OK;
}

void kan_attack_close(kan_attack_walk *w) {
    for (int table = 0; table < KAN_ATTACK_TABLES; table++) {
        for (size_t i = 0; w->hierarchies[table] && i < w->n_quasi; i++)
            kan_hierarchy_destroy(w->hierarchies[table][i]);
        kan_free(w->run, w->hierarchies[table]);
        kan_free(w->run, w->quasi[table]);
        kan_verify_close_side(&w->sides[table]);
    }
    kan_free(w->run, w->sensitive);
    kan_free(w->run, w->specs);
}
