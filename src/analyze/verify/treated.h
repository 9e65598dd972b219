/* Treated columns, checked by definitions of their own (data/treatment.h says what they are). For
 * the recount and `verify`. */
#ifndef KANON_ANALYZE_VERIFY_TREATED_H
#define KANON_ANALYZE_VERIFY_TREATED_H

#include "data/treatment.h"

/* *fault is NULL when in every row each treated column is what its treatment makes of the raw one;
 * else the name of the first column that is not. Both tables are sealed and have the same columns
 * and rows. O(rows + values) for each treatment. */
KAN_MUST_USE kan_status kan_verify_treated(kan_run *run, const kan_table *raw,
                                           const kan_table *treated,
                                           const kan_treatment *treatments, size_t n,
                                           const char **fault);

/* Whether a column of a release shows nothing that its treatment cannot have left there: numbers
 * beyond a bound, or between steps, or what is no pseudonym. Labels, such as intervals, are not looked at. For a release
 * without its original. */
bool kan_verify_is_treated(const kan_column *released, const kan_treatment *treatment);

#endif
