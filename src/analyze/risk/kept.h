/* What columns tell that no model looks at: those that are released as they are, and those that
 * name people.
 *
 * A kept column is an open risk: somebody who knows its value, too, may find one row where the
 * quasi-identifiers alone leave a crowd. And a promise counts rows: where one person has several, a
 * group of k rows may be a group of fewer people.
 *
 * All is counted over released rows alone, so that it tells nothing of a row that is not there. */
#ifndef KANON_ANALYZE_RISK_KEPT_H
#define KANON_ANALYZE_RISK_KEPT_H

#include "data/release.h"
#include "io/source.h"

typedef struct kan_kept_question {
    kan_run *run;
    const kan_release *release;
    const kan_table *table; /* the original */
    kan_source *source;     /* where its columns without codes are read again; NULL: all have */
} kan_kept_question;

/* The rows that all figures below are about: released, and showing something. */
uint64_t kan_kept_rows(const kan_release *release);

/* n_single[i]: the released rows that are alone in their group with what they show in columns[i];
 * *n_together: with what they show in all of them at once. The columns are those of the original,
 * ascending. O(rows) and a walk over the source per column; 40 bytes per row at a time, most of
 * them on disk where memory is short. */
KAN_MUST_USE kan_status kan_kept_singles(const kan_kept_question *question, const size_t *columns,
                                         size_t n_columns, uint64_t *n_single,
                                         uint64_t *n_together);

/* The released rows that are alone in their group already, with nothing beside the quasi-identifiers:
 * the others of those above are alone by the columns. */
KAN_MUST_USE kan_status kan_kept_alone(const kan_kept_question *question, uint64_t *out);

/* How many people there are, going by the values of a column that names them. */
typedef struct kan_people {
    uint64_t n_rows;                   /* released */
    uint64_t n_people;                 /* different values among them */
    uint64_t n_groups, n_small_groups; /* groups, and those of fewer than k different values */
} kan_people;

KAN_MUST_USE kan_status kan_kept_people(const kan_kept_question *question, size_t column,
                                        uint64_t k, kan_people *out);
/* The same where each row is known to be somebody else, in half of the time. Rows stand for themselves. */
KAN_MUST_USE kan_status kan_kept_people_of_rows(const kan_kept_question *question, uint64_t k,
                                                kan_people *out);

#endif
