/* What models of sensitive values share: exact decimals as fractions, and the columns to look at.
 */
#ifndef KANON_PRIVACY_SENSITIVE_H
#define KANON_PRIVACY_SENSITIVE_H

#include "core/options.h"
#include "core/text.h"
#include "group/problem.h"

/* What is promised of sensitive values holds in each of several tables, and each may have its own. */
#define KAN_TRAITS_OF_VALUES (KAN_TRAIT_TABLES | KAN_TRAIT_EACH_TABLE)

/* numerator / denominator in lowest terms; both at most 10^18. */
typedef struct kan_fraction {
    uint64_t numerator, denominator;
} kan_fraction;

/* The value of an option as the fraction that its decimal is, nothing rounded: 0.15 is 3 / 20.
 * KAN_BAD_INPUT when it has more than 18 digits, or was not given. */
KAN_MUST_USE kan_status kan_fraction_read(kan_run *run, const kan_options *options,
                                          const char *name, kan_fraction *out);

/* The same of a text; false when it is no decimal of at most 18 digits that is not negative. */
bool kan_fraction_parse(const char *text, kan_fraction *out);

/* part / whole as a decimal of up to six digits after the point, rounded up; part <= whole < 2^44.
 * Returns room. */
enum { KAN_FRACTION_BYTES = 32 };
const char *kan_fraction_text_up(uint64_t part, uint64_t whole, char *room);

/* The sensitive tails of a problem that are looked at: all but the class, the person and weights,
 * unless some are passed over. */
typedef struct kan_sensitive {
    unsigned n;
    unsigned tails[KAN_MAX_TAILS];
} kan_sensitive;

/* KAN_BAD_INPUT when there is none; `flag` is the option that needs one. */
KAN_MUST_USE kan_status kan_sensitive_find(kan_run *run, const kan_problem *problem,
                                           const char *flag, kan_sensitive *out);

static inline const kan_dimension *kan_sensitive_tail(const kan_problem *problem, unsigned tail) {
    return &problem->space.dimensions[problem->space.n_attributes + tail];
}
static inline const kan_column *kan_sensitive_column(const kan_problem *problem, unsigned tail) {
    return kan_sensitive_tail(problem, tail)->column;
}
/* How many values a tail has: spellings of one number are one. */
static inline uint32_t kan_sensitive_values(const kan_problem *problem, unsigned tail) {
    return kan_sensitive_tail(problem, tail)->n_values;
}

#endif
