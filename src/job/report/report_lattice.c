/* The lattice of a full-domain search: how many nodes there are at each height, which satisfy the
 * promise, and what the minimal ones would cost.
 *
 * Which nodes satisfy is known from the minimal ones where generalizing never breaks the promise;
 * their number is compared with what the search counted, and where it differs nothing is told. Each
 * alternative is measured from the base, so that their number follows the size of it. */
#include <stdlib.h>

#include "group/viewer.h"
#include "job/report/report_data.h"
#include "job/settings/settings.h"

enum {
    MOST_WALKED = 1 << 21,    /* nodes that are looked at one by one */
    MOST_COMPARED = 1 << 28,  /* comparisons with minimal nodes */
    MOST_DRAWN = 260,         /* nodes that are listed */
    MOST_MEASURED = 160,      /* alternatives that are measured, */
    LEAST_MEASURED = 8,       /* at least so many, */
    MEASURED_TUPLES = 1 << 24 /* and else as many as have this many tuples together */
};

typedef struct {
    const kan_report_source *source;
    kan_run *run;
    const kan_answer *answer;
    unsigned n;                           /* attributes */
    const unsigned *low, *high;           /* levels that may be chosen */
    unsigned heights[KAN_MAX_ATTRIBUTES]; /* of their hierarchies */
    unsigned bottom, top;                 /* the least height there is, and how many are above it */
    double *nodes;                        /* by height above the bottom */
    uint64_t *passing, *minimal;          /* the same */
    bool knows_passing;
    json_t *listed; /* of small lattices every node; or null */
    uint8_t chosen[KAN_MAX_ATTRIBUTES];
} levels;

static unsigned height_of(const levels *l, const uint8_t *node) {
    unsigned height = 0;
    for (unsigned a = 0; a < l->n; a++)
        height += node[a];
    return height;
}

/* Nodes by height: the product of 1 + x + ... + x^h over the attributes. */
static void count_nodes(levels *l) {
    unsigned top = 0;
    l->nodes[0] = 1;
    for (unsigned a = 0; a < l->n; a++) {
        const unsigned h = l->high[a] - l->low[a];
        top += h;
        for (unsigned s = top + 1; s-- > 0;) {
            double sum = 0;
            for (unsigned i = 0; i <= h && i <= s; i++)
                sum += s - i <= top - h ? l->nodes[s - i] : 0;
            l->nodes[s] = sum;
        }
    }
}

static bool is_above_minimal(const levels *l, const uint8_t *node) {
    for (size_t m = 0; m < l->answer->n_minimal; m++) {
        const uint8_t *minimal = l->answer->minimal + m * l->n;
        unsigned a = 0;
        while (a < l->n && node[a] >= minimal[a])
            a++;
        if (a == l->n)
            return true;
    }
    return false;
}

static bool is_minimal(const levels *l, const uint8_t *node) {
    for (size_t m = 0; m < l->answer->n_minimal; m++)
        if (memcmp(node, l->answer->minimal + m * l->n, l->n) == 0)
            return true;
    return false;
}

static bool is_chosen(const levels *l, const uint8_t *node) {
    for (unsigned a = 0; a < l->n; a++)
        if (node[a] != l->answer->recoding.levels[a])
            return false;
    return true;
}

static json_t *vector_json(const levels *l, const uint8_t *node) {
    json_t *vector = json_array();
    for (unsigned a = 0; a < l->n; a++)
        vector = kan_json_append(vector, json_integer(node[a]));
    return vector;
}

static void list_node(levels *l, const uint8_t *node, bool passes) {
    l->listed = kan_json_append(l->listed, json_pack("{s:o, s:b, s:b, s:b}", "levels",
                                                     vector_json(l, node), "passes", (int)passes,
                                                     "minimal", (int)is_minimal(l, node), "chosen",
                                                     (int)is_chosen(l, node)));
}

/* Every node, like the digits of an odometer. */
static kan_status walk_nodes(levels *l, bool is_listed) {
    uint8_t node[KAN_MAX_ATTRIBUTES] = {0};
    for (unsigned a = 0; a < l->n; a++)
        node[a] = (uint8_t)l->low[a];
    for (uint64_t i = 0;; i++) {
        const bool passes = is_above_minimal(l, node);
        l->passing[height_of(l, node) - l->bottom] += passes;
        if (is_listed)
            list_node(l, node, passes);
        if (i % 4096 == 0)
            KAN_TRY(kan_check_cancel(l->run));
        unsigned a = l->n;
        for (; a > 0 && node[a - 1] == l->high[a - 1]; a--)
            node[a - 1] = (uint8_t)l->low[a - 1];
        if (a == 0)
            return KAN_OK;
        node[a - 1]++;
    }
}

