/* Every search of the registry with every cost, under every privacy model, with limits from none to
 * all rows, with a class column and without one, asked by both commands: jobs on small tables, held
 * against brute force.
 *
 *   levels     the answer is a node that keeps the promise by its definition, and costs what the
 *              definition says. What claims to be the best is brute force's best: the same levels,
 *              of whatever search and command.
 *   any other  what is released is counted again by its own cells: every group keeps the promise,
 *              no more rows are left out than may be, and costs that follow from groups are theirs.
 *              What a search proves must be true of all answers of its recoding model: none costs
 *              less than an optimum, or than a bound.
 *
 * Promises of an individual risk by weights, of every row and on average, with models of other kinds
 * beside it, have rounds of their own, and so have groups by sets of columns. There brute force knows who
 * leaves, too.
 *
 * What a search refuses is counted, too. At the end it is said how many combinations were answered,
 * and KANON_TEST_COMBINATIONS=1 lists those that were not. People are asked about in
 * oracle.people, populations in oracle.population. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/models/uniques.h"
#include "core/hash.h"
#include "job/registry/registry.h"
#include "oracle/subsets.h"
#include "search/search.h"
#include "support/plain_privacy.h"
#include "support/plain_risk.h"
#include "support/random_problem.h"

enum {
    MOST_QUASI = 3,
    MOST_ROWS = 12,
    RISKS = 2,                     /* models of the whole table */
    MODELS = PLAIN_MODELS + RISKS, /* each alone; those of the table come after it, weights last */
    MOST_SEARCHES = 64,
    MOST_COSTS = 16,
    LIMITS = 4,
    COMMANDS = 2,
    RECODINGS = 32
};

static const char *const quasi_names[] = {"a", "b", "c"};
static const char *const commands[] = {"anonymize", "search"};

typedef struct {
    kan_run *run;
    uint64_t random;
    plain_table plain; /* the tails: dx, class */
    bool is_text, has_class;
    unsigned which; /* the model */
    plain_privacy models;
    unsigned average_risk, at_risk;        /* thousandths, where they are promised */
    unsigned individual_risk, global_risk; /* the same, by weights */
    subsets_promise subsets;               /* sets.n > 0: of sets of columns */
    bool has_beside;          /* with another model: searches may ask for more than that */
    unsigned uniques;         /* ten-thousandths, less one: 0 is not promised */
    unsigned people, percent; /* of which the table is a sample; both 0: the sum of weights */
    plain_label weights[MOST_ROWS];
    uint64_t limit;
    unsigned limit_kind;
    oracle truth;
    kan_table *table;
} scene;

/* ---- the table ------------------------------------------------------------------------------ */

static int compare_texts(const void *a, const void *b) {
    return strcmp(a, b);
}

/* The hierarchy that the job builds for the values that are there. */
static void add_hierarchy(scene *here, unsigned a, plain_label *cells, size_t n_rows) {
    plain_label values[MOST_ROWS];
    size_t n = 0;
    memcpy(values, cells, n_rows * sizeof *values);
    qsort(values, n_rows, sizeof *values, compare_texts);
    for (size_t i = 0; i < n_rows; i++)
        if (n == 0 || strcmp(values[n - 1], values[i]) != 0)
            memmove(values[n++], values[i], sizeof *values);
    plain_attribute *attribute = plain_add_attribute(&here->plain, n, here->is_text ? 2 : 1);
    assert_ptr_equal(attribute, &here->plain.attributes[a]);
    for (size_t i = 0; i < n; i++) {
        plain_leaf *leaf = &attribute->leaves[i];
        strcpy(leaf->at[0], values[i]);
        snprintf(leaf->at[1], PLAIN_LABEL, here->is_text ? "%.1s*" : "*", values[i]);
        strcpy(leaf->at[attribute->height], "*");
    }
}

static void random_cell(scene *here, unsigned width, char *out) {
    const unsigned first = (unsigned)kan_random_below(&here->random, width);
    const unsigned second = (unsigned)kan_random_below(&here->random, width);
    if (here->is_text)
        snprintf(out, PLAIN_LABEL, "%c%c", (char)('p' + first), (char)('u' + second));
    else
        snprintf(out, PLAIN_LABEL, "%u", 10 * first + 3 * second);
}

