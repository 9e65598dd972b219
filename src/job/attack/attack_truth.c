/* Who is who: which row of the original each person of a list is, and which each released row was made from.
 *
 * People are told apart by the first column of --id that both tables have; without one both tables have the same
 * people in the same order. A released row is told by the same column where it has it, else by the order of the
 * rows and what they cover (analyze/cover): where it could be several it stays open. */
#include <inttypes.h>

#include "job/attack/attack_inside.h"
#include "job/settings/settings.h"

/* ---- by a column ------------------------------------------------------------------------------ */

/* The first column of --id that both tables have; NULL: there is none. */
static const kan_role_column *find_id(const kan_attack_walk *w, kan_attack_table table) {
    const kan_role_list *ids = &w->roles.named[KAN_ROLE_ID];
    for (size_t i = 0; i < ids->n; i++)
        if (ids->columns[i].at[w->role_table[table]] != KAN_NO_COLUMN &&
            ids->columns[i].at[w->role_table[KAN_ATTACK_ORIGINAL]] != KAN_NO_COLUMN)
            return &ids->columns[i];
    return NULL;
}

static const kan_column *column_of(const kan_attack_walk *w, kan_attack_table table,
                                   const kan_role_column *id) {
    return &w->sides[table].table->columns[id->at[w->role_table[table]]];
}

/* The row of the original that has each value of its column. */
static kan_status list_rows(const kan_attack_walk *w, const kan_column *column, uint64_t *row_of) {
    char quoted[256];
    for (uint32_t code = 0; code < column->dictionary.n; code++)
        row_of[code] = KAN_FOUND_NOBODY;
    for (uint64_t row = 0; row < column->n_rows; row++) {
        const uint32_t code = kan_column_code(column, row);
        if (row_of[code] != KAN_FOUND_NOBODY)
            return kan_fail(
                w->run, KAN_BAD_INPUT,
                "%s: rows %" PRIu64 " and %" PRIu64 " both have %s in column '%s' (--id), "
                "so that nobody knows which is whose; name a column in which each person "
                "has one row",
                w->sides[KAN_ATTACK_ORIGINAL].input.name, row_of[code] + 1, row + 1,
                kan_quote(kan_column_value(column, row), quoted), column->name);
        row_of[code] = row;
    }
    return KAN_OK;
}

/* The row of the original that has the value of each row of a table. */
static kan_status find_by_column(const kan_attack_walk *w, kan_attack_table table,
                                 const kan_role_column *id, uint64_t *out) {
    const kan_column *here = column_of(w, table, id);
    const kan_column *there = column_of(w, KAN_ATTACK_ORIGINAL, id);
    uint64_t *row_of = NULL, *found = NULL;
    kan_status status;
    KAN_TRY_DONE(kan_alloc(w->run, there->dictionary.n, sizeof *row_of, &row_of));
    KAN_TRY_DONE(kan_alloc(w->run, here->dictionary.n, sizeof *found, &found));
    KAN_TRY_DONE(list_rows(w, there, row_of));
    for (uint32_t code = 0; code < here->dictionary.n; code++) {
        uint32_t same;
        found[code] = kan_dictionary_find(&there->dictionary,
                                          kan_dictionary_value(&here->dictionary, code), &same)
                          ? row_of[same]
                          : KAN_FOUND_NOBODY;
    }
    for (uint64_t row = 0; row < here->n_rows; row++)
        out[row] = found[kan_column_code(here, row)];
done:
    kan_free(w->run, row_of);
    kan_free(w->run, found);
    return status;
}

/* ---- people ----------------------------------------------------------------------------------- */

/* Names that a job file has for other tables are none of ours; a flag that names nothing is. */
static kan_status refuse_id(const kan_attack_walk *w) {
    const kan_role_column *id = kan_roles_only(&w->roles, KAN_ROLE_ID);
    const kan_attack_table lacks = id->at[w->role_table[KAN_ATTACK_REGISTER]] == KAN_NO_COLUMN
                                       ? KAN_ATTACK_REGISTER
                                       : KAN_ATTACK_ORIGINAL;
    kan_problems_begin(w->run);
    kan_input_add_unknown(&w->sides[lacks].input, "id", id->name);
    return kan_problems_end(w->run);
}

static kan_status find_people(const kan_attack_walk *w, uint64_t *out) {
    const kan_role_column *id = find_id(w, KAN_ATTACK_REGISTER);
    const uint64_t n = w->sides[KAN_ATTACK_REGISTER].table->n_rows;
    const uint64_t n_original = w->sides[KAN_ATTACK_ORIGINAL].table->n_rows;
    char rows[32], all[32];
    if (id)
        return find_by_column(w, KAN_ATTACK_REGISTER, id, out);
    if (w->roles.named[KAN_ROLE_ID].n > 0)
        return refuse_id(w);
    if (n != n_original)
        return kan_fail(w->run, KAN_BAD_INPUT,
                        "%s has %s %s and %s %s, so that nobody knows who of them is who; name the "
                        "column by which both tell with --id NAME, or leave --original out",
                        w->sides[KAN_ATTACK_REGISTER].input.name, kan_count_text(n, rows),
                        kan_plural(n, "row", "rows"), w->sides[KAN_ATTACK_ORIGINAL].input.name,
                        kan_count_text(n_original, all));
    for (uint64_t row = 0; row < n; row++)
        out[row] = row;
    return KAN_OK;
}

/* ---- rows of the release ---------------------------------------------------------------------- */

