/* The door of analyze/over_time: a release held against the earlier ones of a ledger
 * (docs/papers/over-time.md).
 *
 * Who was in the same releases, and in the same group in each, is found here anew, from the records of the ledger as they
 * stand there, and the groups of the new release are those of its released values. A cell is then a group of a table with one more
 * column, which has a number for the earlier trace of the person of each row; so cells are counted, and
 * held against every model, by the recount of groups (analyze/verify), with several rows of a person by
 * that of histories. Shares nothing with src/ledger, src/group, src/privacy and src/search. May touch core, data,
 * analyze/tuples and analyze/verify.
 *
 * Who knows less (--attacker knows-if) cannot tell newcomers from people of another cell of their group whose earlier
 * groups would take them in. Where that is so of all newcomers of a group they need be no cell, and all others are
 * counted as ever, without them.
 *
 * Order of calls: kan_over_time_recount, once for a release. O(people * releases + rows * columns), and
 * memory for a few words for each person of the ledger and each row. */
#ifndef KANON_ANALYZE_OVER_TIME_OVER_TIME_H
#define KANON_ANALYZE_OVER_TIME_OVER_TIME_H

#include "analyze/verify/verify.h"

/* Bytes of what stands for a person in a ledger. */
enum { KAN_OVER_TIME_MARK = 16 };

/* What a ledger says of releases before this one. */
typedef struct kan_over_time_ledger {
    size_t n_people;
    const uint8_t *marks; /* of each, one after the other, in ascending order; nobody twice */
    size_t n_releases;
    const uint32_t *const *groups; /* groups[release][person]: 0 where she is out, else her group */
} kan_over_time_ledger;

/* A quasi-identifier that newcomers have. */
typedef struct kan_over_time_value {
    const char *name;
    size_t column;                  /* of the original */
    const kan_hierarchy *hierarchy; /* bound to it; NULL: labels are read by their text alone */
} kan_over_time_value;

/* What the groups of an earlier release showed: of each column its texts, and which of them by group. */
typedef struct kan_over_time_label_column {
    const char *name;
    const kan_slice *texts;
    uint32_t n_texts;
    const uint32_t *codes;
} kan_over_time_label_column;

typedef struct kan_over_time_labels {
    bool are_known;
    const kan_over_time_label_column *columns;
    size_t n_columns, n_groups;
} kan_over_time_labels;

typedef struct kan_over_time_hidden {
    const kan_over_time_labels *shown; /* by earlier release */
    const kan_table *original;
    const uint64_t *row_of; /* by row of the release: that of the original */
    const kan_over_time_value *values;
    size_t n_values;
} kan_over_time_hidden;

typedef struct kan_over_time_question {
    const kan_over_time_ledger *earlier;
    /* The release and what is promised of it. The claim has a k, and no population, no weights, no sets of columns,
     * no matches; with its `person` a person may have several rows. Its person_of is not looked at. */
    const kan_models_question *release;
    const uint8_t *marks; /* by row of the release: that of the person whose row it is */
    bool keeps_leavers;   /* what is promised of leavers is kept, too */
    const kan_over_time_hidden *hidden; /* newcomers may be; NULL: they may not */
} kan_over_time_question;

typedef struct kan_over_time_recount {
    bool holds;
    size_t n_earlier; /* releases */
    uint64_t n_people, n_newcomers;
    uint64_t n_hidden; /* newcomers of groups in which all are; cells are told without them */
    uint64_t n_cells, smallest_cell; /* in people; 0 without any */
    uint64_t n_small_people;         /* of cells of fewer than k */
    uint64_t n_repeated;             /* rows of somebody who has one before, where nobody may */
    /* The cells, told as groups, or histories: k, and every model. */
    kan_models_recount cells;
    /* People who are out of this release, of earlier cells of k or more of whom fewer than k are out,
     * and these cells; and the people of earlier cells of fewer than k. */
    uint64_t n_leavers, n_leaver_cells;
    uint64_t n_stranded, n_stranded_cells;
} kan_over_time_recount;

KAN_MUST_USE kan_status kan_over_time_recount_release(kan_run *run,
                                                      const kan_over_time_question *question,
                                                      kan_over_time_recount *out);

#endif
