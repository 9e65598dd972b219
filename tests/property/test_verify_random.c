/* Verification against plain counting and row-by-row matching, on random tables.
 *
 * The oracles here are quadratic and know nothing but bytes: rows are alike when their texts are;
 * a released text covers an original one when it is a label of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cover/match_flow.h"
#include "analyze/verify/verify.h"
#include "core/hash.h"

enum { MOST_ROWS = 48, MOST_COLUMNS = 4, MOST_LEVELS = 4, N_VALUES = 8, TEXT = 24 };

typedef char text[TEXT];

/* A table as texts; the last column is the one that must be equal. */
typedef struct {
    size_t n_rows, n_columns;
    text cells[2 * MOST_ROWS][MOST_COLUMNS + 1];
} sheet;

/* labels[column][value][level], level 0 being the value itself. */
typedef struct {
    unsigned n_levels[MOST_COLUMNS];
    text labels[MOST_COLUMNS][N_VALUES][MOST_LEVELS];
} tree;

typedef struct {
    uint64_t seed;
    size_t n_quasi;
    tree tree;
    sheet original, release;
} world;

static size_t below(world *w, size_t bound) {
    return (size_t)kan_random_below(&w->seed, bound);
}

/* ---- making random things ------------------------------------------------------------------- */

/* Each level joins neighbours of the one below; sometimes a label stays as it was, as in trees
 * whose leaves have different depths, and sometimes the top is not shown as *. */
static void grow_tree(world *w) {
    for (size_t c = 0; c < w->n_quasi; c++) {
        unsigned n_levels = 1 + (unsigned)below(w, MOST_LEVELS);
        bool has_star = below(w, 4) != 0;
        size_t group[N_VALUES];
        w->tree.n_levels[c] = n_levels;
        for (size_t v = 0; v < N_VALUES; v++) {
            group[v] = v;
            snprintf(w->tree.labels[c][v][0], TEXT, "v%zu", v);
        }
        for (unsigned level = 1; level < n_levels; level++) {
            bool is_top = level + 1 == n_levels;
            size_t next[N_VALUES], n = 0;
            for (size_t v = 0; v < N_VALUES; v++) {
                bool joins = v > 0 && (group[v] == group[v - 1] || is_top || below(w, 2));
                next[v] = joins ? n : v > 0 ? ++n : 0;
            }
            for (size_t v = 0; v < N_VALUES; v++) {
                bool is_alone = (v == 0 || next[v - 1] != next[v]) &&
                                (v + 1 == N_VALUES || next[v + 1] != next[v]);
                char *label = w->tree.labels[c][v][level];
                if (is_top && has_star)
                    snprintf(label, TEXT, "*");
                else if (is_alone)
                    memcpy(label, w->tree.labels[c][v][level - 1], TEXT);
                else
                    snprintf(label, TEXT, "l%u.%zu", level, next[v]);
            }
            memcpy(group, next, sizeof next);
        }
    }
}

static void fill_original(world *w, size_t n_rows) {
    w->original.n_rows = n_rows;
    w->original.n_columns = w->n_quasi + 1;
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t c = 0; c < w->n_quasi; c++)
            snprintf(w->original.cells[r][c], TEXT, "v%zu", below(w, 2 + below(w, N_VALUES - 1)));
        snprintf(w->original.cells[r][w->n_quasi], TEXT, "s%zu", below(w, 3));
    }
}

static size_t value_of(const char *cell) {
    return (size_t)(cell[1] - '0');
}

static void swap_rows(sheet *s, size_t a, size_t b) {
    text row[MOST_COLUMNS + 1];
    memcpy(row, s->cells[a], sizeof row);
    memcpy(s->cells[a], s->cells[b], sizeof row);
    memcpy(s->cells[b], row, sizeof row);
}

