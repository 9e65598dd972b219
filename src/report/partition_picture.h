/* The picture of a partition into regions (mondrian-greedy.txt, Figure 1): what groups show of two
 * columns, as rectangles.
 *
 * The picture is made of what the release shows, and of nothing else, so it can go with it: bounds
 * are those that labels name (partition_axis.h), there is no row and no value of one, and a
 * rectangle's shade tells how many rows its groups have, which are at least k. */
#ifndef KANON_REPORT_PARTITION_PICTURE_H
#define KANON_REPORT_PARTITION_PICTURE_H

#include "data/domain/domain.h"
#include "recode/regions.h"

typedef struct kan_picture_column {
    const char *name;
    const kan_domain *domain;
    const kan_cells *cells;
    const kan_cell_names *names;
    const uint32_t *cell_of; /* by group; as names->shown says it */
} kan_picture_column;

typedef struct kan_partition_picture {
    kan_picture_column columns[2]; /* across, and upwards */
    unsigned n_quasi;              /* quasi-identifiers in all */
    size_t n_groups;
    const uint64_t *n_rows; /* by group */
} kan_partition_picture;

/* Adds the whole document to the text. Groups that look the same to half a pixel are one rectangle;
 * where there are tens of thousands of different ones the raster is made coarser, and the picture
 * says so. The same bytes for the same partition. */
KAN_MUST_USE kan_status kan_partition_picture_print(kan_run *run,
                                                    const kan_partition_picture *picture,
                                                    kan_text *out);

#endif
