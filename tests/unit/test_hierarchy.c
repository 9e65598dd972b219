/* Hierarchies from lines: numbering, labels, shares, and every problem that lines can have. */
#include "core/hash.h"
#include "hierarchy_column.h"

typedef struct {
    kan_run *run;
    kan_hierarchy_lines *lines;
    kan_column column;
    kan_hierarchy *hierarchy;
} fixture;

/* Lines as text, separated by line breaks, fields by semicolons. */
static kan_status add_text(kan_hierarchy_lines *lines, const char *text) {
    for (uint64_t number = 1; *text; number++) {
        size_t size = strcspn(text, "\n"), n = 0;
        kan_slice fields[128];
        const char *at = text, *end = text + size;
        for (;;) {
            const char *stop = memchr(at, ';', (size_t)(end - at));
            stop = stop ? stop : end;
            fields[n++] = (kan_slice){at, (size_t)(stop - at)};
            if (stop == end)
                break;
            at = stop + 1;
        }
        KAN_TRY(kan_hierarchy_lines_add(lines, number, fields, n));
        text = end + (*end == '\n');
    }
    return KAN_OK;
}

/* Binds and gives the status; the problems end in the error text. */
static kan_status bind_text(fixture *f, const char *text, kan_type type,
                            const char *const *values) {
    f->run = kan_run_create();
    f->hierarchy = NULL;
    f->column = column_of(type, values);
    assert_non_null(f->run);
    assert_int_equal(kan_hierarchy_lines_create(f->run, "place.csv", &f->lines), KAN_OK);
    assert_int_equal(add_text(f->lines, text), KAN_OK);
    kan_problems_begin(f->run);
    kan_status status = kan_hierarchy_bind(f->lines, &f->column, &f->hierarchy);
    assert_int_equal(kan_problems_end(f->run), status);
    if (status == KAN_OK)
        assert_is_hierarchy(f->hierarchy, &f->column);
    else
        assert_null(f->hierarchy);
    return status;
}

static void finish(fixture *f) {
    kan_hierarchy_destroy(f->hierarchy);
    kan_hierarchy_lines_destroy(f->lines);
    column_destroy(&f->column);
    kan_run_destroy(f->run);
}

