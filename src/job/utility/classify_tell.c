/* What `utility --classify` found, as JSON and in words. */
#include <stdio.h>

#include "core/wording.h"
#include "job/tell/tell.h"
#include "job/utility/utility_inside.h"

enum { MOST_NAMES = 8, LINE = 80, INDENT = 2 };

/* ---- JSON ----------------------------------------------------------------------------------- */

static json_t *score_json(const kan_classifier_score *score) {
    return json_pack("{s:o, s:o}", "accuracy",
                     score->has_score ? kan_json_real(score->accuracy) : json_null(), "auc",
                     score->has_score && score->has_auc ? kan_json_real(score->auc) : json_null());
}

/* ---- words ---------------------------------------------------------------------------------- */

static void add_sentence(kan_text *text, const char *words) {
    kan_text_print(text, "%*s", INDENT, "");
    kan_text_add_wrapped(text, words, INDENT, INDENT, LINE);
}

static void add_task(const kan_fidelity_walk *w, const kan_asked_model *model, kan_text *text) {
    const kan_classification *c = &model->classification;
    char room[1024], sentence[2048], quoted[256], rows[3][32];
    kan_name_list names = kan_names_begin(room, sizeof room, MOST_NAMES);
    for (size_t i = 0; i < model->n_terms; i++)
        kan_names_add_quoted(&names, w->original.columns[model->terms[i].original]);
    snprintf(sentence, sizeof sentence,
             "Which of %zu classes of %s a row has, predicted by %s, for %s rows of the original; "
             "learnt from the original (%s rows) or from the release (%s), in %d parts: whoever "
             "predicts a part has learnt from the others.",
             c->n_classes,
             kan_quote(kan_slice_of(w->original.columns[model->outcome.original]), quoted),
             model->n_terms > 0 ? kan_names_end(&names) : "nothing",
             kan_count_text(c->n_tested, rows[0]), kan_count_text(c->n_original, rows[1]),
             kan_count_text(c->n_released, rows[2]), KAN_FOLDS);
    add_sentence(text, sentence);
}

static void add_warnings(const kan_fidelity_walk *w, const kan_asked_model *model, kan_text *text) {
    const kan_classification *c = &model->classification;
    const char *as = kan_options_find(&w->job->options, "as");
    char sentence[1024], rows[32];
    if (!c->holds_out)
        add_sentence(text,
                     "It is not known which row of the release was made from which, so that the "
                     "rows that are predicted were among those of the release that were learnt "
                     "from: its figures are too good.");
    if (c->n_coarser > 0) {
        snprintf(sentence, sizeof sentence,
                 "%zu of the columns %s coarser in the release: numbers enter by %s, text by its "
                 "labels%s.",
                 c->n_coarser, kan_plural(c->n_coarser, "is", "are"),
                 as && strcmp(as, "categories") == 0 ? "labels" : "middles",
                 c->n_drawn > 0 ? ", and where these overlap by one of the values that they stand "
                                  "for, each as likely as any other"
                                : "");
        add_sentence(text, sentence);
    }
    if (c->n_unknown[1] > 0) {
        snprintf(sentence, sizeof sentence,
                 "%s %s of the release %s not learnt from, as the class is missing, hidden or "
                 "coarser there.",
                 kan_count_text(c->n_unknown[1], rows), kan_plural(c->n_unknown[1], "row", "rows"),
                 kan_plural(c->n_unknown[1], "was", "were"));
        add_sentence(text, sentence);
    }
}