/* A release that is what it should be: generalized in one of three ways, some rows left out. */
static void make_release(world *w, size_t drop_percent, bool shuffles) {
    static const text star = "*";
    unsigned levels[MOST_COLUMNS];
    size_t way = below(w, 3);
    sheet *out = &w->release;
    out->n_rows = 0;
    out->n_columns = w->n_quasi + 1;
    for (size_t c = 0; c < w->n_quasi; c++)
        levels[c] = (unsigned)below(w, w->tree.n_levels[c]);
    for (size_t r = 0; r < w->original.n_rows; r++) {
        if (below(w, 100) < drop_percent)
            continue;
        bool is_hidden = way == 1 && below(w, 5) == 0; /* a suppressed row that was kept */
        for (size_t c = 0; c < w->n_quasi; c++) {
            size_t value = value_of(w->original.cells[r][c]);
            unsigned level = way == 2 ? (unsigned)below(w, w->tree.n_levels[c]) : levels[c];
            memcpy(out->cells[out->n_rows][c],
                   is_hidden || (way == 2 && below(w, 6) == 0) ? star
                                                               : w->tree.labels[c][value][level],
                   TEXT);
        }
        memcpy(out->cells[out->n_rows][w->n_quasi], w->original.cells[r][w->n_quasi], TEXT);
        out->n_rows++;
    }
    for (size_t r = out->n_rows; shuffles && r > 1; r--)
        swap_rows(out, r - 1, below(w, r));
}

static void make_world(world *w, uint64_t seed, size_t drop_percent, bool shuffles) {
    memset(w, 0, sizeof *w);
    w->seed = seed;
    w->n_quasi = 1 + below(w, MOST_COLUMNS);
    grow_tree(w);
    do {
        fill_original(w, 1 + below(w, MOST_ROWS));
        make_release(w, drop_percent, shuffles);
    } while (w->release.n_rows == 0);
}

/* ---- oracles -------------------------------------------------------------------------------- */

static bool row_covers(const world *w, size_t released, size_t original) {
    for (size_t c = 0; c < w->n_quasi; c++) {
        const char *cell = w->release.cells[released][c];
        size_t value = value_of(w->original.cells[original][c]);
        bool covers = strcmp(cell, "*") == 0;
        for (unsigned level = 0; level < w->tree.n_levels[c]; level++)
            covers = covers || strcmp(cell, w->tree.labels[c][value][level]) == 0;
        if (!covers)
            return false;
    }
    return strcmp(w->release.cells[released][w->n_quasi],
                  w->original.cells[original][w->n_quasi]) == 0;
}

static bool take(const world *w, size_t released, bool *is_seen, int *owner) {
    for (size_t o = 0; o < w->original.n_rows; o++) {
        if (is_seen[o] || !row_covers(w, released, o))
            continue;
        is_seen[o] = true;
        if (owner[o] < 0 || take(w, (size_t)owner[o], is_seen, owner)) {
            owner[o] = (int)released;
            return true;
        }
    }
    return false;
}

/* Rows of the release that can have an original row of their own at the same time. */
static size_t most_matches(const world *w) {
    int owner[MOST_ROWS];
    size_t n = 0;
    for (size_t o = 0; o < MOST_ROWS; o++)
        owner[o] = -1;
    for (size_t r = 0; r < w->release.n_rows; r++) {
        bool is_seen[MOST_ROWS] = {false};
        n += take(w, r, is_seen, owner);
    }
    return n;
}

/* Longest common subsequence: the whole release, or less. */
static bool is_in_order(const world *w) {
    static size_t best[2 * MOST_ROWS + 1][MOST_ROWS + 1];
    memset(best, 0, sizeof best);
    for (size_t r = 1; r <= w->release.n_rows; r++)
        for (size_t o = 1; o <= w->original.n_rows; o++) {
            size_t a = best[r - 1][o], b = best[r][o - 1];
            best[r][o] = a > b ? a : b;
            if (row_covers(w, r - 1, o - 1) && best[r - 1][o - 1] + 1 > best[r][o])
                best[r][o] = best[r - 1][o - 1] + 1;
        }
    return best[w->release.n_rows][w->original.n_rows] == w->release.n_rows;
}

/* ---- asking the library --------------------------------------------------------------------- */

static kan_table *table_of(kan_run *run, const sheet *s) {
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    kan_table *table;
    assert_int_equal(kan_table_create(run, s->n_columns, names, &table), KAN_OK);
    for (size_t r = 0; r < s->n_rows; r++) {
        const char *values[MOST_COLUMNS + 1];
        for (size_t c = 0; c < s->n_columns; c++)
            values[c] = s->cells[r][c];
        assert_int_equal(kan_table_add_row(table, values), KAN_OK);
    }
    assert_int_equal(kan_table_seal(table), KAN_OK);
    return table;
}