static void groups_follow_the_first_lines_of_the_tree(void **state) {
    (void)state;
    fixture f;
    /* Groups are not adjacent: Asia comes first, and within it China. */
    assert_int_equal(bind_text(&f,
                               "China;Asia;*\nItaly;Europe;*\nIndia;Asia;*\nPeru;America;*\n"
                               "France;Europe;*",
                               KAN_TYPE_TEXT, VALUES("China", "France", "India", "Italy", "Peru")),
                     KAN_OK);
    const kan_hierarchy *h = f.hierarchy;
    const char *leaves[] = {"China", "India", "Italy", "France", "Peru"};
    const char *parts[] = {"Asia", "Europe", "America"};
    assert_int_equal(h->height, 2);
    assert_int_equal(h->n_leaves, 5);
    assert_string_equal(h->attribute, "place");
    assert_string_equal(h->origin, "place.csv");
    for (uint32_t i = 0; i < 5; i++)
        assert_true(kan_slice_is(h->levels[0].label[i], leaves[i]));
    assert_int_equal(h->levels[1].n_groups, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(kan_slice_is(h->levels[1].label[i], parts[i]));
    assert_int_equal(h->leaf_of[1], 3); /* France */
    assert_int_equal(h->code_of[1], 2); /* India */
    finish(&f);
}

static void values_that_only_the_file_has_count_as_leaves_alone(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(
        bind_text(&f, "a;A;*\nb;A;*\nc;B;*\nd;C;*\ne;C;*", KAN_TYPE_TEXT, VALUES("b", "d")),
        KAN_OK);
    const kan_hierarchy *h = f.hierarchy;
    assert_int_equal(h->n_leaves, 5);
    assert_int_equal(h->levels[1].n_groups, 2);
    assert_true(kan_slice_is(h->levels[1].label[1], "C"));
    assert_true(h->levels[0].share[0] == 0);
    assert_true(h->levels[1].share[0] == 0.25);
    assert_true(h->levels[2].share[0] == 1);
    finish(&f);
}

static void shares_of_numbers_go_by_length(void **state) {
    (void)state;
    fixture f;
    /* 0 and 100 stand in the file alone and still set the domain. */
    assert_int_equal(bind_text(&f, "100;high;*\n0;low;*\n20;low;*\n30;low;*\n60;high;*",
                               KAN_TYPE_NUMBER, VALUES("20", "30", "60")),
                     KAN_OK);
    const kan_hierarchy *h = f.hierarchy;
    /* the order of the file rules, not that of the numbers */
    assert_string_equal(label_at(h, 2, 0), "60");
    assert_int_equal(h->leaf_of[2], 0);
    assert_true(h->levels[1].share[0] == 0.4);
    assert_true(h->levels[1].share[1] == 0.3);
    assert_true(h->levels[2].share[0] == 1);
    finish(&f);
}

static void shares_of_dates_go_by_days(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(bind_text(&f, "2003-01-01;x;*\n2003-01-03;x;*\n2003-01-11;y;*", KAN_TYPE_DATE,
                               VALUES("2003-01-01", "2003-01-03", "2003-01-11")),
                     KAN_OK);
    assert_true(f.hierarchy->levels[1].share[0] == 0.2);
    assert_true(f.hierarchy->levels[1].share[1] == 0);
    finish(&f);
}

static void unknown_values_never_make_a_group_cheaper_than_its_part(void **state) {
    (void)state;
    fixture f;
    /* {0, 50} covers half of the length; with "?" it covers 2 of 8 steps by count: half it stays */
    assert_int_equal(bind_text(&f,
                               "0;0-50;a;*\n50;0-50;a;*\n?;?;a;*\n70;70;b;*\n80;80;b;*\n"
                               "90;90;b;*\n95;95;b;*\n99;99;b;*\n100;100;b;*",
                               KAN_TYPE_NUMBER,
                               VALUES("?", "0", "50", "70", "80", "90", "95", "99", "100")),
                     KAN_OK);
    const kan_hierarchy *h = f.hierarchy;
    assert_true(h->levels[1].share[0] == 0.5);
    assert_true(h->levels[1].share[1] == 0);
    assert_true(h->levels[2].share[0] == 0.5);
    assert_true(h->levels[3].share[0] == 1);
    finish(&f);
    /* two unknown ones and one number: by count */
    assert_int_equal(bind_text(&f, ";u;*\n?;u;*\n1;k;*\n3;k;*\n5;k;*", KAN_TYPE_NUMBER,
                               VALUES("", "?", "1", "3", "5")),
                     KAN_OK);
    assert_true(f.hierarchy->levels[1].share[0] == 0.25);
    assert_true(f.hierarchy->levels[1].share[1] == 1);
    finish(&f);
}

static void shares_stay_finite_at_the_ends_of_the_numbers(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(bind_text(&f, "-1.7e308;a;*\n0;a;*\n1.7e308;b;*", KAN_TYPE_NUMBER,
                               VALUES("-1.7e308", "0", "1.7e308")),
                     KAN_OK);
    assert_true(f.hierarchy->levels[1].share[0] == 0.5);
    assert_true(f.hierarchy->levels[2].share[0] == 1);
    finish(&f);
    /* one number, written twice: the domain is a single value */
    assert_int_equal(bind_text(&f, "7;*\n07;*", KAN_TYPE_NUMBER, VALUES("07", "7")), KAN_OK);
    assert_true(f.hierarchy->levels[1].share[0] == 0);
    finish(&f);
    assert_int_equal(bind_text(&f, "only;*", KAN_TYPE_TEXT, VALUES("only")), KAN_OK);
    assert_true(f.hierarchy->levels[1].share[0] == 0);
    finish(&f);
}

static void a_label_may_stand_on_several_levels(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(bind_text(&f, "White;White;White\nBlack;White;White", KAN_TYPE_TEXT,
                               VALUES("Black", "White")),
                     KAN_OK);
    assert_int_equal(f.hierarchy->height, 2);
    assert_int_equal(f.hierarchy->levels[1].n_groups, 1);
    finish(&f);
}

static void maps_compose(void **state) {
    (void)state;
    fixture f;
    assert_int_equal(bind_text(&f, "a;A;X;*\nb;B;X;*\nc;C;Y;*\nd;C;Y;*", KAN_TYPE_TEXT,
                               VALUES("a", "b", "c", "d")),
                     KAN_OK);
    uint32_t map[4];
    kan_hierarchy_map(f.hierarchy, 1, 1, map);
    assert_memory_equal(map, ((uint32_t[]){0, 1, 2}), 12);
    kan_hierarchy_map(f.hierarchy, 1, 2, map);
    assert_memory_equal(map, ((uint32_t[]){0, 0, 1}), 12);
    kan_hierarchy_map(f.hierarchy, 1, 3, map);
    assert_memory_equal(map, ((uint32_t[]){0, 0, 0}), 12);
    kan_hierarchy_map(f.hierarchy, 0, 2, map);
    assert_memory_equal(map, ((uint32_t[]){0, 0, 1, 1}), 16);
    kan_hierarchy_map(f.hierarchy, 0, 0, map);
    assert_memory_equal(map, ((uint32_t[]){0, 1, 2, 3}), 16);
    finish(&f);
}

/* ---- problems ------------------------------------------------------------------------------- */

static void expect_problem(const char *lines, const char *const *values, size_t n_problems,
                           const char *text) {
    fixture f;
    assert_int_equal(bind_text(&f, lines, KAN_TYPE_TEXT, values), KAN_BAD_INPUT);
    assert_error_has(f.run, text);
    size_t n = 1;
    for (const char *at = kan_run_error(f.run); (at = strchr(at, '\n')) != NULL; at++)
        n++;
    if (n != n_problems)
        fail_msg("expected %zu problems: %s", n_problems, kan_run_error(f.run));
    finish(&f);
}

static void a_ragged_line_is_named(void **state) {
    (void)state;
    expect_problem("a;A;*\nb;*\nc;A;*", VALUES("a", "b", "c"), 1,
                   "place.csv:2: 2 fields, line 1 has 3; give every line one label");
    expect_problem("a;A;*\nb;A;*;*", VALUES("a", "b"), 1, "place.csv:2: 4 fields, line 1 has 3");
    expect_problem("a\nb;A;*", VALUES("a", "b"), 1, "place.csv:1: 1 field, line 2 has 3");
}

static void a_value_with_two_lines_that_differ_is_named(void **state) {
    (void)state;
    expect_problem("a;A;*\nb;A;*\na;B;*", VALUES("a", "b"), 1,
                   "place.csv:3: the value 'a' has other labels here than on line 1; remove one of "
                   "the two lines");
    expect_problem("a;A;*\nb;A;*\na;*", VALUES("a", "b"), 1,
                   "place.csv:3: the value 'a' has other");
    /* the first of them was wrong by itself: the second does not make it right */
    expect_problem("b;A;*\na;*\na;A;*", VALUES("a", "b"), 2, "place.csv:2: 2 fields");
}

static void a_line_that_stands_twice_says_nothing_new(void **state) {
    (void)state;
    fixture once, twice;
    assert_int_equal(
        bind_text(&once, "a;A;*\nb;B;*\nc;B;*\nd;B;*", KAN_TYPE_TEXT, VALUES("a", "b", "c")),
        KAN_OK);
    assert_int_equal(bind_text(&twice, "a;A;*\nb;B;*\na;A;*\nc;B;*\nd;B;*\nd;B;*\nb;B;*",
                               KAN_TYPE_TEXT, VALUES("a", "b", "c")),
                     KAN_OK);
    assert_int_equal(once.hierarchy->height, twice.hierarchy->height);
    for (unsigned level = 0; level <= once.hierarchy->height; level++) {
        const kan_level *one = &once.hierarchy->levels[level],
                        *two = &twice.hierarchy->levels[level];
        assert_int_equal(one->n_groups, two->n_groups);
        for (uint32_t group = 0; group < one->n_groups; group++) {
            assert_true(kan_slice_equal(one->label[group], two->label[group]));
            assert_true(one->share[group] == two->share[group]);
        }
    }
    finish(&once);
    finish(&twice);
}

static void a_value_without_a_line_is_named(void **state) {
    (void)state;
    expect_problem("a;A;*", VALUES("a", "b"), 1,
                   "place.csv: no line for the value 'b' of column place; add a line for it");
    /* by bytes: a blank makes another value */
    expect_problem("a;*\nb ;*", VALUES("a", "b"), 1, "no line for the value 'b' of column");
    expect_problem("a;*", VALUES("", "a"), 1, "no line for the value '' of");
}

static void a_label_with_two_parents_is_named_with_both_lines(void **state) {
    (void)state;
    expect_problem("a;A;X;*\nb;B;X;*\nc;A;Y;*\nd;A;Y;*", VALUES("a", "b", "c", "d"), 1,
                   "place.csv:3: 'A' (level 1) lies in 'Y' here and in 'X' on line 1; a level must "
                   "be a function of the level below");
}

static void a_top_of_several_values_is_named(void **state) {
    (void)state;
    expect_problem(
        "a;A\nb;B\nc;A", VALUES("a", "b", "c"), 1,
        "place.csv:2: the top level is 'B' here and 'A' on line 1 (2 different values in "
        "all); end every line with the same value, such as *");
}

static void an_empty_file_is_one_problem(void **state) {
    (void)state;
    expect_problem("", VALUES("a", "b"), 1, "place.csv: it has no lines; write one line");
}

static void a_file_of_one_column_is_one_problem(void **state) {
    (void)state;
    expect_problem("a\nb\nc", VALUES("a", "b"), 1, "place.csv:1: only one column");
}

static void a_line_of_too_many_levels_is_named(void **state) {
    (void)state;
    char line[256] = "a";
    for (int i = 0; i < 65; i++)
        strcat(line, ";*");
    expect_problem(line, VALUES("a"), 1, "place.csv:1: 66 fields, a hierarchy has at most 64");
    line[strlen(line) - 2] = '\0';
    fixture f;
    assert_int_equal(bind_text(&f, line, KAN_TYPE_TEXT, VALUES("a")), KAN_OK);
    assert_int_equal(f.hierarchy->height, 64);
    finish(&f);
}

static void all_problems_are_told_together(void **state) {
    (void)state;
    expect_problem("a;A;X;*\nb;A;Y;*\na;B;X;*\nc;*\nd;B;X;all", VALUES("a", "b", "c", "d", "e"), 5,
                   "no line for the value 'e'");
}

/* ---- random trees --------------------------------------------------------------------------- */

enum { TREE_LEAVES = 40, TREE_LEVELS = 6, LABEL_SIZE = 16 };

typedef struct {
    size_t n_leaves, n_levels; /* levels above the leaves */
    char label[TREE_LEAVES][TREE_LEVELS + 1][LABEL_SIZE];
    bool is_in_data[TREE_LEAVES];
} tree;

/* Level 0 are distinct numbers; each level above joins labels of the one below at random. */
static void tree_make(tree *t, uint64_t *seed) {
    t->n_leaves = 1 + kan_random_below(seed, TREE_LEAVES);
    t->n_levels = 1 + kan_random_below(seed, TREE_LEVELS);
    uint64_t group[TREE_LEAVES];
    for (size_t i = 0; i < t->n_leaves; i++) {
        group[i] = i;
        snprintf(t->label[i][0], LABEL_SIZE, "%d", (int)(i * i) - 100);
        t->is_in_data[i] = kan_random_below(seed, 4) > 0;
    }
    t->is_in_data[kan_random_below(seed, t->n_leaves)] = true;
    for (size_t level = 1; level <= t->n_levels; level++) {
        uint64_t join[TREE_LEAVES], n_above = 1 + kan_random_below(seed, t->n_leaves);
        for (size_t i = 0; i < t->n_leaves; i++)
            join[i] = level == t->n_levels ? 0 : kan_random_below(seed, n_above);
        for (size_t i = 0; i < t->n_leaves; i++) {
            group[i] = join[group[i]];
            snprintf(t->label[i][level], LABEL_SIZE, "g%d", (int)group[i]);
        }
    }
    for (size_t i = t->n_leaves; i > 1; i--) {
        size_t other = kan_random_below(seed, i);
        char copy[sizeof t->label[0]];
        memcpy(copy, t->label[i - 1], sizeof copy);
        memcpy(t->label[i - 1], t->label[other], sizeof copy);
        memcpy(t->label[other], copy, sizeof copy);
    }
}

static int by_number(const void *a, const void *b) {
    return atoi(*(const char *const *)a) - atoi(*(const char *const *)b);
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static kan_status tree_bind(const tree *t, kan_type type, fixture *f) {
    const char *values[TREE_LEAVES + 1];
    size_t n = 0;
    for (size_t i = 0; i < t->n_leaves; i++)
        if (t->is_in_data[i])
            values[n++] = t->label[i][0];
    values[n] = NULL;
    qsort(values, n, sizeof *values, type == KAN_TYPE_NUMBER ? by_number : by_bytes);
    char text[TREE_LEAVES * (TREE_LEVELS + 1) * LABEL_SIZE] = "";
    size_t at = 0;
    for (size_t i = 0; i < t->n_leaves; i++)
        for (size_t level = 0; level <= t->n_levels; level++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%c", t->label[i][level],
                                   level == t->n_levels ? '\n' : ';');
    return bind_text(f, text, type, values);
}

/* The line of a leaf of the bound hierarchy. */
static size_t line_of(const tree *t, kan_slice value) {
    for (size_t i = 0; i < t->n_leaves; i++)
        if (kan_slice_is(value, t->label[i][0]))
            return i;
    fail();
    return 0;
}

/* First line that shows the label of a line at a level. */
static size_t first_line(const tree *t, size_t line, size_t level) {
    for (size_t i = 0; i < line; i++)
        if (strcmp(t->label[i][level], t->label[line][level]) == 0)
            return i;
    return line;
}

/* The preorder by its meaning: from the top down, the first level at which two leaves lie in
 * different groups decides, by the groups' first lines. */
static bool comes_before(const tree *t, size_t a, size_t b) {
    for (size_t level = t->n_levels + 1; level-- > 0;) {
        size_t first_a = first_line(t, a, level), first_b = first_line(t, b, level);
        if (first_a != first_b)
            return first_a < first_b;
    }
    return false;
}

static double naive_share(const tree *t, kan_type type, size_t line, size_t level) {
    int lo = 0, hi = 0, least = 0, most = 0;
    size_t n = 0;
    for (size_t i = 0; i < t->n_leaves; i++) {
        int number = atoi(t->label[i][0]);
        least = i == 0 || number < least ? number : least;
        most = i == 0 || number > most ? number : most;
        if (strcmp(t->label[i][level], t->label[line][level]) != 0)
            continue;
        lo = n == 0 || number < lo ? number : lo;
        hi = n == 0 || number > hi ? number : hi;
        n++;
    }
    if (t->n_leaves == 1)
        return 0;
    return type == KAN_TYPE_NUMBER ? (double)(hi - lo) / (double)(most - least)
                                   : (double)(n - 1) / (double)(t->n_leaves - 1);
}

static void random_trees_are_bound_as_their_lines_say(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < 600; round++) {
        tree t;
        fixture f;
        tree_make(&t, &seed);
        kan_type type = round % 2 ? KAN_TYPE_NUMBER : KAN_TYPE_TEXT;
        assert_int_equal(tree_bind(&t, type, &f), KAN_OK);
        const kan_hierarchy *h = f.hierarchy;
        assert_int_equal(h->height, t.n_levels);
        assert_int_equal(h->n_leaves, t.n_leaves);
        for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
            size_t line = line_of(&t, h->levels[0].label[leaf]);
            if (leaf > 0)
                assert_true(comes_before(&t, line_of(&t, h->levels[0].label[leaf - 1]), line));
            for (unsigned level = 0; level <= h->height; level++) {
                uint32_t group = h->levels[level].from_leaf[leaf];
                assert_true(kan_slice_is(h->levels[level].label[group], t.label[line][level]));
                assert_true(h->levels[level].share[group] == naive_share(&t, type, line, level));
            }
        }
        uint32_t map[TREE_LEAVES];
        for (unsigned from = 0; from <= h->height; from++)
            for (unsigned to = from; to <= h->height; to++) {
                kan_hierarchy_map(h, from, to, map);
                for (uint32_t leaf = 0; leaf < h->n_codes; leaf++)
                    assert_int_equal(map[h->levels[from].from_leaf[leaf]],
                                     h->levels[to].from_leaf[leaf]);
            }
        finish(&f);
    }
}

