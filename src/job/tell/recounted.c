/* The promise as results show it. Numbers that the user wrote are told as they were written; what
 * was reached is told to six digits for people, to fifteen for programs. */
#include "job/tell/recounted.h"

#include <inttypes.h>
#include <string.h>

#include "job/settings/settings.h"
#include "job/tell/claim_make.h"
#include "job/tell/json.h"

/* ---- the promise ---------------------------------------------------------------------------- */

/* As many models of that name as the promise has: one for each set of columns. */
static bool knows(const kan_claim *claim, const kan_promise *promise, const char *name) {
    size_t n_claimed = 0, n_promised = 0;
    if (strcmp(name, KAN_CLAIM_K) == 0)
        return true;
    for (size_t m = 0; m < claim->n_models; m++)
        n_claimed += strcmp(claim->models[m].kind->name, name) == 0;
    for (unsigned m = 0; m < promise->n_models; m++)
        n_promised += strcmp(promise->models[m].kind->kind.name, name) == 0;
    return n_claimed == n_promised;
}

kan_status kan_recounted_claim(kan_job *job, const kan_promise *promise, const kan_table *whole,
                               bool is_release, kan_claim *out) {
    kan_claim claim;
    KAN_TRY(kan_claim_make(job, whole, is_release, &claim));
    for (unsigned m = 0; promise && m < promise->n_models; m++)
        if (!knows(&claim, promise, promise->models[m].kind->kind.name))
            return kan_claim_refuse(job, promise->models[m].kind->kind.name);
    *out = claim;
    return KAN_OK;
}

bool kan_claim_protects(const kan_claim *claim, const char *column) {
    for (size_t c = 0; c < claim->n_columns; c++)
        for (size_t m = 0; strcmp(claim->columns[c].name, column) == 0 && m < claim->n_models; m++)
            if (claim->models[m].kind->check && kan_claim_looks_at(&claim->models[m], c))
                return true;
    return false;
}