static kan_hierarchy *hierarchy_of(kan_run *run, const tree *t, size_t c, const kan_table *table) {
    kan_hierarchy_lines *lines;
    kan_hierarchy *hierarchy = NULL;
    if (t->n_levels[c] == 1)
        return NULL; /* nothing but the value is known */
    assert_int_equal(kan_hierarchy_lines_create(run, "tree.csv", &lines), KAN_OK);
    for (size_t v = 0; v < N_VALUES; v++) {
        kan_slice fields[MOST_LEVELS];
        for (unsigned level = 0; level < t->n_levels[c]; level++)
            fields[level] = kan_slice_of(t->labels[c][v][level]);
        assert_int_equal(kan_hierarchy_lines_add(lines, v + 1, fields, t->n_levels[c]), KAN_OK);
    }
    kan_problems_begin(run);
    kan_status status = kan_hierarchy_bind(lines, &table->columns[c], &hierarchy);
    if (status != KAN_OK)
        fail_msg("%s", kan_run_error(run));
    kan_hierarchy_lines_destroy(lines);
    return hierarchy;
}

/* Whatever is said of the rows that are left out, wrong or right, the answer stays the same. */
static void say_what_is_left_out(kan_run *run, kan_cover_question *question,
                                 const kan_cover *should) {
    const uint64_t n = question->original->n_rows, n_released = question->release->n_rows;
    uint8_t is_left_out[4 * MOST_ROWS] = {0};
    uint64_t row_of[4 * MOST_ROWS], random = n * 31 + n_released;
    kan_rows_found found;
    kan_cover is;
    assert_true(n <= 4 * MOST_ROWS && n_released <= 4 * MOST_ROWS);
    assert_int_equal(kan_verify_find_rows(run, question, row_of, &found), KAN_OK);
    question->is_left_out = is_left_out;
    for (unsigned round = 0; round < 4; round++) {
        memset(is_left_out, round < 2, sizeof is_left_out);
        for (uint64_t i = 0; i < n_released && round == 0 && found.in_order; i++)
            is_left_out[row_of[i]] = 0;
        for (uint64_t i = 0; i < n_released && i < n && round == 1;) {
            uint8_t *row = &is_left_out[kan_random_below(&random, n)];
            i += *row;
            *row = 0;
        }
        for (uint64_t row = 0; row < n && round == 2; row++)
            is_left_out[row] = (uint8_t)kan_random_below(&random, 2);
        assert_int_equal(kan_verify_cover(run, question, &is), KAN_OK);
        assert_int_equal(is.holds, should->holds);
        assert_int_equal(is.in_order, should->in_order);
        assert_int_equal(is.n_unmatched, should->n_unmatched);
        assert_int_equal(is.first_unmatched, should->first_unmatched);
        assert_int_equal(is.n_not_released, should->n_not_released);
    }
    question->is_left_out = NULL;
}

/* The rows that are certain, into row_of; NULL: the cover. */
static kan_cover ask(const world *w, bool needs_order, uint64_t *row_of, kan_rows_found *found) {
    kan_run *run = kan_run_create();
    kan_table *release = table_of(run, &w->release), *original = table_of(run, &w->original);
    kan_cover_pair pairs[MOST_COLUMNS + 1];
    kan_hierarchy *hierarchies[MOST_COLUMNS];
    kan_cover out;
    for (size_t c = 0; c <= w->n_quasi; c++) {
        if (c < w->n_quasi)
            hierarchies[c] = hierarchy_of(run, &w->tree, c, original);
        pairs[c] = (kan_cover_pair){c, c, c < w->n_quasi ? hierarchies[c] : NULL};
    }
    kan_cover_question question = {.release = release,
                                   .original = original,
                                   .quasi = pairs,
                                   .n_quasi = w->n_quasi,
                                   .others = pairs + w->n_quasi,
                                   .n_others = 1,
                                   .needs_order = needs_order};
    assert_int_equal(kan_verify_cover(run, &question, &out), KAN_OK);
    say_what_is_left_out(run, &question, &out);
    if (row_of)
        assert_int_equal(kan_verify_certain_rows(run, &question, row_of, found), KAN_OK);
    static char column[2];
    if (out.fault_column) {
        column[0] = out.fault_column[0];
        out.fault_column = column;
    }
    for (size_t c = 0; c < w->n_quasi; c++)
        kan_hierarchy_destroy(hierarchies[c]);
    kan_table_destroy(release);
    kan_table_destroy(original);
    kan_run_destroy(run);
    return out;
}

