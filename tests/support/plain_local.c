/* Local recodings to the letter: see plain_local.h. */
#include "support/plain_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

static void *allocate(size_t n, size_t size) {
    void *memory = calloc(n ? n : 1, size);
    assert_non_null(memory);
    return memory;
}

/* ---- labels --------------------------------------------------------------------------------- */

static bool level_has(const plain_attribute *attribute, unsigned level, const char *label) {
    for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++)
        if (strcmp(attribute->leaves[leaf].at[level], label) == 0)
            return true;
    return false;
}

void plain_confuse_labels(plain_table *plain, uint64_t *random) {
    for (unsigned a = 0; a < plain->n_attributes; a++) {
        plain_attribute *attribute = &plain->attributes[a];
        plain_label old, new = "*";
        if (attribute->height < 2 || kan_random_below(random, 3) == 0)
            continue;
        const unsigned level = 1 + (unsigned)kan_random_below(random, attribute->height - 1);
        const size_t from = (size_t)kan_random_below(random, attribute->n_leaves);
        const unsigned other = (unsigned)kan_random_below(random, attribute->height + 1);
        strcpy(new, attribute->leaves[from].at[other]);
        strcpy(old, attribute->leaves[kan_random_below(random, attribute->n_leaves)].at[level]);
        if (level_has(attribute, level, new))
            continue;
        for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++)
            if (strcmp(attribute->leaves[leaf].at[level], old) == 0)
                strcpy(attribute->leaves[leaf].at[level], new);
    }
}

const char *plain_label_at(const plain_table *plain, size_t row, unsigned a, unsigned level) {
    const plain_attribute *attribute = &plain->attributes[a];
    for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++)
        if (strcmp(attribute->leaves[leaf].at[0], plain_cell(plain, row, a)) == 0)
            return attribute->leaves[leaf].at[level];
    fail_msg("the hierarchy lacks a value");
    return "";
}

static bool are_alike(const plain_table *plain, unsigned a, unsigned level, const size_t *rows,
                      size_t n) {
    for (size_t i = 1; i < n; i++)
        if (strcmp(plain_label_at(plain, rows[i], a, level),
                   plain_label_at(plain, rows[0], a, level)) != 0)
            return false;
    return true;
}

unsigned plain_join(const plain_table *plain, unsigned a, const size_t *rows, size_t n) {
    unsigned level = 0;
    while (!are_alike(plain, a, level, rows, n))
        level++;
    return level;
}

/* ---- the promise ---------------------------------------------------------------------------- */

static bool passes(const plain_privacy *models, const size_t *rows, size_t n) {
    return n > 0 && plain_privacy_passes(models, &(oracle_group){.n_rows = n, .rows = rows});
}

bool plain_whole_passes(const plain_privacy *models) {
    const size_t n = models->plain->n_rows;
    size_t *rows = allocate(n, sizeof *rows);
    for (size_t row = 0; row < n; row++)
        rows[row] = row;
    const bool is_fine = passes(models, rows, n);
    free(rows);
    return is_fine;
}

/* ---- answers -------------------------------------------------------------------------------- */

bool plain_is_of_tuple(const test_problem *made, size_t tuple, size_t row) {
    const kan_space *space = &made->problem.space;
    for (unsigned f = 0; f < space->n_attributes + space->n_tails; f++) {
        uint32_t value = kan_column_code(&made->table->columns[f], row);
        if (f < space->n_attributes)
            value = made->hierarchies[f]->leaf_of[value];
        if (kan_problem_tuple_value(&made->problem, tuple, f) != value)
            return false;
    }
    return true;
}

/* Hands the rows of each tuple out, in the order of the table. */
static void find_regions(const test_problem *made, size_t n_rows, const kan_regions *regions,
                         uint32_t *region_of) {
    size_t n_found = 0;
    assert_int_equal(regions->n_tuples, kan_problem_tuples(&made->problem));
    for (size_t t = 0; t < regions->n_tuples; t++) {
        const uint32_t r = regions->region_of[t];
        const bool is_split = r & KAN_REGION_SPLIT;
        const size_t split = r & ~KAN_REGION_SPLIT;
        size_t portion = is_split ? regions->split_start[split] : 0;
        uint64_t n_used = 0;
        if (is_split)
            assert_true(split < regions->n_splits);
        for (size_t row = 0; row < n_rows; row++) {
            if (!plain_is_of_tuple(made, t, row))
                continue;
            if (is_split && n_used == regions->portions[portion].n_rows) {
                portion++;
                n_used = 0;
            }
            if (is_split)
                assert_true(portion < regions->split_start[split + 1]);
            region_of[row] = is_split ? regions->portions[portion].region : r;
            assert_true(region_of[row] < regions->n_regions);
            n_used++;
            n_found++;
        }
        if (is_split) {
            assert_int_equal(n_used, regions->portions[portion].n_rows);
            assert_int_equal(portion + 1, regions->split_start[split + 1]);
        }
    }
    assert_int_equal(n_found, n_rows);
}

