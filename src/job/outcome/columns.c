/* What became of every column: counted over released rows, for the summary, the result and the
 * report. A column that nobody protects is told as the open risk that it is. */
#include "job/outcome/columns.h"

#include <inttypes.h>
#include <string.h>

#include "core/wording.h"
#include "job/outcome/outcome_json.h"
#include "job/outcome/outcome_summary.h"

static const char *name_of(const kan_setup *setup, size_t column) {
    return setup->table->columns[column].name;
}

enum { WIDTH = 80, LEAD = 14, NAME_COLUMNS = 40 };

/* ---- finding -------------------------------------------------------------------------------- */

static bool is_open(const kan_setup *setup, size_t column) {
    return setup->roles[column] == KAN_ROLE_CLASS || kan_setup_is_pseudonym(setup, column) ||
           kan_setup_keeps(setup, column);
}

/* Whether the values of a column can be looked at: those that pass through where rows were counted
 * stay there. */
static bool is_at_hand(const kan_setup *setup, size_t column) {
    return setup->table->columns[column].is_encoded ||
           !(setup->table->counts || kan_input_engine(&setup->input));
}

static kan_status list_columns(const kan_setup *setup, kan_column_findings *out) {
    const size_t n = setup->table->n_columns;
    KAN_TRY(kan_alloc(setup->run, n, sizeof *out->open, &out->open));
    KAN_TRY(kan_alloc(setup->run, n, sizeof *out->ids, &out->ids));
    KAN_TRY(kan_alloc_zero(setup->run, n, sizeof *out->n_single, &out->n_single));
    KAN_TRY(kan_alloc_zero(setup->run, n, sizeof *out->people, &out->people));
    for (size_t i = 0; i < n; i++) {
        if (is_open(setup, i))
            out->open[out->n_open++] = i;
        if (setup->roles[i] == KAN_ROLE_ID && is_at_hand(setup, i))
            out->ids[out->n_ids++] = i;
    }
    return KAN_OK;
}

static kan_status count_singles(const kan_setup *setup, const kan_kept_question *question,
                                kan_column_findings *out) {
    bool all_are_at_hand = true;
    for (size_t i = 0; i < out->n_open; i++)
        all_are_at_hand &= is_at_hand(setup, out->open[i]);
    if (all_are_at_hand)
        return out->n_open == 0 ? KAN_OK
                                : kan_kept_singles(question, out->open, out->n_open, out->n_single,
                                                   &out->n_together);
    for (size_t i = 0; i < out->n_open; i++) {
        out->n_single[i] = KAN_NOT_COUNTED;
        if (is_at_hand(setup, out->open[i]))
            KAN_TRY(
                kan_kept_singles(question, &out->open[i], 1, &out->n_single[i], &out->n_together));
    }
    out->n_together = KAN_NOT_COUNTED;
    return KAN_OK;
}

/* Whether every released row shows what it has in the column. */
static bool is_shown(const kan_setup *setup, const kan_release *release, size_t column) {
    for (size_t i = 0; i < release->n_columns; i++) {
        const kan_release_column *c = &release->columns[i];
        if (c->source_column == column && (c->passes_through || c->shows_values))
            return !kan_setup_is_pseudonym(setup, column) &&
                   !kan_input_treatment(&setup->input, column);
    }
    return false;
}

static kan_status find_told(const kan_setup *setup, const kan_release *release,
                            kan_column_findings *out) {
    KAN_TRY(kan_alloc(setup->run, setup->n_strata, sizeof *out->told, &out->told));
    for (size_t i = 0; i < setup->n_strata; i++)
        if (!is_shown(setup, release, setup->strata[i]))
            out->told[out->n_told++] = setup->strata[i];
    return KAN_OK;
}

/* With a ledger no value of the column that names people stood twice, or there were no release. */
static bool is_of_each_row(const kan_setup *setup, const kan_release *release, size_t column) {
    return setup->past && !setup->person && setup->past->id == &setup->table->columns[column] &&
           !release->counts;
}

kan_status kan_columns_find(const kan_setup *setup, const kan_release *release,
                            kan_column_findings *out) {
    const kan_kept_question question = {setup->run, release, setup->table, setup->input.source};
    KAN_TRY(list_columns(setup, out));
    KAN_TRY(find_told(setup, release, out));
    out->n_released = kan_kept_rows(release);
    KAN_TRY(count_singles(setup, &question, out));
    /* groups of two and more have nobody alone */
    if (out->n_open > 0 && setup->promise.least_size < 2)
        KAN_TRY(kan_kept_alone(&question, &out->n_alone));
    for (size_t i = 0; i < out->n_ids; i++)
        KAN_TRY(is_of_each_row(setup, release, out->ids[i])
                    ? kan_kept_people_of_rows(&question, setup->promise.least_told, &out->people[i])
                    : kan_kept_people(&question, out->ids[i], setup->promise.least_told,
                                      &out->people[i]));
    return KAN_OK;
}

