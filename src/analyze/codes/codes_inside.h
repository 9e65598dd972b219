/* The inside of analyze/codes. */
#ifndef KANON_ANALYZE_CODES_CODES_INSIDE_H
#define KANON_ANALYZE_CODES_CODES_INSIDE_H

#include "analyze/codes/codes.h"

/* A label of the hierarchy and a code that it covers. */
typedef struct kan_label_cover {
    kan_slice label;
    uint32_t leaf;
} kan_label_cover;

/* All of them, by label and leaf, each once. */
typedef struct kan_label_covers {
    kan_run *run;
    kan_label_cover *all;
    size_t n;
} kan_label_covers;

KAN_MUST_USE kan_status kan_label_covers_make(kan_run *run, const kan_hierarchy *hierarchy,
                                              kan_label_covers *out);
void kan_label_covers_destroy(kan_label_covers *covers);
/* Those of a label: all[*from .. *to). */
void kan_label_covers_find(const kan_label_covers *covers, kan_slice label, size_t *from,
                           size_t *to);
bool kan_label_covers_has(const kan_label_covers *covers, kan_slice label, uint32_t leaf);

#endif