static kan_status count_passing(levels *l) {
    const kan_answer *answer = l->answer;
    uint64_t n_passing = 0;
    const bool is_small = answer->n_nodes <= MOST_DRAWN;
    if (!answer->is_complete || answer->n_nodes > MOST_WALKED ||
        answer->n_nodes * (answer->n_minimal + 1) > MOST_COMPARED)
        return KAN_OK;
    if (is_small) {
        json_decref(l->listed);
        l->listed = json_array();
    }
    KAN_TRY(walk_nodes(l, is_small));
    for (unsigned s = 0; s <= l->top; s++)
        n_passing += l->passing[s];
    l->knows_passing = n_passing == answer->n_anonymous;
    if (!l->knows_passing) {
        json_decref(l->listed);
        l->listed = json_null();
    }
    return KAN_OK;
}

static json_t *heights_json(const levels *l) {
    json_t *array = json_array();
    for (unsigned s = 0; s <= l->top; s++)
        array = kan_json_append(
            array,
            json_pack("{s:i, s:o, s:o, s:o}", "height", (int)(l->bottom + s), "nodes",
                      l->nodes[s] < 0x1p53 ? kan_json_count((kan_u128)l->nodes[s])
                                           : kan_json_real(l->nodes[s]),
                      "passing", l->knows_passing ? kan_json_count(l->passing[s]) : json_null(),
                      "minimal",
                      l->answer->is_complete ? kan_json_count(l->minimal[s]) : json_null()));
    return array;
}

/* ---- alternatives --------------------------------------------------------------------------- */

typedef struct {
    const uint8_t *node;
    size_t place; /* among the minimal nodes, from 1; 0: the chosen one, which is none of them */
    unsigned height;
    size_t n_groups;
    uint64_t n_suppressed; /* rows */
    uint64_t n_left_out;   /* what the limit is about */
    kan_score cost;        /* of the job */
    kan_score scores[KAN_MAX_METRICS];
} alternative;