/* Whether some label below the top has two parents, by comparing all pairs of lines. */
static bool has_two_parents(const tree *t) {
    for (size_t a = 0; a < t->n_leaves; a++)
        for (size_t b = 0; b < a; b++)
            for (size_t level = 1; level < t->n_levels; level++)
                if (strcmp(t->label[a][level], t->label[b][level]) == 0 &&
                    strcmp(t->label[a][level + 1], t->label[b][level + 1]) != 0)
                    return true;
    return false;
}

static void a_changed_label_is_found_exactly_when_it_breaks_the_tree(void **state) {
    (void)state;
    uint64_t seed = 11;
    int n_broken = 0;
    for (int round = 0; round < 600; round++) {
        tree t;
        fixture f;
        tree_make(&t, &seed);
        if (t.n_levels < 2)
            continue;
        size_t line = kan_random_below(&seed, t.n_leaves);
        size_t level = 1 + kan_random_below(&seed, t.n_levels - 1);
        snprintf(t.label[line][level], LABEL_SIZE, "g%d", (int)kan_random_below(&seed, 5));
        bool is_broken = has_two_parents(&t);
        n_broken += is_broken;
        assert_int_equal(tree_bind(&t, KAN_TYPE_TEXT, &f), is_broken ? KAN_BAD_INPUT : KAN_OK);
        if (is_broken)
            assert_error_has(f.run, "a level must be a function of the level below");
        finish(&f);
    }
    assert_true(n_broken > 100 && n_broken < 500);
}

