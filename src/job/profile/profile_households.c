/* What all members of a household share (--household): found while columns are in memory, and told.
 *
 * It is exact, and looked for in all rows. Where rows are counted where they are (a database), which rows
 * are one household's is not known of all columns at once, and it is not looked for: a note says so. */
#include <inttypes.h>

#include "core/wording.h"
#include "job/profile/profile_inside.h"
#include "job/tell/tell.h"

enum {
    FEW = 20
}; /* a column is nearly the same where one household of so many differs, or fewer */

/* ---- the column ----------------------------------------------------------------------------- */

/* A job file may be of another table. */
static kan_status miss_column(const kan_profile_walk *p, kan_slice name) {
    char quoted[256];
    (void)kan_quote(name, quoted);
    if (kan_options_is_flag(&p->job->options, "household"))
        return kan_fail(p->run, KAN_BAD_INPUT,
                        "%s: no column %s that --household could read; name the column that says "
                        "which rows are one household's, or leave it out",
                        p->input.name, quoted);
    kan_note(p->run,
             "%s has no column %s, the household of the job file: what members of a household "
             "share is not looked for",
             p->input.name, quoted);
    return KAN_OK;
}

kan_status kan_profile_find_household(kan_profile_walk *p) {
    const char *name = kan_options_find(&p->job->options, "household");
    if (!name)
        return KAN_OK;
    if (!kan_input_find(&p->input, kan_slice_of(name), &p->household) ||
        kan_profile_is_nested(p, p->household))
        return miss_column(p, kan_slice_of(name));
    if (p->input.source && p->input.source->kind->count) {
        kan_note(p->run,
                 "the rows of %s are counted where they are, so that what members of a household "
                 "share is not looked for (--household)",
                 p->input.name);
        return KAN_OK;
    }
    KAN_TRY(kan_alloc(p->run, p->input.n_columns, sizeof *p->n_differing, &p->n_differing));
    for (size_t c = 0; c < p->input.n_columns; c++)
        p->n_differing[c] = UINT64_MAX;
    p->has_household = true;
    return KAN_OK;
}

kan_status kan_profile_take_household(kan_profile_walk *p, size_t first, size_t end) {
    if (!p->has_household)
        return KAN_OK;
    const kan_column *columns = p->input.table->columns, *household = &columns[p->household];
    if (first == 0)
        KAN_TRY(kan_profile_households_count(p->run, household, &p->households));
    for (size_t c = first; c < end; c++)
        if (c != p->household && columns[c].is_encoded)
            KAN_TRY(
                kan_profile_households_differ(p->run, household, &columns[c], &p->n_differing[c]));
    return KAN_OK;
}

void kan_profile_settle_household(kan_profile_walk *p) {
    if (!p->has_household)
        return;
    kan_profile_column *column = &p->columns[p->household];
    column->role = KAN_ROLE_ID;
    column->identifier = KAN_IDENTIFIER_NONE;
    column->is_of_person = false;
    column->certainty = KAN_LIKELY;
    column->spec[0] = '\0';
    snprintf(column->reason, sizeof column->reason,
             "--household says that it identifies the household");
}

/* ---- telling -------------------------------------------------------------------------------- */

static bool is_compared(const kan_profile_walk *p, size_t c) {
    return p->n_differing[c] != UINT64_MAX;
}

json_t *kan_profile_household_json(const kan_profile_walk *p) {
    const kan_profile_households *households = &p->households;
    json_t *list = json_array();
    if (!p->has_household) {
        json_decref(list);
        return json_null();
    }
    for (size_t c = 0; c < p->input.n_columns; c++)
        if (is_compared(p, c))
            list = kan_json_append(list, json_pack("{s:o, s:o}", "name",
                                                   kan_json_text(p->input.columns[c]), "differing",
                                                   kan_json_count(p->n_differing[c])));
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o}", "column", kan_json_text(p->input.columns[p->household]),
        "households", kan_json_count(households->n), "of_several_rows",
        kan_json_count(households->n_several), "most_rows", kan_json_count(households->n_most),
        "rows_without", kan_json_count(households->n_rows_without), "columns", list);
}

/* What is the same in every row says nothing of households. */
static bool is_constant(const kan_profile_column *column) {
    return column->n_distinct + (column->n_missing > 0) < 2;
}

/* Columns in which so many households differ, at least and at most; how many there are. */
static size_t name_columns(const kan_profile_walk *p, uint64_t least, uint64_t most, char *words,
                           size_t room) {
    enum { MOST_NAMED = 30 };
    kan_name_list names = kan_names_begin(words, room, MOST_NAMED);
    size_t n = 0;
    for (size_t c = 0; c < p->input.n_columns; c++) {
        char quoted[256], name[64];
        if (!is_compared(p, c) || p->n_differing[c] < least || p->n_differing[c] > most ||
            is_constant(&p->columns[c]))
            continue;
        snprintf(name, sizeof name, "%.60s", kan_quote(kan_slice_of(p->input.columns[c]), quoted));
        kan_names_add(&names, name);
        n++;
    }
    (void)kan_names_end(&names);
    return n;
}

static void add_counts(const kan_profile_walk *p, kan_text *text) {
    const kan_profile_households *households = &p->households;
    char words[300], rooms[4][64];
    int size = snprintf(words, sizeof words, "%s, %s of them of several rows, the largest has %s",
                        kan_profile_counted(households->n, "household", "households", rooms[0]),
                        kan_count_text(households->n_several, rooms[1]),
                        kan_profile_counted(households->n_most, "row", "rows", rooms[2]));
    if (households->n_rows_without > 0)
        snprintf(words + size, sizeof words - (size_t)size, "; %s no household",
                 kan_profile_counted(households->n_rows_without, "row has", "rows have", rooms[3]));
    kan_text_print(text, "  ");
    kan_profile_add_words(text, words, 2, 2);
}

static void add_shared(const kan_profile_walk *p, kan_text *text) {
    const uint64_t few = p->households.n_several / FEW;
    char names[2400], words[2800];
    size_t n = name_columns(p, 0, 0, names, sizeof names);
    kan_text_print(text, "  ");
    if (n == 0)
        snprintf(words, sizeof words, "no column is the same for all members of each household");
    else
        snprintf(words, sizeof words,
                 "the same for all members of each household: %s; whoever knows %s of one member "
                 "knows it of all",
                 names, n == 1 ? "it" : "one of these");
    kan_profile_add_words(text, words, 2, 4);
    n = few > 0 ? name_columns(p, 1, few, names, sizeof names) : 0;
    if (n == 0)
        return;
    snprintf(words, sizeof words, "the same in all but 5 %% of the households, or fewer: %s",
             names);
    kan_text_print(text, "  ");
    kan_profile_add_words(text, words, 2, 4);
}

kan_status kan_profile_add_household(const kan_profile_walk *p, kan_text *text) {
    char quoted[256];
    if (!p->has_household)
        return KAN_OK;
    kan_text_print(text, "\nWhat members of a household share, by %s\n",
                   kan_quote(kan_slice_of(p->input.columns[p->household]), quoted));
    add_counts(p, text);
    if (p->households.n == 1 && p->households.n_rows_without == 0)
        kan_text_print(text, "  one household of everybody: another column tells them apart\n");
    else if (p->households.n_several == 0)
        kan_text_print(text, "  no household has several rows: there is nothing to compare\n");
    else
        add_shared(p, text);
    return kan_text_status(text);
}