static kan_cell cell_of(const kan_regions *regions, size_t r, unsigned a) {
    return regions->cells[a].cells[regions->cell_of[r * regions->n_attributes + a]];
}

static void expect_nodes_are_tight(const test_problem *made, const plain_table *plain,
                                   const kan_regions *regions, size_t r, const size_t *rows,
                                   size_t n) {
    for (unsigned a = 0; a < plain->n_attributes; a++) {
        const kan_cell cell = cell_of(regions, r, a);
        const kan_slice label = made->hierarchies[a]->levels[cell.a].label[cell.b];
        assert_int_equal(regions->cells[a].type, KAN_CELL_NODE);
        assert_int_equal(cell.a, plain_join(plain, a, rows, n));
        assert_true(
            kan_slice_equal(label, kan_slice_of(plain_label_at(plain, rows[0], a, cell.a))));
    }
}

static void expect_all_differ(const kan_regions *regions) {
    const size_t size = regions->n_attributes * sizeof *regions->cell_of;
    for (size_t r = 0; r < kan_regions_released(regions); r++)
        for (size_t other = 0; other < r; other++)
            assert_memory_not_equal(regions->cell_of + r * regions->n_attributes,
                                    regions->cell_of + other * regions->n_attributes, size);
    for (unsigned a = 0; a < regions->n_attributes; a++)
        for (uint32_t i = 0; i < regions->cells[a].n; i++)
            for (uint32_t j = 0; j < i; j++)
                assert_true(regions->cells[a].cells[i].a != regions->cells[a].cells[j].a ||
                            regions->cells[a].cells[i].b != regions->cells[a].cells[j].b);
}

void expect_local_is_right(const test_problem *made, const plain_privacy *models, uint64_t limit,
                           const kan_answer *answer) {
    const plain_table *plain = models->plain;
    const kan_regions *regions = answer->recoding.regions;
    uint32_t *region_of = allocate(plain->n_rows, sizeof *region_of);
    size_t *rows = allocate(plain->n_rows, sizeof *rows);
    assert_int_equal(answer->recoding.type, KAN_RECODING_LOCAL);
    assert_int_equal(regions->n_attributes, plain->n_attributes);
    find_regions(made, plain->n_rows, regions, region_of);
    for (size_t r = 0; r < regions->n_regions; r++) {
        size_t n = 0;
        for (size_t row = 0; row < plain->n_rows; row++)
            if (region_of[row] == r)
                rows[n++] = row;
        assert_int_equal(n, regions->n_rows[r]);
        assert_true(n > 0);
        if (r >= kan_regions_released(regions)) {
            assert_true(n <= limit);
            continue;
        }
        expect_nodes_are_tight(made, plain, regions, r, rows, n);
        if (!passes(models, rows, n)) {
            plain_privacy_print(models);
            fail_msg("a region of %zu rows does not keep the promise", n);
        }
    }
    assert_true(kan_regions_released(regions) > 0);
    expect_all_differ(regions);
    free(rows);
    free(region_of);
}

/* Whether rows that show a node at `level` are groups that pass one level below. */
static bool can_divide(const plain_privacy *models, const size_t *rows, size_t n, unsigned a,
                       unsigned level) {
    size_t *part = allocate(n, sizeof *part);
    bool can = level > 0;
    for (size_t i = 0; i < n && can; i++) {
        const char *label = plain_label_at(models->plain, rows[i], a, level - 1);
        size_t n_part = 0;
        for (size_t j = 0; j < n; j++)
            if (strcmp(plain_label_at(models->plain, rows[j], a, level - 1), label) == 0)
                part[n_part++] = rows[j];
        can = passes(models, part, n_part);
    }
    free(part);
    return can;
}

size_t plain_local_divisible(const test_problem *made, const plain_privacy *models,
                             const kan_answer *answer) {
    const plain_table *plain = models->plain;
    const kan_regions *regions = answer->recoding.regions;
    uint32_t *region_of = allocate(plain->n_rows, sizeof *region_of);
    size_t *rows = allocate(plain->n_rows, sizeof *rows), n_divisible = 0;
    find_regions(made, plain->n_rows, regions, region_of);
    for (size_t r = 0; r < kan_regions_released(regions); r++) {
        size_t n = 0;
        bool can = false;
        for (size_t row = 0; row < plain->n_rows; row++)
            if (region_of[row] == r)
                rows[n++] = row;
        for (unsigned a = 0; a < plain->n_attributes && !can; a++)
            can = can_divide(models, rows, n, a, cell_of(regions, r, a).a);
        n_divisible += can;
    }
    free(rows);
    free(region_of);
    return n_divisible;
}

/* ---- whether there is any ------------------------------------------------------------------- */

enum { SETS = 1 << PLAIN_LOCAL_ROWS };

