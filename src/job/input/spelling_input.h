/* How values are written, as settings say: --missing, --decimal, --thousands, --date-format,
 * --text. */
#ifndef KANON_JOB_INPUT_SPELLING_INPUT_H
#define KANON_JOB_INPUT_SPELLING_INPUT_H

#include "data/spelling.h"
#include "job/settings/settings.h"

struct kan_input;

/* The spellings of a table of a job, whose columns are known; NULL where nothing was said. They live
 * as long as the run. KAN_BAD_INPUT where settings contradict each other. */
KAN_MUST_USE kan_status kan_input_find_spellings(const struct kan_input *input,
                                                 const kan_spellings **out);

/* Adds a problem for each name and pattern of --text that no column has. */
void kan_input_check_text(const struct kan_input *input);

/* KAN_BAD_INPUT where a column that matters is text, and would be numbers or dates without some of its values, by what
 * was said of the whole table: if rows are left out, what it is would follow from them. */
KAN_MUST_USE kan_status kan_input_check_decided(const struct kan_input *input, const bool *matters);

/* Those of a release: what was said of columns by name may also be labels there. Where the table
 * that it was made of is at hand (NULL: it is not), its columns have settled what they are. */
KAN_MUST_USE kan_status kan_input_spell_release(kan_run *run, const kan_spellings *said,
                                                const kan_table *original,
                                                const kan_spellings **out);

#endif
