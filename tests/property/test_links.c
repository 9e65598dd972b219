/* Keys and links of random tables against a naive matcher that compares rows as texts, pair by pair; and
 * tables that were made to hang together, which must be found to do so, in whatever order they come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/links/links.h"
#include "core/hash.h"
#include "support/random_problem.h"

enum { MOST_TABLES = 4, MOST_COLUMNS = 4, MOST_ROWS = 24, TEXT = 24 };

typedef struct {
    char name[TEXT];
    size_t n_rows;
    size_t n_columns;
    char names[MOST_COLUMNS][TEXT];
    char values[MOST_ROWS][MOST_COLUMNS][TEXT];
    unsigned char can[MOST_COLUMNS];
    kan_table *table;
} plain;

typedef struct {
    size_t n;
    plain tables[MOST_TABLES];
    kan_link_table looked_at[MOST_TABLES];
} world;

static void make_table(kan_run *run, plain *p) {
    const char *names[MOST_COLUMNS], *row[MOST_COLUMNS];
    for (size_t c = 0; c < p->n_columns; c++)
        names[c] = p->names[c];
    EXPECT_OK(run, kan_table_create(run, p->n_columns, names, &p->table));
    for (size_t r = 0; r < p->n_rows; r++) {
        for (size_t c = 0; c < p->n_columns; c++)
            row[c] = p->values[r][c];
        EXPECT_OK(run, kan_table_add_row(p->table, row));
    }
    EXPECT_OK(run, kan_table_seal(p->table));
}

static void seal_world(kan_run *run, world *w) {
    for (size_t t = 0; t < w->n; t++) {
        make_table(run, &w->tables[t]);
        w->looked_at[t] = (kan_link_table){
            .name = w->tables[t].name, .rows = w->tables[t].table, .can = w->tables[t].can};
    }
}

static void destroy_world(world *w) {
    for (size_t t = 0; t < w->n; t++)
        kan_table_destroy(w->tables[t].table);
}

/* ---- counting ------------------------------------------------------------------------------- */

static void make_random_world(kan_run *run, uint64_t *random, world *w) {
    static const char *const names[] = {"id", "patient", "stay_id", "Patients", "n", "last_stay"};
    w->n = 2 + (size_t)kan_random_below(random, MOST_TABLES - 1);
    for (size_t t = 0; t < w->n; t++) {
        plain *p = &w->tables[t];
        snprintf(p->name, TEXT, "%s%zu", kan_random_below(random, 2) ? "patients" : "t", t);
        p->n_rows = 1 + (size_t)kan_random_below(random, MOST_ROWS);
        p->n_columns = 1 + (size_t)kan_random_below(random, MOST_COLUMNS);
        for (size_t c = 0; c < p->n_columns; c++) {
            const uint64_t kind = kan_random_below(random, 3),
                           most = 1 + kan_random_below(random, 40);
            snprintf(p->names[c], TEXT, "%s%s", names[kan_random_below(random, 6)],
                     c == 0   ? ""
                     : c == 1 ? "_b"
                     : c == 2 ? "_c"
                              : "_d");
            p->can[c] =
                (unsigned char)(kan_random_below(random, 8) == 0   ? 0
                                : kan_random_below(random, 4) == 0 ? KAN_LINK_TIES
                                                                   : KAN_LINK_TIES | KAN_LINK_KEY);
            for (size_t r = 0; r < p->n_rows; r++) {
                const unsigned long value = kind == 0
                                                ? (unsigned long)r + 1
                                                : (unsigned long)kan_random_below(random, most);
                if (kan_random_below(random, 30) == 0)
                    snprintf(p->values[r][c], TEXT, "%s", value % 2 ? "?" : "");
                else
                    snprintf(p->values[r][c], TEXT, kind == 2 ? "0%lu" : "%lu", value);
            }
        }
    }
    seal_world(run, w);
}

static bool is_known(const char *value) {
    return *value && strcmp(value, "?") != 0;
}

static bool is_first(const plain *p, size_t column, size_t row) {
    for (size_t r = 0; r < row; r++)
        if (strcmp(p->values[r][column], p->values[row][column]) == 0)
            return false;
    return true;
}

static bool has_value(const plain *p, size_t column, const char *value) {
    for (size_t r = 0; r < p->n_rows; r++)
        if (strcmp(p->values[r][column], value) == 0)
            return true;
    return false;
}

