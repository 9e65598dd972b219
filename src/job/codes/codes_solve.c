/* The question, the search, and what each person shows. */
#include <inttypes.h>
#include <stdlib.h>

#include "job/codes/codes_inside.h"

/* ---- the question --------------------------------------------------------------------------- */

/* A share of what a code costs that is left out, in units: whole numbers, so that sums are exact. */
static uint64_t units_of(double price, double dearest) {
    enum { UNITS = 1 << 30 };
    return dearest > 0 ? (uint64_t)(price / dearest * UNITS + 0.5) : 0;
}

static kan_status make_tree(kan_code_job *c) {
    const kan_hierarchy *h = c->hierarchy;
    const kan_cell_price *price = c->cost->price;
    const double dearest = price->suppressed(h->height, 1);
    kan_codes_tree *tree = &c->question.tree;
    const uint32_t **groups;
    uint64_t **prices;
    tree->n_leaves = h->n_codes;
    tree->height = h->height;
    tree->suppressed = units_of(dearest, dearest);
    KAN_TRY(kan_arena_alloc(&c->arena, h->height + 1, sizeof *groups, &groups));
    KAN_TRY(kan_arena_alloc(&c->arena, h->height + 1, sizeof *prices, &prices));
    for (unsigned level = 0; level <= h->height; level++) {
        const kan_level *l = &h->levels[level];
        KAN_TRY(kan_arena_alloc(&c->arena, h->n_codes, sizeof **prices, &prices[level]));
        groups[level] = l->from_leaf;
        for (uint32_t leaf = 0; leaf < h->n_codes; leaf++) {
            const double steps = price->is_by_share ? l->share[l->from_leaf[leaf]] : level;
            uint64_t units = units_of(price->shown(h->height, 1, steps), dearest);
            if (level > 0 && units < prices[level - 1][leaf])
                units = prices[level - 1][leaf];
            prices[level][leaf] = units < tree->suppressed ? units : tree->suppressed;
        }
    }
    tree->groups = groups;
    tree->prices = (const uint64_t *const *)prices;
    return KAN_OK;
}

static uint64_t limit_of(const kan_code_job *c) {
    const char *text = kan_options_find(&c->job->options, "suppress");
    kan_suppress_limit limit = {.rows = 0};
    if (text)
        (void)kan_suppress_parse(text, &limit);
    return kan_suppress_rows(&limit, c->question.people.n);
}

static kan_status fail_unfound(const kan_code_job *c) {
    char left[32], all[32], limit[32];
    if (c->answer.n_left == c->question.people.n)
        return kan_fail(
            c->run, KAN_UNSATISFIED,
            "even with all codes at the top of their hierarchy nobody would be released: "
            "fewer than %" PRIu64 " people have any code, or none; lower --k-codes",
            c->k);
    return kan_fail(
        c->run, KAN_UNSATISFIED,
        "nothing within the limits keeps the promise: even with all codes at the top of "
        "their hierarchy %s of %s people must be left out, and %s may be; leave more out "
        "with --suppress, or lower --k-codes",
        kan_count_text(c->answer.n_left, left), kan_count_text(c->question.people.n, all),
        kan_count_text(c->question.limit, limit));
}

/* ---- what is shown -------------------------------------------------------------------------- */

static kan_slice label_of(const kan_code_job *c, uint32_t leaf) {
    const kan_level *level = &c->hierarchy->levels[c->answer.levels[leaf]];
    return level->label[level->from_leaf[leaf]];
}

static int compare_labels(const void *a, const void *b) {
    return kan_slice_compare(*(const kan_slice *)a, *(const kan_slice *)b);
}

/* The labels of a person, each once, in the order of their text: that of the hierarchy may depend on codes
 * that only people have who are left out. */
static void add_labels(const kan_code_job *c, uint32_t row, kan_slice *labels, kan_text *text) {
    const kan_codes_people *people = &c->question.people;
    size_t n = 0;
    for (uint64_t i = people->start[row]; i < people->start[row + 1]; i++)
        labels[n++] = label_of(c, people->leaves[i]);
    qsort(labels, n, sizeof *labels, compare_labels);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && kan_slice_equal(labels[i], labels[i - 1]))
            continue;
        if (i > 0)
            kan_text_add(text, &c->separator, 1);
        kan_text_add(text, labels[i].bytes, labels[i].size);
    }
}

/* Marks the codes that released people have. */
static void mark_released(const kan_code_job *c, bool *is_released) {
    const kan_codes_people *people = &c->question.people;
    for (uint32_t row = 0; row < people->n; row++)
        for (uint64_t i = people->start[row]; i < people->start[row + 1]; i++)
            is_released[people->leaves[i]] |= !c->answer.is_left[row];
}

