/* The door of analyze/recodings: does a release obey the rule of a recoding model? The definition of
 * every model a second time, read off the release (and the original, where there is one), with the
 * hierarchies; nothing is shared with searches, or with what wrote the release.
 *
 *   labels.h         what the columns show: which nodes, which sets of values, which of them meet
 *   readings.c       which node a label is, where its text does not say
 *   spans.h          ranges by their bounds
 *   extents.h        how far labels reach along the values of their column
 *   rule_columns.c   models of single columns
 *   rule_boxes.c     models of whole rows
 *   rules.c          the table of rules, and asking one
 *   narrow.c         labels that mean less than they say
 *
 * May touch analyze/verify and what that may. */
#ifndef KANON_ANALYZE_RECODINGS_RECODINGS_H
#define KANON_ANALYZE_RECODINGS_RECODINGS_H

#include "analyze/verify/verify.h"

/* No original row is known for certain. */
#define KAN_NO_ROW UINT64_MAX

/* A quasi-identifier of the release, and what its labels are read against: the original's column,
 * or all values that there are as far as anybody can say (those of the hierarchy's file). */
typedef struct kan_shape_column {
    size_t released;                /* column of the release */
    const kan_table *values;        /* sealed */
    size_t value_column;            /* of these */
    const kan_hierarchy *hierarchy; /* bound to that column; NULL: none is known */
    /* Some labels look like intervals or lists, and nothing says which values they hold. */
    bool is_unread;
    bool lacks_values; /* `values` are those that the release shows; the table had others */
    bool has_ends;     /* of a capped column (<20, >=80) the ends are not among `values` */
} kan_shape_column;

typedef struct kan_shape_question {
    const kan_table *release; /* sealed; the columns are encoded */
    const kan_shape_column *columns;
    size_t n_columns;
    bool has_original; /* `values` are the original, the same for all columns */
    /* By row of the release: its row of the original, or KAN_NO_ROW; NULL: no row is known. */
    const uint64_t *row_of;
    bool knows_all; /* each row has one */
} kan_shape_question;

typedef struct kan_shape_verdict {
    bool holds; /* nothing that was looked at breaks the rule */
    /* Where it does not hold: the column, borrowed (NULL: it is the row as a whole), rows of the
     * release that show it, from 1 (0: none), and what is wrong with them. */
    const char *column;
    uint64_t row, other_row;
    const char *fault;
    const char *unchecked; /* what could not be looked at; NULL: the whole rule was */
} kan_shape_verdict;

/* Whether there is a rule of that name; microaggregation has none. */
bool kan_shape_has_rule(const char *model);

/* Holds a release against the rule of a model. Rows that show * in each of the columns count as
 * left out. O(rows * columns); models of whole rows divide the distinct ones n of them, O(n log n) where they
 * were made by cuts, in the worst case all with all, and give up where that is too much. */
KAN_MUST_USE kan_status kan_shape_check(kan_run *run, const char *model,
                                        const kan_shape_question *question, kan_shape_verdict *out);

/* Cells whose label means less than it says (Incognito, footnote 3): it is the label of a node, and
 * some value below that node is one of released rows, yet shown by another label in all of them.
 * Who knows how the release was made then knows that the cell is none of these. Needs the original
 * and row_of; rows without one are not looked at. counts[column] gets the cells of each column. */
KAN_MUST_USE kan_status kan_shape_count_narrow(kan_run *run, const kan_shape_question *question,
                                               uint64_t *counts);

#endif
