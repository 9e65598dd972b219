/* Recodings: what a search found, in terms of the base. Full-domain: one level per attribute. Cuts:
 * the ordered domain of each attribute in intervals. */
#ifndef KANON_RECODE_RECODING_H
#define KANON_RECODE_RECODING_H

#include "data/hierarchy.h"
#include "data/release.h"

typedef enum kan_recoding_type {
    KAN_RECODING_LEVELS,  /* full-domain: every value of an attribute at the same level */
    KAN_RECODING_CUTS,    /* ordered-set: the places of an attribute's domain in intervals */
    KAN_RECODING_SUBTREES /* full-subtree: the same, and each interval is a node of the hierarchy */
} kan_recoding_type;

const char *kan_recoding_name(kan_recoding_type type); /* "full-domain", "ordered-set", .. */

typedef struct kan_recoding {
    kan_recoding_type type;
    unsigned n_attributes;
    unsigned levels[64]; /* by attribute; full-domain alone */
    /* Cuts: those of attribute a are cuts[first_cut[a]] .. cuts[first_cut[a+1]-1], the places at
     * which an interval begins, ascending, none of them 0. The answer's. */
    size_t first_cut[64 + 1];
    uint32_t *cuts;
} kan_recoding;

/* The labels that a full-domain recoding gives the codes of a column: hierarchy->n_codes of them,
 * in `labels`. */
void kan_recoding_labels(const kan_hierarchy *hierarchy, unsigned level, kan_slice *labels);

#endif
