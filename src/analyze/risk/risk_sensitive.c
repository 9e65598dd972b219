/* What groups tell of sensitive values: one grouping for all columns, then each group is held
 * against the definitions of the models (recount_kind.h), which keep the worst, and every value
 * keeps the group in which it is most likely. */
#include "analyze/risk/risk_sensitive.h"

#include <stdlib.h>

#include "analyze/models/models.h"
#include "analyze/verify/verify.h"

enum { GROUPS_BETWEEN_CHECKS = 1 << 12 };

typedef struct {
    kan_run *run;
    const kan_sensitive_question *question;
    kan_model_groups by_group;
} counting;

/* ---- figures -------------------------------------------------------------------------------- */

kan_status kan_risk_figures_read(kan_run *run, kan_arena *arena, const kan_options *options,
                                 kan_risk_figures *out) {
    kan_risk_figures made = {.n = 0};
    kan_risk_figure *all;
    size_t n = 0;
    for (size_t k = 0; k < kan_recount_count(); k++)
        n += kan_recount_at(k)->n_figures;
    KAN_TRY(kan_arena_alloc(arena, n, sizeof *all, &all));
    for (size_t k = 0; k < kan_recount_count(); k++) {
        const kan_recount_kind *kind = kan_recount_at(k);
        made.use_distance |= kind->n_figures > 0 && kind->uses_distance;
        for (size_t i = 0; i < kind->n_figures; i++) {
            const char *option = kind->figures[i].option;
            kan_risk_figure *figure = &all[made.n++];
            *figure = (kan_risk_figure){.figure = &kind->figures[i],
                                        .model = kind->figures[i].model,
                                        .is_told = !option || kan_options_find(options, option)};
            figure->model.kind = kind;
            figure->model.options = options;
            if (option && figure->is_told)
                KAN_TRY(kan_recount_read_decimal(run, options, option, &figure->model));
        }
    }
    made.all = all;
    *out = made;
    return KAN_OK;
}

/* ---- counting ------------------------------------------------------------------------------- */

static kan_status count(counting *c) {
    const kan_sensitive_question *question = c->question;
    const kan_model_rows rows = {.table = question->table,
                                 .quasi = question->quasi,
                                 .n_quasi = question->n_quasi,
                                 .columns = question->columns,
                                 .sensitive = question->sensitive,
                                 .n_columns = question->n_columns,
                                 .uses_distance = question->figures->use_distance,
                                 .person_of = question->person_of};
    return kan_model_groups_make(c->run, &rows, &c->by_group);
}

/* ---- groups --------------------------------------------------------------------------------- */

static void take_models(const counting *c, const kan_model_values *values,
                        const kan_model_tally *tally, kan_sensitive_risk *risk) {
    const kan_risk_figures *figures = c->question->figures;
    for (size_t i = 0; i < figures->n; i++)
        if (figures->all[i].is_told)
            (void)figures->all[i].model.kind->check(&figures->all[i].model, values, tally,
                                                    &risk->reached[i]);
}

static void take_value(kan_value_confidence *value, uint64_t part, uint64_t whole) {
    const int order =
        value->whole == 0 ? 1 : kan_model_compare(part, whole, value->part, value->whole);
    value->n_rows += part;
    if (order < 0 || (order == 0 && whole <= value->whole))
        return;
    value->part = part;
    value->whole = whole;
}

