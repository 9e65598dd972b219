/* The child's side: libreadstat walks over a file and its handlers write frames (stat_wire.h). */
#ifndef KANON_IO_STAT_STAT_CHILD_H
#define KANON_IO_STAT_STAT_CHILD_H

#include "io/stat/stat_wire.h"

typedef enum kan_stat_format {
    KAN_STAT_SAV, /* and .zsav */
    KAN_STAT_POR,
    KAN_STAT_DTA,
    KAN_STAT_SAS7BDAT,
    KAN_STAT_XPT
} kan_stat_format;

/* Where frames go; false where nobody wants more. */
typedef bool (*kan_stat_send_fn)(void *to, const void *bytes, size_t size);

typedef struct kan_stat_child kan_stat_child;

typedef struct kan_stat_child_plan {
    kan_stat_format format;
    int file; /* read with pread; -1: `bytes` are the file */
    const char *bytes;
    uint64_t size;
    const char *encoding;  /* of its text, as iconv calls it; NULL: the file says it */
    const bool *is_wanted; /* by column; NULL: no rows are read */
    size_t n_columns;      /* of is_wanted */
    bool is_exact;         /* words tell apart all that the file does; stat_lookalikes.c */
} kan_stat_child_plan;

/* All memory that it needs beside libreadstat's own; texts and arrays of the plan are borrowed. */
KAN_MUST_USE kan_status kan_stat_child_create(kan_run *run, const kan_stat_child_plan *plan,
                                              kan_stat_child **out);
void kan_stat_child_destroy(kan_stat_child *child);
/* Reads the file and sends all frames. Calls nothing of the run. */
void kan_stat_child_act(kan_stat_child *child, kan_stat_send_fn send, void *to);

#endif
