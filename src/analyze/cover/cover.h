/* The door of analyze/cover: whether released values cover original ones, as a stranger reads them,
 * row by row, in any order, and for people of whom nobody says which rows are theirs; and how many
 * people of a population match a group.
 *
 * Shares nothing with what writes labels. May touch core, data, io and analyze/tuples. */
#ifndef KANON_ANALYZE_COVER_COVER_H
#define KANON_ANALYZE_COVER_COVER_H

#include "analyze/cover/cover_rows.h"
#include "analyze/cover/cover_values.h"
#include "analyze/cover/read_interval.h"
#include "analyze/cover/relation.h"
#include "analyze/cover/told.h"
#include "analyze/cover/whole_people.h"

#endif