/* The key by definition. */
static bool naive_key(const plain *p, size_t column, kan_link_key *out) {
    *out = (kan_link_key){.n_values = 0};
    for (size_t r = 0; r < p->n_rows; r++) {
        if (!is_known(p->values[r][column]))
            out->n_missing++;
        else if (is_first(p, column, r))
            out->n_values++;
        else
            out->n_repeated++;
    }
    const uint64_t n = out->n_missing + out->n_repeated;
    return out->n_values > 0 &&
           (n == 0 || ((n <= 2 || n <= p->n_rows / 20) && 3 * n <= out->n_values));
}

static void naive_link(const plain *child, size_t column, const plain *parent, size_t key,
                       kan_link *out) {
    *out = (kan_link){.n_rows = child->n_rows};
    for (size_t r = 0; r < child->n_rows; r++) {
        const char *value = child->values[r][column];
        const bool matches = is_known(value) && has_value(parent, key, value);
        out->n_missing += !is_known(value);
        out->n_rows_matching += matches;
        out->n_values += is_known(value) && is_first(child, column, r);
        out->n_values_matching += matches && is_first(child, column, r);
    }
}

static const kan_link *find_link(const kan_links *links, size_t child, size_t column, size_t key) {
    for (size_t i = 0; i < links->n; i++)
        if (links->list[i].child == child && links->list[i].column == column &&
            links->list[i].key == key)
            return &links->list[i];
    return NULL;
}

static void compare_link(const world *w, const kan_links *links, size_t child, size_t column,
                         size_t k) {
    const kan_link_key *key = &links->keys[k];
    const plain *c = &w->tables[child], *p = &w->tables[key->table];
    const kan_link *found = find_link(links, child, column, k);
    kan_link naive;
    naive_link(c, column, p, key->column, &naive);
    const kan_link_names names =
        kan_link_compare_names(c->names[column], p->names[key->column], p->name);
    const bool is_expected = child != key->table && (c->can[column] & KAN_LINK_TIES) &&
                             (naive.n_rows_matching > 0 || names == KAN_NAMES_ALIKE);
    assert_int_equal(found != NULL, is_expected);
    if (!found)
        return;
    assert_int_equal(found->names, names);
    assert_int_equal(found->n_rows, naive.n_rows);
    assert_int_equal(found->n_missing, naive.n_missing);
    assert_int_equal(found->n_rows_matching, naive.n_rows_matching);
    assert_int_equal(found->n_values, naive.n_values);
    assert_int_equal(found->n_values_matching, naive.n_values_matching);
}

static void compare_dangling(kan_run *run, const world *w, const kan_links *links,
                             const kan_link *link) {
    const kan_link_key *key = &links->keys[link->key];
    uint64_t row, first = 0;
    if (kan_link_dangling(link) == 0)
        return;
    const plain *child = &w->tables[link->child];
    while (is_known(child->values[first][link->column]) &&
           has_value(&w->tables[key->table], key->column, child->values[first][link->column]))
        first++;
    EXPECT_OK(run, kan_links_first_dangling(w->looked_at, links, link, &row));
    assert_int_equal(row, first);
}

static void compare_faulty(kan_run *run, const world *w, const kan_link_key *key) {
    const plain *p = &w->tables[key->table];
    uint64_t row, first = 0;
    if (kan_link_key_is_sound(key))
        return;
    while (is_known(p->values[first][key->column]) && is_first(p, key->column, first))
        first++;
    EXPECT_OK(run, kan_links_first_faulty(run, w->looked_at, key, &row));
    assert_int_equal(row, first);
}

/* What the tree says holds by its definition: it is one, each link is of its parent's one key, and no
 * better link was there to be taken. */
static void check_tree(world *w, kan_links *links) {
    kan_link_tree tree;
    kan_links_choose(w->looked_at, w->n, links, &tree);
    size_t n_placed = 0;
    for (size_t t = 0; t < w->n; t++) {
        size_t at = t, steps = 0;
        n_placed += tree.people != KAN_NO_LINK && kan_link_is_placed(&tree, t);
        if (tree.people == KAN_NO_LINK || tree.taken[t] == KAN_NO_LINK)
            continue;
        assert_int_equal(links->list[tree.taken[t]].child, t);
        assert_int_equal(links->list[tree.taken[t]].use, KAN_LINK_TAKEN);
        assert_true(links->list[tree.taken[t]].kind >= KAN_LINK_VALUES);
        assert_true(links->keys[links->list[tree.taken[t]].key].is_chosen);
        while (at != tree.people) {
            assert_true(tree.taken[at] != KAN_NO_LINK);
            at = links->keys[links->list[tree.taken[at]].key].table;
            assert_true(++steps < MOST_TABLES);
        }
    }
    if (tree.people != KAN_NO_LINK) {
        assert_int_equal(n_placed, tree.n_placed);
        assert_true(n_placed >= 2);
    }
    for (size_t t = 0; t < w->n; t++) {
        unsigned n_chosen = 0;
        for (size_t k = 0; k < links->n_keys; k++)
            n_chosen += links->keys[k].table == t && links->keys[k].is_chosen;
        assert_true(n_chosen <= 1);
    }
}

