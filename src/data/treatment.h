/* Treatments: what becomes of the values of a column before anybody looks at them, so that every
 * promise is one about what is released. A description alone; data/treat makes it so, and
 * analyze/verify/treated.h checks it.
 *
 *   round   numbers become the nearest multiple of a step; halves go away from zero
 *   cap     numbers or dates below a bound become "<LOW", those from another on ">=HIGH"
 *   pseudonym   the value becomes a keyed one, the same wherever key, domain and value are
 *   shift   dates are moved by days that follow from the key and the row's person
 *
 * A column that is rounded or shifted and capped is capped last. Unknown values ("" and "?") stay as they
 * are. */
#ifndef KANON_DATA_TREATMENT_H
#define KANON_DATA_TREATMENT_H

#include "data/table.h"

typedef struct kan_treatment {
    const char *name; /* of the column */
    size_t column;
    kan_slice step;      /* round: a number above 0; empty: not rounded */
    kan_slice low, high; /* cap: numbers, or days such as 1950-01-01; empty: no such bound */
    kan_ends ends;       /* what is shown for them */
    bool is_pseudonym;   /* and nothing else */
    bool is_shifted;     /* dates, and capped perhaps */
    size_t person;       /* the column that identifies the person */
    /* The same from elsewhere, where no column of the table says it: a column of as many rows, borrowed;
     * NULL: `person` says it. */
    const kan_column *whose;
    uint64_t within;  /* by how many days at most */
    kan_slice key;    /* bytes that nobody else has; borrowed, and wiped by their owner */
    kan_slice domain; /* what the key is used for */
} kan_treatment;

static inline bool kan_treatment_caps(const kan_treatment *treatment) {
    return treatment->low.size > 0 || treatment->high.size > 0;
}

#endif