static kan_status take_groups(counting *c, size_t column, const size_t *start,
                              const struct kan_model_count *counts, uint64_t *room,
                              kan_value_confidence *by_place, kan_sensitive_risk *risk) {
    const kan_tuples *tuples = &c->by_group.groups.tuples;
    for (size_t g = 0; g < tuples->n; g++) {
        const kan_model_tally tally = {
            .column = column,
            .n_rows = tuples->count[g],
            .total = kan_model_total(counts + start[g], start[g + 1] - start[g]),
            .n = start[g + 1] - start[g],
            .counts = counts + start[g],
            .room = room};
        if (g % GROUPS_BETWEEN_CHECKS == 0)
            KAN_TRY(kan_check_cancel(c->run));
        take_models(c, &c->by_group.values[column], &tally, risk);
        for (size_t i = 0; i < tally.n; i++)
            take_value(&by_place[tally.counts[i].place], tally.counts[i].count, tally.n_rows);
        if (tally.n == 1) {
            risk->n_groups_certain++;
            risk->n_rows_certain += tally.n_rows;
        }
    }
    return KAN_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static int compare_values(const void *a, const void *b) {
    const kan_value_confidence *x = a, *y = b;
    const int order = kan_model_compare(y->part, y->whole, x->part, x->whole);
    if (order != 0)
        return order;
    if (x->n_rows != y->n_rows)
        return x->n_rows < y->n_rows ? 1 : -1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Those that a row has, in their order; a number that is spelled in several ways by the first. */
static kan_status list_values(counting *c, size_t column, kan_value_confidence *by_place,
                              kan_sensitive_risk *risk) {
    const kan_dictionary *dictionary = &c->question->sensitive[column]->dictionary;
    const kan_tuples *tuples = &c->by_group.groups.tuples;
    uint64_t n = 0; /* rows, or people in their groups */
    for (size_t g = 0; g < tuples->n; g++)
        n += tuples->count[g];
    const double n_rows = (double)n;
    KAN_TRY(kan_alloc(c->run, dictionary->n, sizeof *risk->values, &risk->values));
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const size_t place = c->by_group.values[column].place_of[code];
        kan_value_confidence value = by_place[place];
        if (value.n_rows == 0)
            continue;
        by_place[place].n_rows = 0; /* once, however many spellings it has */
        value.value = kan_dictionary_value(dictionary, code);
        value.confidence = (double)value.part / (double)value.whole;
        value.share = (double)value.n_rows / n_rows;
        value.order = code;
        risk->values[risk->n_values++] = value;
    }
    if (risk->n_values > 0)
        qsort(risk->values, risk->n_values, sizeof *risk->values, compare_values);
    return KAN_OK;
}

static kan_status take_column(counting *c, size_t column, kan_sensitive_risk *risk) {
    kan_run *run = c->run;
    kan_tuples *pairs = &c->by_group.pairs[column];
    const size_t n_groups = c->by_group.groups.tuples.n,
                 n_places = c->by_group.values[column].n_places;
    size_t *start = NULL;
    struct kan_model_count *counts = NULL;
    uint64_t *room = NULL;
    kan_value_confidence *by_place = NULL;
    kan_status status;
    risk->name = c->question->sensitive[column]->name;
    KAN_TRY_DONE(
        kan_alloc_zero(run, c->question->figures->n, sizeof *risk->reached, &risk->reached));
    KAN_TRY_DONE(kan_alloc_zero(run, n_groups + 2, sizeof *start, &start));
    KAN_TRY_DONE(kan_alloc(run, pairs->n, sizeof *counts, &counts));
    kan_model_pairs_sort(pairs, n_groups, start, counts);
    kan_tuples_destroy(pairs);
    KAN_TRY_DONE(kan_alloc(run, n_places, sizeof *room, &room));
    KAN_TRY_DONE(kan_alloc_zero(run, n_places, sizeof *by_place, &by_place));
    KAN_TRY_DONE(take_groups(c, column, start, counts, room, by_place, risk));
    KAN_TRY_DONE(list_values(c, column, by_place, risk));
done:
    kan_free(run, start);
    kan_free(run, counts);
    kan_free(run, room);
    kan_free(run, by_place);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

kan_status kan_risk_sensitive(kan_run *run, const kan_sensitive_question *question,
                              kan_sensitive_risks *out) {
    counting c = {.run = run, .question = question, .by_group = {.run = run}};
    kan_sensitive_risks risks = {
        .run = run, .figures = question->figures, .n = question->n_columns};
    kan_status status;
    KAN_TRY_DONE(count(&c));
    KAN_TRY_DONE(kan_alloc_zero(run, risks.n, sizeof *risks.columns, &risks.columns));
    for (size_t i = 0; i < risks.n; i++)
        KAN_TRY_DONE(take_column(&c, i, &risks.columns[i]));
    *out = risks;
    risks.columns = NULL;
done:
    if (risks.columns)
        kan_sensitive_risks_destroy(&risks);
    kan_model_groups_destroy(&c.by_group);
    return status;
}

void kan_sensitive_risks_destroy(kan_sensitive_risks *risks) {
    for (size_t i = 0; risks->columns && i < risks->n; i++) {
        kan_free(risks->run, risks->columns[i].values);
        kan_free(risks->run, risks->columns[i].reached);
    }
    kan_free(risks->run, risks->columns);
    *risks = (kan_sensitive_risks){.run = risks->run};
}
