/* Tables for searches over regions: see region_problem.h. */
#include "support/region_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *take(size_t n, size_t size) {
    void *memory = calloc(n + 1, size);
    assert_non_null(memory);
    return memory;
}

/* ---- the values that a column may have ------------------------------------------------------ */

typedef struct {
    char text[40];
    bool is_unknown;
    long number;
    uint32_t node[REGION_LEVELS];
} value;

typedef struct {
    uint32_t n;
    value *values;
    unsigned height;
    char spec[32], bins[32]; /* of the hierarchy and of bins; "" for none */
} value_list;

enum { DAYS = 3 * 365 };

/* Days since the first of 2021 as a date, before the next leap year. */
static void write_date(long day, char *text, size_t size) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int month = 0, year = 2021, of_month = (int)(day % 365);
    year += (int)(day / 365);
    while (of_month >= lengths[month])
        of_month -= lengths[month++];
    snprintf(text, size, "%04d-%02d-%02d", year, month + 1, of_month + 1);
}

static void add_value(value_list *list, const char *text, bool is_unknown, long number) {
    value *v = &list->values[list->n++];
    snprintf(v->text, sizeof v->text, "%s", text);
    v->is_unknown = is_unknown;
    v->number = number;
}

static void list_ordered(const region_spec_column *column, uint64_t *random, value_list *list) {
    char text[40];
    const bool is_date = column->kind == REGION_DATES;
    long at = is_date ? 0 : (long)kan_random_below(random, 60) - 30;
    for (unsigned i = 0; i < column->n_unknown; i++)
        add_value(list, i == 0 && column->n_unknown == 2 ? "" : "?", true, 0);
    for (uint32_t i = 0; i < column->n_values && (!is_date || i < DAYS); i++) {
        if (is_date)
            write_date(at, text, sizeof text);
        else
            snprintf(text, sizeof text, "%ld", at);
        add_value(list, text, false, at);
        if (column->has_twins && once_in(random, 4)) {
            snprintf(text, sizeof text, "%ld.0", at);
            add_value(list, text, false, at);
        }
        at += is_date ? 1 : 1 + (long)kan_random_below(random, once_in(random, 5) ? 9 : 2);
    }
}

static long floor_of(long number, long width) {
    return number >= 0 ? number / width : -((-number + width - 1) / width);
}

static void name_intervals(const region_spec_column *column, value_list *list) {
    static const long widths[] = {4, 8, 24};
    if (!column->has_tree || column->kind != REGION_NUMBERS || column->bins > 0)
        return;
    list->height = 4;
    strcpy(list->spec, "intervals:4,8,24@0");
    for (uint32_t i = 0; i < list->n; i++)
        for (unsigned level = 1; level < list->height; level++)
            list->values[i].node[level] =
                list->values[i].is_unknown
                    ? UINT32_MAX - i
                    : (uint32_t)(floor_of(list->values[i].number, widths[level - 1]) + 100000);
}

/* Texts in the order of their bytes, or, below a tree, in no order of their own. */
static void list_texts(const region_spec_column *column, uint64_t *random, value_list *list) {
    const uint32_t n = column->n_values;
    char text[40];
    uint32_t *name = take(n, sizeof *name);
    for (uint32_t i = 0; i < n; i++)
        name[i] = i;
    for (uint32_t i = n; column->kind == REGION_TREE && i-- > 1;) {
        const uint32_t j = (uint32_t)kan_random_below(random, i + 1), swap = name[i];
        name[i] = name[j];
        name[j] = swap;
    }
    for (uint32_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, "w%06" PRIu32, name[i]);
        add_value(list, text, false, 0);
    }
    free(name);
}

/* Neighbours share a node of the next level, or not; sometimes a level merges nothing. */
static void grow_tree(const region_spec_column *column, uint64_t *random, value_list *list) {
    list->height = column->height;
    list->spec[0] = '\0';
    for (uint32_t i = 0; i < list->n; i++)
        list->values[i].node[0] = i;
    for (unsigned level = 1; level < column->height; level++) {
        const uint64_t share = between(random, 1, 4);
        uint32_t node = 0;
        for (uint32_t i = 0; i < list->n; i++) {
            const bool is_new =
                i > 0 && list->values[i].node[level - 1] != list->values[i - 1].node[level - 1];
            node += is_new && (share == 1 || once_in(random, share));
            list->values[i].node[level] = node;
        }
    }
}

