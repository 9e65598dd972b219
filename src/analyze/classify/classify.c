/* Learning and testing in parts. For each table: the features, and for each part a tree and the logistic
 * models that learn from the other parts; their scores of the rows of the part are kept, and judged
 * together. */
#include "analyze/classify/classify.h"

#include <math.h>

#include "analyze/classify/classify_inside.h"
#include "core/hash.h"
#include "core/memory.h"

const char *const kan_classifier_names[KAN_CLASSIFIERS] = {"majority", "logistic", "tree"};

enum { NO_CLASS = UINT8_MAX, ALL_FOLDS = KAN_FOLDS };

typedef struct {
    kan_run *run;
    const kan_classify_question *question;
    kan_classification *out;
    uint8_t *class_of[2]; /* by row of the original, and of the release */
    /* Of the table that is learnt from: */
    bool is_released;
    kan_features features;
    kan_seen_design learnt, tested;
    double *weights, *y, *predicted;
    /* Scores of rows of the original: n_scores for each */
    size_t n_scores;
    double *scores[KAN_CLASSIFIERS];
    bool has_score[KAN_CLASSIFIERS];
} classifying;

static unsigned fold_of(uint64_t row) {
    return (unsigned)(kan_hash_word(row) % KAN_FOLDS);
}

/* Of a row that is learnt from. */
static unsigned fold_of_learnt(const classifying *c, uint64_t row) {
    return fold_of(c->is_released ? kan_classify_row_of(c->question, row) : row);
}

static const kan_fidelity_rows *rows_of(const classifying *c, bool is_released) {
    return is_released ? &c->question->released : &c->question->original;
}

/* ---- classes -------------------------------------------------------------------------------- */

/* By code of the original; two spellings of a number are one class. */
static kan_status find_classes(classifying *c, uint8_t *class_of_code) {
    const kan_column *column = c->question->compared[c->question->outcome].original;
    const kan_dictionary *dictionary = &column->dictionary;
    kan_classification *out = c->out;
    size_t n = 0;
    char quoted[256];
    for (uint32_t code = 0; code < dictionary->n; code++) {
        const kan_slice value = kan_dictionary_value(dictionary, code);
        class_of_code[code] = NO_CLASS;
        if (kan_value_is_unknown(value))
            continue;
        const bool is_same = n > 0 && n <= KAN_MOST_LEARNT && dictionary->type != KAN_TYPE_TEXT &&
                             kan_value_order(dictionary->type, value, out->classes[n - 1]) == 0;
        if (!is_same && n < KAN_MOST_LEARNT)
            out->classes[n] = value;
        n += !is_same;
        class_of_code[code] = n <= KAN_MOST_LEARNT ? (uint8_t)(n - 1) : NO_CLASS;
    }
    out->n_classes = n;
    kan_quote(kan_slice_of(column->name), quoted);
    if (n < 2)
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "--classify %s: %s has %s, so that there is nothing to predict; name "
                        "another column",
                        c->question->formula, quoted, n ? "one value alone" : "no known value");
    if (n > KAN_MOST_LEARNT)
        return kan_fail(c->run, KAN_BAD_INPUT,
                        "--classify %s: %s has %zu values, and at most %d classes can be told "
                        "apart; name a column with fewer, or use --regress for a number",
                        c->question->formula, quoted, n, KAN_MOST_LEARNT);
    return KAN_OK;
}

static kan_status read_classes(classifying *c, const uint8_t *class_of_code, bool is_released) {
    const kan_fidelity_column *column = &c->question->compared[c->question->outcome];
    const kan_column *from = is_released ? column->released : column->original;
    const kan_fidelity_rows *rows = rows_of(c, is_released);
    uint8_t **out = &c->class_of[is_released];
    uint64_t n_known = 0;
    KAN_TRY(kan_alloc(c->run, rows->n, sizeof **out, out));
    for (uint64_t row = 0; row < rows->n; row++) {
        uint32_t code = kan_column_code(from, row);
        const bool is_exact =
            !is_released || kan_fidelity_shows(c->question->fidelity, c->question->outcome, code) ==
                                KAN_SHOWS_EXACT;
        if (is_released && is_exact)
            code = kan_fidelity_value_of(c->question->fidelity, c->question->outcome, code);
        (*out)[row] = is_exact && kan_fidelity_units(&rows->weights, row) > 0 ? class_of_code[code]
                                                                              : NO_CLASS;
        n_known += (*out)[row] != NO_CLASS;
    }
    *(is_released ? &c->out->n_released : &c->out->n_original) = n_known;
    c->out->n_unknown[is_released] = rows->n - n_known;
    return KAN_OK;
}

