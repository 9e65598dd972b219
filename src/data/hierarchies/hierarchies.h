/* The door of data/hierarchies: what values become at each level, read from lines, built by rules,
 * or changed as a tree.
 *
 * May touch core and data. */
#ifndef KANON_DATA_HIERARCHIES_HIERARCHIES_H
#define KANON_DATA_HIERARCHIES_HIERARCHIES_H

#include "data/hierarchies/hierarchy.h"
#include "data/hierarchies/hierarchy_tree.h"

#endif
