/* Models that --regress and --classify ask for: which release is best for which of them.
 *
 * Best for a regression is who loses the fewest coefficients, and of those whose intervals overlap most on average;
 * for a class, from which most rows are told right, and of those who has the greatest area under the ROC curve. */
#include <math.h>
#include <stdio.h>

#include "core/wording.h"
#include "job/compare/compare_inside.h"
#include "job/settings/settings.h"

enum { INDENT = 2, DEEPER = 4, MOST_NAMED = 4 };

/* ---- what is measured ------------------------------------------------------------------------ */

static kan_status add_all(const kan_options *options, const char *name, kan_options *out) {
    const char *text;
    for (size_t i = 0; (text = kan_options_at(options, name, i)) != NULL; i++)
        KAN_TRY(kan_options_add(out, name, text));
    return KAN_OK;
}

kan_status kan_compare_add_measures(const kan_compare *compare, kan_options *out) {
    const kan_options *options = &compare->job->options;
    if (kan_options_switch(options, "utility"))
        KAN_TRY(kan_options_add(out, "utility", "true"));
    KAN_TRY(add_all(options, "regress", out));
    KAN_TRY(add_all(options, "classify", out));
    return add_all(options, "as", out);
}

static const char *const arrays[] = {"classifications", "regressions"};

static const json_t *models_of(const kan_compare_trial *trial, bool is_regression) {
    return json_object_get(json_object_get(trial->json, "models"), arrays[is_regression]);
}

size_t kan_compare_count_models(const kan_compare *compare, bool is_regression) {
    size_t n = 0;
    for (size_t i = 0; i < compare->n_trials; i++) {
        const size_t mine = json_array_size(models_of(&compare->trials[i], is_regression));
        n = mine > n ? mine : n;
    }
    return n;
}

void kan_compare_model_path(bool is_regression, size_t which, const char *key, char room[64]) {
    snprintf(room, 64, "models.%s.%zu.%s", arrays[is_regression], which, key);
}

/* ---- the best -------------------------------------------------------------------------------- */

typedef struct {
    const kan_compare *compare;
    kan_text *text;
    size_t width;
    bool is_by_k, is_regression;
    size_t which;
    const char *text_of; /* the formula */
} telling;

static double number_of(const telling *t, const kan_compare_trial *trial, const char *key) {
    char path[64];
    kan_compare_model_path(t->is_regression, t->which, key, path);
    return kan_compare_number(trial, path);
}

static bool has_figure(const telling *t, const kan_compare_trial *trial) {
    return t->is_regression ? number_of(t, trial, "compared") > 0
                            : isfinite(number_of(t, trial, "accuracy"));
}

static int compare_numbers(double a, double b) {
    if (!isfinite(a) || !isfinite(b))
        return (isfinite(a) ? 1 : 0) - (isfinite(b) ? 1 : 0);
    return (a > b) - (a < b);
}

/* Above 0: a is better. */
static int compare_trials(const telling *t, const kan_compare_trial *a,
                          const kan_compare_trial *b) {
    const char *const first = t->is_regression ? "lost" : "accuracy", *const second =
                                                                          t->is_regression
                                                                              ? "mean_overlap"
                                                                              : "auc";
    const int by_first = compare_numbers(number_of(t, a, first), number_of(t, b, first));
    if (by_first != 0)
        return t->is_regression ? -by_first : by_first;
    return compare_numbers(number_of(t, a, second), number_of(t, b, second));
}

/* ---- sentences ------------------------------------------------------------------------------- */

static void add_name(const kan_compare *compare, const kan_compare_trial *trial, kan_text *out) {
    const char *found = json_string_value(json_object_get(trial->json, "search"));
    if (trial->recoding)
        kan_text_print(out, "%s%s", trial->recoding, compare->algorithms.n > 1 ? " by " : "");
    if (!trial->recoding || compare->algorithms.n > 1)
        kan_text_print(out, "%s", trial->recoding && found ? found : trial->algorithm);
    if (compare->costs.n > 1)
        kan_text_print(out, " for %s", trial->cost);
    if (compare->suppressions.n > 1)
        kan_text_print(out, " with limit %s", trial->suppress);
}

/* Those that are as good as the best, and the best. */
static void add_names(const telling *t, const kan_compare_trial *const *alike, size_t n,
                      kan_text *out) {
    const size_t n_named = n > MOST_NAMED ? MOST_NAMED - 1 : n;
    for (size_t i = 0; i < n_named; i++) {
        kan_text_print(out, "%s", i == 0 ? "" : i + 1 == n ? " and " : ", ");
        add_name(t->compare, alike[i], out);
    }
    if (n > n_named)
        kan_text_print(out, " and %zu others", n - n_named);
    kan_text_print(out, "%s", n > 1 ? " alike" : "");
}

