/* The promise as results show it. Numbers that the user wrote are told as they were written; what
 * was reached is told to six digits for people, to fifteen for programs. */
#include "job/tell/recounted.h"

#include <inttypes.h>
#include <string.h>

#include "job/settings/settings.h"
#include "job/tell/json.h"
#include "job/tell/promised_make.h"

/* ---- the promise ---------------------------------------------------------------------------- */

static bool knows(const kan_promised *promised, const char *name) {
    if (strcmp(name, kan_privacy_k_anonymity.kind.name) == 0)
        return true;
    for (size_t m = 0; m < promised->n_models; m++)
        if (strcmp(promised->models[m].name, name) == 0)
            return true;
    return false;
}

static kan_status refuse(const kan_job *job, const char *name) {
    return kan_fail(job->run, KAN_FAILED,
                    "internal error: no recount knows the model %s, so nothing is released; "
                    "please report this",
                    name);
}

kan_status kan_recounted_promise(kan_job *job, const kan_promise *promise, const kan_table *whole,
                                 bool is_release, kan_promised *out) {
    kan_promised promised;
    KAN_TRY(kan_promised_make(job, whole, is_release, &promised));
    for (unsigned m = 0; promise && m < promise->n_models; m++)
        if (!knows(&promised, promise->models[m].kind->kind.name))
            return refuse(job, promise->models[m].kind->kind.name);
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_PRIVACY); i++) {
        const kan_kind *kind = kan_registry_at(KAN_FAMILY_PRIVACY, i);
        if (kind->n_options > 0 && kan_options_find(&job->options, kind->options[0].name) &&
            !knows(&promised, kind->name))
            return refuse(job, kind->name);
    }
    *out = promised;
    return KAN_OK;
}

