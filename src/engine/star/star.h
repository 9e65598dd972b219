/* The room of star schemas: rows that are counted at levels, inside of the engine.
 *
 * A star is the engine's table in the middle and a dimension for each column that is looked at
 * (incognito.txt 2.2, Figure 4): which value stands for each of its values at each level. Its base is
 * made first, by one scan of the table: a table of numbers in the engine, each distinct combination
 * at the lowest levels with how many rows it has. From there on no text is touched, and the table is
 * not asked again. The base can come home at any levels (kan_star_fetch), which is a fold; frequency
 * sets are rolled up from it and from each other as further tables (kan_star_counter), of which
 * numbers come home.
 *
 * A group of values is called by the code of one of them, which stands for it; so a value that stands
 * for its group at some level is found among those of the lowest one, and one table of levels for a
 * column serves all roll-ups.
 *
 * Files: sql_star.c makes the statements, tables.c the tables, star.c the base, fetch.c brings it
 * home, count.c is the counter. The room may touch what src/engine may, and src/engine. */
#ifndef KANON_ENGINE_STAR_STAR_H
#define KANON_ENGINE_STAR_STAR_H

#include "engine/engine.h"
#include "group/counter.h"

typedef struct kan_star_dimension {
    size_t column;                /* of the engine's table */
    const kan_dictionary *values; /* all of them, as kan_engine_fold has made them; borrowed */
    unsigned lowest, highest;     /* levels that are asked for */
    /* stand_in[level - lowest][code]: the value that stands for the group of a value at a level, and
     * for itself; borrowed. NULL: lowest is highest, and each value stands for itself. */
    const uint32_t *const *stand_in;
} kan_star_dimension;

typedef struct kan_star_plan {
    unsigned n;
    unsigned
        n_counted; /* the first of them are what kan_star_counter counts nodes of; 0: nobody does */
    const kan_star_dimension *dimensions;
    uint64_t n_rows; /* of the table, as its columns by themselves were counted */
    /* The sizes of groups come home, and not their sums alone: where squares of sums could be too
     * large for the engine, they do in any case. */
    bool fetches_sizes;
} kan_star_plan;

typedef struct kan_star kan_star;

/* Makes the base; `plan` may go, what it points to may not. KAN_FAILED where not all rows were found
 * at their values: then the table has been changed meanwhile. */
KAN_MUST_USE kan_status kan_star_create(kan_engine *engine, const kan_star_plan *plan,
                                        kan_star **out);
/* Drops its tables, of which some may be large. After a failure they go with the engine: a statement more
 * would be refused, and its words would take the place of those that say what failed. */
KAN_MUST_USE kan_status kan_star_drop(kan_star *star);
void kan_star_destroy(kan_star *star); /* NULL is none */

/* The base, at levels of its dimensions, as a counted table: all columns of the engine's table, those of
 * the dimensions encoded, with all their values, and a row per combination of values that stand for
 * others. kan_engine_apply knows from here on who stands for whom. */
KAN_MUST_USE kan_status kan_star_fetch(kan_star *star, const unsigned *levels, kan_table **out);

/* rows[code] becomes how many rows have each value of a dimension, by what stands for it at the lowest
 * level, in groups of at least `least_size` rows, of the first n dimensions at `levels`: `rows` has
 * room for all its values. Levels and size are the same whenever a star is asked. */
KAN_MUST_USE kan_status kan_star_count_large(kan_star *star, unsigned n, const unsigned *levels,
                                             unsigned dimension, uint64_t least_size,
                                             uint64_t *rows);

/* Counts nodes of the dimensions in their order. */
kan_counter kan_star_counter(kan_star *star);

#endif
