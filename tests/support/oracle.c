/* The oracle: see oracle.h. */
#include "support/oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(size_t n, size_t size) {
    void *memory = calloc(n ? n : 1, size);
    assert_non_null(memory);
    return memory;
}

/* ---- rows as texts -------------------------------------------------------------------------- */

static size_t find_leaf(const plain_attribute *attribute, const char *value) {
    for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++)
        if (strcmp(attribute->leaves[leaf].at[0], value) == 0)
            return leaf;
    fail_msg("the hierarchy has no line for %s", value);
    return 0;
}

typedef struct {
    char *text;
    size_t row;
    uint64_t count;
} tuple;

static int compare_tuples(const void *a, const void *b) {
    const tuple *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

void oracle_texts_merge(oracle_texts *texts) {
    tuple *tuples = allocate(texts->n, sizeof *tuples);
    for (size_t i = 0; i < texts->n; i++)
        tuples[i] = (tuple){texts->texts[i], i, texts->counts[i]};
    qsort(tuples, texts->n, sizeof *tuples, compare_tuples);
    size_t n = 0;
    for (size_t i = 0; i < texts->n; i++) {
        if (n > 0 && strcmp(texts->texts[n - 1], tuples[i].text) == 0) {
            texts->counts[n - 1] += tuples[i].count;
            free(tuples[i].text);
        } else {
            texts->texts[n] = tuples[i].text;
            texts->counts[n++] = tuples[i].count;
        }
    }
    texts->n = n;
    free(tuples);
}

void oracle_texts_destroy(oracle_texts *texts) {
    for (size_t i = 0; i < texts->n; i++)
        free(texts->texts[i]);
    free(texts->texts);
    free(texts->counts);
}

static int compare_leaves(const void *a, const void *b) {
    const plain_leaf *const *x = a, *const *y = b;
    return strcmp((*x)->at[0], (*y)->at[0]);
}

/* The labels of a column's rows at a level, one behind the other. */
static plain_label *column_labels(const plain_table *plain, unsigned column, unsigned level) {
    plain_label *labels = allocate(plain->n_rows, sizeof *labels);
    if (column >= plain->n_attributes) {
        for (size_t row = 0; row < plain->n_rows; row++)
            strcpy(labels[row], plain_cell(plain, row, column));
        return labels;
    }
    const plain_attribute *attribute = &plain->attributes[column];
    const plain_leaf **sorted = allocate(attribute->n_leaves, sizeof *sorted);
    for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++)
        sorted[leaf] = &attribute->leaves[leaf];
    qsort(sorted, attribute->n_leaves, sizeof *sorted, compare_leaves);
    for (size_t row = 0; row < plain->n_rows; row++) {
        plain_leaf wanted;
        const plain_leaf *key = &wanted;
        strcpy(wanted.at[0], plain_cell(plain, row, column));
        const plain_leaf *const *found =
            bsearch(&key, sorted, attribute->n_leaves, sizeof *sorted, compare_leaves);
        assert_non_null(found);
        strcpy(labels[row], (*found)->at[level]);
    }
    free(sorted);
    return labels;
}

void oracle_count_rows(const plain_table *plain, const unsigned *columns, const unsigned *levels,
                       unsigned n, oracle_texts *out) {
    out->n = plain->n_rows;
    out->texts = allocate(out->n, sizeof *out->texts);
    out->counts = allocate(out->n, sizeof *out->counts);
    char **ends = allocate(out->n, sizeof *ends);
    for (size_t row = 0; row < plain->n_rows; row++) {
        out->texts[row] = ends[row] = allocate(n + 1u, PLAIN_LABEL);
        out->counts[row] = 1;
    }
    for (unsigned i = 0; i < n; i++) {
        plain_label *labels = column_labels(plain, columns[i], levels[i]);
        for (size_t row = 0; row < plain->n_rows; row++)
            ends[row] = stpcpy(stpcpy(ends[row], labels[row]), ORACLE_SEPARATOR);
        free(labels);
    }
    free(ends);
    oracle_texts_merge(out);
}

/* ---- groups of a node ----------------------------------------------------------------------- */

/* How often each value of a tail occurs in the n rows of a group. `rows_of` is zero before and
 * after. */
