/* Fuzzing hierarchies. The first byte says what the rest is:
 *   even  a hierarchy file, read through the file reader and bound to a small column
 *   odd   the spec of a built hierarchy, up to the first line break, and the values of a column
 * Whatever comes out must be a hierarchy: maps never decrease, every leaf reaches the one top. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/side_files/hierarchy_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { VALUES_MOST = 64 };

static void require(bool holds) {
    if (!holds)
        abort();
}

static void check(const kan_hierarchy *h) {
    require(h->levels[0].n_groups == h->n_codes);
    require(h->levels[h->height].n_groups == 1);
    for (uint32_t code = 0; code < h->n_codes; code++)
        require(h->code_of[h->leaf_of[code]] == code);
    for (unsigned level = 0; level < h->height; level++) {
        const kan_level *here = &h->levels[level], *above = here + 1;
        for (uint32_t group = 0; group < here->n_groups; group++) {
            require(here->up[group] < above->n_groups);
            require(group == 0 || here->up[group] >= here->up[group - 1]);
            require(here->share[group] >= 0 && here->share[group] <= above->share[here->up[group]]);
        }
    }
    require(h->levels[h->height].share[0] <= 1);
}

static kan_type type_of(const kan_slice *values, uint32_t n) {
    for (kan_type type = KAN_TYPE_NUMBER; type <= KAN_TYPE_DATE; type++) {
        uint32_t n_known = 0, n_fit = 0;
        double unused;
        for (uint32_t i = 0; i < n; i++)
            if (!kan_value_is_unknown(values[i])) {
                n_known++;
                n_fit += kan_value_number(type, values[i], &unused);
            }
        if (n_known > 0 && n_fit == n_known)
            return type;
    }
    return KAN_TYPE_TEXT;
}

/* In value order, as the dictionaries of tables are. */
static void sort_values(kan_type type, kan_slice *values, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        const kan_slice value = values[i];
        uint32_t at = i;
        for (; at > 0 && kan_value_compare(type, values[at - 1], value) > 0; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

static void run_file(kan_run *run, const uint8_t *bytes, size_t size) {
    static const char texts[] = "?a7b12";
    static const uint64_t start[] = {0, 1, 2, 3, 4, 6};
    kan_column column = {.name = "c", .is_encoded = true, .width = 1};
    column.dictionary =
        (kan_dictionary){5, (char *)(uintptr_t)texts, (uint64_t *)(uintptr_t)start, KAN_TYPE_TEXT};
    kan_hierarchy *h = NULL;
    char path[64];
    int file = memfd_create("hierarchy", 0);
    require(file >= 0 && write(file, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    for (uint32_t n = 1; n <= 5; n++) {
        column.dictionary.n = n;
        kan_problems_begin(run);
        if (kan_hierarchy_read(run, path, &column, &h) == KAN_OK) {
            check(h);
            kan_hierarchy_destroy(h);
        }
        (void)kan_problems_end(run);
    }
    close(file);
}

static void run_spec(kan_run *run, const uint8_t *bytes, size_t size) {
    char *text = malloc(size + 1);
    uint64_t start[VALUES_MOST + 1];
    kan_slice values[VALUES_MOST];
    require(text != NULL);
    memcpy(text, bytes, size);
    text[size] = '\0';
    size_t spec_size = strcspn(text, "\n");
    char *rest = text + spec_size + (spec_size < size), *packed = malloc(size + 1);
    require(packed != NULL);
    text[spec_size] = '\0';
    uint32_t n = 0;
    uint64_t at = 0;
    while (rest < text + size && n < VALUES_MOST) {
        char *end = memchr(rest, '\n', (size_t)(text + size - rest));
        kan_slice value = {rest, (size_t)((end ? end : text + size) - rest)};
        uint32_t same = 0;
        while (same < n && !kan_slice_equal(values[same], value))
            same++;
        if (same == n)
            values[n++] = value;
        rest += value.size + 1;
    }
    const kan_type type = type_of(values, n);
    sort_values(type, values, n);
    for (uint32_t i = 0; i < n; i++) {
        start[i] = at;
        memcpy(packed + at, values[i].bytes, values[i].size);
        at += values[i].size;
    }
    start[n] = at;
    kan_column column = {.name = "c", .is_encoded = true, .width = 1};
    column.dictionary = (kan_dictionary){n, packed, start, type};
    kan_hierarchy *h = NULL;
    kan_problems_begin(run);
    if (kan_hierarchy_build(run, text, &column, &h) == KAN_OK)
        check(h);
    (void)kan_problems_end(run);
    /* What a builder makes passes the checks of files: their words must not turn up, unless the
     * input brought them. */
    require(memmem(bytes, size, "level", 5) || !strstr(kan_run_error(run), "level "));
    kan_hierarchy_destroy(h);
    free(packed);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size == 0)
        return 0;
    kan_run *run = kan_run_create();
    require(run != NULL);
    if (bytes[0] % 2 == 0)
        run_file(run, bytes + 1, size - 1);
    else
        run_spec(run, bytes + 1, size - 1);
    kan_run_destroy(run);
    return 0;
}