static size_t n_found, n_worlds;

static void one_world(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    world *w = calloc(1, sizeof *w);
    kan_links links = {.run = run};
    size_t k = 0;
    assert_non_null(w);
    kan_run_set_threads(run, 1 + (unsigned)kan_random_below(&random, 3));
    make_random_world(run, &random, w);
    EXPECT_OK(run, kan_links_find(run, w->looked_at, w->n, &links));
    for (size_t t = 0; t < w->n; t++)
        for (size_t c = 0; c < w->tables[t].n_columns; c++) {
            kan_link_key naive;
            if (!naive_key(&w->tables[t], c, &naive) || !(w->tables[t].can[c] & KAN_LINK_KEY))
                continue;
            assert_true(k < links.n_keys);
            assert_int_equal(links.keys[k].table, t);
            assert_int_equal(links.keys[k].column, c);
            assert_int_equal(links.keys[k].n_values, naive.n_values);
            assert_int_equal(links.keys[k].n_missing, naive.n_missing);
            assert_int_equal(links.keys[k].n_repeated, naive.n_repeated);
            compare_faulty(run, w, &links.keys[k++]);
        }
    assert_int_equal(k, links.n_keys);
    for (size_t t = 0; t < w->n; t++)
        for (size_t c = 0; c < w->tables[t].n_columns; c++)
            for (size_t key = 0; key < links.n_keys; key++)
                compare_link(w, &links, t, c, key);
    for (size_t i = 0; i < links.n; i++)
        compare_dangling(run, w, &links, &links.list[i]);
    n_found += links.n;
    n_worlds++;
    check_tree(w, &links);
    kan_links_destroy(&links);
    destroy_world(w);
    free(w);
}

static void counts_are_those_of_a_naive_matcher(void **state) {
    (void)state;
    random_rounds(3000, one_world);
    assert_true(n_found > n_worlds); /* the random tables do have links */
}

/* ---- several columns ------------------------------------------------------------------------ */

static void one_set_of_columns(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    make_random_world(run, &random, w);
    const plain *p = &w->tables[0];
    size_t columns[MOST_COLUMNS], n = 0;
    bool is_key, are_apart = true;
    for (size_t c = 0; c < p->n_columns; c++)
        if (kan_random_below(&random, 2) || (n == 0 && c + 1 == p->n_columns))
            columns[n++] = c;
    for (size_t a = 0; a < p->n_rows; a++)
        for (size_t b = 0; b < a; b++) {
            bool is_same = true;
            for (size_t i = 0; i < n; i++)
                is_same &= strcmp(p->values[a][columns[i]], p->values[b][columns[i]]) == 0;
            are_apart &= !is_same;
        }
    EXPECT_OK(run, kan_links_name_rows(run, p->table, columns, n, &is_key));
    assert_int_equal(is_key, are_apart);
    destroy_world(w);
    free(w);
}

static void several_columns_name_rows_where_no_two_agree(void **state) {
    (void)state;
    random_rounds(1000, one_set_of_columns);
}

/* ---- tables that were made to hang together -------------------------------------------------- */

/* A table with a key, a link to its parent under one of its names, and numbers that mean nothing. */
static void make_child(uint64_t *random, world *w, size_t t, size_t parent) {
    static const char *const stems[] = {"patient", "stay", "sample", "visit"};
    plain *p = &w->tables[t];
    const bool has_ids = kan_random_below(random, 2);
    snprintf(p->name, TEXT, "%ss", stems[t]);
    p->n_rows = t == 0 ? 12 : MOST_ROWS - kan_random_below(random, 4);
    p->n_columns = t == 0 ? 2 : 3;
    snprintf(p->names[0], TEXT, has_ids ? "id" : "%s_id", stems[t]);
    snprintf(p->names[1], TEXT, "level");
    p->can[0] = KAN_LINK_TIES | KAN_LINK_KEY;
    p->can[1] = KAN_LINK_TIES;
    p->can[2] = KAN_LINK_TIES | KAN_LINK_KEY;
    if (t > 0)
        snprintf(p->names[2], TEXT, kan_random_below(random, 2) ? "%s" : "%s_id", stems[parent]);
    for (size_t r = 0; r < p->n_rows; r++) {
        const size_t of = (size_t)kan_random_below(random, w->tables[parent].n_rows);
        snprintf(p->values[r][0], TEXT, "%zu", 1 + (r * 7 + t) % p->n_rows);
        snprintf(p->values[r][1], TEXT, "%zu", 1 + r % 3);
        if (t > 0)
            snprintf(p->values[r][2], TEXT, "%s", w->tables[parent].values[of][0]);
    }
}