void kan_columns_destroy(kan_run *run, kan_column_findings *findings) {
    kan_free(run, findings->open);
    kan_free(run, findings->n_single);
    kan_free(run, findings->ids);
    kan_free(run, findings->people);
    kan_free(run, findings->told);
}

bool kan_columns_are_open(const kan_column_findings *findings) {
    return findings->n_open > 0 &&
           (findings->n_together == KAN_NOT_COUNTED || findings->n_together > findings->n_alone);
}

static bool repeats(const kan_people *people) {
    return people->n_people < people->n_rows;
}

/* What pseudonyms are for, and what they are not. */
static void tell_pseudonyms(const kan_setup *setup) {
    char quoted[256];
    for (size_t i = 0; i < setup->table->n_columns; i++)
        if (kan_setup_is_pseudonym(setup, i))
            kan_note(setup->run,
                     "column %s is released as pseudonyms: rows can be linked by it, in this "
                     "release and with others that have the key; the release is pseudonymous, not "
                     "anonymous, and %s",
                     kan_quote(kan_slice_of(name_of(setup, i)), quoted),
                     setup->shows_person ? "the promise is about what the quasi-identifiers show "
                                           "of all rows of a person"
                                         : "the promise is about each row by itself; --person NAME "
                                           "--person-promise histories makes it one about people");
}

/* All rows of a stratum have the same factor: weights that are like no other, or few, show it. */
static void tell_calibrated(const kan_setup *setup, const kan_column_findings *findings) {
    char names[512], quoted[256];
    kan_name_list list = kan_names_begin(names, sizeof names, 4);
    if (findings->n_told == 0)
        return;
    for (size_t i = 0; i < findings->n_told; i++)
        kan_names_add_quoted(&list, name_of(setup, findings->told[i]));
    (void)kan_names_end(&list);
    kan_note(setup->run,
             "column %s is calibrated by %s, which %s not released as %s: all weights of a stratum "
             "have the same factor, so that a weight can tell its stratum to whoever knows what "
             "weights there were",
             kan_quote(kan_slice_of(name_of(setup, setup->calibrated)), quoted), names,
             findings->n_told == 1 ? "is" : "are", findings->n_told == 1 ? "it is" : "they are");
}

void kan_columns_tell(const kan_setup *setup, const kan_column_findings *findings) {
    tell_pseudonyms(setup);
    tell_calibrated(setup, findings);
    for (size_t i = 0; i < findings->n_ids; i++) {
        const kan_people *p = &findings->people[i];
        char quoted[256], rows[32], values[32], groups[32], small[32];
        if (!repeats(p) || setup->person || setup->household)
            continue;
        kan_note(setup->run,
                 "column %s (--id) repeats: %s different value%s in %s released rows; the promise "
                 "counts rows, and %s of %s groups hold%s fewer than %" PRIu64
                 " people by it; --person NAME instead makes it a promise about people",
                 kan_quote(kan_slice_of(name_of(setup, findings->ids[i])), quoted),
                 kan_count_text(p->n_people, values), p->n_people == 1 ? "" : "s",
                 kan_count_text(p->n_rows, rows), kan_count_text(p->n_small_groups, small),
                 kan_count_text(p->n_groups, groups), p->n_small_groups == 1 ? "s" : "",
                 setup->promise.least_told);
    }
}

/* ---- the result ----------------------------------------------------------------------------- */

/* What became of a column in the released rows: of a quasi-identifier whether every one of them shows
 * its value, every one shows *, or neither. */
static const char *became(const kan_released *released, size_t column) {
    static const char *const words[] = {[KAN_RELEASED_SAME] = "unchanged",
                                        [KAN_RELEASED_COARSER] = "generalized",
                                        [KAN_RELEASED_STAR] = "removed"};
    const kan_setup *setup = released->solution->setup;
    if (!kan_setup_releases(setup, column))
        return "left out";
    for (unsigned a = 0; a < setup->n_quasi; a++)
        if (setup->quasi[a] == column)
            return words[kan_released_became(released, a)];
    return "unchanged";
}

static json_t *singles_json(const kan_column_findings *findings, size_t column) {
    for (size_t i = 0; i < findings->n_open; i++)
        if (findings->open[i] == column && findings->n_single[i] != KAN_NOT_COUNTED)
            return kan_json_count(findings->n_single[i]);
    return json_null();
}

