/* `profile` of several tables: each as by itself, and how they hang together.
 *
 *   several.c       reading, counting, the order of the tables
 *   several_words.c what was found, in sentences
 *   several_tell.c  the summary and the result
 *   several_job.c   a job over all tables that have a place */
#ifndef KANON_JOB_PROFILE_SEVERAL_H
#define KANON_JOB_PROFILE_SEVERAL_H

#include "analyze/links/links.h"
#include "job/profile/profile_inside.h"

/* One of the tables. */
typedef struct kan_several_table {
    kan_profile_walk walk;
    kan_job *job; /* its own: the settings of all, and its input */
    bool is_open;
    const char *name; /* by that of its file */
    unsigned char *can;
    uint64_t dangling_line; /* of the first row that belongs to nobody; 0: not known, or none */
    uint64_t faulty_line;   /* the same of its key */
} kan_several_table;

typedef struct kan_several {
    kan_job *job;
    kan_run *run;
    kan_arena arena;
    size_t n;
    kan_several_table tables[KAN_LINK_TABLES]; /* in the order in which they were named */
    kan_link_table looked_at[KAN_LINK_TABLES];
    kan_links links;
    kan_link_tree tree;
    size_t
        order[KAN_LINK_TABLES]; /* those that have a place: people first, each behind its parent */
    kan_text words;             /* what was found: sentences, each with the end of its line */
    double start_ms, links_ms;
} kan_several;

/* The key that the tables below it point to; NULL: none does. */
const kan_link_key *kan_several_key(const kan_several *s, size_t table);
/* How it hangs on its parent; NULL: it does not. */
const kan_link *kan_several_link(const kan_several *s, size_t table);
const char *kan_several_column(const kan_several *s, size_t table, size_t column);
/* Whether a column is the key of its table, or points to that of its parent. */
bool kan_several_ties(const kan_several *s, size_t table, size_t column);

KAN_MUST_USE kan_status kan_several_find_words(kan_several *s);
KAN_MUST_USE kan_status kan_several_tell(kan_several *s, kan_result *out);
/* Writes what --job-out names, if anything. */
KAN_MUST_USE kan_status kan_several_write_job(kan_several *s);

#endif
