/* What the files of analyze/tuples share: a table whose tuples come from elsewhere. */
#ifndef KANON_ANALYZE_TUPLES_TUPLES_INSIDE_H
#define KANON_ANALYZE_TUPLES_TUPLES_INSIDE_H

#include "analyze/tuples/tuples.h"

/* Room for exactly n tuples in an empty table. They are all there then (tuples->n), and whoever
 * calls it fills in their bytes, counts and first rows. */
KAN_MUST_USE kan_status kan_tuples_reserve(kan_tuples *tuples, size_t n);
/* Lets a tuple that was filled in be found. Several threads at once may do so, each for tuples of
 * its own, no tuple equal to another. */
void kan_tuples_enter(kan_tuples *tuples, size_t index);

#endif
