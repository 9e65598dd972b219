/* Recodings: what a search found, in terms of the base. Full-domain: one level per attribute. Cuts:
 * the ordered domain of each attribute in intervals. Regions: whole tuples (recode/regions.h). */
#ifndef KANON_RECODE_RECODING_H
#define KANON_RECODE_RECODING_H

#include "data/domain/domain.h"
#include "data/hierarchies/hierarchies.h"
#include "data/release.h"
#include "recode/regions.h"

typedef enum kan_recoding_type {
    KAN_RECODING_LEVELS,   /* full-domain: every value of an attribute at the same level */
    KAN_RECODING_CUTS,     /* ordered-set: the places of an attribute's domain in intervals */
    KAN_RECODING_SUBTREES, /* full-subtree: the same, and each interval is a node of the hierarchy
                            */
    KAN_RECODING_REGIONS,  /* multidimensional: tuples by the region that they lie in */
    KAN_RECODING_SHARED,   /* the same, and the rows of a tuple may lie in several regions */
    KAN_RECODING_LOCAL     /* regions of nodes: a value may be shown at several levels, and the rows
                              of a tuple may lie in several regions */
} kan_recoding_type;

const char *kan_recoding_name(kan_recoding_type type); /* "full-domain", "ordered-set", .. */

typedef struct kan_recoding {
    kan_recoding_type type;
    unsigned n_attributes;
    unsigned levels[KAN_MAX_ATTRIBUTES]; /* by attribute; full-domain alone */
    /* Cuts: those of attribute a are cuts[first_cut[a]] .. cuts[first_cut[a+1]-1], the places at
     * which an interval begins, ascending, none of them 0. The answer's. */
    size_t first_cut[KAN_MAX_ATTRIBUTES + 1];
    uint32_t *cuts;
    kan_regions *regions; /* regions alone. The answer's */
} kan_recoding;

static inline bool kan_recoding_has_cuts(const kan_recoding *recoding) {
    return recoding->type == KAN_RECODING_CUTS || recoding->type == KAN_RECODING_SUBTREES;
}

static inline bool kan_recoding_has_regions(const kan_recoding *recoding) {
    return recoding->type == KAN_RECODING_REGIONS || recoding->type == KAN_RECODING_SHARED ||
           recoding->type == KAN_RECODING_LOCAL;
}

/* The labels that a level of a hierarchy gives the codes of its column: hierarchy->n_codes of them,
 * in `labels`. */
void kan_recoding_labels(const kan_hierarchy *hierarchy, unsigned level, kan_slice *labels);

/* ---- what a recoding shows ------------------------------------------------------------------ */

/* One column under a recoding: a level of a hierarchy, whose groups are what the release shows.
 * Full-domain: the user's hierarchy at the level that was chosen. Cuts: a hierarchy of one level
 * whose groups are the intervals, so that whatever works on levels (roll-up, labels, shares, rows
 * that are suppressed) works on intervals as well. */
typedef struct kan_shown {
    const kan_hierarchy *hierarchy;
    unsigned level;
    kan_hierarchy *made; /* of intervals; NULL: full-domain */
    /* Cuts: by interval, the level of the lowest node of the user's hierarchy that covers what is
     * shown. */
    uint8_t *node_level;
} kan_shown;

/* What attribute `a` shows. `hierarchy` is the column's own, borrowed; `domain`, borrowed too, is
 * looked at for cuts alone. KAN_FAILED when the cuts are none of the domain. Intervals have no
 * names yet: each is shown as *, and covers all. */
KAN_MUST_USE kan_status kan_shown_make(kan_run *run, const kan_recoding *recoding, unsigned a,
                                       const kan_hierarchy *hierarchy, const kan_domain *domain,
                                       kan_shown *out);
/* Names the intervals of a recoding by cuts, and says how much they cover, by the values that
 * released rows have: is_released[leaf] for each level-0 group of the column. A value that only
 * suppressed rows have is in no name, and no bound; an interval that holds no other stays *.
 * Does nothing to levels of the user's hierarchy. A shown that this fails on is not to be used. */
KAN_MUST_USE kan_status kan_shown_name(kan_shown *shown, const kan_domain *domain,
                                       const uint8_t *is_released);
void kan_shown_destroy(kan_shown *shown);

#endif
