/* Whose each row of a release is, where people are counted (--person).
 *
 * A release that has the column, because it was kept or became a pseudonym, says it itself. Else
 * the original does: rows of the release stand in its order, and each is the one that it covers.
 * Where rows were left out, a row might be several of them; then nobody can tell whose it is, and
 * that is said. Rows of nothing but * that were kept leave all others in their places.
 *
 * People leave with all their rows (--suppress-by person, the default). So a release that no choice
 * of people explains lacks rows, or has them twice, and that is a fault (analyze/verify/
 * whole_people.h); with --suppress-by row any rows may be missing. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyze/models/models.h"
#include "job/settings/settings.h"
#include "job/verify/verify_inside.h"

bool kan_verify_leaves_by_person(const kan_verification *v) {
    const char *by = kan_options_find(&v->job->options, "suppress-by");
    return !by || strcmp(by, "row") != 0;
}

bool kan_verify_needs_whose(const kan_verification *v) {
    bool needs = !v->of_households || kan_job_by_composition(v->job) || v->needs_weights;
    for (size_t i = 0; i < kan_recount_count(); i++) {
        const kan_recount_kind *kind = kan_recount_at(i);
        needs |= kind->uses_households && kan_options_find(&v->job->options, kind->name) != NULL;
    }
    return needs;
}

/* ---- the column ----------------------------------------------------------------------------- */

kan_status kan_verify_find_person(kan_verification *v) {
    v->of_households = kan_job_leaves_households(v->job);
    const kan_role_column *person =
        kan_roles_only(&v->roles, v->of_households ? KAN_ROLE_HOUSEHOLD : KAN_ROLE_PERSON);
    char quoted[256];
    KAN_TRY(kan_job_check_household(v->job));
    if (!person)
        return KAN_OK;
    v->person = person->name.bytes;
    v->person_is_released = person->at[KAN_VERIFY_RELEASE] != KAN_NO_COLUMN;
    if (!v->person_is_released && !v->has_original)
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "--%s: the release has no column %s, which is right; to tell whose its "
                        "rows are, give the table before with --original FILE",
                        v->of_households ? "household" : "person", kan_quote(person->name, quoted));
    return KAN_OK;
}

static kan_status check_side(const kan_verification *v, const kan_verify_side *side,
                             const uint64_t *row_of) {
    const kan_column *whose = kan_table_find(side->table, v->person, NULL);
    return v->of_households
               ? kan_input_check_household(&side->input, whose,
                                           "tell whether each is released whole", row_of)
               : kan_input_check_person(&side->input, whose, row_of);
}

kan_status kan_verify_check_person(const kan_verification *v) {
    if (v->person && v->has_original)
        KAN_TRY(check_side(v, &v->original, NULL));
    if (!v->person || !v->person_is_released || v->release.is_blank)
        return KAN_OK;
    return check_side(v, &v->release, v->release.shown.row_of);
}

/* ---- the rows ------------------------------------------------------------------------------- */

static void leave_open(kan_verification *v, const char *why) {
    v->people_are_open = true;
    snprintf(v->why_open, sizeof v->why_open, "%s", why);
}

static const char other_order[] =
    "the rows of the release do not stand in the order of the original";

/* Rows that were kept as * leave all others in their places. */
static bool is_in_place(const kan_verification *v) {
    return v->release.table->n_rows + v->release.shown.n_blank == v->original.table->n_rows;
}

/* Rows may be missing as they like. */
static kan_status match_rows(kan_verification *v, const kan_cover_question *question,
                             uint64_t *row_of) {
    kan_rows_found found;
    char why[160];
    KAN_TRY(kan_verify_find_rows(v->run, question, row_of, &found));
    snprintf(why, sizeof why, "%" PRIu64 " %s could be several rows of the original", found.n_open,
             kan_plural(found.n_open, "row", "rows"));
    if (!found.in_order || found.n_open > 0)
        leave_open(v, found.in_order ? why : other_order);
    return KAN_OK;
}

/* No choice of people explains the release. Whose its rows are may be known all the same, so that
 * its groups can be counted. */
static kan_status match_torn(kan_verification *v, const kan_cover_question *question,
                             uint64_t *row_of) {
    v->people_state = KAN_PEOPLE_TORN;
    KAN_TRY(match_rows(v, question, row_of));
    if (v->people_are_open)
        leave_open(v, v->of_households ? "no choice of households explains them"
                                       : "no choice of people explains them");
    return KAN_OK;
}