/* ---- size and memory ------------------------------------------------------------------------ */

static void a_hundred_thousand_values_are_bound(void **state) {
    (void)state;
    enum { N = 100000, LEVELS = 6 };
    kan_run *run = kan_run_create();
    kan_hierarchy_lines *lines;
    kan_hierarchy *h = NULL;
    char(*values)[8] = malloc(N * sizeof *values);
    kan_slice *slices = malloc(N * sizeof *slices);
    assert_non_null(values);
    assert_non_null(slices);
    assert_int_equal(kan_hierarchy_lines_create(run, "large.csv", &lines), KAN_OK);
    for (uint32_t i = 0; i < N; i++) {
        snprintf(values[i], sizeof values[i], "%06u", (unsigned)i);
        slices[i] = (kan_slice){values[i], 6};
    }
    kan_column column = column_of_slices(KAN_TYPE_TEXT, slices, N);
    for (uint32_t i = 0; i < N; i++) {
        /* lines in an order that scatters every group */
        const char *value = values[i * UINT64_C(7919) % N];
        kan_slice fields[LEVELS + 1];
        for (unsigned level = 0; level < LEVELS; level++)
            fields[level] = (kan_slice){value, 6 - level};
        fields[LEVELS] = kan_slice_of("*");
        assert_int_equal(kan_hierarchy_lines_add(lines, i + 1, fields, LEVELS + 1), KAN_OK);
    }
    kan_problems_begin(run);
    assert_int_equal(kan_hierarchy_bind(lines, &column, &h), KAN_OK);
    assert_is_hierarchy(h, &column);
    assert_int_equal(h->levels[3].n_groups, 100);
    kan_hierarchy_destroy(h);
    kan_hierarchy_lines_destroy(lines);
    column_destroy(&column);
    free(values);
    free(slices);
    kan_run_destroy(run);
}