static void make_plain(scene *here) {
    plain_label cells[MOST_QUASI][MOST_ROWS];
    const size_t n_rows = between(&here->random, 2, MOST_ROWS);
    const unsigned n_quasi = 1 + (unsigned)kan_random_below(&here->random, MOST_QUASI);
    const unsigned n_values = 1 + (unsigned)kan_random_below(&here->random, 3);
    here->is_text = once_in(&here->random, 2);
    plain_init(&here->plain);
    for (unsigned a = 0; a < n_quasi; a++) {
        const unsigned width = 1 + (unsigned)kan_random_below(&here->random, 3);
        for (size_t row = 0; row < n_rows; row++)
            random_cell(here, width, cells[a][row]);
        add_hierarchy(here, a, cells[a], n_rows);
    }
    here->has_class = !once_in(&here->random, 4);
    here->plain.n_tails = 1 + here->has_class;
    here->plain.class_tail = here->has_class ? 1 : KAN_NO_TAIL;
    plain_add_rows(&here->plain, n_rows);
    for (size_t row = 0; row < n_rows; row++) {
        for (unsigned a = 0; a < n_quasi; a++)
            strcpy(plain_cell(&here->plain, row, a), cells[a][row]);
        snprintf(plain_cell(&here->plain, row, n_quasi), PLAIN_LABEL, "v%u",
                 (unsigned)kan_random_below(&here->random, n_values));
        if (here->has_class)
            snprintf(plain_cell(&here->plain, row, n_quasi + 1), PLAIN_LABEL, "c%u",
                     (unsigned)kan_random_below(&here->random, 2));
    }
}

/* Weights of people, with decimals, or normalized; often several rows have one. */
static void random_weight(scene *here, unsigned style, char *out) {
    const unsigned n = 1 + (unsigned)kan_random_below(&here->random, style < 2 ? 40 : 900);
    if (style == 0)
        snprintf(out, PLAIN_LABEL, "%u", n);
    else if (style == 1)
        snprintf(out, PLAIN_LABEL, "%u.%u", n, (unsigned)kan_random_below(&here->random, 100));
    else
        snprintf(out, PLAIN_LABEL, "%s0.%03u", once_in(&here->random, 2) ? "" : "0", n);
}

static void make_weights(scene *here) {
    const unsigned style = (unsigned)kan_random_below(&here->random, 3);
    for (size_t row = 0; row < here->plain.n_rows; row++)
        if (row > 0 && once_in(&here->random, 3))
            strcpy(here->weights[row], here->weights[row - 1]);
        else
            random_weight(here, style, here->weights[row]);
}

static void make_table(scene *here) {
    const plain_table *plain = &here->plain;
    const char *names[] = {"row", "weight", "a", "b", "c", "dx", "class"};
    const unsigned n = plain->n_attributes;
    names[2 + n] = "dx";
    names[3 + n] = "class";
    EXPECT_OK(here->run, kan_table_create(here->run, 2 + n + plain->n_tails, names, &here->table));
    for (size_t row = 0; row < plain->n_rows; row++) {
        const char *values[2 + MOST_QUASI + 2];
        char number[24];
        snprintf(number, sizeof number, "%zu", row);
        values[0] = number;
        values[1] = here->weights[row];
        for (unsigned c = 0; c < n + plain->n_tails; c++)
            values[2 + c] = plain_cell(plain, row, c);
        EXPECT_OK(here->run, kan_table_add_row(here->table, values));
    }
}

/* ---- the question --------------------------------------------------------------------------- */

static long double people_of(const scene *here, const oracle_group *group) {
    long double people = 0;
    for (size_t i = 0; i < group->n_rows; i++)
        people += strtold(here->weights[group->rows[i]], NULL);
    return people;
}

static bool keeps_all(const void *context, const oracle_group *group) {
    const scene *here = context;
    if (!plain_privacy_passes(&here->models, group))
        return false;
    return !here->individual_risk ||
           plain_risk_is_kept(group->n_rows, people_of(here, group), here->individual_risk);
}

/* Whether the mean risk of released rows, and what stands beside it, is what was promised. */
static bool holds_on_average(const scene *here, const oracle_group *groups, size_t n,
                             const long double *risk) {
    size_t n_groups = 0, n_rows = 0, n_small = 0, n_exact = 0;
    long double sum = 0;
    for (size_t g = 0; g < n; g++) {
        if (!groups[g].is_released)
            continue;
        n_groups++;
        n_rows += groups[g].n_rows;
        n_small += groups[g].n_rows < 3 ? groups[g].n_rows : 0;
        if (people_of(here, &groups[g]) <= (long double)groups[g].n_rows)
            n_exact++;
        else
            sum += risk[g] * (long double)groups[g].n_rows;
    }
    if ((here->average_risk && n_groups * 1000 > here->average_risk * n_rows) ||
        (here->at_risk && n_small * 1000 > here->at_risk * n_rows) ||
        n_exact * 1000 > here->global_risk * n_rows)
        return false;
    const long double left = here->global_risk * (long double)n_rows / 1000 - (long double)n_exact;
    if (n_rows > 0 && sum > 0 && fabsl(sum - left) < 1e-9L)
        fail_msg("a mean risk is too near to what is promised for the test");
    return sum <= left;
}

static int compare_cells(const scene *here, const char *a, const char *b) {
    return here->is_text ? strcmp(a, b) : (atoi(a) > atoi(b)) - (atoi(a) < atoi(b));
}