bool kan_recounted_has_k(const kan_recounted *recounted) {
    return recounted->claim->fits == 0 && recounted->claim->by_column == 0 &&
           recounted->claim->subsets.n == 0 &&
           (kan_options_find(&recounted->job->options, "k") || recounted->claim->n_models == 0);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* A number as the user wrote it: without a point where there was none. */
static json_t *number_json(const char *text) {
    uint64_t count;
    double real;
    if (kan_parse_count(text, &count))
        return kan_json_count(count);
    return kan_parse_real(text, strlen(text), &real) ? kan_json_real(real) : kan_json_text(text);
}

/* What the user has given for an option; null: nothing. */
static json_t *given_json(const kan_options *options, const char *name) {
    const size_t n = kan_options_count_of(options, name);
    if (n == 0)
        return json_null();
    json_t *values = json_array();
    for (size_t i = 0; i < n; i++)
        values = kan_json_append(values, kan_json_text(kan_options_at(options, name, i)));
    return values;
}

static json_t *fact_json(const kan_fact *fact, const kan_options *options) {
    switch (fact->type) {
    case KAN_FACT_NUMBER:
        return number_json(fact->text);
    case KAN_FACT_COUNT:
        return kan_json_count(fact->count);
    case KAN_FACT_WORD:
        return json_string(fact->text);
    case KAN_FACT_SWITCH:
        return json_boolean(fact->count);
    case KAN_FACT_RATIO:
        return kan_json_real((double)fact->count / (double)fact->whole);
    case KAN_FACT_GIVEN:
        return given_json(options, fact->text);
    }
    return json_null();
}

static bool is_hidden(const kan_recounted *recounted, size_t m) {
    return recounted->hides_distances && recounted->claim->models[m].kind->uses_whole;
}

static bool has_column(const kan_recounted *recounted, size_t m) {
    return recounted->claim->models[m].kind->check != NULL;
}

static bool looks_at(const kan_recounted *recounted, size_t m, size_t column) {
    return kan_claim_looks_at(&recounted->claim->models[m], column);
}

/* The column that says most of a model: where the worst was found, else the first that it looks at;
 * NULL for a model that looks at none. */
static const kan_claim_column *column_of(const kan_recounted *recounted, size_t m) {
    const kan_claim *claim = recounted->claim;
    size_t column = 0;
    if (!has_column(recounted, m))
        return NULL;
    while (!looks_at(recounted, m, column) && column + 1 < claim->n_columns)
        column++;
    if (recounted->found && recounted->found->models[m].is_reached && !is_hidden(recounted, m))
        column = recounted->found->models[m].column;
    return &claim->columns[column];
}

/* Whether it looks at several columns, so that the one which says most is told. */
static bool has_columns(const kan_recounted *recounted, size_t m) {
    size_t n = 0;
    for (size_t c = 0; c < recounted->claim->n_columns; c++)
        n += looks_at(recounted, m, c);
    return has_column(recounted, m) && n > 1;
}

/* The columns of a model that does not look at all of them. */
static json_t *columns_json(const kan_recounted *recounted, size_t m) {
    json_t *names = json_array();
    for (size_t c = 0; c < recounted->claim->n_columns; c++)
        if (looks_at(recounted, m, c))
            names = kan_json_append(names, kan_json_text(recounted->claim->columns[c].name));
    return names;
}

static json_t *promised_json(const kan_recounted *recounted, size_t m) {
    const kan_claim_model *model = &recounted->claim->models[m];
    json_t *object = json_pack("{s:s}", "model", model->kind->name);
    kan_facts facts = {.n = 0};
    model->kind->tell(model, column_of(recounted, m), &facts);
    for (size_t i = 0; i < facts.n; i++)
        object = kan_json_set(object, facts.facts[i].key,
                              fact_json(&facts.facts[i], &recounted->job->options));
    if (model->looks_at)
        object = kan_json_set(object, "columns", columns_json(recounted, m));
    return object;
}

static json_t *reached_json(const kan_model_recount *found) {
    if (!found || !found->is_reached)
        return json_null();
    return found->is_count ? kan_json_count(found->count) : kan_json_real(found->reached);
}

static json_t *model_json(const kan_recounted *recounted, size_t m) {
    const kan_model_recount *found = recounted->found ? &recounted->found->models[m] : NULL;
    json_t *object = promised_json(recounted, m);
    object = kan_json_set(object, "reached", reached_json(found));
    if (has_columns(recounted, m))
        object = kan_json_set(object, "column", kan_json_text(column_of(recounted, m)->name));
    if (found && recounted->tells_holds) {
        object = kan_json_set(object, "holds", json_boolean(found->holds));
        object = kan_json_set(object, "failing_groups", kan_json_count(found->n_failing_groups));
        object = kan_json_set(object, "failing_rows", kan_json_count(found->n_failing_rows));
    }
    return object;
}

/* Of --subsets. */
static json_t *sizes_json(const kan_column_sets *subsets) {
    json_t *sizes = json_array();
    for (unsigned i = 0; i < subsets->n; i++)
        sizes = kan_json_append(sizes, json_pack("{s:o, s:o}", "columns",
                                                 kan_json_count(subsets->sizes[i].m), "k",
                                                 kan_json_count(subsets->sizes[i].k)));
    return sizes;
}

static json_t *matches_promised_json(const kan_recounted *recounted) {
    json_t *object = json_pack("{s:s, s:o}", "model", KAN_CLAIM_MATCHES, "k",
                               kan_json_count(recounted->claim->fits));
    if (recounted->claim->strata)
        object = kan_json_set(object, "strata", kan_json_text(recounted->claim->strata));
    if (recounted->claim->subsets.n > 0)
        object = kan_json_set(object, "subsets", sizes_json(&recounted->claim->subsets));
    if (recounted->tells_holds && recounted->found)
        object = kan_json_set(object, "holds", json_boolean(recounted->found->fits.holds));
    return object;
}

static json_t *by_column_promised_json(const kan_recounted *recounted) {
    json_t *object = json_pack("{s:s, s:o}", "model", KAN_PROMISE_PER_COLUMN, "k",
                               kan_json_count(recounted->claim->by_column));
    if (recounted->tells_holds && recounted->found)
        object = kan_json_set(object, "holds", json_boolean(recounted->found->columns.holds));
    return object;
}

json_t *kan_recounted_json(const kan_recounted *recounted, bool k_holds) {
    json_t *models = json_array();
    if (recounted->claim->by_column > 0)
        models = kan_json_append(models, by_column_promised_json(recounted));
    if (recounted->claim->fits > 0)
        models = kan_json_append(models, matches_promised_json(recounted));
    if (kan_recounted_has_k(recounted)) {
        json_t *k =
            json_pack("{s:s, s:o}", "model", KAN_CLAIM_K, "k", kan_json_count(recounted->claim->k));
        if (recounted->tells_holds)
            k = kan_json_set(k, "holds", json_boolean(k_holds));
        models = kan_json_append(models, k);
    }
    for (size_t m = 0; m < recounted->claim->n_models; m++)
        models = kan_json_append(models, model_json(recounted, m));
    return models;
}

json_t *kan_matches_json(const kan_fits_recount *fits) {
    if (!fits->is_counted)
        return json_null();
    const double fewest = (double)(fits->fewest_rows ? fits->fewest_rows : 1);
    json_t *object = json_pack(
        "{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o}}", "k", kan_json_count(fits->k),
        "holds", (int)fits->holds, "fewest_people", kan_json_count(fits->fewest_people),
        "fewest_rows", kan_json_count(fits->fewest_rows), "small_rows",
        kan_json_count(fits->n_small_rows), "small_people", kan_json_count(fits->n_small_people),
        "open_rows", kan_json_count(fits->n_open_rows), "open_people",
        kan_json_count(fits->n_open_people), "cells", kan_json_count(fits->n_hidden), "risk",
        "highest", kan_json_real(1 / fewest), "average", kan_json_real(fits->average_risk));
    if (fits->n_sets == 0)
        return object;
    object = kan_json_set(object, "sets", kan_json_count(fits->n_sets));
    return kan_json_set(object, "failing_sets", kan_json_count(fits->n_failing_sets));
}

json_t *kan_by_column_json(const kan_columns_recount *found) {
    if (!found->is_counted)
        return json_null();
    return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o}", "k", kan_json_count(found->k), "holds",
                     (int)found->holds, "fewest_rows", kan_json_count(found->fewest_rows),
                     "small_values", kan_json_count(found->n_small_values), "small_rows",
                     kan_json_count(found->n_small_rows), "alone", kan_json_count(found->n_alone));
}