static kan_cover cover_of(const world *w, bool needs_order) {
    return ask(w, needs_order, NULL, NULL);
}

/* ---- claims --------------------------------------------------------------------------------- */

static void cover_accepts_every_honest_release(void **state) {
    (void)state;
    static world w;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        bool shuffles = seed % 2 == 0;
        make_world(&w, seed, seed % 3 == 0 ? 0 : 20, shuffles);
        kan_cover cover = cover_of(&w, false);
        assert_true(cover.holds);
        assert_true(shuffles || cover.in_order);
        assert_int_equal(cover.n_unmatched, 0);
        assert_int_equal(cover.first_unmatched, 0);
        assert_null(cover.fault_column);
        assert_int_equal(cover.n_not_released, w.original.n_rows - w.release.n_rows);
    }
}

/* Cells are changed to something that a release could show, rows are copied. */
static void tamper(world *w) {
    for (size_t n = 1 + below(w, 4); n > 0; n--) {
        size_t row = below(w, w->release.n_rows), c = below(w, w->n_quasi + 1);
        if (below(w, 4) == 0 && w->release.n_rows < 2 * MOST_ROWS)
            memcpy(w->release.cells[w->release.n_rows++], w->release.cells[row],
                   sizeof w->release.cells[row]);
        else if (c == w->n_quasi)
            snprintf(w->release.cells[row][c], TEXT, "s%zu", below(w, 3));
        else
            memcpy(w->release.cells[row][c],
                   w->tree.labels[c][below(w, N_VALUES)][below(w, w->tree.n_levels[c])], TEXT);
    }
}

static void cover_equals_row_by_row_matching(void **state) {
    (void)state;
    static world w;
    size_t n_refused = 0, n_out_of_order = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        make_world(&w, seed * 7919, seed % 3 * 15, seed % 2 == 0);
        tamper(&w);
        size_t n_matched = most_matches(&w);
        kan_cover cover = cover_of(&w, false);
        assert_int_equal(cover.n_unmatched, w.release.n_rows - n_matched);
        assert_int_equal(cover.holds, n_matched == w.release.n_rows);
        assert_int_equal(cover.n_not_released, w.original.n_rows - n_matched);
        assert_int_equal(cover.in_order, is_in_order(&w));
        assert_int_equal(cover.first_unmatched > 0, !cover.holds);
        assert_true(cover.first_unmatched <= w.release.n_rows);
        assert_int_equal(cover_of(&w, true).holds, cover.in_order);
        n_refused += !cover.holds;
        n_out_of_order += cover.holds && !cover.in_order;
    }
    /* Both answers, and both ways to them, were tried often. */
    assert_true(n_refused > 500);
    assert_true(n_out_of_order > 500);
}

static void cover_finds_one_planted_change(void **state) {
    (void)state;
    static world w;
    for (uint64_t seed = 1; seed <= 1200; seed++) {
        make_world(&w, seed * 104729, seed % 4 < 2 ? 0 : 25, seed % 8 >= 4);
        size_t row = below(&w, w.release.n_rows), column = below(&w, w.n_quasi);
        size_t kind = seed % 4, n = w.release.n_rows;
        if (kind == 0) { /* a row more than the original has: a copy */
            memcpy(w.release.cells[n], w.release.cells[row], sizeof w.release.cells[row]);
            w.release.n_rows++;
        } else if (kind == 1) { /* an invented row */
            for (size_t c = 0; c <= w.n_quasi; c++)
                memcpy(w.release.cells[n][c], w.release.cells[below(&w, n)][c], TEXT);
            w.release.n_rows++;
        } else if (kind == 2) { /* no label of any value */
            snprintf(w.release.cells[row][column], TEXT, "nowhere");
        } else { /* a sensitive value that nobody has */
            snprintf(w.release.cells[row][w.n_quasi], TEXT, "altered");
        }
        kan_cover cover = cover_of(&w, false);
        assert_false(cover.holds);
        assert_false(cover.in_order);
        assert_int_equal(cover.n_unmatched, 1);
        if (kind >= 2) {
            assert_int_equal(cover.first_unmatched, row + 1);
            assert_non_null(cover.fault_column);
            assert_int_equal(cover.fault_column[0], "abcde"[kind == 2 ? column : w.n_quasi]);
        }
    }
}