/* People are whole: which of them were released. */
static kan_status match_people(kan_verification *v, const kan_cover_question *question,
                               const kan_column *person, uint64_t *row_of) {
    const kan_whole_question asked = {.cover = question, .person = person};
    kan_whole answer;
    char why[160];
    KAN_TRY(kan_verify_whole_people(v->run, &asked, row_of, &answer));
    switch (answer) {
    case KAN_WHOLE_ONE:
        v->people_state = KAN_PEOPLE_WHOLE;
        return KAN_OK;
    case KAN_WHOLE_NONE:
        return match_torn(v, question, row_of);
    case KAN_WHOLE_SEVERAL:
        leave_open(v, v->of_households ? "its rows could be those of several choices of households"
                                       : "its rows could be those of several choices of people");
        return KAN_OK;
    case KAN_WHOLE_UNDECIDED:
        snprintf(why, sizeof why,
                 "whose they are was not decided within %" PRIu64
                 " steps of trying who was released",
                 (uint64_t)KAN_WHOLE_STEPS);
        leave_open(v, why);
        return KAN_OK;
    case KAN_WHOLE_OTHER_ORDER:
        leave_open(v, other_order);
        return KAN_OK;
    }
    return KAN_OK;
}

/* Every row stands where it stood: each must cover the one in its place. */
static kan_status take_places(kan_verification *v, const kan_cover_question *question,
                              uint64_t *row_of) {
    const uint64_t n = v->release.table->n_rows, n_original = v->original.table->n_rows;
    kan_cover_question in_place = *question;
    kan_cover cover = {.holds = true};
    uint64_t *order, at = 0, behind = n;
    KAN_TRY(kan_alloc(v->run, (size_t)n_original, sizeof *order, &order));
    for (uint64_t row = 0; row < n_original; row++)
        order[at < n && kan_shown_row(&v->release.shown, at) == row ? at++ : behind++] = row;
    memcpy(row_of, order, (size_t)n * sizeof *row_of);
    in_place.order = order;
    in_place.in_place = in_place.needs_order = true;
    kan_status status = KAN_OK;
    if (question->n_quasi + question->n_others > 0)
        status = kan_verify_cover(v->run, &in_place, &cover);
    kan_free(v->run, order);
    KAN_TRY(status);
    if (!cover.holds)
        leave_open(v, other_order);
    return KAN_OK;
}

kan_status kan_verify_place_rows(kan_verification *v, const kan_cover_question *question,
                                 uint64_t *row_of) {
    if (is_in_place(v))
        return take_places(v, question, row_of);
    if (question->n_quasi + question->n_others > 0)
        return match_rows(v, question, row_of);
    leave_open(v, "there is no column to match the rows by");
    return KAN_OK;
}

/* ---- whole people --------------------------------------------------------------------------- */

static kan_status count_rows(kan_run *run, const kan_column *person, uint64_t **out) {
    KAN_TRY(kan_alloc_zero(run, person->dictionary.n, sizeof **out, out));
    for (uint64_t row = 0; row < person->n_rows; row++)
        (*out)[kan_column_code(person, row)]++;
    return KAN_OK;
}

/* Whether some people have as many rows as the release, whichever they are, and kept ones make up
 * for all others. */
static kan_status compare_numbers(kan_verification *v, const kan_column *person) {
    const uint64_t n = v->release.table->n_rows;
    uint64_t *n_rows_of;
    bool is_possible;
    if (v->keeps_suppressed && !is_in_place(v)) {
        v->people_state = KAN_PEOPLE_FEWER;
        return KAN_OK;
    }
    if (!kan_verify_leaves_by_person(v))
        return KAN_OK;
    KAN_TRY(count_rows(v->run, person, &n_rows_of));
    const kan_status status =
        kan_verify_people_have(v->run, n_rows_of, person->dictionary.n, n, &is_possible);
    kan_free(v->run, n_rows_of);
    if (status == KAN_OK && !is_possible)
        v->people_state = KAN_PEOPLE_TORN;
    return status;
}

/* Whose rows are known, by code of the original's column: each has all of hers or none. */
static kan_status compare_people(kan_verification *v, const kan_column *person,
                                 const uint32_t *person_of) {
    uint64_t *n_left;
    if (!kan_verify_leaves_by_person(v) || v->people_state != KAN_PEOPLE_UNASKED)
        return KAN_OK;
    KAN_TRY(count_rows(v->run, person, &n_left));
    v->people_state = KAN_PEOPLE_WHOLE;
    for (uint64_t row = 0; row < v->release.table->n_rows; row++)
        n_left[person_of[row]]--; /* past 0 where she has more rows than she had */
    for (uint64_t row = 0; row < v->release.table->n_rows; row++)
        if (n_left[person_of[row]] != 0)
            v->people_state = KAN_PEOPLE_TORN;
    kan_free(v->run, n_left);
    return KAN_OK;
}