static void list_values(const region_spec_column *column, uint64_t *random, value_list *list) {
    const size_t room = (size_t)column->n_values * 2 + 2;
    *list = (value_list){.height = 1, .spec = "suppress", .values = take(room, sizeof(value))};
    if (column->kind == REGION_NUMBERS || column->kind == REGION_DATES)
        list_ordered(column, random, list);
    else
        list_texts(column, random, list);
    if (column->kind == REGION_TREE)
        grow_tree(column, random, list);
    name_intervals(column, list);
    for (uint32_t i = 0; i < list->n; i++) {
        list->values[i].node[0] = i;
        list->values[i].node[list->height] = 0;
    }
    if (column->bins > 0)
        snprintf(list->bins, sizeof list->bins, column->has_bins_origin ? "%u@3" : "%u",
                 column->bins);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* By row, the value; at least one known value is drawn. */
static uint32_t *draw_values(const region_spec *spec, unsigned a, uint32_t n, uint64_t *random) {
    const region_spec_column *column = &spec->columns[a];
    uint32_t *drawn = take(spec->n_rows, sizeof *drawn);
    for (size_t row = 0; row < spec->n_rows; row++) {
        drawn[row] = (uint32_t)kan_random_below(random, n);
        if (column->is_skewed)
            drawn[row] = (uint32_t)kan_random_below(random, (uint64_t)drawn[row] + 1);
    }
    drawn[0] = column->n_unknown + (uint32_t)kan_random_below(random, n - column->n_unknown);
    return drawn;
}

static void copy_rows(const region_spec *spec, uint32_t **drawn, uint64_t *random) {
    for (size_t row = 2; spec->copies > 0 && row < spec->n_rows; row++) {
        if (!once_in(random, spec->copies))
            continue;
        /* of some few rows, so that some tuples have many copies; tails may differ */
        const size_t from =
            (size_t)kan_random_below(random, once_in(random, 2) ? row : 1 + row / 8);
        const unsigned n = spec->n_attributes + (once_in(random, 2) ? spec->n_tails : 0);
        for (unsigned column = 0; column < n; column++)
            drawn[column][row] = drawn[column][from];
    }
}

static uint32_t *draw_classes(const region_spec *spec, const uint32_t *usual, uint64_t *random) {
    uint32_t *drawn = take(spec->n_rows, sizeof *drawn);
    for (size_t row = 0; row < spec->n_rows; row++)
        drawn[row] = once_in(random, 3) ? (uint32_t)kan_random_below(random, spec->n_classes)
                                        : usual[row] % spec->n_classes;
    return drawn;
}

/* ---- what the rows have of it --------------------------------------------------------------- */

static void find_leaves(const value_list *list, const uint32_t *drawn, size_t n_rows,
                        region_axis *axis, uint32_t *value_of) {
    uint32_t *leaf_of = take(list->n, sizeof *leaf_of);
    for (size_t row = 0; row < n_rows; row++)
        leaf_of[drawn[row]] = 1;
    for (uint32_t i = 0; i < list->n; i++)
        if (leaf_of[i]) {
            value_of[axis->n_leaves] = i;
            leaf_of[i] = axis->n_leaves++;
        }
    axis->leaf = take(n_rows, sizeof *axis->leaf);
    for (size_t row = 0; row < n_rows; row++)
        axis->leaf[row] = leaf_of[drawn[row]];
    free(leaf_of);
}

/* Of leaves, or of bins of them: unknown values are one bin. `number` is the least of the place. */
static void find_places(const value_list *list, const region_spec_column *column, region_axis *axis,
                        const uint32_t *value_of, size_t n_rows, double *number, double *greatest) {
    const long width = column->bins ? (long)column->bins : 1;
    const long origin = column->has_bins_origin ? 3 : 0;
    axis->place_of = take(axis->n_leaves, sizeof *axis->place_of);
    axis->first_leaf = take((size_t)axis->n_leaves + 1, sizeof *axis->first_leaf);
    for (uint32_t leaf = 0; leaf < axis->n_leaves; leaf++) {
        const value *v = &list->values[value_of[leaf]];
        const double low = (double)(floor_of(v->number - origin, width) * width + origin);
        const bool is_same = leaf > 0 && column->bins > 0 &&
                             v->is_unknown == list->values[value_of[leaf - 1]].is_unknown &&
                             (v->is_unknown || number[axis->n_places - 1] == low);
        if (!is_same) {
            axis->first_leaf[axis->n_places] = leaf;
            axis->n_unknown += v->is_unknown;
            number[axis->n_places++] = column->bins ? low : (double)v->number;
        }
        axis->place_of[leaf] = axis->n_places - 1;
        *greatest = column->bins ? low + (double)width - 1 : (double)v->number;
    }
    axis->first_leaf[axis->n_places] = axis->n_leaves;
    axis->place = take(n_rows, sizeof *axis->place);
    for (size_t row = 0; row < n_rows; row++)
        axis->place[row] = axis->place_of[axis->leaf[row]];
}

static void find_positions(region_axis *axis, const double *number, double greatest) {
    const uint32_t n = axis->n_places;
    const double step = n > 1 ? 1.0 / (n - 1) : 1;
    const bool is_by_value = axis->kind == REGION_NUMBERS || axis->kind == REGION_DATES;
    axis->position = take(n, sizeof *axis->position);
    for (uint32_t p = 0; p < n; p++) {
        const double length = greatest - number[axis->n_unknown];
        if (!is_by_value)
            axis->position[p] = p * step;
        else if (p < axis->n_unknown)
            axis->position[p] = -step * (axis->n_unknown - p);
        else
            axis->position[p] = length > 0 ? (number[p] - number[axis->n_unknown]) / length : 0;
    }
}

static void find_nodes(const value_list *list, region_axis *axis, const uint32_t *value_of) {
    for (unsigned level = 0; level <= list->height; level++) {
        axis->node[level] = take(axis->n_leaves, sizeof *axis->node[level]);
        axis->share[level] = take(axis->n_leaves, sizeof *axis->share[level]);
        for (uint32_t leaf = 0; leaf < axis->n_leaves; leaf++) {
            const uint32_t node = list->values[value_of[leaf]].node[level];
            uint32_t below = 0;
            axis->node[level][leaf] = node;
            for (uint32_t i = 0; axis->kind == REGION_TREE && i < list->n; i++)
                below += list->values[i].node[level] == node;
            if (axis->kind == REGION_TREE && list->n > 1)
                axis->share[level][leaf] = (double)(below - 1) / (double)(list->n - 1);
        }
    }
}

static void make_axis(const region_spec *spec, unsigned a, const value_list *list,
                      const uint32_t *drawn, region_axis *axis) {
    const region_spec_column *column = &spec->columns[a];
    uint32_t *value_of = take(list->n, sizeof *value_of);
    double *number = take(list->n, sizeof *number), greatest = 0;
    *axis = (region_axis){.kind = column->kind,
                          .has_tree = column->has_tree || column->kind == REGION_TREE,
                          .has_bins = column->bins > 0,
                          .weight = spec->is_weighted ? column->weight : 1,
                          .height = list->height};
    find_leaves(list, drawn, spec->n_rows, axis, value_of);
    find_places(list, column, axis, value_of, spec->n_rows, number, &greatest);
    find_positions(axis, number, greatest);
    find_nodes(list, axis, value_of);
    free(value_of);
    free(number);
}

/* ---- tuples --------------------------------------------------------------------------------- */

static const region_problem *sorted_problem; /* qsort hands on no context; tests have one thread */

static int compare_tuples(size_t row, size_t other) {
    const region_problem *problem = sorted_problem;
    for (unsigned a = 0; a < problem->n_attributes; a++)
        if (problem->axes[a].leaf[row] != problem->axes[a].leaf[other])
            return problem->axes[a].leaf[row] < problem->axes[a].leaf[other] ? -1 : 1;
    for (unsigned t = 0; t < problem->n_tails; t++)
        if (problem->values[t][row] != problem->values[t][other])
            return problem->values[t][row] < problem->values[t][other] ? -1 : 1;
    return 0;
}

static int compare_rows(const void *a, const void *b) {
    const size_t row = *(const size_t *)a, other = *(const size_t *)b;
    const int order = compare_tuples(row, other);
    return order ? order : (row > other) - (row < other);
}

static void number_tuples(region_problem *problem) {
    problem->rows = take(problem->n_rows, sizeof *problem->rows);
    problem->tuple = take(problem->n_rows, sizeof *problem->tuple);
    for (size_t row = 0; row < problem->n_rows; row++)
        problem->rows[row] = row;
    sorted_problem = problem;
    qsort(problem->rows, problem->n_rows, sizeof *problem->rows, compare_rows);
    for (size_t i = 0; i < problem->n_rows; i++) {
        problem->n_tuples += i == 0 || compare_tuples(problem->rows[i - 1], problem->rows[i]) != 0;
        problem->tuple[problem->rows[i]] = problem->n_tuples - 1;
    }
}

/* ---- the library's problem ------------------------------------------------------------------ */

static void make_table(kan_run *run, const region_spec *spec, const value_list *lists,
                       uint32_t *const *drawn, test_problem *out) {
    enum { MOST = REGION_ATTRIBUTES + REGION_TAILS };
    char names[MOST][16];
    const char *pointers[MOST];
    const unsigned n = spec->n_attributes + spec->n_tails;
    for (unsigned i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], i < spec->n_attributes ? "quasi%u" : "tail%u", i);
        pointers[i] = names[i];
    }
    EXPECT_OK(run, kan_table_create(run, n, pointers, &out->table));
    for (size_t row = 0; row < spec->n_rows; row++) {
        for (unsigned i = 0; i < n; i++) {
            pointers[i] = i < spec->n_attributes ? lists[i].values[drawn[i][row]].text : names[i];
            if (i >= spec->n_attributes)
                snprintf(names[i], sizeof names[i], "c%06" PRIu32, drawn[i][row]);
        }
        EXPECT_OK(run, kan_table_add_row(out->table, pointers));
    }
    EXPECT_OK(run, kan_table_seal(out->table));
}

