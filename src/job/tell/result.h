/* The result of a job: JSON for programs, lines for people, and whether what was asked holds. */
#ifndef KANON_JOB_TELL_RESULT_H
#define KANON_JOB_TELL_RESULT_H

#include <jansson.h>

#include "core/text.h"
#include "data/table.h"
#include "io/arrow/arrow.h"

struct kan_result {
    kan_run *run;
    kan_text json, summary;
    kan_text unchecked; /* what could not be checked, one line; empty: nothing */
    bool holds;
    bool is_interrupted; /* the search was: its answer is the best by then */
    kan_table *table;    /* released rows, when they were asked for in memory */
    kan_arrow *arrow;    /* the same, as Arrow, until they are handed over */
};

/* A fresh result with empty texts. */
KAN_MUST_USE kan_status kan_result_create(kan_run *run, kan_result **out);

/* Takes the object (also when it fails) and writes it, pretty-printed, into out->json. NULL means
 * that building it ran out of memory. */
KAN_MUST_USE kan_status kan_result_set_json(kan_result *out, json_t *object);

/* What `verify` came to: "verified", "refuted" or "unchecked". */
const char *kan_result_status_name(const kan_result *result);

#endif
