/* Whose each row is: the columns of --person and --household, or, with a ledger, --id. */
#ifndef KANON_JOB_INPUT_WHOSE_H
#define KANON_JOB_INPUT_WHOSE_H

#include "job/input/table_input.h"

/* Finds the column of --person in a population, where people are counted, and it will be read; KAN_BAD_INPUT
 * when there is none. */
KAN_MUST_USE kan_status kan_input_take_whose(kan_input *input, kan_slice name, size_t *column);

/* KAN_BAD_INPUT where the column does not say whose each row is: nobody could count such a row. The column is
 * of the input as it was read, or of some of its rows: row_of says which; NULL: all of them. A household must be known to `purpose`. */
KAN_MUST_USE kan_status kan_input_check_person(const kan_input *input, const kan_column *person,
                                               const uint64_t *row_of);
KAN_MUST_USE kan_status kan_input_check_household(const kan_input *input,
                                                  const kan_column *household, const char *purpose,
                                                  const uint64_t *row_of);
/* The same of a column of --id, all of it, where a ledger names people by it. */
KAN_MUST_USE kan_status kan_input_check_id(const kan_input *input, const kan_column *id);

#endif
