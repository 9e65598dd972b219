/* Generators: synthetic tables with their hierarchies, the same bytes for the same seed everywhere.
 */
#ifndef KANON_GENERATE_GENERATE_H
#define KANON_GENERATE_GENERATE_H

#include "core/options.h"

typedef struct kan_generator_kind {
    kan_kind kind;
    uint64_t default_rows; /* rows when none are asked for; 0: the table has a fixed size */
    uint64_t default_seed; /* the seed when none is asked for */
    /* Writes `table_path` (NULL: only hierarchies) and one file NAME.csv per quasi-identifier into
     * `hierarchy_dir` (NULL: none), which exists. Files are written beside their target and
     * renamed; an existing one is KAN_BAD_INPUT unless `overwrite`. `rows` 0 means default_rows. */
    kan_status (*generate)(kan_run *run, uint64_t rows, uint64_t seed, const char *table_path,
                           const char *hierarchy_dir, bool overwrite);
    /* The flags that anonymize the table sensibly, for the hint that is printed after it was made:
     * "--qi age,gender --k 5". */
    const char *suggestion;
} kan_generator_kind;

extern const kan_generator_kind kan_generator_patients;
extern const kan_generator_kind kan_generator_census;
extern const kan_generator_kind kan_generator_sales;
extern const kan_generator_kind kan_generator_visits;

#endif