static bool leaves_before(const oracle *truth, const scene *here, const oracle_node *node,
                          const long double *risk, size_t x, size_t y) {
    const oracle_group *a = &node->groups[x], *b = &node->groups[y];
    const unsigned n = here->plain.n_attributes;
    if (fabsl(risk[x] - risk[y]) > 1e-12L)
        return risk[x] > risk[y];
    if (a->n_rows != b->n_rows)
        return a->n_rows < b->n_rows;
    for (unsigned i = 0; i < n; i++) {
        const plain_leaf *leaves = here->plain.attributes[i].leaves;
        const int order =
            compare_cells(here, leaves[truth->leaf_of[a->some_row * n + i]].at[node->levels[i]],
                          leaves[truth->leaf_of[b->some_row * n + i]].at[node->levels[i]]);
        if (order != 0)
            return order < 0;
    }
    return false;
}

/* Whether few enough are unique in the population, by what is estimated from released groups. */
static bool has_few_uniques(const scene *here, const oracle_group *groups, size_t n) {
    kan_size_count counts[MOST_ROWS];
    kan_group_sizes sizes = {.counts = counts};
    kan_estimates found;
    long double people = 0;
    size_t n_rows = 0;
    for (size_t size = 1; size <= MOST_ROWS; size++) {
        size_t n_here = 0;
        for (size_t g = 0; g < n; g++)
            if (groups[g].is_released && groups[g].n_rows == size) {
                n_here++;
                people += people_of(here, &groups[g]);
            }
        if (n_here > 0)
            counts[sizes.n++] = (kan_size_count){size, n_here};
        n_rows += n_here * size;
    }
    if (!here->uniques || sizes.n == 0 || counts[0].size > 1)
        return true;
    people = here->people    ? (long double)here->people
             : here->percent ? (long double)n_rows * 100 / here->percent
                             : people;
    kan_estimate_make(&sizes, (double)people, &found);
    const double share = found.by[found.chosen].share, most = (here->uniques - 1) * 1e-4 * 0.999;
    if (share > 0 && fabs(share / most - 1) < 5e-4)
        fail_msg("a share of %.12g is too near to %.12g for the test", share, most);
    return share <= most;
}

/* Those of the highest risk leave, one by one. */
static void settle_by_risk(const oracle *truth, const scene *here, oracle_node *node) {
    long double risk[MOST_ROWS];
    if (here->subsets.sets.n > 0)
        subsets_settle(truth, &here->subsets, node);
    if (!here->global_risk)
        return;
    for (size_t g = 0; g < node->n_groups; g++)
        if (node->groups[g].is_released)
            risk[g] =
                plain_individual_risk(node->groups[g].n_rows, people_of(here, &node->groups[g]));
    while (!holds_on_average(here, node->groups, node->n_groups, risk)) {
        size_t first = SIZE_MAX;
        for (size_t g = 0; g < node->n_groups; g++)
            if (node->groups[g].is_released &&
                (first == SIZE_MAX || leaves_before(truth, here, node, risk, g, first)))
                first = g;
        assert_true(first < node->n_groups);
        node->groups[first].is_released = false;
    }
}

static void settle(const oracle *truth, const void *context, oracle_node *node) {
    const scene *here = context;
    settle_by_risk(truth, here, node);
    if (has_few_uniques(here, node->groups, node->n_groups))
        return;
    for (size_t g = 0; g < node->n_groups; g++)
        if (node->groups[g].n_rows == 1)
            node->groups[g].is_released = false;
    settle_by_risk(truth, here, node);
}

/* Near to what some node has on average, in thousandths. */
static unsigned near_mean(scene *here) {
    const oracle_node *node =
        &here->truth.nodes[kan_random_below(&here->random, here->truth.n_nodes)];
    long double sum = 0;
    for (size_t g = 0; g < node->n_groups; g++)
        sum += plain_individual_risk(node->groups[g].n_rows, people_of(here, &node->groups[g])) *
               (long double)node->groups[g].n_rows;
    const long double mean = sum / (long double)here->plain.n_rows;
    const unsigned near =
        (unsigned)(mean * (long double)(400 + kan_random_below(&here->random, 700)));
    return near < 1 ? 1 : near > 1000 ? 1000 : near;
}

/* Alone, or with k and some model of sensitive values; often exactly 1 / f. */
static void choose_weighted(scene *here) {
    static const unsigned often[] = {1000, 500, 250, 200, 125};
    const unsigned beside =
        once_in(&here->random, 2) ? 0 : (unsigned)kan_random_below(&here->random, PLAIN_MODELS - 1);
    plain_privacy_one(&here->plain, beside, &here->random, NULL, &here->models);
    if (beside == 0 && once_in(&here->random, 2))
        here->models.k = 1;
    const unsigned most = once_in(&here->random, 3)
                              ? often[kan_random_below(&here->random, 5)]
                              : 1 + (unsigned)kan_random_below(&here->random, 300);
    if (once_in(&here->random, 3)) {
        here->uniques =
            1 + (unsigned)kan_random_below(&here->random, once_in(&here->random, 2) ? 100 : 3000);
        const unsigned source = (unsigned)kan_random_below(&here->random, 3);
        here->people =
            source == 1 ? (unsigned)(here->plain.n_rows * between(&here->random, 1, 40)) : 0;
        here->percent = source == 2 ? 1 + (unsigned)kan_random_below(&here->random, 100) : 0;
        if (once_in(&here->random, 2))
            return;
    }
    if (once_in(&here->random, 2)) {
        here->individual_risk = most;
        return;
    }
    here->global_risk = once_in(&here->random, 4) ? most : near_mean(here);
    if (once_in(&here->random, 4))
        here->individual_risk =
            here->global_risk + (unsigned)kan_random_below(&here->random, 1001 - here->global_risk);
    const unsigned share = 100 + (unsigned)kan_random_below(&here->random, 700);
    if (once_in(&here->random, 4))
        *(once_in(&here->random, 2) ? &here->at_risk : &here->average_risk) = share;
}

