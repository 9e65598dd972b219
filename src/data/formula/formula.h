/* The door of data/formula: what a model predicts and what it uses, as people write it.
 *
 *     income ~ age + sex        the outcome, and the columns that it is predicted by
 *     income, income ~ .        by all other columns
 *
 * A name with one of ~ + * : ^ ( ) or with spaces at its ends stands between backticks. Formulas of one
 * name for each column are all there is: no interactions, no functions. May touch core. */
#ifndef KANON_DATA_FORMULA_FORMULA_H
#define KANON_DATA_FORMULA_FORMULA_H

#include "core/text.h"

enum { KAN_FORMULA_TERMS = 64 };

/* Names point into the text. */
typedef struct kan_formula {
    kan_slice outcome;
    bool uses_all; /* all other columns; there are no terms then */
    size_t n_terms;
    kan_slice terms[KAN_FORMULA_TERMS]; /* each once, and none is the outcome */
} kan_formula;

/* Otherwise *why is what is wrong with it, and the remedy. */
bool kan_formula_parse(const char *text, kan_formula *out, const char **why);

/* Whether the model uses the column, which is not the outcome. */
bool kan_formula_uses(const kan_formula *formula, kan_slice column);

#endif
