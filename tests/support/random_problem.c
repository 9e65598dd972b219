/* Random plain tables: see random_problem.h. */
#include "support/random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const random_spec random_small = {.least_attributes = 1,
                                  .most_attributes = 6,
                                  .least_rows = 1,
                                  .most_rows = 200,
                                  .most_leaves = 12,
                                  .most_height = 4,
                                  .most_tails = 3,
                                  .most_nodes = 240};

uint64_t between(uint64_t *random, uint64_t least, uint64_t most) {
    return least + kan_random_below(random, most - least + 1);
}

bool once_in(uint64_t *random, uint64_t n) {
    return kan_random_below(random, n) == 0;
}

/* Values of the leaves, all different, in no order: texts, or numbers that are not evenly spread.
 * Twelve numbers span at most 33, so that sums of shares tie exactly where they should. */
static void make_values(plain_attribute *attribute, uint64_t *random) {
    size_t n = attribute->n_leaves;
    bool is_number = once_in(random, 2);
    long value = (long)kan_random_below(random, 40) - 20;
    for (size_t i = 0; i < n; i++) {
        plain_label *at = &attribute->leaves[i].at[0];
        if (is_number)
            snprintf(*at, sizeof *at, "%ld", value);
        else
            snprintf(*at, sizeof *at, "v%zu", i);
        value += 1 + (long)kan_random_below(random, 3);
    }
    for (size_t i = n; i-- > 1;) {
        size_t j = (size_t)kan_random_below(random, i + 1);
        plain_leaf swap = attribute->leaves[i];
        attribute->leaves[i] = attribute->leaves[j];
        attribute->leaves[j] = swap;
    }
}

/* From level 1 up each group goes to a random one of at most as many; the top is one group. */
static void make_levels(plain_attribute *attribute, uint64_t *random) {
    size_t n = attribute->n_leaves, n_groups = n;
    size_t *group = calloc(n, sizeof *group), *parent = calloc(n, sizeof *parent);
    assert_non_null(group);
    assert_non_null(parent);
    for (size_t i = 0; i < n; i++)
        group[i] = i;
    for (unsigned level = 1; level <= attribute->height; level++) {
        size_t n_parents = level == attribute->height ? 1 : between(random, 1, n_groups);
        bool is_copy = n_parents == n_groups && once_in(random, 2); /* nothing merges here */
        for (size_t g = 0; g < n_groups; g++)
            parent[g] = is_copy ? g : (size_t)kan_random_below(random, n_parents);
        for (size_t i = 0; i < n; i++) {
            plain_label *at = &attribute->leaves[i].at[level];
            group[i] = parent[group[i]];
            if (level == attribute->height)
                strcpy(*at, "*");
            else
                snprintf(*at, sizeof *at, "g%zu", group[i]);
        }
        n_groups = n_parents;
    }
    free(group);
    free(parent);
}

static void make_cells(plain_table *plain, unsigned column, size_t n_values, uint64_t *random) {
    const plain_attribute *attribute =
        column < plain->n_attributes ? &plain->attributes[column] : NULL;
    bool is_skewed = once_in(random, 2);
    for (size_t row = 0; row < plain->n_rows; row++) {
        size_t value = (size_t)kan_random_below(random, n_values);
        if (is_skewed)
            value = (size_t)kan_random_below(random, value + 1);
        if (attribute)
            strcpy(plain_cell(plain, row, column), attribute->leaves[value].at[0]);
        else
            snprintf(plain_cell(plain, row, column), PLAIN_LABEL, "c%zu", value);
    }
}

/* Some rows become copies of others, so that groups of several rows exist without generalization.
 */
static void repeat_rows(plain_table *plain, uint64_t *random) {
    size_t share = between(random, 1, 4), n_columns = plain->n_attributes + plain->n_tails;
    for (size_t row = 1; row < plain->n_rows; row++)
        if (once_in(random, share)) {
            size_t source = (size_t)kan_random_below(random, row);
            /* the tails of a copy may differ */
            size_t n = once_in(random, 2) ? n_columns : plain->n_attributes;
            memcpy(plain_cell(plain, row, 0), plain_cell(plain, source, 0),
                   n * sizeof(plain_label));
        }
}

static void add_random_attribute(const random_spec *spec, uint64_t *random, uint64_t *nodes,
                                 plain_table *out) {
    size_t n_leaves = once_in(random, 8) ? 1 : between(random, 1, spec->most_leaves);
    unsigned least = n_leaves > 1 ? 1 : 0; /* the top is a single value */
    unsigned height = (unsigned)between(random, least, spec->most_height);
    while (spec->most_nodes && height > least && *nodes * (height + 1) > spec->most_nodes)
        height--;
    *nodes *= height + 1;
    plain_attribute *attribute = plain_add_attribute(out, n_leaves, height);
    make_values(attribute, random);
    make_levels(attribute, random);
}

void random_plain(const random_spec *spec, uint64_t *random, plain_table *out) {
    static const double weights[] = {0, 0.5, 1, 1, 2, 3.25};
    plain_init(out);
    uint64_t nodes = 1;
    size_t n = between(random, spec->least_attributes, spec->most_attributes);
    for (size_t a = 0; a < n; a++)
        add_random_attribute(spec, random, &nodes, out);
    out->n_tails = (unsigned)between(random, 0, spec->most_tails);
    if (out->n_tails > 0 && !once_in(random, 4))
        out->class_tail = (int)kan_random_below(random, out->n_tails);
    out->is_weighted = once_in(random, 3);
    for (unsigned a = 0; out->is_weighted && a < out->n_attributes; a++)
        out->attributes[a].weight = weights[kan_random_below(random, 6)];
    plain_add_rows(out, between(random, spec->least_rows, spec->most_rows));
    for (unsigned column = 0; column < out->n_attributes + out->n_tails; column++) {
        size_t n_leaves = column < out->n_attributes ? out->attributes[column].n_leaves : 6;
        size_t n_values = once_in(random, 8) ? 1 : between(random, 1 + n_leaves / 2, n_leaves);
        make_cells(out, column, n_values, random);
    }
    repeat_rows(out, random);
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* The case in hand; cmocka leaves a failed test by a jump, so it must stand outside. */
static uint64_t current_seed;
static bool is_in_round;

static bool number_from(const char *name, uint64_t *out) {
    const char *text = getenv(name);
    if (!text || !*text)
        return false;
    *out = strtoull(text, NULL, 10);
    return true;
}

static void run_round(uint64_t seed, void (*one)(kan_run *run, uint64_t seed)) {
    kan_run *run = kan_run_create();
    assert_non_null(run);
    current_seed = seed;
    is_in_round = true;
    one(run, seed);
    is_in_round = false;
    kan_run_destroy(run);
}

bool is_slow_here(void) {
    uint64_t n;
    return number_from("KANON_TEST_ROUNDS", &n) && n < 100;
}

void random_rounds(size_t fallback, void (*one)(kan_run *run, uint64_t seed)) {
    uint64_t n = fallback, seed;
    if (number_from("KANON_TEST_SEED", &seed)) {
        run_round(seed, one);
        return;
    }
    (void)number_from("KANON_TEST_ROUNDS", &n);
    if (is_slow_here() && n > fallback)
        n = fallback;
    for (seed = 1; seed <= n; seed++)
        run_round(seed, one);
}

int random_tear_down(void **state) {
    (void)state;
    if (is_in_round)
        print_error("the case that failed is repeated with KANON_TEST_SEED=%" PRIu64 "\n",
                    current_seed);
    is_in_round = false;
    return 0;
}