static bool asks_weights, asks_subsets; /* all questions are about weights, or sets of columns */
static bool asks_few;                   /* many tables, and of each auto and a search or two */

/* Alone, or with any other model. */
static void choose_subsets(scene *here) {
    const unsigned beside = (unsigned)kan_random_below(&here->random, PLAIN_MODELS - 1);
    here->has_beside = once_in(&here->random, 3);
    plain_privacy_one(&here->plain, here->has_beside ? beside : 0, &here->random, NULL,
                      &here->models);
    here->models.k = 1;
    subsets_draw(&here->random, here->plain.n_attributes, 4, &here->subsets.sets);
}

static void choose_promise(scene *here) {
    const uint64_t n = here->plain.n_rows;
    const uint64_t limits[LIMITS] = {0, 1, between(&here->random, 0, n), n};
    here->which = asks_weights ? MODELS - 1 : (unsigned)kan_random_below(&here->random, MODELS - 1);
    here->limit_kind = (unsigned)kan_random_below(&here->random, LIMITS);
    here->limit = limits[here->limit_kind];
    here->average_risk = here->at_risk = 0;
    here->truth.settle = settle;
    if (asks_subsets) {
        choose_subsets(here);
    } else if (here->which == MODELS - 1) {
        choose_weighted(here);
    } else if (here->which < PLAIN_MODELS - 1) {
        plain_privacy_one(&here->plain, here->which, &here->random, NULL, &here->models);
    } else {
        plain_privacy_one(&here->plain, 0, &here->random, NULL, &here->models);
        const unsigned share = 100 + (unsigned)kan_random_below(&here->random, 700);
        *(here->which == MODELS - 2 ? &here->at_risk : &here->average_risk) = share;
    }
    oracle_judge(&here->truth, keeps_all, here, here->limit);
}

static void set_number(scene *here, kan_job *job, const char *name, const char *form,
                       unsigned long long n) {
    char text[32];
    snprintf(text, sizeof text, form, n);
    EXPECT_OK(here->run, kan_job_set(job, name, text));
}

/* One number of columns may have its k by itself. */
static void set_subsets(scene *here, kan_job *job) {
    const kan_column_sets *sets = &here->subsets.sets;
    char text[256] = "";
    if (sets->n == 1 && once_in(&here->random, 2)) {
        set_number(here, job, "k", "%llu", sets->sizes[0].k);
        set_number(here, job, "subsets", "%llu", sets->sizes[0].m);
        return;
    }
    for (unsigned i = 0; i < sets->n; i++) {
        const size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "%s%llu:%llu", i > 0 ? "," : "",
                 (unsigned long long)sets->sizes[i].m, (unsigned long long)sets->sizes[i].k);
    }
    EXPECT_OK(here->run, kan_job_set(job, "subsets", text));
}