static kan_status bind_tree(kan_run *run, const value_list *list, const kan_column *column,
                            kan_hierarchy **out) {
    kan_hierarchy_lines *lines;
    char texts[REGION_LEVELS][16];
    kan_slice fields[REGION_LEVELS];
    EXPECT_OK(run, kan_hierarchy_lines_create(run, "tree", &lines));
    for (uint32_t i = 0; i < list->n; i++) {
        fields[0] = kan_slice_of(list->values[i].text);
        for (unsigned level = 1; level <= list->height; level++) {
            snprintf(texts[level], sizeof texts[level], "g%" PRIu32, list->values[i].node[level]);
            if (level == list->height)
                strcpy(texts[level], "*");
            fields[level] = kan_slice_of(texts[level]);
        }
        EXPECT_OK(run, kan_hierarchy_lines_add(lines, i + 1, fields, list->height + 1));
    }
    const kan_status status = kan_hierarchy_bind(lines, column, out);
    kan_hierarchy_lines_destroy(lines);
    return status;
}

static void make_attribute(region_problem *problem, unsigned a, const value_list *list) {
    kan_run *run = problem->made.run;
    const region_axis *axis = &problem->axes[a];
    const kan_column *column = &problem->made.table->columns[a];
    kan_hierarchy **hierarchy = &problem->made.hierarchies[a];
    kan_problems_begin(run);
    kan_status status = list->spec[0] ? kan_hierarchy_build(run, list->spec, column, hierarchy)
                                      : bind_tree(run, list, column, hierarchy);
    if (status == KAN_OK)
        status = kan_domain_make(run, column, *hierarchy, axis->has_tree,
                                 axis->has_bins ? list->bins : NULL, &problem->domains[a]);
    EXPECT_OK(run, kan_problems_end(run));
    EXPECT_OK(run, status);
    assert_int_equal(problem->domains[a]->n_places, axis->n_places);
    assert_int_equal((*hierarchy)->height, axis->height);
    kan_problem *made = &problem->made.problem;
    made->weights[a] = axis->weight;
    made->domains[a] = problem->domains[a];
    EXPECT_OK(run, kan_space_add_attribute(&made->space, column, *hierarchy));
}

