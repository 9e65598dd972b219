/* What is keyed of treated columns (treated_key.c), for treated.c and tests. */
#ifndef KANON_ANALYZE_VERIFY_TREATED_INSIDE_H
#define KANON_ANALYZE_VERIFY_TREATED_INSIDE_H

#include "data/treatment.h"

enum { KAN_VERIFY_DIGEST = 32 };

/* HMAC-SHA-256. */
void kan_verify_hmac(kan_slice key, kan_slice message, uint8_t digest[KAN_VERIFY_DIGEST]);
/* That of a value for one purpose, under the key of the treatment; `room` is used for the message.
 */
KAN_MUST_USE kan_status kan_verify_digest(const kan_treatment *treatment, const char *purpose,
                                          kan_slice value, kan_text *room,
                                          uint8_t digest[KAN_VERIFY_DIGEST]);

/* Whether a text is a p and 32 hexadecimal digits. */
bool kan_verify_looks_pseudonym(kan_slice shown);
/* Whether it is the pseudonym of a value. */
KAN_MUST_USE kan_status kan_verify_pseudonym(const kan_treatment *treatment, kan_slice raw,
                                             kan_slice shown, kan_text *room, bool *is_right);

/* By how many days the dates of a person are moved. */
KAN_MUST_USE kan_status kan_verify_shift(const kan_treatment *treatment, kan_slice person,
                                         kan_text *room, int64_t *out);

#endif
