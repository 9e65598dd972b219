/* The door of job/release: the commands `anonymize` and `search`.
 *
 * A release is written beside its target, recounted, and named last of all; the certificate of a
 * search is written the same way. May touch what job/report may, and job/report and job/verify. */
#ifndef KANON_JOB_RELEASE_RELEASE_H
#define KANON_JOB_RELEASE_RELEASE_H

#include "job/tell/tell.h"

KAN_MUST_USE kan_status kan_walk_anonymize(kan_job *job, kan_result *out);
KAN_MUST_USE kan_status kan_walk_search(kan_job *job, kan_result *out);

/* The same; wants_release: only for the best, as `anonymize` does, and not for the solution space. */
KAN_MUST_USE kan_status kan_walk_solution(kan_job *job, bool wants_release, kan_result *out);

/* One of several tables that are released together: its levels, and who is left out, were decided
 * elsewhere. Its bytes stand beside the target until it is committed. */
typedef struct kan_release_part kan_release_part;
typedef struct kan_release_part_order {
    const struct kan_setup *setup; /* read and bound; it must outlive the part */
    const unsigned *levels;        /* by quasi-identifier */
    const uint8_t *is_left_out;    /* by row */
    uint64_t n_left_out;
    bool is_shuffled; /* rows stand in an order that nobody knows */
    const struct kan_sink_kind *kind;
    const char *target;
    /* A column that shows texts of its own, or NULL. Whoever gives one counts the release: its rows are not
     * compared here. */
    const struct kan_release_texts *texts;
    bool overwrite;
} kan_release_part_order;

typedef struct kan_release_texts {
    size_t column;         /* of the table, though no role releases it */
    const uint32_t *codes; /* by row */
    const kan_slice *labels;
    uint32_t n_labels;
    bool shows_values; /* no label is generalized */
} kan_release_texts;

/* Writes the table, reads it again, and compares each row with the one that it was made from. */
KAN_MUST_USE kan_status kan_release_part_write(const kan_release_part_order *order,
                                               kan_release_part **out);
/* Decides what is written, and writes nothing: for the next. */
KAN_MUST_USE kan_status kan_release_part_make(const kan_release_part_order *order,
                                              kan_release_part **out);
/* Several parts into one file, each under its name, and then the same; the sink is the caller's, to be
 * synced and committed. The parts must outlive it. */
typedef struct kan_release_book {
    kan_release_part *const *parts;
    const char *const *names;
    size_t n;
    const struct kan_sink_kind *kind;
    const char *target;
    bool overwrite;
    struct kan_engine *schema; /* of a kind in an engine: its tables were made */
} kan_release_book;
KAN_MUST_USE kan_status kan_release_book_write(const kan_release_book *book, struct kan_sink **out);
/* Reads what was written, all columns. */
KAN_MUST_USE kan_status kan_release_part_read(const kan_release_part *part, kan_table **out);
/* Gives it its name, when its bytes are on the disk. */
KAN_MUST_USE kan_status kan_release_part_commit(kan_release_part *part);
/* Notes: columns without a role, cells that a spreadsheet would run. */
void kan_release_part_tell(const kan_release_part *part);
void kan_release_part_destroy(kan_release_part *part); /* NULL is none */

#endif