static void count_values(const oracle *truth, const tuple *tuples, size_t n, unsigned tail,
                         uint64_t *rows_of, oracle_group *group) {
    const plain_table *plain = truth->plain;
    for (size_t i = 0; i < n; i++) {
        uint64_t *rows = &rows_of[truth->value_of[tuples[i].row * plain->n_tails + tail]];
        group->n_values[tail] += *rows == 0;
        ++*rows;
        if (plain->class_tail == (int)tail && *rows > group->n_majority)
            group->n_majority = *rows;
    }
    for (size_t i = 0; i < n; i++)
        rows_of[truth->value_of[tuples[i].row * plain->n_tails + tail]] = 0;
}

static void group_node(const oracle *truth, oracle_node *node) {
    const plain_table *plain = truth->plain;
    const size_t n = plain->n_rows, width = plain->n_attributes * (size_t)PLAIN_LABEL + 1;
    char *texts = allocate(n, width);
    tuple *tuples = allocate(n, sizeof *tuples);
    uint64_t *rows_of = allocate(n, sizeof *rows_of);
    for (size_t row = 0; row < n; row++) {
        char *end = texts + row * width;
        tuples[row] = (tuple){end, row, 1};
        for (unsigned a = 0; a < plain->n_attributes; a++) {
            size_t leaf = truth->leaf_of[row * plain->n_attributes + a];
            end = stpcpy(end, plain->attributes[a].leaves[leaf].at[node->levels[a]]);
            end = stpcpy(end, ORACLE_SEPARATOR);
        }
    }
    qsort(tuples, n, sizeof *tuples, compare_tuples);
    node->groups = allocate(n, sizeof *node->groups);
    node->rows = allocate(n, sizeof *node->rows);
    for (size_t i = 0; i < n; i++)
        node->rows[i] = tuples[i].row;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && strcmp(tuples[end].text, tuples[first].text) == 0;)
            end++;
        oracle_group *group = &node->groups[node->n_groups++];
        *group = (oracle_group){
            .n_rows = end - first, .some_row = tuples[first].row, .rows = node->rows + first};
        for (unsigned t = 0; t < plain->n_tails; t++)
            count_values(truth, tuples + first, end - first, t, rows_of, group);
    }
    free(rows_of);
    free(tuples);
    free(texts);
}

/* ---- shares --------------------------------------------------------------------------------- */

/* A column is of numbers when every value of its rows is one. */
static bool column_is_number(const plain_table *plain, unsigned column) {
    for (size_t row = 0; row < plain->n_rows; row++) {
        char *end, *value = plain_cell(plain, row, column);
        (void)strtod(value, &end);
        if (end == value || *end)
            return false;
    }
    return true;
}

/* The share of the domain that the label of a leaf covers at a level. */
static double share_of(const plain_attribute *attribute, bool is_number, unsigned level,
                       size_t leaf) {
    double lo = INFINITY, hi = -INFINITY, least = INFINITY, most = -INFINITY;
    size_t n_below = 0;
    for (size_t other = 0; other < attribute->n_leaves; other++) {
        double value = is_number ? strtod(attribute->leaves[other].at[0], NULL) : 0;
        least = fmin(least, value);
        most = fmax(most, value);
        if (strcmp(attribute->leaves[other].at[level], attribute->leaves[leaf].at[level]) == 0) {
            n_below++;
            lo = fmin(lo, value);
            hi = fmax(hi, value);
        }
    }
    if (is_number)
        return most > least ? (hi - lo) / (most - least) : 0;
    return attribute->n_leaves > 1 ? (double)(n_below - 1) / (double)(attribute->n_leaves - 1) : 0;
}

/* ---- all nodes ------------------------------------------------------------------------------ */

static void count_up(const plain_table *plain, unsigned *levels) {
    for (unsigned a = plain->n_attributes; a-- > 0;) {
        if (levels[a] < plain->attributes[a].height) {
            levels[a]++;
            return;
        }
        levels[a] = 0;
    }
}

static size_t first_row_with(const plain_table *plain, unsigned column, const char *value) {
    size_t row = 0;
    while (strcmp(plain_cell(plain, row, column), value) != 0)
        row++;
    return row;
}

