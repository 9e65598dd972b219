/* The inside of data/treat: what its files share. */
#ifndef KANON_DATA_TREAT_TREAT_INSIDE_H
#define KANON_DATA_TREAT_TREAT_INSIDE_H

#include "data/treat/treat.h"

enum { KAN_TREAT_DIGEST = 32, KAN_PSEUDONYM_BYTES = 16, KAN_PSEUDONYM_LETTER = 'p' };

/* The keyed digest of a value for one purpose (treat_key.c). Whoever asks for it wipes it. */
void kan_treat_digest(const kan_treatment *treatment, const char *purpose, kan_slice value,
                      uint8_t digest[KAN_TREAT_DIGEST]);
/* The pseudonym of a known value, in `room`, which has KAN_TREATED_ROOM bytes. */
kan_slice kan_treat_pseudonym(const kan_treatment *treatment, kan_slice value, char *room);

/* The days by which the dates of a person are moved. */
int64_t kan_treat_shift(const kan_treatment *treatment, kan_slice person);
/* A date moved by days; false where it is none, or would leave the years 0 to 9999. */
bool kan_treat_date(kan_slice value, int64_t shift, char room[KAN_TREATED_ROOM], kan_slice *out);
/* A column of dates with its own dictionary and codes, each date moved as its person's are.
 * *is_made is false, with a problem added, where one cannot be. */
KAN_MUST_USE kan_status kan_treat_shift_column(kan_run *run, const kan_treatment *treatment,
                                               const kan_table *raw, const char *origin,
                                               bool *is_made, kan_column *out);

#endif