static kan_status make_classes(classifying *c) {
    uint8_t *class_of_code;
    const kan_column *column = c->question->compared[c->question->outcome].original;
    KAN_TRY(kan_alloc(c->run, column->dictionary.n, sizeof *class_of_code, &class_of_code));
    kan_status status = find_classes(c, class_of_code);
    if (status == KAN_OK)
        status = read_classes(c, class_of_code, false);
    if (status == KAN_OK)
        status = read_classes(c, class_of_code, true);
    kan_free(c->run, class_of_code);
    c->out->n_tested = c->out->n_original;
    return status;
}

/* ---- learning ------------------------------------------------------------------------------- */

/* Rows of the fold are not learnt from; ALL_FOLDS: all rows are. Returns the weight of all. */
static double weigh(classifying *c, unsigned fold) {
    const kan_fidelity_rows *rows = rows_of(c, c->is_released);
    const uint8_t *class_of = c->class_of[c->is_released];
    double total = 0;
    for (uint64_t row = 0; row < rows->n; row++) {
        const bool is_learnt =
            class_of[row] != NO_CLASS && (fold == ALL_FOLDS || fold_of_learnt(c, row) != fold);
        c->weights[row] =
            is_learnt ? (double)kan_fidelity_units(&rows->weights, row) / rows->one : 0;
        total += c->weights[row];
    }
    return total;
}

static bool is_tested(const classifying *c, uint64_t row, unsigned fold) {
    return c->class_of[0][row] != NO_CLASS && (fold == ALL_FOLDS || fold_of(row) == fold);
}

static void write_scores(classifying *c, kan_classifier by, unsigned fold, size_t which,
                         const double *scores) {
    for (uint64_t row = 0; row < c->question->original.n; row++)
        if (is_tested(c, row, fold))
            c->scores[by][row * c->n_scores + which] = scores[row];
}

static void learn_majority(classifying *c, unsigned fold) {
    double shares[KAN_MOST_LEARNT] = {0}, total = 0;
    const kan_fidelity_rows *rows = rows_of(c, c->is_released);
    for (uint64_t row = 0; row < rows->n; row++)
        if (c->weights[row] > 0) {
            shares[c->class_of[c->is_released][row]] += c->weights[row];
            total += c->weights[row];
        }
    const size_t first = c->n_scores == 1 ? 1 : 0;
    for (uint64_t row = 0; row < c->question->original.n; row++)
        for (size_t i = 0; i < c->n_scores && is_tested(c, row, fold); i++)
            c->scores[KAN_CLASSIFY_MAJORITY][row * c->n_scores + i] = shares[first + i] / total;
}

static kan_status learn_logistic(classifying *c, unsigned fold) {
    const kan_fidelity_rows *rows = rows_of(c, c->is_released);
    const size_t first = c->n_scores == 1 ? 1 : 0;
    const kan_fit_question question = {
        .design = &c->learnt.design, .y = c->y, .kind = KAN_FIT_LOGISTIC};
    for (size_t i = 0; i < c->n_scores; i++) {
        kan_fitted fit;
        for (uint64_t row = 0; row < rows->n; row++)
            c->y[row] = c->class_of[c->is_released][row] == first + i;
        KAN_TRY(kan_fit_make(c->run, &question, &fit));
        c->has_score[KAN_CLASSIFY_LOGISTIC] =
            c->has_score[KAN_CLASSIFY_LOGISTIC] && fit.has_converged;
        const kan_status status = kan_fit_predict(&fit, &c->tested.design, c->predicted);
        kan_fit_destroy(&fit);
        KAN_TRY(status);
        write_scores(c, KAN_CLASSIFY_LOGISTIC, fold, i, c->predicted);
    }
    return KAN_OK;
}

static kan_status learn_tree(classifying *c, unsigned fold) {
    const size_t first = c->n_scores == 1 ? 1 : 0;
    const kan_tree_question question = {.features = &c->features,
                                        .n_rows = rows_of(c, c->is_released)->n,
                                        .classes = c->class_of[c->is_released],
                                        .weights = c->weights,
                                        .n_classes = c->out->n_classes};
    kan_tree tree;
    KAN_TRY(kan_tree_grow(c->run, &question, &tree));
    for (uint64_t row = 0; row < c->question->original.n; row++) {
        if (!is_tested(c, row, fold))
            continue;
        const double *shares = kan_tree_find(&tree, &c->features, row);
        for (size_t i = 0; i < c->n_scores; i++)
            c->scores[KAN_CLASSIFY_TREE][row * c->n_scores + i] = shares[first + i];
    }
    kan_tree_destroy(&tree);
    return KAN_OK;
}