/* ---- flow ----------------------------------------------------------------------------------- */

enum { NODES = 6 };

typedef struct {
    uint64_t supply[NODES], room[NODES];
    bool is_edge[NODES][NODES];
} net;

/* Largest matching equals the least that a set of left nodes allows: for each set, the rows outside
 * of it and the room of all its neighbours. */
static uint64_t most_flow(const net *n) {
    uint64_t least = UINT64_MAX;
    for (unsigned set = 0; set < 1u << NODES; set++) {
        uint64_t sum = 0;
        for (unsigned left = 0; left < NODES; left++)
            sum += set >> left & 1 ? 0 : n->supply[left];
        for (unsigned right = 0; right < NODES; right++) {
            bool is_near = false;
            for (unsigned left = 0; left < NODES; left++)
                is_near = is_near || ((set >> left & 1) && n->is_edge[left][right]);
            sum += is_near ? n->room[right] : 0;
        }
        least = sum < least ? sum : least;
    }
    return least;
}

static void flow_gives_as_many_rows_as_any_way_could(void **state) {
    (void)state;
    uint64_t seed = 5;
    kan_run *run = kan_run_create();
    for (unsigned round = 0; round < 4000; round++) {
        net n = {0};
        uint64_t supply[NODES], room[NODES], given[NODES * NODES] = {0};
        uint64_t n_given = 0, work = UINT64_MAX;
        uint32_t target[NODES * NODES];
        size_t start[NODES + 1] = {0};
        for (unsigned i = 0; i < NODES; i++) {
            supply[i] = n.supply[i] = kan_random_below(&seed, 7);
            room[i] = n.room[i] = kan_random_below(&seed, 7);
            start[i + 1] = start[i];
            for (uint32_t right = 0; right < NODES; right++)
                if (kan_random_below(&seed, 3) == 0) {
                    n.is_edge[i][right] = true;
                    target[start[i + 1]++] = right;
                }
        }
        kan_flow flow = {NODES, NODES, supply, room, start, target, given};
        assert_int_equal(kan_flow_solve(run, &flow, &work), KAN_OK);
        for (unsigned left = 0; left < NODES; left++) {
            uint64_t sum = supply[left];
            for (size_t e = start[left]; e < start[left + 1]; e++) {
                sum += given[e];
                n_given += given[e];
                room[target[e]] += given[e];
            }
            assert_int_equal(sum, n.supply[left]); /* no row was lost or made */
        }
        assert_memory_equal(room, n.room, sizeof room);
        assert_int_equal(n_given, most_flow(&n));
        work = start[NODES] / 2;
        if (start[NODES] > 0)
            assert_int_equal(kan_flow_solve(run, &flow, &work), KAN_FAILED);
    }
    kan_run_destroy(run);
}

