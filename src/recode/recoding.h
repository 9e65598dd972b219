/* Recodings: what a search found, in terms of the base. Full-domain: one level per attribute. */
#ifndef KANON_RECODE_RECODING_H
#define KANON_RECODE_RECODING_H

#include "data/hierarchy.h"
#include "data/release.h"

typedef enum kan_recoding_type {
    KAN_RECODING_LEVELS /* full-domain: every value of an attribute at the same level */
} kan_recoding_type;

const char *kan_recoding_name(kan_recoding_type type); /* "full-domain" */

typedef struct kan_recoding {
    kan_recoding_type type;
    unsigned n_attributes;
    unsigned levels[64]; /* by attribute */
} kan_recoding;

/* The labels that a full-domain recoding gives the codes of a column: hierarchy->n_codes of them,
 * in `labels`. */
void kan_recoding_labels(const kan_hierarchy *hierarchy, unsigned level, kan_slice *labels);

#endif
