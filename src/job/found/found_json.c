/* What was found of a list of people, as JSON. */
#include "job/found/found_inside.h"

/* Of which answer something is told. */
typedef struct {
    const kan_found *f;
    uint64_t n_people, n_asked;
    const kan_register_answer *answer;
    const kan_found_figures *figures;
    const kan_found_person *exposed;
    size_t n_exposed;
} side;

static json_t *estimate_json(json_t *object, const side *s, double people) {
    const kan_found_estimate e = kan_found_estimate_of(s->n_people, s->n_asked, people);
    object = kan_json_set(object, "expected", kan_json_real(e.expected));
    object = kan_json_set(object, "low", kan_json_real(e.low));
    return kan_json_set(object, "high", kan_json_real(e.high));
}

static json_t *people_json(const side *s, uint64_t people) {
    return estimate_json(json_pack("{s:o}", "people", kan_json_count(people)), s, (double)people);
}

static json_t *told_json(const side *s, const kan_found_tally *told) {
    const bool has_truth = s->f->question.truth != NULL;
    json_t *object = people_json(s, told->people);
    object = kan_json_set(object, "right", has_truth ? kan_json_count(told->right) : json_null());
    return kan_json_set(object, "wrong", has_truth ? kan_json_count(told->wrong) : json_null());
}

static bool is_in_set(const kan_found *f, size_t released) {
    for (size_t i = 0; i < f->n_set; i++)
        if (f->question.columns[f->set[i]].released == released)
            return true;
    return false;
}

static json_t *known_json(const kan_found *f) {
    json_t *names = json_array();
    for (size_t i = 0; i < f->n_set; i++)
        names = kan_json_append(
            names, kan_json_text(kan_found_name(f, f->question.columns[f->set[i]].released)));
    return names;
}

/* Quasi-identifiers that are not known. */
static json_t *not_known_json(const kan_found *f) {
    json_t *names = json_array();
    for (size_t i = 0; i < f->question.n_all_quasi; i++)
        if (!is_in_set(f, f->question.quasi[i]))
            names = kan_json_append(names, kan_json_text(kan_found_name(f, f->question.quasi[i])));
    return names;
}

static json_t *sensitive_json(const side *s) {
    const kan_found_question *q = &s->f->question;
    json_t *columns = json_array();
    for (size_t i = 0; i < q->n_sensitive; i++)
        columns = kan_json_append(
            columns, json_pack("{s:o, s:o, s:o}", "column",
                               kan_json_text(kan_found_name(s->f, q->sensitive[i])), "certain",
                               told_json(s, &s->figures->columns[i].certain), "above_90",
                               told_json(s, &s->figures->columns[i].likely)));
    return columns;
}

/* ---- those who are most exposed -------------------------------------------------------------------- */

static json_t *guesses_json(const side *s, const kan_found_person *person) {
    const kan_found_question *q = &s->f->question;
    const kan_register_guess *guesses = kan_register_guesses(s->answer, person->asked);
    json_t *list = json_array();
    for (size_t i = 0; i < q->n_sensitive; i++) {
        const kan_column *column = &q->release->columns[q->sensitive[i]];
        if (s->f->wanted != SIZE_MAX && s->f->wanted != i)
            continue; /* it is known */
        list = kan_json_append(
            list,
            json_pack("{s:o, s:o, s:o}", "column", kan_json_text(column->name), "value",
                      kan_json_slice(kan_dictionary_value(&column->dictionary, guesses[i].code)),
                      "rows", kan_json_count(guesses[i].rows)));
    }
    return list;
}

