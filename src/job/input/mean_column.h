/* The column NAME-mean, which --summary both adds beside a quasi-identifier NAME: how it is named,
 * and how it is found again in a release. */
#ifndef KANON_JOB_INPUT_MEAN_COLUMN_H
#define KANON_JOB_INPUT_MEAN_COLUMN_H

#include "core/text.h"
#include "job/input/table_input.h"

/* Adds the name of the column that has the means of `name`. */
void kan_mean_column_add_name(kan_text *text, const char *name);
/* Whether a column has such a name. */
bool kan_mean_column_is_name(kan_slice name);

/* Looks for the means of the column `name` in a release. A column that the original has, too, is
 * not one of means; `original` is NULL where that does not matter, or there is none. */
KAN_MUST_USE kan_status kan_mean_column_find(const kan_input *release, const kan_input *original,
                                             const char *name, size_t *column, bool *is_there);

#endif
