/* Columns and hierarchies made by hand, for the tests of hierarchies. */
#ifndef KANON_TESTS_HIERARCHY_COLUMN_H
#define KANON_TESTS_HIERARCHY_COLUMN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/hierarchies/hierarchy.h"

/* A column with these values, which are in value order; no rows. */
static inline kan_column column_of_slices(kan_type type, const kan_slice *values, uint32_t n) {
    kan_column column = {.name = "place", .is_encoded = true, .width = 4};
    size_t size = 0;
    for (uint32_t i = 0; i < n; i++)
        size += values[i].size;
    column.dictionary =
        (kan_dictionary){n, malloc(size + 1), malloc((n + 1) * sizeof(uint64_t)), type};
    assert_non_null(column.dictionary.bytes);
    assert_non_null(column.dictionary.start);
    uint64_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        column.dictionary.start[i] = at;
        if (values[i].size)
            memcpy(column.dictionary.bytes + at, values[i].bytes, values[i].size);
        at += values[i].size;
    }
    column.dictionary.start[n] = at;
    return column;
}

/* The same from texts, NULL behind the last. */
static inline kan_column column_of(kan_type type, const char *const *values) {
    kan_slice slices[4096];
    uint32_t n = 0;
    for (; values[n]; n++)
        slices[n] = kan_slice_of(values[n]);
    return column_of_slices(type, slices, n);
}

#define VALUES(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline void column_destroy(kan_column *column) {
    free(column->dictionary.bytes);
    free(column->dictionary.start);
}

/* The label that the value of a code shows at a level, in a buffer of its own. */
static inline const char *label_at(const kan_hierarchy *h, uint32_t code, unsigned level) {
    static char room[512];
    const kan_level *here = &h->levels[level];
    kan_slice label = here->label[here->from_leaf[h->leaf_of[code]]];
    assert_true(label.size < sizeof room);
    memcpy(room, label.bytes, label.size);
    room[label.size] = '\0';
    return room;
}

/* What must hold for every bound hierarchy, whatever it was made from. */
static inline void assert_is_hierarchy(const kan_hierarchy *h, const kan_column *column) {
    assert_int_equal(h->n_codes, column->dictionary.n);
    assert_int_equal(h->levels[0].n_groups, h->n_codes);
    assert_int_equal(h->levels[h->height].n_groups, h->n_codes ? 1 : 0);
    assert_null(h->levels[h->height].up);
    assert_true(h->n_leaves >= h->n_codes);
    for (uint32_t code = 0; code < h->n_codes; code++) {
        assert_int_equal(h->code_of[h->leaf_of[code]], code);
        assert_true(kan_slice_equal(h->levels[0].label[h->leaf_of[code]],
                                    kan_dictionary_value(&column->dictionary, code)));
    }
    for (unsigned level = 0; level <= h->height; level++) {
        const kan_level *here = &h->levels[level];
        for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
            uint32_t group = here->from_leaf[leaf];
            assert_true(group < here->n_groups);
            /* onto, and never decreasing: the next group is the same or the one after */
            assert_true(leaf == 0 ? group == 0 : group - here->from_leaf[leaf - 1] <= 1u);
            if (level < h->height)
                assert_int_equal(here->up[group], h->levels[level + 1].from_leaf[leaf]);
        }
        for (uint32_t group = 0; group < here->n_groups; group++) {
            assert_true(here->share[group] >= 0 && here->share[group] <= 1);
            if (level < h->height) {
                assert_true(group == 0 || here->up[group] >= here->up[group - 1]);
                assert_true(here->share[group] <= h->levels[level + 1].share[here->up[group]]);
            }
        }
    }
}

/* Whether the error text of the run holds this text; shows it when it does not. */
static inline void assert_error_has(const kan_run *run, const char *text) {
    if (!strstr(kan_run_error(run), text))
        fail_msg("expected <%s> in <%s>", text, kan_run_error(run));
}

/* Binds the lines of a hierarchy file, fields apart by semicolons. */
static inline void bind_tree(kan_run *run, const kan_column *column, const char *text,
                             kan_hierarchy **out) {
    kan_hierarchy_lines *lines;
    assert_int_equal(kan_hierarchy_lines_create(run, "tree", &lines), KAN_OK);
    for (uint64_t number = 1; *text; number++) {
        kan_slice fields[8];
        size_t n = 0;
        for (;; text++) {
            const size_t size = strcspn(text, ";\n");
            fields[n++] = (kan_slice){text, size};
            text += size;
            if (*text != ';')
                break;
        }
        text += *text == '\n';
        assert_int_equal(kan_hierarchy_lines_add(lines, number, fields, n), KAN_OK);
    }
    if (kan_hierarchy_bind(lines, column, out) != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    kan_hierarchy_lines_destroy(lines);
}

#endif
