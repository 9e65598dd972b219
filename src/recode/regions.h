/* Regions: a recoding of whole tuples. The space of the quasi-identifiers is cut into regions, and
 * every row shows, in each attribute, what its region has of it.
 *
 * What a region has of an attribute is a cell. Regions share cells: an attribute has a list of
 * distinct ones, and a region refers to them. A cell is a range of values, a set of values, or a
 * node of the hierarchy; which of them is a matter of the attribute. Values are leaves: level-0
 * groups of the column's hierarchy, in the order of the column's domain. */
#ifndef KANON_RECODE_REGIONS_H
#define KANON_RECODE_REGIONS_H

#include "data/domain/domain.h"
#include "data/hierarchies/hierarchies.h"

typedef enum kan_cell_type {
    KAN_CELL_RANGE, /* from leaf a to leaf b, both included; everything between them, and the leaves
                       that are bits of its `unknown`: unknown values before the range, where there
                       is something between them and it */
    KAN_CELL_SET,   /* the leaves set[a] .. set[b - 1], ascending */
    KAN_CELL_NODE   /* group b of level a */
} kan_cell_type;

typedef struct kan_cell {
    uint32_t a, b;
} kan_cell;

typedef struct kan_cells {
    kan_cell_type type;
    uint32_t n;
    kan_cell *cells;   /* distinct */
    uint32_t *set;     /* KAN_CELL_SET: the leaves of all cells, one after the other */
    uint32_t *unknown; /* KAN_CELL_RANGE: bits by cell; NULL: no cell has any */
} kan_cells;

static inline uint32_t kan_cell_unknown(const kan_cells *cells, uint32_t cell) {
    return cells->unknown ? cells->unknown[cell] : 0;
}

/* Rows of one tuple that go to one region. */
typedef struct kan_portion {
    uint32_t region;
    uint64_t n_rows;
} kan_portion;

/* A tuple whose rows go to several regions has this bit in region_of, and the rest is its place in
 * split_start. */
#define KAN_REGION_SPLIT UINT32_C(0x80000000)

typedef struct kan_regions {
    kan_run *run;
    unsigned n_attributes;
    uint32_t n_regions; /* below KAN_REGION_SPLIT */
    bool has_lost;      /* the rows of the last region are left out of the release; what its cells
                           are means nothing */
    uint64_t *n_rows;   /* by region; none is 0 */
    kan_cells cells[KAN_MAX_ATTRIBUTES];
    uint32_t *cell_of; /* [region * n_attributes + attribute] -> cell */

    /* The tuples of the problem's base, in its order, tails included: so the rows of a tuple are
     * alike in whatever a promise looks at, and which of them go where does not matter to it. Of a
     * problem that is not folded, the rows. */
    size_t n_tuples;
    uint32_t *region_of; /* by tuple */
    /* Local recodings: the portions of split i are portions[split_start[i]] ..
     * portions[split_start[i + 1] - 1]; the rows of the tuple, in the order of the table, are
     * handed out to them one portion after the other. */
    size_t n_splits;
    size_t *split_start;
    kan_portion *portions;
} kan_regions;

/* Those whose rows are released: the first of them. */
static inline uint32_t kan_regions_released(const kan_regions *regions) {
    return regions->n_regions - regions->has_lost;
}

/* The portions of a tuple with n_rows rows: how many, and where they are. `single` is room for the
 * one that a tuple has that is not split. */
static inline size_t kan_regions_portions(const kan_regions *regions, size_t tuple, uint64_t n_rows,
                                          kan_portion *single, const kan_portion **out) {
    const uint32_t region = regions->region_of[tuple];
    if (!(region & KAN_REGION_SPLIT)) {
        *single = (kan_portion){region, n_rows};
        *out = single;
        return 1;
    }
    const size_t *start = regions->split_start + (region & ~KAN_REGION_SPLIT);
    *out = regions->portions + start[0];
    return start[1] - start[0];
}

/* Frees what it holds, and itself. */
void kan_regions_destroy(kan_regions *regions);

/* Whether a cell of the attribute holds a leaf. */
bool kan_cell_holds(const kan_cells *cells, uint32_t cell, const kan_hierarchy *hierarchy,
                    uint32_t leaf);

/* What an attribute's cells are called, and how much they cover. Labels of cells that hold
 * different values differ, and none is the same as a value, or a node's label, that means something
 * else. Cells that hold the same may be shown alike: what is shown counts, see `shown`. */
typedef struct kan_cell_names {
    kan_arena arena;
    kan_slice *label;    /* by cell; bytes in the arena, the dictionary or the hierarchy */
    uint32_t *shown;     /* by cell: the first cell with the same label */
    double *share;       /* of the domain; see kan_level.share */
    uint8_t *node_level; /* level of the lowest node of the hierarchy that covers the cell */
} kan_cell_names;

/* A cell of one value is shown as that value. A node by its label. A range or a set that is all
 * values of one node, as far as the data has them, by that node's label where the domain has a
 * tree; all else as kan_interval_labels writes it: [17-24], or {a, b, c}. Everything is released:
 * no value is hidden from names. */
KAN_MUST_USE kan_status kan_cell_names_make(kan_run *run, const kan_cells *cells,
                                            const kan_domain *domain, kan_cell_names *out);

/* The same where rows are left out: a value that only they have is in no name.
 * has_leaf[leaf] says whether a released row has it, is_used[cell] whether a released region has
 * the cell; one that none has is called *, as if it covered all, and is shown as itself. */
KAN_MUST_USE kan_status kan_cell_names_make_released(kan_run *run, const kan_cells *cells,
                                                     const kan_domain *domain,
                                                     const uint8_t *has_leaf,
                                                     const uint8_t *is_used, kan_cell_names *out);
void kan_cell_names_destroy(kan_cell_names *names);

#endif
