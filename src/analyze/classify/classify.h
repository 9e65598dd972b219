/* The door of analyze/classify: how well a class is predicted by who learns from the original, and by who
 * learns from the release. May touch core, data, analyze/fit and analyze/fidelity.
 *
 * Everything is tested on rows of the original, in KAN_FOLDS parts: each row is in the part that the hash
 * of its number says. Who learns from the original learns from the other parts. Who learns from the
 * release learns from its rows of the other parts, where it is known which row was made from which;
 * elsewhere from all of it, so that the row that is predicted was among those that were learnt from, and
 * the figures are too good. All rows whose class is known are predicted once.
 *
 * How a column enters: numbers and dates as numbers, of the release by middles; what is missing or hidden has the
 * mean, and a column of 0 and 1 says so. Text as categories, missing values one of them. Where the release's labels
 * are disjoint they are the categories, and a value of the original is read as its label. Elsewhere how coarse
 * a label is may itself tell of the class, which no row of the original shows: there a cell is learnt from as one of the
 * values that it may stand for, each as likely as any other, by the hash of its row. With `as_categories` numbers
 * that the release shows coarser enter as labels, and overlapping labels as they stand; a value is read as
 * the one with the most rows for each value that it stands for.
 *
 *   majority   the most frequent class
 *   logistic   logistic regression (analyze/fit); of more than two classes each against the rest, and the
 *              greatest probability says which
 *   tree       binary splits that lower the Gini impurity most, classify_tree.c
 *
 * Accuracy is the share of rows whose class is told right. The area under the ROC curve is the probability
 * that of two rows, one of a class and one of the others, the first has the higher score, ties half; of two
 * classes for the second, of more the mean over classes by their shares. Rows
 * are held against rows of the same part. */
#ifndef KANON_ANALYZE_CLASSIFY_CLASSIFY_H
#define KANON_ANALYZE_CLASSIFY_CLASSIFY_H

#include "analyze/fidelity/fidelity.h"

enum { KAN_FOLDS = 5, KAN_MOST_LEARNT = 20 };

typedef struct kan_classify_question {
    const kan_fidelity *fidelity;
    const kan_fidelity_column *compared;
    size_t outcome; /* of the columns that are compared */
    const size_t *features;
    size_t n_features;
    bool as_categories;
    bool rows_in_order;     /* row i of the release was made from row i; or: */
    const uint64_t *row_of; /* by row of the release, the row of the original; NULL: nobody says */
    kan_fidelity_rows original, released;
    const char *formula; /* for messages */
} kan_classify_question;

typedef enum kan_classifier {
    KAN_CLASSIFY_MAJORITY,
    KAN_CLASSIFY_LOGISTIC,
    KAN_CLASSIFY_TREE,
    KAN_CLASSIFIERS
} kan_classifier;
extern const char *const kan_classifier_names[KAN_CLASSIFIERS];

typedef struct kan_classifier_score {
    bool has_score; /* false: nothing could be learnt, or the fit did not converge */
    double accuracy;
    bool has_auc; /* the classes differ among the rows that are tested */
    double auc;
} kan_classifier_score;

typedef struct kan_classification {
    size_t n_classes;
    kan_slice classes[KAN_MOST_LEARNT];
    uint64_t n_tested;               /* rows of the original whose class is known */
    uint64_t n_original, n_released; /* rows that can be learnt from */
    uint64_t n_unknown[2];           /* rows of either without a known class */
    bool holds_out;                  /* the release's rows of the same part were kept out, too */
    size_t n_coarser;                /* features that the release shows coarser */
    size_t n_drawn; /* those of them whose cells became one of the values that they may stand for */
    kan_classifier_score before[KAN_CLASSIFIERS], after[KAN_CLASSIFIERS];
} kan_classification;

/* KAN_BAD_INPUT: the outcome has fewer than two values, or more than KAN_MOST_LEARNT; or the model is
 * wider than KAN_DESIGN_MOST_COLUMNS. */
KAN_MUST_USE kan_status kan_classification_make(kan_run *run, const kan_classify_question *question,
                                                kan_classification *out);

/* The one that tells most rows right that was learnt from the release, of those that look at the features. */
kan_classifier kan_classification_best(const kan_classification *classification);

/* The area under the ROC curve: of row i a score, how much it counts, and whether it is of the class. A score of
 * NaN is left out. False: all rows are of the class, or none. O(n log n). */
KAN_MUST_USE kan_status kan_roc_area(kan_run *run, const double *scores, const uint64_t *units,
                                     const uint8_t *is_of_class, uint64_t n, bool *has_area,
                                     double *area);

#endif