/* The release has the column that identifies the person, with the same names: a pseudonym is made
 * of the original anew. */
static kan_status compare_released(kan_verification *v) {
    const kan_column *released = kan_table_find(v->release.table, v->person, NULL);
    const kan_column *person = kan_table_find(v->original.table, v->person, NULL);
    const uint64_t n = v->release.table->n_rows;
    uint32_t *codes;
    bool is_known = true;
    KAN_TRY(compare_numbers(v, person));
    KAN_TRY(kan_alloc(v->run, (size_t)n, sizeof *codes, &codes));
    for (uint64_t row = 0; row < n && is_known; row++)
        is_known =
            kan_dictionary_find(&person->dictionary, kan_column_value(released, row), &codes[row]);
    /* a name that nobody has is told by the cover */
    const kan_status status = is_known ? compare_people(v, person, codes) : KAN_OK;
    kan_free(v->run, codes);
    return status;
}

/* The people of the original who have no row in the release. */
static kan_status count_left_out(kan_verification *v, const kan_column *person) {
    uint8_t *is_there;
    v->n_people = person->dictionary.n;
    KAN_TRY(kan_alloc_zero(v->run, person->dictionary.n, 1, &is_there));
    for (uint64_t row = 0; row < v->release.table->n_rows; row++)
        is_there[v->person_of[row]] = 1;
    v->n_left_out = v->n_people;
    for (uint32_t code = 0; code < person->dictionary.n; code++)
        v->n_left_out -= is_there[code];
    kan_free(v->run, is_there);
    return KAN_OK;
}

static kan_status find_original_rows(kan_verification *v, const kan_cover_question *question,
                                     const kan_column *person, uint64_t *row_of) {
    KAN_TRY(compare_numbers(v, person));
    const bool can_match = !is_in_place(v) && question->n_quasi + question->n_others > 0;
    if (can_match && v->people_state == KAN_PEOPLE_TORN) /* by numbers alone */
        return match_torn(v, question, row_of);
    if (can_match && v->people_state != KAN_PEOPLE_FEWER && kan_verify_leaves_by_person(v))
        return match_people(v, question, person, row_of);
    return kan_verify_place_rows(v, question, row_of);
}

static kan_status take_original(kan_verification *v, const kan_cover_question *question) {
    const kan_column *person = kan_table_find(v->original.table, v->person, NULL);
    const uint64_t n = v->release.table->n_rows;
    uint64_t *row_of;
    if (n == v->original.table->n_rows && !kan_verify_needs_whose(v)) {
        v->people_state =
            KAN_PEOPLE_WHOLE; /* everybody is there: the cover holds it against the original */
        v->n_people = person->dictionary.n;
        return KAN_OK;
    }
    KAN_TRY(kan_alloc(v->run, (size_t)n, sizeof *row_of, &row_of));
    kan_status status = find_original_rows(v, question, person, row_of);
    for (uint64_t row = 0; row < n && status == KAN_OK && !v->people_are_open; row++)
        v->person_of[row] = kan_column_code(person, row_of[row]);
    v->original_of = row_of;
    KAN_TRY(status);
    if (v->people_are_open) {
        kan_free(v->run, v->person_of);
        v->person_of = NULL;
        return KAN_OK;
    }
    KAN_TRY(compare_people(v, person, v->person_of));
    return count_left_out(v, person);
}

/* Every row shows nothing but *, so that nobody is there, and whose the rows were is not asked. Where there
 * are only quasi-identifiers they may be a group that was released. */
static void take_nobody(kan_verification *v) {
    const kan_column *person = kan_table_find(v->original.table, v->person, NULL);
    if (v->keeps_suppressed && v->release.table->n_rows != v->original.table->n_rows)
        v->people_state = KAN_PEOPLE_FEWER;
    if (v->release.input.n_columns > v->n_quasi)
        v->n_people = v->n_left_out = person->dictionary.n;
}

kan_status kan_verify_find_people(kan_verification *v, const kan_cover_question *question) {
    const uint64_t n = v->release.table->n_rows;
    if (!v->person)
        return KAN_OK;
    if (v->release.is_blank) {
        if (v->has_original && !v->person_is_released)
            take_nobody(v);
        return KAN_OK;
    }
    KAN_TRY(kan_alloc(v->run, (size_t)n, sizeof *v->person_of, &v->person_of));
    if (!v->person_is_released)
        return take_original(v, question);
    const kan_column *person = kan_table_find(v->release.table, v->person, NULL);
    for (uint64_t row = 0; row < n; row++)
        v->person_of[row] = kan_column_code(person, row);
    return v->has_original ? compare_released(v) : KAN_OK;
}
