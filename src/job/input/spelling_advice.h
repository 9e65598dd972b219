/* What to say to make numbers or dates of a column that is text because of how it is written. For
 * those who hold the data: it shows values. */
#ifndef KANON_JOB_INPUT_SPELLING_ADVICE_H
#define KANON_JOB_INPUT_SPELLING_ADVICE_H

#include "core/text.h"
#include "data/table.h"

/* Adds what the column looks like ("column 'born' looks like dates such as 14.03.1980") and the
 * flags that make it so ("--date-format born=%d.%m.%Y makes it dates"), apart by "; ", to `text`;
 * nothing where it is what it seems. */
KAN_MUST_USE kan_status kan_input_add_advice(kan_run *run, const kan_column *column,
                                             kan_text *text);
/* The same as a note. */
KAN_MUST_USE kan_status kan_input_note_advice(kan_run *run, const kan_column *column);

#endif