static int by_height(const void *a, const void *b) {
    const alternative *x = a, *y = b;
    if (x->height != y->height)
        return x->height < y->height ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_cost(const void *a, const void *b) {
    const alternative *x = a, *y = b;
    const int order = kan_score_compare(&x->cost, &y->cost);
    return order ? order : by_height(a, b);
}

/* What the measuring of several nodes shares. */
typedef struct {
    const levels *l;
    kan_workspace *workspace;
    kan_freqset set;
    kan_viewer viewer;
    kan_leavers leavers;
    kan_person_summer summer;
    size_t n_costs;
    kan_objective costs[KAN_MAX_METRICS];
    bool is_known[KAN_MAX_METRICS];
} bench;

static kan_status bench_begin(bench *b, const levels *l) {
    const kan_setup *setup = l->source->outcome->setup;
    b->l = l;
    kan_freqset_init(&b->set);
    kan_viewer_init(&b->viewer, &setup->problem);
    kan_leavers_init(&b->leavers, &setup->problem);
    kan_person_summer_init(&b->summer, &setup->problem);
    KAN_TRY(kan_workspace_create(l->run, &b->workspace));
    for (size_t i = 0; i < kan_registry_count(KAN_FAMILY_COST) && i < KAN_MAX_METRICS; i++) {
        const kan_cost_kind *kind = setup->costs[i];
        b->n_costs = i + 1;
        b->is_known[i] = kan_setup_can_measure(setup, kind);
        if (b->is_known[i])
            KAN_TRY(kan_objective_create(l->run, &setup->job->arena, kind, &setup->job->options,
                                         setup->promise.k, &setup->problem, &b->costs[i]));
    }
    return KAN_OK;
}

static void bench_end(bench *b) {
    kan_workspace_destroy(b->workspace);
    kan_viewer_destroy(&b->viewer);
    kan_leavers_destroy(&b->leavers);
    kan_person_summer_destroy(&b->summer);
    kan_freqset_destroy(b->l->run, &b->set);
}

/* The groups of the set in hand, as they would be released. */
static kan_status check_node(bench *b, kan_groups *groups) {
    const kan_promise *promise = &b->l->source->outcome->setup->promise;
    const kan_freqset *kept;
    KAN_TRY(kan_leavers_see(&b->leavers, promise, &b->set, &b->viewer, groups));
    if (!kan_leavers_thin(b->leavers.problem, promise) || groups->n_suppressed == 0) {
        kan_viewer_loss(&b->viewer, &b->set, groups);
        return KAN_OK;
    }
    KAN_TRY(kan_leavers_keep(&b->leavers, &b->set, &b->viewer, groups, &kept));
    kan_viewer_sum_loss(&b->viewer, kept, groups);
    return KAN_OK;
}

static kan_status measure_node(bench *b, alternative *out) {
    const kan_setup *setup = b->l->source->outcome->setup;
    unsigned levels_of[KAN_MAX_ATTRIBUTES];
    kan_groups groups;
    for (unsigned a = 0; a < b->l->n; a++)
        levels_of[a] = out->node[a];
    KAN_TRY(kan_freqset_rollup(&setup->problem.space, &setup->problem.base, levels_of, b->workspace,
                               &b->set));
    KAN_TRY(check_node(b, &groups));
    if (setup->problem.weights_of)
        KAN_TRY(kan_person_summer_groups(&b->summer, &groups));
    out->n_groups = groups.n_released_groups;
    out->n_suppressed = groups.n_suppressed;
    out->n_left_out = groups.n_left_out;
    for (size_t i = 0; i < b->n_costs; i++) {
        if (!b->is_known[i])
            continue;
        out->scores[i] = kan_objective_measure(&b->costs[i], &groups);
        if (b->costs[i].kind == setup->cost)
            out->cost = out->scores[i];
    }
    return kan_check_cancel(b->l->run);
}

/* How many rows an alternative would suppress can be got from what it costs, too: where they are
 * few, neither is told. Height says nothing of rows; what is released says it of itself. Where a
 * person may have several rows, k of them may be one person's: of people it is told how many would
 * leave, and costs where nobody would. */
static json_t *alternative_json(const bench *b, const alternative *one) {
    const uint64_t merge_below = kan_report_merge_below(b->l->source);
    const kan_setup *setup = b->l->source->outcome->setup;
    const uint64_t n = setup->promise.by_person ? one->n_left_out : one->n_suppressed;
    const bool hides_rows = setup->whose && n > 0 && merge_below > 0;
    const bool is_few = (n > 0 && n < merge_below) || (hides_rows && !setup->promise.by_person);
    const bool tells_all = (!is_few && !hides_rows) || is_chosen(b->l, one->node);
    json_t *costs = json_object();
    for (size_t i = 0; i < b->n_costs; i++)
        costs = kan_json_set(costs,
                             b->costs[i].kind ? b->costs[i].kind->kind.name
                                              : kan_registry_at(KAN_FAMILY_COST, i)->name,
                             b->is_known[i] &&
                                     (tells_all || b->costs[i].kind->shape == KAN_SHAPE_LEVELS)
                                 ? kan_json_score(&one->scores[i])
                                 : json_null());
    return json_pack("{s:o, s:i, s:b, s:o, s:o, s:o}", "levels", vector_json(b->l, one->node),
                     "height", (int)one->height, "chosen", (int)is_chosen(b->l, one->node),
                     "groups", kan_json_count(one->n_groups), "suppressed",
                     is_few ? json_null() : kan_json_count(n), "costs", costs);
}

static size_t n_measured(const levels *l) {
    const size_t n_tuples = l->source->outcome->setup->problem.base.n;
    size_t n = MEASURED_TUPLES / (n_tuples + 1);
    n = n < LEAST_MEASURED ? LEAST_MEASURED : n > MOST_MEASURED ? MOST_MEASURED : n;
    return n < l->answer->n_minimal ? n : l->answer->n_minimal;
}

static kan_status measure_alternatives(const levels *l, alternative *all, json_t **out) {
    bench b = {0};
    const size_t n = n_measured(l);
    json_t *list = NULL;
    kan_status status = bench_begin(&b, l);
    const bool is_extra = !is_minimal(l, l->chosen);
    for (size_t i = 0; i < l->answer->n_minimal; i++) {
        all[i].node = l->answer->minimal + i * l->n;
        all[i].place = i + 1;
        all[i].height = height_of(l, all[i].node);
    }
    qsort(all, l->answer->n_minimal, sizeof *all, by_height);
    const size_t n_shown = n + is_extra;
    if (is_extra)
        all[n] = (alternative){.node = l->chosen, .height = height_of(l, l->chosen)};
    for (size_t i = 0; i < n_shown && status == KAN_OK; i++)
        status = measure_node(&b, &all[i]);
    if (status == KAN_OK) {
        qsort(all, n_shown, sizeof *all, by_cost);
        list = json_array();
        for (size_t i = 0; i < n_shown && i < KAN_REPORT_ALTERNATIVES; i++)
            list = kan_json_append(list, alternative_json(&b, &all[i]));
        status = kan_report_json(l->run,
                                 json_pack("{s:o, s:o, s:o}", "minimal",
                                           kan_json_count(l->answer->n_minimal), "measured",
                                           kan_json_count(n), "nodes", list),
                                 out);
    }
    bench_end(&b);
    return status;
}

static kan_status find_alternatives(const levels *l, json_t **out) {
    alternative *all;
    if (!l->answer->is_complete || l->answer->n_minimal == 0) {
        *out = json_null();
        return KAN_OK;
    }
    KAN_TRY(kan_alloc_zero(l->run, l->answer->n_minimal + 1, sizeof *all, &all));
    const kan_status status = measure_alternatives(l, all, out);
    kan_free(l->run, all);
    return status;
}

/* ---- both ----------------------------------------------------------------------------------- */

static json_t *unsigned_json(const unsigned *vector, unsigned n) {
    json_t *array = json_array();
    for (unsigned a = 0; a < n; a++)
        array = kan_json_append(array, json_integer((json_int_t)vector[a]));
    return array;
}

static kan_status show(levels *l, json_t **lattice, json_t **alternatives) {
    json_t *shown = NULL;
    KAN_TRY(kan_alloc_zero(l->run, l->top + 1, sizeof *l->nodes, &l->nodes));
    KAN_TRY(kan_alloc_zero(l->run, l->top + 1, sizeof *l->passing, &l->passing));
    KAN_TRY(kan_alloc_zero(l->run, l->top + 1, sizeof *l->minimal, &l->minimal));
    count_nodes(l);
    for (size_t m = 0; l->answer->is_complete && m < l->answer->n_minimal; m++)
        l->minimal[height_of(l, l->answer->minimal + m * l->n) - l->bottom]++;
    KAN_TRY(count_passing(l));
    KAN_TRY(
        kan_report_json(l->run,
                        json_pack("{s:o, s:o, s:o, s:O}", "tops", unsigned_json(l->heights, l->n),
                                  "chosen", unsigned_json(l->answer->recoding.levels, l->n),
                                  "heights", heights_json(l), "nodes", l->listed),
                        &shown));
    const kan_status status = find_alternatives(l, alternatives);
    if (status == KAN_OK)
        *lattice = shown;
    else
        json_decref(shown);
    return status;
}

kan_status kan_report_lattice(const kan_report_source *source, json_t **lattice,
                              json_t **alternatives) {
    const kan_setup *setup = source->outcome->setup;
    levels l = {.source = source,
                .run = setup->run,
                .answer = &source->outcome->solution->answer,
                .n = setup->n_quasi,
                .low = setup->lowest,
                .high = setup->highest,
                .listed = json_null()};
    /* what keeps the promise, and what it would cost, depends on suppressed rows, too */
    if (l.answer->recoding.type != KAN_RECODING_LEVELS || !source->tells_all || setup->has_given ||
        kan_setup_n_earlier(setup) > 0) { /* and on earlier releases */
        *lattice = json_null();
        *alternatives = json_null();
        return KAN_OK;
    }
    for (unsigned a = 0; a < l.n; a++) {
        l.heights[a] = setup->hierarchies[a]->height;
        l.chosen[a] = (uint8_t)l.answer->recoding.levels[a];
        l.bottom += l.low[a];
        l.top += l.high[a] - l.low[a];
    }
    const kan_status status = show(&l, lattice, alternatives);
    json_decref(l.listed);
    kan_free(l.run, l.nodes);
    kan_free(l.run, l.passing);
    kan_free(l.run, l.minimal);
    return status;
}