void oracle_open(const plain_table *plain, oracle *out) {
    assert_true(plain->n_attributes <= ORACLE_ATTRIBUTES && plain->n_tails <= ORACLE_TAILS);
    memset(out, 0, sizeof *out);
    out->plain = plain;
    out->leaf_of = allocate(plain->n_rows * plain->n_attributes, sizeof *out->leaf_of);
    out->n_nodes = 1;
    for (unsigned a = 0; a < plain->n_attributes; a++) {
        const plain_attribute *attribute = &plain->attributes[a];
        out->n_nodes *= attribute->height + 1;
        for (size_t row = 0; row < plain->n_rows; row++)
            out->leaf_of[row * plain->n_attributes + a] =
                find_leaf(attribute, plain_cell(plain, row, a));
        bool is_number = column_is_number(plain, a);
        for (unsigned level = 0; level <= attribute->height; level++) {
            out->shares[a][level] = allocate(attribute->n_leaves, sizeof(double));
            for (size_t leaf = 0; leaf < attribute->n_leaves; leaf++)
                out->shares[a][level][leaf] = share_of(attribute, is_number, level, leaf);
        }
    }
    out->value_of = allocate(plain->n_rows * plain->n_tails, sizeof *out->value_of);
    for (size_t row = 0; row < plain->n_rows; row++)
        for (unsigned t = 0; t < plain->n_tails; t++) {
            unsigned column = plain->n_attributes + t;
            out->value_of[row * plain->n_tails + t] =
                first_row_with(plain, column, plain_cell(plain, row, column));
        }
    out->nodes = allocate(out->n_nodes, sizeof *out->nodes);
    unsigned levels[ORACLE_ATTRIBUTES] = {0};
    for (size_t i = 0; i < out->n_nodes; i++, count_up(plain, levels)) {
        memcpy(out->nodes[i].levels, levels, sizeof levels);
        for (unsigned a = 0; a < plain->n_attributes; a++)
            out->nodes[i].height += levels[a];
        group_node(out, &out->nodes[i]);
    }
}

void oracle_bound(oracle *truth, const unsigned *low, const unsigned *high) {
    size_t n = 0;
    for (size_t i = 0; i < truth->n_nodes; i++) {
        oracle_node *node = &truth->nodes[i];
        bool is_within = true;
        for (unsigned a = 0; a < truth->plain->n_attributes; a++)
            is_within &= node->levels[a] >= low[a] && node->levels[a] <= high[a];
        if (is_within) {
            truth->nodes[n++] = *node;
        } else {
            free(node->groups);
            free(node->rows);
        }
    }
    truth->n_nodes = n;
}

void oracle_close(oracle *truth) {
    for (size_t i = 0; i < truth->n_nodes; i++) {
        free(truth->nodes[i].groups);
        free(truth->nodes[i].rows);
    }
    for (unsigned a = 0; a < ORACLE_ATTRIBUTES; a++)
        for (unsigned level = 0; level < PLAIN_LEVELS; level++)
            free(truth->shares[a][level]);
    free(truth->nodes);
    free(truth->leaf_of);
    free(truth->value_of);
}

/* ---- judging -------------------------------------------------------------------------------- */

bool oracle_has_k_rows(const void *context, const oracle_group *group) {
    return group->n_rows >= *(const uint64_t *)context;
}

static bool is_below(const plain_table *plain, const oracle_node *a, const oracle_node *b) {
    for (unsigned i = 0; i < plain->n_attributes; i++)
        if (a->levels[i] > b->levels[i])
            return false;
    return a != b;
}

void oracle_judge(oracle *truth, oracle_passes passes, const void *context, uint64_t limit) {
    truth->n_anonymous = truth->n_minimal = 0;
    truth->least_suppressed = UINT64_MAX;
    for (size_t i = 0; i < truth->n_nodes; i++) {
        oracle_node *node = &truth->nodes[i];
        node->n_suppressed = 0;
        node->n_released_groups = 0;
        for (size_t g = 0; g < node->n_groups; g++)
            node->groups[g].is_released = passes(context, &node->groups[g]);
        if (truth->settle)
            truth->settle(truth, context, node);
        for (size_t g = 0; g < node->n_groups; g++) {
            const oracle_group *group = &node->groups[g];
            if (group->is_released)
                node->n_released_groups++;
            else
                node->n_suppressed += group->n_rows;
        }
        node->satisfies = node->n_suppressed <= limit;
        truth->n_anonymous += node->satisfies;
        if (node->n_suppressed < truth->least_suppressed)
            truth->least_suppressed = node->n_suppressed;
    }
    for (size_t i = 0; i < truth->n_nodes; i++) {
        oracle_node *node = &truth->nodes[i];
        node->is_minimal = node->satisfies;
        for (size_t j = 0; j < truth->n_nodes && node->is_minimal; j++)
            if (truth->nodes[j].satisfies && is_below(truth->plain, &truth->nodes[j], node))
                node->is_minimal = false;
        truth->n_minimal += node->is_minimal;
    }
}

