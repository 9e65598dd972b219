/* Values of a table that was read, taken as their spellings say. For io/source.c. */
#ifndef KANON_IO_SOURCE_SPELLING_H
#define KANON_IO_SOURCE_SPELLING_H

#include "io/source.h"

/* Each encoded column settles what it is, save those with as_is[i] (NULL: none), and has its values
 * in kanon's own form afterwards; its `spelling` is the way back. Where the source knows the type
 * of a column, its values have that form already, and only missing ones are looked for. */
KAN_MUST_USE kan_status kan_source_take_values(kan_source *source, const bool *as_is,
                                               kan_table *table);

#endif