static kan_job *make_job(scene *here, const char *search, const char *cost, const char *model) {
    static const char *const tails[] = {"dx", "class"};
    kan_run *run = here->run;
    kan_job *job;
    kan_options options;
    EXPECT_OK(run, kan_job_create(run, &job));
    EXPECT_OK(run, kan_job_use_table(job, here->table));
    for (unsigned a = 0; a < here->plain.n_attributes; a++) {
        char text[32];
        snprintf(text, sizeof text, here->is_text ? "%s=prefix:1" : "%s", quasi_names[a]);
        EXPECT_OK(run, kan_job_set(job, "qi", text));
    }
    EXPECT_OK(run, kan_job_set(job, "sensitive", "dx"));
    EXPECT_OK(run, kan_job_set(job, "keep", "row"));
    if (here->has_class)
        EXPECT_OK(run, kan_job_set(job, "class", "class"));
    EXPECT_OK(run, kan_job_set(job, "cost", cost));
    EXPECT_OK(run, kan_job_set(job, "algorithm", search));
    const kan_search_kind *kind =
        (const kan_search_kind *)kan_registry_find(KAN_FAMILY_SEARCH, search);
    if (here->has_class && kind && kind->follows_outcome && once_in(&here->random, 2))
        EXPECT_OK(run, kan_job_set(job, "for", once_in(&here->random, 2) ? "class" : "class ~ ."));
    if (model)
        EXPECT_OK(run, kan_job_set(job, "recoding", model));
    if (here->subsets.sets.n > 0)
        set_subsets(here, job);
    else
        set_number(here, job, "k", "%llu", here->models.k);
    if (here->limit_kind == LIMITS - 1)
        EXPECT_OK(run, kan_job_set(job, "suppress", once_in(&here->random, 2) ? "all" : "100%"));
    else
        set_number(here, job, "suppress", "%llu", here->limit);
    kan_options_init(&options, kan_run_arena(run));
    plain_privacy_options(&here->models, run, tails, &options);
    for (size_t i = 0; i < options.n; i++)
        EXPECT_OK(run, kan_job_set(job, options.values[i].name, options.values[i].value));
    kan_options_destroy(&options);
    if (here->individual_risk)
        set_number(here, job, "individual-risk", here->individual_risk < 1000 ? "0.%03llu" : "1",
                   here->individual_risk);
    if (here->global_risk)
        set_number(here, job, "global-risk", here->global_risk < 1000 ? "0.%03llu" : "1",
                   here->global_risk);
    if (here->uniques)
        set_number(here, job, "population-uniques", "0.%04llu", here->uniques - 1);
    if (here->people)
        set_number(here, job, "population-size", "%llu", here->people);
    if (here->percent)
        set_number(here, job, "sampling-fraction", here->percent < 100 ? "0.%02llu" : "1",
                   here->percent);
    if (here->individual_risk || here->global_risk ||
        (here->uniques && !here->people && !here->percent)) {
        EXPECT_OK(run, kan_job_set(job, "sampling-weight", "weight"));
        if (once_in(&here->random, 3))
            EXPECT_OK(run, kan_job_set(job, "keep", "weight"));
    }
    if (here->average_risk)
        set_number(here, job, "average-risk", "0.%03llu", here->average_risk);
    if (here->at_risk) {
        set_number(here, job, "at-risk", "0.%03llu", here->at_risk);
        EXPECT_OK(run, kan_job_set(job, "below", "3"));
    }
    return job;
}

/* ---- what was seen -------------------------------------------------------------------------- */

enum { NEVER, REFUSED, NOTHING, ANSWERED };

/* The best of what became of each combination. */
static uint8_t tried[MOST_SEARCHES][MOST_COSTS][MODELS][LIMITS][COMMANDS];
static size_t n_answers, n_releases, n_proofs;

static void see(const scene *here, size_t search, size_t cost, unsigned command, unsigned what) {
    uint8_t *seen = &tried[search][cost][here->which][here->limit_kind][command];
    *seen = what > *seen ? (uint8_t)what : *seen;
}

static const char *name_of(unsigned family, size_t i) {
    return kan_registry_at(family, i)->name;
}

static void tell_combinations(void) {
    const size_t n_searches = kan_registry_count(KAN_FAMILY_SEARCH);
    const size_t n_costs = kan_registry_count(KAN_FAMILY_COST);
    size_t of[ANSWERED + 1] = {0};
    for (size_t s = 0; s < n_searches; s++)
        for (size_t c = 0; c < n_costs; c++)
            for (unsigned m = 0; m < MODELS; m++)
                for (unsigned l = 0; l < LIMITS; l++)
                    for (unsigned command = 0; command < COMMANDS; command++) {
                        const unsigned what = tried[s][c][m][l][command];
                        of[what]++;
                        if (what != ANSWERED && getenv("KANON_TEST_COMBINATIONS"))
                            print_message("%s: %s by %s, model %u, limit %u\n",
                                          what == NEVER     ? "never asked"
                                          : what == REFUSED ? "refused"
                                                            : "without an answer",
                                          name_of(KAN_FAMILY_SEARCH, s),
                                          name_of(KAN_FAMILY_COST, c), m, l);
                    }
    print_message("combinations of search, cost, model, limit and command: %zu answered, %zu never "
                  "with an answer, %zu refused, %zu not asked\n",
                  of[ANSWERED], of[NOTHING], of[REFUSED], of[NEVER]);
    print_message("%zu answers, %zu releases, %zu proofs\n", n_answers, n_releases, n_proofs);
}

/* ---- releases ------------------------------------------------------------------------------- */

static size_t find_column(const kan_table *table, const char *name) {
    for (size_t c = 0; c < kan_table_n_columns(table); c++)
        if (strcmp(kan_table_column_name(table, c), name) == 0)
            return c;
    fail_msg("the release has no column %s", name);
    return 0;
}

/* The groups of a release, by its own cells. */
typedef struct {
    size_t n_rows, n_groups;
    size_t original[MOST_ROWS]; /* the row of the table that each is */
    size_t group_of[MOST_ROWS];
} shown;

static bool show_alike_in(const scene *here, const kan_table *table, unsigned set, uint64_t i,
                          uint64_t j) {
    for (unsigned a = 0; a < here->plain.n_attributes; a++) {
        if (!(set >> a & 1))
            continue;
        size_t size, other_size;
        const size_t column = find_column(table, quasi_names[a]);
        const char *text = kan_table_value(table, i, column, &size);
        const char *other = kan_table_value(table, j, column, &other_size);
        if (size != other_size || memcmp(text, other, size) != 0)
            return false;
    }
    return true;
}

