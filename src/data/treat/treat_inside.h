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

#endif