static void make_problem(kan_run *run, const region_spec *spec, const value_list *lists,
                         uint32_t *const *drawn, region_problem *out) {
    kan_problem *problem = &out->made.problem;
    out->made.run = run;
    make_table(run, spec, lists, drawn, &out->made);
    problem->run = run;
    problem->class_tail = out->class_tail;
    problem->is_weighted = spec->is_weighted;
    kan_space_init(&problem->space, run);
    for (unsigned a = 0; a < spec->n_attributes; a++)
        make_attribute(out, a, &lists[a]);
    for (unsigned t = 0; t < spec->n_tails; t++)
        EXPECT_OK(run, kan_space_add_tail(&problem->space,
                                          &out->made.table->columns[spec->n_attributes + t]));
    EXPECT_OK(run, kan_problem_fold(problem, spec->n_rows));
    EXPECT_OK(run, kan_problem_measure(problem));
    assert_int_equal(problem->base.n, out->n_tuples);
}

void region_problem_make(kan_run *run, const region_spec *spec, uint64_t *random,
                         region_problem *out) {
    uint32_t *drawn[REGION_ATTRIBUTES + REGION_TAILS];
    value_list lists[REGION_ATTRIBUTES];
    memset(out, 0, sizeof *out);
    out->n_rows = spec->n_rows;
    out->n_attributes = spec->n_attributes;
    out->n_tails = spec->n_tails;
    out->class_tail = spec->has_class ? (int)spec->n_tails - 1 : KAN_NO_TAIL;
    for (unsigned a = 0; a < spec->n_attributes; a++) {
        list_values(&spec->columns[a], random, &lists[a]);
        drawn[a] = draw_values(spec, a, lists[a].n, random);
    }
    for (unsigned t = 0; t < spec->n_tails; t++)
        out->values[t] = drawn[spec->n_attributes + t] =
            draw_classes(spec, drawn[t % spec->n_attributes], random);
    copy_rows(spec, drawn, random);
    for (unsigned a = 0; a < spec->n_attributes; a++)
        make_axis(spec, a, &lists[a], drawn[a], &out->axes[a]);
    number_tuples(out);
    make_problem(run, spec, lists, drawn, out);
    for (unsigned a = 0; a < spec->n_attributes; a++) {
        free(lists[a].values);
        free(drawn[a]);
    }
}