static void ask_cover(const kan_attack_walk *w, kan_cover_pair *quasi, kan_cover_pair *others,
                      kan_cover_question *out) {
    const kan_role_list *sensitive = &w->roles.named[KAN_ROLE_SENSITIVE];
    for (size_t i = 0; i < w->n_quasi; i++)
        quasi[i] =
            (kan_cover_pair){w->quasi[KAN_ATTACK_RELEASE][i], w->quasi[KAN_ATTACK_ORIGINAL][i],
                             w->hierarchies[KAN_ATTACK_ORIGINAL][i]};
    for (size_t i = 0; i < w->n_sensitive; i++)
        others[i] = (kan_cover_pair){
            w->sensitive[i], sensitive->columns[i].at[w->role_table[KAN_ATTACK_ORIGINAL]], NULL};
    *out = (kan_cover_question){.release = w->sides[KAN_ATTACK_RELEASE].table,
                                .original = w->sides[KAN_ATTACK_ORIGINAL].table,
                                .quasi = quasi,
                                .n_quasi = w->n_quasi,
                                .others = others,
                                .n_others = w->n_sensitive,
                                .reads_intervals = true};
}

/* Rows that show nothing leave all others in their places. */
static void take_places(const kan_attack_walk *w, uint64_t *row_of) {
    const kan_verify_side *release = &w->sides[KAN_ATTACK_RELEASE];
    for (uint64_t row = 0; row < release->table->n_rows; row++)
        row_of[row] = kan_shown_row(&release->shown, row);
}

/* Whether every row shows in a column what covers the row of the original in its place. */
static kan_status holds_in_place(const kan_attack_walk *w, const kan_cover_question *question,
                                 const kan_cover_pair *pair, bool is_quasi, bool *holds) {
    const kan_shown_rows *shown = &w->sides[KAN_ATTACK_RELEASE].shown;
    kan_relation relation;
    KAN_TRY(kan_relation_init(&relation, w->run, question, pair, is_quasi));
    *holds = true;
    for (uint64_t row = 0; *holds && row < question->release->n_rows; row++)
        *holds = kan_relation_covers(&relation, kan_column_code(relation.released, row),
                                     kan_column_code(relation.original, kan_shown_row(shown, row)));
    kan_relation_destroy(&relation, w->run);
    return kan_check_cancel(w->run);
}

/* Numbers that were changed, such as means, cover nothing, and say nothing of the order. Where all else that rows show
 * agrees in its place, or there is nothing else, they are in their places. */
static kan_status compare_places(const kan_attack_walk *w, const kan_cover_question *question,
                                 bool *agrees, bool *is_granted) {
    bool holds;
    *agrees = false;
    *is_granted = true;
    for (size_t i = 0; i < question->n_quasi; i++) {
        const kan_column *column = &question->original->columns[question->quasi[i].original];
        KAN_TRY(holds_in_place(w, question, &question->quasi[i], true, &holds));
        if (!holds && column->dictionary.type == KAN_TYPE_TEXT)
            return KAN_OK;
        *is_granted = *is_granted && !holds;
    }
    for (size_t i = 0; i < question->n_others; i++) {
        KAN_TRY(holds_in_place(w, question, &question->others[i], false, &holds));
        if (!holds)
            return KAN_OK;
        *is_granted = false;
    }
    *agrees = true;
    return KAN_OK;
}

static kan_status find_by_order(const kan_attack_walk *w, kan_attack_truth *out, bool *is_known) {
    kan_cover_pair *quasi, *others;
    kan_cover_question question;
    kan_rows_found found;
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_quasi, sizeof *quasi, &quasi));
    KAN_TRY(kan_arena_alloc(&w->job->arena, w->n_sensitive, sizeof *others, &others));
    ask_cover(w, quasi, others, &question);
    KAN_TRY(kan_verify_certain_rows(w->run, &question, out->row_of, &found));
    *is_known = found.in_order;
    if (w->sides[KAN_ATTACK_RELEASE].input.table->n_rows != question.original->n_rows)
        return KAN_OK;
    if (!found.in_order)
        KAN_TRY(compare_places(w, &question, is_known, &out->is_granted));
    if (*is_known)
        take_places(w, out->row_of);
    return KAN_OK;
}

static kan_status find_rows(const kan_attack_walk *w, kan_attack_truth *out) {
    const kan_role_column *id = find_id(w, KAN_ATTACK_RELEASE);
    bool is_known = true;
    const kan_status status = id ? find_by_column(w, KAN_ATTACK_RELEASE, id, out->row_of)
                                 : find_by_order(w, out, &is_known);
    if (status == KAN_OK && !is_known) {
        kan_free(w->run, out->row_of);
        out->row_of = NULL;
        out->why = "the rows of the release do not stand in the order of the original";
    }
    return status;
}

kan_status kan_attack_find_truth(const kan_attack_walk *w, kan_attack_truth *out) {
    kan_attack_truth made = {.run = w->run};
    kan_status status;
    KAN_TRY_DONE(kan_alloc(w->run, (size_t)w->sides[KAN_ATTACK_REGISTER].table->n_rows,
                           sizeof *made.original_of, &made.original_of));
    KAN_TRY_DONE(kan_alloc(w->run, (size_t)w->sides[KAN_ATTACK_RELEASE].table->n_rows,
                           sizeof *made.row_of, &made.row_of));
    KAN_TRY_DONE(find_people(w, made.original_of));
    KAN_TRY_DONE(find_rows(w, &made));
    *out = made;
    return KAN_OK;
done:
    kan_attack_truth_destroy(&made);
    return status;
}

void kan_attack_truth_destroy(kan_attack_truth *truth) {
    kan_free(truth->run, truth->original_of);
    kan_free(truth->run, truth->row_of);
}
