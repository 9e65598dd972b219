/* What a builder of hierarchies is; for the hierarchy*.c files of this folder.
 *
 * A builder writes the lines that a file would hold, one for each value of the column in the order
 * of its dictionary. They then pass the same checks as a file. */
#ifndef KANON_DATA_HIERARCHIES_HIERARCHY_BUILD_H
#define KANON_DATA_HIERARCHIES_HIERARCHY_BUILD_H

#include "data/hierarchies/hierarchy_lines.h"

typedef struct kan_hierarchy_plan {
    kan_run *run;
    const char *spec;      /* "intervals:5,10", for messages */
    const char *arguments; /* what follows the colon; "" when nothing does */
    const kan_column *column;
    kan_hierarchy_lines *lines;
} kan_hierarchy_plan;

/* The next piece of a comma list: moves *rest behind it; false at the end. A list always has one
 * piece at least, which may be empty. Start with *rest at the text, NULL after the last piece. */
bool kan_plan_next(const char **rest, kan_slice *piece);
/* Reads a piece that is a whole number from `least` to `most`; false when it is not. */
bool kan_plan_count(kan_slice piece, uint64_t least, uint64_t most, uint64_t *out);

/* Adds the line of one value. `labels` are those of levels 1 .. n_labels; the top, *, follows when
 * `adds_top`. */
KAN_MUST_USE kan_status kan_plan_add(const kan_hierarchy_plan *plan, uint32_t code,
                                     const kan_slice *labels, unsigned n_labels, bool adds_top);

/* For builders of one type of column: adds a problem that tells how many known values are not of
 * the type (and shows the first), and gives KAN_BAD_INPUT when there is one. `kind` is "a number",
 * or such, and `kinds` several of them. */
KAN_MUST_USE kan_status kan_plan_check_type(const kan_hierarchy_plan *plan, kan_type type,
                                            const char *kind, const char *kinds);

KAN_MUST_USE kan_status kan_build_intervals(const kan_hierarchy_plan *plan);
KAN_MUST_USE kan_status kan_build_dates(const kan_hierarchy_plan *plan);
KAN_MUST_USE kan_status kan_build_ages(const kan_hierarchy_plan *plan);
KAN_MUST_USE kan_status kan_build_digits(const kan_hierarchy_plan *plan);
KAN_MUST_USE kan_status kan_build_prefixes(const kan_hierarchy_plan *plan);
KAN_MUST_USE kan_status kan_build_quantiles(const kan_hierarchy_plan *plan);
KAN_MUST_USE kan_status kan_build_frequency(const kan_hierarchy_plan *plan);

/* Of frequency:10,100 those levels that it would not leave out; "suppress" where there is none. One pass
 * over codes. */
KAN_MUST_USE kan_status kan_frequency_trim(kan_run *run, const kan_column *column,
                                           char spec[KAN_SPEC_BYTES]);

#endif