static void add_regression(const telling *t, const kan_compare_trial *best, kan_text *out) {
    const double lost = number_of(t, best, "lost"), overlap = number_of(t, best, "mean_overlap");
    const double all = number_of(t, best, "coefficients");
    if (lost == 0)
        kan_text_print(out, "; none of %.0f %s lost", all,
                       kan_plural((uint64_t)all, "coefficient is", "coefficients is"));
    else
        kan_text_print(out, "; %.0f of %.0f %s lost", lost, all,
                       kan_plural((uint64_t)lost, "coefficients is", "coefficients are"));
    if (isfinite(overlap))
        kan_text_print(out, ", and intervals of 95 %% overlap by %.3f on average", overlap);
}

static void add_class(const telling *t, const kan_compare_trial *best, kan_text *out) {
    const double accuracy = number_of(t, best, "accuracy"), auc = number_of(t, best, "auc"),
                 before = number_of(t, best, "original_accuracy"),
                 before_auc = number_of(t, best, "original_auc"),
                 majority = number_of(t, best, "majority");
    const json_t *told = json_array_get(models_of(best, false), t->which);
    const char *learner = json_string_value(json_object_get(told, "best"));
    char share[3][KAN_PERCENT_BYTES];
    kan_text_print(out, "; %s of the rows are told right (%s",
                   kan_percent_text(100 * accuracy, KAN_PERCENT_TENTHS, share[0]),
                   learner ? learner : "-");
    if (isfinite(auc))
        kan_text_print(out, ", AUC %.4f", auc);
    kan_text_print(out, ")");
    if (isfinite(before))
        kan_text_print(out, ", %s if learnt from the table",
                       kan_percent_text(100 * before, KAN_PERCENT_TENTHS, share[1]));
    if (isfinite(before) && isfinite(before_auc))
        kan_text_print(out, " (AUC %.4f)", before_auc);
    if (isfinite(majority))
        kan_text_print(out,
                       accuracy > majority ? ", %s by the most frequent class alone"
                                           : ": no more than by the most frequent class alone (%s)",
                       kan_percent_text(100 * majority, KAN_PERCENT_TENTHS, share[2]));
}

static bool is_of_k(const telling *t, const kan_compare_trial *trial, const char *k) {
    return !t->is_by_k || (trial->k && k && strcmp(trial->k, k) == 0);
}

static kan_status add_best(const telling *t, const char *k) {
    const kan_compare *compare = t->compare;
    const kan_compare_trial *best = NULL, **alike;
    size_t n = 0;
    kan_text words;
    KAN_TRY(kan_arena_alloc(&compare->job->arena, compare->n_trials, sizeof(void *), &alike));
    for (size_t i = 0; i < compare->n_trials; i++) {
        const kan_compare_trial *trial = &compare->trials[i];
        if (!has_figure(t, trial) || !is_of_k(t, trial, k))
            continue;
        const int order = best ? compare_trials(t, trial, best) : 1;
        n = order > 0 ? 0 : n;
        best = order > 0 ? trial : best;
        if (order >= 0)
            alike[n++] = trial;
    }
    kan_text_init(&words, compare->run);
    if (t->is_by_k)
        kan_text_print(&words, "k = %s: ", k);
    if (!best)
        kan_text_print(&words, t->is_regression
                                   ? "no release has a coefficient that can be compared"
                                   : "nothing can be learnt from any release");
    else
        add_names(t, alike, n, &words);
    if (best && t->is_regression)
        add_regression(t, best, &words);
    else if (best)
        add_class(t, best, &words);
    const kan_status status = kan_text_status(&words);
    if (status == KAN_OK) {
        kan_text_print(t->text, "%*s", DEEPER, "");
        kan_text_add_wrapped(t->text, words.bytes, DEEPER, DEEPER, t->width);
    }
    kan_text_destroy(&words);
    return status;
}

static kan_status add_model(const telling *t) {
    kan_text words;
    kan_text_init(&words, t->compare->run);
    kan_text_print(&words, "Best for %s %s:", t->is_regression ? "the regression" : "the class",
                   t->text_of);
    kan_status status = kan_text_status(&words);
    if (status == KAN_OK) {
        kan_text_print(t->text, "\n%*s", INDENT, "");
        kan_text_add_wrapped(t->text, words.bytes, INDENT, INDENT, t->width);
    }
    kan_text_destroy(&words);
    for (size_t i = 0; i < (t->is_by_k ? t->compare->ks.n : 1) && status == KAN_OK; i++)
        status = add_best(t, t->is_by_k ? t->compare->ks.values[i] : NULL);
    return status;
}

kan_status kan_compare_add_models(const kan_compare *compare, bool is_by_k, size_t width,
                                  kan_text *text) {
    for (int is_regression = 1; is_regression >= 0; is_regression--) {
        const size_t n = kan_compare_count_models(compare, is_regression);
        for (size_t i = 0; i < n; i++) {
            const telling t = {
                compare,
                text,
                width,
                is_by_k,
                is_regression,
                i,
                kan_options_at(&compare->job->options, is_regression ? "regress" : "classify", i)};
            KAN_TRY(add_model(&t));
        }
    }
    return KAN_OK;
}