static void add_calibrated(const kan_setup *setup, const kan_column_findings *findings,
                           kan_text *text) {
    kan_text_print(text, "calibrated, so that sums by ");
    kan_setup_add_strata(setup, text);
    kan_text_print(text, " are those of all rows");
    for (size_t i = 0; i < findings->n_told; i++) {
        kan_text_print(text, "%s", i == 0 ? "; a weight can tell " : ", ");
        (void)kan_words_add_label(text, kan_slice_of(name_of(setup, findings->told[i])),
                                  NAME_COLUMNS);
    }
}

/* What was done to the values; NULL where it could not be made. */
static json_t *treated_json(const kan_setup *setup, const kan_column_findings *findings,
                            const kan_treatment *treatment) {
    kan_text words;
    kan_text_init(&words, setup->run);
    if (treatment)
        kan_treatment_add_words(treatment, &words);
    else
        add_calibrated(setup, findings, &words);
    json_t *made = kan_text_status(&words) == KAN_OK ? kan_json_text(words.bytes) : NULL;
    kan_text_destroy(&words);
    return made;
}

json_t *kan_columns_json(const kan_released *released, const kan_column_findings *findings) {
    const kan_setup *setup = released->solution->setup;
    json_t *columns = json_array();
    for (size_t i = 0; i < setup->table->n_columns; i++) {
        const kan_treatment *treatment = kan_input_treatment(&setup->input, i);
        json_t *column = json_pack("{s:o, s:s, s:s, s:o}", "name", kan_json_text(name_of(setup, i)),
                                   "role", kan_role_word(setup->roles[i]), "became",
                                   became(released, i), "singles_out", singles_json(findings, i));
        if ((treatment || kan_setup_calibrates(setup, i)) &&
            json_object_set_new(column, "treated", treated_json(setup, findings, treatment))) {
            json_decref(column);
            column = NULL;
        }
        columns = kan_json_append(columns, column);
    }
    return columns;
}

json_t *kan_columns_people_json(const kan_setup *setup, const kan_column_findings *findings) {
    json_t *list = json_array();
    for (size_t i = 0; i < findings->n_ids; i++) {
        const kan_people *p = &findings->people[i];
        list = kan_json_append(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "column",
                                               kan_json_text(name_of(setup, findings->ids[i])),
                                               "rows", kan_json_count(p->n_rows), "people",
                                               kan_json_count(p->n_people), "groups",
                                               kan_json_count(p->n_groups), "small_groups",
                                               kan_json_count(p->n_small_groups)));
    }
    return list;
}

/* ---- the summary ---------------------------------------------------------------------------- */

static void add_lead(kan_text *text, const char *lead) {
    kan_text_print(text, "  %-*s", LEAD - 2, lead);
}

/* "  left out    name, case (naming people)": the columns with that role, wrapped, those that are
 * treated apart from others. Returns whether there are any. */
static bool add_some(kan_text *text, const kan_setup *setup, const char *lead, kan_role role,
                     bool is_treated, const char *behind) {
    size_t n = 0, column = 0;
    for (size_t i = 0; i < setup->table->n_columns; i++) {
        const char *name = name_of(setup, i);
        size_t width = kan_text_columns(name, strlen(name));
        if (setup->roles[i] != role ||
            (kan_input_treatment(&setup->input, i) != NULL) != is_treated)
            continue;
        width = width > NAME_COLUMNS ? NAME_COLUMNS : width;
        kan_text_print(text, "%s", n > 0 ? "," : "");
        if (n == 0 || column + 1 + width + 2 > WIDTH) {
            kan_text_print(text, "%s", n > 0 ? "\n" : "");
            add_lead(text, n > 0 ? "" : lead);
            column = LEAD;
        } else {
            kan_text_print(text, " ");
            column++;
        }
        column += kan_words_add_label(text, kan_slice_of(name), NAME_COLUMNS) + 1;
        n++;
    }
    if (n > 0)
        kan_text_print(text, "%s%s\n",
                       column + strlen(behind) + 1 > WIDTH ? "\n              " : " ", behind);
    return n > 0;
}

static bool add_list(kan_text *text, const kan_setup *setup, const char *lead, kan_role role,
                     const char *behind) {
    return add_some(text, setup, lead, role, false, behind);
}

static void add_treated(kan_text *text, const kan_setup *setup,
                        const kan_column_findings *findings) {
    for (size_t i = 0; i < setup->input.n_treatments; i++) {
        const kan_treatment *t = &setup->input.treatments[i];
        add_lead(text, i == 0 ? "treated" : "");
        (void)kan_words_add_label(text, kan_slice_of(t->name), NAME_COLUMNS);
        kan_text_print(text, ": ");
        kan_treatment_add_words(t, text);
        kan_text_print(text, "\n");
    }
    if (setup->n_strata == 0)
        return;
    add_lead(text, setup->input.n_treatments == 0 ? "treated" : "");
    (void)kan_words_add_label(text, kan_slice_of(name_of(setup, setup->calibrated)), NAME_COLUMNS);
    kan_text_print(text, ": ");
    add_calibrated(setup, findings, text);
    kan_text_print(text, "\n");
}

