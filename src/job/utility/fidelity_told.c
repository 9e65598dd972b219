/* All that is measured without a workload; and what is told of a release that somebody holds. */
#include "job/utility/utility.h"
#include "job/utility/utility_inside.h"

/* ---- pairs ---------------------------------------------------------------------------------- */

/* Of those that changed alike the first comes first. */
static void order_changed(kan_fidelity_walk *w) {
    for (size_t i = 0; i < w->n_pairs; i++) {
        size_t at = i < KAN_MOST_CHANGED ? i : KAN_MOST_CHANGED;
        for (; at > 0 && w->of_pairs[w->changed[at - 1]].variation < w->of_pairs[i].variation; at--)
            if (at < KAN_MOST_CHANGED)
                w->changed[at] = w->changed[at - 1];
        if (at < KAN_MOST_CHANGED)
            w->changed[at] = i;
    }
}

static kan_status measure_pairs(kan_fidelity_walk *w) {
    w->n_pairs = kan_pairs_of(w->n);
    KAN_TRY(kan_alloc(w->run, w->n_pairs, sizeof *w->of_pairs, &w->of_pairs));
    KAN_TRY(kan_alloc(w->run, KAN_MOST_CHANGED, sizeof *w->changed, &w->changed));
    KAN_TRY(kan_fidelity_measure_pairs(w->fidelity, w->of_pairs));
    order_changed(w);
    return KAN_OK;
}

kan_status kan_fidelity_measure_all(kan_fidelity_walk *w) {
    KAN_TRY(kan_alloc(w->run, w->n, sizeof *w->of_columns, &w->of_columns));
    KAN_TRY(kan_fidelity_measure_columns(w->fidelity, w->of_columns));
    KAN_TRY(measure_pairs(w));
    KAN_TRY(kan_fidelity_measure_numbers(w->fidelity, w->of_columns, w->of_pairs, &w->of_numbers));
    return kan_fidelity_measure_propensity(w->fidelity, &w->propensity);
}

/* ---- what somebody holds -------------------------------------------------------------------- */

static kan_status measure(kan_fidelity_walk *w, const kan_fidelity_weights *original,
                          const kan_fidelity_weights *released) {
    KAN_TRY(kan_fidelity_create(w->run, &w->question, &w->fidelity));
    KAN_TRY(kan_fidelity_weigh(w->fidelity, original, released));
    return kan_fidelity_measure_all(w);
}

/* Sentences that were broken into lines, as one. */
static kan_slice unbroken(kan_text *words) {
    size_t n = 0;
    for (size_t i = 0; i < words->size; i++) {
        const char byte = words->bytes[i] == '\n' ? ' ' : words->bytes[i];
        if (byte != ' ' || (n > 0 && words->bytes[n - 1] != ' '))
            words->bytes[n++] = byte;
    }
    while (n > 0 && words->bytes[n - 1] == ' ')
        n--;
    return (kan_slice){words->bytes, n};
}

json_t *kan_fidelity_says_json(kan_text *words) {
    json_t *json = words->failed ? NULL : kan_json_slice(unbroken(words));
    kan_text_destroy(words);
    return json;
}

static kan_status tell(const kan_fidelity_walk *w, json_t **out) {
    kan_text svg, words;
    kan_text_init(&svg, w->run);
    kan_text_init(&words, w->run);
    kan_fidelity_whole_words(w, &words);
    kan_status status = kan_text_status(&words);
    if (status == KAN_OK)
        status = kan_fidelity_picture(w, &svg);
    if (status == KAN_OK) {
        *out = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "columns", kan_fidelity_columns_json(w),
                         "numbers", kan_fidelity_numbers_json(w), "propensity",
                         kan_fidelity_propensity_json(w), "changed", kan_fidelity_changed_json(w),
                         "says", kan_json_slice(unbroken(&words)), "svg",
                         kan_json_slice((kan_slice){svg.bytes, svg.size}));
        status = *out ? KAN_OK : kan_fail(w->run, KAN_FAILED, "out of memory");
    }
    kan_text_destroy(&svg);
    kan_text_destroy(&words);
    return status;
}

kan_status kan_utility_compare(kan_run *run, const kan_fidelity_question *question,
                               const kan_fidelity_weights *original,
                               const kan_fidelity_weights *released, const char *original_name,
                               json_t **out) {
    kan_fidelity_walk w = {.run = run, .question = *question, .n = question->n_columns};
    kan_status status;
    w.release.name = question->release_name;
    w.original.name = original_name;
    KAN_TRY_DONE(kan_alloc(run, w.n, sizeof *w.columns, &w.columns));
    for (size_t i = 0; i < w.n; i++)
        w.columns[i] = question->columns[i];
    status = measure(&w, original, released);
    if (status == KAN_OK)
        status = tell(&w, out);
done:
    kan_fidelity_destroy(w.fidelity);
    kan_free(run, w.columns);
    kan_free(run, w.of_columns);
    kan_free(run, w.of_pairs);
    kan_free(run, w.changed);
    return status;
}
