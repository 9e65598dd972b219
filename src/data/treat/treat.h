/* The door of data/treat: tables whose columns are treated (data/treatment.h).
 *
 * A treated table is a view: columns without a treatment are those of the raw table, which must
 * outlive it; the others have a dictionary and codes of their own. The raw table stays as it is, so
 * that what was done can be checked. May touch core and data. */
#ifndef KANON_DATA_TREAT_TREAT_H
#define KANON_DATA_TREAT_TREAT_H

#include "data/treatment.h"

/* The raw table with its columns treated, each by one treatment at most; they are encoded. What
 * does not fit is added with kan_problem_add; `origin` is the table in these messages. The caller
 * has called kan_problems_begin, and asks for problems: a column with one is left as it was.
 * O(values) for each treatment, and one pass over the codes of its column. */
KAN_MUST_USE kan_status kan_table_treat(kan_run *run, const kan_table *raw, const char *origin,
                                        const kan_treatment *treatments, size_t n, kan_table **out);
/* Follows the raw table, whose rows were just divided (kan_table_divide) by row_of. */
KAN_MUST_USE kan_status kan_treated_divide(kan_table *treated, const kan_table *raw,
                                           const uint64_t *row_of);
void kan_treated_destroy(kan_table *treated, const kan_table *raw); /* NULL is none */

/* ---- values --------------------------------------------------------------------------------- */

enum { KAN_TREATED_ROOM = 64 };

/* What becomes of one value: in `room`, or the text itself, or one of the treatment's. False where
 * it does not fit: it is not a number or not a date, or has too many digits. */
bool kan_treat_value(const kan_treatment *treatment, kan_slice value, char room[KAN_TREATED_ROOM],
                     kan_slice *out);

/* Reads a bound of --cap: a number of at most 18 decimals, or a day. *is_day tells which. */
bool kan_cap_bound_parse(kan_slice text, bool *is_day);
/* Whether one bound is below another of its kind. */
bool kan_cap_is_below(kan_slice low, kan_slice high);
/* A bound as it is shown: without zeros behind the decimals. At most KAN_TREATED_ROOM bytes. */
kan_slice kan_cap_bound_text(kan_slice bound, char room[KAN_TREATED_ROOM]);

#endif