static kan_status learn(classifying *c, unsigned fold) {
    kan_report_units(c->run, "classify", "parts", fold % KAN_FOLDS, KAN_FOLDS);
    if (!(weigh(c, fold) > 0)) {
        for (int by = 0; by < KAN_CLASSIFIERS; by++)
            c->has_score[by] = false;
        return KAN_OK;
    }
    learn_majority(c, fold);
    KAN_TRY(learn_logistic(c, fold));
    return learn_tree(c, fold);
}

/* ---- judging -------------------------------------------------------------------------------- */

static size_t told_class(const classifying *c, const double *scores) {
    size_t best = 0;
    if (c->n_scores == 1)
        return scores[0] > 0.5;
    for (size_t i = 1; i < c->n_scores; i++)
        best = scores[i] > scores[best] ? i : best;
    return best;
}

static double accuracy_of(const classifying *c, kan_classifier by) {
    uint64_t all = 0, right = 0;
    for (uint64_t row = 0; row < c->question->original.n; row++) {
        const size_t which = c->class_of[0][row];
        if (which == NO_CLASS)
            continue;
        const uint64_t units = kan_fidelity_units(&c->question->original.weights, row);
        all += units;
        right += told_class(c, c->scores[by] + row * c->n_scores) == which ? units : 0;
    }
    return (double)right / (double)all;
}

/* Of rows of the same part, as others were learnt from other rows: pairs of rows in the right order, of
 * all pairs of a row of the class and another one. */
static kan_status find_class_area(classifying *c, const double *scores, size_t which,
                                  uint64_t *units, uint8_t *is_of_class, double *right,
                                  double *pairs) {
    const uint64_t n = c->question->original.n;
    *right = *pairs = 0;
    for (uint64_t row = 0; row < n; row++) {
        units[row] = kan_fidelity_units(&c->question->original.weights, row);
        is_of_class[row] = c->class_of[0][row] == which;
    }
    for (unsigned fold = 0; fold < KAN_FOLDS; fold++) {
        double of = 0, others = 0, area;
        bool has_area;
        for (uint64_t row = 0; row < n; row++) {
            const bool is_here = is_tested(c, row, fold);
            c->predicted[row] = is_here ? scores[row * c->n_scores] : NAN;
            of += is_here && is_of_class[row] ? (double)units[row] : 0;
            others += is_here && !is_of_class[row] ? (double)units[row] : 0;
        }
        KAN_TRY(kan_roc_area(c->run, c->predicted, units, is_of_class, n, &has_area, &area));
        *right += has_area ? area * of * others : 0;
        *pairs += has_area ? of * others : 0;
    }
    return kan_check_cancel(c->run);
}

/* The mean over classes by their shares; of two classes there is one. */
static kan_status find_area(classifying *c, kan_classifier by, kan_classifier_score *out) {
    const uint64_t n = c->question->original.n;
    const size_t first = c->n_scores == 1 ? 1 : 0;
    uint64_t *units = NULL;
    uint8_t *is_of_class = NULL;
    double sum = 0, total = 0;
    kan_status status = kan_alloc(c->run, n, sizeof *units, &units);
    if (status == KAN_OK)
        status = kan_alloc(c->run, n, sizeof *is_of_class, &is_of_class);
    for (size_t i = 0; status == KAN_OK && i < c->n_scores; i++) {
        double right, pairs, weight = 0;
        status =
            find_class_area(c, c->scores[by] + i, first + i, units, is_of_class, &right, &pairs);
        for (uint64_t row = 0; status == KAN_OK && row < n; row++)
            weight += is_of_class[row] ? (double)units[row] : 0;
        if (status == KAN_OK && pairs > 0) {
            sum += weight * (right / pairs);
            total += weight;
        }
    }
    kan_free(c->run, units);
    kan_free(c->run, is_of_class);
    out->has_auc = total > 0;
    out->auc = total > 0 ? sum / total : 0;
    return status;
}

static kan_status judge(classifying *c, kan_classifier_score *out) {
    for (int by = 0; by < KAN_CLASSIFIERS; by++) {
        out[by] = (kan_classifier_score){.has_score = c->has_score[by]};
        if (!c->has_score[by])
            continue;
        out[by].accuracy = accuracy_of(c, (kan_classifier)by);
        KAN_TRY(find_area(c, (kan_classifier)by, &out[by]));
    }
    return KAN_OK;
}

