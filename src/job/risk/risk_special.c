/* Rows by themselves: how many each can match, and the sets of columns that make it unique. Measured
 * here, and told as JSON and as lines; the file of rows is risk_rows.c. */
#include <stdlib.h>
#include <string.h>

#include "job/risk/risk_inside.h"
#include "job/tell/tell.h"

/* ---- what is wanted ------------------------------------------------------------------------- */

/* The setting that asks for the individual risk. */
static const char *asks_individual(const kan_options *options) {
    return kan_options_find(options, "sampling-weight") ? "sampling-weight"
           : kan_options_find(options, "household")     ? "household"
                                                        : "tolerated-risk";
}

kan_status kan_risk_special_begin(kan_risk_walk *w) {
    const kan_options *options = &w->job->options;
    const size_t n = w->n_quasi + w->n_means;
    w->matches_missing = kan_options_switch(options, "missing-matches");
    /* what makes a row unique says nothing of a person who has others */
    w->wants_sets = !w->person && (kan_options_find(options, "rows") ||
                                   kan_options_find(options, "suda-columns"));
    w->most_columns = (unsigned)kan_options_count(options, "suda-columns", KAN_SUDA_SIZE);
    w->wants_individual = kan_risk_wants_individual(w);
    if ((w->matches_missing || w->wants_sets || w->wants_individual) && n > KAN_RISK_COLUMNS)
        return kan_fail(w->run, KAN_BAD_INPUT,
                        "--%s looks at up to %d columns, and these are %zu; name fewer with --qi",
                        w->matches_missing                  ? "missing-matches"
                        : kan_options_find(options, "rows") ? "rows"
                        : w->wants_sets                     ? "suda-columns"
                                                            : asks_individual(options),
                        (int)KAN_RISK_COLUMNS, n);
    return KAN_OK;
}

/* ---- measuring ------------------------------------------------------------------------------ */

/* At which row the number of people of each row's group stands (risk_groups.h). */
static kan_status find_people(kan_risk_walk *w, kan_risk_special *special) {
    const kan_table *table = w->sides[KAN_RISK_TABLE].table;
    kan_risk_tuples alike;
    KAN_TRY(kan_risk_tuples_make(w->run, table, w->quasi[KAN_RISK_TABLE], w->n_quasi, &alike));
    const kan_status status =
        kan_alloc(w->run, table->n_rows, sizeof *special->people_at, &special->people_at);
    for (uint64_t row = 0; row < table->n_rows && status == KAN_OK; row++)
        special->people_at[row] = alike.first_row[alike.tuple_of_row[row]];
    kan_risk_tuples_destroy(&alike);
    return status;
}

static kan_status count_matches(kan_risk_walk *w, kan_risk_special *special) {
    kan_report_progress(w->run, "matches", 0, 0);
    KAN_TRY(kan_matching_create(&special->tuples, &special->matching));
    KAN_TRY(kan_alloc(w->run, special->tuples.n, sizeof *special->matches, &special->matches));
    KAN_TRY(kan_matching_count(special->matching, special->matches));
    KAN_TRY(kan_crowds_measure(&special->tuples, special->matches, w->threshold, &special->crowds));
    special->has_crowds = true;
    return KAN_OK;
}

static uint64_t rows_in_pairs(const kan_group_sizes *sizes) {
    for (size_t i = 0; i < sizes->n; i++)
        if (sizes->counts[i].size == 2)
            return 2 * sizes->counts[i].n_groups;
    return 0;
}

static kan_status find_sets(kan_risk_walk *w, kan_risk_special *special) {
    const kan_risk_measures *m = &w->measures[KAN_RISK_TABLE];
    const kan_suda_question question = {.tuples = &special->tuples,
                                        .most = w->most_columns,
                                        .matching = special->matching,
                                        .matches = special->matches};
    KAN_TRY(kan_suda_find(&question, &special->suda));
    special->has_suda = true;
    if (!m->has_estimates || special->suda.n_columns >= KAN_SUDA_SPREAD)
        return KAN_OK;
    special->has_dis = true;
    special->dis =
        kan_suda_dis(special->suda.n_unique,
                     special->has_crowds ? special->crowds.n_in_pairs : rows_in_pairs(&m->sizes),
                     m->estimates.fraction);
    return KAN_OK;
}

kan_status kan_risk_special_measure(kan_risk_walk *w, kan_risk_table table) {
    const bool is_table = table == KAN_RISK_TABLE;
    const kan_verify_side *side = &w->sides[table];
    kan_risk_special *special = &w->special[table];
    const bool wants_sets = is_table && w->wants_sets;
    if (side->is_blank)
        return KAN_OK;
    if (!(w->matches_missing || wants_sets || w->wants_individual))
        return special->people ? find_people(w, special) : KAN_OK;
    KAN_TRY(kan_risk_tuples_make(w->run, side->table, is_table ? w->groups_by : w->quasi[table],
                                 w->n_quasi + (is_table ? w->n_means : 0), &special->tuples));
    if (w->matches_missing)
        KAN_TRY(count_matches(w, special));
    if (w->wants_individual)
        KAN_TRY(kan_risk_individual_measure(w, table));
    if (wants_sets)
        KAN_TRY(find_sets(w, special));
    return special->people ? find_people(w, special) : KAN_OK;
}

void kan_risk_special_destroy(kan_risk_walk *w) {
    for (int table = 0; table < KAN_RISK_POPULATION; table++) {
        kan_risk_special *special = &w->special[table];
        kan_risk_individual_destroy(w->run, special);
        kan_matching_destroy(special->matching);
        kan_free(w->run, special->matches);
        kan_free(w->run, special->people);
        kan_free(w->run, special->people_at);
        kan_suda_destroy(&special->suda);
        kan_risk_tuples_destroy(&special->tuples);
    }
}