static void add_verdict(const kan_classification *c, kan_text *text) {
    const kan_classifier best = kan_classification_best(c);
    char sentence[512], share[3][KAN_PERCENT_BYTES];
    const kan_classifier_score *majority = &c->before[KAN_CLASSIFY_MAJORITY];
    if (!c->after[KAN_CLASSIFY_MAJORITY].has_score) {
        add_sentence(text, "No row of the release shows its class, so that nothing can be learnt "
                           "from it.");
        return;
    }
    if (!c->after[best].has_score || !c->before[best].has_score) {
        add_sentence(text, "No model converged.");
        return;
    }
    snprintf(sentence, sizeof sentence,
             "The best that was learnt from the release (%s) tells %s of the rows right; learnt "
             "from the original it tells %s, and who always says the most frequent class %s.",
             kan_classifier_names[best],
             kan_percent_text(100 * c->after[best].accuracy, KAN_PERCENT_TENTHS, share[0]),
             kan_percent_text(100 * c->before[best].accuracy, KAN_PERCENT_TENTHS, share[1]),
             kan_percent_text(100 * majority->accuracy, KAN_PERCENT_TENTHS, share[2]));
    add_sentence(text, sentence);
}

static void add_score(const kan_classifier_score *score, kan_text *text) {
    if (score->has_score)
        kan_text_print(text, "  %8.4f", score->accuracy);
    else
        kan_text_print(text, "  %8s", "-");
    if (score->has_score && score->has_auc)
        kan_text_print(text, "  %6.4f", score->auc);
    else
        kan_text_print(text, "  %6s", "-");
}

static void add_scores(const kan_classification *c, kan_text *text) {
    kan_text_print(text, "\n  learnt from  original          release\n"
                         "               accuracy     AUC  accuracy     AUC\n");
    for (int by = 0; by < KAN_CLASSIFIERS; by++) {
        kan_text_print(text, "  %-11s", kan_classifier_names[by]);
        add_score(&c->before[by], text);
        add_score(&c->after[by], text);
        kan_text_print(text, "\n");
    }
}

static void add_sentences(const kan_fidelity_walk *w, const kan_asked_model *model,
                          kan_text *text) {
    add_task(w, model, text);
    add_warnings(w, model, text);
    add_verdict(&model->classification, text);
}

void kan_classifications_words(const kan_fidelity_walk *w, kan_text *text) {
    for (size_t i = 0; i < w->classifications.n; i++) {
        const kan_asked_model *model = &w->classifications.models[i];
        kan_text_print(text, "\n  classify    %s\n\n", model->text);
        add_sentences(w, model, text);
        add_scores(&model->classification, text);
    }
}

/* ---- both ----------------------------------------------------------------------------------- */

static json_t *says_json(const kan_fidelity_walk *w, const kan_asked_model *model) {
    kan_text words;
    kan_text_init(&words, w->run);
    add_sentences(w, model, &words);
    return kan_fidelity_says_json(&words);
}

static json_t *classification_json(const kan_fidelity_walk *w, const kan_asked_model *model) {
    const kan_classification *c = &model->classification;
    json_t *classes = json_array(), *features = json_array(), *models = json_array();
    for (size_t i = 0; i < c->n_classes; i++)
        classes = kan_json_append(classes, kan_json_slice(c->classes[i]));
    for (size_t i = 0; i < model->n_terms; i++)
        features =
            kan_json_append(features, kan_json_text(w->original.columns[model->terms[i].original]));
    for (int by = 0; by < KAN_CLASSIFIERS; by++)
        models = kan_json_append(
            models, json_pack("{s:s, s:o, s:o}", "name", kan_classifier_names[by], "original",
                              score_json(&c->before[by]), "release", score_json(&c->after[by])));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o}", "formula",
                     kan_json_text(model->text), "class",
                     kan_json_text(w->original.columns[model->outcome.original]), "classes",
                     classes, "features", features, "folds", kan_json_count(KAN_FOLDS), "tested",
                     kan_json_count(c->n_tested), "learnt_original", kan_json_count(c->n_original),
                     "learnt_release", kan_json_count(c->n_released), "held_out", c->holds_out,
                     "coarser", kan_json_count(c->n_coarser), "drawn", kan_json_count(c->n_drawn),
                     "classifiers", models, "says", says_json(w, model));
}

json_t *kan_classifications_json(const kan_fidelity_walk *w) {
    json_t *all = json_array();
    for (size_t i = 0; i < w->classifications.n; i++)
        all = kan_json_append(all, classification_json(w, &w->classifications.models[i]));
    return all;
}