/* How many of those who are alone are so by what is kept; nothing where all are. */
static void add_by(kan_text *text, const kan_column_findings *findings, uint64_t n_single,
                   const char *what) {
    char by[32];
    if (findings->n_alone > 0)
        kan_text_print(text, ", %s of them because of %s",
                       kan_count_text(n_single - findings->n_alone, by), what);
    kan_text_print(text, "\n");
}

static void add_open(kan_text *text, const kan_setup *setup, const kan_column_findings *findings) {
    char single[32], rows[32];
    (void)kan_count_text(findings->n_released, rows);
    for (size_t i = 0; i < findings->n_open; i++) {
        const bool is_class = setup->roles[findings->open[i]] == KAN_ROLE_CLASS;
        const bool is_pseudonym = kan_setup_is_pseudonym(setup, findings->open[i]);
        add_lead(text, is_class ? "class" : is_pseudonym ? "pseudonym" : "kept");
        (void)kan_words_add_label(text, kan_slice_of(name_of(setup, findings->open[i])),
                                  NAME_COLUMNS);
        const bool is_treated = kan_input_treatment(&setup->input, findings->open[i]) != NULL;
        if (findings->n_single[i] == KAN_NOT_COUNTED) {
            kan_text_print(text, ", as it is; whom it singles out was not counted\n");
            continue;
        }
        kan_text_print(text, ", %s; whoever also knows it can single out %s of %s rows",
                       is_treated                                       ? "treated"
                       : kan_setup_calibrates(setup, findings->open[i]) ? "calibrated"
                                                                        : "as it is",
                       kan_count_text(findings->n_single[i], single), rows);
        add_by(text, findings, findings->n_single[i], "it");
    }
    if (findings->n_open > 1 && findings->n_together != KAN_NOT_COUNTED) {
        add_lead(text, "");
        kan_text_print(text, "whoever knows all %zu of these: %s of %s rows", findings->n_open,
                       kan_count_text(findings->n_together, single), rows);
        add_by(text, findings, findings->n_together, "them");
    }
}

static void add_people(kan_text *text, const kan_setup *setup,
                       const kan_column_findings *findings) {
    for (size_t i = 0; i < findings->n_ids; i++) {
        const kan_people *p = &findings->people[i];
        char rows[32], values[32], groups[32], small[32];
        if (!repeats(p))
            continue;
        add_lead(text, "people");
        kan_text_print(text, "%s by ", kan_count_text(p->n_people, values));
        (void)kan_words_add_label(text, kan_slice_of(name_of(setup, findings->ids[i])),
                                  NAME_COLUMNS);
        kan_text_print(text, " in %s rows; %s of %s groups hold%s fewer than %" PRIu64 "\n",
                       kan_count_text(p->n_rows, rows), kan_count_text(p->n_small_groups, small),
                       kan_count_text(p->n_groups, groups), p->n_small_groups == 1 ? "s" : "",
                       setup->promise.least_told);
    }
}

void kan_columns_add(kan_text *text, const kan_setup *setup, const kan_column_findings *findings) {
    const size_t before = text->size;
    kan_text_print(text, "\n");
    const size_t began = text->size;
    add_treated(text, setup, findings);
    const bool has_plain = add_list(text, setup, "sensitive", KAN_ROLE_SENSITIVE, "(unchanged)");
    (void)add_some(text, setup, has_plain ? "" : "sensitive", KAN_ROLE_SENSITIVE, true,
                   "(treated)");
    add_open(text, setup, findings);
    const char *lead = "left out";
    if (add_list(text, setup, lead, KAN_ROLE_ID, "(direct identifiers)"))
        lead = "";
    if (!setup->shows_person &&
        add_list(text, setup, lead, KAN_ROLE_PERSON, "(identifies the person)"))
        lead = "";
    if (add_list(text, setup, lead, KAN_ROLE_HOUSEHOLD, "(identifies the household)"))
        lead = "";
    if (add_list(text, setup, lead, KAN_ROLE_DROP, "(dropped)"))
        lead = "";
    if (!setup->shows_weight && add_list(text, setup, lead, KAN_ROLE_WEIGHT, "(sampling weights)"))
        lead = "";
    if (!setup->keeps_others)
        (void)add_list(text, setup, lead, KAN_ROLE_OTHER, "(no role)");
    add_people(text, setup, findings);
    if (text->size == began)
        text->size = before; /* there are quasi-identifiers alone */
}