static void recount_equals_counting_every_pair_of_rows(void **state) {
    (void)state;
    static world w;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        make_world(&w, seed * 15485863, 10, true);
        kan_run *run = kan_run_create();
        kan_table *table = table_of(run, &w.release);
        uint64_t k = 1 + below(&w, 5);
        size_t columns[MOST_COLUMNS], n = w.release.n_rows;
        kan_recount expected = {.k = k, .n_rows = n}, found;
        for (size_t c = 0; c < w.n_quasi; c++)
            columns[c] = w.n_quasi - 1 - c;
        for (size_t r = 0; r < n; r++) {
            uint64_t size = 0;
            bool is_first = true, is_star = true;
            for (size_t other = 0; other < n; other++) {
                bool is_alike = true;
                for (size_t c = 0; c < w.n_quasi; c++)
                    is_alike =
                        is_alike && strcmp(w.release.cells[r][c], w.release.cells[other][c]) == 0;
                size += is_alike;
                is_first = is_first && !(is_alike && other < r);
            }
            for (size_t c = 0; c < w.n_quasi; c++)
                is_star = is_star && strcmp(w.release.cells[r][c], "*") == 0;
            expected.n_star_rows += is_star;
            expected.n_small_rows += size < k;
            if (!is_first)
                continue;
            expected.n_groups++;
            expected.n_small_groups += size < k;
            expected.star_is_small = expected.star_is_small || (is_star && size < k);
            if (expected.smallest_group == 0 || size < expected.smallest_group)
                expected.smallest_group = size;
            if (size > expected.largest_group)
                expected.largest_group = size;
            if (size < k && expected.n_examples < KAN_RECOUNT_EXAMPLES)
                expected.examples[expected.n_examples++] = r;
        }
        assert_int_equal(kan_verify_recount(run, table, columns, w.n_quasi, k, &found), KAN_OK);
        assert_int_equal(found.n_rows, expected.n_rows);
        assert_int_equal(found.n_groups, expected.n_groups);
        assert_int_equal(found.smallest_group, expected.smallest_group);
        assert_int_equal(found.largest_group, expected.largest_group);
        assert_int_equal(found.n_small_groups, expected.n_small_groups);
        assert_int_equal(found.n_small_rows, expected.n_small_rows);
        assert_int_equal(found.n_star_rows, expected.n_star_rows);
        assert_int_equal(found.star_is_small, expected.star_is_small);
        assert_int_equal(found.n_examples, expected.n_examples);
        assert_memory_equal(found.examples, expected.examples, sizeof found.examples);
        assert_int_equal(kan_recount_holds(&found), expected.n_small_groups == 0);
        kan_table_destroy(table);
        kan_run_destroy(run);
    }
}

/* Whether rows from `released` on can have original ones from `original` on, in their order. */
static bool can_follow(const world *w, size_t released, size_t original) {
    for (; released < w->release.n_rows; released++, original++) {
        while (original < w->original.n_rows && !row_covers(w, released, original))
            original++;
        if (original >= w->original.n_rows)
            return false;
    }
    return true;
}

/* The same of the rows before, and those before. */
static bool can_precede(const world *w, size_t released, size_t original) {
    while (released-- > 0) {
        do {
            if (original == 0)
                return false;
        } while (!row_covers(w, released, --original));
    }
    return true;
}

static void a_row_is_certain_exactly_if_it_can_be_no_other(void **state) {
    (void)state;
    static world w;
    size_t n_certain = 0, n_open = 0;
    for (uint64_t seed = 1; seed <= 800; seed++) {
        uint64_t row_of[2 * MOST_ROWS];
        kan_rows_found found;
        make_world(&w, seed * 31337, seed % 3 * 20, false);
        assert_true(ask(&w, false, row_of, &found).in_order);
        assert_true(found.in_order);
        size_t n_told = 0;
        for (size_t r = 0; r < w.release.n_rows; r++) {
            size_t n = 0, last = 0;
            for (size_t o = 0; o < w.original.n_rows; o++)
                if (row_covers(&w, r, o) && can_precede(&w, r, o) && can_follow(&w, r + 1, o + 1)) {
                    n++;
                    last = o;
                }
            assert_true(n > 0);
            assert_int_equal(row_of[r], n == 1 ? last : UINT64_MAX);
            n_told += n > 1;
            n_certain += n == 1;
        }
        assert_int_equal(found.n_open, n_told);
        n_open += n_told;
    }
    print_message("%zu rows are certain, %zu are not\n", n_certain, n_open);
    assert_true(n_certain > 500 && n_open > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recount_equals_counting_every_pair_of_rows),
        cmocka_unit_test(flow_gives_as_many_rows_as_any_way_could),
        cmocka_unit_test(cover_accepts_every_honest_release),
        cmocka_unit_test(cover_equals_row_by_row_matching),
        cmocka_unit_test(cover_finds_one_planted_change),
        cmocka_unit_test(a_row_is_certain_exactly_if_it_can_be_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
