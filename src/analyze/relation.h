/* The cover relation of one pair of columns: which released values may stand for which original
 * ones. For src/analyze alone. */
#ifndef KANON_ANALYZE_RELATION_H
#define KANON_ANALYZE_RELATION_H

#include "analyze/verify.h"

/* The release does not have the label. No code is as large. */
#define KAN_NO_CODE UINT32_MAX

typedef struct kan_relation {
    const kan_column *released, *original;
    uint32_t star;      /* code of * in the release where * covers everything; else KAN_NO_CODE */
    unsigned n_levels;  /* the value itself, then its labels, then intervals that hold it */
    uint32_t *shown_as; /* n_levels for each original code: the release's codes of its labels */
} kan_relation;

/* With `is_quasi` labels and * cover; without, nothing but the value itself does. */
KAN_MUST_USE kan_status kan_relation_init(kan_relation *relation, kan_run *run,
                                          const kan_cover_question *question,
                                          const kan_cover_pair *pair, bool is_quasi);
void kan_relation_destroy(kan_relation *relation, kan_run *run);

static inline bool kan_relation_covers(const kan_relation *relation, uint32_t released,
                                       uint32_t original) {
    const uint32_t *shown_as = relation->shown_as + (size_t)original * relation->n_levels;
    if (released == relation->star)
        return true;
    for (unsigned level = 0; level < relation->n_levels; level++)
        if (shown_as[level] == released)
            return true;
    return false;
}

/* ---- matching rows in any order ------------------------------------------------------------- */

/* Matches the rows as multisets; relations are those of the quasi-identifiers, then those of the
 * others. Fills in holds, n_unmatched, first_unmatched and n_not_released. */
KAN_MUST_USE kan_status kan_cover_match(kan_run *run, const kan_cover_question *question,
                                        const kan_relation *relations, kan_cover *out);

#endif