bool kan_recounted_has_k(const kan_recounted *recounted) {
    return kan_options_find(&recounted->job->options, "k") || recounted->promised->n_models == 0;
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

/* The values that the user named; null: all of them count. */
static json_t *values_json(const kan_options *options) {
    const size_t n = kan_options_count_of(options, "alpha-value");
    if (n == 0)
        return json_null();
    json_t *values = json_array();
    for (size_t i = 0; i < n; i++)
        values = kan_json_append(values, kan_json_text(kan_options_at(options, "alpha-value", i)));
    return values;
}

static bool is_diversity(const kan_promised_model *model) {
    return model->kind == KAN_PROMISED_DISTINCT || model->kind == KAN_PROMISED_ENTROPY ||
           model->kind == KAN_PROMISED_RECURSIVE;
}

static const char *kind_name(const kan_promised_model *model) {
    return model->kind == KAN_PROMISED_ENTROPY     ? "entropy"
           : model->kind == KAN_PROMISED_RECURSIVE ? "recursive"
                                                   : "distinct";
}

static bool is_hidden(const kan_recounted *recounted, size_t m) {
    const kan_promised_model *model = &recounted->promised->models[m];
    return recounted->hides_distances && model->kind != KAN_PROMISED_ALPHA && !is_diversity(model);
}

/* The column that says most of a model: where the worst was found, else the first. */
static const kan_promised_column *column_of(const kan_recounted *recounted, size_t m) {
    const bool is_known = recounted->found && !is_hidden(recounted, m);
    return &recounted->promised->columns[is_known ? recounted->found->models[m].column : 0];
}

static const char *distance_name(const kan_promised_column *column) {
    static const char *const names[] = {"equal", "ordered", "hierarchical"};
    return names[column->distance];
}

static json_t *promised_json(const kan_recounted *recounted, size_t m) {
    const kan_promised_model *model = &recounted->promised->models[m];
    json_t *object = json_pack("{s:s}", "model", model->name);
    if (model->kind == KAN_PROMISED_ALPHA) {
        object = kan_json_set(object, "alpha", number_json(model->text));
        object = kan_json_set(object, "values", values_json(&recounted->job->options));
        object = kan_json_set(object, "combined", json_boolean(model->is_combined));
        object = kan_json_set(object, "refined", json_boolean(model->is_refined));
    } else if (is_diversity(model)) {
        object = kan_json_set(object, "kind", json_string(kind_name(model)));
        object = kan_json_set(object, "l",
                              model->kind == KAN_PROMISED_ENTROPY ? number_json(model->text)
                                                                  : kan_json_count(model->l));
        if (model->kind == KAN_PROMISED_RECURSIVE)
            object = kan_json_set(object, "c", number_json(model->text));
    } else {
        object = kan_json_set(object, "t", number_json(model->text));
        object =
            kan_json_set(object, "distance", json_string(distance_name(column_of(recounted, m))));
    }
    return object;
}

static json_t *reached_json(const kan_promised_model *model, const kan_model_recount *found) {
    if (!found || !found->is_reached)
        return json_null();
    if (is_diversity(model) && model->kind != KAN_PROMISED_ENTROPY)
        return kan_json_count(found->l);
    return kan_json_real(found->reached);
}

static json_t *model_json(const kan_recounted *recounted, size_t m) {
    const kan_model_recount *found = recounted->found ? &recounted->found->models[m] : NULL;
    json_t *object = promised_json(recounted, m);
    object = kan_json_set(object, "reached", reached_json(&recounted->promised->models[m], found));
    if (recounted->promised->n_columns > 1)
        object = kan_json_set(object, "column", kan_json_text(column_of(recounted, m)->name));
    if (found && recounted->tells_holds) {
        object = kan_json_set(object, "holds", json_boolean(found->holds));
        object = kan_json_set(object, "failing_groups", kan_json_count(found->n_failing_groups));
        object = kan_json_set(object, "failing_rows", kan_json_count(found->n_failing_rows));
    }
    return object;
}

json_t *kan_recounted_json(const kan_recounted *recounted, bool k_holds) {
    json_t *models = json_array();
    if (kan_recounted_has_k(recounted)) {
        json_t *k = json_pack("{s:s, s:o}", "model", kan_privacy_k_anonymity.kind.name, "k",
                              kan_json_count(recounted->promised->k));
        if (recounted->tells_holds)
            k = kan_json_set(k, "holds", json_boolean(k_holds));
        models = kan_json_append(models, k);
    }
    for (size_t m = 0; m < recounted->promised->n_models; m++)
        models = kan_json_append(models, model_json(recounted, m));
    return models;
}

/* ---- text ----------------------------------------------------------------------------------- */

void kan_recounted_add_promised(const kan_recounted *recounted, size_t m, kan_text *text) {
    const kan_promised_model *model = &recounted->promised->models[m];
    const size_t n_named = kan_options_count_of(&recounted->job->options, "alpha-value");
    kan_text_print(text, "%s", model->name);
    if (model->kind == KAN_PROMISED_ALPHA) {
        kan_text_print(text, "=%s", model->text);
        if (n_named > 0)
            kan_text_print(text, " for %zu named value%s%s", n_named, n_named == 1 ? "" : "s",
                           model->is_combined ? " together" : "");
        kan_text_print(text, model->is_refined ? ", refined" : "");
    } else if (is_diversity(model)) {
        if (model->kind == KAN_PROMISED_ENTROPY)
            kan_text_print(text, " l=%s", model->text);
        else
            kan_text_print(text, " l=%" PRIu64, model->l);
        kan_text_print(text, " %s", kind_name(model));
        if (model->kind == KAN_PROMISED_RECURSIVE)
            kan_text_print(text, " c=%s", model->text);
    } else {
        kan_text_print(text, " t=%s by %s distance", model->text,
                       distance_name(column_of(recounted, m)));
    }
}

void kan_recounted_add_reached(const kan_recounted *recounted, size_t m, kan_text *text) {
    const kan_promised_model *model = &recounted->promised->models[m];
    const kan_model_recount *found = recounted->found ? &recounted->found->models[m] : NULL;
    if (!found || is_hidden(recounted, m))
        return;
    if (!found->is_reached) {
        kan_text_print(text, ", for no group shows more than *");
        return;
    }
    if (model->kind == KAN_PROMISED_ALPHA)
        kan_text_print(text, ", the largest share is %.6g", found->reached);
    else if (is_diversity(model))
        kan_text_print(text, ", l=%.6g is reached", found->reached);
    else
        kan_text_print(text, ", the greatest distance is %.6g", found->reached);
    if (recounted->promised->n_columns > 1)
        kan_text_print(text, " in column '%s'", column_of(recounted, m)->name);
}
