/* Columns that somebody knows who has a list of people, as far as the settings say (--as). */
#include "core/wording.h"
#include "job/attack/attack_inside.h"
#include "job/settings/settings.h"

enum { FEW_NAMES = 8 };

/* Other columns than quasi-identifiers that both have, and that name nobody. */
static bool is_other(const kan_attack_walk *w, size_t column, size_t *known) {
    const kan_role role = w->roles.of[w->role_table[KAN_ATTACK_RELEASE]][column];
    return role != KAN_ROLE_QUASI && role != KAN_ROLE_ID &&
           kan_input_find(&w->sides[KAN_ATTACK_REGISTER].input,
                          kan_slice_of(w->sides[KAN_ATTACK_RELEASE].input.columns[column]), known);
}

void kan_attack_take_others(kan_attack_walk *w) {
    const kan_found_profile *profile =
        kan_found_profile_named(kan_options_find(&w->job->options, "as"));
    kan_input *release = &w->sides[KAN_ATTACK_RELEASE].input;
    size_t known;
    if (!profile || !profile->knows_others || !w->has[KAN_ATTACK_REGISTER])
        return;
    for (size_t i = 0; i < release->n_columns; i++)
        if (is_other(w, i, &known)) {
            release->encode[i] = true;
            w->sides[KAN_ATTACK_REGISTER].input.encode[known] = true;
        }
}

static kan_status lacks_all(const kan_attack_walk *w) {
    char names[512];
    kan_name_list list = kan_names_begin(names, sizeof names, FEW_NAMES);
    for (size_t i = 0; i < w->n_quasi; i++)
        kan_names_add(&list,
                      w->sides[KAN_ATTACK_RELEASE].input.columns[w->quasi[KAN_ATTACK_RELEASE][i]]);
    return kan_fail(w->run, KAN_BAD_INPUT,
                    "%s has none of the quasi-identifiers %s, so that nobody in it can be matched; "
                    "give its columns the names that they have in the release",
                    w->sides[KAN_ATTACK_REGISTER].input.name, kan_names_end(&list));
}

kan_status kan_attack_find_known(const kan_attack_walk *w, kan_found_question *out) {
    const kan_input *release = &w->sides[KAN_ATTACK_RELEASE].input;
    const size_t most = w->n_quasi + release->n_columns;
    kan_known_column *columns;
    size_t n = 0, known;
    KAN_TRY(kan_arena_alloc(&w->job->arena, most, sizeof *columns, &columns));
    for (size_t i = 0; i < w->n_quasi; i++)
        if (w->quasi[KAN_ATTACK_REGISTER][i] != KAN_NO_COLUMN)
            columns[n++] = (kan_known_column){.released = w->quasi[KAN_ATTACK_RELEASE][i],
                                              .known = w->quasi[KAN_ATTACK_REGISTER][i],
                                              .hierarchy = w->hierarchies[KAN_ATTACK_REGISTER][i]};
    out->n_quasi = n;
    if (n == 0)
        return lacks_all(w);
    for (size_t i = 0; out->profile && out->profile->knows_others && i < release->n_columns; i++)
        if (is_other(w, i, &known))
            columns[n++] = (kan_known_column){.released = i, .known = known, .is_exact = true};
    out->columns = columns;
    out->n_columns = n;
    return KAN_OK;
}