static json_t *person_json(const side *s, const kan_found_person *person) {
    const kan_found_question *q = &s->f->question;
    const uint64_t row_of_list = s->answer->asked[person->asked];
    const uint64_t row = s->answer->row[s->answer->tuple_of[person->asked]];
    const int is_hers = person->rows == 1 ? kan_found_is_hers(s->f, row_of_list, row) : -1;
    json_t *known = json_array();
    for (size_t i = 0; i < s->f->n_set; i++)
        known = kan_json_append(
            known, kan_json_slice(kan_column_value(
                       &q->people->columns[q->columns[s->f->set[i]].known], row_of_list)));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "person", kan_json_count(row_of_list + 1),
                     "known", known, "rows", kan_json_count(person->rows), "row",
                     kan_json_count((q->shown ? kan_shown_row(q->shown, row) : row) + 1), "is_hers",
                     is_hers < 0 ? json_null() : json_boolean(is_hers == 1), "guesses",
                     guesses_json(s, person));
}

static json_t *exposed_json(const side *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_exposed; i++)
        list = kan_json_append(list, person_json(s, &s->exposed[i]));
    return list;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

static json_t *matched_json(const side *s, bool is_nearest) {
    const bool has_all = s->n_asked == s->n_people;
    json_t *matched = json_object();
    if (!is_nearest)
        matched = kan_json_set(matched, "none", people_json(s, s->figures->none));
    matched = kan_json_set(matched, "one", told_json(s, &s->figures->found));
    if (!is_nearest)
        matched = kan_json_set(matched, "mutual",
                               has_all ? kan_json_count(s->figures->mutual) : json_null());
    matched = kan_json_set(matched, "below_k", people_json(s, s->figures->few));
    return kan_json_set(matched, "k_or_more", people_json(s, s->figures->many));
}

static json_t *nearest_json(const kan_found *f) {
    const side s = {f,
                    f->n_near_people,
                    f->n_near_asked,
                    &f->nearest,
                    &f->near_figures,
                    f->near_exposed,
                    f->n_near_exposed};
    if (!f->has_nearest)
        return json_null();
    json_t *right =
        f->near_holds ? estimate_json(json_object(), &s, f->near_figures.right) : json_null();
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "people", kan_json_count(s.n_people),
        "asked", kan_json_count(s.n_asked), "changed_numbers", kan_json_count(f->n_changed), "rows",
        matched_json(&s, true), "at_random",
        estimate_json(json_object(), &s, f->near_figures.expected), "right_at_random", right,
        "right_all_at_once", f->assigned.is_done ? kan_json_real(f->assigned.right) : json_null(),
        "sensitive", sensitive_json(&s), "exposed", exposed_json(&s));
}

json_t *kan_found_json(const kan_found *f) {
    const kan_found_question *q = &f->question;
    const side s = {f, f->n_people, f->n_asked, &f->answer, &f->figures, f->exposed, f->n_exposed};
    const bool has_all = f->n_asked == f->n_people;
    json_t *object =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "as",
                  q->profile ? json_string(q->profile->name) : json_null(), "wanted",
                  f->wanted == SIZE_MAX ? json_null()
                                        : kan_json_text(kan_found_name(f, q->sensitive[f->wanted])),
                  "sets", kan_json_count(f->n_sets), "mean_one",
                  kan_json_real(f->sum_one / (double)f->n_sets), "path",
                  q->people_path ? kan_json_text(q->people_path) : json_null(), "people",
                  kan_json_count(f->n_people), "asked", kan_json_count(f->n_asked), "known",
                  known_json(f), "not_known", not_known_json(f));
    object = kan_json_set(object, "matched", matched_json(&s, false));
    object = kan_json_set(object, "rows_of_one_person",
                          has_all ? kan_json_count(f->answer.n_rows_alone) : json_null());
    object = kan_json_set(
        object, "found_at_random",
        kan_json_real(f->n_asked ? f->figures.expected * (double)f->n_people / (double)f->n_asked
                                 : 0));
    object = kan_json_set(object, "why_open",
                          q->truth && q->truth->why ? json_string(q->truth->why) : json_null());
    object = kan_json_set(object, "sensitive", sensitive_json(&s));
    object = kan_json_set(object, "exposed", exposed_json(&s));
    return kan_json_set(object, "nearest", nearest_json(f));
}