void region_problem_destroy(region_problem *problem) {
    test_problem_destroy(&problem->made);
    for (unsigned a = 0; a < problem->n_attributes; a++) {
        region_axis *axis = &problem->axes[a];
        kan_domain_destroy(problem->domains[a]);
        free(axis->place_of);
        free(axis->first_leaf);
        free(axis->position);
        free(axis->leaf);
        free(axis->place);
        for (unsigned level = 0; level < REGION_LEVELS; level++) {
            free(axis->node[level]);
            free(axis->share[level]);
        }
    }
    for (unsigned t = 0; t < problem->n_tails; t++)
        free(problem->values[t]);
    free(problem->tuple);
    free(problem->rows);
}

/* ---- specs ---------------------------------------------------------------------------------- */

void random_region_spec(uint64_t *random, size_t most_rows, region_spec *out) {
    static const double weights[] = {0, 0.5, 1, 1, 2, 3};
    *out = (region_spec){.n_rows = between(random, 1, most_rows),
                         .n_attributes = (unsigned)between(random, 1, 6),
                         .n_tails = (unsigned)between(random, 0, REGION_TAILS),
                         .copies = (unsigned)kan_random_below(random, 5),
                         .n_classes = (unsigned)between(random, 1, 5),
                         .is_weighted = once_in(random, 4)};
    out->has_class = out->n_tails > 0 && !once_in(random, 4);
    const uint64_t most = once_in(random, 3) ? 3 : once_in(random, 4) ? 90 : 12;
    for (unsigned a = 0; a < out->n_attributes; a++) {
        region_spec_column *column = &out->columns[a];
        *column = (region_spec_column){.kind = (region_kind)kan_random_below(random, 4),
                                       .n_values = (uint32_t)between(random, 1, most),
                                       .height = (unsigned)between(random, 1, 4),
                                       .has_tree = once_in(random, 3),
                                       .is_skewed = once_in(random, 2),
                                       .weight = weights[kan_random_below(random, 6)]};
        if (column->kind == REGION_NUMBERS) {
            column->n_unknown = once_in(random, 3) ? (unsigned)between(random, 1, 2) : 0;
            column->has_twins = once_in(random, 5);
            column->bins = once_in(random, 4) ? (unsigned)between(random, 2, 6) : 0;
            column->has_bins_origin = column->bins > 0 && once_in(random, 2);
        }
        column->has_tree &= column->kind != REGION_DATES && column->bins == 0;
    }
}

