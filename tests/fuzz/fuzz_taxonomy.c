/* Fuzzing taxonomies: whatever is read as a tree can be written as text and in columns, and both
 * are read as the same tree again. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/side_files/hierarchy_file.h"
#include "io/side_files/taxonomy_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void require(bool holds) {
    if (!holds)
        abort();
}

/* The tree of these bytes, or false when there are problems. */
static bool read_tree(kan_run *run, const char *bytes, size_t size, kan_hierarchy_lines **lines,
                      kan_hierarchy_tree **tree) {
    require(kan_hierarchy_lines_create(run, "tree.txt", lines) == KAN_OK);
    kan_problems_begin(run);
    kan_status status = kan_taxonomy_parse(run, "tree.txt", bytes, size, *lines);
    if (status == KAN_OK)
        status = kan_hierarchy_lines_check(*lines, NULL, NULL);
    require(status == KAN_OK || (status == KAN_BAD_INPUT && kan_problems_count(run) > 0));
    require(kan_problems_end(run) == status);
    if (status == KAN_OK)
        require(kan_hierarchy_tree_make(*lines, NULL, tree) == KAN_OK);
    else
        kan_hierarchy_lines_destroy(*lines);
    return status == KAN_OK;
}

/* The columns of a file of columns, composed again. */
static void compose_again(kan_run *run, const kan_text *columns, kan_text *out) {
    kan_hierarchy_lines *lines;
    kan_hierarchy_tree *tree;
    char path[64];
    int file = memfd_create("columns.csv", 0);
    require(file >= 0 && write(file, columns->bytes, columns->size) == (ssize_t)columns->size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    kan_problems_begin(run);
    /* without a name the file may look like a tree; then it is not for this test */
    if (!kan_taxonomy_is(path, columns->bytes, columns->size)) {
        require(kan_hierarchy_read_lines(run, path, NULL, &lines) == KAN_OK);
        require(kan_hierarchy_lines_check(lines, NULL, NULL) == KAN_OK);
        require(kan_hierarchy_tree_make(lines, NULL, &tree) == KAN_OK);
        require(kan_hierarchy_compose(tree, out) == KAN_OK);
        require(out->size == columns->size && memcmp(out->bytes, columns->bytes, out->size) == 0);
        kan_hierarchy_tree_destroy(tree);
        kan_hierarchy_lines_destroy(lines);
    }
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    kan_run *run = kan_run_create();
    kan_hierarchy_lines *lines, *lines_again;
    kan_hierarchy_tree *tree, *tree_again;
    require(run != NULL);
    (void)kan_taxonomy_is("a", (const char *)bytes, size);
    (void)kan_taxonomy_is("a.txt", (const char *)bytes, size);
    if (read_tree(run, (const char *)bytes, size, &lines, &tree)) {
        kan_text text, columns, again;
        kan_text_init(&text, run);
        kan_text_init(&columns, run);
        kan_text_init(&again, run);
        require(kan_taxonomy_compose(tree, &text) == KAN_OK);
        require(kan_hierarchy_compose(tree, &columns) == KAN_OK);
        require(read_tree(run, text.bytes, text.size, &lines_again, &tree_again));
        require(kan_hierarchy_compose(tree_again, &again) == KAN_OK);
        require(again.size == columns.size && memcmp(again.bytes, columns.bytes, again.size) == 0);
        kan_text_destroy(&again);
        compose_again(run, &columns, &again);
        kan_hierarchy_tree_destroy(tree_again);
        kan_hierarchy_lines_destroy(lines_again);
        kan_hierarchy_tree_destroy(tree);
        kan_hierarchy_lines_destroy(lines);
        kan_text_destroy(&text);
        kan_text_destroy(&columns);
        kan_text_destroy(&again);
    }
    kan_run_destroy(run);
    return 0;
}
