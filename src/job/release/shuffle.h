/* The order of released rows with --shuffle.
 *
 * It must not follow from anything that somebody else could have: not from the seed, which reports
 * print, and not from the table, which the attacker may know in its own order. It comes from the
 * system's randomness, or from a file that only its owner has (--shuffle-key). Nothing that is
 * written tells of it. */
#ifndef KANON_JOB_RELEASE_SHUFFLE_H
#define KANON_JOB_RELEASE_SHUFFLE_H

#include "core/secret.h"
#include "job/settings/settings.h"

typedef struct kan_shuffle {
    bool is_wanted;
    kan_secret secret;
} kan_shuffle;

/* Finds out whether rows are shuffled, and by what: before the work, so that a key that cannot be
 * read costs nobody an hour. */
KAN_MUST_USE kan_status kan_shuffle_prepare(kan_job *job, kan_shuffle *out);
/* Every permutation of n rows is as likely as any other; allocated. Forgets the secret. */
KAN_MUST_USE kan_status kan_shuffle_order(kan_run *run, kan_shuffle *shuffle, uint64_t n,
                                          uint64_t **out);

#endif