typedef struct {
    const plain_table *plain;
    uint64_t limit;
    bool passes[SETS];
    unsigned levels[SETS][ORACLE_ATTRIBUTES];
    unsigned classes[PLAIN_LOCAL_ROWS]; /* sets of rows */
    size_t n;
} partition;

static size_t list_rows(unsigned set, size_t *rows) {
    size_t n = 0;
    for (size_t row = 0; set >> row; row++)
        if (set >> row & 1)
            rows[n++] = row;
    return n;
}

static void look_at_sets(const plain_privacy *models, partition *p) {
    for (unsigned set = 1; set < 1u << p->plain->n_rows; set++) {
        size_t rows[PLAIN_LOCAL_ROWS];
        const size_t n = list_rows(set, rows);
        p->passes[set] = passes(models, rows, n);
        for (unsigned a = 0; a < p->plain->n_attributes; a++)
            p->levels[set][a] = plain_join(p->plain, a, rows, n);
    }
}

static bool show_the_same(const partition *p, unsigned x, unsigned y) {
    size_t in_x[PLAIN_LOCAL_ROWS], in_y[PLAIN_LOCAL_ROWS];
    (void)list_rows(x, in_x);
    (void)list_rows(y, in_y);
    for (unsigned a = 0; a < p->plain->n_attributes; a++)
        if (p->levels[x][a] != p->levels[y][a] ||
            strcmp(plain_label_at(p->plain, in_x[0], a, p->levels[x][a]),
                   plain_label_at(p->plain, in_y[0], a, p->levels[y][a])) != 0)
            return false;
    return true;
}

static bool is_release(const partition *p) {
    for (size_t c = 0; c < p->n; c++)
        if (!p->passes[p->classes[c]])
            return false;
    for (size_t c = 0; c < p->n; c++)
        for (size_t d = 0; d < c; d++)
            if (show_the_same(p, p->classes[c], p->classes[d]))
                return false;
    return p->n > 0;
}

static bool place_rows(partition *p, size_t row, uint64_t n_out) {
    if (row == p->plain->n_rows)
        return is_release(p);
    if (n_out < p->limit && place_rows(p, row + 1, n_out + 1))
        return true;
    for (size_t c = 0; c <= p->n; c++) {
        const bool is_new = c == p->n;
        if (is_new)
            p->classes[p->n++] = 0;
        p->classes[c] |= 1u << row;
        const bool is_found = place_rows(p, row + 1, n_out);
        p->classes[c] &= ~(1u << row);
        p->n -= is_new;
        if (is_found || is_new)
            return is_found;
    }
    return false;
}

bool plain_local_exists(const plain_privacy *models, uint64_t limit) {
    partition *p = allocate(1, sizeof *p);
    assert_true(models->plain->n_rows <= PLAIN_LOCAL_ROWS);
    p->plain = models->plain;
    p->limit = limit;
    look_at_sets(models, p);
    const bool exists = place_rows(p, 0, 0);
    free(p);
    return exists;
}

bool plain_rest_exists(const plain_privacy *models, uint64_t limit) {
    const size_t n_rows = models->plain->n_rows;
    assert_true(n_rows <= PLAIN_LOCAL_ROWS);
    for (unsigned set = 1; set < 1u << n_rows; set++) {
        size_t rows[PLAIN_LOCAL_ROWS];
        const size_t n = list_rows(set, rows);
        if (n_rows - n <= limit && passes(models, rows, n))
            return true;
    }
    return false;
}

bool plain_is_single_alpha(const plain_privacy *models) {
    const plain_table *plain = models->plain;
    const unsigned n_sensitive = plain->n_tails - (plain->class_tail == KAN_NO_TAIL ? 0u : 1u);
    for (unsigned t = 0; t < ORACLE_TAILS; t++)
        if (models->of_tail[t])
            return false;
    return models->alpha_parts > 0 && !models->is_refined && models->l == 0 &&
           models->t_parts == 0 && models->delta_parts == 0 && models->beta_parts == 0 &&
           n_sensitive == 1 && (models->n_named == 1 || models->is_combined);
}

size_t plain_fewest_out(const plain_privacy *models) {
    const plain_table *plain = models->plain;
    const unsigned tail = plain->class_tail == 0 ? 1 : 0;
    const size_t n = plain->n_rows;
    size_t n_named = 0;
    for (size_t row = 0; row < n; row++)
        for (size_t i = 0; i < models->n_named; i++)
            n_named +=
                strcmp(plain_cell(plain, row, plain->n_attributes + tail), models->named[i]) == 0;
    for (size_t out = 0; out < n; out++)
        for (size_t named_out = 0; named_out <= out && named_out <= n_named; named_out++)
            if (out - named_out <= n - n_named && n - out >= models->k &&
                (n_named - named_out) * models->alpha_parts <= models->alpha * (n - out))
                return out;
    return SIZE_MAX;
}
