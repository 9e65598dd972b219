/* Columns that settings treat (data/treatment.h): --cap, --round, --pseudonym,
 * --shift-dates. */
#ifndef KANON_JOB_INPUT_TREATMENT_INPUT_H
#define KANON_JOB_INPUT_TREATMENT_INPUT_H

#include "job/input/table_input.h"

/* Finds the columns that settings treat, and asks for them to be read: kan_input_read treats them,
 * kan_input_read_release (`is_release`) does not. Reads the key, where there has to be one. The
 * table is open. KAN_BAD_INPUT where a setting names no column of it, or the key is none. */
KAN_MUST_USE kan_status kan_input_find_treatments(kan_input *input, bool is_release);
/* The treatment of a column; NULL: it has none. */
const kan_treatment *kan_input_treatment(const kan_input *input, size_t column);
/* Whether it has one, or says whose dates are shifted: it has to be read. */
bool kan_input_treats_by(const kan_input *input, size_t column);
/* Treats a population, or the like, as a table was: columns[i] as that table's column like[i]. Its
 * rows were read, and nothing was done to them. KAN_BAD_INPUT, for the setting `flag`, where nobody
 * could be matched by what comes of it: that depends on a key. */
KAN_MUST_USE kan_status kan_input_treat_like(kan_input *input, const char *flag,
                                             const kan_input *table, const size_t *like,
                                             const size_t *columns, size_t n);
/* The settings that treat the column, for messages: "--cap" or "--round and --cap". */
const char *kan_treatment_flags(const kan_treatment *treatment);

/* What becomes of the values, in words: "rounded to multiples of 5, from 90 on as >=90". */
void kan_treatment_add_words(const kan_treatment *treatment, kan_text *text);

/* Wipes the key; for kan_input_close. */
void kan_input_forget_key(kan_input *input);
/* For kan_input_read: the rows were read. */
KAN_MUST_USE kan_status kan_input_treat(kan_input *input);
/* The same of a table whose rows others tell the people of (kan_input.is_tied): `whose` has the person of
 * each row, and lives as long as the input; NULL where no dates are shifted. */
KAN_MUST_USE kan_status kan_input_treat_tied(kan_input *input, const kan_column *whose);
/* The columns of a release whose ends count as numbers or dates; for kan_input_read_release, of a
 * release without its original. */
KAN_MUST_USE kan_status kan_input_take_ends(kan_input *release);

#endif