static void one_tied_world(kan_run *run, uint64_t seed) {
    uint64_t random = seed;
    world *made = calloc(1, sizeof *made), *w = calloc(1, sizeof *w);
    kan_links links = {.run = run};
    kan_link_tree tree;
    size_t parent[MOST_TABLES] = {0}, place[MOST_TABLES];
    assert_true(made && w);
    made->n = w->n = 2 + (size_t)kan_random_below(&random, MOST_TABLES - 1);
    for (size_t t = 0; t < made->n; t++) {
        parent[t] = t > 0 ? (size_t)kan_random_below(&random, t) : 0;
        do /* 7 and the rows have no common divisor, so that keys are different */
            make_child(&random, made, t, parent[t]);
        while (made->tables[t].n_rows % 7 == 0);
        place[t] = t;
    }
    for (size_t t = made->n; t > 1; t--) { /* in any order */
        const size_t other = (size_t)kan_random_below(&random, t), kept = place[t - 1];
        place[t - 1] = place[other];
        place[other] = kept;
    }
    for (size_t t = 0; t < made->n; t++)
        w->tables[place[t]] = made->tables[t];
    seal_world(run, w);
    EXPECT_OK(run, kan_links_find(run, w->looked_at, w->n, &links));
    kan_links_choose(w->looked_at, w->n, &links, &tree);
    assert_int_equal(tree.people, place[0]);
    assert_int_equal(tree.n_placed, made->n);
    for (size_t t = 1; t < made->n; t++) {
        const kan_link *link = &links.list[tree.taken[place[t]]];
        assert_int_equal(link->column, 2);
        assert_int_equal(links.keys[link->key].table, place[parent[t]]);
        assert_int_equal(links.keys[link->key].column, 0);
        assert_int_equal(link->kind, KAN_LINK_CLEAR);
    }
    kan_links_destroy(&links);
    destroy_world(w);
    free(made);
    free(w);
}

static void the_tables_that_were_tied_are_found(void **state) {
    (void)state;
    random_rounds(1000, one_tied_world);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void names_are_compared_in_words(void **state) {
    static const struct {
        const char *column, *key, *parent;
        kan_link_names names;
    } cases[] = {
        {"patient", "patient", "a", KAN_NAMES_ALIKE},
        {"patient_id", "id", "patients", KAN_NAMES_ALIKE},
        {"PatientID", "id", "patient", KAN_NAMES_ALIKE},
        {"patientid", "nr", "Patients", KAN_NAMES_ALIKE},
        {"Patientennr", "PatientNr", "t", KAN_NAMES_ALIKE},
        {"fk_stay", "stay", "t", KAN_NAMES_ALIKE},
        {"person_id", "id", "people", KAN_NAMES_ALIKE},
        {"entry", "id", "entries", KAN_NAMES_ALIKE},
        {"id", "id", "patients", KAN_NAMES_DIFFER},
        {"nr", "id", "nr", KAN_NAMES_DIFFER},
        {"last_stay", "stay", "stays", KAN_NAMES_PART},
        {"patient_age", "id", "patients", KAN_NAMES_PART},
        {"ward", "patient", "patients", KAN_NAMES_DIFFER},
        {"pat", "patient", "patients", KAN_NAMES_DIFFER},
        {"a", "b", "c", KAN_NAMES_DIFFER},
        {"", "", "", KAN_NAMES_DIFFER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (kan_link_compare_names(cases[i].column, cases[i].key, cases[i].parent) !=
            cases[i].names)
            fail_msg("%s, %s of %s", cases[i].column, cases[i].key, cases[i].parent);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_a_naive_matcher),
        cmocka_unit_test(several_columns_name_rows_where_no_two_agree),
        cmocka_unit_test(the_tables_that_were_tied_are_found),
        cmocka_unit_test(names_are_compared_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
