/* Generators: synthetic tables with their hierarchies, the same bytes for the same seed everywhere.
 */
#ifndef KANON_GENERATE_GENERATE_H
#define KANON_GENERATE_GENERATE_H

#include "core/options.h"

/* What a generator of several tables that belong together puts into a folder of its own. */
typedef struct kan_generator_folder {
    const char *const *tables; /* names of files: "patients.csv" */
    size_t n_tables;
    const char *hierarchies; /* the folder of the hierarchies in it */
    const char *job;         /* the job file that anonymizes all of them */
} kan_generator_folder;

typedef struct kan_generator_kind {
    kan_kind kind;
    /* Rows when none are asked for, of several tables those of the first; 0: the table has a fixed
     * size. */
    uint64_t default_rows;
    uint64_t default_seed; /* the seed when none is asked for */
    /* Writes `table_path` (NULL: only hierarchies) and one file NAME.csv per quasi-identifier into
     * `hierarchy_dir` (NULL: none), which exists. Files are written beside their target and
     * renamed; an existing one is KAN_BAD_INPUT unless `overwrite`. `rows` 0 means default_rows. Of
     * several tables `table_path` is the folder, which exists, for them and their job file. */
    kan_status (*generate)(kan_run *run, uint64_t rows, uint64_t seed, const char *table_path,
                           const char *hierarchy_dir, bool overwrite);
    /* The flags that anonymize the table sensibly, for the hint that is printed after it was made:
     * "--qi age,gender --k 5". Of several tables the job file says it. */
    const char *suggestion;
    const kan_generator_folder *folder; /* NULL: it makes one table */
} kan_generator_kind;

extern const kan_generator_kind kan_generator_patients;
extern const kan_generator_kind kan_generator_census;
extern const kan_generator_kind kan_generator_sales;
extern const kan_generator_kind kan_generator_visits;
extern const kan_generator_kind kan_generator_hospital;
extern const kan_generator_kind kan_generator_wide_census;

#endif