static void running_out_of_memory_is_a_clean_failure(void **state) {
    (void)state;
    const char *text = "a;A;X;*\nb;A;X;*\nc;B;X;*\nd;C;Y;*";
    kan_column column = column_of(KAN_TYPE_TEXT, VALUES("a", "b", "c", "d"));
    bool has_failed = false, has_succeeded = false;
    for (uint64_t budget = 1; !has_succeeded; budget += 97) {
        kan_run *run = kan_run_create();
        kan_hierarchy_lines *lines = NULL;
        kan_hierarchy *h = NULL;
        kan_run_set_memory(run, budget);
        kan_problems_begin(run);
        kan_status status = kan_hierarchy_lines_create(run, "place.csv", &lines);
        if (status == KAN_OK)
            status = add_text(lines, text);
        if (status == KAN_OK)
            status = kan_hierarchy_bind(lines, &column, &h);
        has_succeeded = status == KAN_OK;
        has_failed |= !has_succeeded;
        if (!has_succeeded) {
            assert_int_equal(status, KAN_FAILED);
            assert_null(h);
            assert_error_has(run, "out of memory");
        }
        kan_hierarchy_destroy(h);
        kan_hierarchy_lines_destroy(lines);
        assert_int_equal(kan_run_memory_left(run), budget);
        kan_run_destroy(run);
    }
    assert_true(has_failed);
    column_destroy(&column);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_follow_the_first_lines_of_the_tree),
        cmocka_unit_test(values_that_only_the_file_has_count_as_leaves_alone),
        cmocka_unit_test(shares_of_numbers_go_by_length),
        cmocka_unit_test(shares_of_dates_go_by_days),
        cmocka_unit_test(unknown_values_never_make_a_group_cheaper_than_its_part),
        cmocka_unit_test(shares_stay_finite_at_the_ends_of_the_numbers),
        cmocka_unit_test(a_label_may_stand_on_several_levels),
        cmocka_unit_test(maps_compose),
        cmocka_unit_test(a_ragged_line_is_named),
        cmocka_unit_test(a_value_with_two_lines_that_differ_is_named),
        cmocka_unit_test(a_line_that_stands_twice_says_nothing_new),
        cmocka_unit_test(a_value_without_a_line_is_named),
        cmocka_unit_test(a_label_with_two_parents_is_named_with_both_lines),
        cmocka_unit_test(a_top_of_several_values_is_named),
        cmocka_unit_test(an_empty_file_is_one_problem),
        cmocka_unit_test(a_file_of_one_column_is_one_problem),
        cmocka_unit_test(a_line_of_too_many_levels_is_named),
        cmocka_unit_test(all_problems_are_told_together),
        cmocka_unit_test(random_trees_are_bound_as_their_lines_say),
        cmocka_unit_test(a_changed_label_is_found_exactly_when_it_breaks_the_tree),
        cmocka_unit_test(a_hundred_thousand_values_are_bound),
        cmocka_unit_test(running_out_of_memory_is_a_clean_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