/* ---- text ----------------------------------------------------------------------------------- */

void kan_by_column_add(const kan_models_recount *found, kan_text *text) {
    char alone[32], all[32];
    const uint64_t n = found->groups.n_rows;
    kan_text_print(text,
                   "nothing is promised for rows as a whole: %s of "
                   "%s %s unique by all columns together",
                   kan_count_text(found->columns.n_alone, alone), kan_count_text(n, all),
                   found->columns.n_alone == 1 ? "rows is" : "rows are");
}

/* "k=5 people by each 2 columns, k=3 by each 3". */
static void add_sizes(const kan_claim *claim, kan_text *text) {
    for (unsigned i = 0; i < claim->subsets.n; i++) {
        const kan_column_set *size = &claim->subsets.sizes[i];
        kan_text_print(text, "%sk=%" PRIu64 "%s by each ", i == 0 ? "" : ", ", size->k,
                       i == 0 ? " people" : "");
        if (size->m == 1)
            kan_text_print(text, "column");
        else
            kan_text_print(text, "%" PRIu64 " columns", size->m);
    }
}

void kan_matches_add_promised(const kan_claim *claim, kan_text *text) {
    kan_text_print(text, "every row matches ");
    if (claim->subsets.n > 0)
        add_sizes(claim, text);
    else
        kan_text_print(text, "k=%" PRIu64 " people", claim->fits);
    if (claim->strata)
        kan_text_print(text, " of its own stratum by %s", claim->strata);
    kan_text_print(text, ", and every person k rows%s, where * or a missing cell matches anything",
                   claim->strata ? " of hers" : "");
}

void kan_matches_add(const kan_models_recount *found, kan_text *text) {
    char smallest[32], fewest[32];
    kan_text_print(text,
                   "weaker than groups of k rows: the smallest group has %s %s, and the fewest "
                   "matches of a row or person%s are %s, so that who knows everybody's values and "
                   "looks at all rows together can learn more",
                   kan_count_text(found->groups.smallest_group, smallest),
                   kan_plural(found->groups.smallest_group, "row", "rows"),
                   found->fits.n_sets > 0 ? " by any such set of columns" : "",
                   kan_count_text(kan_fits_fewest(&found->fits), fewest));
}

void kan_recounted_add_promised(const kan_recounted *recounted, size_t m, kan_text *text) {
    const kan_claim_model *model = &recounted->claim->models[m];
    kan_text_print(text, "%s", model->kind->name);
    model->kind->say_promised(model, column_of(recounted, m), text);
    const char *before = " for ";
    for (size_t c = 0; model->looks_at && c < recounted->claim->n_columns; c++)
        if (looks_at(recounted, m, c)) {
            kan_text_print(text, "%s'%s'", before, recounted->claim->columns[c].name);
            before = ", ";
        }
    if (recounted->claim->histories)
        kan_text_print(text, recounted->claim->household ? " by compositions of households"
                                                         : " by histories of people");
}

void kan_recounted_add_reached(const kan_recounted *recounted, size_t m, kan_text *text) {
    const kan_model_recount *found = recounted->found ? &recounted->found->models[m] : NULL;
    if (!found || is_hidden(recounted, m))
        return;
    if (!found->is_reached) {
        kan_text_print(text, ", because no group shows more than *");
        return;
    }
    const kan_recount_kind *kind = recounted->claim->models[m].kind;
    if (recounted->claim->person && kind->say_reached_by_people)
        kind->say_reached_by_people(found->reached, text);
    else
        kind->say_reached(found->reached, text);
    if (has_columns(recounted, m))
        kan_text_print(text, " in column '%s'", column_of(recounted, m)->name);
}