/* ---- costs ---------------------------------------------------------------------------------- */

/* Costs that are a sum over cells: what one released cell adds, what a suppressed one adds, and
 * what the sum is divided by. */
typedef enum { CELL_PRECISION, CELL_DISTORTION, CELL_NCP } cell_cost;

static double cell_loss(const oracle *truth, const oracle_node *node, const oracle_group *group,
                        unsigned a, cell_cost cost) {
    const plain_attribute *attribute = &truth->plain->attributes[a];
    unsigned level = node->levels[a], height = attribute->height;
    size_t leaf = truth->leaf_of[group->some_row * truth->plain->n_attributes + a];
    switch (cost) {
    case CELL_PRECISION:
        if (!group->is_released)
            return 1;
        return height ? (double)level / height : 0;
    case CELL_DISTORTION:
        return group->is_released ? level : height;
    case CELL_NCP:
        break;
    }
    return group->is_released ? truth->shares[a][level][leaf] : 1;
}

static double sum_cells(const oracle *truth, const oracle_node *node, cell_cost cost) {
    const plain_table *plain = truth->plain;
    long double sum = 0, most = 0;
    for (unsigned a = 0; a < plain->n_attributes; a++) {
        const plain_attribute *attribute = &plain->attributes[a];
        double worst = cost == CELL_DISTORTION ? attribute->height : 1;
        for (size_t g = 0; g < node->n_groups; g++) {
            const oracle_group *group = &node->groups[g];
            long double rows = (long double)group->n_rows * attribute->weight;
            sum += rows * cell_loss(truth, node, group, a, cost);
            most += rows * worst;
        }
    }
    return most > 0 ? (double)(sum / most) : 0;
}

static double sum_groups(const oracle *truth, const oracle_node *node, bool is_classification) {
    double sum = 0;
    for (size_t g = 0; g < node->n_groups; g++) {
        const oracle_group *group = &node->groups[g];
        double rows = (double)group->n_rows;
        if (is_classification)
            sum += group->is_released ? rows - (double)group->n_majority : rows;
        else
            sum += group->is_released ? rows * rows : rows * (double)truth->plain->n_rows;
    }
    return sum;
}

double oracle_cost(const oracle *truth, const oracle_node *node, const char *cost, uint64_t k) {
    const plain_table *plain = truth->plain;
    if (strcmp(cost, "height") == 0) {
        double sum = 0;
        for (unsigned a = 0; a < plain->n_attributes; a++)
            sum += plain->attributes[a].weight * node->levels[a];
        return sum;
    }
    if (strcmp(cost, "discernibility") == 0)
        return sum_groups(truth, node, false);
    if (strcmp(cost, "classification") == 0)
        return sum_groups(truth, node, true);
    if (strcmp(cost, "average-class") == 0)
        return (double)plain->n_rows /
               (double)(node->n_released_groups + (node->n_suppressed > 0 ? 1 : 0)) / (double)k;
    if (strcmp(cost, "precision") == 0)
        return sum_cells(truth, node, CELL_PRECISION);
    if (strcmp(cost, "distortion") == 0)
        return sum_cells(truth, node, CELL_DISTORTION);
    if (strcmp(cost, "ncp") == 0)
        return sum_cells(truth, node, CELL_NCP);
    fail_msg("the oracle does not know the cost %s; teach it its definition", cost);
    return 0;
}

bool oracle_is_less(double a, double b) {
    if (isinf(b))
        return !isinf(a);
    return a < b - 1e-11 * (1 + fabs(b));
}

const oracle_node *oracle_best(const oracle *truth, const char *cost, uint64_t k,
                               bool wants_release) {
    const oracle_node *best = NULL;
    double least = 0;
    for (size_t i = 0; i < truth->n_nodes; i++) {
        const oracle_node *node = &truth->nodes[i];
        if (!node->satisfies || (wants_release && node->n_released_groups == 0))
            continue;
        double here = oracle_cost(truth, node, cost, k);
        bool is_better = !best || oracle_is_less(here, least) ||
                         (!oracle_is_less(least, here) && node->height < best->height);
        if (is_better) {
            best = node;
            least = here;
        }
    }
    return best;
}
