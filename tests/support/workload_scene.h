/* Small tables and workloads from texts, for tests of utility. */
#ifndef KANON_TESTS_WORKLOAD_SCENE_H
#define KANON_TESTS_WORKLOAD_SCENE_H

#include "analyze/workload/workload.h"
#include "support/plain.h"

enum { SCENE_COLUMNS = 4 };

typedef struct workload_scene {
    kan_run *run;
    kan_table *original, *released;
    kan_workload *workload;
    kan_hierarchy *hierarchies[SCENE_COLUMNS]; /* by column of the original; NULL: none */
    kan_asked_column columns[SCENE_COLUMNS];
    kan_utility utility;
} workload_scene;

/* A table from lines, the first of them names, blanks between fields. A blank within a field
 * is written _, an empty field _ alone. */
kan_table *scene_table(kan_run *run, const char *lines);
/* A workload from its text, as a file has it; *status is what reading it gave. */
kan_workload *scene_workload(kan_run *run, const char *text, kan_status *status);

/* Tables and workload; fails the test when one is refused. */
void scene_init(workload_scene *scene, const char *original, const char *released,
                const char *queries);
/* Binds a hierarchy to a column of the original: a spec, or lines as a file has them. */
void scene_bind(workload_scene *scene, const char *column, const char *hierarchy);
/* Answers the workload; what went wrong is returned. */
kan_status scene_measure(workload_scene *scene);
void scene_destroy(workload_scene *scene);

#endif