/* ---- a table -------------------------------------------------------------------------------- */

static kan_status refuse_width(const classifying *c) {
    size_t widest = 0;
    char quoted[256];
    const kan_feature *features = c->features.features;
    for (size_t i = 1; i < c->features.n; i++)
        if (features[i].n_places > features[widest].n_places)
            widest = i;
    return kan_fail(
        c->run, KAN_BAD_INPUT,
        "--classify %s: %s has %u values, and a model has at most %d columns; name the columns to "
        "predict by without it, such as --classify \"class ~ age + sex\"",
        c->question->formula,
        kan_quote(kan_slice_of(c->question->compared[c->question->features[widest]].original->name),
                  quoted),
        features[widest].n_places, KAN_DESIGN_MOST_COLUMNS);
}

static kan_status make_room(classifying *c) {
    const uint64_t n = rows_of(c, c->is_released)->n, n_tested = c->question->original.n;
    KAN_TRY(kan_features_make(c->run, c->question, c->is_released, &c->features));
    KAN_TRY(kan_seen_design_make(&c->features, false, n, &c->learnt));
    KAN_TRY(kan_seen_design_make(&c->features, true, n_tested, &c->tested));
    for (size_t i = 0; i < c->features.n; i++)
        c->out->n_drawn += c->features.features[i].is_drawn;
    if (kan_design_width(&c->learnt.design) == SIZE_MAX)
        return refuse_width(c);
    KAN_TRY(kan_alloc(c->run, n, sizeof *c->weights, &c->weights));
    KAN_TRY(kan_alloc(c->run, n, sizeof *c->y, &c->y));
    KAN_TRY(kan_alloc(c->run, n_tested, sizeof *c->predicted, &c->predicted));
    for (int by = 0; by < KAN_CLASSIFIERS; by++) {
        KAN_TRY(
            kan_alloc_zero(c->run, n_tested * c->n_scores, sizeof *c->scores[by], &c->scores[by]));
        c->has_score[by] = true;
    }
    c->learnt.design.weights = c->weights;
    return KAN_OK;
}

static void free_room(classifying *c) {
    kan_seen_design_destroy(&c->learnt);
    kan_seen_design_destroy(&c->tested);
    kan_features_destroy(&c->features);
    kan_free(c->run, c->weights);
    kan_free(c->run, c->y);
    kan_free(c->run, c->predicted);
    c->weights = c->y = c->predicted = NULL;
    c->learnt = c->tested = (kan_seen_design){.run = NULL};
    c->features = (kan_features){.run = NULL};
    for (int by = 0; by < KAN_CLASSIFIERS; by++) {
        kan_free(c->run, c->scores[by]);
        c->scores[by] = NULL;
    }
}

static kan_status learn_from(classifying *c, bool is_released, kan_classifier_score *out) {
    c->is_released = is_released;
    kan_status status = make_room(c);
    if (is_released && !c->out->holds_out) {
        if (status == KAN_OK)
            status = learn(c, ALL_FOLDS);
    } else
        for (unsigned fold = 0; status == KAN_OK && fold < KAN_FOLDS; fold++)
            status = learn(c, fold);
    if (status == KAN_OK)
        status = judge(c, out);
    free_room(c);
    return status;
}

static kan_status classify(classifying *c) {
    const kan_classify_question *question = c->question;
    c->out->holds_out = question->rows_in_order || question->row_of;
    for (size_t i = 0; i < question->n_features; i++)
        c->out->n_coarser += kan_fidelity_has_coarser(question->fidelity, question->features[i]);
    KAN_TRY(make_classes(c));
    c->n_scores = c->out->n_classes == 2 ? 1 : c->out->n_classes;
    KAN_TRY(learn_from(c, false, c->out->before));
    return learn_from(c, true, c->out->after);
}

kan_status kan_classification_make(kan_run *run, const kan_classify_question *question,
                                   kan_classification *out) {
    kan_classification found = {.n_classes = 0};
    classifying c = {.run = run, .question = question, .out = &found};
    const kan_status status = classify(&c);
    kan_free(run, c.class_of[0]);
    kan_free(run, c.class_of[1]);
    if (status == KAN_OK)
        *out = found;
    return status;
}

kan_classifier kan_classification_best(const kan_classification *c) {
    int best = KAN_CLASSIFY_LOGISTIC;
    for (int by = best + 1; by < KAN_CLASSIFIERS; by++)
        if (c->after[by].has_score &&
            (!c->after[best].has_score || c->after[by].accuracy > c->after[best].accuracy))
            best = by;
    return (kan_classifier)best;
}
