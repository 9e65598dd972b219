/* The room of microaggregation: rows that are near each other are put into groups of k, whatever
 * boxes that makes. `mdav` is Domingo-Ferrer's and Torra's MDAV (2005), `univariate` Hansen's and
 * Mukherjee's best groups of one column (2003); docs/papers/mdav.md and univariate.md say exactly
 * what they do.
 *
 * The room stands on that of Mondrian, which has the columns' order, records of tuples, and what a
 * group shows: ranges or means of numbers, the lowest node that covers categories. Inside:
 * mdav_inside.h, univariate_inside.h, micro_answer.h. Other rooms use nothing of it. */
#ifndef KANON_SEARCH_MICROAGGREGATE_MICROAGGREGATE_H
#define KANON_SEARCH_MICROAGGREGATE_MICROAGGREGATE_H

#include "search/search.h"

extern const kan_search_kind kan_search_mdav;
extern const kan_search_kind kan_search_univariate;

#endif