static bool show_alike(const scene *here, const kan_table *table, uint64_t i, uint64_t j) {
    return show_alike_in(here, table, ~0U, i, j);
}

static void read_release(const scene *here, const kan_table *table, shown *out) {
    const size_t column = find_column(table, "row");
    bool is_met[MOST_ROWS] = {false};
    out->n_rows = (size_t)kan_table_n_rows(table);
    out->n_groups = 0;
    assert_true(out->n_rows <= here->plain.n_rows);
    for (size_t i = 0; i < out->n_rows; i++) {
        size_t size, first = 0;
        char number[16] = "";
        const char *text = kan_table_value(table, i, column, &size);
        assert_true(size < sizeof number);
        memcpy(number, text, size);
        out->original[i] = (size_t)atoi(number);
        assert_true(out->original[i] < here->plain.n_rows && !is_met[out->original[i]]);
        is_met[out->original[i]] = true;
        while (!show_alike(here, table, first, i))
            first++;
        out->group_of[i] = first < i ? out->group_of[first] : out->n_groups++;
    }
}

static size_t take_group(const shown *s, size_t group, size_t *rows) {
    size_t n = 0;
    for (size_t i = 0; i < s->n_rows; i++)
        if (s->group_of[i] == group)
            rows[n++] = s->original[i];
    return n;
}

static size_t count_majority(const scene *here, const size_t *rows, size_t n) {
    const unsigned column = here->plain.n_attributes + 1;
    size_t of_first = 0;
    for (size_t i = 0; i < n && here->has_class; i++)
        of_first += strcmp(plain_cell(&here->plain, rows[i], column), "c0") == 0;
    return of_first > n - of_first ? of_first : n - of_first;
}

/* What is shown in each set of columns is shown by enough rows. */
static void expect_subsets(const scene *here, const char *search, const kan_table *table) {
    const kan_column_sets *sets = &here->subsets.sets;
    const uint64_t n = kan_table_n_rows(table);
    for (unsigned set = 1; set < 1U << here->plain.n_attributes; set++)
        for (unsigned s = 0; s < sets->n; s++)
            for (uint64_t i = 0; i < n; i++) {
                uint64_t n_alike = 0;
                for (uint64_t j = 0; j < n; j++)
                    n_alike += show_alike_in(here, table, set, i, j);
                if (sets->sizes[s].m == (unsigned)__builtin_popcount(set) &&
                    n_alike < sets->sizes[s].k)
                    fail_msg("%s: a set of columns breaks the promise", search);
            }
}

/* Every released group keeps the promise, and costs that follow from groups are what they say. Average
 * classes are in units of the k of all columns: that of all sets, where more is asked for. */
static void expect_release(const scene *here, const char *search, const char *cost, double told,
                           const kan_table *table) {
    shown s;
    size_t rows[MOST_ROWS], n_small = 0, squares = 0, minority = 0;
    size_t rows_of[MOST_ROWS][MOST_ROWS];
    oracle_group groups[MOST_ROWS];
    long double risk[MOST_ROWS];
    const size_t n = here->plain.n_rows;
    read_release(here, table, &s);
    for (size_t g = 0; g < s.n_groups; g++) {
        const size_t n_here = take_group(&s, g, rows);
        const oracle_group group = {.n_rows = n_here, .some_row = rows[0], .rows = rows};
        if (!keeps_all(here, &group))
            fail_msg("%s: a released group breaks the promise", search);
        memcpy(rows_of[g], rows, sizeof rows);
        groups[g] = group;
        groups[g].is_released = true;
        groups[g].rows = rows_of[g];
        risk[g] = here->global_risk ? plain_individual_risk(n_here, people_of(here, &group)) : 0;
        n_small += n_here < 3 ? n_here : 0;
        squares += n_here * n_here;
        minority += n_here - count_majority(here, rows, n_here);
    }
    expect_subsets(here, search, table);
    const size_t lost = n - s.n_rows;
    assert_true(s.n_rows > 0 && lost <= here->limit);
    if (!has_few_uniques(here, groups, s.n_groups))
        fail_msg("%s: more are estimated to be unique than was promised", search);
    if (here->global_risk && !holds_on_average(here, groups, s.n_groups, risk))
        fail_msg("%s: the mean risk is above what was promised", search);
    if (here->average_risk)
        assert_true(s.n_groups * 1000 <= here->average_risk * s.n_rows);
    if (here->at_risk)
        assert_true(n_small * 1000 <= here->at_risk * s.n_rows);
    const double classes = (double)(s.n_groups + (lost > 0)) * (double)here->models.k;
    const double expected = strcmp(cost, "discernibility") == 0   ? (double)(squares + lost * n)
                            : strcmp(cost, "classification") == 0 ? (double)(minority + lost)
                            : strcmp(cost, "average-class") == 0 && here->subsets.sets.n == 0
                                ? (double)n / classes
                                : told;
    if (oracle_is_less(told, expected) || oracle_is_less(expected, told))
        fail_msg("%s: %s is %.17g in the release, and %.17g is told", search, cost, expected, told);
    n_releases++;
}