/* ---- JSON ----------------------------------------------------------------------------------- */

json_t *kan_json_crowds(const kan_crowds *crowds) {
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "rows",
        kan_json_count(crowds->n_rows), "rows_hiding", kan_json_count(crowds->n_hidden), "smallest",
        kan_json_count(crowds->smallest), "largest", kan_json_count(crowds->largest), "median",
        kan_json_count(crowds->median), "uniques", kan_json_count(crowds->n_unique), "highest",
        kan_json_real(crowds->highest), "average", kan_json_real(crowds->average), "rows_at_risk",
        kan_json_count(crowds->n_rows_at_risk), "share_at_risk",
        kan_json_real(crowds->share_at_risk));
}

static uint64_t all_sets(const kan_suda *suda) {
    uint64_t n = 0;
    for (unsigned s = 0; s < suda->most; s++)
        n += suda->n_minimal[s];
    return n;
}

static double share_of(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0;
}

static const char *column_name(const kan_risk_walk *w, size_t column) {
    return w->sides[KAN_RISK_TABLE].input.columns[w->groups_by[column]];
}

json_t *kan_json_special(const kan_risk_walk *w) {
    const kan_risk_special *special = &w->special[KAN_RISK_TABLE];
    const kan_suda *suda = &special->suda;
    json_t *sizes = json_array(), *columns = json_array();
    if (!special->has_suda) {
        json_decref(sizes);
        json_decref(columns);
        return json_null();
    }
    for (unsigned s = 0; s < suda->most; s++)
        sizes = kan_json_append(
            sizes,
            json_pack("{s:o, s:o, s:o, s:o}", "columns", kan_json_count(s + 1), "minimal_sets",
                      kan_json_count(suda->n_minimal[s]), "rows", kan_json_count(suda->n_rows[s]),
                      "rows_with_none_smaller", kan_json_count(suda->n_smallest[s])));
    for (unsigned c = 0; c < suda->n_columns; c++)
        columns = kan_json_append(
            columns, json_pack("{s:o, s:o, s:o}", "column", kan_json_text(column_name(w, c)),
                               "minimal_sets", kan_json_count(suda->held_by[c]), "share",
                               kan_json_real(share_of(suda->held_by[c], all_sets(suda)))));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "most_columns", kan_json_count(suda->most),
                     "unique_rows", kan_json_count(suda->n_unique), "minimal_sets",
                     kan_json_count(all_sets(suda)), "by_size", sizes, "by_column", columns, "dis",
                     special->has_dis ? kan_json_real(special->dis) : json_null());
}

/* ---- lines ---------------------------------------------------------------------------------- */

typedef struct {
    const char *name;
    uint64_t n_sets;
    unsigned place;
} held;

static int compare_held(const void *a, const void *b) {
    const held *x = a, *y = b;
    if (x->n_sets != y->n_sets)
        return x->n_sets > y->n_sets ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void add_columns(const kan_risk_walk *w, kan_text *text) {
    enum { MOST = 8, NAME = 28, LABEL = 30, NUMBER = 12 };
    const kan_suda *suda = &w->special[KAN_RISK_TABLE].suda;
    const uint64_t n_sets = all_sets(suda);
    held all[KAN_RISK_COLUMNS];
    if (n_sets == 0)
        return;
    for (unsigned c = 0; c < suda->n_columns; c++)
        all[c] = (held){column_name(w, c), suda->held_by[c], c};
    qsort(all, suda->n_columns, sizeof *all, compare_held);
    kan_text_print(text, "\n  %-*s%*s%*s\n", LABEL, "column", NUMBER, "sets", NUMBER, "of all");
    for (unsigned c = 0; c < suda->n_columns && c < MOST; c++) {
        char count[32];
        kan_text_print(text, "  ");
        const size_t used = kan_words_add_label(text, kan_slice_of(all[c].name), NAME);
        kan_text_print(text, "%*s%*s%*.1f%%\n", (int)(LABEL - used), "", NUMBER,
                       kan_count_text(all[c].n_sets, count), NUMBER - 1,
                       100 * share_of(all[c].n_sets, n_sets));
    }
    if (suda->n_columns > MOST)
        kan_text_print(text, "  and %u more; --json FILE has them\n", suda->n_columns - MOST);
}

void kan_risk_special_summary(const kan_risk_walk *w, kan_text *text) {
    enum { LABEL = 30, NUMBER = 12 };
    const kan_risk_special *special = &w->special[KAN_RISK_TABLE];
    const kan_suda *suda = &special->suda;
    uint64_t left = suda->n_unique;
    char rows[32], sets[32];
    if (!special->has_suda)
        return;
    kan_text_print(text, "\n  %-*s%*s%*s\n", LABEL, "unique by", NUMBER, "rows", NUMBER + 4,
                   "minimal sets");
    for (unsigned s = 0; s < suda->most; s++) {
        kan_text_print(text, "  %u %-*s%*s%*s\n", s + 1, LABEL - 2, s ? "columns" : "column",
                       NUMBER, kan_count_text(suda->n_smallest[s], rows), NUMBER + 4,
                       kan_count_text(suda->n_minimal[s], sets));
        left -= suda->n_smallest[s];
    }
    if (suda->n_columns > suda->most)
        kan_text_print(text, "  %-*s%*s%*s\n", LABEL, "more columns alone", NUMBER,
                       kan_count_text(left, rows), NUMBER + 4, "-");
    add_columns(w, text);
    if (special->has_dis)
        kan_text_print(text, "\n  DIS, a unique match is right: %.1f%%\n", 100 * special->dis);
}
