#include "support/workload_scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE = 512 };

/* Cuts the next line at blanks; returns the number of fields. A blank within a field is written _,
 * the empty field is written _ alone. */
static size_t take_line(const char **lines, char room[LINE], const char *fields[SCENE_COLUMNS]) {
    const size_t size = strcspn(*lines, "\n");
    char *rest;
    size_t n = 0;
    assert_true(size < LINE);
    memcpy(room, *lines, size);
    room[size] = '\0';
    *lines += size + ((*lines)[size] == '\n');
    for (char *at = strtok_r(room, " ", &rest); at; at = strtok_r(NULL, " ", &rest)) {
        assert_true(n < SCENE_COLUMNS);
        fields[n++] = strcmp(at, "_") == 0 ? "" : at;
        for (char *c = at; *c; c++)
            *c = *c == '_' ? ' ' : *c;
    }
    return n;
}

kan_table *scene_table(kan_run *run, const char *lines) {
    const char *fields[SCENE_COLUMNS];
    char room[LINE];
    kan_table *table;
    const size_t n = take_line(&lines, room, fields);
    EXPECT_OK(run, kan_table_create(run, n, fields, &table));
    while (*lines) {
        const size_t n_fields = take_line(&lines, room, fields);
        assert_int_equal(n_fields, n);
        EXPECT_OK(run, kan_table_add_row(table, fields));
    }
    EXPECT_OK(run, kan_table_seal(table));
    return table;
}

kan_workload *scene_workload(kan_run *run, const char *text, kan_status *status) {
    kan_workload *workload = NULL;
    char path[64];
    const int file = memfd_create("queries", 0);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    *status = kan_workload_read(run, path, &workload);
    close(file);
    return workload;
}

void scene_init(workload_scene *scene, const char *original, const char *released,
                const char *queries) {
    kan_status status;
    memset(scene, 0, sizeof *scene);
    scene->run = scene->utility.run = kan_run_create();
    assert_non_null(scene->run);
    scene->original = scene_table(scene->run, original);
    scene->released = scene_table(scene->run, released);
    scene->workload = scene_workload(scene->run, queries, &status);
    EXPECT_OK(scene->run, status);
}

void scene_bind(workload_scene *scene, const char *column, const char *hierarchy) {
    size_t at;
    const kan_column *bound = kan_table_find(scene->original, column, &at);
    kan_hierarchy_lines *lines;
    assert_non_null(bound);
    kan_problems_begin(scene->run);
    if (kan_hierarchy_is_spec(hierarchy)) {
        EXPECT_OK(scene->run,
                  kan_hierarchy_build(scene->run, hierarchy, bound, &scene->hierarchies[at]));
        return;
    }
    EXPECT_OK(scene->run, kan_hierarchy_lines_create(scene->run, "lines", &lines));
    for (uint64_t line = 1; *hierarchy; line++) {
        kan_slice fields[8];
        size_t n = 0, size = strcspn(hierarchy, "\n");
        for (size_t i = 0; i <= size && n < 8; n++) {
            const size_t field = strcspn(hierarchy + i, ";\n");
            fields[n] = (kan_slice){hierarchy + i, field};
            i += field + 1;
        }
        EXPECT_OK(scene->run, kan_hierarchy_lines_add(lines, line, fields, n));
        hierarchy += size + (hierarchy[size] == '\n');
    }
    EXPECT_OK(scene->run, kan_hierarchy_bind(lines, bound, &scene->hierarchies[at]));
    kan_hierarchy_lines_destroy(lines);
}

kan_status scene_measure(workload_scene *scene) {
    const kan_workload *workload = scene->workload;
    assert_true(workload->n_names <= SCENE_COLUMNS);
    kan_problems_begin(scene->run);
    for (uint32_t name = 0; name < workload->n_names; name++) {
        size_t at;
        char means[64];
        const kan_column *original = kan_table_find(scene->original, workload->names[name], &at);
        assert_non_null(original);
        snprintf(means, sizeof means, "%s-mean", workload->names[name]);
        kan_workload_check(workload, name, original);
        scene->columns[name] = (kan_asked_column){
            .original = original,
            .released = kan_table_find(scene->released, workload->names[name], NULL),
            .means = kan_table_find(scene->released, means, NULL),
            .hierarchy = scene->hierarchies[at]};
        assert_non_null(scene->columns[name].released);
    }
    KAN_TRY(kan_problems_end(scene->run));
    const kan_utility_question question = {.workload = workload,
                                           .columns = scene->columns,
                                           .n_original = scene->original->n_rows,
                                           .n_released = scene->released->n_rows,
                                           .release_name = "release"};
    return kan_utility_measure(scene->run, &question, &scene->utility);
}

void scene_destroy(workload_scene *scene) {
    kan_utility_destroy(&scene->utility);
    for (size_t i = 0; i < SCENE_COLUMNS; i++)
        kan_hierarchy_destroy(scene->hierarchies[i]);
    kan_workload_destroy(scene->workload);
    kan_table_destroy(scene->original);
    kan_table_destroy(scene->released);
    kan_run_destroy(scene->run);
}