/* At random: places too many for lanes of 16 bits; a few values in many tuples; more places than
 * profiles have bits for. */
void random_large_region_spec(uint64_t *random, region_spec *out) {
    const uint64_t shape = kan_random_below(random, 3);
    *out = (region_spec){.n_rows = shape == 0 ? 45000 : (size_t)between(random, 1500, 4000),
                         .n_attributes = shape == 0 ? 2 : (unsigned)between(random, 2, 4),
                         .n_tails = once_in(random, 2),
                         .copies = shape == 0 ? 0 : (unsigned)kan_random_below(random, 4),
                         .n_classes = 4,
                         .has_class = false};
    out->has_class = out->n_tails > 0;
    for (unsigned a = 0; a < out->n_attributes; a++) {
        const bool is_fine = a == 0 || once_in(random, 3);
        out->columns[a] = (region_spec_column){
            .kind =
                (region_kind)(is_fine && shape == 0 ? REGION_NUMBERS : kan_random_below(random, 4)),
            .n_values = (uint32_t)(shape == 1   ? between(random, 10, 64)
                                   : !is_fine   ? between(random, 5, 100)
                                   : shape == 0 ? 200000
                                                : between(random, 520, 1500)),
            .height = 3,
            .is_skewed = once_in(random, 3),
            .weight = 1};
    }
}

/* ---- answers -------------------------------------------------------------------------------- */

uint32_t *region_of_rows(const region_problem *problem, const kan_answer *answer) {
    const kan_regions *regions = answer->recoding.regions;
    uint32_t *region = take(problem->n_rows, sizeof *region);
    uint64_t *n_rows = take(regions->n_regions, sizeof *n_rows);
    assert_int_equal(regions->n_tuples, problem->n_tuples);
    assert_int_equal(regions->n_attributes, problem->n_attributes);
    for (size_t i = 0, next; i < problem->n_rows; i = next) {
        const uint32_t of = regions->region_of[problem->tuple[problem->rows[i]]];
        const size_t split = of & ~KAN_REGION_SPLIT;
        next = i;
        while (next < problem->n_rows &&
               problem->tuple[problem->rows[next]] == problem->tuple[problem->rows[i]])
            next++;
        if (!(of & KAN_REGION_SPLIT)) {
            assert_true(of < regions->n_regions);
            for (size_t j = i; j < next; j++)
                region[problem->rows[j]] = of;
            n_rows[of] += next - i;
            continue;
        }
        assert_int_equal(answer->recoding.type, KAN_RECODING_SHARED);
        assert_true(split < regions->n_splits);
        const size_t first = regions->split_start[split], end = regions->split_start[split + 1];
        assert_true(first + 2 <= end);
        size_t row = i;
        for (size_t p = first; p < end; p++) {
            const kan_portion *portion = &regions->portions[p];
            assert_true(portion->region < regions->n_regions && portion->n_rows > 0);
            assert_true(p == first || portion->region > portion[-1].region);
            assert_true(portion->n_rows <= next - row);
            for (uint64_t j = 0; j < portion->n_rows; j++)
                region[problem->rows[row++]] = portion->region;
            n_rows[portion->region] += portion->n_rows;
        }
        assert_int_equal(row, next);
    }
    for (uint32_t r = 0; r < regions->n_regions; r++) {
        assert_true(n_rows[r] > 0);
        assert_int_equal(n_rows[r], regions->n_rows[r]);
    }
    free(n_rows);
    return region;
}