/* ---- answers -------------------------------------------------------------------------------- */

/* What was said of one recoding model: the cheapest answer, and the most that was proven. */
typedef struct {
    char model[40], by[40], proven_by[40];
    double cost, bound;
} claims;

typedef struct {
    const kan_search_kind *kind;    /* NULL: auto */
    const kan_recoding_kind *model; /* of those that it can make */
    const char *name, *cost;
    unsigned command;
    claims *of_models; /* RECODINGS */
} asking;

static claims *claims_of(claims *all, const char *model) {
    for (unsigned i = 0; i < RECODINGS; i++) {
        if (!all[i].model[0]) {
            all[i].cost = INFINITY;
            all[i].bound = 0;
            snprintf(all[i].model, sizeof all[i].model, "%s", model);
        }
        if (strcmp(all[i].model, model) == 0)
            return &all[i];
    }
    fail_msg("too many recoding models");
    return NULL;
}

static void take_claims(const asking *asked, const json_t *json, double cost) {
    const char *model = json_string_value(json_object_get(json, "recoding_model"));
    const json_t *bound = json_object_get(json, "bound");
    claims *c = claims_of(asked->of_models, model);
    if (cost < c->cost) {
        c->cost = cost;
        snprintf(c->by, sizeof c->by, "%s", asked->name);
    }
    double proven = json_is_number(bound) ? json_number_value(bound) : 0;
    if (json_is_true(json_object_get(json, "optimal"))) {
        proven = cost;
        n_proofs++;
    }
    if (proven > c->bound) {
        c->bound = proven;
        snprintf(c->proven_by, sizeof c->proven_by, "%s", asked->name);
    }
    if (oracle_is_less(c->cost, c->bound))
        fail_msg("%s by %s: %s says that nothing costs less than %.17g, and %s found %.17g", model,
                 asked->cost, c->proven_by, c->bound, c->by, c->cost);
}

static const oracle_node *node_of(const scene *here, const json_t *levels) {
    for (size_t i = 0; i < here->truth.n_nodes; i++) {
        bool is_it = true;
        for (unsigned a = 0; a < here->plain.n_attributes; a++)
            is_it &= (unsigned)json_integer_value(json_array_get(levels, a)) ==
                     here->truth.nodes[i].levels[a];
        if (is_it)
            return &here->truth.nodes[i];
    }
    fail_msg("the answer is not a node of the lattice");
    return NULL;
}

static bool is_of_table(const scene *here) {
    return !here->global_risk && (here->average_risk > 0 || here->at_risk > 0 || here->has_beside);
}

/* Levels of the models that brute force judges group by group. Where a model is one of the whole
 * table only the claims are held against each other: oracle.table_models knows who leaves. */
static void expect_levels(const scene *here, const asking *asked, const json_t *json,
                          const json_t *levels, double told) {
    const oracle_node *node = node_of(here, levels);
    const bool is_optimal = json_is_true(json_object_get(json, "optimal"));
    assert_true(is_optimal || here->has_beside || (asked->kind && !asked->kind->finds_best));
    if (is_of_table(here))
        return;
    const oracle_node *best = oracle_best(&here->truth, asked->cost, here->models.k, true);
    const double cost = oracle_cost(&here->truth, node, asked->cost, here->models.k);
    assert_true(node->satisfies && node->n_released_groups > 0);
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json, "suppression"), "rows")),
        node->n_suppressed);
    if (oracle_is_less(told, cost) || oracle_is_less(cost, told))
        fail_msg("%s: %s is %.17g, and %.17g is told", asked->name, asked->cost, cost, told);
    if (is_optimal && node != best)
        fail_msg(
            "%s %s by %s: node %zu of cost %.17g was found, node %zu of cost %.17g is the best",
            commands[asked->command], asked->name, asked->cost, (size_t)(node - here->truth.nodes),
            cost, (size_t)(best - here->truth.nodes),
            oracle_cost(&here->truth, best, asked->cost, here->models.k));
}

static bool is_levels(const asking *asked) {
    return !asked->kind ||
           (!asked->kind->cuts && !asked->kind->regions && asked->model == &kan_model_full_domain);
}

/* Nothing was found: nothing is there, where the search sees all. */
static void expect_nothing(const scene *here, const asking *asked) {
    if (is_of_table(here) || !is_levels(asked) || (asked->kind && !asked->kind->finds_all))
        return;
    if (oracle_best(&here->truth, asked->cost, here->models.k, true))
        fail_msg("%s %s by %s found nothing, and there is something", commands[asked->command],
                 asked->name, asked->cost);
}

/* Its own is not asked for by name: then a column without a hierarchy is suppressed or kept. */
static bool is_own(const asking *asked) {
    return !asked->kind || asked->model == asked->kind->models[0];
}

