/* The cover of a counted release, with help. For src/analyze alone. */
#ifndef KANON_ANALYZE_COVER_TOLD_H
#define KANON_ANALYZE_COVER_TOLD_H

#include "analyze/cover/cover_rows.h"

/* kan_verify_cover of a counted release, tried first as somebody tells it: `told` has the rows of the
 * release, and row_of names every row of the original once, first those that the rows of `told` are,
 * in their order. What is told cannot make hold what does not. */
KAN_MUST_USE kan_status kan_verify_cover_told(kan_run *run, const kan_cover_question *question,
                                              const kan_table *told, const uint64_t *row_of,
                                              kan_cover *out);

#endif
