/* Other releases (--with) and a list of people (--register) at once: what all releases leave of each person, row by row
 * joined or not. Sensitive columns are those that all releases have. */
#include "job/attack/attack_inside.h"
#include "job/settings/settings.h"

enum { MANY_PEOPLE = 100000, SAMPLE = 20000 };

/* The quasi-identifiers that list and release have, with the hierarchies of the release's labels. */
static kan_status find_known(kan_attack_walk *w, kan_attack_crossed *c) {
    const kan_attack_table people = KAN_ATTACK_REGISTER;
    size_t *columns, *shown;
    const char **specs;
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *columns, &columns));
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *shown, &shown));
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *specs, &specs));
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *c->columns, &c->columns));
    KAN_TRY(kan_alloc_zero(w->run, w->n_quasi, sizeof *c->hierarchies, &c->hierarchies));
    for (size_t i = 0; i < w->n_quasi; i++) {
        if (w->quasi[people][i] == KAN_NO_COLUMN ||
            !kan_input_find(&c->side->input, w->roles.named[KAN_ROLE_QUASI].columns[i].name,
                            &shown[c->n_columns]))
            continue;
        columns[c->n_columns] = w->quasi[people][i];
        specs[c->n_columns++] = w->specs[i];
    }
    const kan_verify_labels labels = {.job = w->job,
                                      .name = w->sides[people].input.name,
                                      .raw = w->sides[people].table,
                                      .release = c->side->table,
                                      .columns = columns,
                                      .shown = shown,
                                      .specs = specs,
                                      .n = c->n_columns};
    KAN_TRY(kan_verify_bind_labels(&labels, c->hierarchies));
    for (size_t i = 0; i < c->n_columns; i++)
        c->columns[i] = (kan_known_column){
            .released = shown[i], .known = columns[i], .hierarchy = c->hierarchies[i]};
    return KAN_OK;
}

static kan_status ask(kan_attack_walk *w, const kan_attack_crossing *x, kan_attack_crossed *c) {
    const kan_table *people = w->sides[KAN_ATTACK_REGISTER].table;
    size_t *all;
    KAN_TRY(find_known(w, c));
    if (c->n_columns == 0)
        return KAN_OK;
    KAN_TRY(kan_arena_alloc(&w->job->arena, c->n_columns, sizeof *all, &all));
    for (size_t i = 0; i < c->n_columns; i++)
        all[i] = i;
    const kan_register_question question = {
        .release = c->side->table,
        .people = people,
        .columns = c->columns,
        .n_columns = c->n_columns,
        .sensitive = c->sensitive,
        .n_sensitive = x->n_sensitive,
        /* the same people everywhere */
        .n_sample = kan_options_count(&w->job->options, "sample",
                                      people->n_rows > MANY_PEOPLE ? SAMPLE : people->n_rows),
        .seed = kan_options_count(&w->job->options, "seed", 1),
        .wants_values = true};
    KAN_TRY(kan_register_create(w->run, &question, &c->list));
    KAN_TRY(kan_register_ask(c->list, all, c->n_columns, &c->answer));
    c->has_answer = true;
    return KAN_OK;
}

static kan_status find_sensitive(kan_attack_walk *w, kan_attack_crossing *x) {
    const kan_role_list *sensitive = &w->roles.named[KAN_ROLE_SENSITIVE];
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_sensitive, sizeof *x->columns, &x->columns));
    for (size_t s = 0; s < x->n; s++)
        KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_sensitive, sizeof *x->sides[s].sensitive,
                                &x->sides[s].sensitive));
    for (size_t i = 0; i < w->n_sensitive; i++) {
        bool have_all = true;
        for (size_t s = 0; s < x->n; s++)
            have_all =
                have_all && kan_input_find(&x->sides[s].side->input, sensitive->columns[i].name,
                                           &x->sides[s].sensitive[x->n_sensitive]);
        if (have_all)
            x->columns[x->n_sensitive++] = i;
    }
    return KAN_OK;
}

kan_status kan_attack_cross_ask(kan_attack_walk *w, const kan_verify_side *const *sides, size_t n,
                                kan_attack_crossing *x) {
    KAN_TRY(kan_alloc_zero(w->run, n, sizeof *x->sides, &x->sides));
    x->n = n;
    for (size_t s = 0; s < n; s++)
        x->sides[s].side = sides[s];
    KAN_TRY(find_sensitive(w, x));
    for (size_t s = 0; s < n; s++)
        KAN_TRY(ask(w, x, &x->sides[s]));
    return KAN_OK;
}

kan_status kan_attack_cross(kan_attack_walk *w, const kan_attack_crossing *x, size_t first,
                            size_t n_others, kan_cross *out, bool *has_found) {
    kan_cross_side *sides;
    KAN_TRY(kan_arena_alloc(&w->job->arena, n_others + 1, sizeof *sides, &sides));
    *has_found = false;
    for (size_t i = 0; i <= n_others; i++) {
        const kan_attack_crossed *c = &x->sides[i == 0 ? 0 : first + i];
        if (!c->has_answer)
            return KAN_OK;
        sides[i] = (kan_cross_side){c->side->table, c->sensitive, &c->answer};
    }
    KAN_TRY(kan_cross_people(w->run, sides, n_others + 1, w->k, out));
    *has_found = true;
    return KAN_OK;
}

void kan_attack_crossing_destroy(kan_attack_walk *w, kan_attack_crossing *x) {
    for (size_t s = 0; s < x->n; s++) {
        kan_attack_crossed *c = &x->sides[s];
        for (size_t i = 0; c->hierarchies && i < w->n_quasi; i++)
            kan_hierarchy_destroy(c->hierarchies[i]);
        kan_free(w->run, c->hierarchies);
        kan_register_destroy(c->list);
        if (c->has_answer)
            kan_register_answer_destroy(&c->answer);
    }
    kan_free(w->run, x->sides);
}