static unsigned ask(scene *here, const asking *asked) {
    kan_result *result;
    kan_job *job =
        make_job(here, asked->name, asked->cost, is_own(asked) ? NULL : asked->model->kind.name);
    const kan_status status = kan_job_run(job, commands[asked->command], &result);
    kan_job_destroy(job);
    if (status == KAN_BAD_INPUT)
        return REFUSED;
    if (status == KAN_UNSATISFIED) {
        expect_nothing(here, asked);
        return NOTHING;
    }
    EXPECT_OK(here->run, status);
    json_t *json = json_loads(kan_result_json(result), 0, NULL);
    assert_non_null(json);
    const json_t *levels = json_object_get(json_object_get(json, "solution"), "levels");
    const json_t *metric = json_object_get(json_object_get(json, "metrics"), asked->cost);
    const double told = json_number_value(metric);
    assert_true(json_is_true(json_object_get(json, "verified")));
    if (json_is_array(levels) && is_levels(asked))
        expect_levels(here, asked, json, levels, told);
    if (asked->command == 0)
        expect_release(here, asked->name, asked->cost, told, kan_result_table(result));
    if (json_is_number(metric))
        take_claims(asked, json, told);
    json_decref(json);
    kan_result_destroy(result);
    n_answers++;
    return ANSWERED;
}

/* ---- rounds --------------------------------------------------------------------------------- */

/* Its own model more often than the others that it can make. */
static const kan_recoding_kind *choose_model(scene *here, const kan_search_kind *kind) {
    size_t n = 0;
    while (n < KAN_SEARCH_MODELS && kind->models[n])
        n++;
    return kind->models[once_in(&here->random, 2) ? 0 : kan_random_below(&here->random, n)];
}

static void ask_all(scene *here, size_t cost) {
    claims of_models[RECODINGS] = {{.model = ""}};
    asking asked = {.cost = name_of(KAN_FAMILY_COST, cost), .of_models = of_models};
    for (asked.command = 0; asked.command < COMMANDS; asked.command++) {
        asked.kind = NULL;
        asked.model = NULL;
        asked.name = "auto";
        (void)ask(here, &asked);
        for (size_t s = 0; s < kan_registry_count(KAN_FAMILY_SEARCH); s++) {
            if (asks_few && !once_in(&here->random, MOST_SEARCHES / 2))
                continue;
            asked.kind = (const kan_search_kind *)kan_registry_at(KAN_FAMILY_SEARCH, s);
            asked.name = asked.kind->kind.name;
            asked.model = choose_model(here, asked.kind);
            see(here, s, cost, asked.command, ask(here, &asked));
        }
    }
}

static void questions_on_one_table(kan_run *run, uint64_t seed) {
    scene here = {.run = run, .random = seed * 48271};
    const size_t n_costs = kan_registry_count(KAN_FAMILY_COST);
    kan_run_set_threads(run, 1 + (unsigned)(seed % 2));
    make_plain(&here);
    make_weights(&here);
    make_table(&here);
    oracle_open(&here.plain, &here.truth);
    choose_promise(&here);
    const size_t cost = (size_t)kan_random_below(&here.random, n_costs);
    const kan_cost_kind *kind = (const kan_cost_kind *)kan_registry_at(KAN_FAMILY_COST, cost);
    if (!kind->needs_class || here.has_class)
        ask_all(&here, cost);
    plain_privacy_destroy(&here.models, NULL);
    oracle_close(&here.truth);
    kan_table_destroy(here.table);
    plain_destroy(&here.plain);
}

static void ask_questions(size_t n_tables, bool of_weights, bool of_subsets) {
    asks_weights = of_weights;
    asks_subsets = of_subsets;
    assert_true(kan_registry_count(KAN_FAMILY_SEARCH) <= MOST_SEARCHES);
    assert_true(kan_registry_count(KAN_FAMILY_COST) <= MOST_COSTS);
    memset(tried, 0, sizeof tried);
    n_answers = n_releases = n_proofs = 0;
    random_rounds(n_tables, questions_on_one_table);
    tell_combinations();
    if (!getenv("KANON_TEST_SEED") && !getenv("KANON_TEST_ROUNDS"))
        assert_true(n_answers > 1000 && n_releases > 500 && n_proofs > 300);
}

static void every_answer_keeps_its_promise_and_every_claim_is_true(void **state) {
    (void)state;
    ask_questions(100, false, false);
}

static void weights_are_kept_by_every_search(void **state) {
    (void)state;
    ask_questions(100, true, false);
}

static void weights_are_kept_on_many_tables(void **state) {
    (void)state;
    asks_few = true;
    ask_questions(1000, true, false);
    asks_few = false;
}

static void sets_of_columns_are_kept_by_every_search(void **state) {
    (void)state;
    ask_questions(100, false, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(sets_of_columns_are_kept_by_every_search, random_tear_down),
        cmocka_unit_test_teardown(weights_are_kept_by_every_search, random_tear_down),
        cmocka_unit_test_teardown(weights_are_kept_on_many_tables, random_tear_down),
        cmocka_unit_test_teardown(every_answer_keeps_its_promise_and_every_claim_is_true,
                                  random_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
