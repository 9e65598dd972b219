/* Whose each row of a release is, where people are counted (--person).
 *
 * A release that has the column, because it was kept or became a pseudonym, says it itself. Else
 * the original does: rows of the release stand in its order, and each is the one that it covers.
 * Where rows were left out, a row might be several of them; then nobody can tell whose it is, and
 * that is said. Rows of nothing but * that were kept leave all others in their places. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "job/inspect/verify_inside.h"
#include "job/settings/settings.h"

bool kan_verify_leaves_by_person(const kan_verification *v) {
    const char *by = kan_options_find(&v->job->options, "suppress-by");
    return !by || strcmp(by, "person") == 0;
}

/* ---- the column ----------------------------------------------------------------------------- */

kan_status kan_verify_find_person(kan_verification *v) {
    const char *name = kan_options_find(&v->job->options, "person");
    size_t column;
    char quoted[256];
    if (!name)
        return KAN_OK;
    v->person = name;
    v->person_is_released = kan_input_find(&v->release.input, kan_slice_of(name), &column);
    if (v->person_is_released)
        v->release.input.encode[column] = true;
    if (v->has_original && kan_input_find(&v->original.input, kan_slice_of(name), &column))
        v->original.input.encode[column] = true;
    else if (!v->person_is_released && !v->has_original)
        return kan_fail(v->run, KAN_BAD_INPUT,
                        "--person: the release has no column %s, which is right; whose its rows "
                        "are is told by the table before, with --original FILE",
                        kan_quote(kan_slice_of(name), quoted));
    else if (!v->person_is_released || v->has_original)
        return kan_fail(v->run, KAN_BAD_INPUT, "%s: no column %s (--person)",
                        v->original.input.name, kan_quote(kan_slice_of(name), quoted));
    return KAN_OK;
}

/* ---- the rows ------------------------------------------------------------------------------- */

static kan_status refuse(const kan_verification *v, const char *why) {
    return kan_fail(v->run, KAN_FAILED,
                    "--person: %s, so that nobody can tell whose the rows of the release are; a "
                    "release with --keep-suppressed, in the order of the original, can be verified",
                    why);
}

/* Rows that were kept as * leave all others in their places. */
static bool is_in_place(const kan_verification *v) {
    return v->release.table->n_rows + v->release.shown.n_blank == v->original.table->n_rows;
}

static kan_status match_rows(const kan_verification *v, const kan_cover_question *question,
                             uint64_t *row_of) {
    kan_rows_found found;
    char why[160];
    if (question->n_quasi + question->n_others == 0)
        return refuse(v, "there is no column to match the rows by");
    KAN_TRY(kan_verify_find_rows(v->run, question, row_of, &found));
    if (!found.in_order)
        return refuse(v, "the rows of the release do not stand in the order of the original");
    snprintf(why, sizeof why, "%" PRIu64 " %s could be several rows of the original", found.n_open,
             kan_plural(found.n_open, "row", "rows"));
    return found.n_open > 0 ? refuse(v, why) : KAN_OK;
}

/* Every row stands where it stood: each must cover the one in its place. */
static kan_status take_places(const kan_verification *v, const kan_cover_question *question,
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
    return cover.holds
               ? KAN_OK
               : refuse(v, "the rows of the release do not stand in the order of the original");
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

static kan_status take_original(kan_verification *v, const kan_cover_question *question) {
    const kan_column *person = kan_table_find(v->original.table, v->person, NULL);
    const uint64_t n = v->release.table->n_rows;
    uint64_t *row_of;
    KAN_TRY(kan_alloc(v->run, (size_t)n, sizeof *row_of, &row_of));
    kan_status status =
        is_in_place(v) ? take_places(v, question, row_of) : match_rows(v, question, row_of);
    for (uint64_t row = 0; row < n && status == KAN_OK; row++)
        v->person_of[row] = kan_column_code(person, row_of[row]);
    kan_free(v->run, row_of);
    return status == KAN_OK ? count_left_out(v, person) : status;
}

kan_status kan_verify_find_people(kan_verification *v, const kan_cover_question *question) {
    const uint64_t n = v->release.table->n_rows;
    if (!v->person || v->release.is_blank)
        return KAN_OK;
    KAN_TRY(kan_alloc(v->run, (size_t)n, sizeof *v->person_of, &v->person_of));
    if (!v->person_is_released)
        return take_original(v, question);
    const kan_column *person = kan_table_find(v->release.table, v->person, NULL);
    for (uint64_t row = 0; row < n; row++)
        v->person_of[row] = kan_column_code(person, row);
    return KAN_OK;
}
