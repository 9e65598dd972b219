/* `risk` where people are counted (--person): a table that says itself whose each row is. A group
 * is as large as it has different people, and what is told of rows is told of people in their
 * groups: somebody in three groups is three of them. */
#include "job/risk/risk_inside.h"

/* What counts rows one by one, or holds them against others, is not worked out for people. */
static kan_status refuse_others(const kan_risk_walk *w) {
    const char *name;
    for (size_t i = 0; (name = kan_setting_with(KAN_TRAIT_ROWS_ALONE, "risk", i)) != NULL; i++)
        if (kan_options_find(&w->job->options, name))
            return kan_fail(w->run, KAN_BAD_INPUT,
                            "--%s has no meaning for people yet; leave it or --person out", name);
    return KAN_OK;
}

kan_status kan_risk_find_person(kan_risk_walk *w) {
    const kan_role_column *person = kan_roles_only(&w->roles, KAN_ROLE_PERSON);
    char quoted[256];
    if (!person)
        return KAN_OK;
    w->person = person->name.bytes;
    KAN_TRY(refuse_others(w));
    for (int table = 0; table <= KAN_RISK_ORIGINAL; table++)
        if (w->has[table] && person->at[w->role_table[table]] == KAN_NO_COLUMN)
            return kan_fail(w->run, KAN_BAD_INPUT,
                            "%s: no column %s (--person); a release that does not identify the "
                            "person of each row is counted by kanon verify with --original",
                            w->sides[table].input.name, kan_quote(person->name, quoted));
    size_t unused;
    if (w->has[KAN_RISK_POPULATION])
        KAN_TRY(kan_input_take_whose(&w->sides[KAN_RISK_POPULATION].input, person->name, &unused));
    kan_note(w->run, "--person: the size of a group is its number of different people, and figures "
                     "of rows are those of people in their groups");
    return KAN_OK;
}

kan_status kan_risk_person_of(const kan_risk_walk *w, kan_risk_table table, uint32_t **out) {
    const kan_table *rows = w->sides[table].table;
    const kan_column *person = w->person ? kan_table_find(rows, w->person, NULL) : NULL;
    uint32_t *person_of;
    *out = NULL;
    if (!person)
        return KAN_OK;
    KAN_TRY(kan_alloc(w->run, (size_t)rows->n_rows, sizeof *person_of, &person_of));
    for (uint64_t row = 0; row < rows->n_rows; row++)
        person_of[row] = kan_column_code(person, row);
    *out = person_of;
    return KAN_OK;
}

/* ---- each person ---------------------------------------------------------------------------- */

kan_status kan_risk_measure_people(kan_risk_walk *w, kan_risk_table table) {
    kan_risk_measures *m = &w->measures[table];
    const kan_verify_side *side = &w->sides[table];
    const bool is_table = table == KAN_RISK_TABLE;
    uint32_t *person_of;
    if (!w->person || side->is_blank)
        return KAN_OK;
    KAN_TRY(kan_risk_person_of(w, table, &person_of));
    kan_status status =
        kan_people_near_find(w->run, side->table, is_table ? w->groups_by : w->quasi[table],
                             w->n_quasi + (is_table ? w->n_means : 0), person_of, &m->near);
    if (status == KAN_OK)
        status = kan_people_near_sizes(&m->near, &m->crowds);
    if (status == KAN_OK)
        kan_people_risk(&m->crowds, w->threshold, &m->person);
    kan_free(w->run, person_of);
    return status;
}

void kan_risk_people_destroy(kan_risk_measures *m) {
    kan_people_near_destroy(&m->near);
    if (m->crowds.run)
        kan_group_sizes_destroy(&m->crowds);
}

kan_status kan_risk_least_of_person(const kan_risk_walk *w, const uint64_t *by_row,
                                    uint64_t **out) {
    const uint64_t n_rows = w->sides[KAN_RISK_TABLE].table->n_rows;
    const size_t n_numbers = w->measures[KAN_RISK_TABLE].near.n_numbers;
    uint32_t *person_of = NULL;
    uint64_t *least = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_risk_person_of(w, KAN_RISK_TABLE, &person_of));
    KAN_TRY_DONE(kan_alloc(w->run, n_numbers, sizeof *least, &least));
    KAN_TRY_DONE(kan_alloc(w->run, (size_t)n_rows, sizeof **out, out));
    for (size_t p = 0; p < n_numbers; p++)
        least[p] = UINT64_MAX;
    for (uint64_t row = 0; row < n_rows; row++)
        if (by_row[row] < least[person_of[row]])
            least[person_of[row]] = by_row[row];
    for (uint64_t row = 0; row < n_rows; row++)
        (*out)[row] = least[person_of[row]];
done:
    kan_free(w->run, person_of);
    kan_free(w->run, least);
    return status;
}
