/* What a report says, as JSON: the key `report` of a result, which may go with the release, and the
 * further details that only those may see who may see the table.
 *
 * The rule for the first: it follows from released rows and from the number of suppressed ones, so
 * that nothing of it changes with what suppressed people have; no value that the release does not
 * show (but rare ones that at least `merge_below` released rows had: report_rare.c), no row but
 * released ones, and no number of people below `merge_below`. Where a person may have several rows,
 * each counts once, whatever she has, and how many rows were suppressed is not told. Where the
 * second is asked for, it never goes into a result. */
#ifndef KANON_JOB_REPORT_REPORT_DATA_H
#define KANON_JOB_REPORT_REPORT_DATA_H

#include <jansson.h>

#include "analyze/risk/risk.h"
#include "data/release.h"
#include "job/outcome/outcome.h"

/* A release that was written and verified, and is about to be named. */
typedef struct kan_report_source {
    const kan_outcome *outcome;
    const kan_release *release;
    const char *release_path; /* where its bytes can be read now; NULL: it is in memory */
    bool tells_all;   /* figures over all rows, too: nobody is suppressed, or it is internal */
    json_t *attacks;  /* what intruders find, of an internal report; NULL: nobody asked */
    json_t *fidelity; /* what can still be done with it; the same */
} kan_report_source;

/* The key `report`. */
KAN_MUST_USE kan_status kan_report_data_make(const kan_report_source *source, json_t **out);
/* The key `internal`: raw rows beside released ones, the smallest groups, raw distributions. */
KAN_MUST_USE kan_status kan_report_internal_make(const kan_report_source *source, json_t **out);

/* ---- for report_*.c ------------------------------------------------------------------------- */

enum {
    KAN_REPORT_VALUES = 100,
    KAN_REPORT_COMMONEST = 12,
    KAN_REPORT_ROWS = 8,
    KAN_REPORT_ALTERNATIVES = 24
};

/* The least number of people that a shareable report tells of; 0 of an internal one. */
uint64_t kan_report_merge_below(const kan_report_source *source);

/* KAN_FAILED where it is NULL, because memory ran out. */
KAN_MUST_USE kan_status kan_report_json(kan_run *run, json_t *made, json_t **out);
/* A value or a label, cut after some 150 bytes. */
json_t *kan_report_label(kan_slice label);

/* report_columns.c: `columns`, and of all columns the values that suppression hits most. */
KAN_MUST_USE kan_status kan_report_columns(const kan_report_source *source, json_t **columns,
                                           json_t **most_hit);

/* report_erased.c: by column the values of which every row was suppressed; internal. */
KAN_MUST_USE kan_status kan_report_erased(const kan_report_source *source, json_t **out);

/* report_rare.c: what `other` stands for at a level of a hierarchy; null where there is none. */
KAN_MUST_USE kan_status kan_report_stands_for(const kan_report_source *source, unsigned a,
                                              unsigned level, json_t **out);

/* A column before and after, by what it shows. */
typedef struct kan_report_bins {
    size_t n;
    const kan_slice *label;
    const uint64_t *before; /* NULL: it cannot be told by label */
    const uint64_t *after;
    bool is_ordered; /* labels stand in an order that says something; else the commonest come first,
                        and only KAN_REPORT_COMMONEST of them */
} kan_report_bins;

/* The object that shows them: the commonest labels in their order, and the rest. `chosen`, room for
 * KAN_REPORT_VALUES, says which labels they are, `*n_chosen` of them. */
KAN_MUST_USE kan_status kan_report_bins_show(kan_run *run, const kan_report_bins *bins,
                                             uint32_t *chosen, size_t *n_chosen, json_t **out);

/* report_sizes.c */
KAN_MUST_USE kan_status kan_report_groups(const kan_report_source *source, json_t **sizes,
                                          json_t **risk);

/* Where people are counted: how many have a released row, and, by person, how many were left out. */
json_t *kan_report_people(const kan_report_source *source);

/* report_groups.c */
KAN_MUST_USE kan_status kan_report_sample(const kan_report_source *source, json_t **out);
/* By sensitive column the largest share of a released group that has one value, and the rows of
 * groups that have one value alone; or the people of groups in which everybody has one. It is open
 * where nothing is promised about it, or that share is nine in ten. */
KAN_MUST_USE kan_status kan_report_sensitive(const kan_report_source *source, json_t **out);
/* The first row of each of n groups, of a list. Rows that are not found are UINT64_MAX. */
KAN_MUST_USE kan_status kan_report_find_rows(const kan_report_source *source, const size_t *groups,
                                             size_t n, uint64_t *rows);
/* The n groups that have the most rows, or the fewest, among released ones; the first of equals. */
KAN_MUST_USE kan_status kan_report_choose_groups(const kan_report_source *source, bool largest,
                                                 size_t most, size_t *groups, size_t *n);
/* A row as it is released, one value per column that is known in memory. */
json_t *kan_report_released_row(const kan_report_source *source, uint64_t row);
/* The names of these columns, and the number of the others. */
json_t *kan_report_released_columns(const kan_report_source *source, size_t *n_others);

/* report_matches.c: with --missing-matches, by quasi-identifier the released cells that are hidden or
 * missing; else null. */
KAN_MUST_USE kan_status kan_report_hidden_cells(const kan_report_source *source, json_t **out);

/* report_lattice.c: `lattice` and `alternatives`; null for other recodings, and where not all may
 * be told. */
KAN_MUST_USE kan_status kan_report_lattice(const kan_report_source *source, json_t **lattice,
                                           json_t **alternatives);

/* report_workload.c: how well the release answers the queries that the job names; null without
 * any. With `is_internal` every query, else the distribution of errors where there are enough. */
KAN_MUST_USE kan_status kan_report_workload(const kan_report_source *source, bool is_internal,
                                            json_t **out);

/* report_origin.c: the day, the command line, the seed, and the hashes of files. The key of a
 * shuffled order is in none of them. */
bool kan_report_is_shuffled(const kan_setup *setup);
/* Today where the user is, 2026-11-16; the day of SOURCE_DATE_EPOCH in UTC where that is set, so
 * that a report can be made again to the last byte. */
KAN_MUST_USE kan_status kan_report_date(kan_run *run, json_t **out);
KAN_MUST_USE kan_status kan_report_command(const kan_setup *setup, json_t **out);
/* "next: kanon verify ...", where release and table are files. */
void kan_report_add_next(const kan_setup *setup, kan_text *text);
/* The options that no job file said, as flags: " --k 5 --suppress 2%". */
void kan_report_add_flags(const kan_options *options, kan_text *text);

typedef struct kan_report_file {
    const char *role, *column; /* `column`, or what else it is of; may be NULL */
    const char *path;          /* as the user knows it */
    const char *read_path;     /* where the bytes are; NULL: there */
} kan_report_file;

/* What a list tells: all, or keyed hashes of what was read; key is NULL where there is none. */
typedef struct kan_report_listing {
    kan_run *run;
    bool is_internal;
    const char *key;
    json_t *files;
} kan_report_listing;

/* Adds a file with its hash, as far as it is told: that of role "release" always is. */
KAN_MUST_USE kan_status kan_report_add_file(kan_report_listing *list, const kan_report_file *file);
KAN_MUST_USE kan_status kan_report_files(const kan_report_source *source, bool is_internal,
                                         json_t **out);

#endif