/* Whether a released code has the label of its level on the one below, too. */
static bool is_alike_below(const kan_code_job *c, const bool *is_released, uint32_t leaf) {
    const unsigned level = c->answer.levels[leaf];
    const kan_level *own = &c->hierarchy->levels[level], *below = own - 1;
    return !is_released[leaf] ||
           (level > 0 && kan_slice_equal(own->label[own->from_leaf[leaf]],
                                         below->label[below->from_leaf[leaf]]));
}

/* What is told of levels follows from the release: of levels that show it alike, the lowest. Which of them
 * was chosen may have depended on people who are left out. */
static kan_status settle_levels(kan_code_job *c) {
    const uint32_t n = c->hierarchy->n_codes;
    uint8_t *levels = c->answer.levels;
    bool *is_released, is_alike = n > 0;
    KAN_TRY(kan_alloc_zero(c->run, n, sizeof *is_released, &is_released));
    mark_released(c, is_released);
    for (uint32_t leaf = 0; c->question.by_cuts && leaf < n; leaf++)
        while (levels[leaf] > 0 && is_alike_below(c, is_released, leaf))
            levels[leaf]--;
    while (!c->question.by_cuts && is_alike && levels[0] > 0) {
        for (uint32_t leaf = 0; leaf < n; leaf++)
            is_alike = is_alike && is_alike_below(c, is_released, leaf);
        for (uint32_t leaf = 0; is_alike && leaf < n; leaf++)
            levels[leaf]--;
    }
    kan_free(c->run, is_released);
    return KAN_OK;
}

static bool shows_values(const kan_code_job *c) {
    for (uint32_t leaf = 0; leaf < c->hierarchy->n_codes; leaf++)
        if (c->answer.levels[leaf] > 0)
            return false;
    return true;
}

static size_t most_codes(const kan_codes_people *people) {
    uint64_t most = 0;
    for (uint32_t row = 0; row < people->n; row++)
        if (people->start[row + 1] - people->start[row] > most)
            most = people->start[row + 1] - people->start[row];
    return (size_t)most;
}

static kan_status show_people(kan_code_job *c) {
    const kan_codes_people *people = &c->question.people;
    kan_slice *labels, *own = NULL;
    kan_text text;
    kan_status status;
    kan_text_init(&text, c->run);
    KAN_TRY_DONE(kan_alloc(c->run, people->n, sizeof *c->shown, &c->shown));
    KAN_TRY_DONE(kan_alloc(c->run, most_codes(people), sizeof *own, &own));
    KAN_TRY_DONE(kan_arena_alloc(&c->arena, people->n, sizeof *labels, &labels));
    for (uint32_t row = 0; row < people->n; row++) {
        const char *copy;
        text.size = 0;
        if (!c->answer.is_left[row]) {
            add_labels(c, row, own, &text);
            c->n_released_codes += people->start[row + 1] - people->start[row];
        }
        KAN_TRY_DONE(kan_text_status(&text));
        KAN_TRY_DONE(kan_arena_copy(&c->arena, text.size > 0 ? text.bytes : "", text.size, &copy));
        labels[row] = (kan_slice){copy, text.size};
        c->shown[row] = row;
    }
    KAN_TRY_DONE(settle_levels(c));
    c->texts = (kan_release_texts){.column = c->column,
                                   .codes = c->shown,
                                   .labels = labels,
                                   .n_labels = people->n,
                                   .shows_values = shows_values(c)};
done:
    kan_text_destroy(&text);
    kan_free(c->run, own);
    return status;
}

/* Steps of a search that may take long: what --effort says; else enough to divide every node once, and
 * as many as a table of that size allows. */
static uint64_t effort_of(const kan_code_job *c) {
    enum { MOST = 20000, WORK = 50000000 };
    const char *effort = kan_options_find(&c->job->options, "effort");
    uint64_t steps = c->n_codes > 0 ? WORK / c->n_codes : MOST;
    if (effort) {
        (void)kan_effort_parse(effort, &steps);
        return steps;
    }
    if (steps < c->hierarchy->n_codes)
        steps = c->hierarchy->n_codes;
    return steps < MOST ? steps : MOST;
}

kan_status kan_code_job_solve(kan_code_job *c) {
    const double start = kan_now_ms();
    KAN_TRY(make_tree(c));
    c->question.k = c->k;
    c->question.known = c->known;
    c->question.limit = limit_of(c);
    c->question.most_steps = effort_of(c);
    c->has_answer = true;
    KAN_TRY(kan_codes_search(c->run, &c->question, &c->answer));
    kan_run_set_time_limit(c->run, 0); /* the rest is not a search */
    if (!c->answer.is_found)
        return fail_unfound(c);
    KAN_TRY(show_people(c));
    c->search_ms = kan_now_ms() - start;
    return KAN_OK;
}
